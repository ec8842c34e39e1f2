export { ApprovalCard, type ApprovalCardProps } from "./ApprovalCard";
export { ModeIcon, ModeSwitch, mayBecome } from "./ModeSwitch";
export { MODES, modeWord, nextMode } from "./modes";
export { PreviewView } from "./PreviewView";
