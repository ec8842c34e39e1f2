import { describe, expect, it } from "vitest";

import { DraftReader } from "./draft-text";

const ANSWER = {
    kind: "x",
    synthesis: 'In short\n\n- "quoted" \\ über 😀 {not: "an object"}\n',
    citations: [{ quote: "a much longer text that is no field of the outermost object, so nobody reads it yet" }],
    confidence: "low",
};

describe("the draft of an answer that is being written", () => {
    it("is the longest text of the object, however it was cut", () => {
        const json = JSON.stringify(ANSWER);
        for (const step of [1, 2, 3, 7, 50, json.length]) {
            const reader = new DraftReader();
            let draft = "";
            for (let end = step; end < json.length + step; end += step) draft = reader.draft(json.slice(0, end));
            expect(draft).toBe(ANSWER.synthesis);
        }
    });

    it("grows as text arrives and never shrinks", () => {
        const json = JSON.stringify(ANSWER);
        const reader = new DraftReader();
        let before = 0;
        for (let end = 0; end <= json.length; end += 1) {
            const length = reader.draft(json.slice(0, end)).length;
            expect(length).toBeGreaterThanOrEqual(before);
            before = length;
        }
    });

    it("begins anew with another text", () => {
        const reader = new DraftReader();
        reader.draft('{"a":"one thing');
        expect(reader.draft('{"a":"else')).toBe("else");
    });

    it("reads escapes, also of characters beyond the first plane", () => {
        expect(new DraftReader().draft(String.raw`{"a":"\ud83d\ude00 \u00fcber\/\t"}`)).toBe("😀 über/\t");
    });

    it("is empty for what is no object", () => {
        expect(new DraftReader().draft("[1, 2")).toBe("");
        expect(new DraftReader().draft("plain words")).toBe("");
    });
});
