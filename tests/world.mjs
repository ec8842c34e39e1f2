// A data directory with something in it: sessions in every state, a knowledge base of the person's own.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { Core } from "./core.mjs";
import { AGENT, QUESTION, until } from "./lib.mjs";

const FINISHED = [
    "What must be documented about fraud risks?",
    "How is performance materiality set, and when is it revised?",
];
const SECOND = "Which events after the reporting date change the report, and which are only disclosed?";

const MANUAL = `# Working papers

## Retention

1. Working papers are kept for eight years after the date of the report.

2. The engagement partner decides on an exception in writing, with its reason. See paragraph 1.

## Review

3. Every working paper is reviewed by someone who did not prepare it, before the report is dated.

4. A reviewer who disagrees records the matter and how it was settled.
`;

/** @typedef {{ session: string, run: string }} Place */

/**
 * What stands in the data directory.
 * @typedef {object} World
 * @property {Place} finished a document
 * @property {Place} first waits at its first pause
 * @property {Place} second waits at its second pause
 * @property {Place} stopped was stopped and can go on
 * @property {string} paragraph of the base \`manual\`
 * @property {string} folder the files of that base
 */

/**
 * Waits until a run has come to a status.
 * @param {Core} core
 * @param {string} run
 * @param {string} status
 */
async function come(core, run, status) {
    /** @type {any} */
    let state;
    if (!(await until(async () => (state = await core.begun(run)).status === status, 60_000))) {
        throw new Error(`run ${run} is ${state.status}, not ${status}: ${JSON.stringify(state.problem)}`);
    }
    return { session: state.session, run };
}

/**
 * Fills a data directory through a program that is started for it and ended again.
 * @param {import("./lib.mjs").Place} place
 * @returns {Promise<World>}
 */
export async function fill(place) {
    const server = place.start(["serve", "--json"], { seconds: 300 });
    try {
        const core = await Core.of(place.data);
        const start = (/** @type {string} */ request, unattended = false) =>
            core.call("run_start", { agent: AGENT, request, attend: { replies: [], unattended } });
        await core.call("settings_update", { welcomed: true });
        const finished = await Promise.all(
            FINISHED.map(async (request) => come(core, await start(request, true), "completed")),
        );
        const second = await come(core, await start(SECOND), "paused");
        await core.call("run_answer", { run: second.run, pause: null, reply: { choice: "search" } });
        if (!(await until(async () => (await core.run(second.run)).pauses[0]?.stage === "1", 30_000)))
            throw new Error("the second run never came to its second pause");
        const stopped = await start("When may an auditor rely on internal audit?");
        await core.begun(stopped);
        await core.call("run_suspend", { run: stopped }).catch(() => undefined);
        const first = await come(core, await start(QUESTION), "paused");
        await core.call("session_update", { sessions: [second.session], patch: { flagged: true } });

        await core.call("automation_save", {
            id: null,
            event: "tick",
            entry: {
                id: "standup",
                name: "Standup",
                cron: "0 9 * * 1-5",
                actions: [{ type: "run", agent: AGENT, input: "What has changed since yesterday?", unattended: true }],
            },
        });
        await core.call("agent_make", { name: "Clerk", from: null });
        await core.call("skill_save", {
            slug: "minutes",
            file: { name: "SKILL.md", text: "---\nname: Minutes\ndescription: Writes minutes.\n---\nWrite minutes.\n" },
        });

        const folder = join(place.work, "manual");
        mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, "working-papers.md"), MANUAL);
        const job = await core.call("base_ingest", {
            base: "manual",
            title: "Firm manual",
            tier: "guide",
            citation: "",
            paths: [folder],
        });
        const read = async () =>
            (await core.call("job_list")).every(
                (/** @type {any} */ one) => one.job !== job.job || one.status !== "running",
            );
        if (!(await until(read, 30_000))) throw new Error("the folder was never read");
        const { paragraphs } = await core.call("base_paragraphs", {
            base: "manual",
            document: null,
            after: 0,
            limit: 10,
        });
        const world = {
            finished: finished[0],
            first,
            second,
            stopped: { run: stopped, session: (await core.begun(stopped)).session },
            paragraph: paragraphs[0].id,
            folder,
        };
        core.end();
        return world;
    } finally {
        server.kill("SIGTERM");
        await server.ended;
    }
}
