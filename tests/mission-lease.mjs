// What missions of tests look into: the lease of a hall, and how requests of their roles begin.

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
