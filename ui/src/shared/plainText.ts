/** What the core says within a sentence, as one of its own. Names such as `example.org` stay as they are. */
export function sentence(text: string): string {
    return /^[a-z]+([\s,’']|$)/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}

/** A line of Markdown as it is read: without the signs of emphasis, headings, lists, quotes, code and links. */
export function plainText(line: string): string {
    return line
        .replace(/^\s*(?:#{1,6}\s+|>\s?|[-*+]\s+|\d+[.)]\s+)+/, "")
        .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
        .replace(/(\*\*|__|~~)(?=\S)(.+?)\1/g, "$2")
        .replace(/(^|[\s(])[*_](?=\S)([^*_]+)[*_](?=$|[\s).,;:!?])/g, "$1$2")
        .replace(/`+([^`]*)`+/g, "$1")
        .trim();
}
