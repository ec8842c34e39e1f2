export { SourcePage } from "./SourcePage";
export { SourceRows } from "./SourceRows";
