export { SaveView } from "./SaveView";
export { SearchPage } from "./SearchPage";
