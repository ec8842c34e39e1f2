export { SourcePage } from "./SourcePage";
export { SourceRows } from "./SourceRows";
export { NewSource } from "./NewSource";
export { SourceChecks } from "./SourceChecks";
