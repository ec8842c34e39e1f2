import { act, render, screen, within, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";

import type { Approval, Offer } from "@/backend";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { ConfirmHost, TooltipProvider } from "@/shared";

import { ApprovalCard, type ApprovalCardProps } from "./ApprovalCard";
import { mayBecome } from "./ModeSwitch";
import { nextMode } from "./modes";
import { keyOf, offerOf } from "./offers";

const offer = (scope: Offer["scope"], words: string): Offer => ({ scope, covers: { covers: "any" }, words });
const approval: Approval = {
    why: "In `Ask to edit` commands are asked about.",
    preview: { preview: "command", command: "rm -r build && cargo test", cwd: "/home/eva/ledger" },
    arguments: { command: "rm -r build && cargo test" },
    offers: [
        offer("once", "This command only"),
        offer("session", "cargo test in this session"),
        offer("always", "cargo test, always"),
    ],
};

let core: MockTransport;
beforeEach(() => {
    core = mockTransport();
    core.answers = { approval_answer: null };
});

function show(over: Partial<ApprovalCardProps> = {}) {
    render(
        <TooltipProvider>
            <ApprovalCard
                run="run-1"
                call="t1"
                title="Run a command"
                source=""
                intent="run the tests"
                approval={approval}
                first
                {...over}
            />
        </TooltipProvider>,
    );
    return userEvent.setup();
}
/** What is pressed at the moment a card appears was meant for something else. */
const seen = () => act(() => new Promise((resolve) => setTimeout(resolve, 520)));
const asked = () => core.asked.filter((each) => each.name === "approval_answer").map((each) => each.params);

describe("a request for permission", () => {
    it("shows the whole command, where it runs, why it is asked and every offer", () => {
        show();
        expect(screen.getByRole("region", { name: "Allow this? Run a command: run the tests" }).textContent).toContain(
            "rm -r build && cargo test",
        );
        expect(screen.getByText("/home/eva/ledger")).toBeTruthy();
        expect(screen.getByText("Ask to edit").tagName).toBe("CODE");
        expect(screen.getAllByRole("button").map((each) => each.textContent)).toEqual(
            expect.arrayContaining([
                "This command onlyY",
                "cargo test in this sessionS",
                "cargo test, always",
                "Deny…N",
            ]),
        );
    });

    it("writes out what nobody would see, wherever it stands", () => {
        const seen = () => screen.getByRole("region").textContent ?? "";
        const preview = { preview: "command", command: "rm \u{2066}x\u{2069}", cwd: "/a\u{200b}" } as const;
        const offers = [offer("once", "Only `\u{202e}x`")];
        show({ intent: "say\u{202e}hello", approval: { ...approval, why: "\u{2067}why", preview, offers } });
        expect(seen()).toContain("rm <U+2066>x<U+2069>");
        for (const text of ["say<U+202E>hello", "<U+2067>why", "/a<U+200B>", "Only <U+202E>x"])
            expect(seen()).toContain(text);
        expect(/[\u{200b}-\u{200f}\u{202a}-\u{202e}\u{2060}-\u{206f}]/u.test(seen())).toBe(false);
    });

    it("writes out what nobody would see in a change, a request and arguments", () => {
        const seen = () => screen.getByRole("region").textContent ?? "";
        const given = (preview: Approval["preview"], args: unknown = null) => {
            const shown = render(
                <TooltipProvider>
                    <ApprovalCard
                        run="run-1"
                        call="t1"
                        title="Tool"
                        source=""
                        intent=""
                        approval={{ ...approval, preview, arguments: args }}
                        first={false}
                    />
                </TooltipProvider>,
            );
            const text = seen();
            shown.unmount();
            return text;
        };
        expect(given({ preview: "diff", path: "a\u{202e}.ts", before: "a = 1\n", after: "a\u{200b} = 1\n" })).toMatch(
            /a<U\+202E>\.ts.*a<U\+200B> = 1/,
        );
        const headers = ["X-Override: DELETE\u{2067}"];
        const request = given({
            preview: "request",
            method: "POST",
            url: "https://a/\u{202e}",
            headers,
            body: '{"a":"\u{2066}"}',
        });
        expect(request).toMatch(/https:\/\/a\/<U\+202E>.*X-Override: DELETE<U\+2067>.*<U\+2066>/);
        expect(given({ preview: "none" }, { "n\u{200b}ame": "\u{202e}text" })).toMatch(/n<U\+200B>ame.*<U\+202E>text/);
    });

    it("takes the focus, and y grants the narrowest offer", async () => {
        const user = show();
        expect(document.activeElement?.getAttribute("data-approval")).toBe("t1");
        await user.keyboard("y");
        expect(asked()).toEqual([]);
        await seen();
        await user.keyboard("y");
        expect(asked()).toEqual([{ run: "run-1", call: "t1", verdict: { verdict: "allow", offer: 0 } }]);
    });

    it("s grants for the session, and a second key does nothing more", async () => {
        const user = show();
        await seen();
        await user.keyboard("sy");
        expect(asked()).toEqual([{ run: "run-1", call: "t1", verdict: { verdict: "allow", offer: 1 } }]);
    });

    it("leaves the focus where letters go, and takes a key with Alt there", async () => {
        const user = userEvent.setup();
        const page = (card: boolean) => (
            <TooltipProvider>
                <input aria-label="Elsewhere" />
                {card && (
                    <ApprovalCard
                        run="run-1"
                        call="t1"
                        title="Run a command"
                        source=""
                        intent=""
                        approval={approval}
                        first
                    />
                )}
            </TooltipProvider>
        );
        const { rerender } = render(page(false));
        // The field is empty and nothing was typed for long.
        await user.click(screen.getByRole("textbox"));
        rerender(page(true));
        await seen();
        await user.keyboard("yes but stop");
        expect(screen.getByRole<HTMLInputElement>("textbox", { name: "Elsewhere" }).value).toBe("yes but stop");
        expect(asked()).toEqual([]);
        expect(screen.getByRole("button", { name: /This command only/ }).textContent).toContain("AltY");
        await user.keyboard("{Alt>}y{/Alt}");
        expect(asked()).toEqual([{ run: "run-1", call: "t1", verdict: { verdict: "allow", offer: 0 } }]);
    });

    it("sets what allows more apart from what allows this", () => {
        show();
        const wider = screen.getByRole("group", { name: "Allow more than this call" });
        expect(
            within(wider)
                .getAllByRole("button")
                .map((each) => each.textContent),
        ).toEqual(["cargo test in this sessionS", "cargo test, always"]);
    });

    it("n asks for a reason, which the agent is told", async () => {
        const user = show();
        await seen();
        await user.keyboard("n");
        await user.keyboard("not yet, ask y first{Enter}");
        expect(asked()).toEqual([
            { run: "run-1", call: "t1", verdict: { verdict: "deny", reason: "not yet, ask y first" } },
        ]);
    });

    it("goes back from the reason with Escape, and nothing is decided", async () => {
        const user = show();
        await seen();
        await user.keyboard("n{Escape}");
        expect(screen.getByRole("button", { name: /This command only/ })).toBeTruthy();
        expect(asked()).toEqual([]);
    });

    it("has no keys while another one is asked first, and none while something is typed elsewhere", async () => {
        const user = show({ first: false });
        render(<input aria-label="elsewhere" />);
        await user.keyboard("y");
        await user.type(screen.getByLabelText("elsewhere"), "yes");
        expect(asked()).toEqual([]);
    });

    it("can be answered again when it could not be sent", async () => {
        core.answers.approval_answer = () => {
            throw new Error("the line broke");
        };
        const user = show();
        await seen();
        await user.keyboard("y");
        expect((await screen.findByRole("alert")).textContent).toContain("the line broke");
        core.answers.approval_answer = null;
        await user.click(screen.getByRole("button", { name: /This command only/ }));
        expect(asked()).toHaveLength(2);
    });

    it("folds what is long and says how long it is", () => {
        const command = Array.from({ length: 40 }, (_, line) => `echo ${line}`).join("\n");
        show({ approval: { ...approval, preview: { preview: "command", command, cwd: "/home/eva" } } });
        expect(screen.getByRole("button", { name: /Show larger: 40 lines/ })).toBeTruthy();
        expect(document.querySelector("pre")?.textContent).toBe(command);
    });
});

it("gives keys to the narrowest offer and to the session's", () => {
    const offers = [offer("once", "a"), offer("workspace", "b"), offer("session", "c"), offer("session", "d")];
    expect(offers.map((_, index) => keyOf(offers, index))).toEqual(["y", undefined, "s", undefined]);
    expect(offerOf([offer("once", "a")], "s")).toBe(-1);
});

describe("modes", () => {
    it("follow each other in a ring", () => {
        expect([nextMode("safe"), nextMode("ask"), nextMode("allow-all")]).toEqual(["ask", "allow-all", "safe"]);
    });

    it("Auto is confirmed once a session", async () => {
        render(<ConfirmHost />);
        const user = userEvent.setup();
        let sure: Promise<boolean> = Promise.resolve(false);
        act(() => void (sure = mayBecome("allow-all", "s1")));
        await user.click(await screen.findByRole("button", { name: "Cancel" }));
        expect(await sure).toBe(false);
        act(() => void (sure = mayBecome("allow-all", "s1")));
        await user.click(await screen.findByRole("button", { name: "Turn Auto on" }));
        expect(await sure).toBe(true);
        expect(await mayBecome("allow-all", "s1")).toBe(true);
        expect(await mayBecome("safe", "s2")).toBe(true);
        await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
    });
});
