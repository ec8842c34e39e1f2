export { Composer, type ComposerProps } from "./Composer";
export { depthHint, useOptions, type Options } from "./options";
