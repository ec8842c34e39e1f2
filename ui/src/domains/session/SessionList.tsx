// The sessions of a list under headings. The keyboard is enough: j k Enter e # s l f u x and /.

import {
    Archive,
    ArchiveRestore,
    CircleDot,
    Copy,
    Download,
    Flag,
    FlagOff,
    FolderInput,
    ListFilter,
    Mail,
    MailOpen,
    PencilLine,
    RotateCcw,
    Rows3,
    Share2,
    Sparkles,
    Tag,
    Trash2,
    X,
} from "lucide-react";
import { useCallback, useMemo, useReducer, useRef, useState, type KeyboardEvent } from "react";

import { useQuery, type Group as GroupBy, type SessionRow, type SessionSort } from "@/backend";
import { ChooseLabels, ChooseStatus, StatusIcon, useOrganisation } from "@/domains/organise";
import { modeWord } from "@/domains/permission";
import { SaveView } from "@/domains/search";
import { openExport, openShare } from "@/domains/transfer";
import { go, useRoute } from "@/routes";
import {
    Button,
    ContextMenu,
    ErrorCard,
    IconButton,
    Menu,
    Skeleton,
    TextField,
    VirtualList,
    keysOf,
    lazyPart,
    useRemembered,
    useDebounced,
    useShortcut,
    type MenuEntry,
    type VirtualListHandle,
} from "@/shared";

import { duplicate, move, purge, titleByModel, undoLatest } from "./actions";
import {
    changeLabels,
    createLabel,
    moveToTrash,
    setStatus,
    takeFromTrash,
    toggleArchived,
    toggleFlag,
    toggleUnread,
} from "./changes";
import { dragSessions } from "./drag";
import type { ListItem } from "./groups";
import { ListKeys, type ListKey } from "./ListKeys";
import { Counter, Empty, GroupHeading, Wrong } from "./ListParts";
import { useSessions } from "./pages";
import { NOTHING, pick } from "./selection";
import { SessionLine } from "./SessionLine";
import { GROUPS, SORTS, baseOf, groupWord, listOf } from "./views";

const BatchBar = lazyPart(() => import("./BatchBar").then((part) => part.BatchBar));
const RenameDialog = lazyPart(() => import("./RenameDialog").then((part) => part.RenameDialog));

const icon = { size: 16, strokeWidth: 1.5 } as const;

/** A menu that closes gives the focus back; what opens next waits for that. */
const AFTER_MENU_MS = 50;

export function SessionList({ view: name }: { view: string }) {
    // Every list has its own place, picks and groups.
    return <SessionRows key={name} name={name} />;
}

/** A menu that is open for sessions, and where. */
interface Choosing {
    what: "status" | "labels";
    rows: readonly SessionRow[];
    at: DOMRect;
}

function SessionRows({ name }: { name: string }) {
    const organisation = useOrganisation();
    const list = useMemo(() => listOf(name, organisation), [name, organisation]);
    const [sort, setSort] = useRemembered<SessionSort | "">(`sort ${name}`, "");
    // The question itself must stay the same while only counts of the organisation change.
    const { view, saved, status, label } = list.query;
    const query = useMemo(
        () => ({
            view,
            ...(saved === undefined ? {} : { saved }),
            ...(status === undefined ? {} : { status }),
            ...(label === undefined ? {} : { label }),
            ...(sort === "" ? {} : { sort }),
        }),
        [view, saved, status, label, sort],
    );
    const route = useRoute();
    const [text, setText] = useState("");
    const line = useDebounced(text.trim(), 150);
    const [chosenBy, setChosenBy] = useRemembered<GroupBy | "none" | "">(`group ${name}`, "");
    const by = chosenBy === "" ? list.groupBy : chosenBy === "none" ? undefined : chosenBy;
    const [foldedList, setFolded] = useRemembered<readonly string[]>(`folded ${name} ${by ?? ""}`, []);
    const folded = useMemo(() => new Set(foldedList), [foldedList]);
    const [picks, change] = useReducer(pick, NOTHING);
    const { items, rows, loading, empty, mistakes, problem, reload, onRange } = useSessions(
        query,
        line,
        by,
        folded,
        picks.picked.size > 0,
    );
    const [active, setActive] = useState<{ key: string; index: number } | undefined>();
    const [choosing, setChoosing] = useState<Choosing | undefined>();
    const [renaming, setRenaming] = useState<SessionRow | undefined>();
    const { data: workspaces = [] } = useQuery("workspace_list", null);
    const [focused, setFocused] = useState(false);
    const handle = useRef<VirtualListHandle>(null);
    const field = useRef<HTMLInputElement>(null);
    const box = useRef<HTMLElement>(null);
    const open = route.page === "session" ? route.session : undefined;
    const trash = view === "trash";

    // What went away leaves the keyboard where it stood.
    const places = useMemo(() => new Map(items.map((item, index) => [item.key, index])), [items]);
    const standing = standingAt(items, places, active);
    const activeItem = standing === undefined ? undefined : items[standing];
    const activeRow = activeItem?.kind === "session" ? activeItem.row : undefined;
    // What left the list is not picked any more.
    const chosen = useMemo(() => rows.filter((row) => picks.picked.has(row.session)), [rows, picks]);
    const order = useCallback(() => rows.map((row) => row.session), [rows]);
    const target = (): readonly SessionRow[] =>
        chosen.length > 0 ? chosen : activeRow === undefined ? [] : [activeRow];
    const focusList = useCallback(() => handle.current?.focus(), []);
    const act = (what: (rows: readonly SessionRow[]) => unknown, keep = false) => {
        const rows = target();
        if (rows.length === 0) return;
        void what(rows);
        if (keep) return;
        change({ do: "none" });
        // What was pressed may go away with what was picked.
        focusList();
    };
    const lineOf = (session: string) =>
        [...(box.current?.querySelectorAll<HTMLElement>("[data-session]") ?? [])].find(
            (line) => line.dataset["session"] === session,
        );
    const choose = (what: Choosing["what"], from: readonly SessionRow[] = target(), at?: DOMRect) => {
        const first = from[0];
        if (first === undefined) return;
        const place =
            at ?? lineOf((activeRow ?? first).session)?.getBoundingClientRect() ?? box.current?.getBoundingClientRect();
        if (place !== undefined)
            setChoosing({
                what,
                rows: from,
                at: at ?? new DOMRect(place.x + 12, place.y, 0, Math.min(place.height, 28)),
            });
    };
    const remove = (rows: readonly SessionRow[]) => (trash ? purge(rows.map((row) => row.session)) : moveToTrash(rows));
    const fold = (group: string, shut: boolean) =>
        setFolded(shut ? [...new Set([...foldedList, group])] : foldedList.filter((each) => each !== group));

    useShortcut("list-next", "j", "Next session", focusList, { group: "List" });
    useShortcut("list-before", "k", "Previous session", focusList, { group: "List" });
    useShortcut("list-filter", "\\", "Filter the list", () => field.current?.focus(), { group: "List" });
    const keys: ListKey[] = [
        {
            id: "list-open",
            keys: "o",
            label: "Open session",
            run: () => activeRow !== undefined && go({ page: "session", session: activeRow.session }),
        },
        {
            id: "list-select",
            keys: "x",
            label: "Select session",
            run: () => activeRow !== undefined && change({ do: "toggle", session: activeRow.session }),
        },
        { id: "list-undo", keys: "Ctrl+Z", label: "Undo last change", run: () => void undoLatest() },
        { id: "list-delete", keys: "#", label: trash ? "Delete permanently" : "Delete", run: () => act(remove) },
        { id: "list-delete", keys: "Delete", label: trash ? "Delete permanently" : "Delete", run: () => act(remove) },
        ...(trash
            ? [{ id: "list-restore", keys: "r", label: "Restore", run: () => act(takeFromTrash) }]
            : [
                  {
                      id: "list-archive",
                      keys: "e",
                      label: view === "archived" ? "Move to inbox" : "Archive",
                      run: () => act(toggleArchived),
                  },
                  { id: "list-status", keys: "s", label: "Set status", run: () => choose("status") },
                  { id: "list-labels", keys: "l", label: "Change labels", run: () => choose("labels") },
                  { id: "list-flag", keys: "f", label: "Flag", run: () => act(toggleFlag, true) },
                  { id: "list-unread", keys: "u", label: "Mark as unread", run: () => act(toggleUnread, true) },
                  ...organisation.statuses.flatMap((each) =>
                      each.shortcut === null
                          ? []
                          : [
                                {
                                    id: `list-status-${each.id}`,
                                    keys: each.shortcut,
                                    label: `Set status to “${each.label}”`,
                                    run: () => act((rows) => setStatus(rows, each.id, organisation)),
                                },
                            ],
                  ),
              ]),
    ];
    const onKey = (event: KeyboardEvent, item: ListItem | undefined) => {
        if ((event.ctrlKey || event.metaKey) && event.key === "a") change({ do: "all", order: order() });
        else if (event.key === "Escape" && chosen.length > 0) change({ do: "none" });
        else if (event.key === "ArrowLeft" && by !== undefined && item?.kind === "session") {
            fold(item.ref.group, true);
            const at = items.findIndex((each) => each.kind === "heading" && each.group === item.ref.group);
            setActive({ key: `group:${item.ref.group}`, index: at });
        } else if (event.key === "ArrowRight" && item?.kind === "heading") fold(item.group, false);
        else {
            // In a narrow window the list is a layer of its own, where the window's shortcuts do not hold.
            const layer = !event.ctrlKey && !event.metaKey && !event.altKey && box.current?.closest("[role=dialog]");
            const own = layer ? keys.find((each) => keysOf(each) === event.key) : undefined;
            if (own === undefined) return;
            own.run(event.nativeEvent);
        }
        event.preventDefault();
    };
    const entries = (row: SessionRow): MenuEntry[] => {
        // On one of those that are picked it means all of them.
        const rows = picks.picked.has(row.session) && chosen.length > 0 ? chosen : [row];
        const at = () => lineOf(row.session)?.querySelector("[data-status]")?.getBoundingClientRect();
        const many = rows.length > 1 ? ` ${rows.length} sessions` : "";
        if (trash) {
            return [
                {
                    id: "restore",
                    label: `Restore${many}`,
                    icon: <RotateCcw {...icon} />,
                    shortcut: "r",
                    onSelect: () => void takeFromTrash(rows),
                },
                {
                    id: "purge",
                    label: `Delete${many} permanently…`,
                    icon: <Trash2 {...icon} />,
                    shortcut: "#",
                    danger: true,
                    onSelect: () => void remove(rows),
                },
            ];
        }
        return [
            ...(many === ""
                ? []
                : [{ kind: "heading", id: "many", label: `${rows.length} sessions` } satisfies MenuEntry]),
            {
                kind: "submenu",
                id: "status",
                label: "Status",
                icon: <CircleDot {...icon} />,
                entries: organisation.statuses.map((each) => ({
                    id: each.id,
                    label: each.label,
                    icon: <StatusIcon status={each} />,
                    shortcut: each.shortcut ?? undefined,
                    checked: rows.every((one) => organisation.statusOf(one.status)?.id === each.id),
                    onSelect: () => void setStatus(rows, each.id, organisation),
                })),
            },
            {
                id: "labels",
                label: "Labels…",
                icon: <Tag {...icon} />,
                shortcut: "l",
                onSelect: () => setTimeout(() => choose("labels", rows, at()), AFTER_MENU_MS),
            },
            {
                id: "flag",
                label: rows.every((one) => one.flagged) ? "Unflag" : "Flag",
                icon: row.flagged ? <FlagOff {...icon} /> : <Flag {...icon} />,
                shortcut: "f",
                onSelect: () => void toggleFlag(rows),
            },
            {
                id: "unread",
                label: rows.every((one) => one.unread) ? "Mark as read" : "Mark as unread",
                icon: row.unread ? <MailOpen {...icon} /> : <Mail {...icon} />,
                shortcut: "u",
                onSelect: () => void toggleUnread(rows),
            },
            {
                id: "pick",
                label: "Select",
                shortcut: "x",
                onSelect: () => change({ do: "toggle", session: row.session }),
            },
            { kind: "separator", id: "s1" },
            ...(rows.length > 1
                ? []
                : ([
                      {
                          id: "rename",
                          label: "Rename…",
                          icon: <PencilLine {...icon} />,
                          onSelect: () => setTimeout(() => setRenaming(row), AFTER_MENU_MS),
                      },
                      {
                          id: "title",
                          label: "Title by the model",
                          icon: <Sparkles {...icon} />,
                          onSelect: () => void titleByModel(row),
                      },
                      {
                          id: "duplicate",
                          label: "Duplicate",
                          icon: <Copy {...icon} />,
                          onSelect: () => void duplicate(row),
                      },
                      {
                          id: "share",
                          label: "Share…",
                          icon: <Share2 {...icon} />,
                          onSelect: () => openShare(row.session),
                      },
                  ] satisfies MenuEntry[])),
            ...(workspaces.length < 2
                ? []
                : ([
                      {
                          kind: "submenu",
                          id: "move",
                          label: "Move to workspace",
                          icon: <FolderInput {...icon} />,
                          entries: workspaces
                              .filter((each) => each.id !== row.workspace)
                              .map((each) => ({
                                  id: each.id,
                                  label: each.name,
                                  onSelect: () => void move(rows, each),
                              })),
                      },
                  ] satisfies MenuEntry[])),
            {
                id: "export",
                label: "Export…",
                icon: <Download {...icon} />,
                onSelect: () => openExport(rows.map((one) => one.session)),
            },
            {
                id: "archive",
                label: rows.every((one) => one.archived) ? "Move to inbox" : "Archive",
                icon: row.archived ? <ArchiveRestore {...icon} /> : <Archive {...icon} />,
                shortcut: "e",
                onSelect: () => void toggleArchived(rows),
            },
            {
                id: "delete",
                label: "Delete",
                icon: <Trash2 {...icon} />,
                shortcut: "#",
                danger: true,
                onSelect: () => void remove(rows),
            },
        ];
    };
    const grouping: MenuEntry[] = [
        ...(view === "running" || view === "needs_you"
            ? []
            : ([
                  { kind: "heading", id: "sort", label: "Sort by" },
                  ...SORTS.map(({ sort: each, word }) => ({
                      id: `sort-${each}`,
                      label: each === "" && list.kind === "saved" ? "Order of the view" : word,
                      checked: sort === each,
                      onSelect: () => setSort(each),
                  })),
                  { kind: "separator", id: "s0" },
              ] satisfies MenuEntry[])),
        { kind: "heading", id: "by", label: "Group by" },
        ...GROUPS.map((each) => ({
            id: each.by,
            label: each.word,
            checked: by === each.by,
            onSelect: () => setChosenBy(each.by),
        })),
        { id: "none", label: "None", checked: by === undefined, onSelect: () => setChosenBy("none") },
        ...(by === undefined
            ? []
            : ([
                  { kind: "separator", id: "s" },
                  {
                      id: "fold",
                      label: "Collapse all groups",
                      onSelect: () => setFolded(items.flatMap((item) => (item.kind === "heading" ? [item.group] : []))),
                  },
                  {
                      id: "unfold",
                      label: "Expand all groups",
                      disabled: foldedList.length === 0,
                      onSelect: () => setFolded([]),
                  },
              ] satisfies MenuEntry[])),
    ];
    const ended = () => {
        setChoosing(undefined);
        focusList();
    };
    return (
        <section
            ref={box}
            aria-label={list.label}
            className="flex h-full min-h-0 flex-col"
            // A field in it, and a dialog that it opened, have keys of their own.
            onFocus={({ currentTarget, target }) =>
                setFocused(currentTarget.contains(target) && !(target instanceof HTMLInputElement))
            }
            onBlur={(event) => {
                if (!event.currentTarget.contains(event.relatedTarget)) setFocused(false);
            }}
        >
            <ListKeys keys={keys} enabled={focused} />
            {renaming !== undefined && <RenameDialog row={renaming} onClose={() => setRenaming(undefined)} />}
            <header className="shrink-0 border-b border-hairline px-3 pt-3 pb-2">
                <div className="mb-2 flex h-6 items-center gap-1">
                    <h2 className="min-w-0 flex-1 truncate text-title font-semibold">{list.label}</h2>
                    {trash && rows.length > 0 && (
                        <Button size="small" variant="quiet" onClick={() => void purge([])}>
                            Empty trash
                        </Button>
                    )}
                    {line !== "" && mistakes.length === 0 && <SaveView line={line} base={baseOf(list, organisation)} />}
                    <Menu
                        align="end"
                        trigger={
                            <IconButton
                                size="small"
                                label="Sort and group the list"
                                icon={<Rows3 size={14} strokeWidth={1.5} />}
                            />
                        }
                        entries={grouping}
                    />
                </div>
                <TextField
                    ref={field}
                    label={`Filter ${list.label}`}
                    hideLabel
                    // Not of type search: browsers add a button of their own to it.
                    role="searchbox"
                    spellCheck={false}
                    placeholder="Filter: words, label:bug, is:unread…"
                    value={text}
                    onChange={setText}
                    icon={<ListFilter size={14} strokeWidth={1.5} />}
                    after={
                        text === "" ? undefined : (
                            <IconButton
                                size="small"
                                label="Clear filter"
                                icon={<X size={14} strokeWidth={1.5} />}
                                onClick={() => setText("")}
                                className="size-5"
                            />
                        )
                    }
                    onKeyDown={(event) => {
                        if (event.key === "ArrowDown" || event.key === "Enter") focusList();
                        else if (event.key === "Escape") {
                            if (text === "") focusList();
                            setText("");
                        } else return;
                        event.preventDefault();
                    }}
                />
            </header>
            {mistakes.length > 0 ? (
                <Wrong
                    list={list}
                    mistakes={mistakes.map(
                        (each) =>
                            `${each.message}${each.hint === null || each.hint === undefined ? "" : ` (${each.hint})`}`,
                    )}
                    filtered={line !== ""}
                />
            ) : loading ? (
                <Skeleton lines={8} className="px-3 pt-4" />
            ) : problem !== undefined && rows.length === 0 ? (
                <div className="p-3">
                    <ErrorCard
                        title="Could not load sessions."
                        advice={problem.action ?? undefined}
                        actions={<Button onClick={reload}>Try again</Button>}
                        details={problem.message}
                    />
                </div>
            ) : empty ? (
                <Empty list={list} filter={line} onClear={() => setText("")} />
            ) : (
                <VirtualList
                    ref={handle}
                    label={`${list.label}: sessions`}
                    items={items}
                    keyOf={(item) => item.key}
                    estimate={(item) => (item.kind === "heading" ? 28 : 56)}
                    isStatic={(item) => item.kind === "more" || (item.kind === "heading" && !item.folded)}
                    levelOf={
                        by === undefined
                            ? undefined
                            : (item) => (item.kind === "heading" ? { level: 1, expanded: !item.folded } : { level: 2 })
                    }
                    isPicked={(item) => item.kind === "session" && picks.picked.has(item.row.session)}
                    active={activeItem?.key}
                    onActive={(key) => setActive({ key, index: places.get(key) ?? -1 })}
                    selected={open}
                    onOpen={(item) => {
                        if (item.kind === "heading") fold(item.group, !item.folded);
                        else if (item.kind === "session") go({ page: "session", session: item.row.session });
                    }}
                    onExtend={(item, from) =>
                        item.kind === "session" &&
                        change({
                            do: "extend",
                            session: item.row.session,
                            from: from?.kind === "session" ? from.row.session : undefined,
                            order: order(),
                        })
                    }
                    onPick={(item) => item.kind === "session" && change({ do: "toggle", session: item.row.session })}
                    onKey={onKey}
                    onRange={onRange}
                    // The ring is on the row that the keyboard is on.
                    className="group/list focus-visible:outline-none"
                    render={(item, state) =>
                        item.kind === "more" ? (
                            <Skeleton lines={2} className="h-14 px-3 pt-3" />
                        ) : item.kind === "heading" ? (
                            <GroupHeading
                                word={by === undefined ? "" : groupWord(by, item.group, organisation, modeWord)}
                                count={item.count}
                                folded={item.folded}
                                active={state.active}
                                onFold={() => fold(item.group, !item.folded)}
                            />
                        ) : (
                            <ContextMenu entries={entries(item.row)}>
                                <div>
                                    <SessionLine
                                        row={item.row}
                                        organisation={organisation}
                                        active={state.active}
                                        open={item.row.session === open}
                                        picking={chosen.length > 0}
                                        picked={picks.picked.has(item.row.session)}
                                        onPick={() => change({ do: "toggle", session: item.row.session })}
                                        onStatus={(at) => choose("status", [item.row], at)}
                                        onDragStart={(event) =>
                                            dragSessions(
                                                event,
                                                picks.picked.has(item.row.session) ? chosen : [item.row],
                                            )
                                        }
                                    />
                                </div>
                            </ContextMenu>
                        )
                    }
                />
            )}
            {chosen.length > 0 && (
                <BatchBar
                    rows={chosen}
                    loaded={rows.length}
                    trash={trash}
                    on={{
                        status: (at) => choose("status", chosen, at),
                        labels: (at) => choose("labels", chosen, at),
                        flag: () => act(toggleFlag, true),
                        unread: () => act(toggleUnread, true),
                        archive: () => act(toggleArchived),
                        remove: () => act(remove),
                        restore: () => act(takeFromTrash),
                        all: () => change({ do: "all", order: order() }),
                        none: () => {
                            change({ do: "none" });
                            focusList();
                        },
                    }}
                />
            )}
            {choosing?.what === "status" && (
                <ChooseStatus
                    at={choosing.at}
                    sessions={choosing.rows}
                    onPick={(id) => {
                        void setStatus(choosing.rows, id, organisation);
                        change({ do: "none" });
                    }}
                    onClose={ended}
                />
            )}
            {choosing?.what === "labels" && (
                <ChooseLabels
                    at={choosing.at}
                    // As they stand now: the list stays open while labels go on and off.
                    sessions={choosing.rows.map((row) => rows.find((each) => each.session === row.session) ?? row)}
                    onChange={(add, gone) =>
                        void changeLabels(
                            choosing.rows.map((row) => rows.find((each) => each.session === row.session) ?? row),
                            add,
                            gone,
                            organisation,
                        )
                    }
                    onCreate={(label) => void createLabel(choosing.rows, label, organisation)}
                    onClose={ended}
                />
            )}
            <Counter view={view ?? "inbox"} />
        </section>
    );
}

/** Where the keyboard stands: on its row, or where that was. */
function standingAt(
    items: readonly ListItem[],
    places: ReadonlyMap<string, number>,
    active: { key: string; index: number } | undefined,
): number | undefined {
    if (active === undefined) return undefined;
    const at = places.get(active.key);
    if (at !== undefined) return at;
    const isRow = (item: ListItem) => item.kind === "session";
    const next = items.findIndex((item, index) => index >= active.index && isRow(item));
    if (next >= 0) return next;
    const last = items.findLastIndex(isRow);
    if (last >= 0) return last;
    return undefined;
}
