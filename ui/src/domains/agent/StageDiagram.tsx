import { CirclePause, RotateCcw } from "lucide-react";
import { useEffect, useId, useRef, useState, type KeyboardEvent } from "react";

import type { AgentStage } from "@/backend";
import { cx, useAppearance } from "@/shared";

import { layOut, type Diagram } from "./diagram";
import { StageFacts } from "./StageFacts";
import { kindOf } from "./labels";

/** An agent's stages as they follow one another. Arrow keys move; what is chosen is explained below. */
export function StageDiagram({ stages }: { stages: AgentStage[] }) {
    const [{ zoom }] = useAppearance();
    const frame = useRef<HTMLDivElement>(null);
    const [width, setWidth] = useState(0);
    const [chosen, setChosen] = useState(stages[0]?.id);
    const id = useId();
    useEffect(() => {
        const element = frame.current;
        if (element === null) return;
        const observer = new ResizeObserver(([entry]) => entry !== undefined && setWidth(entry.contentRect.width));
        observer.observe(element);
        setWidth(element.clientWidth);
        return () => observer.disconnect();
    }, []);
    const diagram = layOut(stages, width, zoom);
    const stage = stages.find((each) => each.id === chosen) ?? stages[0];

    const onKeyDown = (event: KeyboardEvent) => {
        const next = neighbour(diagram, chosen, event.key);
        if (next === undefined) return;
        event.preventDefault();
        setChosen(next);
        [...(frame.current?.querySelectorAll<HTMLElement>("[data-stage]") ?? [])]
            .find((box) => box.dataset.stage === next)
            ?.focus();
    };
    return (
        <div>
            <div ref={frame} className="min-w-0">
                {width > 0 && (
                    <div
                        role="group"
                        aria-label="Stages"
                        className="relative"
                        style={{ width: diagram.width, height: diagram.height }}
                        onKeyDown={onKeyDown}
                    >
                        <Lines diagram={diagram} />
                        {diagram.boxes.map((box) => {
                            const own = stages.find((each) => each.id === box.id);
                            return own === undefined ? null : (
                                <div
                                    key={box.id}
                                    className="absolute"
                                    style={{ left: box.x, top: box.y, width: box.width, height: box.height }}
                                >
                                    <StageBox
                                        stage={own}
                                        chosen={own.id === stage?.id}
                                        controls={id}
                                        onChoose={() => setChosen(own.id)}
                                    />
                                </div>
                            );
                        })}
                    </div>
                )}
            </div>
            {stage !== undefined && (
                <div id={id} role="region" aria-live="polite" aria-label={`Stage ${stage.title}`} className="mt-4">
                    <StageFacts stage={stage} stages={stages} />
                </div>
            )}
        </div>
    );
}

function Lines({ diagram }: { diagram: Diagram }) {
    const id = useId();
    const mark = (name: string) => `${id}-${name}`;
    return (
        <>
            <svg
                aria-hidden
                width={diagram.width}
                height={diagram.height}
                className="absolute inset-0 overflow-visible"
                fill="none"
            >
                <defs>
                    {(["plain", "repair"] as const).map((name) => (
                        <marker
                            key={name}
                            id={mark(name)}
                            viewBox="0 0 8 8"
                            refX="7"
                            refY="4"
                            markerWidth="7"
                            markerHeight="7"
                            orient="auto-start-reverse"
                        >
                            <path
                                d="M 1 1 L 7 4 L 1 7"
                                fill="none"
                                strokeWidth="1.5"
                                className={name === "plain" ? "stroke-hairline-strong" : "stroke-needs-rule"}
                            />
                        </marker>
                    ))}
                </defs>
                {diagram.lines.map((line) => (
                    <path
                        key={`${line.from}-${line.to}`}
                        d={line.path}
                        className="stroke-hairline-strong"
                        markerEnd={`url(#${mark("plain")})`}
                    />
                ))}
                {diagram.arcs.map((arc) => (
                    <path
                        key={`${arc.from}-${arc.to}`}
                        d={arc.path}
                        strokeDasharray="4 3"
                        className="stroke-needs-rule"
                        markerEnd={`url(#${mark("repair")})`}
                    />
                ))}
            </svg>
            {diagram.arcs.map((arc) => (
                <span
                    key={`${arc.from}-${arc.to}`}
                    className={cx(
                        "absolute inline-flex -translate-y-1/2 items-center gap-1 bg-page text-small whitespace-nowrap text-ink-2",
                        diagram.direction === "across" ? "-translate-x-1/2 px-1.5" : "-translate-x-1.5 py-1 pr-1",
                    )}
                    style={{ left: arc.label.x, top: arc.label.y }}
                >
                    <RotateCcw size={12} strokeWidth={1.5} aria-hidden className="text-needs" />
                    <span className="sr-only">
                        Repair from {arc.from} back to {arc.to}:{" "}
                    </span>
                    {diagram.direction === "across" ? `repair, at most ${arc.most}` : `at most ${arc.most}`}
                </span>
            ))}
        </>
    );
}

function StageBox({
    stage,
    chosen,
    controls,
    onChoose,
}: {
    stage: AgentStage;
    chosen: boolean;
    controls: string;
    onChoose: () => void;
}) {
    const kind = kindOf(stage.kind);
    const Icon = kind.icon;
    return (
        <button
            type="button"
            data-stage={stage.id}
            aria-pressed={chosen}
            aria-controls={controls}
            tabIndex={chosen ? 0 : -1}
            onClick={onChoose}
            onFocus={onChoose}
            className={cx(
                "flex size-full flex-col justify-center gap-0.5 overflow-hidden rounded-control border px-2.5 text-left text-ui",
                stage.when !== null && "border-dashed",
                chosen ? "border-accent bg-accent-soft" : "border-hairline-strong bg-surface hover:bg-hover",
            )}
        >
            <span className="flex w-full items-center gap-1.5">
                <span className="min-w-0 flex-1 truncate font-medium">{stage.title}</span>
                {stage.pauses && (
                    <>
                        <CirclePause size={16} strokeWidth={1.5} aria-hidden className="shrink-0 text-needs" />
                        <span className="sr-only">, pauses for your decision</span>
                    </>
                )}
            </span>
            <span className="flex w-full items-center gap-1.5 text-small text-ink-2">
                <Icon size={14} strokeWidth={1.5} aria-hidden className="shrink-0" />
                <span className="truncate">
                    {kind.word}
                    {stage.when !== null && ", optional"}
                </span>
            </span>
        </button>
    );
}

/** The box that an arrow key leads to. */
function neighbour(diagram: Diagram, from: string | undefined, key: string): string | undefined {
    const box = diagram.boxes.find((each) => each.id === from);
    if (box === undefined) return diagram.boxes[0]?.id;
    const sideways: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1 };
    const upright: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
    const [along, beside] = diagram.direction === "across" ? [sideways, upright] : [upright, sideways];
    const step = along[key];
    if (step !== undefined) return diagram.boxes.find((each) => each.layer === box.layer + step)?.id;
    const shift = beside[key];
    if (shift !== undefined) {
        const peers = diagram.boxes.filter((each) => each.layer === box.layer);
        return peers[peers.indexOf(box) + shift]?.id;
    }
    if (key === "Home") return diagram.boxes[0]?.id;
    if (key === "End") return diagram.boxes[diagram.boxes.length - 1]?.id;
    return undefined;
}
