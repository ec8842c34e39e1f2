import { useOrganisation, type OrganisationUse } from "@/domains/organise";
import { changeSettings, otherMode, useSettings, zoomed, SECTIONS } from "@/domains/settings";
import { go, type Route } from "@/routes";
import { goBack, goForward, toast, useShortcut } from "@/shared";

import { focusPane } from "./panes";

/** Where the palette leads without a key of its own. */
const PLACES: { id: string; label: string; route: Route }[] = [
    { id: "inbox", label: "Inbox", route: { page: "inbox", view: "inbox" } },
    { id: "needs-you", label: "Needs you", route: { page: "inbox", view: "needs_you" } },
    { id: "running", label: "Running", route: { page: "inbox", view: "running" } },
    { id: "done", label: "Finished", route: { page: "inbox", view: "done" } },
    { id: "flagged", label: "Flagged", route: { page: "inbox", view: "flagged" } },
    { id: "archived", label: "Archived", route: { page: "inbox", view: "archived" } },
    { id: "trash", label: "Trash", route: { page: "inbox", view: "trash" } },
    { id: "search", label: "Search everything", route: { page: "search" } },
    { id: "agents", label: "Agents", route: { page: "agents" } },
    { id: "knowledge", label: "Knowledge", route: { page: "knowledge" } },
    { id: "sources", label: "Sources", route: { page: "sources" } },
    { id: "web", label: "Web library", route: { page: "web" } },
    { id: "skills", label: "Skills", route: { page: "skills" } },
    { id: "missions", label: "Missions", route: { page: "missions" } },
    { id: "mission-new", label: "New mission…", route: { page: "missions", add: "" } },
    { id: "tasks", label: "Tasks", route: { page: "tasks" } },
    { id: "schedule", label: "Automations", route: { page: "schedule" } },
    { id: "usage", label: "Usage", route: { page: "usage" } },
    { id: "connection-add", label: "Add connection…", route: { page: "settings", section: "connections", add: "" } },
    { id: "help", label: "Help", route: { page: "help" } },
    { id: "welcome", label: "Welcome", route: { page: "welcome" } },
    ...SECTIONS.map(({ id, word }) => ({
        id: `settings-${id}`,
        label: `Settings: ${word}`,
        route: { page: "settings", section: id } as const,
    })),
];

/** The person's own lists. */
function listsOf({ views, statuses, labels }: OrganisationUse): typeof PLACES {
    const list = (kind: string, word: string, id: string, name: string) => ({
        id: `${kind}-${id}`,
        label: `${word}: ${name}`,
        route: { page: "inbox", view: `${kind}:${id}` } as const,
    });
    return [
        ...views.map((view) => list("saved", "View", view.id, view.name)),
        ...statuses.map((status) => list("status", "Status", status.id, status.label)),
        ...labels.map((label) => list("label", "Label", label.id, label.path)),
    ];
}

function Place({ id, label, route }: (typeof PLACES)[number]) {
    useShortcut(`place-${id}`, "", label, () => go(route), { group: "Go" });
    return null;
}

/** What the keyboard does everywhere in the window. Draws nothing. */
export function WindowCommands() {
    const { settings } = useSettings();
    const organisation = useOrganisation();
    const known = settings !== undefined;
    const zoom = settings?.zoom ?? 1;
    const zoomBy = (steps: number) => void changeSettings({ zoom: steps === 0 ? 1 : zoomed(zoom, steps) });
    const pane = (number: number, name: string) => {
        if (!focusPane(number)) toast({ text: `${name} is hidden.` });
    };
    useShortcut("new-question", "Ctrl+N", "New question", () => go({ page: "new" }), { group: "Window" });
    useShortcut("add-documents", "", "Add documents…", () => go({ page: "knowledge", adding: true }), {
        group: "Window",
    });
    useShortcut("settings", "Ctrl+,", "Settings", () => go({ page: "settings", section: "appearance" }), {
        group: "Window",
    });
    useShortcut("back", "Alt+ArrowLeft", "Back", goBack, { group: "Window" });
    useShortcut("forward", "Alt+ArrowRight", "Forward", goForward, { group: "Window" });
    useShortcut("pane-1", "Ctrl+1", "Focus the sidebar", () => pane(1, "The sidebar"), { group: "Window" });
    useShortcut("pane-2", "Ctrl+2", "Focus the list", () => pane(2, "The list"), { group: "Window" });
    useShortcut("pane-3", "Ctrl+3", "Focus the content", () => pane(3, "The content"), { group: "Window" });
    useShortcut(
        "mode",
        "Ctrl+Shift+A",
        "Toggle light and dark",
        () =>
            void changeSettings({
                mode: otherMode(settings?.mode ?? "system", matchMedia("(prefers-color-scheme: dark)").matches),
            }),
        {
            group: "Look",
            enabled: known,
        },
    );
    useShortcut("zoom-in", "Ctrl+=", "Zoom in", () => zoomBy(1), { group: "Look", enabled: known });
    useShortcut("zoom-in", "Ctrl++", "Zoom in", () => zoomBy(1), { group: "Look", enabled: known });
    useShortcut("zoom-out", "Ctrl+-", "Zoom out", () => zoomBy(-1), { group: "Look", enabled: known });
    useShortcut("zoom-reset", "Ctrl+0", "Reset zoom", () => zoomBy(0), { group: "Look", enabled: known });
    return [...PLACES, ...listsOf(organisation)].map((place) => <Place key={place.id} {...place} />);
}
