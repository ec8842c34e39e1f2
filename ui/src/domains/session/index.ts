export { archive, flag, markUnread, purge, remove, rename, restore } from "./actions";
export { changeLabels, createLabel, setStatus } from "./changes";
export { SessionList } from "./SessionList";
export { Sidebar } from "./Sidebar";
