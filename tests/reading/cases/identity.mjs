// What a document is: a memo about a standard is not that standard, and a citation names its document.

import { csv, md, txt } from "../make/input.mjs";
import { docxWith, styled } from "../make/docx.mjs";

/**
 * @param {number} number
 * @param {string} [title]
 */
const standard = (number, title = "Counting") =>
    md(
        `# International Standard on Auditing ${number}: ${title}\n\n## Introduction\n\n1. This standard deals with ${title.toLowerCase()} of things.\n\n## Objective\n\n2. The objective is to know how many things of number ${number} there are.\n\n## Requirements\n\n3. The auditor shall count every invented thing of number ${number}.\n\n## Application and Other Explanatory Material\n\nA1. Counting of number ${number} means looking.\n`,
    );
/** @param {string} title @param {number} number */
const memo = (title, number) =>
    md(
        `# ${title}\n\n## Objective\n\n2. We looked at the client of number ${number}.\n\n## Requirements\n\n3. We shall count nothing of number ${number}, because last year nothing was found.\n\n## Application and Other Explanatory Material\n\nA1. We asked the client of number ${number} for a list.\n`,
    );
/** @param {number} number */
const counts = (number) => `We shall count nothing of number ${number}`;

/**
 * A memo in a file of its own beside no standard.
 * @param {string} file
 * @param {string} title
 * @param {number} number
 * @returns {import("./all.mjs").Case}
 */
const alone = (file, title, number) => [
    title,
    { [`${file}.md`]: memo(title, number) },
    { stands: [counts(number)], ids: [[counts(number), new RegExp(`^(?!ISA ${number}\\.)`)]] },
];
const HEADINGS = `<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style>`;

/** @type {import("./all.mjs").Cases} */
export const identity = [
    [
        "a standard",
        { "isa-901.md": standard(901) },
        {
            stands: [/invented thing of number 901/],
            ids: [
                ["invented thing of number 901", /^ISA 901\.3$/],
                ["number 901 means looking", /^ISA 901\.A1$/],
            ],
        },
    ],
    [
        "a memo beside its standard",
        {
            "standard-902.md": standard(902),
            "ISA 902 - Memo Client Alpha.md": memo("ISA 902: Memo for Client Alpha", 902),
        },
        {
            stands: [counts(902)],
            ids: [
                ["invented thing of number 902", /902(?!.*\[2\]).*3$/],
                [counts(902), /Memo/i],
                [counts(902), /^(?!ISA 902\.)/],
            ],
        },
    ],
    alone("notes-903", "ISA 903 Memo", 903),
    alone("paper-904", "ISA 904: Working Paper", 904),
    alone("summary-905", "ISA 905 (Revised) – Summary for Partners", 905),
    alone("small-906", "ISA 906 working paper", 906),
    alone("of-907", "Summary of ISA 907", 907),
    alone("checklist-908", "Checklist for International Standard on Auditing 908", 908),
    alone("minutes-909", "International Standard on Auditing 909: Minutes of our training day", 909),
    [
        "two editions",
        {
            "ISA 910 2016.md": standard(910, "Counting in 2016"),
            "ISA 910 (Revised 2024).md": standard(910, "Counting in 2024"),
        },
        {
            stands: [/counting in 2016 of things/, /counting in 2024 of things/],
            ids: [
                ["counting in 2016 of things", /2016/],
                ["counting in 2024 of things", /2024/],
            ],
            notIds: [/\[2\]/],
        },
    ],
    [
        "a memo of Word",
        {
            "memo-911.docx": docxWith(
                [
                    styled("Heading1", "ISA 911 Memo"),
                    styled("Heading1", "Requirements"),
                    styled("Heading1", "Application and Other Explanatory Material"),
                    "A1. We asked for a list.",
                    styled("Heading1", "Requirements"),
                    "3. We shall count nothing of number 911, because nothing was found.",
                ],
                { styles: HEADINGS },
            ),
        },
        { stands: [counts(911)], ids: [[counts(911), /^(?!ISA 911\.)/]] },
    ],
    [
        "a library's page",
        {
            "rfc2047-decoder-1.1.0.md": md(
                "# rfc2047-decoder\n\nRust library for decoding MIME headers.\n\n## Status\n\nThis project of headers is considered as finished.\n",
            ),
        },
        {
            stands: [/considered as finished/],
            ids: [
                ["considered as finished", /rfc2047-decoder/i],
                ["considered as finished", /^(?!RFC 2047)/],
            ],
        },
    ],
    [
        "own notes on an RFC",
        {
            "rfc9999-proxy-notes.md": md(
                "# RFC 9999 proxy notes\n\n## 5 Headers\n\nOur proxy joins Set-Cookie lines of the server.\n",
            ),
        },
        { stands: [/joins Set-Cookie lines/], ids: [["joins Set-Cookie lines", /^(?!RFC 9999)/]] },
    ],
    [
        "an RFC",
        {
            "rfc9998.txt": txt(
                "\n\n\n\nInternet Engineering Task Force (IETF)                          A. Author\nRequest for Comments: 9998                                        Example\nCategory: Standards Track                                   January 2020\nISSN: 2070-1721\n\n\n                     The Invented Protocol for Things\n\nAbstract\n\n   This document specifies the invented protocol for things.\n\n1.  Introduction\n\n   A thing is counted by its server before it is sent to the client.\n\n2.  Counting\n\n   A server MUST count every invented thing of the protocol.\n",
            ),
        },
        { stands: [/MUST count every invented thing/], ids: [["MUST count every invented thing", /^RFC 9998/]] },
    ],
    [
        "a security plan",
        {
            "plan-of-acme.md": md(
                "# Security plan of Acme after NIST SP 800-53\n\n## AC-7 Unsuccessful Logon Attempts\n\nThere is no limit of attempts at Acme.\n",
            ),
        },
        { stands: [/There is no limit of attempts/], ids: [["There is no limit of attempts", /plan-of-acme/]] },
    ],
    [
        "steps of a README",
        {
            "croner-readme.md": md(
                "# croner\n\n### 1. Making seconds optional\n\nSeconds may be left out of the pattern.\n\n### 2. Years\n\nYears may be added to the pattern.\n",
            ),
        },
        { stands: [/Seconds may be left out/], ids: [["Seconds may be left out", /croner/]] },
    ],
    [
        "versions of a README",
        {
            "encoding-readme.md": md(
                "# encoding\n\n## 0.8.36 though 0.8.39\n\nThese versions are slower than others.\n\n## 0.8.35\n\nThis version was faster than others.\n",
            ),
        },
        { stands: [/slower than others/], ids: [["slower than others", /encoding/]] },
    ],
    [
        "a name that begins with a number",
        { "twofactor.md": md("# 2FA for all\n\nEach user has a second factor of the kind.\n") },
        { stands: [/second factor of the kind/], ids: [["second factor of the kind", /twofactor/]] },
    ],
    [
        "a name of a norm",
        { "certificates.md": md("# X.509 in our firm\n\nEach certificate of the firm lasts a year.\n") },
        { stands: [/certificate of the firm/], ids: [["certificate of the firm", /certificates/]] },
    ],
    [
        "brackets of a paper",
        {
            "paper-912.md": md(
                "# Cooling\n\nEarlier work [2] found that cooling halves the outage, in the interval [0, 1].\n",
            ),
        },
        { stands: ["Earlier work [2] found that cooling halves the outage, in the interval [0, 1]."] },
    ],
    [
        "a law report",
        { "case-913.txt": txt("Alpha v Beta [2019] UKSC 12 holds that seven days are too short.\n") },
        { stands: ["Alpha v Beta [2019] UKSC 12 holds that seven days are too short."] },
    ],
    [
        "a blank to fill in",
        { "blank-914.md": md("# Payment\n\nThe customer pays [30] days after receipt at a rate of [1.5] percent.\n") },
        { stands: ["The customer pays [30] days after receipt at a rate of [1.5] percent."] },
    ],
    [
        "rows of a ledger",
        { "ISA 915 ledger.csv": csv("No,Text\n3,Counted nothing of 915\n4,Counted all of 915\n") },
        { stands: [/Counted nothing of 915/], ids: [["Counted nothing of 915", /^(?!ISA 915\.)/]] },
    ],
];
