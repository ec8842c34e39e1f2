import { send, switchWorkspace, toProblem } from "@/backend";
import { go, FIRST_VIEW } from "@/routes";
import { toast } from "@/shared";

/** Shows a workspace in this window; the next window, and the terminal, begin there. */
export function show(slug: string): void {
    switchWorkspace(slug);
    // What was open is of the other one.
    go({ page: "inbox", view: FIRST_VIEW });
    send("settings_update", { workspace: slug }).catch((thrown: unknown) =>
        toast({ text: `The current workspace could not be saved: ${toProblem(thrown).message}`, tone: "failed" }),
    );
}
