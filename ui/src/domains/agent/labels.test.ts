import { describe, expect, it } from "vitest";

import { kindOf } from "./labels";

describe("a kind of stages", () => {
    it.each(["tools", "model", "verify", "render", "dialogue", "agent"])(
        "says what a stage of kind %s does",
        (kind) => {
            const { word, means } = kindOf(kind);
            expect(word).not.toBe(kind);
            expect(means).toMatch(/\.$/);
        },
    );

    it("is shown as it is where it is not known", () => {
        expect(kindOf("later").word).toBe("later");
    });

    it("names the model that may judge in a check", () => {
        expect(kindOf("verify").means).toContain("a model judges");
    });
});
