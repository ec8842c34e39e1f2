/** The parts of the settings, in order. */
export const SECTIONS = [
    { id: "appearance", word: "Appearance" },
    { id: "notifications", word: "Notifications" },
    { id: "writing", word: "Writing" },
    { id: "organisation", word: "Organisation" },
    { id: "connections", word: "Connections" },
    { id: "limits", word: "Limits" },
    { id: "credentials", word: "Credentials" },
    { id: "permissions", word: "Permissions" },
    { id: "shortcuts", word: "Shortcuts" },
    { id: "data", word: "Data" },
    { id: "health", word: "Health" },
    { id: "about", word: "About" },
] as const;

export type SectionId = (typeof SECTIONS)[number]["id"];
