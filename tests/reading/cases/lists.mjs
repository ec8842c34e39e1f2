// Numbers of lists and headings: the number that the reader of the page sees is the one that is cited.

import { docxWith, paragraph } from "../make/docx.mjs";
import { epub } from "../make/epub.mjs";
import { html, md } from "../make/input.mjs";

/** @param {string} list */
const page = (list) => html(`<p>Duties of the agent:</p>${list}`);
/** @param {string} mark @param {string} words */
const item = (mark, words) => new RegExp(`(^|\\n|: |; )\\(?${mark}[.)]? ${words}`);
/**
 * A list of Word with these levels.
 * @param {string} levels
 * @param {string[]} body
 */
const listed = (levels, body) =>
    docxWith(body, {
        numbering: `<w:abstractNum w:abstractNumId="0">${levels}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num>`,
    });
/**
 * @param {number} level
 * @param {string} format
 * @param {string} shown
 * @param {number} [start]
 */
const level = (level, format, shown, start = 1) =>
    `<w:lvl w:ilvl="${level}"><w:start w:val="${start}"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${shown}"/></w:lvl>`;
/**
 * @param {string} words
 * @param {number} [level]
 * @param {number} [list]
 */
const point = (words, level = 0, list = 1) =>
    paragraph(`<w:pPr><w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${list}"/></w:numPr></w:pPr>`, words);

/** @type {import("./all.mjs").Cases} */
export const lists = [
    [
        "letters of Word",
        listed(level(0, "lowerLetter", "(%1)"), [point("Pay the rent."), point("Pay the heat.")]),
        { stands: [item("a", "Pay the rent"), item("b", "Pay the heat")] },
    ],
    [
        "Roman numbers of Word",
        listed(level(0, "lowerRoman", "(%1)"), [point("Pay the rent."), point("Pay the heat.")]),
        { stands: [item("i", "Pay the rent"), item("ii", "Pay the heat")] },
    ],
    [
        "a list of Word that begins at five",
        listed(level(0, "decimal", "%1.", 5), [point("Pay the rent."), point("Pay the heat.")]),
        { stands: [item("5", "Pay the rent"), item("6", "Pay the heat")] },
    ],
    [
        "a list of Word that begins again",
        listed(level(0, "decimal", "%1."), [
            point("Pay the rent."),
            point("Pay the heat."),
            "Then:",
            point("Pay the tax.", 0, 2),
        ]),
        { stands: [item("2", "Pay the heat"), item("1", "Pay the tax")] },
    ],
    [
        "levels of Word",
        listed(level(0, "decimal", "%1.") + level(1, "decimal", "%1.%2"), [
            point("Costs."),
            point("Pay the rent.", 1),
            point("Pay the heat.", 1),
        ]),
        { stands: [/1\.1[.)]? Pay the rent|Pay the rent/, /Pay the heat/], ids: [["Pay the heat", /1\.2|p\d/]] },
    ],
    [
        "letters of a page",
        page('<ol type="a"><li>Pay the rent.</li><li>Pay the heat.</li></ol>'),
        { stands: [item("a", "Pay the rent"), item("b", "Pay the heat")] },
    ],
    [
        "a page's list that begins at five",
        page('<ol start="5"><li>Pay the rent.</li><li>Pay the heat.</li></ol>'),
        { stands: [item("5", "Pay the rent"), item("6", "Pay the heat")] },
    ],
    [
        "an item with a value",
        page('<ol><li>Pay the rent.</li><li value="7">Pay the heat.</li></ol>'),
        { stands: [item("1", "Pay the rent"), item("7", "Pay the heat")] },
    ],
    [
        "a list from behind",
        page("<ol reversed><li>Pay the rent.</li><li>Pay the heat.</li></ol>"),
        { stands: [item("2", "Pay the rent"), item("1", "Pay the heat")] },
    ],
    [
        "letters by style",
        page('<ol style="list-style-type: lower-alpha"><li>Pay the rent.</li><li>Pay the heat.</li></ol>'),
        { stands: [item("a", "Pay the rent"), item("b", "Pay the heat")] },
    ],
    [
        "Markdown that begins at five",
        md("# Duties\n\n5. Pay the rent.\n6. Pay the heat.\n"),
        { stands: [item("5", "Pay the rent"), item("6", "Pay the heat")] },
    ],
    [
        "a list of a book",
        epub('<p>Duties:</p><ol start="3"><li>Pay the rent.</li></ol>'),
        { stands: [item("3", "Pay the rent")] },
    ],
];
