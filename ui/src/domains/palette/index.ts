export { Palette } from "./Palette";
export { SessionCommands } from "./SessionCommands";
export { WindowCommands } from "./WindowCommands";
