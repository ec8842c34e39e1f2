// The keys that lead to the parts of the program; they hold whether the sidebar is shown or not.

import { go } from "@/routes";
import { useShortcut } from "@/shared";

/** Draws nothing. */
export function NavigationKeys() {
    useShortcut("new", "c", "New question", () => go({ page: "new" }), { group: "Go" });
    useShortcut("go-inbox", "g then i", "Inbox", () => go({ page: "inbox", view: "inbox" }), { group: "Go" });
    useShortcut("go-needs", "g then n", "Needs you", () => go({ page: "inbox", view: "needs_you" }), { group: "Go" });
    useShortcut("go-done", "g then d", "Finished", () => go({ page: "inbox", view: "done" }), { group: "Go" });
    useShortcut("go-flagged", "g then f", "Flagged", () => go({ page: "inbox", view: "flagged" }), { group: "Go" });
    useShortcut("go-archived", "g then a", "Archived", () => go({ page: "inbox", view: "archived" }), { group: "Go" });
    useShortcut("go-trash", "g then t", "Trash", () => go({ page: "inbox", view: "trash" }), { group: "Go" });
    useShortcut("go-search", "/", "Search everything", () => go({ page: "search" }), { group: "Go" });
    useShortcut("search", "Ctrl+Shift+F", "Search everything", () => go({ page: "search" }), { group: "Window" });
    useShortcut("go-agents", "g then b", "Agents", () => go({ page: "agents" }), { group: "Go" });
    useShortcut("go-knowledge", "g then k", "Knowledge", () => go({ page: "knowledge" }), { group: "Go" });
    useShortcut("go-usage", "g then u", "Usage", () => go({ page: "usage" }), { group: "Go" });
    useShortcut("go-settings", "g then s", "Settings", () => go({ page: "settings", section: "appearance" }), {
        group: "Go",
    });
    return null;
}
