export { Composer, type ComposerProps } from "./Composer";
export { useDraft, type DraftUse } from "./draft";
export { depthHint, useOptions, type Options } from "./options";
