// The library of the web: what was fetched, from where may be fetched, what was refused.

export { HostsToDecide } from "./HostsToDecide";
export { WaitingNotice } from "./WaitingNotice";
export { WebLibrary } from "./WebLibrary";
