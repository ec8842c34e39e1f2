import { useRoute } from "@/routes";
import { lazyPart, useShortcut } from "@/shared";

import { closeTransfer, openExport, openImport, openShare, useOpened } from "./open";

const ExportDialog = lazyPart(() => import("./ExportDialog").then((part) => part.default));
const ImportDialog = lazyPart(() => import("./ImportDialog").then((part) => part.default));
const ShareDialog = lazyPart(() => import("./ShareDialog").then((part) => part.default));

/** Shows the dialog that was asked for. One in the window. */
export function TransferHost() {
    const opened = useOpened();
    const route = useRoute();
    const session = route.page === "session" ? route.session : undefined;
    const enabled = session !== undefined;
    useShortcut("transfer-import", "", "Import sessions…", openImport, { group: "General" });
    useShortcut("transfer-export", "", "Export session…", () => session !== undefined && openExport([session]), {
        group: "Session",
        enabled,
    });
    useShortcut("transfer-share", "", "Share session…", () => session !== undefined && openShare(session), {
        group: "Session",
        enabled,
    });
    if (opened === undefined) return null;
    return (
        <>
            {opened.kind === "export" && <ExportDialog sessions={opened.sessions} onClose={closeTransfer} />}
            {opened.kind === "import" && <ImportDialog onClose={closeTransfer} />}
            {opened.kind === "share" && <ShareDialog session={opened.session} onClose={closeTransfer} />}
        </>
    );
}
