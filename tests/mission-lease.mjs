// What missions of tests look into: the lease of a hall, how requests of their roles begin, and what a report quotes.

export const RENT = "The rent of the hall in Linz is 1,000 euros a month.";
export const END = "The lease of the hall in Linz ends on 31 March 2031.";
export const QUESTIONS = ["What is the rent of the hall in Linz?", "When does the lease of the hall in Linz end?"];

/** What begins the prompt of each role. */
export const ROLES = {
    split: "You take a request for research apart",
    plan: "You plan research.",
    coordinate: "You coordinate research.",
    research: "You write the answer to a question",
    write: "You write the report of a research project",
    review: "You review a research report",
    settle: "You decide whether a contradiction",
};

/** @typedef {keyof typeof ROLES} Role */

/**
 * What the notes of a report quote, held against the texts that were there to be read: what the program itself found of its
 * quotes is not asked.
 * @param {string} report
 * @param {readonly string[]} texts
 * @returns {{ quotes: string[], made: string[] }} all quotes; those that no text has, and marks that lead to no note
 */
export function quoted(report, texts) {
    const one = (/** @type {string} */ text) => text.replace(/\s+/g, " ");
    const notes = new Map(
        [...report.matchAll(/^\[\^([\w-]+)\]: (.*)$/gm)].map(([, label = "", note = ""]) => [label, note]),
    );
    const quotes = [...notes.values()].flatMap((note) =>
        [...note.matchAll(/["“]([^"”]+)["”]/g)].map(([, words = ""]) => one(words)),
    );
    const marks = [...report.matchAll(/(?<!^)\[\^([\w-]+)\]/gm)].map(([, label = ""]) => label);
    const made = quotes.filter((quote) => !texts.some((text) => one(text).includes(quote)));
    return { quotes, made: [...made, ...marks.filter((label) => !notes.has(label))] };
}
