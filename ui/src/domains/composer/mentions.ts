// Names in a text that is being written: where one is typed, and where those chosen stand after an edit. Pure.

import type { Completion, Mention } from "@/backend";

/** What is typed before the caret and may become a name. */
export interface TypedName {
    sigil: "@" | "/" | "#";
    /** Where the sigil stands. */
    start: number;
    query: string;
}

const MAX_MENTION_CHARS = 80;

/** A sigil counts at the beginning or after white space or a bracket: not in an address of mail, a path or a fraction. */
export function typedNameAt(text: string, caret: number): TypedName | undefined {
    const before = text.slice(Math.max(0, caret - MAX_MENTION_CHARS - 1), caret);
    const hit = /(^|[\s([{“"'])([@/#])([^\s@]*)$/.exec(before);
    if (hit === null) return undefined;
    const [, lead = "", sigil = "", query = ""] = hit;
    // A path that is typed is no skill.
    if (sigil === "/" && query.includes("/")) return undefined;
    const start = caret - query.length - 1;
    // What stands before the window that was looked at may be a letter.
    if (lead === "" && start > 0) return undefined;
    return { sigil: sigil as TypedName["sigil"], start, query };
}

export interface Written {
    text: string;
    mentions: Mention[];
    caret: number;
}

/** The text with the name in place of what was typed. */
export function complete(
    text: string,
    mentions: readonly Mention[],
    typed: TypedName,
    caret: number,
    chosen: Completion,
): Written {
    const name = `${typed.sigil}${chosen.name}`;
    const after = text.slice(caret);
    const space = after.startsWith(" ") ? "" : " ";
    const next = `${text.slice(0, typed.start)}${name}${space}${after}`;
    const end = typed.start + name.length;
    const kept = moved(mentions, text, next);
    return {
        text: next,
        mentions: [...kept, { kind: chosen.kind, name: chosen.name, title: chosen.title, range: [typed.start, end] }],
        caret: end + 1,
    };
}

/** The names after an edit: those before it stay, those after it move, those in it are names no more. */
export function moved(mentions: readonly Mention[], before: string, after: string): Mention[] {
    if (mentions.length === 0 || before === after) return [...mentions];
    let head = 0;
    const most = Math.min(before.length, after.length);
    while (head < most && before[head] === after[head]) head += 1;
    let tail = 0;
    while (tail < most - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
    const shift = after.length - before.length;
    const found: Mention[] = [];
    for (const mention of mentions) {
        const [start, end] = [Number(mention.range[0]), Number(mention.range[1])];
        if (end <= head) found.push(mention);
        else if (start >= before.length - tail) found.push({ ...mention, range: [start + shift, end + shift] });
    }
    return found;
}

/** The text without the white space around it, its names moved along. */
export function trimmed(text: string, mentions: readonly Mention[]): { text: string; mentions: Mention[] } {
    const lead = text.length - text.trimStart().length;
    const bare = text.trim();
    return {
        text: bare,
        mentions: mentions
            .map((each) => ({ ...each, range: [Number(each.range[0]) - lead, Number(each.range[1]) - lead] }))
            .filter((each) => Number(each.range[0]) >= 0 && Number(each.range[1]) <= bare.length),
    };
}

/** The skill that a text filled in by a link begins with. */
export function skillAtStart(text: string): Mention[] {
    const name = /^\/([\w.-]+)\s/.exec(text)?.[1];
    return name === undefined ? [] : [{ kind: "skill", name, title: name, range: [0, name.length + 1] }];
}
