export { HelpRows, HelpText } from "./HelpPages";
