// What the window needs at its start. The page is loaded by its view.

export { FirstRun } from "./FirstRun";
