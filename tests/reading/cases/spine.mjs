// What a book's reading order names, in whatever form: read, or told as not read.

import { book, chapter } from "../make/epub.mjs";

/** @param {string} title */
const text = (title) => chapter(`<h1>${title}</h1><p>The words of ${title} stand.</p>`);
const ONE = { href: "one.xhtml", content: text("Alpha") };
/** @param {import("../make/epub.mjs").Item[]} items */
const beside = (...items) => book([ONE, ...items]);
const BOTH = { stands: ["The words of Alpha stand.", "The words of Beta stand."] };
const LOST = { stands: ["The words of Alpha stand."], told: [/chapter|not read|part|item|entry/i] };
const DTBOOK =
    '<?xml version="1.0"?><dtbook xmlns="http://www.daisy.org/z3986/2005/dtbook/"><book><bodymatter><level1><h1>Beta</h1><p>The words of Beta stand.</p></level1></bodymatter></book></dtbook>';

/** @type {import("./all.mjs").Cases} */
export const spine = [
    ["two chapters", beside({ href: "two.xhtml", content: text("Beta") }), { ...BOTH, untold: [/chapter/i] }],
    [
        "a name with signs written as numbers",
        beside({ href: "two%20words.xhtml", path: "two words.xhtml", content: text("Beta") }),
        BOTH,
    ],
    ["a folder above", beside({ href: "text/../two.xhtml", path: "two.xhtml", content: text("Beta") }), BOTH],
    ["a place within", beside({ href: "two.xhtml#begin", path: "two.xhtml", content: text("Beta") }), BOTH],
    ["outside the line", beside({ href: "two.xhtml", content: text("Beta"), spine: 'linear="no"' }), BOTH],
    [
        "another case of letters",
        beside({ href: "Two.xhtml", path: "two.xhtml", content: text("Beta") }),
        { stands: ["The words of Alpha stand."], either: ["The words of Beta stand."], told: [/chapter/i] },
    ],
    [
        "an address from the root",
        beside({ href: "/OEBPS/two.xhtml", path: "two.xhtml", content: text("Beta") }),
        { stands: ["The words of Alpha stand."], either: ["The words of Beta stand."], told: [/chapter|two\.xhtml/i] },
    ],
    [
        "an address elsewhere",
        beside({ href: "https://example.org/two.xhtml" }),
        { ...LOST, told: [/example\.org|two\.xhtml/] },
    ],
    ["XML", beside({ href: "two.xml", type: "application/xml", content: text("Beta") }), BOTH],
    ["text of XML", beside({ href: "two.xml", type: "text/xml", content: text("Beta") }), BOTH],
    [
        "HTML",
        beside({
            href: "two.html",
            type: "text/html",
            content: "<html><body><h1>Beta</h1><p>The words of Beta stand.<br></body></html>",
        }),
        BOTH,
    ],
    [
        "a book of the second version",
        beside({ href: "two.html", type: "text/x-oeb1-document", content: text("Beta") }),
        BOTH,
    ],
    [
        "a type with a parameter",
        beside({ href: "two.xhtml", type: "application/xhtml+xml; charset=utf-8", content: text("Beta") }),
        BOTH,
    ],
    ["a type in capitals", beside({ href: "two.xhtml", type: "Application/XHTML+XML", content: text("Beta") }), BOTH],
    ["no type", beside({ href: "two.xhtml", type: "", content: text("Beta") }), BOTH],
    [
        "a talking book",
        beside({ href: "two.xml", type: "application/x-dtbook+xml", content: DTBOOK }),
        { stands: ["The words of Alpha stand."], either: ["The words of Beta stand."], told: [/two\.xml/] },
    ],
    [
        "a picture instead",
        beside(
            { href: "two.jpg", type: "image/jpeg", content: "JPEG", more: 'fallback="i2"' },
            { href: "two.xhtml", content: text("Beta"), spine: false },
        ),
        BOTH,
    ],
    [
        "a picture for want of a picture",
        beside(
            { href: "two.jpg", type: "image/jpeg", content: "JPEG", more: 'fallback="i2"' },
            { href: "two.pdf", type: "application/pdf", content: "PDF", spine: false, more: 'fallback="i3"' },
            { href: "two.xhtml", content: text("Beta"), spine: false },
        ),
        BOTH,
    ],
    [
        "a picture alone",
        beside({ href: "two.jpg", type: "image/jpeg", content: "JPEG" }),
        { ...LOST, told: [/two\.jpg/] },
    ],
    [
        "a drawing",
        beside({
            href: "two.svg",
            type: "image/svg+xml",
            content: '<svg xmlns="http://www.w3.org/2000/svg"><text>The words of Beta stand.</text></svg>',
        }),
        { stands: ["The words of Alpha stand."], either: ["The words of Beta stand."], told: [/two\.svg/] },
    ],
    [
        "a circle of substitutes",
        beside({ href: "two.jpg", type: "image/jpeg", content: "JPEG", more: 'fallback="i1"' }),
        { ...LOST, told: [/two\.jpg/] },
    ],
    ["a chapter that is not there", beside({ href: "two.xhtml" }), { ...LOST, told: [/two\.xhtml/] }],
    ["a chapter named twice", beside({ href: "two.xhtml", content: text("Beta") }, { href: "two.xhtml" }), BOTH],
    [
        "notes beside the line",
        beside({
            href: "notes.xhtml",
            content: chapter('<aside epub:type="footnote"><p>The words of Beta stand.</p></aside>'),
            spine: false,
        }),
        {
            stands: ["The words of Alpha stand."],
            either: ["The words of Beta stand."],
            told: [/notes\.xhtml|reading order|not read/i],
        },
    ],
    [
        "a list of places",
        beside({
            href: "nav.xhtml",
            content: chapter('<nav epub:type="toc"><ol><li><a href="one.xhtml">Alpha goes here</a></li></ol></nav>'),
            more: 'properties="nav"',
            spine: false,
        }),
        { stands: ["The words of Alpha stand."], absent: ["Alpha goes here"], untold: [/nav\.xhtml/] },
    ],
    [
        "a chapter with faults",
        beside({ href: "two.xhtml", content: "<html><body><h1>Beta</h1><p>The words of <b>Beta stand.</p></body>" }),
        { stands: ["The words of Alpha stand.", /The words of Beta stand\./] },
    ],
    [
        "only substitutes",
        book([{ href: "two.xml", type: "application/xml", content: text("Beta") }]),
        { stands: ["The words of Beta stand."] },
    ],
];
