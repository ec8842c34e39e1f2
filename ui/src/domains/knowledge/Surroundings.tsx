import { ArrowLeft, BookOpen, Crosshair } from "lucide-react";
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent } from "react";

import { useQuery, type BaseGraph, type GraphEdge, type GraphNode } from "@/backend";
import { Badge, Button, Dialog, IconButton, AsyncBoundary, RadioGroup, Skeleton, Tabs, count, cx } from "@/shared";

import { NODE, layOut, stepFrom, strokeOf } from "./layout";
import { plain } from "./labels";

export interface SurroundingsProps {
    base: string;
    paragraph: string;
    /** Shows a paragraph's text. */
    onRead: (paragraph: string) => void;
    onClose: () => void;
}

const DEPTHS = [
    { value: "1", label: "1 step" },
    { value: "2", label: "2 steps" },
    { value: "3", label: "3 steps" },
] as const;

/** What a paragraph is linked with, along cross-references. */
export function Surroundings({ base, paragraph, onRead, onClose }: SurroundingsProps) {
    /** Paragraphs that were put in the middle; the last is there. */
    const [trail, setTrail] = useState([paragraph]);
    const [depth, setDepth] = useState<"1" | "2" | "3">("1");
    const middle = trail[trail.length - 1] ?? paragraph;
    const graph = useQuery("base_graph", { base, id: middle, depth: Number(depth) });
    return (
        <Dialog
            open
            onOpenChange={(open) => !open && onClose()}
            width="large"
            title={`Links of ${graph.data?.nodes[0]?.citation ?? middle}`}
            description="References to the paragraph are on the left, references from it on the right."
        >
            <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2">
                {trail.length > 1 && (
                    <IconButton
                        label="Back to the previous paragraph"
                        variant="secondary"
                        icon={<ArrowLeft size={16} strokeWidth={1.5} />}
                        onClick={() => setTrail(trail.slice(0, -1))}
                    />
                )}
                <RadioGroup
                    label="Link distance"
                    direction="row"
                    value={depth}
                    options={[...DEPTHS]}
                    onChange={setDepth}
                />
            </div>
            <AsyncBoundary of={graph} what="the links" waiting={<Skeleton lines={8} />}>
                {(known) => (
                    <Graph
                        key={middle}
                        graph={known}
                        moved={trail.length > 1}
                        onMiddle={(id) => setTrail([...trail, id])}
                        onRead={onRead}
                    />
                )}
            </AsyncBoundary>
        </Dialog>
    );
}

interface GraphProps {
    graph: BaseGraph;
    /** Whether another paragraph was in the middle before: the focus follows. */
    moved: boolean;
    onMiddle: (paragraph: string) => void;
    onRead: (paragraph: string) => void;
}

function Graph({ graph, moved, onMiddle, onRead }: GraphProps) {
    const middle = graph.nodes[0];
    const [chosen, setChosen] = useState(middle?.id ?? "");
    const selected = graph.nodes.find((node) => node.id === chosen) ?? middle;
    const all = useRef<HTMLDivElement>(null);
    // The button that led here is gone: who works with the keyboard goes on from the new middle.
    useEffect(() => {
        if (moved) all.current?.querySelector<HTMLElement>("[aria-pressed=true]")?.focus({ preventScroll: true });
    }, [moved]);
    if (middle === undefined || selected === undefined) return null;
    if (graph.nodes.length === 1) {
        return (
            <p className="text-ui text-ink-2">
                No cross-references from or to {middle.citation}.{" "}
                <button
                    type="button"
                    className="rounded-[4px] text-accent underline-offset-2 hover:underline"
                    onClick={() => onRead(middle.id)}
                >
                    Read paragraph
                </button>
            </p>
        );
    }
    return (
        <div ref={all}>
            <Tabs
                label="View"
                tabs={[
                    {
                        id: "drawing",
                        label: "Graph",
                        content: <Drawing graph={graph} selected={selected.id} onSelect={setChosen} />,
                    },
                    {
                        id: "list",
                        label: "List",
                        note: graph.nodes.length - 1,
                        content: <AsList graph={graph} onRead={onRead} onMiddle={onMiddle} />,
                    },
                ]}
            />
            {graph.more && (
                <p className="mt-2 text-small text-needs">
                    Not all links are shown. Reduce the link distance, or centre another paragraph.
                </p>
            )}
            <Selected graph={graph} node={selected} onMiddle={onMiddle} onRead={onRead} />
        </div>
    );
}

/** A file and a place in it. Where there is no room for both, the place is what tells nodes of a file apart. */
function NodeName({ name }: { name: string }) {
    const at = name.indexOf(", ");
    if (at < 0) return <span className="truncate">{name}</span>;
    return (
        <>
            <span className="min-w-0 truncate">{name.slice(0, at)}</span>
            <span className="max-w-[75%] shrink-0 truncate whitespace-pre">{name.slice(at)}</span>
        </>
    );
}

function Drawing({
    graph,
    selected,
    onSelect,
}: {
    graph: BaseGraph;
    selected: string;
    onSelect: (paragraph: string) => void;
}) {
    const id = useId();
    const { width, height, placed, lines, kinds } = useMemo(() => layOut(graph), [graph]);
    const room = useRef<HTMLDivElement>(null);
    const middle = placed[0];
    // What everything is drawn around is in sight first.
    useLayoutEffect(() => {
        if (room.current === null || middle === undefined) return;
        room.current.scrollLeft = middle.x + NODE.width / 2 - room.current.clientWidth / 2;
        room.current.scrollTop = middle.y + NODE.height / 2 - room.current.clientHeight / 2;
    }, [middle]);
    const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
        const next = stepFrom(placed, selected, event.key);
        if (next === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
        event.preventDefault();
        onSelect(next);
        [...(room.current?.querySelectorAll<HTMLElement>("[data-node]") ?? [])]
            .find((each) => each.dataset.node === next)
            ?.focus();
    };
    const touching = (edge: GraphEdge) => edge.from === selected || edge.to === selected;
    return (
        <>
            <div
                ref={room}
                className="max-h-[min(24rem,36vh)] overflow-auto rounded-control border border-hairline bg-page"
            >
                <div
                    role="group"
                    aria-label="Linked paragraphs; arrow keys go from one to the next"
                    onKeyDown={onKeyDown}
                    className="relative mx-auto"
                    style={{ width, height }}
                >
                    <svg aria-hidden width={width} height={height} className="absolute inset-0">
                        {(["plain", "lit"] as const).map((look) => (
                            <marker
                                key={look}
                                id={`${id}-${look}`}
                                viewBox="0 0 8 8"
                                refX="7.5"
                                refY="4"
                                markerWidth="7"
                                markerHeight="7"
                                markerUnits="userSpaceOnUse"
                                orient="auto"
                            >
                                <path
                                    d="M0,0.5 L8,4 L0,7.5 z"
                                    className={look === "lit" ? "fill-accent" : "fill-hairline-strong"}
                                />
                            </marker>
                        ))}
                        {/* Those of the chosen one last: above the others. */}
                        {[...lines]
                            .sort((a, b) => Number(touching(a.edge)) - Number(touching(b.edge)))
                            .map(({ edge, path }) => {
                                const lit = touching(edge);
                                const { dashes, width } = strokeOf(kinds, edge.kind);
                                return (
                                    <path
                                        key={`${edge.from} ${edge.to} ${edge.kind}`}
                                        d={path}
                                        fill="none"
                                        strokeWidth={lit ? width + 0.5 : width}
                                        strokeDasharray={dashes}
                                        markerEnd={`url(#${id}-${lit ? "lit" : "plain"})`}
                                        className={lit ? "stroke-accent" : "stroke-hairline-strong"}
                                    />
                                );
                            })}
                    </svg>
                    {placed.map(({ node, x, y }) => (
                        <button
                            key={node.id}
                            type="button"
                            data-node={node.id}
                            tabIndex={node.id === selected ? 0 : -1}
                            aria-pressed={node.id === selected}
                            aria-label={spoken(node, graph)}
                            title={[node.citation, node.heading, node.id].filter(Boolean).join("\n")}
                            onClick={() => onSelect(node.id)}
                            style={{ left: x, top: y, width: NODE.width, height: NODE.height }}
                            className={cx(
                                "absolute flex items-center justify-center rounded-control border px-2 text-small",
                                node.id === selected
                                    ? "border-accent bg-accent-soft font-medium text-ink"
                                    : "border-hairline-strong bg-surface text-ink hover:bg-hover",
                                node.depth === 0 && "border-2 font-semibold",
                                node.withdrawn && "border-dashed line-through",
                            )}
                        >
                            <NodeName name={node.citation} />
                        </button>
                    ))}
                </div>
            </div>
            <ul aria-label="Link types" className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-small text-ink-2">
                {kinds.map((kind) => {
                    const { dashes, width } = strokeOf(kinds, kind);
                    return (
                        <li key={kind} className="inline-flex items-center gap-1.5">
                            <svg aria-hidden width={28} height={8}>
                                <line
                                    x1={0}
                                    x2={28}
                                    y1={4}
                                    y2={4}
                                    strokeWidth={width}
                                    strokeDasharray={dashes}
                                    className="stroke-ink-2"
                                />
                            </svg>
                            {kindWord(kind)}
                        </li>
                    );
                })}
            </ul>
        </>
    );
}

/** A link that says no more than that there is one. */
const isPlain = (kind: string) => ["", "refers", "reference"].includes(kind);
const kindWord = (kind: string) => (isPlain(kind) ? "reference" : plain(kind));

/** A node as it is heard. */
function spoken(node: GraphNode, graph: BaseGraph): string {
    const nearer = (id: string) => graph.nodes.find((other) => other.id === id && other.depth === node.depth - 1);
    const links = graph.edges.flatMap((edge) => {
        const to = edge.from === node.id ? nearer(edge.to) : undefined;
        const from = edge.to === node.id ? nearer(edge.from) : undefined;
        return [
            ...(to === undefined ? [] : [`refers to ${to.citation}, ${kindWord(edge.kind)}`]),
            ...(from === undefined ? [] : [`referred to by ${from.citation}, ${kindWord(edge.kind)}`]),
        ];
    });
    return [
        node.citation,
        node.heading,
        node.withdrawn ? "withdrawn" : "",
        node.depth === 0 ? "centre" : count(node.depth, "step") + " away",
        ...links.slice(0, 2),
    ]
        .filter(Boolean)
        .join(", ");
}

/** The chosen paragraph's links in words, and what can be done with it. */
function Selected({
    graph,
    node,
    onMiddle,
    onRead,
}: {
    graph: BaseGraph;
    node: GraphNode;
    onMiddle: (paragraph: string) => void;
    onRead: (paragraph: string) => void;
}) {
    return (
        <section
            aria-label={`About ${node.citation}`}
            aria-live="polite"
            className="mt-3 border-t border-hairline pt-3"
        >
            <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
                <p className="min-w-0 flex-1 basis-48">
                    <span className="font-medium" title={node.id}>
                        {node.citation}
                    </span>
                    {node.heading !== "" && <span className="text-ink-2"> {node.heading}</span>}{" "}
                    {node.withdrawn && <Badge tone="needs">withdrawn</Badge>}
                </p>
                {node.depth > 0 && (
                    <Button
                        size="small"
                        icon={<Crosshair size={14} strokeWidth={1.5} />}
                        onClick={() => onMiddle(node.id)}
                    >
                        Centre
                    </Button>
                )}
                <Button size="small" icon={<BookOpen size={14} strokeWidth={1.5} />} onClick={() => onRead(node.id)}>
                    Read paragraph
                </Button>
            </div>
            <Links graph={graph} node={node} />
        </section>
    );
}

const SHOWN = 6;

function Links({ graph, node }: { graph: BaseGraph; node: GraphNode }) {
    const cited = (id: string) => graph.nodes.find((other) => other.id === id)?.citation ?? id;
    const told = (heading: string, ends: { id: string; kind: string }[]) =>
        ends.length > 0 && (
            <p className="mt-1 text-small text-ink-2">
                <span className="text-ink-3">{heading}</span>{" "}
                {ends
                    .slice(0, SHOWN)
                    .map(({ id, kind }) => (isPlain(kind) ? cited(id) : `${cited(id)} (${kindWord(kind)})`))
                    .join(", ")}
                {ends.length > SHOWN && ` and ${ends.length - SHOWN} more`}
            </p>
        );
    return (
        <>
            {told(
                "refers to",
                graph.edges.filter((edge) => edge.from === node.id).map(({ to, kind }) => ({ id: to, kind })),
            )}
            {told(
                "is referred to by",
                graph.edges.filter((edge) => edge.to === node.id).map(({ from, kind }) => ({ id: from, kind })),
            )}
        </>
    );
}

/** The same in words, by distance. */
function AsList({
    graph,
    onMiddle,
    onRead,
}: {
    graph: BaseGraph;
    onMiddle: (paragraph: string) => void;
    onRead: (paragraph: string) => void;
}) {
    const depths = [...new Set(graph.nodes.map((node) => node.depth))]
        .filter((depth) => depth > 0)
        .sort((a, b) => a - b);
    return (
        <div className="max-h-[min(26rem,40vh)] space-y-4 overflow-y-auto">
            {depths.map((depth) => (
                <section key={depth} aria-label={`${count(depth, "step")} away`}>
                    <h3 className="mb-1 text-small font-medium text-ink-2">{count(depth, "step")} away</h3>
                    <ul className="border-t border-hairline">
                        {graph.nodes
                            .filter((node) => node.depth === depth)
                            .map((node) => (
                                <li
                                    key={node.id}
                                    className="flex flex-wrap items-start gap-x-3 gap-y-1 border-b border-hairline py-1.5"
                                >
                                    <div className="min-w-0 flex-1 basis-56">
                                        <button
                                            type="button"
                                            onClick={() => onRead(node.id)}
                                            className="rounded-[4px] font-medium text-accent underline-offset-2 hover:underline"
                                        >
                                            {node.citation}
                                        </button>
                                        {node.heading !== "" && <span className="text-ink-2"> {node.heading}</span>}{" "}
                                        {node.withdrawn && <Badge tone="needs">withdrawn</Badge>}
                                        <Links graph={graph} node={node} />
                                    </div>
                                    <IconButton
                                        label={`Centre ${node.citation}`}
                                        size="small"
                                        icon={<Crosshair size={14} strokeWidth={1.5} />}
                                        onClick={() => onMiddle(node.id)}
                                    />
                                </li>
                            ))}
                    </ul>
                </section>
            ))}
        </div>
    );
}
