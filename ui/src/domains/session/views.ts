// The lists of sessions by name: the program's own views, and those of a person's statuses, labels and views.

import type { Group, Mode, SessionCounts, SessionQuery, SessionSort, SessionView } from "@/backend";
import type { OrganisationUse } from "@/domains/organise";

export interface ViewWords {
    view: SessionView;
    label: string;
    count: keyof SessionCounts;
    /** Why nothing is here, and what to do. */
    empty: { title: string; line: string };
}

export const VIEWS: readonly ViewWords[] = [
    {
        view: "inbox",
        label: "Inbox",
        count: "inbox",
        empty: {
            title: "No sessions yet",
            line: "Ask a question to start a session. Sessions stay here until you archive them.",
        },
    },
    {
        view: "running",
        label: "Running",
        count: "running",
        empty: { title: "Nothing running", line: "Sessions with running work appear here." },
    },
    {
        view: "needs_you",
        label: "Needs you",
        count: "needsYou",
        empty: {
            title: "Nothing needs you",
            line: "Sessions that failed, were interrupted or need your decision appear here.",
        },
    },
    {
        view: "done",
        label: "Finished",
        count: "done",
        empty: { title: "Nothing finished yet", line: "Sessions with a finished answer appear here." },
    },
    {
        view: "flagged",
        label: "Flagged",
        count: "flagged",
        empty: { title: "No flagged sessions", line: "Press f on a session to flag it." },
    },
    {
        view: "archived",
        label: "Archived",
        count: "archived",
        empty: { title: "The archive is empty", line: "Press e on a session to archive it." },
    },
    {
        view: "trash",
        label: "Trash",
        count: "trash",
        empty: {
            title: "The trash is empty",
            line: "Deleted sessions stay here until the trash is emptied, by default after a week.",
        },
    },
];

export function viewOf(name: string): ViewWords {
    return VIEWS.find((each) => each.view === name) ?? (VIEWS[0] as ViewWords);
}

/** What a list asks the core for, but for what is typed into its filter. */
export type ListQuery = Pick<SessionQuery, "view" | "saved" | "status" | "label" | "sort">;

export interface List {
    /** As in its address: `inbox`, `status:todo`, `label:bug`, `saved:left-lying`. */
    name: string;
    label: string;
    query: ListQuery;
    /** One of the program's own, or what it is a list of. */
    kind: "own" | "status" | "label" | "saved";
    /** What it is grouped by unless the person chose otherwise; undefined: by nothing. */
    groupBy: Group | undefined;
    empty: { title: string; line: string };
}

/** The address of a list of a status, a label or a view. */
export function listName(kind: Exclude<List["kind"], "own">, id: string): string {
    return `${kind}:${id}`;
}

/** The list of a name; of a name that means nothing, the inbox. */
export function listOf(name: string, { labelOf, viewOf: savedOf, data, statuses }: OrganisationUse): List {
    const at = name.indexOf(":");
    const [kind, id] = [name.slice(0, Math.max(0, at)), name.slice(at + 1)];
    switch (kind) {
        case "status": {
            const label = statuses.find((each) => each.id === id)?.label ?? id;
            return {
                name,
                label,
                kind,
                query: { view: "inbox", status: id },
                groupBy: "date",
                empty: {
                    title: `No sessions with status “${label}”`,
                    line: "Press s on a session to set its status, or drag it here.",
                },
            };
        }
        case "label": {
            const label = labelOf(id)?.name ?? id;
            return {
                name,
                label,
                kind,
                query: { view: "inbox", label: id },
                groupBy: "date",
                empty: {
                    title: `No sessions with label “${label}”`,
                    line: "Press l on a session to label it, or drag it here.",
                },
            };
        }
        case "saved": {
            const view = savedOf(id);
            const label = view?.name ?? id;
            const empty =
                view === undefined && data !== undefined
                    ? { title: "This view no longer exists", line: "The view was removed." }
                    : {
                          title: "No matching sessions",
                          line: view?.description ?? "Sessions that match the view’s expression appear here.",
                      };
            return {
                name,
                label,
                kind,
                query: { view: "inbox", saved: id },
                groupBy: view?.groupBy ?? ((view?.sort.length ?? 0) > 0 ? undefined : "date"),
                empty,
            };
        }
        default: {
            const own = viewOf(name);
            return {
                name: own.view,
                label: own.label,
                kind: "own",
                query: { view: own.view },
                groupBy: "date",
                empty: own.empty,
            };
        }
    }
}

/** What a list shows, as an expression: for a view that is made of it and a filter. Undefined for what needs none, or has none. */
export function baseOf({ kind, query }: List, { viewOf: savedOf }: OrganisationUse): string | undefined {
    switch (kind) {
        case "status":
            return `sessionStatus == "${query.status ?? ""}"`;
        case "label":
            return `hasLabel("${query.label ?? ""}")`;
        case "saved":
            return savedOf(query.saved ?? "")?.expression;
        case "own":
            return { flagged: "isFlagged", needs_you: "needsYou", running: "isProcessing", archived: "isArchived" }[
                query.view as string
            ];
    }
}

/** What a list can be sorted by; empty: by the order of change, or as its view says. */
export const SORTS: readonly { sort: SessionSort | ""; word: string }[] = [
    { sort: "", word: "Default" },
    { sort: "changed", word: "Last activity" },
    { sort: "created", word: "Date created" },
    { sort: "title", word: "Title" },
];

/** What a list can be grouped by. */
export const GROUPS: readonly { by: Group; word: string }[] = [
    { by: "date", word: "Date" },
    { by: "status", word: "Status" },
    { by: "label", word: "Label" },
    { by: "agent", word: "Agent" },
    { by: "model", word: "Model" },
    { by: "mode", word: "Permission mode" },
    { by: "unread", word: "Unread" },
];

const DATES: { readonly [key: string]: string } = {
    today: "Today",
    yesterday: "Yesterday",
    week: "This week",
    month: "This month",
    older: "Earlier",
};

/** The heading of a group. */
export function groupWord(
    by: Group,
    key: string,
    { statusOf, labelOf }: OrganisationUse,
    modeWord: (mode: Mode) => string,
): string {
    switch (by) {
        case "date":
            return DATES[key] ?? key;
        case "status":
            return statusOf(key)?.label ?? key;
        case "label":
            return key === "" ? "No label" : (labelOf(key)?.name ?? key);
        case "agent":
            return key === "" ? "No agent" : key;
        case "model":
            return key === "" ? "Default model" : key;
        case "mode":
            return modeWord(key as Mode);
        case "unread":
            return key === "unread" ? "Unread" : "Read";
    }
}
