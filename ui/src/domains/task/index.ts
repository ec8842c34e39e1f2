// Coding tasks: what became of each, its changes with comments, its checks, and its end.

export { AGENT } from "./labels";
export { TaskBoard } from "./TaskBoard";
export { TaskLink } from "./TaskLink";
export { TaskPage } from "./TaskPage";
