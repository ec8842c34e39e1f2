export { AnswerCard } from "./AnswerCard";
export { AnswerDocument } from "./AnswerDocument";
export { DraftAnswer } from "./DraftAnswer";
export { exportSession } from "./exporting";
export { ParagraphInspector } from "./lazy";
export { verificationLine } from "./labels";
