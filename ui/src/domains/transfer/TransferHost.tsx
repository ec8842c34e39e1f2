import { Suspense, lazy } from "react";

import { useRoute } from "@/routes";
import { useShortcut } from "@/shared";

import { closeTransfer, openExport, openImport, openShare, useOpened } from "./open";

const ExportDialog = lazy(() => import("./ExportDialog"));
const ImportDialog = lazy(() => import("./ImportDialog"));
const ShareDialog = lazy(() => import("./ShareDialog"));

/** Shows the dialog that was asked for. One in the window. */
export function TransferHost() {
    const opened = useOpened();
    const route = useRoute();
    const session = route.page === "session" ? route.session : undefined;
    const enabled = session !== undefined;
    useShortcut("transfer-import", "", "Import sessions…", openImport, { group: "General" });
    useShortcut("transfer-export", "", "Export the session…", () => session !== undefined && openExport([session]), { group: "Session", enabled });
    useShortcut("transfer-share", "", "Share the session…", () => session !== undefined && openShare(session), { group: "Session", enabled });
    if (opened === undefined) return null;
    return (
        <Suspense fallback={null}>
            {opened.kind === "export" && <ExportDialog sessions={opened.sessions} onClose={closeTransfer} />}
            {opened.kind === "import" && <ImportDialog onClose={closeTransfer} />}
            {opened.kind === "share" && <ShareDialog session={opened.session} onClose={closeTransfer} />}
        </Suspense>
    );
}
