// Words that pages, books, Markdown, PDF and workbooks show as struck out.

import { book, chapter, epub } from "../make/epub.mjs";
import { html, md } from "../make/input.mjs";
import { BODY, grid, lines, pdf, pdfOf, rule, stroke, text, width } from "../make/pdf.mjs";
import { workbook, xlsx } from "../make/xlsx.mjs";
import { TOLD, WHOLE, first, gone, last, stays } from "./struck-words.mjs";
import { struckWord } from "./struck-word.mjs";

/** @param {string} marked the word with its mark-up */
const page = (marked, head = "") => html(`<p>A contract.</p><p>${first}${marked}${last}</p>`, head);
/** @param {string} marked */
const markdown = (marked) => md(`# A contract\n\n${first}${marked} ${last}\n`);

const START = 72 + width(first);
const WORD = width("not");
/** @param {string} drawn over the line at 700 */
const struckPdf = (drawn) => pdf(text(72, 700, WHOLE) + drawn);
const QUADS = `/QuadPoints [${START} 709 ${START + WORD} 709 ${START} 698 ${START + WORD} 698] /Rect [${START} 698 ${START + WORD} 709]`;

/** @type {import("./all.mjs").Cases} */
export const struck = [
    ...struckWord,
    ["s", page("<s>not</s> "), gone],
    ["del", page("<del>not</del> "), gone],
    ["strike", page("<strike>not</strike> "), gone],
    [
        "del and ins",
        page('<del datetime="2025-01-01">not </del><ins>always </ins>'),
        { stands: ["The supplier shall always disclose the data."], absent: [/\bnot\b/], told: [TOLD] },
    ],
    ["a style of its own", page('<span style="text-decoration: line-through">not</span> '), gone],
    ["a decoration's line", page('<span style="color:red;text-decoration-line:line-through">not</span> '), gone],
    ["two decorations", page('<span style="TEXT-DECORATION: underline LINE-THROUGH red">not</span> '), gone],
    [
        "a class of the page's sheet",
        page('<span class="old x">not</span> ', "<style>.old { text-decoration: line-through; }</style>"),
        gone,
    ],
    [
        "a class with its element",
        page('<span class="old">not</span> ', "<style>p span.old{text-decoration:line-through}</style>"),
        gone,
    ],
    ["bold within s", page("<s><b>no</b><i>t</i></s> "), gone],
    [
        "a paragraph within del",
        html("<p>Clause 1 stands.</p><del><p>Clause 2 was deleted.</p></del><p>Clause 3 stands.</p>"),
        { stands: ["Clause 1 stands.", "Clause 3 stands."], absent: ["Clause 2"], told: [TOLD] },
    ],
    [
        "a whole paragraph by style",
        html('<p>Clause 1 stands.</p><p style="text-decoration:line-through">Clause 2 was deleted.</p>'),
        { stands: ["Clause 1 stands."], absent: ["Clause 2"], told: [TOLD] },
    ],
    [
        "a cell of HTML",
        html("<table><tr><th>Item</th><th>Fee</th></tr><tr><td>Rent</td><td><s>80</s> 70</td></tr></table>"),
        { stands: [/Rent.*70/], absent: ["80"], told: [TOLD] },
    ],
    [
        "a row of HTML by style",
        html(
            '<table><tr><th>Item</th><th>Fee</th></tr><tr style="text-decoration:line-through"><td>Travel</td><td>500</td></tr><tr><td>Rent</td><td>700</td></tr></table>',
        ),
        { stands: [/Rent.*700/], absent: ["Travel", "500"], told: [TOLD] },
    ],
    ["an item of HTML", html(`<ul><li>${first}<s>not </s>${last}</li><li>It pays.</li></ul>`), gone],
    [
        "a heading of HTML",
        html("<h2>Fees <s>and costs</s></h2><p>The agent has a fee.</p>"),
        { stands: ["The agent has a fee."], absent: ["and costs"], told: [TOLD] },
    ],
    ["ins", page("<ins>not</ins> "), stays],
    ["u", page("<u>not</u> <!-- <s>x</s> -->"), stays],
    ["decoration none", page('<a href="#x" style="text-decoration:none">not</a> '), stays],

    ["two tildes", markdown("~~not~~"), gone],
    ["one tilde", markdown("~not~"), gone],
    ["tildes with mark-up within", markdown("~~**not**~~"), gone],
    ["del in Markdown", markdown("<del>not</del>"), gone],
    [
        "tildes in a table",
        md("# Fees\n\n| Item | Fee |\n|---|---|\n| Rent | ~~80~~ 70 |\n"),
        { stands: [/Rent.*70/], absent: ["80"], told: [TOLD] },
    ],
    ["tildes in a list", md(`# A contract\n\n- ${first}~~not~~ ${last}\n- It pays.\n`), gone],
    [
        "tildes in a heading",
        md("# Fees ~~and costs~~\n\nThe agent has a fee.\n"),
        { stands: ["The agent has a fee."], absent: ["and costs"], told: [TOLD] },
    ],
    [
        "escaped tildes",
        markdown("\\~\\~not\\~\\~"),
        { stands: ["The supplier shall ~~not~~ disclose the data."], untold: [TOLD] },
    ],
    ["tildes in code", md("# Code\n\nWrite `~~not~~` to strike.\n"), { stands: ["~~not~~"], untold: [TOLD] }],
    ["tildes in a fence", md("# Code\n\n```\na ~~not~~ b\n```\n"), { stands: ["~~not~~"], untold: [TOLD] }],
    [
        "about",
        md("# Costs\n\nIt costs ~80 EUR to ~90 EUR a day.\n"),
        { stands: ["~80 EUR to ~90 EUR"], untold: [TOLD] },
    ],
    [
        "a path at home",
        md("# Files\n\nCopy ~/a.txt to ~/b.txt, please.\n"),
        { stands: ["~/a.txt to ~/b.txt"], untold: [TOLD] },
    ],

    ["s in a book", epub(`<p>A contract.</p><p>${first}<s>not </s>${last}</p>`), gone],
    [
        "a class of a book's sheet",
        book([
            {
                href: "one.xhtml",
                content: chapter(
                    `<p>A contract.</p><p>${first}<span class="old">not </span>${last}</p>`,
                    '<link rel="stylesheet" type="text/css" href="book.css"/>',
                ),
            },
            { href: "book.css", type: "text/css", content: ".old { text-decoration: line-through }", spine: false },
        ]),
        gone,
    ],

    ["a rule through a word", struckPdf(rule(START, 703, WORD, 0.6)), gone],
    ["a line through a word", struckPdf(stroke(START - 0.5, 703.2, START + WORD + 0.5, 703.2)), gone],
    [
        "a line through three words",
        pdf(
            text(72, 700, "The fee is 80 EUR daily, now 70 EUR a day.") +
                rule(72 + width("The fee is "), 703, width("80 EUR daily,"), 0.6),
        ),
        { stands: [/The fee is now 70 EUR a day\./], absent: ["80"], told: [TOLD] },
    ],
    [
        "a remark that strikes out",
        pdfOf([
            {
                content: text(72, 700, WHOLE) + BODY,
                parts: (file) => ({
                    annotations: [file.add(`<</Type /Annot /Subtype /StrikeOut ${QUADS} /C [1 0 0]>>`)],
                }),
            },
        ]),
        gone,
    ],
    [
        "a remark that underlines",
        pdfOf([
            {
                content: text(72, 700, WHOLE) + BODY,
                parts: (file) => ({
                    annotations: [file.add(`<</Type /Annot /Subtype /Underline ${QUADS} /C [1 0 0]>>`)],
                }),
            },
        ]),
        stays,
    ],
    ["a rule below a word", struckPdf(rule(START, 698.5, WORD, 0.6)), stays],
    ["a rule below the line", struckPdf(stroke(72, 694, 500, 694)), stays],
    ["a rule above the line", struckPdf(stroke(72, 712, 500, 712)), stays],

    [
        "a cell's font",
        xlsx(
            ["Item", "Fee"],
            [
                { value: "Travel", struck: true },
                { value: 500, struck: true },
            ],
            ["Rent", 700],
        ),
        { stands: [/Rent.*700/], absent: ["Travel", "500"], told: [TOLD] },
    ],
    [
        "a part of a cell",
        workbook([
            {
                rows: [
                    ["Clause", "Text"],
                    [
                        "Data",
                        {
                            rich: `<r><t xml:space="preserve">${first}</t></r><r><rPr><strike/></rPr><t xml:space="preserve">not </t></r><r><t>${last}</t></r>`,
                        },
                    ],
                ],
            },
        ]),
        gone,
    ],
    [
        "a part that is switched off",
        workbook([
            {
                rows: [
                    ["Clause", "Text"],
                    [
                        "Data",
                        {
                            rich: `<r><t xml:space="preserve">${first}</t></r><r><rPr><strike val="0"/></rPr><t xml:space="preserve">not </t></r><r><t>${last}</t></r>`,
                        },
                    ],
                ],
            },
        ]),
        stays,
    ],
    [
        "a block around paragraphs",
        html(
            '<p>Clause 1 stands.</p><div style="text-decoration:line-through"><p>Clause 2 was deleted.</p><p>Clause 2a, too.</p></div><p>Clause 3 stands.</p>',
        ),
        { stands: ["Clause 1 stands.", "Clause 3 stands."], absent: ["Clause 2"], told: [TOLD] },
    ],
    [
        "a sheet's id",
        page('<span id="old">not</span> ', "<style>#old{color:red;text-decoration:line-through}</style>"),
        gone,
    ],
    ["a sheet's element", page("<em>not</em> ", "<style>em { text-decoration-line: line-through }</style>"), gone],
    ["a link within s", page('<s><a href="#x">not</a></s> '), gone],
    ["an s over two lines of source", page("<s>not\n</s>"), gone],
    [
        "an s that is not closed",
        html(`<p>A contract.</p><p>${first}<s>not </p><p>It pays.</p>`),
        { stands: [/The supplier shall/], absent: [/shall\W+not/], told: [TOLD] },
    ],
    ["a list's item in a book", epub(`<p>A contract.</p><ul><li>${first}<del>not </del>${last}</li></ul>`), gone],
    [
        "two tildes over a line break",
        md(`# A contract\n\n${first}~~not\never~~ ${last}\n`),
        { stands: [/The supplier shall disclose the data\./], absent: ["ever"], told: [TOLD] },
    ],
    ["a quotation of Markdown", md(`# A contract\n\n> ${first}~~not~~ ${last}\n`), gone],
    ["a link of Markdown", md(`# A contract\n\n${first}~~[not](x.md)~~ ${last}\n`), gone],
    ["two rules through a word", struckPdf(rule(START, 702.4, WORD, 0.4) + rule(START, 704, WORD, 0.4)), gone],
    [
        "a rule through the end of one line and the next one's begin",
        pdf(
            lines(72, 720, [
                "The supplier shall disclose the data, but not",
                "before the end of May, to the client of Acme.",
            ]) +
                rule(72 + width("The supplier shall disclose the data, "), 723, width("but not"), 0.6) +
                rule(72, 709, width("before the end of May,"), 0.6),
        ),
        {
            stands: [/The supplier shall disclose the data, to the client of Acme\./],
            absent: ["but not", "before the end"],
            told: [TOLD],
        },
    ],
    [
        "a rule through a word of a table",
        pdf(
            grid([
                ["Item", "Fee"],
                ["Rent", "80 70"],
                ["Heat", "90"],
            ]) + rule(72 + 110 + 4, 800 - 20 - 14 + 3, width("80"), 0.6),
        ),
        { stands: [/Rent.*70/], absent: ["80"], told: [TOLD] },
    ],
    [
        "the lines of a table",
        pdf(
            grid([
                ["Item", "Fee"],
                ["Rent", "70"],
                ["Heat", "90"],
            ]),
        ),
        { stands: [/Rent.*70/, /Heat.*90/], untold: [TOLD] },
    ],
    ["a line through the margin", struckPdf(stroke(40, 703, 66, 703)), stays],
    [
        "an inline string",
        workbook([
            {
                rows: [
                    ["Clause", "Text"],
                    [
                        "Data",
                        {
                            inline: `<r><t xml:space="preserve">${first}</t></r><r><rPr><strike/></rPr><t xml:space="preserve">not </t></r><r><t>${last}</t></r>`,
                        },
                    ],
                ],
            },
        ]),
        gone,
    ],
];
