// What others need of the settings. The page itself is no part of the window's start: its view loads it.

export { AppliedSettings } from "./AppliedSettings";
export { ShortcutNotes } from "./knownShortcuts";
export { SECTIONS } from "./sections";
export { ZOOM, otherMode, zoomed } from "./state";
export { changeSettings, forgetSettings, useSettings, type SettingsUse } from "./useSettings";
