export { Composer, type ComposerProps } from "./Composer";
export { useDraft, type DraftUse } from "./draft";
export { depthMeaning, useOptions, type Options } from "./options";
