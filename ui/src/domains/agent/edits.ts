// What was changed in files that are edited together.

import type { FileEdit, PromptText } from "@/backend";

/** Texts by file name, as they are typed. */
export type Typed = Readonly<Record<string, string>>;

/** The files that differ from what they were, and the new ones. */
export function editsOf(files: readonly PromptText[], typed: Typed): FileEdit[] {
    return Object.entries(typed).flatMap(([name, text]) => {
        const before = files.find((file) => file.name === name)?.text;
        return before === text ? [] : [{ name, text, before: before ?? null }];
    });
}

/** What brings back the files as they were before the edits; a new file stays, because nothing named it before. */
export function backOf(edits: readonly FileEdit[]): FileEdit[] {
    return edits.flatMap(({ name, text, before }) =>
        typeof before !== "string" ? [] : [{ name, text: before, before: text }],
    );
}

/** A new prompt's file name, from what a person types; undefined where it can be none. */
export function promptName(typed: string): string | undefined {
    const stem = typed
        .trim()
        .replace(/^prompts\//, "")
        .replace(/\.md$/, "");
    return /^[A-Za-z0-9][A-Za-z0-9 _.-]{0,80}$/.test(stem) ? `prompts/${stem}.md` : undefined;
}
