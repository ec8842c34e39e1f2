// What others need of connections. Their pages are loaded when they are opened.

export { ConnectionSettings } from "./lazy";
export { PresetNames } from "./PresetGrid";
export { credentialStatus, isReady, lacks, providerWord, windowWord } from "./labels";
