// Words in elements that readers seldom know: they stand, or the file's notes say that something is left out.

import { docx, docxWith, paragraph, run } from "../make/docx.mjs";
import { epub } from "../make/epub.mjs";
import { html, md } from "../make/input.mjs";
import { workbook } from "../make/xlsx.mjs";

const TEXT = "The fee is 70 EUR a day.";
/** @param {string} content */
const word = (content) => docx(TEXT, paragraph("It is ", content, " here."));
/** @param {string} content */
const page = (content) => html(`<p>${TEXT}</p>${content}`);
const INSIDE = { stands: [TEXT, /It is well hidden here\./] };
const WELL = run("well hidden");
/** @param {RegExp} told @returns {import("./all.mjs").Expected} */
const orTold = (told) => ({ stands: [TEXT], either: [/well hidden/], told: [told] });

/** @type {import("./all.mjs").Cases} */
export const elements = [
    ["a smart tag", word(`<w:smartTag w:uri="u" w:element="e">${WELL}</w:smartTag>`), INSIDE],
    ["own XML", word(`<w:customXml w:element="e">${WELL}</w:customXml>`), INSIDE],
    ["a direction", word(`<w:dir w:val="rtl">${WELL}</w:dir>`), INSIDE],
    ["a turned direction", word(`<w:bdo w:val="ltr">${WELL}</w:bdo>`), INSIDE],
    ["a simple field", word(`<w:fldSimple w:instr=" AUTHOR ">${WELL}</w:fldSimple>`), INSIDE],
    [
        "a field over runs",
        word(
            `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> DOCPROPERTY x </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>${WELL}<w:r><w:fldChar w:fldCharType="end"/></w:r>`,
        ),
        INSIDE,
    ],
    [
        "a control within a control",
        word(`<w:sdt><w:sdtContent><w:sdt><w:sdtContent>${WELL}</w:sdtContent></w:sdt></w:sdtContent></w:sdt>`),
        INSIDE,
    ],
    [
        "an insertion within a link",
        word(`<w:hyperlink w:anchor="a"><w:ins w:id="1" w:author="A">${WELL}</w:ins></w:hyperlink>`),
        INSIDE,
    ],
    ["a page's number of Word", word('<w:r><w:t xml:space="preserve">well hidden</w:t><w:pgNum/></w:r>'), INSIDE],
    [
        "a box of VML",
        docx(
            TEXT,
            paragraph(
                `<w:r><w:pict><v:shape><v:textbox><w:txbxContent>${paragraph("It is well hidden here.")}</w:txbxContent></v:textbox></v:shape></w:pict></w:r>`,
            ),
        ),
        INSIDE,
    ],
    [
        "words drawn by VML",
        docx(TEXT, paragraph('<w:r><w:pict><v:shape><v:textpath string="well hidden"/></v:shape></w:pict></w:r>')),
        orTold(/drawing|picture|shape|left out|not read/i),
    ],
    [
        "a chart in Word",
        docx(
            TEXT,
            paragraph(
                '<w:r><w:drawing><wp:inline><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/chart"><c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" r:id="rId90"/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>',
            ),
        ),
        { stands: [TEXT], told: [/chart|drawing|diagram|not read/i] },
    ],
    [
        "a diagram in Word",
        docx(
            TEXT,
            paragraph(
                '<w:r><w:drawing><wp:inline><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/diagram"><dgm:relIds xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" r:dm="rId90"/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>',
            ),
        ),
        { stands: [TEXT], told: [/chart|drawing|diagram|not read/i] },
    ],
    [
        "a picture with its words",
        docx(
            TEXT,
            paragraph(
                '<w:r><w:drawing><wp:inline><wp:docPr id="1" name="Picture 1" descr="well hidden"/></wp:inline></w:drawing></w:r>',
            ),
        ),
        orTold(/picture|drawing|image/i),
    ],
    [
        "an embedded part",
        docxWith([TEXT, "<w:subDoc/>"], {}),
        { stands: [TEXT], told: [/embedded|not read|document/i] },
    ],

    [
        "a figure's words",
        page("<figure><img src='a.png'><figcaption>It is well hidden here.</figcaption></figure>"),
        INSIDE,
    ],
    ["a picture of a page", page('<p><img src="a.png" alt="well hidden"></p>'), orTold(/picture|image/i)],
    ["a drawing of a page", page("<svg><text>well hidden</text></svg>"), orTold(/drawing|svg|picture|left out/i)],
    [
        "a page within the page",
        page('<iframe srcdoc="&lt;p&gt;well hidden&lt;/p&gt;"></iframe>'),
        orTold(/frame|left out|not read/i),
    ],
    [
        "quotation marks",
        html("<p>She said <q>not now</q> to us.</p>"),
        { stands: [/She said ["“'‘«]not now["”'’»] to us/] },
    ],
    ["an element of its own", page("<my-note>It is well hidden here.</my-note>"), INSIDE],
    ["an element of its own in a paragraph", html(`<p>${TEXT}</p><p>It is <x-y>well hidden</x-y> here.</p>`), INSIDE],
    [
        "a button",
        page("<p>It is <button>well hidden</button> here.</p>"),
        { stands: [TEXT, /It is (well hidden )?here\./] },
    ],
    [
        "a meter",
        page('<p>It is <meter value="3" max="5">well hidden</meter> here.</p>'),
        { stands: [TEXT, /It is (well hidden|3\/5|3 of 5) here\./] },
    ],
    ["words under an object", page("<object data='a.swf'><p>It is well hidden here.</p></object>"), INSIDE],
    ["a map", page("<p>It is <map>well hidden</map> here.</p>"), INSIDE],
    ["a centre", page("<center>It is well hidden here.</center>"), INSIDE],
    ["a marquee", page("<marquee>It is well hidden here.</marquee>"), INSIDE],
    ["a listing", page("<pre>It is well hidden here.</pre>"), INSIDE],
    [
        "a table's caption",
        page(
            "<table><caption>It is well hidden here.</caption><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>",
        ),
        INSIDE,
    ],
    [
        "a table's foot",
        page(
            "<table><tr><th>Item</th><th>Cost</th></tr><tfoot><tr><td>Sum</td><td>150</td></tr></tfoot><tbody><tr><td>Rent</td><td>100</td></tr></tbody></table>",
        ),
        { stands: [/Sum.*150/, /Rent.*100/] },
    ],
    ["words of CDATA", epub("<p>It is <![CDATA[well hidden]]> here.</p><p>The fee is 70 EUR a day.</p>"), INSIDE],
    ["an entity of its own", epub("<p>It is well&#160;hidden here.</p><p>The fee is 70 EUR a day.</p>"), INSIDE],
    [
        "a switch of a book",
        epub(
            '<p>The fee is 70 EUR a day.</p><epub:switch id="s"><epub:case required-namespace="http://www.w3.org/1998/Math/MathML"><p>It is well hidden here.</p></epub:case><epub:default><p>It is well hidden here.</p></epub:default></epub:switch>',
        ),
        { ...INSIDE, most: [["well hidden", 1]] },
    ],
    ["a block of HTML in Markdown", md(`# Fees\n\n${TEXT}\n\n<div>\n<p>It is well hidden here.</p>\n</div>\n`), INSIDE],
    [
        "a definition of Markdown",
        md(`# Fees\n\n${TEXT}\n\nIt is [well hidden][a] here.\n\n[a]: #x "A title"\n`),
        INSIDE,
    ],
    [
        "a box of a workbook",
        workbook([
            {
                rows: [
                    ["Item", "Cost"],
                    ["Rent", 100],
                ],
                after: '<drawing r:id="rId9"/>',
            },
        ]),
        { stands: ["Item: Rent; Cost: 100"], told: [/drawing|chart|picture|not read/i] },
    ],
    [
        "an inline string",
        workbook([
            {
                rows: [
                    ["Item", "Cost"],
                    [{ inline: "<t>Rent</t>" }, 100],
                ],
            },
        ]),
        { stands: ["Item: Rent; Cost: 100"] },
    ],
];
