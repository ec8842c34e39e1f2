export { AgentPage } from "./AgentPage";
export { AgentRows } from "./AgentRows";
export { ProblemList, Problems } from "./Problems";
