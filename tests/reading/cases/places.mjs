// Where a paragraph stands: its page, and the headings above it.

import { docx, docxWith, paragraph, run, styled } from "../make/docx.mjs";
import { book, chapter } from "../make/epub.mjs";
import { html, md } from "../make/input.mjs";
import { BODY, lines, pdfOf, text } from "../make/pdf.mjs";
import { workbook } from "../make/xlsx.mjs";

const BREAK = "<w:r><w:lastRenderedPageBreak/></w:r>";
const HEADINGS = [1, 2]
    .map(
        (level) =>
            `<w:style w:type="paragraph" w:styleId="Heading${level}"><w:name w:val="heading ${level}"/></w:style>`,
    )
    .join("");
const DUTIES = {
    stands: ["Pay the rent.", "Pay the heat."],
    under: /** @type {[string, string][]} */ ([
        ["Costs", "Pay the rent."],
        ["House", "Pay the rent."],
        ["Costs", "Pay the heat."],
        ["Energy", "Pay the heat."],
    ]),
};

/** @type {import("./all.mjs").Cases} */
export const places = [
    [
        "three pages",
        pdfOf(
            [1, 2, 3].map((number) => ({ content: text(72, 700, `The words of part ${number} stand here.`) + BODY })),
        ),
        {
            stands: ["part 1 stand", "part 2 stand", "part 3 stand"],
            pages: [
                ["part 1 stand", 1],
                ["part 2 stand", 2],
                ["part 3 stand", 3],
            ],
        },
    ],
    [
        "an empty page between",
        pdfOf([
            { content: text(72, 700, "The words of part 1 stand here.") + BODY },
            { content: "" },
            { content: text(72, 700, "The words of part 3 stand here.") + BODY },
        ]),
        { stands: ["part 3 stand"], pages: [["part 3 stand", 3]] },
    ],
    [
        "a sentence over two pages",
        pdfOf([
            {
                content:
                    BODY +
                    lines(72, 100, ["The agent shall pay the rent of the house and of the garden, and he shall"]),
            },
            { content: lines(72, 780, ["pay the heat of the house, too."]) + BODY },
        ]),
        { stands: ["and he shall pay the heat of the house, too."] },
    ],
    [
        "a page of Word",
        docx(paragraph("Pay the rent."), paragraph(BREAK, "Pay the heat.")),
        {
            stands: ["Pay the heat."],
            pages: [
                ["Pay the rent.", 1],
                ["Pay the heat.", 2],
            ],
        },
    ],
    [
        "a page that ends within a paragraph",
        docx(paragraph("Pay the rent of ", BREAK, run("the house.")), paragraph("Pay the heat.")),
        {
            stands: ["Pay the rent of the house."],
            pages: [
                ["Pay the rent", 1],
                ["Pay the heat.", 2],
            ],
        },
    ],
    [
        "headings of Word",
        docxWith(
            [
                styled("Heading1", "Costs"),
                styled("Heading2", "House"),
                "Pay the rent.",
                styled("Heading2", "Energy"),
                "Pay the heat.",
            ],
            { styles: HEADINGS },
        ),
        DUTIES,
    ],
    [
        "headings by level",
        docx(
            paragraph('<w:pPr><w:outlineLvl w:val="0"/></w:pPr>', "Costs"),
            paragraph('<w:pPr><w:outlineLvl w:val="1"/></w:pPr>', "House"),
            "Pay the rent.",
            paragraph('<w:pPr><w:outlineLvl w:val="1"/></w:pPr>', "Energy"),
            "Pay the heat.",
        ),
        DUTIES,
    ],
    [
        "headings of a page",
        html("<h1>Costs</h1><h2>House</h2><p>Pay the rent.</p><h2>Energy</h2><p>Pay the heat.</p>"),
        DUTIES,
    ],
    [
        "headings of Markdown",
        md("Costs\n=====\n\nHouse\n-----\n\nPay the rent.\n\n## Energy\n\nPay the heat.\n"),
        DUTIES,
    ],
    [
        "headings by role",
        html(
            '<div role="heading" aria-level="1">Costs</div><div role="heading" aria-level="2">House</div><p>Pay the rent.</p><div role="heading" aria-level="2">Energy</div><p>Pay the heat.</p>',
        ),
        DUTIES,
    ],
    [
        "chapters",
        book([
            { href: "one.xhtml", content: chapter("<h1>Costs</h1><h2>House</h2><p>Pay the rent.</p>") },
            { href: "two.xhtml", content: chapter("<h2>Energy</h2><p>Pay the heat.</p>") },
        ]),
        {
            stands: DUTIES.stands,
            under: [
                ["House", "Pay the rent."],
                ["Energy", "Pay the heat."],
            ],
        },
    ],
    [
        "sheets",
        workbook([
            {
                name: "House",
                rows: [
                    ["Item", "Duty"],
                    ["a", "Pay the rent."],
                ],
            },
            {
                name: "Energy",
                rows: [
                    ["Item", "Duty"],
                    ["b", "Pay the heat."],
                ],
            },
        ]),
        {
            stands: DUTIES.stands,
            under: [
                ["House", "Pay the rent."],
                ["Energy", "Pay the heat."],
            ],
        },
    ],
];
