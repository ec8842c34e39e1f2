export { Attachments } from "./Attachments";
export { MentionIcon, MessageText, cutAtMentions } from "./MessageText";
export { TurnCard, type TurnCardProps } from "./TurnCard";
export { canResume, headStatus, isLive } from "./labels";
