import { carry, useDroppedFiles } from "@/domains/knowledge";
import { go, useRoute, type Route } from "@/routes";
import { cx } from "@/shared";

/** Pages that take what is dropped themselves: a question, a session, a base. */
const TAKE: readonly Route["page"][] = ["inbox", "new", "session", "base"];

/** Files and folders that are dropped on any other page become a base that the next question asks. */
export function DropAnywhere() {
    const route = useRoute();
    const takes = TAKE.includes(route.page) || (route.page === "knowledge" && route.adding === true);
    return takes ? null : <DropTarget />;
}

function DropTarget() {
    const over = useDroppedFiles((paths) => {
        carry(paths);
        go({ page: "new" });
    });
    return (
        <div
            role="status"
            className={cx(
                "pointer-events-none fixed inset-2 z-50 flex items-end justify-center rounded-card border border-dashed border-accent pb-6",
                !over && "hidden",
            )}
        >
            <span className="rounded-card border border-hairline-strong bg-surface px-4 py-2 text-ui">
                Drop to ask a question about these files
            </span>
        </div>
    );
}
