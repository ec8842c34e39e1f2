// Words that Word shows as struck out.

import { cell, docx, docxWith, math, paragraph, run, style, styled, table } from "../make/docx.mjs";
import { KEPT, TOLD, WHOLE, first, gone, last, middle, stays } from "./struck-words.mjs";

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

/** @type {import("./all.mjs").Cases} */
export const struckWord = [
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
    [
        "a style of the paragraph and one of the run",
        docxWith([styled("Old", run(first), run(middle, '<w:rStyle w:val="Gone"/>'), run(last))], {
            styles: style("Old", STRIKE, { type: "paragraph" }) + GONE,
        }),
        { stands: [/^not$/m], absent: ["supplier", "disclose"], told: [TOLD] },
    ],
    [
        "the default of all runs, switched off",
        docxWith(["Old words.", paragraph(run("New words stand.", '<w:strike w:val="0"/>'))], {
            styles: `<w:docDefaults><w:rPrDefault><w:rPr>${STRIKE}</w:rPr></w:rPrDefault></w:docDefaults>`,
        }),
        { stands: ["New words stand."], absent: ["Old words"], told: [TOLD] },
    ],
    [
        "a field's result",
        docx(
            "A contract.",
            paragraph(first, `<w:fldSimple w:instr=" REF x ">${run(middle, STRIKE)}</w:fldSimple>`, last),
        ),
        gone,
    ],
    [
        "a comment's words",
        docxWith([paragraph("A contract.", '<w:r><w:commentReference w:id="1"/></w:r>')], {
            comments: `<w:comment w:id="1" w:author="Ada">${paragraph(first, run(middle, STRIKE), last)}</w:comment>`,
        }),
        gone,
    ],
    ["a header's words", docxWith(["A contract."], { header: paragraph(first, run(middle, STRIKE), last) }), gone],
    [
        "a box's words",
        docx(
            "A contract.",
            paragraph(
                `<w:r><w:pict><v:shape><v:textbox><w:txbxContent>${paragraph(first, run(middle, STRIKE), last)}</w:txbxContent></v:textbox></v:shape></w:pict></w:r>`,
            ),
        ),
        gone,
    ],
    [
        "words of an equation",
        docx(
            "A contract.",
            paragraph(
                "The sum is ",
                math(`<m:r><w:rPr>${STRIKE}</w:rPr><m:t>5+</m:t></m:r><m:r><m:t>6</m:t></m:r>`),
                " in all.",
            ),
        ),
        { stands: ["The sum is 6 in all."], absent: ["5"], told: [TOLD] },
    ],
    [
        "an exponent that is struck",
        docx(
            "A contract.",
            paragraph("It has 10", run("6", '<w:strike/><w:vertAlign w:val="superscript"/>'), " rooms."),
        ),
        { stands: ["It has 10 rooms."], absent: ["⁶", "^"], told: [TOLD] },
    ],
    [
        "a struck word that ends a sentence",
        docx("A contract.", paragraph("It pays monthly", run(", in advance", STRIKE), ".")),
        { stands: ["It pays monthly."], absent: ["in advance"], told: [TOLD] },
    ],
];
