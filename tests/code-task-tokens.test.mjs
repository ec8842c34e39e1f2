// What `code-task` saves: the same task with the same answers of the model, once by the shipped agent and once by an agent that is made as
// such pipelines usually are: each stage a new conversation with a prompt of its own that asks for a handoff, given the whole of what all
// stages before it put out, with what the program knows about it.
// The provider counts what each request sends, and what of it is read from its cache, as a provider does that caches marked prefixes.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { Seat } from "../.scripts/seat.mjs";
import { Place } from "./lib.mjs";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
/** The most that the shipped agent may send anew, of what the other one sends. */
const GOAL = 0.35;

/** Counts requests as a provider with a cache of marked prefixes does: tools, system and messages are one text. */
class PrefixCache {
    #kept = new Set();
    sent = 0;
    fresh = 0;
    requests = 0;

    /** @param {any} body */
    count(body) {
        /** @type {{ text: string, mark: boolean }[]} */
        const blocks = [];
        const add = (/** @type {any} */ value, /** @type {string} */ role) => {
            const { cache_control: mark, ...plain } = typeof value === "string" ? { text: value } : value;
            blocks.push({ text: role + JSON.stringify(plain), mark: mark !== undefined });
        };
        for (const tool of body.tools ?? []) add(tool, "tool");
        for (const block of [body.system ?? []].flat()) add(block, "system");
        for (const { role, content } of body.messages) for (const block of [content].flat()) add(block, role);
        const hash = createHash("sha256");
        let [total, read, marked] = [0, 0, 0];
        const marks = [];
        for (const { text, mark } of blocks) {
            hash.update(text);
            total += text.length;
            const prefix = hash.copy().digest("hex");
            if (this.#kept.has(prefix)) read = total;
            if (mark) marks.push(prefix);
            if (mark) marked = total;
        }
        for (const prefix of marks) this.#kept.add(prefix);
        const tokens = (/** @type {number} */ characters) => Math.round(characters / 4);
        this.requests += 1;
        this.sent += tokens(total);
        this.fresh += tokens(total - read);
        return {
            input_tokens: tokens(total - Math.max(marked, read)),
            cache_read_input_tokens: tokens(read),
            cache_creation_input_tokens: tokens(Math.max(0, marked - read)),
        };
    }
}

/** What each prompt of such a pipeline ends with. */
const HANDOFF = `
## Handoff

End your work with a handoff for the next agent, which has not read your conversation:

- **Summary**: what you did, in two or three sentences.
- **Key decisions**: each decision with its reason.
- **Files**: those that you read or changed, with what matters about each.
- **Open questions**: what you could not settle.
- **Next**: what the next agent should begin with.
`;

/** Text of so many words that no two calls share. */
const words = (/** @type {string} */ about, /** @type {number} */ count) =>
    Array.from({ length: count }, (_, index) => `${about}${index}`).join(" ");
const handoff = (/** @type {string} */ stage) => ({
    summary: words(`${stage}-summary-`, 20),
    key_decisions: [words(`${stage}-decision-`, 8)],
    files_modified: ["sum.sh"],
    open_questions: [],
});
const call = (/** @type {string} */ name, /** @type {any} */ input) => ({
    content: [{ type: "tool_use", name, input }],
});
const close = (/** @type {string} */ stage, /** @type {object} */ data) =>
    call("stage_gate", {
        complete: true,
        data: ["plan", "implement"].includes(stage) ? { ...data, handoff: handoff(stage) } : data,
    });
const list = (/** @type {string} */ about, /** @type {number} */ count, /** @type {number} */ size) =>
    Array.from({ length: count }, (_, index) => words(`${about}-${index}-`, size));
/** What the model says, one request after the other, whoever asks. */
const ANSWERS = [
    call("read", { path: "library.sh" }),
    close("ideas", {
        goal: words("goal-", 60),
        approach: words("approach-", 400),
        alternatives: list("other", 3, 120),
        risks: list("risk", 5, 60),
    }),
    close("design", { verdict: "approved", decisions: list("settled", 8, 60), concerns: list("concern", 8, 60) }),
    close("plan", {
        summary: words("plan-", 120),
        steps: Array.from({ length: 10 }, (_, index) => ({ change: words(`step-${index}-`, 80), files: ["sum.sh"] })),
        tests: list("test", 4, 20),
    }),
    call("read", { path: "sum.sh" }),
    call("edit", { path: "sum.sh", old: "-", new: "+" }),
    close("implement", { summary: words("done-", 300), left_out: [] }),
    call("task_diff", { task: "fix-the-sum" }),
    close("review", {
        approved: true,
        score: 0.9,
        findings: [{ severity: "minor", file: "sum.sh", what: words("finding-", 30) }],
    }),
    close("verify", { holds: true, evidence: list("evidence", 4, 30), missing: [] }),
];

/**
 * The agent as such pipelines usually are made.
 * @param {string} folder of its files
 */
function usual(folder) {
    cpSync(join(ROOT, "agents", "code-task"), folder, { recursive: true });
    cpSync(join(ROOT, "prompts", "code-task"), join(folder, "prompts"), { recursive: true });
    const path = join(folder, "config.json");
    const config = JSON.parse(readFileSync(path, "utf8"));
    delete config["$schema"];
    delete config.orchestrator.conversation;
    delete config.orchestrator.system;
    const before = [];
    const rules = readFileSync(join(folder, "prompts", "system.md"), "utf8").replace(/\nThe task[\s\S]*/, "");
    for (const stage of config.controlFlow.stages) {
        if (stage.kind !== "dialogue") continue;
        delete stage.conversation;
        delete stage.contextBudget;
        const prompt = join(folder, "prompts", stage.prompt);
        writeFileSync(prompt, `${rules}\n${readFileSync(prompt, "utf8")}${HANDOFF}`);
        const whole = before.map((name) => ({
            section: name.toUpperCase(),
            value: `{'stage': '${name}', 'agent': '${name}-agent', 'task': inputs.title, 'status': 'completed', 'output': outputs.${name}}`,
        }));
        const task = { section: "TASK", value: "{'title': inputs.title, 'description': inputs.description}" };
        stage.context = [
            task,
            ...stage.context.filter(
                (/** @type {any} */ { section, value }) => section !== "TASK" && !value.includes("outputs."),
            ),
            ...whole,
        ];
        if (stage.name === "code_review" || stage.name === "verify")
            stage.context.push({ section: "TASK_ID", value: "outputs.worktree.task" });
        before.push(stage.name);
    }
    config.slug = "usual";
    writeFileSync(path, JSON.stringify(config));
    writeFileSync(
        join(folder, "AGENT.md"),
        "---\nname: Usual\ndescription: As usual.\nsources: []\ntools: []\n---\nAs usual.\n",
    );
    return "usual";
}

/**
 * Runs an agent over a new repository.
 * @param {import("node:test").TestContext} context
 * @param {(folder: string) => string} prepare gives the agent's slug
 */
async function measured(context, prepare) {
    const place = Place.for(context);
    const folder = join(place.work, "project");
    mkdirSync(join(folder, ".agentnative"), { recursive: true });
    const git = (/** @type {string[]} */ ...args) =>
        assert.equal(spawnSync("git", args, { cwd: folder, env: place.environment() }).status, 0, args.join(" "));
    git("init", "--quiet", "--initial-branch=main");
    git("config", "user.name", "Eva");
    git("config", "user.email", "eva@example.com");
    writeFileSync(join(folder, "sum.sh"), "echo $(($1 - $2))\n");
    writeFileSync(join(folder, "library.sh"), `# ${words("line-", 800).replaceAll(" ", "\n# ")}\n`);
    const checks = [{ name: "sum", command: 'test "$(sh sum.sh 2 3)" = 5' }];
    writeFileSync(join(folder, ".agentnative", "checks.json"), JSON.stringify({ checks }));
    git("add", "--all");
    git("commit", "--quiet", "-m", "first");
    const cache = new PrefixCache();
    const seat = await Seat.start({
        folder: join(place.work, "seat"),
        answer: (_, turn) =>
            ANSWERS[turn - 1] ?? { status: 400, type: "invalid_request_error", message: "no answer left" },
        usage: (body) => cache.count(body),
    });
    context.after(() => seat.stop());
    const slug = prepare(join(place.data, "workspaces", "default", "agents", "usual"));
    const add = [
        "connect",
        "add",
        "seat",
        "--provider",
        "anthropic",
        "--base-url",
        seat.address,
        "--model",
        seat.model,
    ];
    await place.do([...add, "--no-key", "--no-test"]);
    const input = join(place.work, "task.json");
    writeFileSync(input, JSON.stringify({ title: "Fix the sum", description: words("wanted-", 60), project: folder }));
    await place.do(
        ["run", slug, "--input", input, "--connection", "seat", "--depth", "L3", "--yes", "--mode", "allow-all"],
        {
            seconds: 120,
        },
    );
    assert.equal(cache.requests, ANSWERS.length);
    const ledger = JSON.parse((await place.do(["tokens", "--compare", "naive,fresh", "--json"])).stdout);
    return { cache, ledger };
}

test("the same task with the same answers sends at most 35 % of what a pipeline of separate agents sends anew", async (context) => {
    const ours = await measured(context, () => "code-task");
    const other = await measured(context, usual);
    const share = ours.cache.fresh / other.cache.fresh;
    context.diagnostic(
        `sent anew: ${ours.cache.fresh} of ${other.cache.fresh} tokens (${(100 * share).toFixed(1)} %); in all ${ours.cache.sent} and ${other.cache.sent}`,
    );
    assert.ok(share <= GOAL, `${ours.cache.fresh} of ${other.cache.fresh} tokens`);

    // The ledger tells the same of the run: each request by section, what the provider reported, and what whole outputs would have sent.
    const { requests, leftOut, measured: told, strategies, sections, estimated } = ours.ledger;
    assert.deepEqual([requests.length, leftOut], [ANSWERS.length, []]);
    // Each of the three is rounded.
    assert.ok(Math.abs(told.input + told.cacheRead + told.cacheWrite - ours.cache.sent) <= requests.length);
    for (const request of requests)
        assert.equal(
            request.sections.reduce((/** @type {number} */ sum, /** @type {any} */ one) => sum + one.tokens, 0),
            request.estimated,
        );
    const [naive, sent] = strategies;
    context.diagnostic(
        `estimated as sent ${sent.input} + ${sent.cached} cached, naive ${naive.input} + ${naive.cached}; ${sections.map((/** @type {any} */ one) => `${one.name} ${one.tokens}`).join(", ")}`,
    );
    assert.equal(sent.input + sent.cached, estimated);
    assert.ok(sent.input < naive.input, `${sent.input} as sent, ${naive.input} naive`);
});
