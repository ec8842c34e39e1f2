// The head of a session: its title, how it stands, what it used, what can be done with it.

import {
    Archive,
    ArchiveRestore,
    Download,
    Ellipsis,
    Flag,
    FlagOff,
    GitCompare,
    ListTree,
    PencilLine,
    Scissors,
    Search,
    Tag,
    Trash2,
} from "lucide-react";
import { useEffect, useRef, useState } from "react";

import type { RunState, SessionRow, TurnHead } from "@/backend";
import { exportEntries, exportSession } from "@/domains/answer";
import { CostMeter, baseName, runStatus, titled } from "@/domains/run";
import { ConfinementNote } from "@/domains/permission";
import { ModeIcon, modeWord } from "@/domains/permission";
import { ChooseLabels, ChooseStatus, LabelChip, StatusIcon, useOrganisation } from "@/domains/organise";
import { archive, changeLabels, createLabel, flag, remove, rename, setStatus } from "@/domains/session";
import { headStatus } from "@/domains/turn";
import { go } from "@/routes";
import { IconButton, Menu, StateMark, Tooltip, useShortcut, type MenuEntry, useTitle } from "@/shared";

const icon = { size: 16, strokeWidth: 1.5 } as const;

export interface HeaderProps {
    session: SessionRow;
    runs: readonly RunState[];
    turns: readonly TurnHead[];
    /** What came last: a run, or a turn. */
    current: RunState | undefined;
    head: TurnHead | undefined;
    onCompact?: () => void;
    onFind: () => void;
}

const placeOf = (element: Element | null) => element?.getBoundingClientRect() ?? new DOMRect();

export function Header({ session, runs, turns, current, head, onCompact, onFind }: HeaderProps) {
    useTitle(session.title);
    const [editing, setEditing] = useState(false);
    const organisation = useOrganisation();
    const statusButton = useRef<HTMLButtonElement>(null);
    const [choosing, setChoosing] = useState<{ what: "status" | "labels"; at: DOMRect } | undefined>();
    const chosen = () => {
        setChoosing(undefined);
        statusButton.current?.focus({ preventScroll: true });
    };
    const leave = () => go({ page: "inbox", view: "inbox" });
    const putAway = () => {
        void archive([session.session], !session.archived);
        if (!session.archived) leave();
    };
    const drop = () => {
        void remove([session.session]);
        leave();
    };
    const toggle = () => void flag([session.session], !session.flagged);
    useShortcut("rename", "F2", "Rename session", () => setEditing(true), { group: "Session" });
    useShortcut("archive", "e", "Archive session", putAway, { group: "Session", enabled: !session.deleted });
    useShortcut("delete", "#", "Delete session", drop, { group: "Session", enabled: !session.deleted });
    useShortcut("flag", "f", "Flag session", toggle, { group: "Session" });
    useShortcut(
        "status",
        "s",
        "Set session status",
        () => setChoosing({ what: "status", at: placeOf(statusButton.current) }),
        { group: "Session", enabled: !session.deleted },
    );
    useShortcut(
        "labels",
        "l",
        "Change session labels",
        () => setChoosing({ what: "labels", at: placeOf(statusButton.current) }),
        { group: "Session", enabled: !session.deleted },
    );
    const entries: MenuEntry[] = [
        {
            id: "rename",
            label: "Rename",
            icon: <PencilLine {...icon} />,
            shortcut: "F2",
            onSelect: () => setTimeout(() => setEditing(true), 0),
        },
        {
            id: "flag",
            label: session.flagged ? "Unflag" : "Flag",
            icon: session.flagged ? <FlagOff {...icon} /> : <Flag {...icon} />,
            shortcut: "f",
            onSelect: toggle,
        },
        ...(current === undefined
            ? []
            : [
                  {
                      id: "run",
                      label: "Open run page",
                      icon: <ListTree {...icon} />,
                      onSelect: () => go({ page: "run", run: current.run }),
                  } satisfies MenuEntry,
                  {
                      id: "compare",
                      label: "Compare with…",
                      icon: <GitCompare {...icon} />,
                      onSelect: () => go({ page: "compare", left: current.run }),
                  } satisfies MenuEntry,
              ]),
        {
            id: "find",
            label: "Find in the session",
            icon: <Search {...icon} />,
            shortcut: "Ctrl+F",
            onSelect: () => setTimeout(onFind, 0),
        },
        ...(onCompact === undefined
            ? []
            : [
                  {
                      id: "compact",
                      label: "Compact the conversation",
                      icon: <Scissors {...icon} />,
                      onSelect: onCompact,
                  } satisfies MenuEntry,
              ]),
        ...(session.deleted
            ? []
            : [
                  {
                      id: "labels",
                      label: "Labels…",
                      icon: <Tag {...icon} />,
                      shortcut: "l",
                      onSelect: () =>
                          setTimeout(() => setChoosing({ what: "labels", at: placeOf(statusButton.current) }), 50),
                  } satisfies MenuEntry,
              ]),
        { kind: "separator", id: "s1" },
        ...exportEntries((format) => void exportSession(session.session, format), "Export"),
        {
            id: "jsonl",
            label: "Export all events (JSONL)",
            icon: <Download {...icon} />,
            onSelect: () => void exportSession(session.session, "jsonl"),
        },
        // What is in the trash is restored or deleted for good below.
        ...(session.deleted
            ? []
            : ([
                  { kind: "separator", id: "s2" },
                  {
                      id: "archive",
                      label: session.archived ? "Move to inbox" : "Archive",
                      icon: session.archived ? <ArchiveRestore {...icon} /> : <Archive {...icon} />,
                      shortcut: "e",
                      onSelect: putAway,
                  },
                  {
                      id: "delete",
                      label: "Delete",
                      icon: <Trash2 {...icon} />,
                      shortcut: "#",
                      danger: true,
                      onSelect: drop,
                  },
              ] satisfies MenuEntry[])),
    ];
    const standing =
        head !== undefined ? headStatus(head) : current === undefined ? undefined : runStatus(current.status);
    const facts =
        head !== undefined
            ? [head.agent, head.model].filter(Boolean)
            : current === undefined
              ? []
              : [
                    current.agentName || current.agent,
                    current.depth === null ? "" : titled(current.depth),
                    current.corpus === null ? "" : baseName(current.corpus),
                ].filter(Boolean);
    return (
        <header className="flex shrink-0 items-center gap-3 border-b border-hairline bg-page py-2 pr-3 pl-6 print:hidden">
            <Tooltip label={`Status: ${organisation.statusOf(session.status)?.label ?? "none"}`} shortcut="s">
                <button
                    ref={statusButton}
                    type="button"
                    aria-label={`Status: ${organisation.statusOf(session.status)?.label ?? "none"}`}
                    aria-haspopup="listbox"
                    disabled={session.deleted}
                    onClick={(event) => setChoosing({ what: "status", at: placeOf(event.currentTarget) })}
                    className="-mr-1 -ml-2 flex size-7 shrink-0 items-center justify-center self-start rounded-control hover:bg-hover"
                >
                    <StatusIcon status={organisation.statusOf(session.status)} />
                </button>
            </Tooltip>
            <div className="min-w-0 flex-1">
                <Title session={session} editing={editing} onEditing={setEditing} />
                <p className="flex min-w-0 items-center gap-x-2 overflow-hidden text-small text-ink-3">
                    {standing !== undefined && <StateMark state={standing.state} word={standing.word} size={14} />}
                    {head !== undefined && (
                        <span className="flex shrink-0 items-center gap-1">
                            <ModeIcon mode={head.mode} size={12} />
                            {modeWord(head.mode)}
                        </span>
                    )}
                    {head !== undefined && <ConfinementNote />}
                    {facts.map((fact, index) => (
                        <span key={index} className={index === 0 ? "truncate" : "shrink-0"}>
                            {fact}
                        </span>
                    ))}
                    {session.labels.length > 0 && (
                        <button
                            type="button"
                            title="Labels (l)"
                            disabled={session.deleted}
                            onClick={(event) => setChoosing({ what: "labels", at: placeOf(event.currentTarget) })}
                            className="flex min-w-0 items-center gap-1 overflow-hidden rounded-full"
                        >
                            <span className="sr-only">Labels: </span>
                            {session.labels.map((entry) => (
                                <LabelChip
                                    key={entry}
                                    entry={entry}
                                    label={organisation.labelOf(entry.split("::", 1)[0] ?? entry)}
                                    className="shrink-0"
                                />
                            ))}
                        </button>
                    )}
                </p>
            </div>
            {choosing?.what === "status" && (
                <ChooseStatus
                    at={choosing.at}
                    sessions={[session]}
                    onPick={(id) => void setStatus([session], id, organisation)}
                    onClose={chosen}
                />
            )}
            {choosing?.what === "labels" && (
                <ChooseLabels
                    at={choosing.at}
                    sessions={[session]}
                    onChange={(add, gone) => void changeLabels([session], add, gone, organisation)}
                    onCreate={(name) => void createLabel([session], name, organisation)}
                    onClose={chosen}
                />
            )}
            {runs.length + turns.length > 0 && <CostMeter runs={runs} turns={turns} head={head} />}
            <Menu
                align="end"
                trigger={<IconButton label="More session actions" icon={<Ellipsis {...icon} />} />}
                entries={entries}
            />
        </header>
    );
}

function Title({
    session,
    editing,
    onEditing,
}: {
    session: SessionRow;
    editing: boolean;
    onEditing: (editing: boolean) => void;
}) {
    const button = useRef<HTMLButtonElement>(null);
    /** Whether a key ended it: then the focus has nowhere else to be. */
    const byKey = useRef(false);
    /** A title that could not be stored. */
    const [refused, setRefused] = useState<string | undefined>();
    useEffect(() => {
        if (editing || !byKey.current) return;
        byKey.current = false;
        button.current?.focus({ preventScroll: true });
    }, [editing]);
    const end = (title: string | undefined, key: boolean) => {
        byKey.current = key;
        onEditing(false);
        setRefused(undefined);
        if (title === undefined) return;
        void rename(session.session, title).then((kept) => {
            if (kept) return;
            setRefused(title);
            // Whoever went elsewhere is left there: the field has it when it is opened again.
            if (key) onEditing(true);
        });
    };
    if (editing) return <TitleField title={session.title} first={refused ?? session.title} onDone={end} />;
    return (
        <h1 className="min-w-0">
            <button
                ref={button}
                type="button"
                title="Rename (F2)"
                onClick={() => onEditing(true)}
                className="-ml-1 block max-w-full cursor-text truncate rounded-[4px] px-1 text-left text-title font-semibold hover:bg-hover"
            >
                {session.title}
            </button>
        </h1>
    );
}

/** It begins with the title as it is now, whoever changed it last, or with the one that was refused. */
function TitleField({
    title: now,
    first,
    onDone,
}: {
    title: string;
    first: string;
    /** The new title, where there is one, and whether a key said so. */
    onDone: (title: string | undefined, key: boolean) => void;
}) {
    const [text, setText] = useState(first);
    const field = useRef<HTMLInputElement>(null);
    const over = useRef(false);
    useEffect(() => {
        field.current?.focus();
        field.current?.select();
    }, []);
    const done = (keep: boolean, key: boolean) => {
        if (over.current) return;
        over.current = true;
        const title = text.trim();
        onDone(keep && title !== "" && title !== now ? title : undefined, key);
    };
    return (
        <input
            ref={field}
            aria-label="Title"
            value={text}
            onChange={(event) => setText(event.target.value)}
            onBlur={() => done(true, false)}
            onKeyDown={(event) => {
                if (event.nativeEvent.isComposing) return;
                if (event.key === "Enter") done(true, true);
                else if (event.key === "Escape") done(false, true);
                else return;
                event.preventDefault();
            }}
            className="-ml-1 w-full rounded-[4px] bg-surface px-1 text-title font-semibold"
        />
    );
}
