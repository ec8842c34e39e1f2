// How much weight a base's text carries, in words.

export interface Tier {
    id: string;
    word: string;
    means: string;
}

export const TIERS: readonly Tier[] = [
    { id: "standard", word: "Standard", means: "A binding or authoritative text. Ranked highest." },
    { id: "guide", word: "Guide", means: "Guidance that explains a standard. Never treated as one." },
    { id: "web", word: "Web", means: "Web pages, marked as such wherever they are cited." },
    { id: "primer", word: "Primer", means: "A plain-language introduction, not the text itself." },
];

export function tierWord(id: string): string {
    return TIERS.find((tier) => tier.id === id)?.word ?? id;
}

/** Whether its paragraphs may not be taken for the text that they tell of. */
export function isBackground(id: string): boolean {
    return id === "web" || id === "primer";
}
