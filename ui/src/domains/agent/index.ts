export { AgentIcon } from "./AgentIcon";
export { AgentPage } from "./AgentPage";
export { AgentRows } from "./AgentRows";
export { MakeAgent } from "./MakeAgent";
export { ProblemList, Problems } from "./Problems";
