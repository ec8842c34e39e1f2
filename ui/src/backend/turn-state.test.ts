import { describe, expect, it } from "vitest";

import { modelStep, toolStep, turnHead, turnView } from "./turn-fixtures";

import { applyChanged, learned, newer } from "./turn-state";

describe("a turn that is told about", () => {
    it("begins with the event that has its message", () => {
        const told = {
            kind: "changed" as const,
            head: turnHead({ seq: 1, status: "running" }),
            steps: [],
            message: { text: "Go" },
        };
        expect(applyChanged(undefined, told)).toEqual({ head: told.head, message: { text: "Go" }, steps: [] });
    });

    it("has to be read where its beginning was not heard", () => {
        expect(
            applyChanged(undefined, { kind: "changed", head: turnHead(), steps: [], message: null }),
        ).toBeUndefined();
    });

    it("replaces steps in place, adds new ones, and leaves the others the same objects", () => {
        const before = turnView({ seq: 5 }, [modelStep(), toolStep({ status: "running" })]);
        const after = applyChanged(before, {
            kind: "changed",
            head: turnHead({ seq: 7 }),
            steps: [toolStep({ status: "failed" }), toolStep({ id: "t2" })],
            message: null,
        });
        expect(after?.steps.map((step) => `${step.id} ${step.status}`)).toEqual(["m1 ok", "t1 failed", "t2 ok"]);
        expect(after?.steps[0]).toBe(before.steps[0]);
        expect(after?.message).toBe(before.message);
    });

    it("takes nothing from events that are older than what was read", () => {
        const before = turnView({ seq: 9 }, [toolStep()]);
        expect(
            applyChanged(before, {
                kind: "changed",
                head: turnHead({ seq: 8 }),
                steps: [toolStep({ status: "running" })],
                message: null,
            }),
        ).toBe(before);
    });
});

describe("a turn that is read again", () => {
    it("stays the same object when nothing differs, and keeps equal steps when something does", () => {
        const before = turnView({ seq: 5 }, [modelStep(), toolStep()]);
        expect(learned(before, turnView({ seq: 5 }, [modelStep(), toolStep()]))).toBe(before);
        const after = learned(before, turnView({ seq: 6 }, [modelStep(), toolStep({ summary: "other" })]));
        expect(after.steps[0]).toBe(before.steps[0]);
        expect(after.steps[1]).not.toBe(before.steps[1]);
    });

    it("never goes back", () => {
        const before = turnView({ seq: 5 });
        expect(learned(before, turnView({ seq: 4 }))).toBe(before);
        expect(newer(before, turnView({ seq: 4 }))).toBe(before);
        const later = turnView({ seq: 6 });
        expect(newer(before, later)).toBe(later);
        expect(newer(undefined, later)).toBe(later);
    });
});
