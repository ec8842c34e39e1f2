// Export, import and sharing. The dialogs are no part of the window's start.

export { openExport, openImport, openShare } from "./open";
export { TransferHost } from "./TransferHost";
