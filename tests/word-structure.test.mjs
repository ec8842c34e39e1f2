// Files of Word by the rules of their format, always and everywhere: parts, relationships, content types, styles, footnotes, lists,
// tables, tracked changes and links. That LibreOffice opens them is tested in `libreoffice.test.mjs`, where it is installed, and a
// memorandum is held against the same rules in `deal-memorandum.test.mjs`.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { Place } from "./lib.mjs";
import { faults } from "./ooxml.mjs";
import { unzip } from "./zip.mjs";

const OLD = `# Lease

The landlord of [the hall](https://example.org/hall) may end it [at once](#notice).[^1]

## Notice

1. In writing.
2. By post, with:
   - a copy
   - a stamp

| Term | Months |
|---|---:|
| Hall | 3[^2] |
| Yard | 6 |

> The tenant agrees.

[^1]: Lease, p. 3.
[^2]: Lease, p. 4.
`;
const NEW = OLD.replace("may end it", "may not end it")
    .replace("| Yard | 6 |", "| Garden | 9 |")
    .replace("\n> The tenant agrees.\n", "")
    .replace("Lease, p. 4.", "Lease, p. 5.");

/** @param {string} file */
const parts = (file) => unzip(readFileSync(file));

/**
 * @param {Place} place
 * @param {string} name
 * @param {string} markdown
 * @param {string[]} [more]
 */
async function word(place, name, markdown, more = []) {
    const [source, file] = [join(place.work, `${name}.md`), join(place.work, `${name}.docx`)];
    writeFileSync(source, markdown);
    await place.do(["manuscript", "word", source, ...more, "-o", file]);
    return { source, file };
}

test("a document in Word, and a revision with tracked changes, hold to the rules of the format", async (context) => {
    const place = Place.for(context);
    const old = await word(place, "old", OLD);
    assert.deepEqual(faults(parts(old.file)), []);
    const revision = await word(place, "new", NEW, ["--changes-from", old.source]);
    const entries = parts(revision.file);
    assert.deepEqual(faults(entries), []);
    const text = String(entries.get("word/document.xml"));
    assert.ok(
        text.includes("<w:ins ") && text.includes("<w:del ") && text.includes("<w:delText"),
        text.slice(0, 2_000),
    );
});

test("each fault of a file of Word is found", async (context) => {
    const place = Place.for(context);
    const old = await word(place, "old", OLD);
    const revision = await word(place, "new", NEW, ["--changes-from", old.source]);
    const [DOCUMENT, STYLES, NOTES] = ["word/document.xml", "word/styles.xml", "word/footnotes.xml"];
    /** @type {[string, string, RegExp | string, string, RegExp][]} part, what is changed to what, what is said */
    const seeded = [
        ["an element that is not closed", DOCUMENT, "</w:body>", "", /not well-formed/],
        ["a bare ampersand", DOCUMENT, "Notice</w:t>", "A & B</w:t>", /not well-formed: a bare &/],
        ["no content type", "[Content_Types].xml", /<Override PartName="\/word\/styles[^>]*>/, "", /styles\.xml is /],
        [
            "a type of nothing",
            "[Content_Types].xml",
            "/word/styles.xml",
            "/word/gone.xml",
            /gone\.xml, which is not there/,
        ],
        [
            "a lost relationship",
            "word/_rels/document.xml.rels",
            /<Relationship Id="rId1"[^>]*>/,
            "",
            /no relationship leads/,
        ],
        [
            "a relationship to nothing",
            "word/_rels/document.xml.rels",
            "styles.xml",
            "gone.xml",
            /leads to word\/gone\.xml/,
        ],
        [
            "a link to no relationship",
            DOCUMENT,
            'r:id="rIdLink1"',
            'r:id="rIdLink9"',
            /names rIdLink9, which is nothing/,
        ],
        [
            "an unknown style",
            DOCUMENT,
            /w:pStyle w:val="Heading1"/,
            'w:pStyle w:val="Grand"',
            /style Grand is not declared/,
        ],
        [
            "a style of the wrong kind",
            STYLES,
            /w:type="paragraph" w:styleId="Heading1"/,
            'w:type="character" w:styleId="Heading1"',
            /is a style of a character/,
        ],
        ["a mark without its footnote", NOTES, 'w:id="2"', 'w:id="7"', /mark 2 has no footnote/],
        ["a footnote without its mark", NOTES, 'w:id="2"', 'w:id="7"', /footnote 7 has no mark/],
        [
            "a list that is not declared",
            DOCUMENT,
            /<w:numId w:val="\d+"\/>/,
            '<w:numId w:val="99"/>',
            /list 99 is not declared/,
        ],
        [
            "a row that lacks a cell",
            DOCUMENT,
            /<w:tc>(?:(?!<\/w:tc>)[\s\S])*<\/w:tc><\/w:tr>/,
            "</w:tr>",
            /a row of 1 cells/,
        ],
        ["a change by nobody", DOCUMENT, /<w:ins w:id="(\d+)" w:author="[^"]*"/, '<w:ins w:id="$1"', /names nobody/],
        [
            "deleted words as text",
            DOCUMENT,
            /<w:delText([^>]*)>([^<]*)<\/w:delText>/,
            "<w:t$1>$2</w:t>",
            /text in w:del/,
        ],
        [
            "a link to nowhere",
            DOCUMENT,
            /w:hyperlink w:anchor="[^"]*"/,
            'w:hyperlink w:anchor="gone"',
            /a link to gone/,
        ],
        ["a place that does not end", DOCUMENT, /<w:bookmarkEnd [^>]*\/>/, "", /begins or ends alone/],
    ];
    for (const [what, part, from, to, said] of seeded) {
        const entries = parts(revision.file);
        const whole = String(entries.get(part));
        const changed = whole.replace(from, to);
        assert.notEqual(changed, whole, `${what}: nothing was changed`);
        entries.set(part, Buffer.from(changed));
        const found = faults(entries);
        assert.ok(
            found.some((fault) => said.test(fault)),
            `${what}: ${found.join("; ") || "nothing was found"}`,
        );
    }
});
