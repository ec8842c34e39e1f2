export { archive, flag, markUnread, purge, remove, rename, restore } from "./actions";
export { SessionList } from "./SessionList";
export { Sidebar } from "./Sidebar";
