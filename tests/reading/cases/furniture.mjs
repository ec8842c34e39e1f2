// What leads around a page is no part of its text, and the page itself is no furniture, whatever its classes are called.

import { epub } from "../make/epub.mjs";
import { html } from "../make/input.mjs";
import { BODY, pdfOf, text } from "../make/pdf.mjs";

const LONG =
    "The auditor shall count every invented thing, write down what was counted, and keep the record for ten years.";
const TEXT = `<h1>Counting</h1><p>${LONG}</p><p>The record is kept in a dry place by the head of accounting.</p>`;
const WHOLE = { stands: [LONG, "The record is kept in a dry place by the head of accounting."] };
/**
 * @param {string} attributes of the body
 * @param {string} [head]
 */
const body = (attributes, head = "") => html(TEXT, head).bytes.toString().replace("<body>", `<body ${attributes}>`);
/** @param {string} attributes @param {string} [head] */
const page = (attributes, head) => ({ extension: "html", bytes: Buffer.from(body(attributes, head)) });
/** @param {string} attributes */
const wrapped = (attributes) => html(`<div ${attributes}>${TEXT}</div>`);
const TOLD = { either: [LONG], told: [/hidden|left out|not shown/i] };
const LINKS = '<a href="/">Home page of all</a> <a href="/about">About our firm</a>';
/** @param {string} furniture */
const beside = (furniture) => html(`${furniture}${TEXT}`);
const WITHOUT = { ...WHOLE, absent: ["Home page of all"] };

/** @type {import("./all.mjs").Cases} */
export const furniture = [
    ["a body of the class toc", page('class="toc"'), WHOLE],
    ["a body of the class footer", page('class="footer two-columns"'), WHOLE],
    ["a body with a role", page('role="search"'), WHOLE],
    ["a body of the class nav", page('class="nav nav-open has-sidebar"'), WHOLE],
    ["a wrapper of the class toc", wrapped('class="toc"'), WHOLE],
    ["a wrapper of the class breadcrumbs", wrapped('class="breadcrumbs page"'), WHOLE],
    ["a wrapper of the class footer", wrapped('id="page" class="footer"'), WHOLE],
    ["a wrapper with the role banner", wrapped('role="banner"'), WHOLE],
    ["a wrapper of the class hidden", wrapped('class="hidden-print sidebar visible"'), WHOLE],
    ["an article of the class sr-only", html(`<article class="sr-only-off">${TEXT}</article>`), WHOLE],
    ["a body that a script will show", page('class="loading"', "<style>.loading { visibility: hidden }</style>"), TOLD],
    ["a body of no opacity", page('style="opacity:0"'), TOLD],
    ["a body whose class is hidden", page('class="hidden"', "<style>.hidden{display:none}</style>"), TOLD],
    ["a form around the page", html(`<form action="/">${TEXT}</form>`), WHOLE],
    [
        "a main with a header of its own",
        html(`<main><header><h1>Counting</h1><p>By Ada of Acme.</p></header><p>${LONG}</p></main>`),
        { stands: [LONG, "By Ada of Acme."] },
    ],
    [
        "an article's own footer",
        html(`<article><p>${LONG}</p><footer><p>First printed in 1999.</p></footer></article>`),
        { stands: [LONG, "First printed in 1999."] },
    ],
    [
        "a quotation's source",
        html(`<p>${LONG}</p><blockquote><p>Count all.</p><footer>Ada of Acme</footer></blockquote>`),
        { stands: ["Count all.", /Ada of Acme/] },
    ],
    [
        "words beside",
        html(`<p>${LONG}</p><aside><p>A warning stands here.</p></aside>`),
        { stands: [LONG, "A warning stands here."] },
    ],
    [
        "a panel of tabs",
        html(`<div role="tabpanel" id="a"><p>${LONG}</p></div><div role="tabpanel" hidden><p>Second panel.</p></div>`),
        { stands: [LONG] },
    ],
    ["a part that print leaves out", html(TEXT, "<style>@media print { p { display: none } }</style>"), WHOLE],
    ["a nav", beside(`<nav>${LINKS}</nav>`), WITHOUT],
    ["a role of navigation", beside(`<div role="navigation">${LINKS}</div>`), WITHOUT],
    ["a list of contents", beside(`<div class="toc"><ul><li>${LINKS}</li></ul></div>`), WITHOUT],
    ["a footer of links", html(`${TEXT}<footer>${LINKS}</footer>`), WITHOUT],
    [
        "help on keys",
        html(
            `<div id="mdbook-help-container"><div id="mdbook-help-popup"><h2 class="mdbook-help-title">Keyboard shortcuts</h2><div><p>Press <kbd>←</kbd> or <kbd>→</kbd> to navigate between chapters</p></div></div></div><main>${TEXT}</main>`,
        ),
        { ...WHOLE, absent: ["to navigate between chapters"] },
    ],
    ["a script", beside("<script>var a = 'Home page of all';</script>"), WITHOUT],
    [
        "a book's page break",
        epub(`<p>The record is ke<span epub:type="pagebreak" title="12">12</span>pt.</p>`),
        { stands: ["The record is kept."] },
    ],
    ["a chapter of the class toc", epub(`<section class="toc">${TEXT}</section>`), WHOLE],
    [
        "pages that differ in a number",
        pdfOf(
            [101, 102, 103].map((number) => ({
                content: text(72, 700, `Share certificate number ${number} of Acme`) + BODY,
            })),
        ),
        {
            stands: [
                "Share certificate number 101",
                "Share certificate number 103",
                "The parties have read this agreement",
            ],
        },
    ],
    [
        "the same page three times",
        pdfOf([1, 2, 3].map(() => ({ content: BODY }))),
        { stands: ["The parties have read this agreement"] },
    ],
    [
        "lines that three pages share",
        pdfOf(
            ["A", "B", "C"].map((name) => ({
                content:
                    text(72, 700, `Holder ${name} of the share`) +
                    text(72, 660, "Each holder has one vote in the meeting.") +
                    BODY,
            })),
        ),
        { stands: ["Holder A", "Holder C", "Each holder has one vote in the meeting."] },
    ],
];
