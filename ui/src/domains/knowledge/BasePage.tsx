import { RefreshCw, Search, Trash2 } from "lucide-react";
import { useRef, useState } from "react";

import { toProblem, send, useQuery, type BaseRow, type BaseView, type SearchRow } from "@/backend";
import { go, hrefOf } from "@/routes";
import { Badge, Checkbox, IconButton, Keys, Outcome, Page, Select, Table, Tabs, TextField, confirm, count, formatBytes, toast, useSettled, useShortcut } from "@/shared";

import { BaseSearch } from "./BaseSearch";
import { IngestDialog, type IngestSeed } from "./IngestDialog";
import { JobRows } from "./JobRows";
import { ParagraphList } from "./ParagraphList";
import { ParagraphPanel } from "./ParagraphPanel";
import { tierWord } from "./tiers";
import { useDroppedFiles } from "./useDroppedFiles";

const BACK = { label: "Knowledge", href: hrefOf({ page: "knowledge" }) };
const ALL = "all documents";

export interface BasePageProps {
    base: string;
    /** What is looked for, from the address. */
    query: string;
    /** Which paragraph is open. */
    paragraph: string | undefined;
}

/** One base: search it, read in it, see what it was made from. */
export function BasePage({ base, query, paragraph }: BasePageProps) {
    const shown = useQuery("base_show", { base });
    const [seed, setSeed] = useState<IngestSeed | undefined>();
    const [text, setText] = useState(query);
    const settled = useSettled(text.trim(), 180);
    const [hops, setHops] = useState(1);
    const [found, setFound] = useState<SearchRow | undefined>();
    const field = useRef<HTMLInputElement>(null);
    const open = (id: string | undefined) => go({ page: "base", base, query: settled === "" ? undefined : settled, paragraph: id }, { replace: true });
    const pick = (hit: SearchRow) => {
        setFound(hit);
        open(hit.paragraph.id);
    };
    const row = shown.data?.base;
    const again = (paths: string[]) => row !== undefined && !row.shipped && setSeed({ paths, base: { name: row.name, title: row.title, tier: row.tier, citation: row.citation } });
    useDroppedFiles((paths) => paths.length > 0 && again(paths));
    useShortcut("base-search", "/", "Search this base", () => field.current?.focus(), { group: "Knowledge" });

    return (
        <Page
            title={row?.title || base}
            back={BACK}
            scroll="inside"
            marks={row !== undefined && <Marks base={row} />}
            lead={row !== undefined && <Facts base={row} />}
            actions={
                row !== undefined && !row.shipped && (
                    <>
                        <IconButton label="Read its files again" variant="secondary" icon={<RefreshCw size={16} strokeWidth={1.5} />} onClick={() => again([])} />
                        <IconButton label="Remove this base…" variant="secondary" icon={<Trash2 size={16} strokeWidth={1.5} />} onClick={() => void remove(row)} />
                    </>
                )
            }
        >
            <JobRows base={base} />
            <Outcome of={shown} what={`the base ${base}`}>
                {(view) => (
                    <>
                        <div className="mb-3 flex shrink-0 flex-wrap items-center gap-x-5 gap-y-2">
                            <TextField
                                ref={field}
                                type="search"
                                label="Search this base"
                                hideLabel
                                value={text}
                                onChange={setText}
                                placeholder="Search its paragraphs…"
                                icon={<Search size={14} strokeWidth={1.5} />}
                                after={text === "" && <Keys keys="/" quiet />}
                                className="min-w-56 flex-1"
                                onKeyDown={(event) => {
                                    if (event.key !== "Escape" || text === "") return;
                                    event.preventDefault();
                                    setText("");
                                }}
                            />
                            {view.base.references > 0 && <Checkbox label="Follow cross-references" checked={hops > 0} onChange={(on) => setHops(on ? 1 : 0)} />}
                        </div>
                        {settled === "" ? (
                            <Browse view={view} selected={paragraph} onSelect={open} />
                        ) : (
                            <div className="-mx-2 min-h-0 flex-1 overflow-y-auto px-2 pb-6">
                                <BaseSearch base={base} text={settled} hops={hops} selected={paragraph} onSelect={pick} />
                            </div>
                        )}
                    </>
                )}
            </Outcome>
            <ParagraphPanel base={base} paragraph={paragraph} found={found} onSelect={open} onClose={() => open(undefined)} />
            <IngestDialog seed={seed} onClose={() => setSeed(undefined)} />
        </Page>
    );
}

function Marks({ base }: { base: BaseRow }) {
    return (
        <>
            <Badge>{tierWord(base.tier)}</Badge>
            {base.shipped && <Badge>shipped</Badge>}
        </>
    );
}

function Facts({ base }: { base: BaseRow }) {
    return (
        <span className="tabular">
            {count(base.documents, "document")}, {count(base.paragraphs, "paragraph")}, {count(base.references, "cross-reference")}, {formatBytes(base.bytes)}. Cited as{" "}
            <code className="font-mono text-code">{base.citation || "({id})"}</code>.
        </span>
    );
}

function Browse({ view, selected, onSelect }: { view: BaseView; selected: string | undefined; onSelect: (paragraph: string) => void }) {
    const [document, setDocument] = useState(ALL);
    const options = [
        { value: ALL, label: "All documents", hint: count(view.base.paragraphs, "paragraph") },
        ...view.documents.map((each) => ({ value: each.name, label: each.name, hint: count(each.paragraphs, "paragraph") })),
    ];
    return (
        <Tabs
            label="Parts of the base"
            className="flex-1"
            tabs={[
                {
                    id: "paragraphs",
                    label: "Paragraphs",
                    note: view.base.paragraphs.toLocaleString("en-GB"),
                    content: (
                        <div className="flex h-full min-h-0 flex-col gap-2 pb-3">
                            {view.documents.length > 1 && <Select label="Document" value={document} options={options} onChange={setDocument} className="w-72 max-w-full shrink-0" />}
                            <div className="min-h-0 flex-1">
                                <ParagraphList base={view.base.name} generation={view.base.generation} document={document === ALL ? null : document} selected={selected} onSelect={onSelect} />
                            </div>
                        </div>
                    ),
                },
                {
                    id: "documents",
                    label: "Documents",
                    note: view.documents.length.toLocaleString("en-GB"),
                    content: <Counted label="Documents" heading="Document" rows={view.documents} bytes={false} />,
                },
                {
                    id: "files",
                    label: "Files",
                    note: view.sources.length.toLocaleString("en-GB"),
                    content: (
                        <>
                            <p className="mb-2 text-small text-ink-3">Read on {new Date(view.base.createdAt).toLocaleString("en-GB", { dateStyle: "long", timeStyle: "short" })}.</p>
                            <Counted label="Files" heading="Made from" rows={view.sources} bytes />
                        </>
                    ),
                },
            ]}
        />
    );
}

function Counted({ label, heading, rows, bytes }: { label: string; heading: string; rows: BaseView["sources"]; bytes: boolean }) {
    return (
        <Table
            label={label}
            rows={rows}
            keyOf={(row) => row.name}
            className="max-w-3xl pb-6"
            columns={[
                { id: "name", heading, render: (row) => <span className="break-words">{row.name}</span> },
                { id: "paragraphs", heading: "Paragraphs", numeric: true, width: "w-28", render: (row) => row.paragraphs.toLocaleString("en-GB") },
                ...(bytes ? [{ id: "bytes", heading: "Size", numeric: true, width: "w-24", render: (row: BaseView["sources"][number]) => formatBytes(row.bytes) }] : []),
            ]}
        />
    );
}

async function remove(base: BaseRow): Promise<void> {
    const name = base.title || base.name;
    const yes = await confirm({
        title: `Remove “${name}”?`,
        body: (
            <>
                Its {count(base.paragraphs, "paragraph")} and their index ({formatBytes(base.bytes)}) are deleted from this machine, all generations of them. The files it was made from stay where they are.
                Documents of earlier runs keep what they cite; the paragraphs around a citation can no longer be shown.
            </>
        ),
        confirmLabel: "Remove the base",
        danger: true,
    });
    if (!yes) return;
    try {
        await send("base_remove", { base: base.name });
        go({ page: "knowledge" }, { replace: true });
        toast({ text: `The base “${name}” is removed.` });
    } catch (thrown) {
        const problem = toProblem(thrown);
        toast({ text: `The base “${name}” is still there: ${problem.message} ${problem.action ?? ""}`, tone: "failed" });
    }
}
