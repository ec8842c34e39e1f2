// How a row of a table may be written.

/** @param {string} text */
const literal = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/**
 * A row with these cells in this order, between bars or each behind the name of its column.
 * @param {(string | RegExp)[]} cells
 */
export const row = (...cells) =>
    new RegExp(
        cells.map((one) => `(?:[^|;\\n]+: )?${one instanceof RegExp ? one.source : literal(one)}`).join("(?: \\| |; )"),
        "u",
    );

/**
 * A row whose cells name their columns. Other cells may stand between them.
 * @param {string[]} cells `Debit: 500`
 */
export const named = (...cells) =>
    new RegExp(`(?:^|[;|:.\\s])${cells.map((one) => `${literal(one)}(?=$|[;|\\s])`).join("(?:[^\\n]*?[;|] ?)")}`, "mu");
