// Formats, kinds, links and models as they are told to a person. A word that is not known here is shown as it is.

import type { BaseRow, JobState, KnowledgeCatalog } from "@/backend";
import { count, formatBytes, type SelectOption } from "@/shared";

/** What a base is called among others: by its title, told apart by its folder where titles meet, with who shares it. */
export function baseLabel(base: BaseRow, among: readonly BaseRow[]): string {
    const shown = (each: BaseRow) => each.title || each.name;
    const meets = among.some((each) => each.name !== base.name && shown(each) === shown(base));
    const apart = meets ? ` (${base.folder ?? base.name})` : "";
    return `${shown(base)}${apart}${base.sharedBy ? `, shared by ${base.sharedBy}` : ""}`;
}

const FORMATS: Record<string, string> = {
    text: "Plain text",
    markdown: "Markdown",
    csv: "CSV",
    html: "HTML",
    epub: "EPUB",
    docx: "Word",
    pdf: "PDF",
    ecfr: "eCFR XML",
    eurlex: "EUR-Lex",
    oscal: "OSCAL",
    jsonl: "JSON Lines",
};

export function formatWord(format: string): string {
    return FORMATS[format] ?? (format === "" ? "Skipped" : format);
}

/** "part-of" as "part of". */
export function plain(word: string): string {
    return word.replace(/[-_]+/g, " ");
}

/** What a file's rules are called. */
export function rulesWord(name: string, catalog: KnowledgeCatalog | undefined): string {
    return catalog?.rules.find((set) => set.name === name)?.title ?? plain(name);
}

/** How sure the program is of what it recognised. */
export function confidenceWord(confidence: number): string {
    return confidence >= 0.75 ? "High confidence" : confidence >= 0.4 ? "Medium confidence" : "Low confidence";
}

/** What a search compared besides words. */
export function meaningWord(meaning: string | null): string {
    if (meaning === null) return "by keywords";
    return meaning === "corpus"
        ? "by keywords and a similarity learned from the texts"
        : `by keywords, a similarity learned from the texts, and semantic search with ${modelWord(meaning)}`;
}

/** What vectors were made with, as it is named for the next ingest: a model of this machine without its digest. */
export function modelRef(model: string): string {
    return model.replace(/^(local:[^:]+):[0-9a-f]+$/, "$1");
}

/** "local:all-MiniLM-L6-v2" without where it lies. */
export function modelWord(model: string): string {
    return modelRef(model).replace(/^local:/, "");
}

/** Whether texts leave this machine when they are turned into vectors. */
export function isRemote(model: string): boolean {
    return /^(openai|voyage|gemini):/.test(model);
}

/** How a base without an embedding model is searched. */
export const SEARCH_WITHOUT_MODEL = "Search uses keywords, a similarity learned from the texts, and cross-references.";

export const NO_MODEL = "";
export const BY_LOOKING = "";

/** The model that reads pages which are pictures: no vectors are made with it. */
const PAGE_READER = "page-reader";

/** The models that vectors can be made with; `present` is one that is in use though it is not here. */
export function modelOptions(catalog: KnowledgeCatalog | undefined, present = NO_MODEL): SelectOption[] {
    const installed = (catalog?.models ?? [])
        .filter((model) => model.installed && model.name !== PAGE_READER)
        .map((model) => ({
            value: `local:${model.name}`,
            label: model.title || model.name,
            hint: "Semantic search, on this machine.",
        }));
    const own =
        present === NO_MODEL || installed.some((option) => option.value === present)
            ? []
            : [{ value: present, label: modelWord(present), hint: "Currently in use." }];
    return [{ value: NO_MODEL, label: "None", hint: SEARCH_WITHOUT_MODEL }, ...installed, ...own];
}

export function ruleOptions(catalog: KnowledgeCatalog | undefined): SelectOption[] {
    return [
        {
            value: BY_LOOKING,
            label: "Recognise automatically",
            hint: "The best-matching rule set is used for each file.",
        },
        ...(catalog?.rules ?? [])
            .filter((set) => set.name !== "")
            .map((set) => ({
                value: set.name,
                label: set.title || set.name,
                hint: set.fault ?? (set.own ? "Your own rules" : undefined),
                disabled: set.fault !== null,
            })),
    ];
}

/** How far a job is: a share where the end is known, and numbers where they mean something. */
export function progressOf({ text, done, total }: Pick<JobState, "text" | "done" | "total">): {
    value?: number;
    text?: string;
} {
    const value = total === 0 ? undefined : done / total;
    if (text.startsWith("Downloading")) {
        return {
            value,
            text:
                total === 0
                    ? done === 0
                        ? undefined
                        : formatBytes(done)
                    : `${formatBytes(done)} of ${formatBytes(total)}`,
        };
    }
    // Files are read by bytes or by number; the share says it in both cases.
    if (value === undefined || text.startsWith("Reading") || total <= 1) return { value };
    return { value, text: `${done.toLocaleString("en-GB")} of ${total.toLocaleString("en-GB")}` };
}

/** "12 paragraphs, 3 cross-references, 1 unresolved". */
export function recognised({
    paragraphs,
    references,
    dangling,
}: {
    paragraphs: number;
    references: number;
    dangling: number;
}): string {
    const links = references === 0 ? "no cross-references" : count(references, "cross-reference");
    const loose =
        dangling === 0
            ? ""
            : references === dangling
              ? references === 1
                  ? ", unresolved"
                  : ", all unresolved"
              : `, ${dangling.toLocaleString("en-GB")} unresolved`;
    return `${count(paragraphs, "paragraph")}, ${links}${loose}`;
}
