// Bytes of another charset than UTF-8: as the file declares them, else guessed, and then told as a guess.

import { zip } from "../../zip.mjs";
import { encoded } from "../make/encoded.mjs";
import { book } from "../make/epub.mjs";
import { csv, entries, html, md, rawHtml, txt } from "../make/input.mjs";

/** A sentence of each language, in the charsets that are used for it. */
const TEXTS = /** @type {[string, string][]} */ ([
    ["shift_jis", "支払期限は請求書の日付から三十日です。遅延利息は年五パーセントとします。"],
    ["euc-jp", "監査人は重要性の基準値を決定し、営業秘密を守らなければなりません。"],
    ["iso-2022-jp", "見積書の有効期間は三か月です。秘密はまもられます。"],
    ["gbk", "付款期限为收到发票后三十天，逾期付款的利率为每年百分之五。"],
    ["gb2312", "审计人员应当确定重要性水平，并且记录在工作底稿中。"],
    ["gb18030", "客户应当保守商业秘密，合同期限为三年。"],
    ["big5", "付款期限為收到發票後三十天，逾期付款的利率為每年百分之五。"],
    ["euc-kr", "지급 기한은 청구서를 받은 날부터 삼십일이며 이자는 연 오 퍼센트이다."],
    ["windows-1251", "Срок оплаты составляет тридцать дней со дня получения счёта."],
    ["koi8-r", "Аудитор обязан хранить рабочие документы не менее пяти лет."],
    ["iso-8859-5", "Договор заключён на три года и может быть продлён сторонами."],
    ["windows-1250", "Lhůta splatnosti činí třicet dní ode dne doručení faktury, což je příliš."],
    ["iso-8859-2", "Termin płatności wynosi trzydzieści dni od otrzymania faktury, później są odsetki."],
    ["windows-1253", "Η προθεσμία πληρωμής είναι τριάντα ημέρες από την παραλαβή του τιμολογίου."],
    ["iso-8859-7", "Ο ελεγκτής καθορίζει το επίπεδο σημαντικότητας του ελέγχου."],
    ["windows-1254", "Ödeme süresi faturanın alınmasından itibaren otuz gündür, değişiklik yazılı yapılır."],
    ["iso-8859-9", "Denetçi önemlilik düzeyini belirler ve çalışma kâğıtlarını saklar."],
    ["windows-1255", "מועד התשלום הוא שלושים יום מיום קבלת החשבונית."],
    ["windows-1256", "مدة الدفع ثلاثون يوما من تاريخ استلام الفاتورة."],
    ["windows-874", "กำหนดชำระเงินคือสามสิบวันนับจากวันที่ได้รับใบแจ้งหนี้"],
    ["windows-1252", "Die Kündigungsfrist beträgt drei Monate, die Gebühr 500 € („netto“)."],
]);
const DOUBT = /guess|to be sure|doubt|windows-1252/i;

/**
 * @param {string} charset
 * @param {string} text
 * @param {string} declaration
 */
const page = (charset, text, declaration) =>
    rawHtml(encoded(`<!DOCTYPE html><html><head>${declaration}</head><body><p>${text}</p></body></html>`, charset));

/** Names under which a guess may go: a charset that holds the same signs. */
const ALSO = /** @type {Record<string, string>} */ ({
    gbk: "gbk|gb18030|gb2312",
    gb2312: "gbk|gb18030|gb2312",
    gb18030: "gbk|gb18030|gb2312",
    "iso-8859-2": "iso-8859-2|windows-1250",
    "windows-1250": "iso-8859-2|windows-1250",
    "iso-8859-7": "iso-8859-7|windows-1253",
    "windows-1253": "iso-8859-7|windows-1253",
    "iso-8859-9": "iso-8859-9|windows-1254",
    "windows-1254": "iso-8859-9|windows-1254",
    "windows-874": "windows-874|tis-620|iso-8859-11",
});
/** @param {string} charset */
const guessed = (charset) => [new RegExp(`guess.*(${ALSO[charset] ?? charset})`, "i")];

const declared = TEXTS.map(([charset, text], at) => {
    const declaration =
        at % 2 === 0
            ? `<meta charset="${charset}">`
            : `<META HTTP-EQUIV=Content-Type CONTENT='text/html; charset=${charset}'>`;
    return /** @type {import("./all.mjs").Case} */ ([
        `a page that declares ${charset}`,
        page(charset, text, declaration),
        { stands: [text], untold: [/guess|to be sure|doubt/i] },
    ]);
});
/** Undeclared texts, in turn plain, Markdown and rows. */
const undeclared = TEXTS.filter(
    ([charset]) => !["gb2312", "gb18030", "iso-8859-5", "iso-8859-7", "windows-1254", "windows-1252"].includes(charset),
).map(([charset, text], at) => {
    const made = [
        () => txt(encoded(`${text}\n`, charset)),
        () => md(encoded(`# 1\n\n${text}\n`, charset)),
        () => csv(encoded(`Id,Text\n1,"${text}"\n2,"${text}"\n`, charset)),
    ][at % 3];
    return /** @type {import("./all.mjs").Case} */ ([
        `undeclared ${charset}`,
        (made ?? (() => txt("")))(),
        { stands: [text], told: guessed(charset) },
    ]);
});
const GERMAN = "Die Kündigungsfrist beträgt drei Monate.";
const XHTML = '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head><body>';

/** @type {import("./all.mjs").Cases} */
export const charsets = [
    ...declared,
    ...undeclared,
    [
        "undeclared windows-1252",
        txt(encoded("Die Kündigungsfrist beträgt drei Monate, die Gebühr 500 €.\n", "windows-1252")),
        { stands: ["Die Kündigungsfrist beträgt drei Monate, die Gebühr 500 €."], told: [/guess.*windows-1252/i] },
    ],
    [
        "a short list in Japanese",
        csv(encoded("品名,価格\nりんご,100\n", "shift_jis")),
        { stands: [/りんご.*100/], told: [/guess/i] },
    ],
    [
        "a short list in German",
        csv(encoded("Größe;Wert\nklein;5\ngroß;7\n", "windows-1252")),
        { stands: [/Größe: groß; Wert: 7/], told: [/guess/i] },
    ],
    [
        "an XML declaration",
        rawHtml(
            encoded(
                `<?xml version="1.0" encoding="ISO-8859-1"?>\n${XHTML}<p>${GERMAN}</p></body></html>`,
                "windows-1252",
            ),
        ),
        { stands: [GERMAN], untold: [DOUBT] },
    ],
    [
        "a book's chapter",
        book([
            {
                href: "one.xhtml",
                content: encoded(
                    `<?xml version="1.0" encoding="windows-1251"?>\n${XHTML}<p>Срок оплаты составляет тридцать дней.</p></body></html>`,
                    "windows-1251",
                ),
            },
        ]),
        { stands: ["Срок оплаты составляет тридцать дней."], untold: [DOUBT] },
    ],
    [
        "a book's chapter in UTF-16",
        book([
            {
                href: "one.xhtml",
                content: Buffer.concat([
                    Buffer.from([0xff, 0xfe]),
                    encoded(
                        `<?xml version="1.0" encoding="utf-16"?>\n${XHTML}<p>${GERMAN}</p></body></html>`,
                        "utf-16le",
                    ),
                ]),
            },
        ]),
        { stands: [GERMAN], untold: [DOUBT] },
    ],
    [
        "UTF-8 that declares another",
        rawHtml(`<html><head><meta charset="windows-1251"></head><body><p>${GERMAN}</p></body></html>`),
        { stands: [GERMAN] },
    ],
    [
        "a label of old",
        page("windows-1252", GERMAN, '<meta charset="latin1">'),
        { stands: [GERMAN], untold: [/guess|doubt/i] },
    ],
    [
        "a label that nobody knows",
        page("windows-1252", GERMAN, '<meta charset="klingon">'),
        { stands: [GERMAN], told: [/guess/i] },
    ],
    [
        "a declaration of UTF-16 in bytes",
        rawHtml(`<html><head><meta charset="utf-16"></head><body><p>${GERMAN}</p></body></html>`),
        { stands: [GERMAN] },
    ],
    [
        "a mark of UTF-8",
        txt(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(`${GERMAN}\n`)])),
        { stands: [new RegExp(`^${GERMAN}$`)], untold: [DOUBT] },
    ],
    [
        "UTF-16 with a mark",
        txt(Buffer.concat([Buffer.from([0xff, 0xfe]), encoded(`${GERMAN}\n`, "utf-16le")])),
        { stands: [GERMAN], untold: [DOUBT] },
    ],
    [
        "UTF-16 the other way round",
        csv(Buffer.concat([Buffer.from([0xfe, 0xff]), encoded("Größe,Wert\ngroß,7\n", "utf-16be")])),
        { stands: ["Größe: groß; Wert: 7"], untold: [DOUBT] },
    ],
    [
        "UTF-16 without a mark",
        csv(encoded("Groesse,Wert\nklein,5\ngross,7\nneu,9\n", "utf-16le")),
        { stands: ["Groesse: gross; Wert: 7"] },
    ],
    [
        "big UTF-16 without a mark",
        txt(encoded("The notice is three months long.\nIt is given in writing.\n", "utf-16be")),
        { stands: [/The notice is three months long\./] },
    ],
    [
        "UTF-32",
        txt(Buffer.concat([encoded("\ufeff", "utf-32le"), encoded(`${GERMAN}\n`, "utf-32le")])),
        { either: [GERMAN], told: [/utf-32/i] },
    ],
    [
        "one foreign byte",
        txt(
            Buffer.concat([
                Buffer.from(`${GERMAN}\nGröße: 5. stray: `),
                Buffer.from([0xff]),
                Buffer.from("\nÜbersicht und Maße.\n"),
            ]),
        ),
        {
            stands: [/Die Kündigungsfrist beträgt drei Monate\./, /Größe: 5/, /Übersicht und Maße\./],
            told: [/byte|sign|character/i],
        },
    ],
    [
        "a cut last sign",
        txt(Buffer.from(`${GERMAN} Größe ü`).subarray(0, -1)),
        { stands: [/Die Kündigungsfrist beträgt drei Monate\. Größe/] },
    ],
    ["ASCII", txt("The notice is three months.\n"), { stands: ["The notice is three months."], untold: [DOUBT] }],
    ["UTF-8", html(`<p>${GERMAN}</p>`), { stands: [GERMAN], untold: [DOUBT] }],
    [
        "Word in UTF-16",
        {
            extension: "docx",
            bytes: zip(
                entries({
                    "[Content_Types].xml":
                        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
                    "_rels/.rels":
                        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
                    "word/document.xml": Buffer.concat([
                        Buffer.from([0xff, 0xfe]),
                        encoded(
                            `<?xml version="1.0" encoding="UTF-16"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>${GERMAN}</w:t></w:r></w:p></w:body></w:document>`,
                            "utf-16le",
                        ),
                    ]),
                }),
            ),
        },
        { stands: [GERMAN] },
    ],
];
