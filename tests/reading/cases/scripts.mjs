// Scripts of the world: all signs stand, and a search finds them.

import { docx } from "../make/docx.mjs";
import { encoded } from "../make/encoded.mjs";
import { epub } from "../make/epub.mjs";
import { csv, html, md, txt } from "../make/input.mjs";
import { BODY, pdfOf, text, unicode } from "../make/pdf.mjs";
import { xlsx } from "../make/xlsx.mjs";

/** A sentence of each script and a word to look for. */
const TEXTS = /** @type {[string, string, string][]} */ ([
    ["Chinese", "逾期付款的利率为每年百分之五。付款期限为三十天。", "付款期限"],
    ["Japanese", "遅延利息は年五パーセントとし、営業秘密を守るものとする。", "営業秘密"],
    ["Korean", "지급 기한은 삼십일이며 비밀을 지켜야 한다.", "기한"],
    ["Thai", "ผู้รับจ้างต้องรักษาความลับทางการค้าและชำระเงินภายในสามสิบวัน", "ความลับทางการค้า"],
    ["Khmer", "អ្នកផ្គត់ផ្គង់ត្រូវរក្សាការសម្ងាត់ពាណិជ្ជកម្ម។", "ការសម្ងាត់"],
    ["Hebrew", "הספק ישמור על סודיות המידע במשך שלוש שנים.", "סודיות"],
    ["Arabic", "يلتزم المورد بالحفاظ على سرية المعلومات لمدة ثلاث سنوات.", "سرية"],
    ["Hindi", "आपूर्तिकर्ता जानकारी की गोपनीयता बनाए रखेगा।", "गोपनीयता"],
    ["Greek", "Ο προμηθευτής τηρεί το απόρρητο των πληροφοριών.", "απόρρητο"],
    ["decomposed German", "Die Kündigungsfrist für Gebühren beträgt drei Monate.".normalize("NFD"), "Kündigungsfrist"],
]);
const FORMATS = /** @type {((text: string) => import("../make/input.mjs").Input)[]} */ ([
    (text) => md(`# 1\n\n${text}\n`),
    (text) => docx(text),
    (text) => html(`<p>${text}</p>`),
    (text) => txt(`${text}\n`),
    (text) => epub(`<p>${text}</p>`),
    (text) => csv(`Id,Text\n1,${text}\n`),
    (text) => xlsx(["Id", "Text"], ["1", text]),
]);
const standing = TEXTS.flatMap(([script, text, word], at) =>
    [0, 1].map((more) => {
        const make = FORMATS[(2 * at + more) % FORMATS.length] ?? txt;
        const made = make(text);
        return /** @type {import("./all.mjs").Case} */ ([
            `${script} in ${made.extension}`,
            made,
            { stands: [text], finds: more === 0 ? [word] : [], untold: [/left out|unknown/i] },
        ]);
    }),
);

const [JAPANESE, CHINESE, TAIWAN, KOREAN] = [
    "営業秘密を守る義務は三年間存続する。",
    "付款期限为收到发票后三十天。",
    "付款期限為收到發票後三十天。",
    "지급 기한은 삼십일이다.",
];
/**
 * @param {string} cmap
 * @param {string} ordering
 * @param {Buffer} bytes
 * @param {string} words
 * @returns {import("./all.mjs").Case}
 */
const predefined = (cmap, ordering, bytes, words) => [
    `the map ${cmap}`,
    pdfOf([{ content: text(72, 700, `<${bytes.toString("hex")}>`, { font: "C" }) }], { C: { cmap, ordering } }),
    { stands: [words], untold: [/damaged|blank|left out/i] },
];
const jis = Buffer.from(encoded(JAPANESE, "euc-jp").map((byte) => byte & 0x7f));

/** @type {import("./all.mjs").Cases} */
export const scripts = [
    ...standing,
    predefined("90ms-RKSJ-H", "Japan1", encoded(JAPANESE, "shift_jis"), JAPANESE),
    predefined("EUC-H", "Japan1", encoded(JAPANESE, "euc-jp"), JAPANESE),
    predefined("H", "Japan1", jis, JAPANESE),
    predefined("UniJIS-UTF16-H", "Japan1", encoded(JAPANESE, "utf-16be"), JAPANESE),
    predefined("UniJIS-UCS2-H", "Japan1", encoded(JAPANESE, "utf-16be"), JAPANESE),
    predefined("GBK-EUC-H", "GB1", encoded(CHINESE, "gbk"), CHINESE),
    predefined("GB-EUC-H", "GB1", encoded(CHINESE, "gbk"), CHINESE),
    predefined("UniGB-UCS2-H", "GB1", encoded(CHINESE, "utf-16be"), CHINESE),
    predefined("UniGB-UTF16-H", "GB1", encoded(CHINESE, "utf-16be"), CHINESE),
    predefined("ETen-B5-H", "CNS1", encoded(TAIWAN, "big5"), TAIWAN),
    predefined("UniCNS-UTF16-H", "CNS1", encoded(TAIWAN, "utf-16be"), TAIWAN),
    predefined("KSCms-UHC-H", "Korea1", encoded(KOREAN, "euc-kr"), KOREAN),
    predefined("UniKS-UCS2-H", "Korea1", encoded(KOREAN, "utf-16be"), KOREAN),
    predefined("90ms-RKSJ-V", "Japan1", encoded(JAPANESE, "shift_jis"), JAPANESE),
    [
        "one Chinese line",
        pdfOf([{ content: text(72, 700, `<${encoded(CHINESE, "gbk").toString("hex")}>`, { font: "C" }) + BODY }], {
            C: { cmap: "GBK-EUC-H", ordering: "GB1" },
        }),
        { stands: [CHINESE, /The parties have read/], untold: [/left out/i] },
    ],
    [
        "a map that nobody knows",
        pdfOf([{ content: text(72, 700, "<41424344>", { font: "C" }) + BODY }], {
            C: { cmap: "Own-Secret-H", ordering: "Secret" },
        }),
        { stands: [/The parties have read/], told: [/sign|character|left out/i] },
    ],
    [
        "Greek and Cyrillic in PDF",
        pdfOf([{ content: text(72, 700, unicode("Срок оплаты и προθεσμία πληρωμής"), { font: "U" }) + BODY }], {
            U: "unicode",
        }),
        { stands: ["Срок оплаты и προθεσμία πληρωμής"] },
    ],
];
