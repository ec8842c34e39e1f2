export { AnsweredLine } from "./AnsweredLine";
export { primaryOf } from "./reply";
export { PauseCard } from "./lazy";
