export { AnsweredLine } from "./AnsweredLine";
export { PauseCard } from "./PauseCard";
export { primaryOf } from "./answering";
