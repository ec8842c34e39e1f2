// The library of the web: what was fetched, from where may be fetched, what was refused.

export { CitedPageDialog } from "./CitedPageDialog";
export { HostsToDecide } from "./HostsToDecide";
export { WaitingNotice } from "./WaitingNotice";
export { WebLibrary } from "./WebLibrary";
