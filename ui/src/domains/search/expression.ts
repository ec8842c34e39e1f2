// A search line as the expression of a view: filters as they are, words in titles. What a view can't test is told.

import type { StatusRow } from "@/backend";
import { own } from "@/shared";

interface Term {
    text: string;
    negated: boolean;
    /** Undefined for a word or a phrase. */
    key: string | undefined;
    values: string[];
}

const KEYS = ["agent", "label", "status", "mode", "model", "source", "before", "after", "has", "is"];

/** Words, phrases and filters of a line, in order. */
function termsOf(line: string): Term[] {
    const terms: Term[] = [];
    // A value in quotes may have spaces; several values stand between commas.
    const pattern = /(-?)(?:([a-z]+):((?:"[^"]*"?|[^\s",]+)(?:,(?:"[^"]*"?|[^\s",]+))*)|"([^"]*)"?|([^\s"]+))/gi;
    for (const hit of line.matchAll(pattern)) {
        const [text, minus = "", name, given, phrase, word] = hit;
        const key = name?.toLowerCase();
        if (key !== undefined && given !== undefined && KEYS.includes(key)) {
            const values = [...given.matchAll(/"([^"]*)"?|([^\s",]+)/g)]
                .map((value) => value[1] ?? value[2] ?? "")
                .filter((value) => value !== "");
            terms.push({ text, negated: minus === "-", key, values });
        } else
            terms.push({
                text,
                negated: minus === "-",
                key: undefined,
                values: [phrase ?? word ?? text.replace(/^-/, "")],
            });
    }
    return terms.filter((term) => term.values.some((value) => value.trim() !== ""));
}

const quoted = (text: string) => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
const oneOf = (field: string, values: readonly string[]) =>
    values.length === 1 ? `${field} == ${quoted(values[0] ?? "")}` : `${field} in (${values.map(quoted).join(", ")})`;
const anyOf = (tests: readonly string[]) => (tests.length === 1 ? (tests[0] ?? "") : `(${tests.join(" or ")})`);

const IS: { readonly [word: string]: string } = {
    flagged: "isFlagged",
    unread: "hasUnread",
    read: "not hasUnread",
    running: "isProcessing",
    processing: "isProcessing",
    waiting: "needsYou",
    "needs-you": "needsYou",
    archived: "isArchived",
};
const HAS: { readonly [word: string]: string } = {
    document: "hasDocument",
    plan: "hasPendingPlan",
    draft: "hasDraft",
    label: "labelCount > 0",
    source: "length(sources) > 0",
    attachment: "hasAttachments",
    file: "hasAttachments",
};
const DAYS: { readonly [unit: string]: number } = { d: 1, w: 7, m: 30, y: 365 };

function moment(key: "before" | "after", value: string): string | undefined {
    const ago = /^(\d+)([dwmy])$/i.exec(value);
    if (ago !== null)
        return `daysSince(lastUsedAt) ${key === "before" ? ">" : "<="} ${Number(ago[1]) * (DAYS[(ago[2] ?? "d").toLowerCase()] ?? 1)}`;
    const day = /^\d{4}-\d{2}(-\d{2})?$/.test(value) ? (value.length === 7 ? `${value}-01` : value) : undefined;
    return day === undefined ? undefined : `lastUsedAt ${key === "before" ? "<" : ">="} date(${quoted(day)})`;
}

function label(value: string): string | undefined {
    const compared = /^([\w.-]+?)(<=|>=|<|>)(.+)$/.exec(value);
    if (compared !== null) {
        const [, id = "", sign = "", bound = ""] = compared;
        const amount = /^-?\d+(\.\d+)?$/.test(bound)
            ? bound
            : /^\d{4}-\d{2}-\d{2}$/.test(bound)
              ? `date(${quoted(bound)})`
              : undefined;
        return amount === undefined ? undefined : `labelValue(${quoted(id)}) ${sign} ${amount}`;
    }
    return value.includes("::") ? `contains(labels, ${quoted(value)})` : `hasLabel(${quoted(value)})`;
}

function test({ key, values }: Term, statuses: readonly StatusRow[]): string | undefined {
    const [value = ""] = values;
    switch (key) {
        case undefined:
            return `(contains(lower(name), ${quoted(value.toLowerCase())}) or contains(lower(preview), ${quoted(value.toLowerCase())}))`;
        case "status":
            return oneOf(
                "sessionStatus",
                values.map((each) =>
                    statuses.some((status) => status.id === each)
                        ? each
                        : (statuses.find((status) => status.label.toLowerCase() === each.toLowerCase())?.id ?? each),
                ),
            );
        case "label": {
            const tests = values.map(label);
            return tests.some((each) => each === undefined)
                ? undefined
                : anyOf(tests.filter((each) => each !== undefined));
        }
        case "agent":
            return oneOf("agent", values);
        case "mode":
            return oneOf("permissionMode", values);
        case "model":
            return anyOf(values.map((each) => `contains(lower(model), ${quoted(each.toLowerCase())})`));
        case "source":
            return anyOf(values.map((each) => `contains(sources, ${quoted(each)})`));
        case "before":
        case "after":
            return moment(key, value);
        case "has":
            return own(HAS, value.toLowerCase().replace(/s$/, ""));
        case "is": {
            const word = value.toLowerCase();
            if (word !== "open" && word !== "closed") return own(IS, word);
            const ids = statuses.filter((status) => status.category === "closed").map((status) => quoted(status.id));
            return ids.length === 0
                ? undefined
                : `sessionStatus ${word === "open" ? "not in" : "in"} (${ids.join(", ")})`;
        }
        default:
            return undefined;
    }
}

/** `left`: what of the line has no test in a view. An empty expression: nothing can be kept. */
export function expressionOf(line: string, statuses: readonly StatusRow[]): { expression: string; left: string[] } {
    const tests: string[] = [];
    const left: string[] = [];
    for (const term of termsOf(line)) {
        const found = test(term, statuses);
        if (found === undefined) left.push(term.text);
        else tests.push(term.negated ? `not (${found})` : found);
    }
    return { expression: tests.join(" and "), left };
}
