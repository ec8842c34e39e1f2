export { ProblemsBar } from "./ProblemsBar";
export { useWorkspace } from "./useWorkspace";
export { WorkspaceCommands } from "./WorkspaceCommands";
export { WorkspaceSwitcher } from "./WorkspaceSwitcher";
