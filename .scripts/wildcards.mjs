// Arms that catch every other variant of one of our own enums: a new variant would pass by them unseen.

/** Keeps places, and replaces comments, strings and characters by spaces. */
const SKIPPED =
    /\/\/[^\n]*|\/\*[^]*?\*\/|\bb?r(#*)"[^]*?"\1|b?"(?:\\[^]|[^"\\])*"|b?'(?:\\(?:u\{\w+\}|x\w\w|.)|[^'\\])'/g;
const OPENING = "([{";
const CLOSING = ")]}";

/**
 * The names of the enums that a file declares.
 * @param {string} code
 */
export function enumsOf(code) {
    return [...blank(code).matchAll(/\benum (\w+)/g)].map(([, name]) => name);
}

/**
 * Lines of arms that catch all other variants of an enum of ours, each with the enum.
 * @param {string} code
 * @param {ReadonlySet<string>} enums the names of our enums
 * @returns {{ line: number, name: string }[]}
 */
export function wildcards(code, enums) {
    const text = blank(code);
    /** @type {{ line: number, name: string }[]} */
    const found = [];
    for (const { index } of text.matchAll(/\bmatch\b(?!!)/g)) {
        const open = first(text, index, "{");
        if (open < 0) continue;
        const arms = armsOf(text, open + 1);
        const name = arms.flatMap(({ pattern }) => enumsIn(pattern)).find((one) => enums.has(one) || one === "Self");
        const rest = arms.find(
            ({ pattern }) => /^(?:_|[a-z]\w*)$/.test(pattern) && pattern !== "true" && pattern !== "false",
        );
        if (name !== undefined && rest !== undefined)
            found.push({ line: text.slice(0, rest.at).split("\n").length, name });
    }
    return found;
}

/** @param {string} code */
function blank(code) {
    return code.replace(SKIPPED, (part) => part.replace(/[^\n]/g, " "));
}

/**
 * The place of a sign outside of brackets that open after `from`; -1 without one.
 * @param {string} text
 * @param {number} from
 * @param {string} sign
 */
function first(text, from, sign) {
    for (let at = from, depth = 0; at < text.length && depth >= 0; at += 1) {
        if (depth === 0 && text.startsWith(sign, at)) return at;
        if (OPENING.includes(text[at])) depth += 1;
        else if (CLOSING.includes(text[at])) depth -= 1;
    }
    return -1;
}

/**
 * The arms of a match whose body begins at `from`.
 * @param {string} text
 * @param {number} from
 */
function armsOf(text, from) {
    /** @type {{ at: number, pattern: string }[]} */
    const arms = [];
    for (let at = from; ;) {
        const arrow = first(text, at, "=>");
        if (arrow < 0) return arms;
        const pattern = text.slice(at, arrow);
        const begin = at + pattern.search(/\S/);
        arms.push({ at: begin, pattern: pattern.trim() });
        const body = arrow + 2 + text.slice(arrow + 2).search(/\S/);
        const end = text[body] === "{" ? closed(text, body) : first(text, body, ",");
        if (end < 0) return arms;
        at =
            text[body] === "{" &&
            text
                .slice(end + 1)
                .trimStart()
                .startsWith(",")
                ? text.indexOf(",", end) + 1
                : end + 1;
    }
}

/**
 * Where the bracket at `from` closes.
 * @param {string} text
 * @param {number} from
 */
function closed(text, from) {
    const end = first(text, from + 1, "}");
    return end < 0 ? text.length : end;
}

/**
 * The enums whose variants a pattern names directly.
 * @param {string} pattern
 */
function enumsIn(pattern) {
    const plain = pattern.replace(/\bif\b[^]*$/, "");
    // What stands in brackets is of another type.
    const flat = plain.replace(/\([^]*\)|\{[^]*\}/g, (inner) => inner.replace(/\|/g, " "));
    return flat.split("|").flatMap((part) => {
        const path = /^\s*(?:\w+\s*@\s*)?&*\s*(?:\w+::)*(\w+)::\w+/.exec(part);
        return path === null ? [] : [path[1]];
    });
}
