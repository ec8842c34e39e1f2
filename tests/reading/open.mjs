// Cases that are not yet read as they must be, by kind: the test fails as soon as one of them is.

/** @type {Record<string, string[]>} */
export const OPEN = {};
