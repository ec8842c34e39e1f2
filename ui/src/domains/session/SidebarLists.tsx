// Views, statuses and labels in the sidebar: each a list of sessions with its count. Sessions are dropped on them, and they change their order.

import { ChevronRight, ListFilter, Pencil, Plus, TriangleAlert } from "lucide-react";
import { useState, type DragEvent, type ReactNode } from "react";

import {
    send,
    toProblem,
    type LabelEdit,
    type SessionRow,
    type StatusEdit,
    type ViewEdit,
    type ViewRow,
} from "@/backend";
import { ColourDot, StatusIcon, cssOf, useOrganisation, type FlatLabel } from "@/domains/organise";
import { go, hrefOf } from "@/routes";
import {
    ContextMenu,
    IconButton,
    cx,
    useRemembered,
    useReorder,
    type MenuEntry,
    type Reorder,
    toastProblem,
} from "@/shared";

import { changeLabels, setStatus } from "./changes";
import { droppedSessions, holdsSessions } from "./drag";
import { listName } from "./views";

type Edits = { status_edit: StatusEdit; label_edit: LabelEdit; view_edit: ViewEdit };

/** What the sidebar lists above under the same name: shipped views that ask for it again would stand there twice. */
const OWN: { readonly [id: string]: string } = { "needs-you": "needsYou == true", running: "isProcessing == true" };

const isOwn = (view: ViewRow) => OWN[view.id] === view.expression;

/** Undefined: it was refused, and that was told. */
async function edit<N extends keyof Edits>(name: N, change: Edits[N]): Promise<unknown> {
    try {
        return await send(name, change as never);
    } catch (thrown) {
        const problem = toProblem(thrown);
        toastProblem(problem, "Not changed");
        return undefined;
    }
}

/** `here`: the name of the list that is shown. */
export function SidebarLists({ here }: { here: string | undefined }) {
    const organisation = useOrganisation();
    const { statuses, labels } = organisation;
    const views = organisation.views.filter((view) => !isOwn(view));
    const [shut, setShut] = useRemembered<readonly string[]>("sidebar-labels", []);
    const viewOrder = useReorder(
        "view",
        views.map((each) => each.id),
        (id, place) => edit("view_edit", { edit: "move", id, place }),
    );
    const statusOrder = useReorder(
        "status",
        statuses.map((each) => each.id),
        (id, place) => edit("status_edit", { edit: "move", id, place }),
    );
    if (organisation.data === undefined) return null;
    const shown = labels.filter((label) => !isBelowShut(label, labels, shut));
    return (
        <>
            <Part
                id="views"
                title="Views"
                add="Add view"
                onAdd={() => go({ page: "settings", section: "organisation", add: "view" })}
            >
                {views.map((view) => {
                    const broken = view.mistakes.length + view.faults.length > 0;
                    return (
                        <Entry
                            key={view.id}
                            name={listName("saved", view.id)}
                            here={here}
                            label={view.name}
                            title={view.description ?? view.expression}
                            icon={
                                broken ? (
                                    <TriangleAlert
                                        size={16}
                                        strokeWidth={1.5}
                                        aria-hidden
                                        className="shrink-0 text-needs"
                                    />
                                ) : (
                                    <ListFilter
                                        size={16}
                                        strokeWidth={1.5}
                                        aria-hidden
                                        style={{ color: cssOf(view.color) }}
                                        className="shrink-0 text-ink-3"
                                    />
                                )
                            }
                            count={view.sessions ?? 0}
                            note={broken ? "wrong" : undefined}
                            order={viewOrder}
                            id={view.id}
                            menu={[
                                {
                                    id: "edit",
                                    label: "Edit view",
                                    icon: <Pencil size={16} strokeWidth={1.5} />,
                                    onSelect: () =>
                                        go({ page: "settings", section: "organisation", open: `view:${view.id}` }),
                                },
                            ]}
                        />
                    );
                })}
                {views.length === 0 && <Nothing>No views yet.</Nothing>}
            </Part>
            <Part
                id="statuses"
                title="Statuses"
                add="Add status"
                onAdd={() => go({ page: "settings", section: "organisation", add: "status" })}
            >
                {statuses.map((status) => (
                    <Entry
                        key={status.id}
                        name={listName("status", status.id)}
                        here={here}
                        label={status.label}
                        icon={<StatusIcon status={status} />}
                        count={status.sessions}
                        order={statusOrder}
                        id={status.id}
                        onSessions={(rows) => void setStatus(rows, status.id, organisation)}
                        menu={[
                            {
                                id: "edit",
                                label: "Edit status",
                                icon: <Pencil size={16} strokeWidth={1.5} />,
                                onSelect: () =>
                                    go({ page: "settings", section: "organisation", open: `status:${status.id}` }),
                            },
                        ]}
                    />
                ))}
            </Part>
            <Part
                id="labels"
                title="Labels"
                add="Add label"
                onAdd={() => go({ page: "settings", section: "organisation", add: "label" })}
            >
                {shown.map((label) => (
                    <LabelEntry
                        key={label.id}
                        label={label}
                        neighbours={labels.filter((each) => each.parent === label.parent)}
                        here={here}
                        shut={shut.includes(label.id)}
                        onShut={(closed) =>
                            setShut(closed ? [...shut, label.id] : shut.filter((each) => each !== label.id))
                        }
                        onSessions={(rows) => void changeLabels(rows, [label.id], [], organisation)}
                    />
                ))}
                {labels.length === 0 && <Nothing>No labels yet.</Nothing>}
            </Part>
        </>
    );
}

function isBelowShut(label: FlatLabel, labels: readonly FlatLabel[], shut: readonly string[]): boolean {
    const parent = labels.find((each) => each.id === label.parent);
    return parent !== undefined && (shut.includes(parent.id) || isBelowShut(parent, labels, shut));
}

function Nothing({ children }: { children: ReactNode }) {
    return <li className="px-2 py-1 text-small text-ink-3">{children}</li>;
}

function LabelEntry({
    label,
    neighbours,
    here,
    shut,
    onShut,
    onSessions,
}: {
    label: FlatLabel;
    neighbours: readonly FlatLabel[];
    here: string | undefined;
    shut: boolean;
    onShut: (shut: boolean) => void;
    onSessions: (rows: readonly SessionRow[]) => void;
}) {
    // Labels are moved among their neighbours here; into another one in the settings.
    const order = useReorder(
        `label-${label.parent ?? ""}`,
        neighbours.map((each) => each.id),
        (id, place) =>
            edit("label_edit", {
                edit: "move",
                id,
                place,
                ...(label.parent === undefined ? {} : { parent: label.parent }),
            }),
    );
    return (
        <Entry
            name={listName("label", label.id)}
            here={here}
            label={label.name}
            title={label.path}
            depth={label.depth}
            icon={
                <span className="flex size-4 shrink-0 items-center justify-center">
                    <ColourDot colour={label.color} />
                </span>
            }
            count={label.sessions}
            fold={label.above ? { shut, onShut } : undefined}
            order={order}
            id={label.id}
            onSessions={onSessions}
            menu={[
                {
                    id: "edit",
                    label: "Edit label",
                    icon: <Pencil size={16} strokeWidth={1.5} />,
                    onSelect: () => go({ page: "settings", section: "organisation", open: `label:${label.id}` }),
                },
                {
                    id: "add",
                    label: "Add nested label",
                    icon: <Plus size={16} strokeWidth={1.5} />,
                    onSelect: () => go({ page: "settings", section: "organisation", add: `label:${label.id}` }),
                },
            ]}
        />
    );
}

function Part({
    id,
    title,
    add,
    onAdd,
    children,
}: {
    id: string;
    title: string;
    add: string;
    onAdd: () => void;
    children: ReactNode;
}) {
    const [open, setOpen] = useRemembered(`sidebar-${id}-open`, true);
    return (
        <div role="group" aria-label={title} className="mt-3">
            <div className="group/part flex h-6 items-center">
                <button
                    type="button"
                    aria-expanded={open}
                    onClick={() => setOpen(!open)}
                    className="ring-inside flex h-6 min-w-0 flex-1 items-center gap-1 rounded-control px-2 text-left text-small text-ink-3 hover:text-ink"
                >
                    {title}
                    <ChevronRight
                        size={12}
                        strokeWidth={2}
                        aria-hidden
                        className={cx("transition-transform", open && "rotate-90")}
                    />
                </button>
                <IconButton
                    label={add}
                    size="small"
                    icon={<Plus size={14} strokeWidth={1.5} />}
                    onClick={onAdd}
                    className="opacity-60 group-hover/part:opacity-100 focus-visible:opacity-100"
                />
            </div>
            {open && <ul>{children}</ul>}
        </div>
    );
}

interface EntryProps {
    name: string;
    here: string | undefined;
    id: string;
    label: string;
    title?: string;
    icon: ReactNode;
    count: number;
    note?: string;
    depth?: number;
    fold?: { shut: boolean; onShut: (shut: boolean) => void };
    order: Reorder;
    onSessions?: (rows: readonly SessionRow[]) => void;
    menu: MenuEntry[];
}

function Entry({
    name,
    here,
    id,
    label,
    title,
    icon,
    count,
    note,
    depth = 0,
    fold,
    order,
    onSessions,
    menu,
}: EntryProps) {
    const [over, setOver] = useState(false);
    const is = here === name;
    const moving = order.of(id);
    const mark = order.markOf(id);
    const takes = (event: DragEvent) => onSessions !== undefined && holdsSessions(event);
    return (
        <li className="relative">
            <ContextMenu entries={menu}>
                <a
                    href={hrefOf({ page: "inbox", view: name })}
                    title={title}
                    aria-current={is ? "page" : undefined}
                    aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
                    {...moving}
                    onDragOver={(event) => {
                        moving.onDragOver(event);
                        if (!takes(event)) return;
                        event.preventDefault();
                        if (!over) setOver(true);
                    }}
                    onDragLeave={() => {
                        moving.onDragLeave();
                        setOver(false);
                    }}
                    onDrop={(event) => {
                        moving.onDrop(event);
                        if (!takes(event)) return;
                        event.preventDefault();
                        setOver(false);
                        onSessions?.(droppedSessions());
                    }}
                    onKeyDown={(event) => {
                        moving.onKeyDown(event);
                        if (
                            fold === undefined ||
                            event.altKey ||
                            (event.key !== "ArrowLeft" && event.key !== "ArrowRight")
                        )
                            return;
                        event.preventDefault();
                        fold.onShut(event.key === "ArrowLeft");
                    }}
                    style={{ paddingLeft: `${0.5 + depth * 0.75}rem` }}
                    className={cx(
                        "ring-inside flex h-7 items-center gap-2 rounded-control pr-2 text-ui",
                        over
                            ? "bg-accent-soft outline-2 outline-accent"
                            : is
                              ? "bg-hover font-medium text-ink"
                              : "text-ink-2 hover:bg-hover hover:text-ink",
                    )}
                >
                    {icon}
                    <span className="min-w-0 flex-1 truncate">{label}</span>{" "}
                    {note !== undefined && <span className="text-small text-needs">{note}</span>}
                    {count > 0 && (
                        <span className="tabular text-small text-ink-3">
                            {count} <span className="sr-only">{count === 1 ? "session" : "sessions"}</span>
                        </span>
                    )}
                </a>
            </ContextMenu>
            {fold !== undefined && (
                <button
                    type="button"
                    // The arrows to the left and to the right do the same on the label.
                    tabIndex={-1}
                    aria-label={`${fold.shut ? "Expand" : "Collapse"} ${label}`}
                    aria-expanded={!fold.shut}
                    onClick={() => fold.onShut(!fold.shut)}
                    style={{ left: `${depth * 0.75 - 0.25}rem` }}
                    className="absolute top-1.5 flex size-4 items-center justify-center rounded-[4px] text-ink-3 hover:bg-hover hover:text-ink"
                >
                    <ChevronRight
                        size={12}
                        strokeWidth={2}
                        aria-hidden
                        className={cx("transition-transform", !fold.shut && "rotate-90")}
                    />
                </button>
            )}
            {mark !== undefined && (
                <span
                    aria-hidden
                    className={cx(
                        "pointer-events-none absolute inset-x-2 h-0.5 rounded-full bg-accent",
                        mark === "before" ? "-top-px" : "-bottom-px",
                    )}
                />
            )}
        </li>
    );
}
