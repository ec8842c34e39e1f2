// Search over everything that was said: a line with words and filters, and what was found, by session.

import {
    ArrowRight,
    CircleUserRound,
    FileText,
    MessageSquareText,
    Search,
    TextQuote,
    Wrench,
    type LucideIcon,
} from "lucide-react";
import { useEffect, useRef, useState, type KeyboardEvent } from "react";

import {
    call,
    skip,
    toProblem,
    useQuery,
    type ContentHits,
    type Excerpt,
    type MessageHit,
    type Problem,
    type SessionHit,
} from "@/backend";
import { LabelChip, LineField, StatusIcon, useOrganisation, type OrganisationUse } from "@/domains/organise";
import { go, hrefOf, type Route } from "@/routes";
import {
    Button,
    EmptyState,
    ErrorCard,
    Page,
    RelativeTime,
    Skeleton,
    cx,
    own,
    useDebounced,
    problemText,
    offsetMinutes,
} from "@/shared";

import { SaveView } from "./SaveView";

/** How many sessions are read at a time. */
const PAGE = 20;
const DEBOUNCE_MS = 180;

export function SearchPage({ line: given = "" }: { line?: string }) {
    const [line, setLine] = useState(given);
    const [caret, setCaret] = useState(given.length);
    // The address may change under the page: another search was asked for.
    const [seen, setSeen] = useState(given);
    if (seen !== given) {
        setSeen(given);
        if (given !== line.trim()) setLine(given);
    }
    const settled = useDebounced(line.trim(), DEBOUNCE_MS);
    const field = useRef<HTMLTextAreaElement>(null);
    const list = useRef<HTMLDivElement>(null);
    useEffect(() => field.current?.focus(), []);
    // The address keeps the line, so that the way back leads to what was found.
    useEffect(() => {
        if (settled !== given) {
            setSeen(settled);
            go({ page: "search", line: settled === "" ? undefined : settled }, { replace: true });
        }
        // Only what was typed is a reason.
        // eslint-disable-next-line react-hooks/exhaustive-deps
    }, [settled]);
    const asked = useDebounced(JSON.stringify({ line, caret }), 60);
    const at = JSON.parse(asked) as { line: string; caret: number };
    // What fits at the caret, without a search: an empty result is asked for.
    const { data: typed } = useQuery("content_search", {
        line: at.line,
        caret: at.caret,
        limit: 1,
        offsetMinutes: offsetMinutes(),
    });
    const found = useQuery(
        "content_search",
        settled === "" ? skip : { line: settled, limit: PAGE, offsetMinutes: offsetMinutes() },
    );
    const current = at.line === line ? typed : undefined;
    const step = (event: KeyboardEvent) => {
        const links = [...(list.current?.querySelectorAll<HTMLAnchorElement>("a[data-hit]") ?? [])];
        const here = links.indexOf(document.activeElement as HTMLAnchorElement);
        const by =
            event.key === "ArrowDown" || event.key === "j" ? 1 : event.key === "ArrowUp" || event.key === "k" ? -1 : 0;
        if (by === 0 || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        if (here + by < 0) field.current?.focus();
        else links[here + by]?.focus();
    };
    return (
        <Page title="Search" width="reading" lead={undefined}>
            <LineField
                ref={field}
                label="Search all sessions"
                hideLabel
                big
                icon={<Search size={16} strokeWidth={1.5} />}
                placeholder="Words, “exact words”, label:bug, status:todo, before:7d…"
                value={line}
                onChange={setLine}
                onCaret={setCaret}
                mistakes={current?.mistakes ?? []}
                completed={current?.completions}
                onEnter={() => list.current?.querySelector<HTMLAnchorElement>("a[data-hit]")?.focus()}
                onKey={(event) => {
                    if (event.key !== "ArrowDown") return;
                    const first = list.current?.querySelector<HTMLAnchorElement>("a[data-hit]");
                    if (first === null || first === undefined) return;
                    event.preventDefault();
                    first.focus();
                }}
                after={line.trim() === "" ? undefined : <SaveView line={line.trim()} />}
            />
            <div ref={list} onKeyDown={step} className="mt-4">
                {settled === "" ? (
                    <Beginning onTake={(text) => (setLine(text), field.current?.focus())} />
                ) : (
                    <Found
                        key={settled}
                        line={settled}
                        first={found.data}
                        problem={found.problem}
                        loading={found.loading}
                        onMeant={(meant) => (setLine(meant), field.current?.focus())}
                    />
                )}
            </div>
        </Page>
    );
}

const EXAMPLES: readonly { line: string; about: string }[] = [
    { line: '"going concern" has:document', about: "exact words, in sessions with a finished document" },
    { line: "is:unread after:7d", about: "unread sessions with activity in the last seven days" },
    { line: "status:needs-review -label:bug", about: "a status, without a label" },
    { line: "label:priority<=2 is:open", about: "a label with a value" },
];

function Beginning({ onTake }: { onTake: (line: string) => void }) {
    return (
        <div className="max-w-xl text-ui text-ink-2">
            <p>Search covers titles, messages, answers, documents and tool results. Typos in words are corrected.</p>
            <ul className="mt-4">
                {EXAMPLES.map((each) => (
                    <li key={each.line} className="border-b border-hairline last:border-b-0">
                        <button
                            type="button"
                            onClick={() => onTake(each.line)}
                            className="ring-inside -mx-2 flex w-[calc(100%+1rem)] flex-wrap items-baseline gap-x-4 rounded-control px-2 py-1.5 text-left hover:bg-hover"
                        >
                            <code className="font-mono text-code text-ink">{each.line}</code>
                            <span className="text-small text-ink-3">{each.about}</span>
                        </button>
                    </li>
                ))}
            </ul>
            <p className="mt-4 text-small text-ink-3">
                All filters are listed on the{" "}
                <a className="text-accent underline underline-offset-2" href={hrefOf({ page: "help", slug: "views" })}>
                    help page on views and search
                </a>
                .
            </p>
        </div>
    );
}

interface FoundProps {
    line: string;
    first: ContentHits | undefined;
    problem: Problem | undefined;
    loading: boolean;
    onMeant: (line: string) => void;
}

function Found({ line, first, problem, loading, onMeant }: FoundProps) {
    const organisation = useOrganisation();
    const [later, setLater] = useState<readonly ContentHits[]>([]);
    const [reading, setReading] = useState(false);
    const [failed, setFailed] = useState<Problem | undefined>();
    if (first === undefined) {
        if (problem !== undefined)
            return (
                <ErrorCard title="The search failed." advice={problem.action ?? undefined}>
                    {problem.message}
                </ErrorCard>
            );
        return loading ? <Skeleton lines={6} /> : null;
    }
    const pages = [first, ...later];
    const read = pages.flatMap((page) => page.sessions);
    // A session that moved since its page was read stands on two of them.
    const seen = new Set<string>();
    const sessions = read.filter(({ session }) => !seen.has(session.session) && seen.add(session.session));
    const more = pages[pages.length - 1]?.more ?? false;
    const readMore = () => {
        setReading(true);
        setFailed(undefined);
        call("content_search", { line, after: read.length, limit: PAGE, offsetMinutes: offsetMinutes() })
            .then((page) => setLater((before) => [...before, page]))
            .catch((thrown: unknown) => setFailed(toProblem(thrown)))
            .finally(() => setReading(false));
    };
    const { meant, suggested } = first;
    return (
        <>
            {typeof suggested === "string" && suggested !== line && (
                <p className="mb-3 text-ui text-ink-2">
                    Did you mean <MeantLine line={suggested} onTake={onMeant} />?
                </p>
            )}
            {meant !== null && meant !== line && (
                <p className="mb-3 text-ui text-ink-2">
                    No results for these words. {sessions.length === 0 ? "Did you mean" : "Showing results for"}{" "}
                    <MeantLine line={meant} onTake={onMeant} />
                    {sessions.length === 0 ? "?" : "."}
                </p>
            )}
            <p role="status" className={cx("mb-2 text-small text-ink-3", sessions.length === 0 && "sr-only")}>
                {sessions.length === 0
                    ? "Nothing found."
                    : `${sessions.length}${more ? "+" : ""} ${sessions.length === 1 && !more ? "session" : "sessions"}`}
            </p>
            {sessions.length === 0 ? (
                <EmptyState title="Nothing found" className="px-0 pt-0">
                    {first.mistakes.length > 0
                        ? "Part of the search is not valid; it is underlined above."
                        : "Try fewer or other words, or remove a filter."}
                </EmptyState>
            ) : (
                <ul aria-label="Search results">
                    {sessions.map((hit) => (
                        <Hit key={hit.session.session} hit={hit} line={line} organisation={organisation} />
                    ))}
                </ul>
            )}
            {failed !== undefined && (
                <p role="alert" className="mt-3 text-small text-failed">
                    {problemText(failed, "Could not load more")}
                </p>
            )}
            {more && (
                <Button className="mt-4" disabled={reading} onClick={readMore}>
                    {reading ? "Loading…" : "More sessions"}
                </Button>
            )}
        </>
    );
}

function MeantLine({ line, onTake }: { line: string; onTake: (line: string) => void }) {
    return (
        <button
            type="button"
            onClick={() => onTake(line)}
            className="rounded-[4px] font-medium text-accent hover:underline"
        >
            {line}
        </button>
    );
}

const ROLES: { readonly [role: string]: { icon: LucideIcon; word: string } } = {
    user: { icon: CircleUserRound, word: "You" },
    assistant: { icon: MessageSquareText, word: "Answer" },
    tool: { icon: Wrench, word: "Tool" },
    document: { icon: FileText, word: "Document" },
};

/** Where a message is: its session, with the message to show. */
export function placeOf(session: string, { run, step }: Pick<MessageHit, "run" | "step">): Route {
    return { page: "session", session, message: step === "" ? run : `${run}/${step}` };
}

function Hit({ hit, line, organisation }: { hit: SessionHit; line: string; organisation: OrganisationUse }) {
    const { session, title, messages, found } = hit;
    const status = organisation.statusOf(session.status);
    const rest = found - messages.length;
    return (
        <li className="border-b border-hairline py-3 last:border-b-0">
            <a
                href={hrefOf({ page: "session", session: session.session })}
                data-hit
                className="ring-inside -mx-2 flex items-center gap-2 rounded-control px-2 py-0.5 hover:bg-hover"
            >
                <StatusIcon status={status} />
                <span className="sr-only">{status?.label}. </span>
                <span className="min-w-0 flex-1 truncate text-ui font-medium">
                    {title.length === 0 ? session.title : <Marked pieces={title} />}
                </span>
                {session.archived && <span className="shrink-0 text-small text-ink-3">archived</span>}
                {session.labels.slice(0, 3).map((entry) => (
                    <LabelChip
                        key={entry}
                        entry={entry}
                        label={organisation.labelOf(entry.split("::", 1)[0] ?? entry)}
                    />
                ))}
                <RelativeTime at={session.updatedAt} className="shrink-0 text-small text-ink-3" />
            </a>
            {messages.length > 0 && (
                <ul className="mt-1 ml-2 border-l border-hairline pl-3">
                    {messages.map((message) => {
                        const { icon: Icon, word } = own(ROLES, message.role) ?? {
                            icon: TextQuote,
                            word: message.role,
                        };
                        return (
                            <li key={`${message.run} ${message.step} ${message.role}`}>
                                <a
                                    href={hrefOf(placeOf(session.session, message))}
                                    data-hit
                                    className="ring-inside -mx-1 flex items-start gap-2 rounded-control px-1 py-1 text-ui text-ink-2 hover:bg-hover"
                                >
                                    <Icon
                                        size={14}
                                        strokeWidth={1.5}
                                        aria-hidden
                                        className="mt-0.5 shrink-0 text-ink-3"
                                    />
                                    <span className="sr-only">{word}: </span>
                                    <span className="line-clamp-2 min-w-0 flex-1 break-words">
                                        <Marked pieces={message.text} />
                                    </span>
                                    <RelativeTime at={message.at} className="shrink-0 text-small text-ink-3" />
                                </a>
                            </li>
                        );
                    })}
                    {rest > 0 && (
                        <li className="flex items-center gap-1 py-0.5 pl-5 text-small text-ink-3">
                            <ArrowRight size={12} strokeWidth={1.5} aria-hidden />
                            <span title={line}>
                                and {found >= 1_000 ? "many" : rest} more {rest === 1 ? "message" : "messages"} of this
                                session
                            </span>
                        </li>
                    )}
                </ul>
            )}
        </li>
    );
}

function Marked({ pieces }: { pieces: readonly Excerpt[] }) {
    return pieces.map((piece, index) =>
        piece.hit ? (
            <mark key={index} className="rounded-[3px] bg-accent-soft px-px font-medium text-ink">
                {piece.text}
            </mark>
        ) : (
            piece.text
        ),
    );
}
