export { ProblemsBar } from "./ProblemsBar";
export { useWorkspace } from "./useWorkspace";
export { WorkspaceSwitcher } from "./WorkspaceSwitcher";
