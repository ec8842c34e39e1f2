import { own } from "@/shared";

export interface DepthRow {
    /** Its name in the configuration. */
    key: string;
    /** In words. */
    name: string;
    /** By depth. */
    values: Record<string, unknown>;
}

/** Settings by depth as rows: one a setting, in the order in which they first occur. */
export function depthRows(modes: unknown): DepthRow[] {
    if (typeof modes !== "object" || modes === null) return [];
    const rows = new Map<string, DepthRow>();
    const depths = Object.keys(modes);
    for (const [depth, settings] of Object.entries(modes)) {
        if (typeof settings !== "object" || settings === null) continue;
        for (const [key, value] of Object.entries(settings as Record<string, unknown>)) {
            let row = rows.get(key);
            if (row === undefined) {
                row = { key, name: inWords(key), values: Object.fromEntries(depths.map((each) => [each, undefined])) };
                rows.set(key, row);
            }
            row.values[depth] = value;
        }
    }
    return [...rows.values()];
}

const KNOWN: Record<string, string> = {
    maxSubQueries: "Maximum queries",
    enableWebSearch: "Web search",
    topK: "Results per query",
    hopDepth: "Cross-reference hops",
    maxParagraphs: "Maximum paragraphs",
};

function inWords(key: string): string {
    const words = key
        .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
        .replace(/[_-]/g, " ")
        .toLowerCase();
    return own(KNOWN, key) ?? words.charAt(0).toUpperCase() + words.slice(1);
}
