// Scripts that are read from the right.

import { docx, paragraph, run } from "../make/docx.mjs";
import { csv, html, md } from "../make/input.mjs";
import { BODY, pdfOf, text, unicode } from "../make/pdf.mjs";

/**
 * A line as it is seen from left to right: its letters turned, numbers and Latin words within it not.
 * @param {string} line
 */
const seen = (line) =>
    [...line]
        .reverse()
        .join("")
        .replace(/[0-9A-Za-z](?:[0-9A-Za-z .,/:-]*[0-9A-Za-z])?/g, (group) => [...group].reverse().join(""))
        .replace(/[()]/g, (bracket) => (bracket === "(" ? ")" : "("));
/**
 * @param {string[]} shown lines
 * @param {string} [more]
 */
const page = (shown, more = "") =>
    pdfOf(
        [{ content: shown.map((line, at) => text(300, 760 - 16 * at, unicode(line), { font: "U" })).join("") + more }],
        { U: "unicode" },
    );
/** @param {string} line
 * @returns {[import("../make/input.mjs").Input, import("./all.mjs").Expected]} */
const visual = (line) => [page([seen(line)]), { stands: [line] }];

const HEBREW = "חוזה זה נחתם בין הצדדים ביום הראשון לינואר";
const ARABIC = "يلتزم المورد بالحفاظ على سرية المعلومات";

/** @type {import("./all.mjs").Cases} */
export const bidi = [
    ["Hebrew", ...visual(HEBREW)],
    ["Hebrew with a number", ...visual("תקן 315 קובע את הדרישות מן המבקר")],
    ["Hebrew with a long number", ...visual("הסכום הוא 1,234.50 שקלים לכל חודש")],
    ["Hebrew with a day", ...visual("החוזה נחתם ביום 31/12/2025 בתל אביב")],
    ["Hebrew with a Latin name", ...visual("התקן ISA 315 קובע את הדרישות")],
    ["Hebrew with brackets", ...visual("הספק (להלן החברה) ישמור על סודיות")],
    ["Hebrew that ends with a stop", ...visual("הספק ישמור על סודיות המידע.")],
    [
        "two lines of Hebrew",
        page([seen("הספק ישמור על סודיות המידע במשך"), seen("שלוש שנים מיום סיום ההסכם")]),
        { stands: ["הספק ישמור על סודיות המידע במשך שלוש שנים מיום סיום ההסכם"] },
    ],
    ["Arabic", ...visual(ARABIC)],
    ["Arabic with a number", ...visual("المدة هي 30 يوما من تاريخ الفاتورة")],
    ["Arabic in forms of its letters", page(["\ufe8e\ufe92\ufea3\ufeae\ufee3"]), { stands: ["مرحبا"] }],
    [
        "Hebrew among English",
        pdfOf(
            [
                {
                    content:
                        text(72, 760, "The Hebrew word is ") +
                        text(170, 760, unicode(seen("סודיות המידע")), { font: "U" }) +
                        text(260, 760, " in this text.") +
                        BODY,
                },
            ],
            { U: "unicode" },
        ),
        { stands: [/The Hebrew word is סודיות המידע in this text/] },
    ],
    [
        "Hebrew placed letter by letter",
        pdfOf(
            [
                {
                    content: [...HEBREW]
                        .map((letter, at) => text(500 - 6.05 * at, 760, unicode(letter), { font: "U" }))
                        .join(""),
                },
            ],
            { U: "unicode" },
        ),
        { stands: [HEBREW] },
    ],
    [
        "Hebrew whose strings are marked as reversed",
        pdfOf([{ content: `/ReversedChars BMC\n${text(300, 760, unicode(seen(HEBREW)), { font: "U" })}EMC\n` }], {
            U: "unicode",
        }),
        { stands: [HEBREW] },
    ],
    [
        "Hebrew with its own text",
        pdfOf(
            [
                {
                    content: `/Span <</ActualText <feff${Buffer.from("סוד", "utf16le").swap16().toString("hex")}>>> BDC\n${text(300, 760, unicode("דוס"), { font: "U" })}EMC\n`,
                },
            ],
            { U: "unicode" },
        ),
        { stands: ["סוד"] },
    ],
    ["Hebrew stored as it is read", page([HEBREW, "הצדדים מסכימים שההסכם יהיה בתוקף"]), { stands: [HEBREW] }],
    [
        "Hebrew in Word",
        docx("A contract.", paragraph("<w:pPr><w:bidi/></w:pPr>", run("הסכם ISA 315 (להלן התקן)", "<w:rtl/>"))),
        { stands: ["הסכם ISA 315 (להלן התקן)"] },
    ],
    ["Hebrew of a page", html(`<p dir="rtl">${HEBREW} 2025.</p>`), { stands: [`${HEBREW} 2025.`] }],
    ["Arabic of Markdown", md(`# ١\n\n${ARABIC} (30 يوما).\n`), { stands: [`${ARABIC} (30 يوما).`] }],
    ["Hebrew in rows", csv(`שם,סכום\nספק,500\nלקוח,700\n`), { stands: [/שם: ספק; סכום: 500/] }],
    ["English", page(["This agreement was made in 2025."]), { stands: ["This agreement was made in 2025."] }],
];
