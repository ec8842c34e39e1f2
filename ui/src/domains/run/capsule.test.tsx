import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";

import { forget } from "@/backend/query";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { TooltipProvider } from "@/shared";

import { CapsuleCheck } from "./CapsuleCheck";

let core: MockTransport;
beforeEach(() => {
    forget();
    core = mockTransport();
});

async function check() {
    render(
        <TooltipProvider>
            <CapsuleCheck />
        </TooltipProvider>,
    );
    const user = userEvent.setup();
    await user.type(screen.getByLabelText("Check a capsule"), "/tmp/a.capsule");
    await user.click(screen.getByRole("button", { name: "Check" }));
    await act(async () => {});
    return screen.getByRole("status").textContent ?? "";
}

describe("a capsule's file", () => {
    it("holds, with the head of its chain", async () => {
        core.answers = {
            capsule_verify: {
                holds: true,
                run: "run-1",
                head: "8beff4",
                events: 36,
                recomputed: 29,
                documents: 1,
                sentences: 9,
                paragraphs: 6,
            },
        };
        const shown = await check();
        expect(core.asked).toEqual([{ name: "capsule_verify", params: { path: "/tmp/a.capsule" } }]);
        expect(shown).toContain(
            "The capsule passed the check: 36 events, 29 steps, 1 document, 9 statements over 6 cited paragraphs.",
        );
        expect(shown).toContain("Run run-1, head of the chain 8beff4");
    });

    it("does not hold, and the entry is named", async () => {
        core.answers = {
            capsule_verify: { holds: false, faults: [{ entry: "blobs/ab", why: "its bytes are others" }] },
        };
        const shown = await check();
        expect(shown).toContain("The capsule failed the check.");
        expect(shown).toContain("blobs/ab: its bytes are others");
    });
});
