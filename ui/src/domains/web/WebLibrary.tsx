// What was fetched from the web, and from where may be fetched. Other processes fetch: it is read again when the window comes to the front.

import { Search } from "lucide-react";
import { useEffect, useState } from "react";

import { useQuery, type WebPage } from "@/backend";
import { AsyncBoundary, Button, EmptyState, ErrorCard, Tabs, TextField, formatBytes, useDebounced } from "@/shared";

import { HostRules } from "./HostRules";
import { PageDialog } from "./PageDialog";
import { WaitingHosts } from "./WaitingHosts";
import { WebLog } from "./WebLog";
import { useDeciding } from "./decision";

/** How many pages are asked for at once. */
const STEP = 100;

export function WebLibrary() {
    const [words, setWords] = useState("");
    const [limit, setLimit] = useState(STEP);
    const [tab, setTab] = useState("pages");
    const [open, setOpen] = useState<WebPage>();
    const wanted = useDebounced(words.trim(), 200);
    const pages = useQuery("web_list", { words: wanted, limit });
    const policy = useQuery("web_policy", null);
    const [reloadPages, reloadPolicy] = [pages.reload, policy.reload];
    useEffect(() => {
        const reload = () => {
            reloadPages();
            reloadPolicy();
        };
        window.addEventListener("focus", reload);
        return () => window.removeEventListener("focus", reload);
    }, [reloadPages, reloadPolicy]);
    const deciding = useDeciding();
    const tabs = [
        {
            id: "pages",
            label: "Pages",
            note: pages.data?.total,
            content: (
                <AsyncBoundary of={pages} what="the pages">
                    {({ pages: shown, total }) =>
                        total === 0 && wanted === "" ? (
                            <EmptyState title="No pages yet" className="px-0">
                                Pages and PDFs that missions and conversations fetch are kept here with their bytes, so
                                that quotes can be checked later.
                            </EmptyState>
                        ) : (
                            <>
                                <TextField
                                    label="Find pages"
                                    hideLabel
                                    placeholder="Find pages"
                                    type="search"
                                    icon={<Search size={14} strokeWidth={1.5} />}
                                    value={words}
                                    onChange={setWords}
                                    className="mb-2 max-w-72"
                                />
                                {total === 0 && <p className="text-ui text-ink-2">No page has these words.</p>}
                                <ul aria-label="Pages" className="border-y border-hairline">
                                    {shown.map((page) => (
                                        <li key={page.url} className="border-b border-hairline last:border-b-0">
                                            <PageRow page={page} onOpen={() => setOpen(page)} />
                                        </li>
                                    ))}
                                </ul>
                                {shown.length < total && (
                                    <Button className="mt-2" onClick={() => setLimit(limit + STEP)}>
                                        {`Show more (${shown.length} of ${total})`}
                                    </Button>
                                )}
                            </>
                        )
                    }
                </AsyncBoundary>
            ),
        },
        {
            id: "rules",
            label: "Rules",
            content: (
                <AsyncBoundary of={policy} what="the rules for the web">
                    {(known) => <HostRules policy={known} deciding={deciding} />}
                </AsyncBoundary>
            ),
        },
        { id: "log", label: "Log", content: <WebLog /> },
    ];
    return (
        <>
            {deciding.problem !== undefined && (
                <ErrorCard
                    className="mb-4"
                    title="The decision was not saved."
                    kept="The rules are as they were."
                    advice={deciding.problem.action ?? undefined}
                >
                    {deciding.problem.message}
                </ErrorCard>
            )}
            <WaitingHosts waiting={policy.data?.waiting ?? []} deciding={deciding} />
            <Tabs label="Parts of the library" inPage tabs={tabs} value={tab} onChange={setTab} className="mt-4" />
            {open !== undefined && <PageDialog page={open} onClose={() => setOpen(undefined)} />}
        </>
    );
}

function PageRow({ page, onOpen }: { page: WebPage; onOpen: () => void }) {
    const facts = [
        page.pages === null ? page.kind : `${page.kind}, ${page.pages} pages`,
        formatBytes(page.bytes),
        `fetched ${page.retrieved}`,
        page.checked === page.retrieved ? "" : `confirmed ${page.checked}`,
    ].filter(Boolean);
    return (
        <button
            type="button"
            onClick={onOpen}
            className="ring-inside w-full rounded-control px-1 py-2 text-left hover:bg-hover"
        >
            <span className="block text-ui font-medium break-words">{page.title ?? page.url}</span>
            {page.title !== null && <span className="block text-small break-all text-ink-2">{page.url}</span>}
            <span className="tabular block text-small text-ink-3">{facts.join(" · ")}</span>
        </button>
    );
}
