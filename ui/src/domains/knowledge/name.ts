// Names of bases and what is typed for them.

const MAX_NAME_CHARS = 64;

/** What is wrong with a base's name; nothing when it can be used. The core judges the same way. */
export function nameProblem(name: string): string | undefined {
    if (name === "") return "Enter a name.";
    if (name.length > MAX_NAME_CHARS) return `At most ${MAX_NAME_CHARS} characters; this has ${name.length}.`;
    if (/[A-Z]/.test(name)) return "Lower-case letters only.";
    if (/\s/.test(name)) return "No spaces: use a hyphen.";
    if (!/^[a-z0-9]/.test(name)) return "A name starts with a letter or a digit.";
    const odd = /[^a-z0-9._-]/.exec(name)?.[0];
    return odd === undefined
        ? undefined
        : `“${odd}” is not allowed in a name: use lower-case letters, digits, hyphens, dots and underscores.`;
}

/** A name made from what a person calls something. */
export function nameFrom(text: string): string {
    return text
        .normalize("NFKD")
        .replace(/[\u0300-\u036f]/g, "")
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, "-")
        .replace(/^-+|-+$/g, "")
        .slice(0, MAX_NAME_CHARS)
        .replace(/-+$/, "");
}

/** The last part of a path without its ending: what a base made from it may be called. */
export function stemOf(path: string): string {
    const last =
        path
            .replace(/[\\/]+$/, "")
            .split(/[\\/]/)
            .pop() ?? "";
    return last.replace(/(\.(md|markdown|txt|text|csv|jsonl|ndjson))?(\.gz)?$/i, "");
}

/** Paths as they are typed or pasted: one a line, `file://` addresses and quotes taken off, each once. */
export function pathsIn(text: string): string[] {
    const paths = text.split(/\r?\n/).flatMap((line) => {
        const bare = line.trim().replace(/^(["'])(.*)\1$/, "$2");
        return bare === "" ? [] : [bare.startsWith("file://") ? fromAddress(bare) : bare];
    });
    return [...new Set(paths)];
}

function fromAddress(address: string): string {
    try {
        const path = decodeURIComponent(new URL(address).pathname);
        return /^\/[A-Za-z]:\//.test(path) ? path.slice(1) : path;
    } catch {
        return address;
    }
}

/** What is wrong with paths; a relative one means different places to different programs. */
export function pathsProblem(paths: readonly string[]): string | undefined {
    if (paths.length === 0) return "Enter at least one file or folder.";
    const relative = paths.find((path) => !/^(\/|~\/|[A-Za-z]:[\\/]|\\\\)/.test(path));
    return relative === undefined
        ? undefined
        : `“${relative}” needs an absolute path, such as /home/eva/${relative.replace(/^\.?[\\/]/, "")}.`;
}

/** What is wrong with a citation form. */
export function citationProblem(citation: string): string | undefined {
    return citation === "" || citation.includes("{id}")
        ? undefined
        : "The format must contain {id}, the place of the paragraph number.";
}

/** Whether a form of citation has words of its own; under another one, files are cited by their names and pages. */
export function namesTheWork(citation: string): boolean {
    return /[\p{L}\p{N}]/u.test(citation.replaceAll("{id}", ""));
}

/** How a paragraph will be cited. */
export function exampleCitation(citation: string): string {
    return (citation.includes("{id}") ? citation : "({id})").replaceAll("{id}", "4.12");
}
