// Signs above or below the line: an exponent must not become a part of the number.

import { cell, docx, docxWith, paragraph, run, style, table } from "../make/docx.mjs";
import { epub } from "../make/epub.mjs";
import { html, md } from "../make/input.mjs";
import { BODY, lines, pdf, pdfOf, pieces } from "../make/pdf.mjs";
import { workbook } from "../make/xlsx.mjs";

const UP = '<w:vertAlign w:val="superscript"/>';
const DOWN = '<w:vertAlign w:val="subscript"/>';
/** @param {string} text */
const up = (text) => run(text, UP);
/** @param {string} text */
const down = (text) => run(text, DOWN);
/** @param {string[]} content */
const word = (...content) => docx("A report.", paragraph(...content));
const MASS = { stands: [/3\.2 x 10(⁶|\^6|\^\(6\)) kg/], absent: ["106"] };
const AREA = { stands: [/450 m(²|\^2)/], absent: ["450 m2"] };
const GAS = { stands: [/CO(₂|_2|_\(2\))/], absent: [] };
const POWER = { stands: [/10\^\(1\.5\)|10¹·⁵/], absent: ["101.5"] };
const INDEX = { stands: [/a(ⁿ⁺¹|\^\(n\+1\))/], absent: ["an+1"] };
const NEGATIVE = { stands: [/10(⁻³|\^\([-−]3\)|\^[-−]3)/], absent: [/10[-−]3/] };

/**
 * @param {string} text raised
 * @param {number} [size]
 */
const above = (text, size = 7) => ({ text, size, rise: 4 });
/** @param {string} text lowered */
const below = (text) => ({ text, size: 7, rise: -2 });
/** @param {Parameters<typeof pieces>[2]} line */
const line = (line) => pdf(pieces(72, 700, line));

/** @type {import("./all.mjs").Cases} */
export const raised = [
    ["an exponent in Word", word("Emissions are 3.2 x 10", up("6"), " kg."), MASS],
    ["a unit in Word", word("It has 450 m", up("2"), " of space."), AREA],
    ["an index in Word", word("It emits CO", down("2"), " daily."), GAS],
    [
        "a number with a mark",
        word("It cost 250", up("9"), " million."),
        { stands: [/250(⁹|\^9|\^\(9\)) million/], absent: ["2509"] },
    ],
    ["a broken exponent in Word", word("The factor is 10", up("1.5"), " here."), POWER],
    ["an exponent of letters in Word", word("The term is a", up("n+1"), " here."), INDEX],
    ["a negative exponent in Word", word("It took 10", up("-3"), " s."), NEGATIVE],
    ["a negative exponent with a minus sign", word("It took 10", up("−3"), " s."), NEGATIVE],
    [
        "an exponent in two runs",
        word("It has 10", up("1"), up("2"), " bytes."),
        { stands: [/10(¹²|\^12|\^\(12\)) bytes/], absent: ["1012"] },
    ],
    [
        "an exponent by style",
        docxWith(["A report.", paragraph("Emissions are 3.2 x 10", run("6", '<w:rStyle w:val="Up"/>'), " kg.")], {
            styles: style("Up", UP),
        }),
        MASS,
    ],
    [
        "a style that is put back",
        docxWith(
            [
                "A report.",
                paragraph("Room 10", run("6", '<w:rStyle w:val="Up"/><w:vertAlign w:val="baseline"/>'), " is free."),
            ],
            { styles: style("Up", UP) },
        ),
        { stands: ["Room 106 is free."], absent: [] },
    ],
    [
        "an exponent by position",
        word("Emissions are 3.2 x 10", run("6", '<w:position w:val="8"/><w:sz w:val="14"/>'), " kg."),
        MASS,
    ],
    [
        "an exponent in a cell",
        docx("A report.", table(["What", "Mass"], ["Emissions", cell(paragraph("3.2 x 10", up("6"), " kg"))])),
        MASS,
    ],
    [
        "an exponent in a link",
        word("Emissions are 3.2 x 10", `<w:hyperlink w:anchor="a">${up("6")}</w:hyperlink>`, " kg."),
        MASS,
    ],
    [
        "an exponent in an insertion",
        word("Emissions are 3.2 x 10", `<w:ins w:id="1" w:author="A">${up("6")}</w:ins>`, " kg."),
        MASS,
    ],
    [
        "an index of letters",
        word("The load is F", down("max"), " here."),
        { stands: [/F(_\(max\)|ₘₐₓ|_max)/], absent: ["Fmax"] },
    ],
    ["an ordinal", word("The 21", up("st"), " century."), { stands: [/21(st|ˢᵗ|\^\(st\)) century/], absent: [] }],
    ["a trade mark", word("Acme", up("TM"), " is ours."), { stands: [/Acme ?(TM|™|ᵀᴹ|\^\(TM\)) is/], absent: [] }],
    [
        "an isotope",
        word("It holds ", up("235"), "U today."),
        { stands: [/(²³⁵|\^235 ?|\^\(235\) ?)U/], absent: ["235U"] },
    ],
    ["both", word("It is x", down("1"), up("2"), " in all."), { stands: [/x(₁²|_1\^2|²₁)/], absent: ["x12"] }],
    [
        "a footnote's mark in Word",
        docxWith(
            [
                paragraph(
                    "In 2025",
                    '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:footnoteReference w:id="2"/></w:r>',
                    " it grew.",
                ),
            ],
            { footnotes: `<w:footnote w:id="2">${paragraph("By its own figures.")}</w:footnote>` },
        ),
        { stands: [/In 2025(¹|\^1| ?\[1\])? it grew\./, "By its own figures."], absent: ["20251"] },
    ],

    ["an exponent in HTML", html("<p>Emissions are 3.2 x 10<sup>6</sup> kg.</p>"), MASS],
    ["a broken exponent in HTML", html("<p>The factor is 10<sup>1.5</sup> here.</p>"), POWER],
    ["an exponent of letters in HTML", html("<p>The term is a<sup>n+1</sup> here.</p>"), INDEX],
    ["an exponent in slanted letters", html("<p>The term is a<sup><i>n</i>+1</sup> here.</p>"), INDEX],
    ["a negative exponent in HTML", html("<p>It took 10<sup>&minus;3</sup> s.</p>"), NEGATIVE],
    ["an index in HTML", html("<p>It emits CO<sub>2</sub> daily.</p>"), GAS],
    [
        "an index of letters in HTML",
        html("<p>The load is F<sub>max</sub> here.</p>"),
        { stands: [/F(_\(max\)|ₘₐₓ|_max)/], absent: ["Fmax"] },
    ],
    [
        "an exponent by CSS",
        html('<p>Emissions are 3.2 x 10<span style="vertical-align:super;font-size:70%">6</span> kg.</p>'),
        MASS,
    ],
    [
        "an exponent by class",
        html('<p>Emissions are 3.2 x 10<span class="e">6</span> kg.</p>', "<style>.e{vertical-align:super}</style>"),
        MASS,
    ],
    [
        "an exponent in a cell of HTML",
        html(
            "<table><tr><th>What</th><th>Mass</th></tr><tr><td>Emissions</td><td>3.2 x 10<sup>6</sup> kg</td></tr></table>",
        ),
        MASS,
    ],
    [
        "words above the line",
        html("<p>The limit<sup>as amended</sup> is 5.</p>"),
        { stands: [/limit ?(\^\(as amended\)|ᵃˢ ᵃᵐᵉⁿᵈᵉᵈ|\(as amended\)) is 5/], absent: ["limitas"] },
    ],
    [
        "a footnote's mark in HTML",
        html('<p>In 2025<sup><a href="#n1">1</a></sup> it grew.</p><ol><li id="n1">By its own figures.</li></ol>'),
        { stands: [/In 2025(¹|\^1|\^\(1\)| ?\[1\])? it grew\./], absent: ["20251"] },
    ],
    [
        "a range of marks in HTML",
        html("<p>As others say<sup>3,4</sup> it grew.</p>"),
        { stands: [/say ?(³[,·᾽'’،˒]? ?⁴|\^\(3,4\)|\[3,4\]) it grew/], absent: ["say3,4"] },
    ],
    ["an exponent in Markdown", md("# A report\n\nEmissions are 3.2 x 10<sup>6</sup> kg.\n"), MASS],
    ["a written power", md("# A report\n\nEmissions are 3.2 x 10^6 kg.\n"), { stands: ["10^6 kg"], absent: [] }],
    [
        "a raised sign of Unicode",
        md("# A report\n\nIt has 450 m² and CO₂.\n"),
        { stands: ["450 m² and CO₂"], absent: [] },
    ],
    ["an exponent in a book", epub("<p>Emissions are 3.2 x 10<sup>6</sup> kg.</p>"), MASS],
    ["a broken exponent in a book", epub("<p>The factor is 10<sup>1.5</sup> here.</p>"), POWER],
    [
        "an exponent in a workbook",
        workbook([
            {
                rows: [
                    ["What", "Size"],
                    ["Space", { rich: '<r><t>450 m</t></r><r><rPr><vertAlign val="superscript"/></rPr><t>2</t></r>' }],
                ],
            },
        ]),
        AREA,
    ],
    [
        "an index in a workbook",
        workbook([
            {
                rows: [
                    ["What", { rich: '<r><t>CO</t></r><r><rPr><vertAlign val="subscript"/></rPr><t>2</t></r>' }],
                    ["Plant", 5],
                ],
            },
        ]),
        GAS,
    ],

    ["an exponent in PDF", line(["Emissions are 3.2 x 10", above("6"), " kg in all."]), MASS],
    ["a unit in PDF", line(["It has 450 m", above("2"), " of space."]), AREA],
    ["an index in PDF", line(["It emits CO", below("2"), " daily."]), GAS],
    ["a broken exponent in PDF", line(["The factor is 10", above("1.5"), " here."]), POWER],
    ["a negative exponent in PDF", line(["It took 10", above("-3"), " s in all."]), NEGATIVE],
    ["an exponent of letters in PDF", line(["The term is a", above("n+1"), " here."]), INDEX],
    [
        "a number with a mark in PDF",
        line(["It cost 250", above("9"), " million."]),
        { stands: [/250(⁹|\^9|\^\(9\)) million/], absent: [/250 ?9/] },
    ],
    [
        "an exponent placed by hand",
        pdf(
            "BT /F1 11 Tf 72 700 Td (Emissions are 3.2 x 10) Tj /F1 7 Tf 112.5 4 Td (6) Tj /F1 11 Tf 4.5 -4 Td ( kg in all.) Tj ET\n",
        ),
        MASS,
    ],
    [
        "an exponent at the end of a line",
        pdf(
            pieces(72, 700, ["The plant has 450 m", above("2")]) +
                pieces(72, 686, ["of space for its machines and people."]),
        ),
        AREA,
    ],
    [
        "a footnote's mark in PDF",
        pdfOf([
            {
                content:
                    pieces(72, 700, ["In the year 2025", above("1"), " it grew."]) +
                    BODY +
                    pieces(72, 90, [above("1", 6), { text: " By its own figures, which nobody tested.", size: 8 }]),
            },
        ]),
        { stands: [/In the year 2025(¹|\^1|\^\(1\)| ?\[1\])? it grew/, "By its own figures"], absent: [/2025 ?1 it/] },
    ],
    [
        "a registered mark",
        line(["The device Acme", above("\xae"), " is ours."]),
        { stands: [/Acme ?® is ours/], absent: ["^"] },
    ],
    [
        "small capitals on the line",
        pdf(pieces(72, 700, ["The firm A", { text: "CME", size: 8 }, " is ours."])),
        { stands: ["The firm ACME is ours."], absent: ["^", "_"] },
    ],
    [
        "lines close together",
        pdf(lines(72, 720, ["It has 10 rooms"]) + pieces(72, 710, [{ text: "6 of them are free", size: 8 }])),
        { stands: [/10 rooms/], absent: ["10⁶"] },
    ],
];
