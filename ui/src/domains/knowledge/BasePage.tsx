import { Download, RefreshCw, Trash2 } from "lucide-react";
import { Suspense, lazy, useEffect, useState, type ReactNode } from "react";

import { toProblem, send, useQuery, type BaseRow, type BaseView, type SearchRow } from "@/backend";
import { go, hrefOf } from "@/routes";
import {
    IconButton,
    AsyncBoundary,
    Page,
    Select,
    Table,
    Tabs,
    confirm,
    count,
    formatBytes,
    toast,
    useDebounced,
    toastProblem,
} from "@/shared";

import { AskBase } from "./AskBase";
import { AboutBase, FileTable } from "./BaseFacts";
import { BaseMarks } from "./BaseRows";
import type { IngestSeed } from "./IngestDialog";
import { JobRows } from "./JobRows";
import { KnowledgeSearch } from "./KnowledgeSearch";
import { exampleCitation, namesTheWork } from "./name";
import { ParagraphList } from "./ParagraphList";
import { ParagraphPanel } from "./ParagraphPanel";
import { ReadingReport } from "./ReadingReport";
import { SearchResults } from "./SearchResults";
import { useDroppedFiles } from "./useDroppedFiles";
import { BY_LOOKING, NO_MODEL, modelRef } from "./labels";

// Opened now and then.
const IngestDialog = lazy(() => import("./IngestDialog").then((module) => ({ default: module.IngestDialog })));
const RegistryDialog = lazy(() => import("./RegistryDialog").then((module) => ({ default: module.RegistryDialog })));

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
    const catalog = useQuery("knowledge_catalog", null).data;
    const [seed, setSeed] = useState<IngestSeed | undefined>();
    const [getting, setGetting] = useState(false);
    const [text, setText] = useState(query);
    const settled = useDebounced(text.trim(), 180);
    const [follow, setFollow] = useState(true);
    const [found, setFound] = useState<SearchRow | undefined>();
    const open = (id: string | undefined) =>
        go({ page: "base", base, query: settled === "" ? undefined : settled, paragraph: id }, { replace: true });
    // The address says what is looked for: a reload and the way back show it again.
    useEffect(() => {
        if (settled !== query.trim())
            go({ page: "base", base, query: settled === "" ? undefined : settled, paragraph }, { replace: true });
    }, [settled, query, base, paragraph]);
    const pick = (id: string, hit: SearchRow | undefined) => {
        setFound(hit);
        open(id);
    };
    const row = shown.data?.base;
    const own = row !== undefined && !row.shipped;
    const recipe = shown.data?.recipe ?? undefined;
    const downloaded = own && row.origin !== null;
    const again = (paths: string[]) =>
        own &&
        setSeed({
            paths: paths.length > 0 ? paths : recipe?.paths,
            base: {
                name: row.name,
                title: row.title,
                tier: row.tier,
                citation: recipe?.citation ?? row.citation,
                rules: recipe?.rules ?? BY_LOOKING,
                model: recipe?.model ?? (row.vectors === null ? NO_MODEL : modelRef(row.vectors)),
                watch: row.watched,
            },
        });
    // The dialog takes them itself while it is open.
    useDroppedFiles((paths) => seed === undefined && !downloaded && again(paths));
    /** What it was downloaded as: a text of the registry, or an address. */
    const origin = row?.origin ?? undefined;
    const wanted =
        row === undefined || origin === undefined
            ? undefined
            : {
                  name:
                      catalog?.corpora.find((entry) => entry.name === row.name && entry.addresses.includes(origin))
                          ?.name ?? origin,
                  base: row.name,
              };

    return (
        <Page
            title={row?.title || base}
            back={BACK}
            scroll="inside"
            marks={row !== undefined && <BaseMarks base={row} />}
            lead={row !== undefined && <Facts base={row} />}
            actions={
                <>
                    {row !== undefined && <AskBase base={base} />}
                    {own && (
                        <>
                            {downloaded ? (
                                <IconButton
                                    label="Download knowledge base again…"
                                    variant="secondary"
                                    icon={<Download size={16} strokeWidth={1.5} />}
                                    onClick={() => setGetting(true)}
                                />
                            ) : (
                                <IconButton
                                    label="Ingest files again…"
                                    variant="secondary"
                                    icon={<RefreshCw size={16} strokeWidth={1.5} />}
                                    onClick={() => again([])}
                                />
                            )}
                            <IconButton
                                label="Remove knowledge base…"
                                variant="secondary"
                                icon={<Trash2 size={16} strokeWidth={1.5} />}
                                onClick={() => void remove(row, shown.data?.unfinished)}
                            />
                        </>
                    )}
                </>
            }
        >
            <JobRows of={base} />
            <AsyncBoundary of={shown} what={`the knowledge base ${base}`}>
                {(view) => (
                    <>
                        <ReadingReport of={view.reading} />
                        <KnowledgeSearch
                            label="Search this knowledge base"
                            text={text}
                            onText={setText}
                            follow={view.base.references > 0 && settled !== "" ? follow : undefined}
                            onFollow={setFollow}
                        />
                        <Browse
                            view={view}
                            selected={paragraph}
                            onSelect={open}
                            onAgain={own && !downloaded ? () => again([]) : undefined}
                            onDownload={downloaded ? () => setGetting(true) : undefined}
                            looksFor={settled}
                            results={
                                <div className="-ml-2 h-full min-h-0 overflow-y-auto px-2 pb-6">
                                    <SearchResults
                                        bases={[base]}
                                        text={settled}
                                        hops={follow ? 1 : 0}
                                        selected={paragraph === undefined ? undefined : { base, id: paragraph }}
                                        onSelect={(_, id, hit) => pick(id, hit)}
                                    />
                                </div>
                            }
                        />
                    </>
                )}
            </AsyncBoundary>
            <ParagraphPanel
                base={base}
                paragraph={paragraph}
                found={found}
                onSelect={open}
                onClose={() => open(undefined)}
            />
            <Suspense>
                {seed !== undefined && (
                    <IngestDialog key={(seed.paths ?? []).join("\n")} seed={seed} onClose={() => setSeed(undefined)} />
                )}
                {getting && <RegistryDialog wanted={wanted} onClose={() => setGetting(false)} />}
            </Suspense>
        </Page>
    );
}

function Facts({ base }: { base: BaseRow }) {
    return (
        <span className="tabular">
            {count(base.documents, "document")}, {count(base.paragraphs, "paragraph")},{" "}
            {count(base.references, "cross-reference")}, {formatBytes(base.bytes)}.
            {namesTheWork(base.citation) && (
                <>
                    {" "}
                    Cited as <code className="font-mono text-code">{exampleCitation(base.citation)}</code>.
                </>
            )}
        </span>
    );
}

interface BrowseProps {
    view: BaseView;
    selected: string | undefined;
    onSelect: (paragraph: string) => void;
    onAgain?: () => void;
    onDownload?: () => void;
    /** What is looked for; its results stand in place of all paragraphs. */
    looksFor: string;
    results: ReactNode;
}

function Browse({ view, selected, onSelect, onAgain, onDownload, looksFor, results }: BrowseProps) {
    const [document, setDocument] = useState(ALL);
    const [tab, setTab] = useState("paragraphs");
    const [seen, setSeen] = useState(looksFor);
    if (seen !== looksFor) {
        setSeen(looksFor);
        if (looksFor !== "") setTab("paragraphs");
    }
    const options = [
        { value: ALL, label: "All documents", hint: count(view.base.paragraphs, "paragraph") },
        ...view.documents.map((each) => ({
            value: each.name,
            label: each.name,
            hint: count(each.paragraphs, "paragraph"),
        })),
    ];
    return (
        <Tabs
            label="Knowledge base sections"
            className="flex-1"
            value={tab}
            onChange={setTab}
            tabs={[
                {
                    id: "paragraphs",
                    label: looksFor === "" ? "Paragraphs" : "Paragraphs found",
                    note: looksFor === "" ? view.base.paragraphs.toLocaleString("en-GB") : undefined,
                    content:
                        looksFor !== "" ? (
                            results
                        ) : (
                            <div className="flex h-full min-h-0 flex-col gap-2 pb-3">
                                {view.documents.length > 1 && (
                                    <Select
                                        label="Document"
                                        value={document}
                                        options={options}
                                        onChange={setDocument}
                                        className="w-72 max-w-full shrink-0"
                                    />
                                )}
                                <div className="min-h-0 flex-1">
                                    <ParagraphList
                                        base={view.base.name}
                                        generation={view.base.generation}
                                        document={document === ALL ? null : document}
                                        selected={selected}
                                        onSelect={onSelect}
                                    />
                                </div>
                            </div>
                        ),
                },
                {
                    id: "documents",
                    label: "Documents",
                    note: view.documents.length.toLocaleString("en-GB"),
                    content: (
                        <Table
                            label="Documents"
                            rows={view.documents}
                            keyOf={(row) => row.name}
                            className="max-w-3xl pb-6"
                            columns={[
                                {
                                    id: "name",
                                    heading: "Document",
                                    render: (row) => <span className="break-words">{row.name}</span>,
                                },
                                {
                                    id: "paragraphs",
                                    heading: "Paragraphs",
                                    numeric: true,
                                    width: "w-28",
                                    render: (row) => row.paragraphs.toLocaleString("en-GB"),
                                },
                            ]}
                        />
                    ),
                },
                {
                    id: "files",
                    label: "Files",
                    note: view.sources.length.toLocaleString("en-GB"),
                    content: <FileTable sources={view.sources} />,
                },
                {
                    id: "about",
                    label: "About",
                    content: <AboutBase base={view.base} onAgain={onAgain} onDownload={onDownload} />,
                },
            ]}
        />
    );
}

async function remove(base: BaseRow, unfinished: readonly string[] = []): Promise<void> {
    const name = base.title || base.name;
    const yes = await confirm({
        title: `Remove “${name}”?`,
        body: (
            <>
                {count(base.paragraphs, "paragraph")} and the index ({formatBytes(base.bytes)}) are deleted from this
                machine, in all generations. The original files are kept. Earlier documents keep their cited text, but
                the paragraphs around a citation can no longer be shown.
                {unfinished.length > 0 &&
                    ` ${count(unfinished.length, "run")} not yet ended cannot go on without it: ${unfinished.join(", ")}.`}
            </>
        ),
        confirmLabel: "Remove knowledge base",
        danger: true,
    });
    if (!yes) return;
    try {
        await send("base_remove", { base: base.name });
        go({ page: "knowledge" }, { replace: true });
        toast({ text: `Knowledge base “${name}” removed.` });
    } catch (thrown) {
        toastProblem(toProblem(thrown), `Knowledge base “${name}” was not removed`);
    }
}
