// How much weight a base's text carries, in words.

export interface Tier {
    id: string;
    word: string;
    means: string;
}

export const TIERS: readonly Tier[] = [
    { id: "document", word: "Document", means: "A text of your own or anybody’s: it is what it is, and no standard." },
    { id: "standard", word: "Standard", means: "A binding or authoritative text. Ranked highest." },
    { id: "guide", word: "Guide", means: "Guidance that explains a standard. Never treated as one." },
    { id: "web", word: "Web", means: "Web pages, marked as such wherever they are cited." },
    { id: "primer", word: "Primer", means: "A plain-language introduction, not the text itself." },
];

/** What a text is unless somebody says otherwise. */
export const DEFAULT_TIER = "document";

export function tierWord(id: string): string {
    return TIERS.find((tier) => tier.id === id)?.word ?? id;
}

/** Whether its paragraphs may not be taken for the text that they tell of. */
export function isBackground(id: string): boolean {
    return id === "web" || id === "primer";
}
