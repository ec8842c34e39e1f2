// Signs that a font draws, and boxes that somebody ticked.

import { cell, docx, docxWith, paragraph, run, table } from "../make/docx.mjs";
import { epub } from "../make/epub.mjs";
import { html, md } from "../make/input.mjs";
import { lines, pdf, pieces } from "../make/pdf.mjs";
import { xlsx } from "../make/xlsx.mjs";

/**
 * @param {string} font
 * @param {string} code four digits
 */
const sign = (font, code) => `<w:r><w:sym w:font="${font}" w:char="${code}"/></w:r>`;
/** @param {string} font */
const inFont = (font) => `<w:rFonts w:ascii="${font}" w:hAnsi="${font}"/>`;
/**
 * @param {string} font
 * @param {string} code
 */
const box = (font, code) => docx("A checklist.", paragraph(sign(font, code), " The control was tested."));
/** @param {string} mark as a class of signs */
const marked = (mark) => ({ stands: [new RegExp(`^${mark} ?The control was tested\\.`, "mu")] });
const [TICKED, EMPTY, CROSSED] = ["☑", "☐", "☒"];
/**
 * @param {string} code
 * @param {string} shown
 * @returns {[import("../make/input.mjs").Input, import("./all.mjs").Expected]}
 */
const symbol = (code, shown) => [
    docx("A limit.", paragraph("The exposure is ", sign("Symbol", code), " 5 here.")),
    { stands: [new RegExp(`exposure is ${shown} 5 here`)] },
];
/** @param {string} data */
const legacy = (data, result = "") =>
    `<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:name w:val="a"/><w:enabled/>${data}</w:ffData></w:fldChar></w:r><w:r><w:instrText> FORM </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>${result}<w:r><w:fldChar w:fldCharType="end"/></w:r>`;
/** @param {string} data */
const checkBox = (data) => legacy(`<w:checkBox><w:sizeAuto/>${data}</w:checkBox>`).replace(" FORM ", " FORMCHECKBOX ");
/** @param {string} content */
const line = (content) => docx("A checklist.", paragraph(content, " The control was tested."));
/**
 * @param {string} properties
 * @param {string} shown
 */
const control = (properties, shown) =>
    line(
        `<w:sdt><w:sdtPr><w14:checkbox>${properties}</w14:checkbox></w:sdtPr><w:sdtContent>${run(shown)}</w:sdtContent></w:sdt>`,
    );

/** @type {import("./all.mjs").Cases} */
export const symbols = [
    ["a ticked box of Wingdings", box("Wingdings", "F0FE"), marked(TICKED)],
    ["an empty box of Wingdings", box("Wingdings", "F0A8"), marked(EMPTY)],
    ["a crossed box of Wingdings", box("Wingdings", "F0FD"), marked(CROSSED)],
    ["another empty box of Wingdings", box("Wingdings", "F06F"), marked("[☐□◻▢]")],
    ["a code without its high half", box("Wingdings", "00FE"), marked(TICKED)],
    ["a tick of Wingdings", box("Wingdings", "F0FC"), marked("[✓✔🗸]")],
    ["a cross of Wingdings", box("Wingdings", "F0FB"), marked("[✗✘🗙🗴×]")],
    ["a ticked box of Wingdings 2", box("Wingdings 2", "F052"), marked(TICKED)],
    ["a crossed box of Wingdings 2", box("Wingdings 2", "F053"), marked(CROSSED)],
    ["an empty box of Wingdings 2", box("Wingdings 2", "F0A3"), marked("[☐□◻▢]")],
    ["a tick of Wingdings 2", box("Wingdings 2", "F050"), marked("[✓✔🗸]")],
    ["a tick of Webdings", box("Webdings", "F061"), marked("[✓✔🗸]")],
    [
        "a run in Wingdings",
        docx("A checklist.", paragraph(run("\uf0fe", inFont("Wingdings")), " The control was tested.")),
        marked(TICKED),
    ],
    [
        "a letter in Wingdings",
        docx("A checklist.", paragraph(run("þ", inFont("Wingdings")), " The control was tested.")),
        marked(TICKED),
    ],
    [
        "a box in a cell",
        docx(
            "A checklist.",
            table(
                ["Done", "Control"],
                [cell(paragraph(sign("Wingdings", "F0FE"))), "Access"],
                [cell(paragraph(sign("Wingdings", "F0A8"))), "Backup"],
            ),
        ),
        { stands: [/☑.*Access/, /☐.*Backup/] },
    ],
    ["less or equal", ...symbol("F0A3", "≤")],
    ["plus or minus", ...symbol("F0B1", "±")],
    ["more or equal", ...symbol("F0B3", "≥")],
    ["not equal", ...symbol("F0B9", "≠")],
    ["about", ...symbol("F0BB", "≈")],
    ["times", ...symbol("F0B4", "×")],
    ["alpha", ...symbol("F061", "α")],
    ["a sum's sign", ...symbol("F0E5", "[∑Σ]")],
    [
        "a run in Symbol",
        docx("A limit.", paragraph("The exposure is ", run("\uf0a3", inFont("Symbol")), " 5 here.")),
        { stands: ["The exposure is ≤ 5 here."] },
    ],
    [
        "a sign nobody knows",
        docx("A limit.", paragraph("The seal ", sign("Company Seals", "F041"), " stands here.")),
        { stands: [/The seal .?\s?stands here/], told: [/sign|symbol|character/i] },
    ],
    [
        "a list's bullet",
        docxWith(
            [
                paragraph(
                    '<w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr>',
                    "It pays on time.",
                ),
            ],
            {
                numbering: `<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="bullet"/><w:lvlText w:val="\uf0a7"/><w:rPr>${inFont("Wingdings")}</w:rPr></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>`,
            },
        ),
        { stands: ["It pays on time."], absent: ["\uf0a7", "�"] },
    ],
    ["a control that is ticked", control('<w14:checked w14:val="1"/>', "☒"), marked("[☒☑]")],
    ["a control that is not ticked", control('<w14:checked w14:val="0"/>', "☐"), marked(EMPTY)],
    ["an old box that is ticked", line(checkBox("<w:checked/>")), marked("[☒☑]")],
    ["an old box that is not ticked", line(checkBox('<w:checked w:val="0"/>')), marked(EMPTY)],
    ["an old box ticked from the start", line(checkBox('<w:default w:val="1"/>')), marked("[☒☑]")],
    ["an old box unticked by hand", line(checkBox('<w:default w:val="1"/><w:checked w:val="0"/>')), marked(EMPTY)],
    [
        "an old list",
        docx(
            "A form.",
            paragraph(
                "Country: ",
                legacy(
                    '<w:ddList><w:result w:val="1"/><w:listEntry w:val="Austria"/><w:listEntry w:val="Belgium"/></w:ddList>',
                ).replace(" FORM ", " FORMDROPDOWN "),
            ),
        ),
        { stands: ["Country: Belgium"], absent: ["Austria"] },
    ],
    [
        "an old field of text",
        docx("A form.", paragraph("Name: ", legacy("<w:textInput/>", run("Alice")).replace(" FORM ", " FORMTEXT "))),
        { stands: ["Name: Alice"] },
    ],
    [
        "a chosen entry",
        docx(
            "A form.",
            paragraph(
                "Country: ",
                `<w:sdt><w:sdtPr><w:dropDownList><w:listItem w:displayText="Austria" w:value="A"/><w:listItem w:displayText="Belgium" w:value="B"/></w:dropDownList></w:sdtPr><w:sdtContent>${run("Belgium")}</w:sdtContent></w:sdt>`,
            ),
        ),
        { stands: ["Country: Belgium"] },
    ],
    [
        "a hyphen that holds",
        docx("A note.", paragraph(run("Twenty"), "<w:r><w:noBreakHyphen/></w:r>", run("one days."))),
        { stands: ["Twenty-one days."] },
    ],
    [
        "a hyphen that may break",
        docx("A note.", paragraph(run("agree"), "<w:r><w:softHyphen/></w:r>", run("ment stands."))),
        { stands: ["agreement stands."] },
    ],
    [
        "a reading above the word",
        docx(
            "A note.",
            paragraph(
                "It is ",
                `<w:r><w:ruby><w:rubyPr/><w:rt>${run("kanji")}</w:rt><w:rubyBase>${run("漢字")}</w:rubyBase></w:ruby></w:r>`,
                " here.",
            ),
        ),
        { stands: [/It is 漢字 ?(\(kanji\)|（kanji）)? ?here/], absent: ["kanji漢字", "漢字kanji"] },
    ],

    [
        "a box of a page",
        html(
            '<p><input type="checkbox" checked> The control was tested.</p><p><input type="checkbox"> The access was not.</p>',
        ),
        { stands: [/^☑ ?The control/m, /^☐ ?The access/m] },
    ],
    [
        "a circle of a page",
        html('<p><input type="radio" name="a"> Low risk <input type="radio" name="a" checked> High risk</p>'),
        { stands: [/[☐○◯⚪] ?Low risk [☑☒◉●⦿🔘] ?High risk/u] },
    ],
    [
        "a page's letter in Wingdings",
        html('<p><font face="Wingdings">&#254;</font> The control was tested.</p>'),
        marked(TICKED),
    ],
    [
        "a page's span in Wingdings",
        html('<p><span style="font-family: Wingdings">&uml;</span> The control was tested.</p>'),
        marked(EMPTY),
    ],
    [
        "a page's letter in Symbol",
        html('<p>The exposure is <span style="font-family:Symbol">&pound;</span> 5 here.</p>'),
        { stands: ["The exposure is ≤ 5 here."] },
    ],
    ["a sign of Unicode", html("<p>&#x2611; The control was tested.</p>"), marked(TICKED)],
    [
        "a reading on a page",
        html("<p>It is <ruby>漢字<rp>(</rp><rt>kanji</rt><rp>)</rp></ruby> here.</p>"),
        { stands: [/It is 漢字 ?(\(kanji\)|（kanji）)? ?here/], absent: ["漢字kanji"] },
    ],
    [
        "tasks of Markdown",
        md("# Tasks\n\n- [x] The control was tested.\n- [ ] The access was not.\n"),
        { stands: [/(☑|\[x\]) ?The control/, /(☐|\[ \]) ?The access/] },
    ],
    [
        "a box of a book",
        epub('<p><input type="checkbox" checked="checked"/> The control was tested.</p>'),
        marked(TICKED),
    ],
    [
        "a tick in PDF",
        pdf(
            pieces(72, 700, [{ text: "3", font: "F4" }, " The control was tested."]) +
                pieces(72, 684, [{ text: "8", font: "F4" }, " The access was not."]),
        ),
        { stands: [/[✓✔] ?The control/, /[✗✘] ?The access/] },
    ],
    ["a box in PDF", pdf(pieces(72, 700, [{ text: "o", font: "F4" }, " The control was tested."])), marked("[❏☐□]")],
    [
        "less or equal in PDF",
        pdf(pieces(72, 700, ["The exposure is ", { text: "\xa3", font: "F3" }, " 5 here."])),
        { stands: ["The exposure is ≤ 5 here."] },
    ],
    [
        "alpha in PDF",
        pdf(pieces(72, 700, ["The exposure is ", { text: "a", font: "F3" }, " 5 here."]) + lines(72, 684, [])),
        { stands: ["The exposure is α 5 here."] },
    ],
    [
        "a truth of a workbook",
        xlsx(["Control", "Tested"], ["Access", true], ["Backup", false]),
        { stands: [/Access.*TRUE/, /Backup.*FALSE/] },
    ],
];
