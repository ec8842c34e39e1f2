// Words that were crossed out: they no longer stand, and a note tells of them.

import { cell, docx, docxWith, paragraph, run, style, styled, table } from "../make/docx.mjs";
import { book, chapter, epub } from "../make/epub.mjs";
import { html, md } from "../make/input.mjs";
import { BODY, pdf, pdfOf, rule, stroke, text, width } from "../make/pdf.mjs";
import { workbook, xlsx } from "../make/xlsx.mjs";

const KEPT = "The supplier shall disclose the data.";
const WHOLE = "The supplier shall not disclose the data.";
const TOLD = /struck|cross(ed)?[ -]?out|strike|line[- ]through/i;
const gone = { stands: [KEPT], absent: [/shall\W+not/], told: [TOLD] };
const stays = { stands: [WHOLE], untold: [TOLD] };
const [first, middle, last] = ["The supplier shall ", "not ", "disclose the data."];

/** @param {string} properties of the run in the middle */
const inRun = (properties) => docx("A contract.", paragraph(run(first), run(middle, properties), run(last)));
/**
 * @param {string} properties of the run in the middle
 * @param {string} styles
 */
const withStyles = (properties, styles) =>
    docxWith(["A contract.", paragraph(run(first), run(middle, properties), run(last))], { styles });
const STRIKE = "<w:strike/>";
const GONE = style("Gone", STRIKE);

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
    ["a run", inRun(STRIKE), gone],
    ["two lines", inRun("<w:dstrike/>"), gone],
    ["switched on by 1", inRun('<w:strike w:val="1"/>'), gone],
    ["switched on by true", inRun('<w:b/><w:strike w:val="true"/><w:i/>'), gone],
    ["switched on by on", inRun('<w:dstrike w:val="on"/>'), gone],
    ["switched off by 0", inRun('<w:strike w:val="0"/>'), stays],
    ["switched off by false", inRun('<w:strike w:val="false"/><w:dstrike w:val="off"/>'), stays],
    ["a character style", withStyles('<w:rStyle w:val="Gone"/>', GONE), gone],
    [
        "a style based on one",
        withStyles('<w:rStyle w:val="Child"/>', GONE + style("Child", "<w:b/>", { on: "Gone" })),
        gone,
    ],
    ["a style that is switched off", withStyles('<w:rStyle w:val="Gone"/><w:strike w:val="0"/>', GONE), stays],
    [
        "a style whose child switches off",
        withStyles('<w:rStyle w:val="Child"/>', GONE + style("Child", '<w:strike w:val="0"/>', { on: "Gone" })),
        stays,
    ],
    [
        "a paragraph style",
        docxWith(["Clause 1 stands.", styled("Old", "Clause 2 was deleted."), "Clause 3 stands."], {
            styles: style("Old", STRIKE, { type: "paragraph" }),
        }),
        { stands: ["Clause 1 stands.", "Clause 3 stands."], absent: ["Clause 2"], told: [TOLD] },
    ],
    [
        "a paragraph style with a run that is switched off",
        docxWith(
            ["A contract.", styled("Old", run("Old words. "), run("New words stand.", '<w:strike w:val="false"/>'))],
            {
                styles: style("Old", STRIKE, { type: "paragraph" }),
            },
        ),
        { stands: ["New words stand."], absent: ["Old words"], told: [TOLD] },
    ],
    [
        "the paragraph's mark alone",
        docx("A contract.", paragraph(`<w:pPr><w:rPr>${STRIKE}</w:rPr></w:pPr>`, WHOLE)),
        stays,
    ],
    [
        "a cell of a table",
        docx("A contract.", table(["Duty", "Text"], ["Data", cell(paragraph(first, run(middle, STRIKE), last))])),
        gone,
    ],
    [
        "a row of a table",
        docx(
            "Fees.",
            table(
                ["Item", "Fee"],
                [run("Travel", STRIKE), run("500", STRIKE)].map((one) => cell(paragraph(one))),
                ["Rent", "700"],
            ),
        ),
        { stands: [/Rent.*700/], absent: ["Travel", "500"], told: [TOLD] },
    ],
    [
        "a list's item",
        docx(
            "A contract.",
            paragraph(
                '<w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr>',
                first,
                run(middle, STRIKE),
                last,
            ),
        ),
        gone,
    ],
    [
        "a content control",
        docx(
            "A contract.",
            paragraph(first, `<w:sdt><w:sdtContent>${run(middle, STRIKE)}</w:sdtContent></w:sdt>`, last),
        ),
        gone,
    ],
    [
        "a link",
        docx("A contract.", paragraph(first, `<w:hyperlink w:anchor="x">${run(middle, STRIKE)}</w:hyperlink>`, last)),
        gone,
    ],
    [
        "a tracked insertion",
        docx("A contract.", paragraph(first, `<w:ins w:id="1" w:author="A">${run(middle, STRIKE)}</w:ins>`, last)),
        gone,
    ],
    [
        "a heading",
        docxWith([styled("Heading1", "Fees ", run("and costs ", STRIKE), "of the agent"), "The agent has a fee."], {
            styles: `<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style>`,
        }),
        { stands: ["Fees of the agent"], absent: ["and costs"], told: [TOLD] },
    ],
    [
        "a footnote",
        docxWith([paragraph("A contract.", '<w:r><w:footnoteReference w:id="2"/></w:r>')], {
            footnotes: `<w:footnote w:id="2">${paragraph(first, run(middle, STRIKE), last)}</w:footnote>`,
        }),
        gone,
    ],
    [
        "a price",
        docx("Prices.", paragraph("The fee is ", run("80 EUR", STRIKE), " 70 EUR a day.")),
        { stands: ["The fee is 70 EUR a day."], absent: ["80"], told: [TOLD] },
    ],
    [
        "a rate",
        docx("A contract.", paragraph("The rate is ", run("5", STRIKE), " 6 percent.")),
        { stands: ["The rate is 6 percent."], absent: [/\b5\b/], told: [TOLD] },
    ],
    [
        "tracked deletion",
        docx(
            "A contract.",
            paragraph(
                first,
                `<w:del w:id="1" w:author="A"><w:r><w:delText xml:space="preserve">not </w:delText></w:r></w:del>`,
                last,
            ),
        ),
        { stands: [KEPT], absent: [/\bnot\b/], told: [/tracked|deleted/i] },
    ],
    ["underlined words", inRun('<w:u w:val="single"/>'), stays],

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
];
