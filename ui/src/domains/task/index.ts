// Coding tasks: what became of each, its changes with comments, its checks, and its end.

export { TaskBoard } from "./TaskBoard";
export { TaskPage } from "./TaskPage";
