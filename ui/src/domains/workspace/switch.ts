import { send, shell, switchWorkspace, toProblem } from "@/backend";
import { go, FIRST_VIEW } from "@/routes";
import { toastProblem } from "@/shared";

/** Shows a workspace in this window; the next window, and the terminal, begin there. */
export function show(slug: string): void {
    switchWorkspace(slug);
    // What was open is of the other one.
    go({ page: "inbox", view: FIRST_VIEW });
    send("settings_update", { workspace: slug }).catch((thrown: unknown) =>
        toastProblem(toProblem(thrown), "The current workspace could not be saved"),
    );
}

/** A window of its own, where the desktop has windows; else a tab. */
export function openWindow(slug: string): void {
    const own = shell();
    if (own === undefined) {
        window.open(`${location.pathname}?workspace=${encodeURIComponent(slug)}`, "_blank");
        return;
    }
    own.openWindow(slug).catch((thrown: unknown) => toastProblem(toProblem(thrown), "The window could not be opened"));
}
