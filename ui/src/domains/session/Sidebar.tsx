// The way to everything: views over sessions with their counts, and the parts of the program.

import {
    Archive,
    BookOpen,
    Bot,
    CalendarClock,
    ChartColumn,
    CheckCheck,
    CircleDot,
    CircleHelp,
    CirclePause,
    Compass,
    Flag,
    GitBranch,
    Inbox,
    Plug,
    Plus,
    ScrollText,
    Search,
    Settings,
    Trash2,
    type LucideIcon,
} from "lucide-react";

import { useQuery, type SessionView } from "@/backend";
import { WorkspaceSwitcher } from "@/domains/workspace";
import { go, hrefOf, useRoute, type Route } from "@/routes";
import { Button, Kbd, cx } from "@/shared";

import { SidebarLists } from "./SidebarLists";
import { VIEWS } from "./views";

const VIEW_ICONS: { readonly [V in SessionView]: LucideIcon } = {
    inbox: Inbox,
    running: CircleDot,
    needs_you: CirclePause,
    done: CheckCheck,
    flagged: Flag,
    archived: Archive,
    trash: Trash2,
};

const PARTS: readonly { id: string; label: string; icon: LucideIcon; route: Route; pages: readonly Route["page"][] }[] =
    [
        { id: "agents", label: "Agents", icon: Bot, route: { page: "agents" }, pages: ["agents", "agent"] },
        {
            id: "knowledge",
            label: "Knowledge",
            icon: BookOpen,
            route: { page: "knowledge" },
            pages: ["knowledge", "base"],
        },
        {
            id: "sources",
            label: "Sources",
            icon: Plug,
            route: { page: "sources" },
            pages: ["sources", "source", "new_source", "web"],
        },
        { id: "skills", label: "Skills", icon: ScrollText, route: { page: "skills" }, pages: ["skills", "skill"] },
        { id: "missions", label: "Missions", icon: Compass, route: { page: "missions" }, pages: ["missions"] },
        { id: "tasks", label: "Tasks", icon: GitBranch, route: { page: "tasks" }, pages: ["tasks", "task"] },
        { id: "schedule", label: "Automations", icon: CalendarClock, route: { page: "schedule" }, pages: ["schedule"] },
        { id: "usage", label: "Usage", icon: ChartColumn, route: { page: "usage" }, pages: ["usage"] },
        {
            id: "settings",
            label: "Settings",
            icon: Settings,
            route: { page: "settings", section: "appearance" },
            pages: ["settings"],
        },
        { id: "help", label: "Help", icon: CircleHelp, route: { page: "help" }, pages: ["help"] },
    ];

/** `view`: the view that the list shows, also while something else is open beside it. */
export function Sidebar({ view }: { view?: string }) {
    const route = useRoute();
    const { data: counts } = useQuery("session_counts", null);
    const shown =
        route.page === "inbox" ? route.view : ["session", "new", "run"].includes(route.page) ? view : undefined;
    return (
        <nav aria-label="Main" className="flex h-full min-h-0 flex-col overflow-y-auto p-2">
            <WorkspaceSwitcher />
            <Button
                icon={<Plus size={16} strokeWidth={1.5} />}
                onClick={() => go({ page: "new" })}
                title="New question (c)"
                className="mb-3 w-full justify-start px-2"
            >
                <span className="flex-1 text-left">New question</span>
            </Button>
            <a
                href={hrefOf({ page: "search" })}
                aria-current={route.page === "search" ? "page" : undefined}
                className={cx(
                    "ring-inside mb-1 flex h-7 items-center gap-2 rounded-control px-2 text-ui",
                    route.page === "search"
                        ? "bg-hover font-medium text-ink"
                        : "text-ink-2 hover:bg-hover hover:text-ink",
                )}
            >
                <Search size={16} strokeWidth={1.5} aria-hidden className="shrink-0 text-ink-3" />
                <span className="flex-1">Search</span>
                <Kbd>/</Kbd>
            </a>
            <ul>
                {VIEWS.map((each) => (
                    <li key={each.view}>
                        <Entry
                            href={hrefOf({ page: "inbox", view: each.view })}
                            icon={VIEW_ICONS[each.view]}
                            label={each.label}
                            here={shown === each.view}
                            count={counts?.[each.count]}
                            strong={each.view === "needs_you"}
                        />
                    </li>
                ))}
            </ul>
            <SidebarLists here={shown} />
            <hr className="mx-2 my-3 border-hairline" />
            <ul>
                {PARTS.map((part) => (
                    <li key={part.id}>
                        <Entry
                            href={hrefOf(part.route)}
                            icon={part.icon}
                            label={part.label}
                            here={part.pages.includes(route.page)}
                        />
                    </li>
                ))}
            </ul>
        </nav>
    );
}

interface EntryProps {
    href: string;
    icon: LucideIcon;
    label: string;
    here: boolean;
    count?: number;
    /** Its count asks for the person. */
    strong?: boolean;
}

function Entry({ href, icon: Icon, label, here, count = 0, strong = false }: EntryProps) {
    return (
        <a
            href={href}
            aria-current={here ? "page" : undefined}
            className={cx(
                "ring-inside flex h-7 items-center gap-2 rounded-control px-2 text-ui",
                here ? "bg-hover font-medium text-ink" : "text-ink-2 hover:bg-hover hover:text-ink",
            )}
        >
            <Icon
                size={16}
                strokeWidth={1.5}
                aria-hidden
                className={cx("shrink-0", strong && count > 0 ? "text-needs" : here ? "text-ink" : "text-ink-3")}
            />
            <span className="min-w-0 flex-1 truncate">{label}</span>
            {count > 0 && (
                <span className={cx("tabular text-small", strong ? "font-medium text-needs" : "text-ink-3")}>
                    {count}
                    <span className="sr-only"> {count === 1 ? "session" : "sessions"}</span>
                </span>
            )}
        </a>
    );
}
