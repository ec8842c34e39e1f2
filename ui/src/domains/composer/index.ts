export { Composer, type ComposerProps } from "./Composer";
export { depthMeaning, useOptions, type Options } from "./options";
