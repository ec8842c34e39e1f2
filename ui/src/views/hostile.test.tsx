// Whatever a model, a tool, another agent or an imported session says: no view throws over it, and none loads anything.

import { act, render } from "@testing-library/react";
import type { ReactElement } from "react";
import { afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";

import type { CallRow, Form, Preview, Show, StepDetail, TurnStep, TurnView } from "@/backend";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { modelStep, toolStep, turnView } from "@/backend/turn-fixtures";
import { DepthTable, Thresholds } from "@/domains/agent/DepthTable";
import { draftOf } from "@/domains/automation/entry";
import { conditionsOf } from "@/domains/automation/conditions";
import { fieldsOf, typedInputs } from "@/domains/composer/inputs";
import { pausedRun, planForm } from "@/domains/pause/fixtures";
import { PauseCard } from "@/domains/pause/PauseCard";
import { Exchange } from "@/domains/run/Exchange";
import { expressionOf } from "@/domains/search/expression";
import { SourceForm } from "@/domains/source/SourceForm";
import { argumentsOf } from "@/domains/source/labels";
import { MediaView } from "@/domains/turn/MediaView";
import { StepDetailView } from "@/domains/turn/StepDetailView";
import { TurnCard } from "@/domains/turn/TurnCard";
import { pathOf } from "@/routes";
import { DiffView, JsonView, RelativeTime, TooltipProvider } from "@/shared";
import { Markdown } from "@/shared/markdown";
import { dice, hostileObject, hostileText, hostileValue, pick, type Dice } from "@/shared/markdown/hostile-dice";
import { BlockReader } from "@/shared/markdown/blocks";
import { elementsOf, loadHtmlParser } from "@/shared/markdown/render";

let core: MockTransport;
let failures: string[];
const fetched = vi.fn();

beforeAll(loadHtmlParser);
beforeEach(() => {
    core = mockTransport();
    core.answers.source_read = [];
    failures = [];
    fetched.mockClear();
    vi.stubGlobal("fetch", fetched);
    // A text that can't be drawn is shown as it was written, and React tells of it here alone.
    vi.spyOn(console, "error").mockImplementation((...said: unknown[]) => {
        const error = said.find((each) => each instanceof Error);
        if (error !== undefined) failures.push(String(error.stack));
    });
});
afterEach(() => {
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
});

const LOADS = "script,link,iframe:not([sandbox]),object,embed,audio,video,source,base,meta,frame";

/** What in a page would ask somebody for something. */
function loads(root: Element): string[] {
    const found = [...root.querySelectorAll(LOADS)].map((node) => node.localName);
    for (const node of root.querySelectorAll("[src],[srcset],[poster],[data],[background],[action],[style*='url(']")) {
        const source = node.getAttribute("src");
        if (source === null || !source.startsWith("data:image/")) found.push(node.outerHTML.slice(0, 200));
    }
    return found;
}

/** Draws what each seed makes, and says which of them fails. */
async function holds(seeds: number, draw: (roll: Dice) => ReactElement | (() => void)) {
    for (let seed = 1; seed <= seeds; seed += 1) {
        const where = `seed ${seed}`;
        try {
            const drawn = draw(dice(seed));
            if (typeof drawn === "function") drawn();
            else {
                const view = render(<TooltipProvider>{drawn}</TooltipProvider>);
                await act(async () => {});
                expect(loads(view.container), where).toEqual([]);
                view.unmount();
            }
        } catch (thrown) {
            throw new Error(`${where}: ${thrown instanceof Error ? thrown.stack : String(thrown)}`, { cause: thrown });
        }
        expect(failures, where).toEqual([]);
    }
    expect(fetched).not.toHaveBeenCalled();
}

const maybe = <T,>(roll: Dice, of: (roll: Dice) => T): T | null => (roll() < 0.5 ? of(roll) : null);
const some = <T,>(roll: Dice, of: (roll: Dice) => T, most = 4): T[] =>
    Array.from({ length: Math.floor(roll() * (most + 1)) }, () => of(roll));

const show = (roll: Dice): Show =>
    pick<() => Show>(roll, [
        () => ({
            show: "change",
            path: hostileText(roll),
            before: maybe(roll, () => "b"),
            after: pick(roll, ["a", "gone", null]),
            added: 1,
            removed: 0,
        }),
        () => ({ show: "tasks", tasks: some(roll, (each) => ({ text: hostileText(each), status: "doing" })) }),
        () => ({ show: "plan", title: hostileText(roll), text: hostileText(roll), path: "" }),
        () => ({
            show: "media",
            name: `a.${pick(roll, ["csv", "json", "md", "constructor"])}`,
            mediaType: pick(roll, ["text/csv", "application/json", "image/png", "constructor"]),
            data: pick(roll, ["a", "b", "constructor"]),
        }),
        () => ({ show: "background", shell: hostileText(roll) }),
        () => ({ show: "value", value: hostileValue(roll) }),
    ])();

const preview = (roll: Dice): Preview =>
    pick<() => Preview>(roll, [
        () => ({ preview: "none" }),
        () => ({ preview: "command", command: hostileText(roll), cwd: hostileText(roll) }),
        () => ({
            preview: "diff",
            path: hostileText(roll),
            before: maybe(roll, hostileText),
            after: hostileText(roll),
        }),
        () => ({
            preview: "request",
            method: hostileText(roll),
            url: hostileText(roll),
            headers: some(roll, hostileText),
            body: maybe(roll, hostileText),
        }),
    ])();

const tool = (roll: Dice) =>
    toolStep({
        status: pick(roll, ["ok", "failed", "denied", "asking", "running"]),
        tool: hostileText(roll),
        title: hostileText(roll),
        source: hostileText(roll),
        intent: hostileText(roll),
        summary: hostileText(roll),
        ruled: maybe(roll, hostileText),
        answer: maybe(roll, hostileText),
        question: maybe(roll, (each) => ({
            text: hostileText(each),
            options: some(each, (one) => ({ label: hostileText(one), description: hostileText(one) })),
            several: each() < 0.5,
        })),
        approval: maybe(roll, (each) => ({
            why: hostileText(each),
            preview: preview(each),
            arguments: hostileValue(each),
            offers: some(each, (one) => ({
                scope: "session",
                covers: { covers: "call" } as never,
                words: hostileText(one),
            })),
        })),
        show: some(roll, show),
    });

const step = (roll: Dice, id: string): TurnStep => {
    const parent = pick(roll, [null, undefined, "s0", "s1", "constructor", id]);
    const common = { id, parent, at: pick(roll, [0, 8.7e15, -1]), ms: 5 };
    return pick<() => TurnStep>(roll, [
        () => ({ ...tool(roll), ...common }),
        () => ({
            ...modelStep({
                thinking: hostileText(roll),
                text: hostileText(roll),
                status: pick(roll, ["ok", "failed", "running"]),
            }),
            ...common,
        }),
        () => ({ ...common, kind: "notice", status: "ok", text: hostileText(roll) }),
        () => ({ ...common, kind: "steering", status: "ok", message: { text: hostileText(roll) } }),
        () => ({
            ...common,
            kind: "compaction",
            status: "ok",
            byModel: true,
            before: 10,
            after: 1,
            summary: hostileText(roll),
        }),
    ])();
};

const turn = (roll: Dice): TurnView => {
    const steps = Array.from({ length: Math.floor(roll() * 5) }, (_, index) => step(roll, `s${index}`));
    const view = turnView(
        {
            run: `run-${roll()}`,
            status: pick(roll, ["completed", "running", "waiting", "failed"]),
            startedAt: pick(roll, [0, 9e18, -9e18]),
            doing: hostileText(roll),
            answer: maybe(roll, hostileText),
            notes: some(roll, hostileText),
            plan: maybe(roll, (each) => ({
                title: hostileText(each),
                text: hostileText(each),
                path: hostileText(each),
                state: pick(each, ["waiting", "accepted"]),
            })),
        },
        steps,
    );
    const mention = { kind: "file" as const, name: "", title: hostileText(roll), range: [-1, hostileValue(roll, 0)] };
    const attachment = { id: "x", name: hostileText(roll), mediaType: "constructor", bytes: -1 };
    return {
        ...view,
        message: {
            text: hostileText(roll),
            mentions: some(roll, () => mention),
            attachments: some(roll, () => attachment, 1),
        },
    };
};

it(
    "a text, taken apart",
    () =>
        holds(500, (roll) => () => {
            const text = hostileText(roll);
            for (const block of new BlockReader().read(text)) void elementsOf(block, "t-", {}, { html: roll() < 0.5 });
        }),
    60_000,
);

it(
    "a text",
    () =>
        holds(120, (roll) => (
            <Markdown text={hostileText(roll)} streaming={roll() < 0.3} voice={roll() < 0.5 ? "ui" : "answer"} />
        )),
    60_000,
);

it(
    "a turn of a conversation, its approvals, questions and plan",
    () => holds(40, (roll) => <TurnCard turn={turn(roll)} newest={roll() < 0.5} unfolded={roll() < 0.7} />),
    60_000,
);

it(
    "what a step of a tool had and gave",
    () =>
        holds(50, (roll) => {
            const detail: Partial<StepDetail> = {
                id: "t1",
                arguments: hostileValue(roll),
                result: roll() < 0.5 ? hostileText(roll) : JSON.stringify(hostileValue(roll)),
                bytes: 5,
                blobs: { a: pick(roll, ["", "YQ==", "no base64", "%%%"]), b: hostileText(roll) },
            };
            core.answers.turn_step = detail;
            return (
                <StepDetailView run={`r${roll()}`} step={{ ...tool(roll), status: "ok" }} output={hostileText(roll)} />
            );
        }),
    60_000,
);

it(
    "a pause with its lists and questions",
    () =>
        holds(30, (roll) => {
            const name = () => pick(roll, ["__proto__", "constructor", "query", "length"]);
            const form: Form = {
                ...planForm(),
                title: hostileText(roll),
                heading: hostileText(roll),
                markdown: hostileText(roll),
                parts: some(roll, (each) => ({ title: hostileText(each), markdown: hostileText(each), list: name() })),
                lists: some(
                    roll,
                    () => ({
                        field: name(),
                        minItems: 0,
                        maxItems: 3,
                        columns: some(roll, () => ({ field: name(), required: roll() < 0.5, kind: "texts" as const })),
                    }),
                    2,
                ),
                output:
                    roll() < 0.5
                        ? hostileValue(roll)
                        : { query: hostileValue(roll), constructor: [hostileValue(roll)] },
                questions: some(roll, hostileText),
                choices: some(roll, (each) => ({
                    id: hostileText(each),
                    label: hostileText(each),
                    action: "proceed",
                    next: "",
                })),
                status: maybe(roll, hostileText),
            };
            return <PauseCard run={pausedRun(form)} form={form} />;
        }),
    60_000,
);

it(
    "what went over the wire",
    () =>
        holds(50, (roll) => {
            const parts = { name: hostileText, value: hostileValue };
            const call = {
                request: hostileValue(roll),
                output: hostileValue(roll),
                wire: hostileObject(roll, {
                    method: hostileText,
                    url: hostileText,
                    headers: (each) =>
                        some(each, (one) => pick(one, [hostileObject(one, parts), ["x", { toString: 1 }]])),
                    body: (each) => (each() < 0.5 ? hostileText(each) : hostileValue(each)),
                }),
                received: hostileObject(roll, {
                    thinking: hostileText,
                    text: hostileText,
                    parts: (each) =>
                        some(each, (one) => hostileObject(one, { type: hostileText, input: hostileValue })),
                    stop: hostileText,
                    redactedThinking: hostileValue,
                }),
            };
            return <Exchange call={call as unknown as CallRow} />;
        }),
    60_000,
);

it(
    "values, changes, files and times",
    () =>
        holds(30, (roll) => (
            <>
                <JsonView value={hostileValue(roll, 5)} label="Value" open={3} />
                <DiffView path={hostileText(roll)} before={maybe(roll, hostileText)} after={hostileText(roll)} />
                <MediaView
                    name={`a.${pick(roll, ["csv", "tsv", "json", "md", "__proto__", "constructor"])}`}
                    mediaType={pick(roll, ["text/plain", "application/json", "constructor"])}
                    base64={
                        roll() < 0.5 ? "%%%" : btoa(unescape(encodeURIComponent(JSON.stringify(hostileValue(roll)))))
                    }
                />
                <RelativeTime at={pick(roll, [Number.NaN, 9e18, -9e18, 0])} />
                <DepthTable modes={hostileValue(roll, 4)} order={["constructor", "deep"]} standard={null} />
                <Thresholds thresholds={hostileValue(roll)} />
            </>
        )),
    60_000,
);

const CONFIG = {
    slug: hostileText,
    name: hostileText,
    type: (roll: Dice) => pick(roll, ["mcp", "api", "local", "constructor"]),
    mcp: (roll: Dice) =>
        hostileObject(roll, {
            transport: () => "http",
            command: hostileText,
            args: (each) => some(each, hostileText),
            env: hostileValue,
            url: hostileText,
            headers: hostileValue,
            authType: hostileText,
        }),
    api: (roll: Dice) =>
        hostileObject(roll, {
            baseUrl: hostileText,
            authType: (each) => pick(each, ["oauth", "headers", "constructor"]),
            headerNames: hostileValue,
            oauth: hostileValue,
            defaultHeaders: hostileValue,
        }),
    local: hostileValue,
};

it(
    "the configuration of a source, whatever is typed into it",
    () =>
        holds(40, (roll) => (
            <SourceForm config={JSON.stringify(hostileObject(roll, CONFIG))} guide={hostileText(roll)} isNew />
        )),
    60_000,
);

it(
    "schemas, automations, views and addresses",
    () =>
        holds(1_500, (roll) => () => {
            const value = hostileValue(roll, 4);
            typedInputs(fieldsOf(value), hostileValue(roll));
            argumentsOf(value);
            const { actions, conditions } = draftOf("tick", value);
            expect(Array.isArray(actions)).toBe(true);
            const list = conditionsOf(
                roll() < 0.5
                    ? conditions
                    : JSON.stringify([{ condition: pick(roll, ["constructor", { toString: 1 }]) }]),
            );
            expect(["all", "any", "none", undefined]).toContain(list?.join);
            const text = hostileText(roll);
            expect(typeof pathOf({ page: "base", base: text, paragraph: text, query: text })).toBe("string");
            expect(expressionOf(`is:${text} has:constructor before:3constructor`, []).expression).not.toContain(
                "function",
            );
        }),
    60_000,
);
