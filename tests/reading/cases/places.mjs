// Where a paragraph stands: its page, and the headings above it.

import { docx, docxWith, paragraph, run, styled } from "../make/docx.mjs";
import { book, chapter } from "../make/epub.mjs";
import { html, md } from "../make/input.mjs";
import { BODY, lines, pdfOf } from "../make/pdf.mjs";
import { workbook } from "../make/xlsx.mjs";

const BREAK = "<w:r><w:lastRenderedPageBreak/></w:r>";
const HEADINGS = [1, 2]
    .map(
        (level) =>
            `<w:style w:type="paragraph" w:styleId="Heading${level}"><w:name w:val="heading ${level}"/></w:style>`,
    )
    .join("");
/** Pages that have nothing in common. */
const PARTS = [
    [
        "The rent of the house is paid on the first day of each month by the",
        "agent, who keeps a list of all that he has paid and to whom.",
    ],
    [
        "Heat comes from the works beside the river, and its price is set by a",
        "council that meets in spring, before the first bills go out.",
    ],
    [
        "Whoever leaves the house shall hand over every key, sweep the stairs, and",
        "tell the owner where letters should be sent from then on.",
    ],
];
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
        pdfOf(PARTS.map((part) => ({ content: lines(72, 700, part) }))),
        { stands: PARTS.map(([first]) => String(first)), pages: PARTS.map(([first], at) => [String(first), at + 1]) },
    ],
    [
        "an empty page between",
        pdfOf([PARTS[0] ?? [], [], PARTS[2] ?? []].map((part) => ({ content: lines(72, 700, part) }))),
        {
            stands: PARTS.filter((_, at) => at !== 1).map(([first]) => String(first)),
            pages: [[String(PARTS[2]?.[0]), 3]],
        },
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
