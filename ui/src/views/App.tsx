// The window: sidebar, list, content, inspector; which of them are in sight depends on its width.

import { List, PanelLeft } from "lucide-react";
import { Suspense, lazy, useEffect, useMemo, useState, type ReactNode } from "react";

import { openOutside, shell, toProblem } from "@/backend";
import { JobNews } from "@/domains/knowledge";
import { FirstRun } from "@/domains/onboarding";
import { Palette, SessionCommands, WindowCommands } from "@/domains/palette";
import { NavigationKeys, SessionList, Sidebar, keepLastPlace } from "@/domains/session";
import { AppliedSettings, ShortcutNotes } from "@/domains/settings";
import { ThemeEditing } from "@/domains/theme";
import { TransferHost } from "@/domains/transfer";
import { ProblemsBar, WorkspaceCommands } from "@/domains/workspace";
import { FIRST_VIEW, useRoute, type Route } from "@/routes";
import {
    ConfirmHost,
    IconButton,
    InspectorContext,
    Sheet,
    Skeleton,
    SplitPane,
    Toasts,
    TooltipProvider,
    preloadParts,
    navigate,
    useAppearance,
    useMediaQuery,
    useRemembered,
    useShortcut,
    toastProblem,
} from "@/shared";
import { OpenLinkContext } from "@/shared/markdown";

import { ConnectionBar } from "./ConnectionBar";
import { Boundary } from "./Boundary";
import { DropAnywhere } from "./DropAnywhere";
import { ShortcutList } from "./ShortcutList";
import { useDiagramChecks } from "./useDiagramChecks";
import { useLimitWarnings } from "./useLimitWarnings";

const SessionView = lazy(() => import("./SessionView"));
const NewView = lazy(() => import("./NewView"));
const RunView = lazy(() => import("./RunView"));
const CompareView = lazy(() => import("./CompareView"));
const AgentsView = lazy(() => import("./AgentsView"));
const AgentView = lazy(() => import("./AgentView"));
const KnowledgeView = lazy(() => import("./KnowledgeView"));
const BaseView = lazy(() => import("./BaseView"));
const SourcesView = lazy(() => import("./SourcesView"));
const SourceView = lazy(() => import("./SourceView"));
const NewSourceView = lazy(() => import("./NewSourceView"));
const SkillsView = lazy(() => import("./SkillsView"));
const HelpView = lazy(() => import("./HelpView"));
const SettingsView = lazy(() => import("./SettingsView"));
const SearchView = lazy(() => import("./SearchView"));
const ScheduleView = lazy(() => import("./ScheduleView"));
const MissionsView = lazy(() => import("./MissionsView"));
const TasksView = lazy(() => import("./TasksView"));
const UsageView = lazy(() => import("./UsageView"));
const WebView = lazy(() => import("./WebView"));
const WelcomeView = lazy(() => import("./WelcomeView"));

export { keepLastPlace };

/** Pages that stand beside the list of sessions. */
const BESIDE_LIST: readonly Route["page"][] = ["inbox", "session", "new", "run"];

/** Widths of panes in pixels at a zoom of 1. */
const SIDEBAR = 216;
const LIST = { initial: 312, min: 240, max: 480 };
const INSPECTOR = { initial: 380, min: 300, max: 640 };
/** Beside list and inspector a document needs this much to be read. */
const DOCUMENT = 480;
/** The lines between panes. */
const LINES = 2;

function content(route: Route): ReactNode {
    switch (route.page) {
        case "inbox":
        case "new":
            return <NewView />;
        case "session":
            return <SessionView />;
        case "search":
            return <SearchView />;
        case "run":
            return <RunView />;
        case "compare":
            return <CompareView />;
        case "agents":
            return <AgentsView />;
        case "agent":
            return <AgentView />;
        case "knowledge":
            return <KnowledgeView />;
        case "base":
            return <BaseView />;
        case "sources":
            return <SourcesView />;
        case "source":
            return <SourceView />;
        case "new_source":
            return <NewSourceView />;
        case "skills":
        case "skill":
            return <SkillsView />;
        case "help":
            return <HelpView />;
        case "settings":
            return <SettingsView />;
        case "schedule":
            return <ScheduleView />;
        case "missions":
            return <MissionsView />;
        case "tasks":
        case "task":
            return <TasksView />;
        case "usage":
            return <UsageView />;
        case "web":
            return <WebView />;
        case "welcome":
            return <WelcomeView />;
    }
}

/** A link of a text leaves the window: to the person's browser. */
function openLink(url: string): void {
    openOutside(url).catch((thrown: unknown) => toastProblem(toProblem(thrown), "The link could not be opened"));
}

/** How long the first screen has the machine for itself, in milliseconds. */
const FIRST_MS = 1_500;

export default function App() {
    const route = useRoute();
    useDiagramChecks();
    useLimitWarnings();
    const [view, setView] = useState(FIRST_VIEW);
    if (route.page === "inbox" && route.view !== view) setView(route.view);
    const narrow = useMediaQuery("(max-width: 999.98px)");
    const slim = useMediaQuery("(max-width: 759.98px)");
    const [{ mode, zoom }] = useAppearance();
    const [sidebarShown, setSidebarShown] = useRemembered("sidebar", true);
    const [overlay, setOverlay] = useState<"sidebar" | "list" | undefined>();
    const besideList = BESIDE_LIST.includes(route.page);
    // The list stays beside document and inspector: where not all of them fit, the inspector slides over the page.
    const panes = (sidebarShown ? SIDEBAR : 0) + LIST.min + DOCUMENT + INSPECTOR.min + LINES;
    const roomy = useMediaQuery(`(min-width: ${Math.round(besideList ? panes * zoom : 1180)}px)`);
    // In a narrow window there is no room beside the list: there it is a page of its own, and elsewhere an overlay.
    const listIsPage = narrow && route.page === "inbox";
    const listAside = narrow && besideList && !listIsPage;
    // Whatever was chosen in an overlay, the page under it is what is wanted now.
    const [seen, setSeen] = useState(route);
    if (seen !== route) {
        setSeen(route);
        if (overlay !== undefined) setOverlay(undefined);
    }

    // Whoever opens a dialog then does not wait for its code.
    useEffect(() => {
        const rest = setTimeout(() => void preloadParts(), FIRST_MS);
        return () => clearTimeout(rest);
    }, []);
    const [closing, setClosing] = useState(false);
    useEffect(() => {
        const desktop = shell();
        const stops = [desktop?.onLink((path) => navigate(path)), desktop?.onClosing(setClosing)];
        return () => stops.forEach((stop) => stop?.());
    }, []);
    const systemIsDark = useMediaQuery("(prefers-color-scheme: dark)");
    const dark = mode === "dark" || (mode === "system" && systemIsDark);
    useEffect(() => {
        // Only colours the next start: nothing is lost where it fails.
        shell()
            ?.ready(dark)
            .catch((thrown: unknown) => console.error(toProblem(thrown).message));
    }, [dark]);
    useShortcut(
        "sidebar",
        "Ctrl+B",
        "Show or hide the sidebar",
        () => (slim ? setOverlay(overlay === "sidebar" ? undefined : "sidebar") : setSidebarShown(!sidebarShown)),
        { group: "Window" },
    );
    useShortcut("list", "Ctrl+L", "Show the list", () => setOverlay(overlay === "list" ? undefined : "list"), {
        group: "Window",
        enabled: listAside,
    });

    const main = (
        <main data-pane="content" className="flex h-full min-w-0 flex-1 flex-col bg-page">
            {(slim || !sidebarShown || listAside) && (
                <div className="flex h-9 shrink-0 items-center gap-1 border-b border-hairline px-2">
                    <IconButton
                        label={slim ? "Show the sidebar" : sidebarShown ? "Show the list" : "Show the sidebar"}
                        shortcut={slim || !sidebarShown ? "Ctrl+B" : "Ctrl+L"}
                        size="small"
                        icon={
                            slim || !sidebarShown ? (
                                <PanelLeft size={16} strokeWidth={1.5} />
                            ) : (
                                <List size={16} strokeWidth={1.5} />
                            )
                        }
                        onClick={() =>
                            slim ? setOverlay("sidebar") : sidebarShown ? setOverlay("list") : setSidebarShown(true)
                        }
                    />
                    {listAside && (slim || !sidebarShown) && (
                        <IconButton
                            label="Show the list"
                            shortcut="Ctrl+L"
                            size="small"
                            icon={<List size={16} strokeWidth={1.5} />}
                            onClick={() => setOverlay("list")}
                        />
                    )}
                </div>
            )}
            <Boundary key={route.page} of={route}>
                <Suspense fallback={<Skeleton lines={5} className="max-w-xl p-6" />}>
                    {listIsPage ? <SessionList view={view} /> : content(route)}
                </Suspense>
            </Boundary>
        </main>
    );
    return (
        <OpenLinkContext value={openLink}>
            <TooltipProvider>
                {/* Nothing makes the window itself scroll, not even a label for screen readers far down in a pane. */}
                <div className="relative flex h-full flex-col overflow-clip print:overflow-visible">
                    <ConnectionBar />
                    <ProblemsBar />
                    {closing && (
                        <p
                            role="status"
                            className="shrink-0 border-b border-hairline bg-running-soft px-4 py-1.5 text-ui text-ink"
                        >
                            Closing: active runs are being saved, so that they can resume at the next start.
                        </p>
                    )}
                    <div className="flex min-h-0 flex-1">
                        {!slim && sidebarShown && (
                            <div
                                data-pane="sidebar"
                                className="h-full w-[13.5rem] shrink-0 border-r border-hairline bg-sunken"
                            >
                                <Sidebar view={view} />
                            </div>
                        )}
                        <WithInspector narrow={!roomy} rest={besideList ? LIST.min + DOCUMENT : 0}>
                            {(inspecting) => (
                                <SplitPane
                                    id="list"
                                    label="the list"
                                    {...LIST}
                                    rest={inspecting ? DOCUMENT : 0}
                                    collapsed={narrow || !besideList}
                                    start={
                                        !narrow && besideList ? (
                                            <div data-pane="list" className="flex h-full flex-col bg-surface">
                                                <SessionList view={view} />
                                            </div>
                                        ) : null
                                    }
                                    end={main}
                                />
                            )}
                        </WithInspector>
                    </div>
                </div>
                <Sheet
                    open={slim && overlay === "sidebar"}
                    onOpenChange={(open) => !open && setOverlay(undefined)}
                    title="Sidebar"
                    hideTitle
                    side="left"
                    width="w-[13.5rem]"
                >
                    <Sidebar view={view} />
                </Sheet>
                <Sheet
                    open={narrow && overlay === "list"}
                    onOpenChange={(open) => !open && setOverlay(undefined)}
                    title="List"
                    hideTitle
                    side="left"
                    width="w-[21rem]"
                >
                    <div className="flex h-full flex-col">
                        <SessionList view={view} />
                    </div>
                </Sheet>
                <AppliedSettings />
                <ThemeEditing />
                <FirstRun />
                <NavigationKeys />
                <WindowCommands />
                <WorkspaceCommands />
                <SessionCommands />
                <ShortcutNotes />
                <JobNews />
                <DropAnywhere />
                <Palette />
                <ShortcutList />
                <TransferHost />
                <ConfirmHost />
                <Toasts />
            </TooltipProvider>
        </OpenLinkContext>
    );
}

interface WithInspectorProps {
    narrow: boolean;
    /** What list and document keep beside it, in pixels. */
    rest: number;
    children: (open: boolean) => ReactNode;
}

function WithInspector({ narrow, rest, children }: WithInspectorProps) {
    const [place, setPlace] = useState<HTMLElement | null>(null);
    const [open, setOpen] = useState(false);
    const frame = useMemo(() => ({ place, narrow, setOpen }), [place, narrow]);
    return (
        <InspectorContext value={frame}>
            <SplitPane
                id="inspector"
                label="the inspector"
                fixed="end"
                {...INSPECTOR}
                rest={rest}
                collapsed={!open || narrow}
                start={children(open && !narrow)}
                end={<div ref={setPlace} className="h-full" />}
                className="flex-1"
            />
        </InspectorContext>
    );
}
