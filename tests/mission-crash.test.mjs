// Real kills of a whole mission at 24 points, and from each the same report: nothing that ended is done again.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { Flavour, firstKill, orphans } from "./crash.mjs";
import { Place, jsonLines, which } from "./lib.mjs";

const KILLS = 24;
/** Missions at a time. */
const PARALLEL = 2;

/** A mission without a model, over a knowledge base that is there. */
class Mission extends Flavour {
    report = "";
    /** @type {string[]} what agents were given, in order */
    invocations = [];

    command() {
        const ask = "What is materiality? How are risks of fraud identified? Format: table of statements";
        return ["mission", "start", "general-research", ask, "--corpus", "isa-primer", "--yes"];
    }

    async measurePlain() {
        const place = this.place();
        try {
            const plain = await place.do([...this.command(), "--json"]);
            const lines = jsonLines(plain.stdout);
            this.lines = lines.length;
            this.ms = plain.ms;
            this.report = readFileSync(lines.at(-1).report, "utf8");
            this.invocations = given(await shown(place));
        } finally {
            await place.end();
        }
    }
}

/** @param {Place} place @returns {Promise<any>} the newest mission; nothing where none was committed */
async function shown(place) {
    const { code, stdout } = await place.run(["mission", "show", "--json"]);
    return code === 0 ? JSON.parse(stdout) : undefined;
}

/** @param {any} mission @returns {string[]} */
const given = (mission) =>
    mission.invocations.map((/** @type {any} */ one) => `${one.key} ${one.agent} ${one.task} ${one.status}`);

/**
 * @param {Mission} mission
 * @param {Parameters<typeof firstKill>[1][]} ways tried in order until one of them comes before the end
 * @param {string} strace
 */
async function killed(mission, ways, strace) {
    for (const way of ways) {
        const place = mission.place();
        if ((await firstKill(place, way, strace)).killed) return { place, where: `${way.how} ${way.at}` };
        await place.end();
    }
    throw new Error("the mission ended before every kill");
}

test("a mission that is killed at 24 points goes on to the same bytes and repeats nothing", async (context) => {
    const shared = Place.for(context);
    await shared.research();
    // An empty database: kills then land on the mission's own commits rather than on the database's making.
    const empty = join(shared.root, "empty");
    await shared.do(["runs"], { env: { AGENTNATIVE_HOME: empty } });
    const begin = [join(shared.data, "knowledge"), join(empty, "agentnative.db")];
    const mission = new Mission("mission", [], {}, begin);
    const strace = which("strace");
    await mission.measure(strace);
    // Commits group themselves otherwise each time: where an fsync no longer comes, the kill comes at an earlier moment.
    const points = Array.from({ length: KILLS }, (_, at) => {
        const share = (at + 0.5) / KILLS;
        const fsync = {
            how: /** @type {const} */ ("fsync"),
            at: 1 + Math.floor(share * mission.syncs),
            flavour: mission,
        };
        const earlier = [0.8, 0.5, 0.2].map((part) => ({
            how: /** @type {const} */ ("time"),
            at: share * part,
            flavour: mission,
        }));
        return strace === undefined ? earlier : [fsync, ...earlier];
    });
    let [resumed, nothing] = [0, 0];
    const worker = async () => {
        for (let ways = points.shift(); ways !== undefined; ways = points.shift()) {
            const { place, where } = await killed(mission, ways, strace ?? "");
            try {
                assert.equal(await orphans(place), undefined, where);
                const before = await shown(place);
                if (before === undefined) {
                    nothing += 1;
                    continue;
                }
                const ended = before.invocations.filter((/** @type {any} */ one) => one.status === "done");
                if (before.status !== "completed") {
                    const again = await place.run(["mission", "resume", "--yes", "--json"]);
                    assert.equal(again.code, 0, `${where}: ${again.stderr}`);
                }
                const after = await shown(place);
                assert.equal(after.status, "completed", where);
                assert.equal(readFileSync(after.report, "utf8"), mission.report, where);
                assert.deepEqual(given(after), mission.invocations, where);
                for (const { key, run, tokens } of ended) {
                    const same = after.invocations.find((/** @type {any} */ one) => one.key === key);
                    assert.deepEqual([same.run, same.tokens], [run, tokens], `${where}: ${key} was done again`);
                }
                resumed += 1;
            } finally {
                await place.end();
            }
        }
    };
    await Promise.all(Array.from({ length: PARALLEL }, worker));
    context.diagnostic(`${resumed} missions went on, ${nothing} had committed nothing`);
    assert.ok(resumed > nothing, `${resumed} went on, ${nothing} had committed nothing`);
});
