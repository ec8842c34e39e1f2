export { AnsweredLine } from "./AnsweredLine";
export { PauseCard } from "./lazy";
