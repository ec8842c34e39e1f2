export type { ApprovalCardProps } from "./ApprovalCard";
export { ApprovalCard } from "./lazy";
export { ConfinementNote } from "./ConfinementNote";
export { ModeIcon, ModeSwitch, mayBecome } from "./ModeSwitch";
export { MODES, modeWord, nextMode } from "./modes";
export { PermissionSettings } from "./PermissionSettings";
export { PreviewView } from "./PreviewView";
export { allowStages } from "./stages";
