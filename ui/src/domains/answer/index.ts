export { AnswerCard } from "./AnswerCard";
export { AnswerDocument } from "./AnswerDocument";
export { exportSession } from "./exporting";
export { ParagraphInspector } from "./ParagraphInspector";
export { verificationLine } from "./words";
