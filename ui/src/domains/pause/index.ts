export { AnsweredLine } from "./AnsweredLine";
export { primaryOf } from "./answering";
export { PauseCard } from "./lazy";
