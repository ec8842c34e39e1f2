import { expect, test } from "vitest";

import { writtenOut } from "./unseen";

test.each([
    ["rm -rf \u{2066}x\u{2069}", "rm -rf <U+2066>x<U+2069>"],
    ["pay\u{202e}exe.fdp", "pay<U+202E>exe.fdp"],
    ["a\u{200b}b\u{feff}c\u{ad}d", "a<U+200B>b<U+FEFF>c<U+00AD>d"],
    ["pass\u{200d}word, pass\u{200c}word", "pass<U+200D>word, pass<U+200C>word"],
    ["hi\u{e0069}", "hi<U+E0069>"],
    ["x\u{3164}=1", "x<U+3164>=1"],
    ["one\u{2028}two", "one<U+2028>two"],
    ["ls\rrm x", "ls<U+000D>rm x"],
    ["\u{1b}[2K", "<U+001B>[2K"],
    ["a\u{fe0f}", "a<U+FE0F>"],
])("what nobody would see is written out: %j", (text, shown) => expect(writtenOut(text)).toBe(shown));

test.each([
    "plain text,\twith\nlines\r\nof both kinds",
    "Grüße, 文字, עברית, العربية",
    "می\u{200c}خواهم",
    "क्\u{200d}ष",
    "❤\u{fe0f} 👩\u{200d}💻 👩🏽\u{200d}💻 1\u{fe0f}\u{20e3}",
])("what a script or an emoji needs stays: %j", (text) => expect(writtenOut(text)).toBe(text));
