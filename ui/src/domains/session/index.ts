export { archive, flag, markUnread, purge, remove, rename, restore } from "./actions";
export { changeLabels, createLabel, setStatus } from "./changes";
export { keepLastPlace } from "./lastPlace";
export { NavigationKeys } from "./NavigationKeys";
export { SessionList } from "./SessionList";
export { Sidebar } from "./Sidebar";
