import { act, render, screen, within, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";

import { Failure, type PlanView, type TurnView } from "@/backend";
import { forget } from "@/backend/query";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { modelStep, toolStep, turnHead, turnView } from "@/backend/turn-fixtures";
import { useSessionTurns } from "@/backend";
import { ConfirmHost, TooltipProvider } from "@/shared";

import { cutAtMentions } from "./MessageText";
import { answerText } from "./QuestionCard";
import { apart, tasksOf, treeOf, writingOf } from "./steps";
import { TurnCard } from "./TurnCard";
import { headStatus, lineOf, workLine } from "./labels";

let core: MockTransport;
let count = 0;
/** Every test has a turn of its own: what is known of one outlives the page. */
let run = "";

beforeEach(() => {
    forget();
    count += 1;
    run = `run-${String(count).padStart(3, "0")}`;
    core = mockTransport();
    core.answers = {
        turn_send: { session: "s", turn: "run-999", run: null, queued: null, steered: null, notes: [] },
        turn_stop: null,
        turn_resume: null,
        session_branch: "copy",
        question_answer: null,
        plan_answer: { session: "s", notes: [] },
    };
});

function Page({ turn }: { turn: TurnView }) {
    useSessionTurns("s", () => undefined);
    return <TurnCard turn={turn} newest unfolded={false} />;
}

function show(view: TurnView) {
    const turn = { ...view, head: { ...view.head, run } };
    render(
        <TooltipProvider>
            <Page turn={turn} />
        </TooltipProvider>,
    );
    return userEvent.setup();
}
/** What is pressed at the moment a question appears was meant for something else. */
const seen = () => act(() => new Promise((resolve) => setTimeout(resolve, 520)));
const asked = (name: string) => core.asked.filter((each) => each.name === name).map((each) => each.params);
const tell = (
    kind: Parameters<MockTransport["tell"]>[0] extends infer E
        ? Extract<E, { event: "turn" }> extends { value: { kind: infer K } }
            ? K
            : never
        : never,
) => act(() => core.tell({ event: "turn", value: { run, session: "s", seq: 0, kind } }));

describe("resending", () => {
    it("asks first where later messages would leave the conversation", async () => {
        core.answers["turn_send"] = { session: "s", turn: "run-9", run: null, queued: null, steered: null, notes: [] };
        const view = turnView({ answer: "It is right." });
        render(
            <TooltipProvider>
                <TurnCard turn={{ ...view, head: { ...view.head, run } }} newest={false} unfolded={false} />
                <ConfirmHost />
            </TooltipProvider>,
        );
        const user = userEvent.setup();
        expect(screen.queryByRole("button", { name: "Resend the question" })).toBeNull();
        await user.click(screen.getByRole("button", { name: "Message actions" }));
        await user.click(await screen.findByRole("menuitem", { name: "Resend…" }));
        await user.click(await screen.findByRole("button", { name: "Cancel" }));
        expect(asked("turn_send")).toEqual([]);
        await user.click(screen.getByRole("button", { name: "Message actions" }));
        await user.click(await screen.findByRole("menuitem", { name: "Resend…" }));
        await user.click(await screen.findByRole("button", { name: "Resend" }));
        expect(asked("turn_send")).toHaveLength(1);
    });
});

describe("a finished turn", () => {
    it("is one quiet line with its answer, and opens to its steps", async () => {
        const user = show(
            turnView({ answer: "It is **right**." }, [
                modelStep({ thinking: "Hm." }),
                toolStep(),
                toolStep({ id: "t2", intent: "ledger.csv" }),
            ]),
        );
        expect(screen.getByText("right").tagName).toBe("STRONG");
        expect(screen.queryByText("ledger.csv")).toBeNull();
        await user.click(screen.getByText("Worked 1 m 12 s, 2 steps"));
        expect(screen.getByText("ledger.csv")).toBeTruthy();
        expect(screen.getByText("Thought")).toBeTruthy();
    });

    it("shows a picture that the model answered with, and says where it is gone", async () => {
        core.answers.attachment_show = ({ id }: { id: string }) => {
            if (id !== "a.m1.1-picture.png")
                throw new Failure({ code: "not_found", message: "gone", action: null, retryable: false } as never);
            return { attachment: { id, name: "picture.png", mediaType: "image/png", bytes: 5 }, data: "aGVsbG8=" };
        };
        const user = show(
            turnView(
                {
                    answer: "[Picture 1: image/png, 5 bytes](#attachment-a.m1.1-picture.png)\n\n[Picture 2: image/png, 9 bytes](#attachment-b.png)",
                },
                [],
            ),
        );
        const picture = await screen.findByAltText("picture.png");
        expect(picture.getAttribute("src")).toBe("data:image/png;base64,aGVsbG8=");
        expect(await screen.findByText(/Picture 2: image\/png, 9 bytes.*no longer exists/)).toBeTruthy();
        await user.click(picture);
        expect(await screen.findByRole("dialog")).toBeTruthy();
    });

    it("draws an answer whose picture has a name that can't be decoded", async () => {
        show(turnView({ answer: "See [this](#attachment-%E0%A4%A)." }, []));
        expect(await screen.findByText(/this/)).toBeTruthy();
    });

    it("keeps what failed and what was denied in sight", () => {
        show(
            turnView({ answer: "Done." }, [
                toolStep(),
                toolStep({ id: "t2", status: "failed", intent: "cargo test", summary: "exit 101" }),
                toolStep({ id: "t3", status: "denied", intent: ".env", summary: "A rule forbids it" }),
            ]),
        );
        expect(screen.getByText("Exit 101")).toBeTruthy();
        expect(screen.getByText("Denied")).toBeTruthy();
        expect(screen.queryByText("notes.txt")).toBeNull();
    });

    it("keeps the beginning of an answer that broke off in sight", () => {
        show(turnView({ status: "failed" }, [modelStep({ status: "failed", text: "The first half" })]));
        expect(screen.getByText("The first half")).toBeTruthy();
        expect(screen.getByText("Model request failed")).toBeTruthy();
    });

    it("shows a step's arguments and result when it is opened", async () => {
        core.answers.turn_step = {
            id: "t1",
            arguments: { path: "notes.txt" },
            result: "line one",
            bytes: 8,
            blobs: {},
        };
        const user = show(turnView({ answer: "Done." }, [toolStep()]));
        await user.click(screen.getByText(/^Worked/));
        await user.click(screen.getByText("notes.txt"));
        expect(await screen.findByText("line one")).toBeTruthy();
        expect(asked("turn_step")).toEqual([{ run, step: "t1" }]);
    });

    it("offers a file of a step that it can't draw to be saved, and says what became of an answer", async () => {
        core.answers.turn_step = {
            id: "t1",
            arguments: {},
            result: "(result-1.wav: audio/wav, 4 bytes)",
            bytes: 34,
            blobs: { d1: "UklGRg==" },
        };
        const sound = { show: "media" as const, name: "result-1.wav", mediaType: "audio/wav", data: "d1" };
        const note = "It ended before the model was done: a filter of its provider broke the answer off.";
        const user = show(
            turnView({ answer: "Half.", notes: [note] }, [toolStep({ status: "failed", show: [sound] })]),
        );
        expect(screen.getByText(note)).toBeTruthy();
        await user.click(screen.getByText(/^Worked/));
        await user.click(screen.getAllByText("notes.txt")[0] as HTMLElement);
        expect(await screen.findByRole("button", { name: "Save a copy" })).toBeTruthy();
    });

    it("can be edited and sent again, which replaces it", async () => {
        const user = show(turnView({ answer: "Done." }, [], "Look at notes"));
        await user.click(screen.getByRole("button", { name: "Message actions" }));
        await user.click(await screen.findByRole("menuitem", { name: "Edit and resend" }));
        const field = await screen.findByRole("textbox", { name: "Message" });
        await user.clear(field);
        await user.type(field, "Look at the ledger");
        await user.keyboard("{Control>}{Enter}{/Control}");
        expect(asked("turn_send")).toEqual([
            { session: "s", message: { text: "Look at the ledger", mentions: [] }, replaces: run },
        ]);
    });

    it("without a step has no line for them", () => {
        show(turnView({ answer: "Hello." }, [modelStep({ text: "Hello." })]));
        expect(screen.queryByText(/^Worked/)).toBeNull();
    });

    it("can be branched", async () => {
        const user = show(turnView({ answer: "Done." }));
        await user.click(screen.getByRole("button", { name: /^Branch/ }));
        expect(asked("session_branch")).toEqual([{ run }]);
        await waitFor(() => expect(location.hash).toBe("#/session/copy"));
    });
});

describe("a turn that goes on", () => {
    it("shows its steps as they come, its text at once, and what it waits for", async () => {
        show(
            turnView({ status: "running", seq: 1, doing: "Waiting for the model" }, [modelStep({ status: "running" })]),
        );
        expect(screen.getByRole("status").textContent).toBe("Waiting for the model");
        tell({ kind: "delta", step: "m1", text: "The amount", at: 0 });
        expect(screen.getByText("The amount")).toBeTruthy();
        tell({
            kind: "changed",
            head: turnHead({ run, seq: 2, status: "running", doing: "Read: notes.txt" }),
            steps: [modelStep({ text: "The amount is odd." }), toolStep({ status: "running" })],
            message: null,
        });
        expect(screen.getByText("The amount is odd.")).toBeTruthy();
        expect(screen.queryByText("The amount")).toBeNull();
        expect(screen.getByText("Running")).toBeTruthy();
        tell({
            kind: "changed",
            head: turnHead({ run, seq: 3, answer: "It is right." }),
            steps: [toolStep()],
            message: null,
        });
        expect(screen.getByText("It is right.")).toBeTruthy();
        expect(screen.getByText(/^Worked/)).toBeTruthy();
    });

    it("stops", async () => {
        const user = show(turnView({ status: "running", doing: "Waiting for the model" }));
        await user.click(screen.getByRole("button", { name: "Stop" }));
        expect(asked("turn_stop")).toEqual([{ run }]);
        expect(screen.getByRole("status").textContent).toBe("Stopping");
    });

    it("nests steps below the call that they belong to", () => {
        show(
            turnView({ status: "running" }, [
                toolStep({ title: "Agent" }),
                toolStep({ id: "c1", parent: "t1", intent: "inner.txt" }),
            ]),
        );
        const outer = document.querySelector('[data-step="t1"]');
        expect(within(outer as HTMLElement).getByText("inner.txt")).toBeTruthy();
    });

    it("asks a question whose options answer at once, or takes own words", async () => {
        const user = show(
            turnView({ status: "waiting" }, [
                toolStep({
                    status: "asking",
                    title: "Ask",
                    question: {
                        text: "Which year?",
                        options: [{ label: "2025" }, { label: "2026", description: "The current one" }],
                    },
                }),
            ]),
        );
        expect(document.activeElement?.getAttribute("data-question")).toBe("t1");
        await user.click(screen.getByRole("button", { name: /2026/ }));
        expect(asked("question_answer")).toEqual([{ run, call: "t1", answer: "2026" }]);
    });

    it("takes a digit for an option, and shows what was asked and answered once it goes on", async () => {
        const question = { text: "Which year?", options: [{ label: "2025" }, { label: "2026" }] };
        const user = show(
            turnView({ status: "waiting", seq: 1 }, [
                toolStep({ status: "asking", title: "Ask the person", intent: "Ask: Which year?", question }),
            ]),
        );
        expect(screen.getAllByText("Which year?")).toHaveLength(1);
        await seen();
        await user.keyboard("2");
        expect(asked("question_answer")).toEqual([{ run, call: "t1", answer: "2026" }]);
        tell({
            kind: "changed",
            head: turnHead({ run, seq: 2, answer: "Then 2026." }),
            steps: [
                toolStep({
                    title: "Ask the person",
                    intent: "Ask: Which year?",
                    summary: "2026",
                    question,
                    answer: "2026",
                }),
            ],
            message: null,
        });
        expect(screen.getByText(/^Worked/)).toBeTruthy();
        expect(screen.getByText("Which year?")).toBeTruthy();
        expect(screen.getAllByText("2026")).toHaveLength(1);
    });

    it("takes several answers and words together", async () => {
        const user = show(
            turnView({ status: "waiting" }, [
                toolStep({
                    status: "asking",
                    question: { text: "Which?", options: [{ label: "a" }, { label: "b" }], several: true },
                }),
            ]),
        );
        await user.click(screen.getByRole("checkbox", { name: "b" }));
        await user.type(screen.getByRole("textbox"), "and c{Enter}");
        expect(asked("question_answer")).toEqual([{ run, call: "t1", answer: "b\nand c" }]);
    });
});

describe("a turn that ended early", () => {
    it("says why it failed and goes on where it stood", async () => {
        const user = show(
            turnView(
                {
                    status: "failed",
                    problem: { code: "source", message: "The model did not answer.", retryable: true },
                },
                [toolStep()],
            ),
        );
        expect(screen.getByText("The model did not answer.")).toBeTruthy();
        expect(screen.getByText(/one finished step/)).toBeTruthy();
        await user.click(screen.getByRole("button", { name: "Try again" }));
        expect(asked("turn_resume")).toEqual([{ run }]);
    });

    it("says that the beginning of a stopped answer is kept", () => {
        show(turnView({ status: "stopped", answer: "First this. Then th" }, [], "Write"));
        expect(screen.getByText("First this. Then th")).toBeTruthy();
        expect(screen.getByText(/The answer so far is kept/)).toBeTruthy();
        expect(screen.getByRole("button", { name: "Resume" })).toBeTruthy();
    });

    it("begins anew with the same message", async () => {
        const user = show(turnView({ status: "stopped" }, [], "Look"));
        await user.click(screen.getByRole("button", { name: "Start over" }));
        expect(asked("turn_send")).toEqual([{ session: "s", message: { text: "Look" }, replaces: run }]);
    });
});

describe("a plan", () => {
    const plan: PlanView = { title: "Cents", text: "1. Add the type", path: "/home/eva/plan.md", state: "waiting" };

    it("is accepted in a mode, with or without compacting", async () => {
        const user = show(turnView({ answer: "Ready.", plan }));
        await user.click(screen.getByRole("button", { name: "Accept and compact" }));
        expect(asked("plan_answer")).toEqual([{ run, verdict: { verdict: "accept", mode: "ask", compact: true } }]);
    });

    it("is sent back with words", async () => {
        const user = show(turnView({ answer: "Ready.", plan }));
        await user.click(screen.getByRole("button", { name: /^Refine/ }));
        await user.type(screen.getByRole("textbox", { name: "Changes to make" }), "Fewer steps");
        await user.click(screen.getByRole("button", { name: /^Send back/ }));
        expect(asked("plan_answer")).toEqual([{ run, verdict: { verdict: "refine", text: "Fewer steps" } }]);
    });

    it("says its title once, and is accepted by a key", async () => {
        const user = show(turnView({ plan: { ...plan, text: "# Cents\n\n1. Add the type" } }));
        expect(screen.getByRole("heading", { name: "Carry out this plan? Cents" })).toBeTruthy();
        expect(screen.getAllByText(/Cents/)).toHaveLength(1);
        await user.keyboard("y");
        expect(asked("plan_answer")).toEqual([]);
        await seen();
        await user.keyboard("y");
        expect(asked("plan_answer")).toEqual([{ run, verdict: { verdict: "accept", mode: "ask", compact: false } }]);
    });

    it("that waits is what the conversation waits for", () => {
        expect(headStatus(turnHead({ plan })).word).toBe("Plan needs approval");
        expect(headStatus(turnHead({ plan: { ...plan, state: "accepted" } })).word).toBe("Finished");
    });

    it("that is carried out is not read twice", () => {
        const view = turnView({ answer: "Done." }, [], `Carry it out.\n\n${plan.text}`);
        render(
            <TooltipProvider>
                <TurnCard turn={{ ...view, head: { ...view.head, run } }} newest unfolded={false} carriesOut={plan} />
            </TooltipProvider>,
        );
        expect(screen.getByText("Carry out the plan: Cents", { selector: "summary span" })).toBeTruthy();
        expect(screen.getByText("Add the type").closest("details")?.open).toBe(false);
    });

    it("that was answered is only read", () => {
        show(turnView({ answer: "Ready.", plan: { ...plan, state: "accepted" } }));
        expect(screen.getByText("accepted")).toBeTruthy();
        expect(screen.queryByRole("button", { name: "Accept" })).toBeNull();
    });
});

describe("steps", () => {
    it("stand at the top when the one they belong to is not there, and never below themselves", () => {
        const tree = treeOf([
            toolStep({ id: "a", parent: "gone" }),
            toolStep({ id: "b", parent: "b" }),
            toolStep({ id: "c", parent: "a" }),
        ]);
        expect(tree.map((branch) => [branch.step.id, branch.below.map((each) => each.step.id)])).toEqual([
            ["a", ["c"]],
            ["b", []],
        ]);
    });

    it("say in one line what was done, once", () => {
        expect(lineOf("Read a file", "Read notes.txt")).toEqual({ title: "Read", intent: "notes.txt" });
        expect(lineOf("Ask the person", "Ask: Which year?")).toEqual({ title: "Ask", intent: "Which year?" });
        expect(lineOf("Run a command", "Look at the log")).toEqual({
            title: "Run a command",
            intent: "Look at the log",
        });
        expect(lineOf("Read", "Readers of it")).toEqual({ title: "Read", intent: "Readers of it" });
        expect(lineOf("", "x")).toEqual({ title: "", intent: "x" });
    });

    it("count what was done, not the thinking between", () => {
        expect(
            workLine(turnHead(), [modelStep({ thinking: "x" }), toolStep(), modelStep({ id: "m2", text: "words" })]),
        ).toBe("Worked 1 m 12 s, 2 steps");
        expect(workLine(turnHead({ status: "running", activeMs: 900 }), [toolStep()])).toBe("Working 0.9 s, 1 step");
    });

    it("give up the text that is the answer, and what is said last until calls follow", () => {
        const said = modelStep({ text: "It is right." });
        expect(apart([toolStep(), said], "It is right.")).toEqual({
            steps: [toolStep(), { ...said, text: "" }],
            said: "",
        });
        expect(apart([toolStep(), said], null)).toEqual({
            steps: [toolStep(), { ...said, text: "" }],
            said: "It is right.",
        });
        expect(apart([said, toolStep()], null)).toEqual({ steps: [said, toolStep()], said: "" });
    });

    it("tell the newest list of tasks, and who writes now", () => {
        const tasks = (text: string) => toolStep({ show: [{ show: "tasks", tasks: [{ text, status: "doing" }] }] });
        expect(tasksOf([tasks("old"), tasks("new"), toolStep()])?.map((task) => task.text)).toEqual(["new"]);
        expect(
            writingOf([
                modelStep(),
                modelStep({ id: "m2", status: "running" }),
                modelStep({ id: "m3", status: "running", parent: "t1" }),
            ])?.id,
        ).toBe("m2");
    });
});

it("cuts a message at its names and leaves ranges out that make no sense", () => {
    const mention = (range: [number, number]) => ({ kind: "file" as const, name: "x", title: "x", range });
    expect(
        cutAtMentions("see @x now", [mention([4, 6]), mention([5, 8]), mention([9, 99]), mention([7, 7])]).map(
            (part) => (typeof part === "string" ? part : `[${part.text}]`),
        ),
    ).toEqual(["see ", "[@x]", " now"]);
});

it("sends options in their order and the own words last", () => {
    expect(answerText(["a", "b"], " c ")).toBe("a\nb\nc");
    expect(answerText([], "  ")).toBe("");
});
