// Golden runs: capsules of runs and turns that this program made. Every build folds and computes them again; one that comes
// out differently would not be the run that a person has stored. UPDATE_GOLDEN_RUNS=1 makes those that are missing.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { AGENT, Place, QUESTION, jsonLines } from "./lib.mjs";

const FOLDER = join(dirname(fileURLToPath(import.meta.url)), "golden-runs");
/** The most bytes of one. */
const LARGEST = 200_000;

/** An agent whose first stage pauses for the person, who edits what it found. */
const SCHEMA = {
    type: "object",
    required: ["number"],
    additionalProperties: false,
    properties: { number: { type: "integer", minimum: 1 } },
};
const CHOICES = [{ id: "proceed", label: "Proceed", action: "proceed" }];
const stage = (/** @type {string} */ id, /** @type {object} */ more) => ({
    id,
    name: id,
    title: id,
    kind: "model",
    prompt: "count.md",
    context: [{ section: "REQUEST", value: "request" }],
    outputSchema: SCHEMA,
    ...more,
});
const COUNTS = {
    slug: "helper",
    name: "Helper",
    description: "Counts.",
    sources: [],
    depthModes: { standard: {} },
    controlFlow: {
        pauseAfterStages: ["first"],
        stages: [
            stage("first", { pause: { editable: true, choices: CHOICES } }),
            stage("second", {}),
            {
                id: "output",
                name: "output",
                title: "Output",
                kind: "render",
                document: { answer: "{'synthesis': 'There are ' ~ outputs.first.number ~ ' lamps.'}" },
            },
        ],
    },
};

/**
 * How each is made; gives what names it. A file that is there is never made again: it is what that version stored.
 * @type {Record<string, (place: Place) => Promise<string>>}
 */
const MADE = {
    "0.1.0-research": async (place) => {
        await place.do(["run", AGENT, "--yes", "--depth", "quick", QUESTION]);
        return (await place.runs())[0].run;
    },
    "0.1.0-follow-up": async (place) => {
        await place.do(["run", AGENT, "--yes", "--depth", "quick", QUESTION]);
        const answers = join(place.work, "answers.json");
        writeFileSync(answers, JSON.stringify([{ text: "Mind small entities." }]));
        await place.do([
            "run",
            AGENT,
            "--yes",
            "--depth",
            "quick",
            "--answers",
            answers,
            "--follow-up",
            "last",
            "And what if there is doubt?",
        ]);
        return (await place.runs())[0].run;
    },
    "0.1.0-corrected": async (place) => {
        const folder = join(place.data, "workspaces", "default", "agents", "helper");
        mkdirSync(join(folder, "prompts"), { recursive: true });
        writeFileSync(
            join(folder, "AGENT.md"),
            "---\nname: Helper\ndescription: Counts.\nsources: []\ntools: []\n---\nCounts.\n",
        );
        writeFileSync(join(folder, "prompts", "count.md"), "Count what the person names.\n");
        writeFileSync(join(folder, "config.json"), JSON.stringify(COUNTS));
        const script = join(place.work, "script.json");
        writeFileSync(
            script,
            JSON.stringify({ answers: [{ text: "About three." }, { json: { number: 3 } }, { json: { number: 4 } }] }),
        );
        const answers = join(place.work, "answers.json");
        writeFileSync(answers, JSON.stringify([{ edit: { number: 5 } }]));
        const env = { env: { AGENTNATIVE_SCRIPT: script } };
        await place.do(
            ["run", "helper", "--connection", "scripted", "--yes", "--answers", answers, "How many lamps?"],
            env,
        );
        return (await place.runs())[0].run;
    },
    "0.1.0-conversation": async (place) => {
        await place.do(["chat", "--connection", "offline", "What is an audit?"]);
        const [{ sessions }] = jsonLines((await place.do(["sessions", "list", "--json"])).stdout);
        const [{ session }] = sessions;
        await place.do(["chat", "--connection", "offline", "--session", session, "And a review?"]);
        return session;
    },
};

if (process.env.UPDATE_GOLDEN_RUNS === "1") {
    test("golden runs that are missing are made", async (context) => {
        mkdirSync(FOLDER, { recursive: true });
        for (const [name, make] of Object.entries(MADE)) {
            const file = join(FOLDER, `${name}.capsule`);
            if (existsSync(file)) continue;
            const place = Place.for(context);
            await place.do(["capsule", "make", await make(place), "-o", file]);
        }
    });
}

test("every golden run is small, holds, and comes out as it is stored", async (context) => {
    const files = readdirSync(FOLDER).filter((name) => name.endsWith(".capsule"));
    assert.deepEqual(
        Object.keys(MADE).filter((name) => !files.includes(`${name}.capsule`)),
        [],
    );
    const place = Place.for(context);
    for (const name of files) {
        const file = join(FOLDER, name);
        assert.ok(statSync(file).size <= LARGEST, `${name} has ${statSync(file).size} bytes`);
        const done = await place.run(["capsule", "verify", file, "--json"]);
        const [report] = jsonLines(done.stdout);
        assert.equal(done.code, 0, `${name}: ${done.stdout}${done.stderr}`);
        assert.deepEqual([report.holds, report.gaps], [true, undefined], name);
        // A conversation is computed again; a run is driven again besides.
        assert.equal(report.redriven, !name.endsWith("-conversation.capsule"), name);
        assert.ok(report.recomputed >= 3, name);
    }
});
