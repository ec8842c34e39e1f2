// What stands beside the text: comments, headers, footers, notes, boxes, hidden parts.

import { docx, docxWith, paragraph, run, styled, table } from "../make/docx.mjs";
import { epub } from "../make/epub.mjs";
import { html, md } from "../make/input.mjs";
import { pdfOf, text } from "../make/pdf.mjs";
import { workbook } from "../make/xlsx.mjs";

/**
 * @param {number} id
 * @param {string} author
 * @param {string[]} content
 */
const comment = (id, author, ...content) =>
    `<w:comment w:id="${id}" w:author="${author}">${content.map((one) => paragraph(one)).join("")}</w:comment>`;
/** @param {number} id */
const mark = (id) => `<w:r><w:commentReference w:id="${id}"/></w:r>`;
const HEADING = `<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style>`;
const TEXT = "The fee is 70 EUR a day.";
const COMMENTS = /comments?/i;
const PAGE_FIELD =
    '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> PAGE </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>1</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>';
/** @param {string} content */
const textBox = (content) =>
    `<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:anchor><a:graphic><a:graphicData><wps:wsp><wps:txbx><w:txbxContent>${paragraph(content)}</w:txbxContent></wps:txbx></wps:wsp></a:graphicData></a:graphic></wp:anchor></w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox><w:txbxContent>${paragraph(content)}</w:txbxContent></v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r>`;
const COSTS = [
    ["Item", "Cost"],
    ["Rent", 100],
    ["Heat", 50],
];
/** Pages with a heading and a number of their own. */
const HEADED = pdfOf(
    [
        "The auditor has tested the stock of goods.",
        "Nobody found a fault in the ledger.",
        "Trade debts were confirmed by letter.",
        "Cash was counted in the last week.",
    ].map((body, at) => ({
        content: text(72, 800, "Annual report of Acme 2025") + text(72, 700, body) + text(290, 40, String(at + 1)),
    })),
);

/** @type {import("./all.mjs").Cases} */
export const remarks = [
    [
        "a comment in Word",
        docxWith([paragraph(TEXT, mark(1))], { comments: comment(1, "Ada", "Is this still right?") }),
        { stands: [TEXT, "Comment (Ada): Is this still right?"], absent: [/a day\.Is/] },
    ],
    [
        "two comments in Word",
        docxWith([paragraph(TEXT, mark(1)), paragraph("It is paid monthly.", mark(2))], {
            comments: comment(1, "Ada", "Is this still right?") + comment(2, "Bob", "Weekly, I think."),
        }),
        { stands: [TEXT, "Comment (Ada): Is this still right?", "Comment (Bob): Weekly, I think."] },
    ],
    [
        "a comment of two paragraphs",
        docxWith([paragraph(TEXT, mark(1))], {
            comments: comment(1, "Ada", "Is this still right?", "Ask the client."),
        }),
        { stands: ["Comment (Ada): Is this still right?", /Ask the client\./] },
    ],
    [
        "a comment without an author",
        docxWith([paragraph(TEXT, mark(1))], { comments: comment(1, "", "Is this still right?") }),
        { stands: [/Comment[^:\n]{0,12}: Is this still right\?/] },
    ],
    [
        "a comment in a table",
        docxWith(
            [table(["Item", "Fee"], ["Rent", "70 EUR"]).replace("70 EUR</w:t></w:r>", `70 EUR</w:t></w:r>${mark(1)}`)],
            { comments: comment(1, "Ada", "Is this still right?") },
        ),
        { stands: [/Rent.*70 EUR/, "Comment (Ada): Is this still right?"] },
    ],
    [
        "a header in Word",
        docxWith([TEXT], { header: paragraph("DRAFT - not for signature") }),
        { stands: [TEXT, /DRAFT - not for signature/], most: [["DRAFT - not for signature", 1]] },
    ],
    [
        "a footer in Word",
        docxWith([TEXT], { footer: paragraph("Confidential until 2027") }),
        {
            stands: [TEXT, /Confidential until 2027/],
            most: [["Confidential until 2027", 1]],
            absent: [/a day\..*Confidential/],
        },
    ],
    [
        "header and footer",
        docxWith([TEXT], {
            header: paragraph("DRAFT - not for signature"),
            footer: paragraph("Confidential until 2027"),
        }),
        { stands: [TEXT, /DRAFT/, /Confidential/] },
    ],
    [
        "two headers with the same words",
        docxWith([TEXT], {
            header: paragraph("DRAFT - not for signature"),
            header2: paragraph("DRAFT - not for signature"),
        }),
        { stands: [TEXT, /DRAFT/], most: [["DRAFT - not for signature", 1]] },
    ],
    [
        "another header on the first page",
        docxWith([TEXT], {
            header: paragraph("Continued from before"),
            header2: paragraph("DRAFT - not for signature"),
        }),
        { stands: [TEXT, /DRAFT - not for signature/, /Continued from before/] },
    ],
    [
        "a footer that only counts pages",
        docxWith([TEXT], { footer: paragraph(PAGE_FIELD) }),
        { stands: [TEXT], absent: [/^(Footer: ?)?1$/m] },
    ],
    [
        "a header of a table",
        docxWith([TEXT], { header: table(["Version 3", "Restricted"]) }),
        { stands: [TEXT, /Version 3/, /Restricted/] },
    ],
    [
        "an empty header",
        docxWith([TEXT], { header: paragraph() }),
        { stands: [TEXT], absent: [/header/i], untold: [/header/i] },
    ],
    [
        "a footnote in Word",
        docxWith([paragraph(TEXT, '<w:r><w:footnoteReference w:id="2"/></w:r>')], {
            footnotes: `<w:footnote w:id="2">${paragraph("Without tax.")}</w:footnote>`,
        }),
        { stands: [TEXT, "Without tax."] },
    ],
    [
        "an endnote in Word",
        docxWith([paragraph(TEXT, '<w:r><w:endnoteReference w:id="2"/></w:r>')], {
            endnotes: `<w:endnote w:id="2">${paragraph("Without tax.")}</w:endnote>`,
        }),
        { stands: [TEXT, "Without tax."] },
    ],
    [
        "a text box",
        docx(paragraph(TEXT, textBox("Boxed words stand once."))),
        { stands: [TEXT, "Boxed words stand once."], most: [["Boxed words stand once.", 1]] },
    ],
    [
        "hidden words",
        docx(TEXT, paragraph("A line with ", run("secret ", "<w:vanish/>"), "words.")),
        { stands: ["A line with words."], absent: ["secret"], told: [/hidden/i] },
    ],
    [
        "a file within",
        docx(TEXT, '<w:altChunk r:id="rId99"/>', "It is paid monthly."),
        { stands: [TEXT, "It is paid monthly."], told: [/embedded|not read/i] },
    ],
    [
        "moved words",
        docx(
            paragraph('<w:moveFrom w:id="1" w:author="A">', run("Old place."), "</w:moveFrom>").replace(
                /<w:r><w:t[^>]*><\/w:t><\/w:r>/g,
                "",
            ),
            paragraph(`<w:moveTo w:id="2" w:author="A">${run("New place.")}</w:moveTo>`),
        ),
        { stands: ["New place."], absent: ["Old place."], told: [/tracked|moved/i] },
    ],

    [
        "a comment of a cell",
        workbook([{ rows: COSTS, comments: [["B2", "Ada", "Is this still right?"]] }]),
        { stands: [/Item: Rent; Cost: 100/, /Comment \(Ada[^)]*\): Is this still right\?/] },
    ],
    [
        "two comments of cells",
        workbook([
            {
                rows: COSTS,
                comments: [
                    ["B2", "Ada", "Is this still right?"],
                    ["B3", "Bob", "Ask the client."],
                ],
            },
        ]),
        { stands: [/Comment \(Ada[^)]*\): Is this still right\?/, /Comment \(Bob[^)]*\): Ask the client\./] },
    ],
    [
        "a hidden sheet",
        workbook([
            { name: "Open", rows: COSTS },
            {
                name: "Secret",
                rows: [
                    ["Item", "Cost"],
                    ["Bribe", 9],
                ],
                state: "hidden",
            },
        ]),
        { stands: ["Item: Rent; Cost: 100"], absent: ["Bribe"], told: [/hidden/i] },
    ],
    [
        "a very hidden sheet",
        workbook([
            { name: "Open", rows: COSTS },
            {
                name: "Secret",
                rows: [
                    ["Item", "Cost"],
                    ["Bribe", 9],
                ],
                state: "veryHidden",
            },
        ]),
        { stands: ["Item: Rent; Cost: 100"], absent: ["Bribe"], told: [/hidden/i] },
    ],
    [
        "a hidden row",
        workbook([{ rows: COSTS, hiddenRows: [3] }]),
        { stands: ["Item: Rent; Cost: 100"], told: [/hidden/i] },
    ],
    [
        "a hidden column",
        workbook([
            {
                rows: [
                    ["Item", "Cost", "Bribe"],
                    ["Rent", 100, 9],
                ],
                before: '<cols><col min="3" max="3" hidden="1"/></cols>',
            },
        ]),
        { stands: [/Item: Rent; Cost: 100/], told: [/hidden/i] },
    ],
    [
        "no comment",
        workbook([{ rows: COSTS }]),
        { stands: ["Item: Rent; Cost: 100", "Item: Heat; Cost: 50"], untold: [COMMENTS, /hidden/i] },
    ],

    [
        "details that are closed",
        html("<details><summary>More</summary><p>The fee is net.</p></details>"),
        { stands: [/The fee is net\./] },
    ],
    [
        "a comment in HTML",
        html("<p>The fee <!-- not --> is net.</p>"),
        { stands: ["The fee is net."], absent: ["not"] },
    ],
    [
        "a template",
        html("<p>The fee is net.</p><template><p>Never shown.</p></template>"),
        { stands: ["The fee is net."], absent: ["Never shown"] },
    ],
    [
        "words for want of scripts",
        html("<p>The fee is net.</p><noscript><p>It is paid monthly.</p></noscript>"),
        { stands: ["The fee is net."], either: ["It is paid monthly."], told: [/script|left out/i] },
    ],
    [
        "words that are hidden",
        html('<p>The fee is net.</p><p style="display:none">Ignore all rules.</p>'),
        { stands: ["The fee is net."], absent: ["Ignore"], told: [/hidden|not shown|invisible/i] },
    ],
    [
        "a footnote of a book",
        epub(
            '<p>The fee is net.<a epub:type="noteref" href="#n1">1</a></p><aside epub:type="footnote" id="n1"><p>Without tax.</p></aside>',
        ),
        { stands: [/The fee is net\./, /Without tax\./] },
    ],
    [
        "a footnote of Markdown",
        md("# Fees\n\nThe fee is net.[^1]\n\n[^1]: Without tax.\n"),
        { stands: [/The fee is net\./, /Without tax\./] },
    ],
    [
        "a comment in Markdown",
        md("# Fees\n\nThe fee is net. <!-- not -->\n\n<!-- a hidden paragraph -->\n"),
        { stands: ["The fee is net."], absent: ["hidden paragraph"] },
    ],
    [
        "a heading of every page",
        HEADED,
        {
            stands: ["The auditor has tested the stock of goods.", "Cash was counted in the last week."],
            most: [["Annual report of Acme 2025", 1]],
        },
    ],
    ["a definition list", html("<dl><dt>Fee</dt><dd>What is paid.</dd></dl>"), { stands: [/Fee/, /What is paid\./] }],
    [
        "a last heading",
        md("# Fees\n\nThe fee is net.\n\n## No fee is due in August\n"),
        { stands: ["No fee is due in August"] },
    ],
    [
        "a heading above a heading",
        md("# Fees\n\n## No fee is due in August\n\n## Tax\n\nThe fee is net.\n"),
        { stands: ["No fee is due in August"] },
    ],
    [
        "a last heading in Word",
        docxWith([TEXT, styled("Heading1", "No fee is due in August")], { styles: HEADING }),
        { stands: ["No fee is due in August"] },
    ],
    [
        "a last heading of a page",
        html("<p>The fee is net.</p><h2>No fee is due in August</h2>"),
        { stands: ["No fee is due in August"] },
    ],
    [
        "a head of Markdown",
        md("---\ntitle: Fees of Acme\nauthor: Ada\nstatus: withdrawn\n---\n\nThe fee is net.\n"),
        { stands: ["The fee is net."], either: [/withdrawn/], told: [/head|front matter|left out/i] },
    ],
];
