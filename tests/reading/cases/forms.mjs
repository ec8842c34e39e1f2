// What people typed into a form, and what they wrote onto a page.

import { html } from "../make/input.mjs";
import { BODY, pdfOf, text } from "../make/pdf.mjs";

/** @typedef {import("../make/pdf.mjs").File} File */

const BOX = [160, 696, 300, 712];
const RECT = `/Rect [${BOX.join(" ")}]`;
const NAME = text(72, 700, "First name:");

/** @param {(file: File) => { annotations?: string[], fields?: string[] }} parts */
const page = (parts, content = NAME) => pdfOf([{ content: content + BODY, parts }]);
/**
 * A field that is its own widget.
 * @param {string} dictionary
 * @param {string} [shown] text of its appearance
 */
const field = (dictionary, shown, content = NAME) =>
    page((file) => {
        const look = shown === undefined ? "" : ` /AP <</N ${file.appearance(BOX, shown)}>>`;
        const widget = file.add(`<</Type /Annot /Subtype /Widget ${RECT} /F 4 ${dictionary}${look}>>`);
        return { annotations: [widget], fields: [widget] };
    }, content);
/**
 * A box with its appearances.
 * @param {string} dictionary
 */
const box = (dictionary, content = text(180, 700, "The control was tested.")) =>
    page((file) => {
        const drawn = file.stream("/Type /XObject /Subtype /Form /BBox [0 0 10 10]", "0 0 m 10 10 l S");
        const widget = file.add(
            `<</Type /Annot /Subtype /Widget /Rect [160 698 170 708] /F 4 /FT /Btn /T (tested) ${dictionary} /AP <</N <</Yes ${drawn} /Off ${drawn}>>>>>>`,
        );
        return { annotations: [widget], fields: [widget] };
    }, content);
/**
 * @param {string} dictionary
 * @param {string} [shown]
 */
const remark = (dictionary, shown) =>
    page((file) => {
        const look = shown === undefined ? "" : ` /AP <</N ${file.appearance(BOX, shown)}>>`;
        return { annotations: [file.add(`<</Type /Annot ${RECT} /F 4 ${dictionary}${look}>>`)] };
    });
const ALICE = { stands: [/First name: ?\|? ?Alice/] };
/** @param {boolean} first whether it is the chosen one */
const radio = (first) =>
    page(
        (file) => {
            const parent = `${file.objects.length + 4} 0 R`;
            const drawn = file.stream("/Type /XObject /Subtype /Form /BBox [0 0 10 10]", "0 0 m 10 10 l S");
            const kids = [0, 1].map((at) =>
                file.add(
                    `<</Type /Annot /Subtype /Widget /Rect [160 ${698 - 20 * at} 170 ${708 - 20 * at}] /F 4 /Parent ${parent} /AS /${(at === 0) === first ? `R${at}` : "Off"} /AP <</N <</R${at} ${drawn} /Off ${drawn}>>>>>>`,
                ),
            );
            file.add(`<</FT /Btn /Ff 49152 /T (risk) /V /R${first ? 0 : 1} /Kids [${kids.join(" ")}]>>`);
            return { annotations: kids, fields: [parent] };
        },
        text(180, 700, "Low risk of loss") + text(180, 680, "High risk of loss"),
    );

/** @type {import("./all.mjs").Cases} */
export const forms = [
    ["text with its appearance", field("/FT /Tx /T (first) /V (Alice)", "Alice"), ALICE],
    ["text without an appearance", field("/FT /Tx /T (first) /V (Alice)"), ALICE],
    [
        "text in UTF-16",
        field("/FT /Tx /T (first) /V <feff0041006c00690063006500200160>"),
        { stands: [/First name: ?\|? ?Alice Š/] },
    ],
    [
        "text of several lines",
        field("/FT /Tx /Ff 4096 /T (first) /V (Alice\\rof Vienna)"),
        { stands: [/Alice\s+of Vienna/] },
    ],
    [
        "text that its parent holds",
        page((file) => {
            const parent = `${file.objects.length + 2} 0 R`;
            const widget = file.add(`<</Type /Annot /Subtype /Widget ${RECT} /F 4 /Parent ${parent}>>`);
            file.add(`<</FT /Tx /T (first) /V (Alice) /Kids [${widget}]>>`);
            return { annotations: [widget], fields: [parent] };
        }),
        ALICE,
    ],
    [
        "text whose type its grandparent holds",
        page((file) => {
            const at = file.objects.length;
            const widget = file.add(
                `<</Type /Annot /Subtype /Widget ${RECT} /F 4 /Parent ${at + 2} 0 R /V (Alice) /T (c)>>`,
            );
            file.add(`<</T (b) /Parent ${at + 3} 0 R /Kids [${widget}]>>`);
            file.add(`<</FT /Tx /T (a) /Kids [${at + 2} 0 R]>>`);
            return { annotations: [widget], fields: [`${at + 3} 0 R`] };
        }),
        ALICE,
    ],
    ["an empty field", field("/FT /Tx /T (first)"), { stands: ["First name:"], absent: ["Alice"] }],
    [
        "a field that is hidden",
        page((file) => {
            const widget = file.add(
                `<</Type /Annot /Subtype /Widget ${RECT} /F 2 /FT /Tx /T (first) /V (Secretword)>>`,
            );
            return { annotations: [widget], fields: [widget] };
        }),
        { stands: ["First name:"], absent: ["Secretword"] },
    ],
    [
        "a password",
        field("/FT /Tx /Ff 8192 /T (first) /V (Secretword)"),
        { stands: ["First name:"], absent: ["Secretword"] },
    ],
    [
        "a chosen entry with its words",
        field("/FT /Ch /Ff 131072 /T (first) /V (b) /Opt [[(a) (Austria)] [(b) (Belgium)]]"),
        { stands: [/First name: ?\|? ?Belgium/], absent: ["Austria"] },
    ],
    [
        "a chosen entry",
        field("/FT /Ch /Ff 131072 /T (first) /V (Belgium) /Opt [(Austria) (Belgium)]"),
        { stands: [/First name: ?\|? ?Belgium/], absent: ["Austria"] },
    ],
    [
        "two chosen entries",
        field("/FT /Ch /Ff 2097152 /T (first) /V [(Austria) (Cyprus)] /Opt [(Austria) (Belgium) (Cyprus)]"),
        { stands: [/Austria[,;]?\s+Cyprus/], absent: ["Belgium"] },
    ],
    ["a ticked box", box("/V /Yes /AS /Yes"), { stands: [/[☑☒] ?(tested:?)? ?\|? ?The control was tested/] }],
    ["a box that is not ticked", box("/V /Off /AS /Off"), { stands: [/☐ ?(tested:?)? ?\|? ?The control was tested/] }],
    ["a box without a state", box(""), { stands: [/☐ ?(tested:?)? ?\|? ?The control was tested/] }],
    [
        "the first circle",
        radio(true),
        { stands: [/[☑☒◉●⦿] ?(risk:?|R0)? ?\|? ?Low risk/, /[☐○◯] ?(risk:?|R1)? ?\|? ?High risk/] },
    ],
    [
        "the second circle",
        radio(false),
        { stands: [/[☐○◯] ?(risk:?|R0)? ?\|? ?Low risk/, /[☑☒◉●⦿] ?(risk:?|R1)? ?\|? ?High risk/] },
    ],
    [
        "typed onto the page",
        remark("/Subtype /FreeText /Contents (Paid on 3 May) /DA (/Helv 10 Tf)", "Paid on 3 May"),
        { stands: [/Paid on 3 May/] },
    ],
    [
        "typed without an appearance",
        remark("/Subtype /FreeText /Contents (Paid on 3 May) /DA (/Helv 10 Tf)"),
        { stands: [/Paid on 3 May/] },
    ],
    [
        "a stamp",
        remark("/Subtype /Stamp /Name /Draft", "DRAFT - not for signature"),
        { stands: [/DRAFT - not for signature/] },
    ],
    [
        "a note on the page",
        remark("/Subtype /Text /T (Bob) /Contents (Is this his name?)"),
        {
            stands: ["First name:"],
            either: [/(Comment|Note) \(Bob\): Is this his name\?/],
            told: [/comment|annotation|remark|note/i],
        },
    ],
    [
        "a highlight with words",
        remark("/Subtype /Highlight /T (Bob) /Contents (Check this.) /QuadPoints [160 712 300 712 160 696 300 696]"),
        {
            stands: ["First name:"],
            either: [/(Comment|Note) \(Bob\): Check this\./],
            told: [/comment|annotation|remark|highlight/i],
        },
    ],
    [
        "a link",
        remark("/Subtype /Link /Border [0 0 0] /A <</S /URI /URI (https://example.org)>>"),
        { stands: ["First name:"], untold: [/annotation|remark|comment/i] },
    ],
    [
        "a page of a form alone",
        pdfOf([
            {
                content: "",
                parts: (file) => {
                    const widget = file.add(
                        `<</Type /Annot /Subtype /Widget ${RECT} /F 4 /FT /Tx /T (first) /V (Alice) /AP <</N ${file.appearance(BOX, "Alice")}>>>>`,
                    );
                    return { annotations: [widget], fields: [widget] };
                },
            },
        ]),
        { stands: ["Alice"] },
    ],

    [
        "a field of a page",
        html('<p>First name: <input type="text" value="Alice"></p>'),
        { stands: ["First name: Alice"] },
    ],
    [
        "a field without a type",
        html('<p>First name: <input name="first" value="Alice"></p>'),
        { stands: ["First name: Alice"] },
    ],
    [
        "a field's password",
        html('<p>First name: <input type="password" value="Secretword"> here</p>'),
        { stands: [/First name: .*here/], absent: ["Secretword"] },
    ],
    [
        "a field that nobody sees",
        html('<p>First name: <input type="hidden" value="Secretword"> here</p>'),
        { stands: [/First name: .*here/], absent: ["Secretword"] },
    ],
    [
        "an entry of a page",
        html("<p>Country: <select><option>Austria</option><option selected>Belgium</option></select></p>"),
        { stands: ["Country: Belgium"], absent: ["Austria"] },
    ],
    [
        "a text of a page",
        html("<p>Reason: <textarea>Paid on 3 May</textarea></p>"),
        { stands: [/Reason: ?Paid on 3 May/] },
    ],
];
