import { expect, it } from "vitest";

import document from "../../../../src-tauri/crates/answers/tests/fixtures/document.md?raw";
import { BlockReader } from "./blocks";

const read = (text: string) => new BlockReader().read(text);

it("cuts at blank lines", () => {
    expect(read("# One\n\ntwo\nthree\n\n\nfour")).toEqual(["# One\n\n", "two\nthree\n\n\n", "four"]);
});

it("keeps together what only means something together", () => {
    const together = [
        "```js\na\n\nb\n```",
        "~~~\n```\n\n~~~",
        "- a\n\n- b\n\n  more of b\n- c",
        "1. a\n\n2. b",
        "1. ```\n   x\n\n   y\n   ```",
        "$$\na\n\nb\n$$",
        "<details><summary>More</summary>\n\ntext\n\n- list\n\n</details>",
        "<div>\n<div>\n\nx\n\n</div>\n\ny\n\n</div>",
        "<!-- a\n\nb -->",
        "    code\n\n    code",
        "| a | b |\n|---|---|\n| 1 | 2 |",
    ];
    for (const text of together) expect(read(`${text}\n\nafter\n`), text).toEqual([`${text}\n\n`, "after\n"]);
});

it("does not take for HTML what is code", () => {
    expect(read("use `<div>` here\n\nnext")).toHaveLength(2);
});

it("gives a link definition to the blocks that refer to it", () => {
    const definition = "[One  thing]: https://one.example 'A title'";
    const text = `see [one thing]\n\nmore [x](y)\n\n${definition}\n[two]: <https://two.example>\n\nand [this][ONE thing]\n`;
    expect(read(text)).toEqual([
        `${definition}\n\nsee [one thing]\n\n`,
        "more [x](y)\n\n",
        `${definition}\n[two]: <https://two.example>\n\n`,
        `${definition}\n\nand [this][ONE thing]\n`,
    ]);
    // The last line of a text need not end, and the first definition of a label counts.
    expect(read("see [a]\n\n[a]: x\n\n[a]: y")[0]).toBe("[a]: x\n\nsee [a]\n\n");
    expect(read("see [a]\n\n[a]: x")[0]).toBe("[a]: x\n\nsee [a]\n\n");
});

it("takes a text as a whole whose definitions stand among other text, or are footnotes", () => {
    const whole = [
        "see [^1]\n\nmore\n\n[^1]: A note.\n",
        "see [a]\n\n# Links\n[a]: x\n",
        "see [a]\n\n[a]: x\ntext\n\nmore\n",
        "see [a]\n\n[a]:\n  https://a.example\n\nmore\n",
        'see [a]\n\n[a]: x\n  "A title"\n\nmore\n',
    ];
    for (const text of whole) expect(read(text), text).toEqual([text]);
});

it("changes nothing but the last block while text is added to one with a link definition", () => {
    const reader = new BlockReader();
    let text = "[a]: https://a.example\n\n";
    let before: string[] = [];
    let changed = 0;
    for (let index = 0; index < 300; index += 1) {
        for (const part of ["Some words about ", "[a] and others", ".\n\n"]) {
            const blocks = reader.read((text += part));
            changed += blocks.filter((block, at) => block !== before[at]).length;
            before = blocks;
        }
    }
    expect(before).toHaveLength(301);
    expect(changed).toBeLessThanOrEqual(900 + 1);
    expect(reader.looked).toBeLessThan(text.length * 4);
});

it("gives the same blocks however the text arrives", () => {
    for (const step of [1, 7, 64]) {
        const reader = new BlockReader();
        let blocks: string[] = [];
        for (let at = 0; at < document.length + step; at += step) blocks = reader.read(document.slice(0, at));
        expect(blocks).toEqual(read(document));
    }
});

it("leaves nothing out", () => {
    expect(read(document).join("")).toBe(document);
});

it("looks only at the unfinished block when text is added", () => {
    const paragraph = "Some words that make a paragraph of a certain length.\n\n";
    const reader = new BlockReader();
    let text = "";
    for (let index = 0; index < 500; index += 1) reader.read((text += paragraph));
    const before = reader.looked;
    for (let index = 0; index < 100; index += 1) reader.read((text += paragraph));
    // Twice a paragraph at most: once as unfinished, once when the next one shows that it is finished.
    expect(reader.looked - before).toBeLessThan(100 * paragraph.length * 3);
});

it("begins anew when the text is another one", () => {
    const reader = new BlockReader();
    reader.read("a\n\nb\n\nc");
    expect(reader.read("x\n\ny")).toEqual(["x\n\n", "y"]);
});
