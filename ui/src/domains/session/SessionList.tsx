// All sessions of a view, by time. The keyboard is enough: j k Enter e # s u x and /.

import { Archive, ArchiveRestore, Flag, FlagOff, Mail, MailOpen, RotateCcw, Search, Trash2, X } from "lucide-react";
import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from "react";

import { useQuery, type SessionRow } from "@/backend";
import { go, useRoute } from "@/routes";
import { Button, ContextMenu, EmptyState, ErrorCard, IconButton, Kbd, Skeleton, TextField, VirtualList, useSettled, useShortcut, useToday, type MenuEntry, type VirtualListHandle } from "@/shared";

import { archive, flag, markUnread, purge, remove, restore } from "./actions";
import { useSessions } from "./pages";
import { SessionLine } from "./SessionLine";
import { grouped, viewOf, type ListItem } from "./views";

const icon = { size: 16, strokeWidth: 1.5 } as const;

export function SessionList({ view: name }: { view: string }) {
    const view = viewOf(name);
    const route = useRoute();
    const [text, setText] = useState("");
    const wanted = useSettled(text.trim(), 150);
    const { rows, loading, problem, reload, more } = useSessions({ view: view.view, text: wanted === "" ? null : wanted });
    const day = useToday();
    const items = useMemo(() => grouped(rows, day), [rows, day]);
    const [active, setActive] = useState<string | undefined>();
    const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
    const list = useRef<VirtualListHandle>(null);
    const field = useRef<HTMLInputElement>(null);
    const open = route.page === "session" ? route.session : undefined;
    const trash = view.view === "trash";
    useShortcut("search-sessions", "/", "Search sessions", () => field.current?.focus(), { group: "List" });
    useShortcut("list-next", "j", "Next session", () => list.current?.focus(), { group: "List" });
    useShortcut("list-before", "k", "Session before", () => list.current?.focus(), { group: "List" });

    // What left the view is not picked any more.
    const chosen = rows.filter((row) => picked.has(row.session));
    // The list begins anew with another view.
    const [before, setBefore] = useState(view.view);
    if (before !== view.view) {
        setBefore(view.view);
        setPicked(new Set());
        setActive(undefined);
    }
    const pick = (session: string) =>
        setPicked((old) => {
            const next = new Set(old);
            if (!next.delete(session)) next.add(session);
            return next;
        });
    /** The row after those that go away, for the keyboard to stand on. */
    const stepOn = (gone: readonly string[]) => {
        const at = rows.findIndex((row) => gone.includes(row.session));
        const rest = rows.filter((row) => !gone.includes(row.session));
        setActive(rest[Math.min(at, rest.length - 1)]?.session);
    };
    const put = (target: readonly SessionRow[], how: "archive" | "delete") => {
        const sessions = target.map((row) => row.session);
        if (sessions.length === 0) return;
        stepOn(sessions);
        setPicked(new Set());
        if (how === "archive") void archive(sessions, view.view !== "archived");
        else if (trash) void purge(sessions);
        else void remove(sessions);
    };
    const onKey = (event: KeyboardEvent, item: ListItem | undefined) => {
        const row = item?.kind === "session" ? item.row : undefined;
        if (event.ctrlKey && event.key === "a") {
            event.preventDefault();
            setPicked(new Set(rows.map((each) => each.session)));
            return;
        }
        if (event.key === "Escape" && chosen.length > 0) {
            event.preventDefault();
            setPicked(new Set());
            return;
        }
        if (row === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
        const target = chosen.length > 0 ? chosen : [row];
        const sessions = target.map((each) => each.session);
        switch (event.key) {
            case "x":
                pick(row.session);
                break;
            case "e":
                if (!trash) put(target, "archive");
                break;
            case "#":
            case "Delete":
                put(target, "delete");
                break;
            case "s":
                void flag(sessions, !target.every((each) => each.flagged));
                break;
            case "u":
                void markUnread(sessions, !target.every((each) => each.unread));
                break;
            case "r":
                if (trash) void restore(sessions);
                break;
            default:
                return;
        }
        event.preventDefault();
    };
    const entries = (row: SessionRow): MenuEntry[] => {
        const one = [row.session];
        if (trash) {
            return [
                { id: "restore", label: "Restore", icon: <RotateCcw {...icon} />, shortcut: "r", onSelect: () => void restore(one) },
                { id: "purge", label: "Delete for good…", icon: <Trash2 {...icon} />, shortcut: "#", danger: true, onSelect: () => put([row], "delete") },
            ];
        }
        return [
            { id: "flag", label: row.flagged ? "Remove the flag" : "Flag", icon: row.flagged ? <FlagOff {...icon} /> : <Flag {...icon} />, shortcut: "s", onSelect: () => void flag(one, !row.flagged) },
            { id: "unread", label: row.unread ? "Mark as read" : "Mark as unread", icon: row.unread ? <MailOpen {...icon} /> : <Mail {...icon} />, shortcut: "u", onSelect: () => void markUnread(one, !row.unread) },
            { id: "pick", label: "Select", shortcut: "x", onSelect: () => pick(row.session) },
            { kind: "separator", id: "s1" },
            { id: "archive", label: row.archived ? "Back to the inbox" : "Archive", icon: row.archived ? <ArchiveRestore {...icon} /> : <Archive {...icon} />, shortcut: "e", onSelect: () => put([row], "archive") },
            { id: "delete", label: "Delete", icon: <Trash2 {...icon} />, shortcut: "#", danger: true, onSelect: () => put([row], "delete") },
        ];
    };
    return (
        <section aria-label={view.label} className="flex h-full min-h-0 flex-col">
            <header className="shrink-0 border-b border-hairline px-3 pt-3 pb-2">
                <div className="mb-2 flex h-6 items-center gap-2">
                    <h2 className="min-w-0 flex-1 truncate text-title font-semibold">{view.label}</h2>
                    {trash && rows.length > 0 && (
                        <Button size="small" variant="quiet" onClick={() => void purge([])}>
                            Empty the trash
                        </Button>
                    )}
                </div>
                <TextField
                    ref={field}
                    label={`Search in ${view.label}`}
                    hideLabel
                    // Not of type search: browsers add a button of their own to it.
                    role="searchbox"
                    spellCheck={false}
                    placeholder="Search"
                    value={text}
                    onChange={setText}
                    icon={<Search size={14} strokeWidth={1.5} />}
                    after={text === "" ? <Kbd>/</Kbd> : <IconButton size="small" label="Clear the search" icon={<X size={14} strokeWidth={1.5} />} onClick={() => setText("")} className="size-5" />}
                    onKeyDown={(event) => {
                        if (event.key === "ArrowDown" || event.key === "Enter") {
                            event.preventDefault();
                            list.current?.focus();
                        } else if (event.key === "Escape") {
                            event.preventDefault();
                            if (text === "") list.current?.focus();
                            setText("");
                        }
                    }}
                />
            </header>
            {loading ? (
                <Skeleton lines={8} className="px-3 pt-4" />
            ) : problem !== undefined && rows.length === 0 ? (
                <div className="p-3">
                    <ErrorCard title="Sessions could not be read." advice={problem.action ?? undefined} actions={<Button onClick={reload}>Try again</Button>} details={problem.message} />
                </div>
            ) : rows.length === 0 ? (
                <Empty view={view} searched={wanted} onClear={() => setText("")} />
            ) : (
                <VirtualList
                    ref={list}
                    label={`${view.label}: sessions`}
                    items={items}
                    keyOf={(item) => item.key}
                    estimate={(item) => (item.kind === "heading" ? 28 : 56)}
                    isStatic={(item) => item.kind === "heading"}
                    active={active}
                    onActive={setActive}
                    selected={open}
                    onOpen={(item) => item.kind === "session" && go({ page: "session", session: item.row.session })}
                    onKey={onKey}
                    onEnd={more}
                    // The ring is on the row that the keyboard is on.
                    className="group/list focus-visible:outline-none"
                    render={(item, state) =>
                        item.kind === "heading" ? (
                            <div className="flex h-7 items-end px-3 pb-1 text-small text-ink-3">{item.text}</div>
                        ) : (
                            <ContextMenu entries={entries(item.row)}>
                                <div>
                                    <SessionLine row={item.row} active={state.active} open={state.selected} picking={chosen.length > 0} picked={picked.has(item.row.session)} onPick={() => pick(item.row.session)} />
                                </div>
                            </ContextMenu>
                        )
                    }
                />
            )}
            {chosen.length > 0 && (
                <div role="toolbar" aria-label="Selected sessions" className="flex shrink-0 items-center gap-1 border-t border-hairline bg-raised px-2 py-1.5">
                    <span role="status" className="tabular min-w-0 flex-1 truncate px-1 text-small text-ink-2">
                        {chosen.length} selected
                    </span>
                    {trash ? (
                        <IconButton label="Restore" shortcut="r" icon={<RotateCcw {...icon} />} onClick={() => void restore(chosen.map((row) => row.session))} side="top" />
                    ) : (
                        <>
                            <IconButton label="Flag" shortcut="s" icon={<Flag {...icon} />} onClick={() => void flag(chosen.map((row) => row.session), !chosen.every((row) => row.flagged))} side="top" />
                            <IconButton label={view.view === "archived" ? "Back to the inbox" : "Archive"} shortcut="e" icon={<Archive {...icon} />} onClick={() => put(chosen, "archive")} side="top" />
                        </>
                    )}
                    <IconButton label={trash ? "Delete for good" : "Delete"} shortcut="#" icon={<Trash2 {...icon} />} onClick={() => put(chosen, "delete")} side="top" />
                    <IconButton label="Select nothing" shortcut="Escape" icon={<X {...icon} />} onClick={() => setPicked(new Set())} side="top" />
                </div>
            )}
            <Counter view={view.count} />
        </section>
    );
}

function Empty({ view, searched, onClear }: { view: ReturnType<typeof viewOf>; searched: string; onClear: () => void }) {
    if (searched !== "") {
        return (
            <EmptyState title="Nothing found" className="p-4" actions={<Button onClick={onClear}>Clear the search</Button>}>
                No session of this view has “{searched}” in its title or a question.
            </EmptyState>
        );
    }
    return (
        <EmptyState
            title={view.empty.title}
            className="p-4"
            actions={
                view.view === "inbox" ? (
                    <Button variant="primary" shortcut="c" onClick={() => go({ page: "new" })}>
                        New question
                    </Button>
                ) : undefined
            }
        >
            {view.empty.line}
        </EmptyState>
    );
}

/** Says aloud when something comes to need the person, wherever the person is. */
function Counter({ view }: { view: string }) {
    const { data } = useQuery("session_counts", null);
    const before = useRef<number>(undefined);
    const [said, setSaid] = useState("");
    const needs = data?.needsYou;
    useEffect(() => {
        if (needs === undefined) return;
        if (before.current !== undefined && needs > before.current && view !== "trash") setSaid(`${needs} ${needs === 1 ? "session needs" : "sessions need"} you.`);
        before.current = needs;
    }, [needs, view]);
    return (
        <p role="status" className="sr-only">
            {said}
        </p>
    );
}
