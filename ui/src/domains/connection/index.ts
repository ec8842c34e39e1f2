// What others need of connections. Their pages are loaded when they are opened.

export { ConnectionSettings } from "./parts";
export { PresetNames } from "./PresetGrid";
export { credentialStanding, isReady, lacks, providerWord, windowWord } from "./words";
