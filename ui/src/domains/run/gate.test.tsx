import { render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";

import type { GateRow } from "@/backend";

import { GateAttempts, gateWord, hasAttempts } from "./GateAttempts";

const GATE: GateRow = {
    name: "Review",
    attempts: [
        { iteration: 0, passed: false, scores: { citation: 0.6 }, stands: true },
        { iteration: 1, passed: false, scores: { citation: 0.5 }, stands: false },
    ],
    ended: "exhausted",
    onExhausted: "pause",
    certified: false,
};

describe("what a gate tried", () => {
    it("is listed with scores, and with the attempt that stands", () => {
        render(<GateAttempts gate={GATE} />);
        const items = screen.getAllByRole("listitem").map((item) => item.textContent);
        expect(items[0]).toContain("First attempt (stands)");
        expect(items[0]).toContain("citation 60%");
        expect(items[1]).toContain("Repair 1");
        expect(screen.getByRole("heading").textContent).toBe("ReviewWaits for your decision");
    });

    it("is told in words by its end", () => {
        expect(gateWord({ ...GATE, certified: true })).toBe("Accepted with limitations");
        expect(gateWord({ ...GATE, onExhausted: "fail" })).toBe("Not passed: the run stops here");
        expect(gateWord({ ...GATE, ended: null })).toBe("");
    });

    it("says nothing more than the stage where one attempt was enough", () => {
        const [first] = GATE.attempts;
        expect(hasAttempts({ ...GATE, ended: null, attempts: first === undefined ? [] : [first] })).toBe(false);
        expect(hasAttempts(undefined)).toBe(false);
    });
});
