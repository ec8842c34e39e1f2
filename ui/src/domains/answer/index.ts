export { AnswerCard } from "./AnswerCard";
export { AnswerDocument } from "./AnswerDocument";
export { DraftAnswer } from "./DraftAnswer";
export { exportEntries, exportMission, exportSession } from "./export";
export { FootnoteList, FootnoteMark } from "./Footnotes";
export { ParagraphInspector } from "./lazy";
export { verificationLine } from "./labels";
