import { FilePlus, Library } from "lucide-react";
import { Suspense, lazy, useState } from "react";

import { useQuery, type SearchRow } from "@/backend";
import { Button, Page, useDebounced, useShortcut } from "@/shared";

import { BaseRows } from "./BaseRows";
import type { IngestSeed } from "./IngestDialog";
import { JobRows } from "./JobRows";
import { KnowledgeSearch } from "./KnowledgeSearch";
import { ParagraphPanel } from "./ParagraphPanel";
import { SearchResults } from "./SearchResults";
import { useDroppedFiles } from "./useDroppedFiles";

// Opened now and then.
const IngestDialog = lazy(() => import("./IngestDialog").then((module) => ({ default: module.IngestDialog })));
const RegistryDialog = lazy(() => import("./RegistryDialog").then((module) => ({ default: module.RegistryDialog })));

export interface KnowledgePageProps {
    /** With the dialog open that adds documents. */
    adding: boolean;
    onAdding: (adding: boolean) => void;
    /** What is looked for, from the address. */
    query: string;
    onQuery: (query: string) => void;
}

interface Open {
    base: string;
    id: string;
    found?: SearchRow;
}

/** All bases, a search through them, and the ways to add one. */
export function KnowledgePage({ adding, onAdding, query, onQuery }: KnowledgePageProps) {
    const [seed, setSeed] = useState<IngestSeed | undefined>();
    const [getting, setGetting] = useState(false);
    const shown = seed ?? (adding ? {} : undefined);
    const bases = useQuery("base_list", null).data ?? [];
    const [text, setText] = useState(query);
    const [address, setAddress] = useState(query);
    // A link to a search leads here while the page is open.
    if (address !== query) {
        setAddress(query);
        if (query !== text.trim()) setText(query);
    }
    const settled = useDebounced(text.trim(), 180);
    const [follow, setFollow] = useState(true);
    const [chosen, setChosen] = useState<string[]>([]);
    const [open, setOpen] = useState<Open | undefined>();
    // A base that was removed can't be searched.
    const searched = chosen.filter((name) => bases.some((base) => base.name === name));
    const over = useDroppedFiles((paths) => {
        // The dialog takes them itself while it is open.
        if (shown === undefined) setSeed({ paths });
    });
    const add = () => setSeed({});
    const look = (next: string) => {
        setText(next);
        onQuery(next.trim());
    };
    useShortcut("knowledge-add", "a", "Add documents", add, { group: "Knowledge" });
    return (
        <Page
            title="Knowledge"
            lead="Knowledge bases are collections of paragraphs that agents search, cite and check against. Drop files here to add some."
            width="reading"
            actions={
                <>
                    <Button icon={<Library size={16} strokeWidth={1.5} />} onClick={() => setGetting(true)}>
                        Download texts…
                    </Button>
                    <Button variant="primary" icon={<FilePlus size={16} strokeWidth={1.5} />} onClick={add}>
                        Add documents…
                    </Button>
                </>
            }
        >
            {over && shown === undefined && (
                <div
                    aria-hidden
                    className="pointer-events-none fixed inset-3 z-30 flex items-center justify-center rounded-card border-2 border-dashed border-accent bg-accent-soft/80 text-title text-accent"
                >
                    Drop to add these files
                </div>
            )}
            <JobRows />
            {bases.length > 0 && (
                <KnowledgeSearch
                    label="Search all knowledge bases"
                    text={text}
                    onText={look}
                    follow={settled === "" ? undefined : follow}
                    onFollow={setFollow}
                    bases={bases}
                    chosen={searched}
                    onChosen={setChosen}
                />
            )}
            {settled === "" || bases.length === 0 ? (
                <BaseRows onAdd={add} onGet={() => setGetting(true)} />
            ) : (
                <SearchResults
                    bases={searched}
                    text={settled}
                    hops={follow ? 1 : 0}
                    titles={new Map(bases.map((base) => [base.name, base.title || base.name]))}
                    selected={open}
                    onSelect={(base, id, found) => setOpen({ base, id, found })}
                />
            )}
            {open !== undefined && (
                <ParagraphPanel
                    base={open.base}
                    paragraph={open.id}
                    found={open.found}
                    onSelect={(id) => setOpen({ base: open.base, id })}
                    onClose={() => setOpen(undefined)}
                    linked
                />
            )}
            <Suspense>
                {shown !== undefined && (
                    <IngestDialog
                        key={(shown.paths ?? []).join("\n")}
                        seed={shown}
                        onClose={() => {
                            setSeed(undefined);
                            onAdding(false);
                        }}
                    />
                )}
                {getting && <RegistryDialog onClose={() => setGetting(false)} />}
            </Suspense>
        </Page>
    );
}
