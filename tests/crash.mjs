// Kills the program for real and resumes: `node tests/crash.mjs` with CRASHES kills (default 60), of one flavour alone, at each of its
// fsyncs, with CRASH_FLAVOUR ("memorandum").
//
// A kill lands at a chosen fsync or write of the database by strace, or at a random event or time. It only counts where the
// program's own process was proven dead by SIGKILL. After each, what the log held must lead to the same document, byte for byte.

import { cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

import { Seat } from "../.scripts/seat.mjs";
import { AGENT, Place, QUESTION, calls, document, jsonLines, until, which } from "./lib.mjs";
import { dealRoom } from "./deal-room.mjs";
import { mender, repository } from "./task-project.mjs";

/** Kills at a time; the machines that run this have two cores. */
const PARALLEL = 2;
/** How many of the fsyncs of a memorandum are tried where not all of them are: it takes as long as many other runs. */
const SAMPLED = 2;
/** How long children may outlive a kill. */
const GRACE_MS = 3_000;

/**
 * @typedef {"fsync" | "write" | "event" | "time" | "twice"} How
 * @typedef {{ how: How, at: number, flavour: Flavour }} Point where a kill lands; for `event`, `time` and `twice` a share of the run
 * @typedef {{ kills: number, misses: number, before: number, resumed: number, unknown: number, byHow: Record<string, number>,
 *   failures: string[], notes: string[], seconds: number }} Report
 */

/** One way of running the agent, and what it gives when nobody kills it. */
export class Flavour {
    /** The most calls that one thread makes, by system call. */
    syncs = 0;
    writes = 0;
    lines = 0;
    ms = 0;
    /** Whether its model calls stand in the run's own log, rather than in those of its turns. */
    logsCalls = true;
    markdown = "";
    html = "";

    /**
     * @param {string} name
     * @param {string[]} args
     * @param {Record<string, string>} env
     * @param {string[]} begin files and folders that are in the data directory beforehand
     */
    constructor(name, args, env, begin) {
        this.name = name;
        this.args = args;
        this.env = env;
        this.begin = begin;
    }

    /** @returns {Place} with what a run of this flavour begins with */
    place() {
        const place = new Place();
        mkdirSync(place.data);
        for (const path of this.begin) cpSync(path, join(place.data, basename(path)), { recursive: true });
        return place;
    }

    /** @returns {string[]} the command line that starts the run, in the working folder of its place */
    command() {
        return ["run", AGENT, "--yes", QUESTION, ...this.args];
    }

    /**
     * What must hold when a run has ended.
     * @param {Place} place
     * @returns {Promise<void>}
     */
    check(place) {
        const left = readdirSync(place.work);
        return left.length === 0
            ? Promise.resolve()
            : Promise.reject(new Error(`files in the working folder: ${left.join(", ")}`));
    }

    /** @param {{ stdout: string }} ended whose last line names the document */
    written(ended) {
        const { markdown, html } = document(ended);
        return { markdown, html };
    }

    /** @param {string | undefined} strace */
    async measure(strace) {
        const place = this.place();
        try {
            const log = join(place.temp, "trace");
            if (strace !== undefined) {
                await place.do(this.command(), {
                    env: this.env,
                    through: [strace, "-f", "-qq", "-e", "trace=fsync,fdatasync,pwrite64", "-o", log],
                });
                const trace = readFileSync(log, "utf8");
                this.syncs = busiest(trace, /^(\d+)\s+f(?:data)?sync\(/gm);
                this.writes = busiest(trace, /^(\d+)\s+pwrite64\(/gm);
            }
        } finally {
            await place.end();
        }
        await this.measurePlain();
    }

    /** Runs it once without a kill. */
    async measurePlain() {
        const place = this.place();
        try {
            const plain = await place.do([...this.command(), "--json"], { env: this.env });
            const lines = jsonLines(plain.stdout);
            this.lines = lines.length;
            this.ms = plain.ms;
            Object.assign(this, this.written({ stdout: lines.at(-1).document }));
        } finally {
            await place.end();
        }
    }
}

/** A coding task: a worktree, an edit and the project's checks, by a model that answers by what it is shown. */
class Coding extends Flavour {
    logsCalls = false;

    command() {
        return ["run", "code-task", "--yes", "--input", "task.json", ...this.args];
    }

    place() {
        const place = super.place();
        repository(place);
        return place;
    }

    measure() {
        return this.measurePlain();
    }

    /** @param {Place} place */
    async check(place) {
        const { task, attempts } = JSON.parse((await place.do(["task", "show", "fix-the-sum", "--json"])).stdout);
        if (attempts.length !== 1 || attempts[0].verdict !== "passed")
            throw new Error(`the task has ${attempts.length} attempts, the first: ${attempts[0]?.verdict}`);
        const mended = readFileSync(join(task.attempts[0].folder, "sum.sh"), "utf8");
        if (mended !== "echo $(($1 + $2))\n") throw new Error(`the change was made otherwise: ${mended}`);
        const others = readdirSync(join(place.data, "worktrees"));
        if (others.length !== 1) throw new Error(`worktrees of ${others.join(", ")}`);
    }
}

/** A memorandum of many runs, from a folder of documents; every state file that is there fits its schema. */
class Memorandum extends Flavour {
    // The calls stand in the logs of its parts.
    logsCalls = false;

    command() {
        return ["run", "deal-memorandum", "--yes", "--input", "deal.json", ...this.args];
    }

    place() {
        const place = super.place();
        dealRoom(place.work);
        return place;
    }

    /** @param {{ stdout: string }} ended */
    written({ stdout }) {
        return { markdown: readFileSync(stdout.trimEnd().split("\n").at(-1) ?? "", "utf8"), html: "" };
    }

    /** @param {Place} place */
    async check(place) {
        const session = join(place.data, "sessions", (await place.runs())[0].session);
        const all = readdirSync(session, { recursive: true, encoding: "utf8" });
        const edited = all.filter((path) => /\.changed(-\d+)?$/.test(path));
        if (edited.length > 0) throw new Error(`a kill was taken for an edit: ${edited.join(", ")}`);
        const states = all
            .filter((path) => /-state(-IV-[A-J])?\.(json|md)$/.test(path) && !/^(runs|data)\//.test(path))
            .map((path) => join(session, path));
        if (states.length !== 20) throw new Error(`${states.length} state files: ${states.join(", ")}`);
        await place.do(["schema", "check", ...states]);
    }
}

/**
 * @param {string} trace
 * @param {RegExp} pattern
 * @returns {number} how often the thread that calls most does: strace counts by thread
 */
function busiest(trace, pattern) {
    /** @type {Map<string, number>} */
    const counts = new Map();
    for (const [, thread] of trace.matchAll(pattern)) counts.set(thread, (counts.get(thread) ?? 0) + 1);
    return Math.max(0, ...counts.values());
}

/**
 * A source of chance that gives the same numbers for the same seed.
 * @param {number} seed
 * @returns {() => number} between 0 and 1
 */
function chance(seed) {
    let state = seed >>> 0;
    return () => {
        state = (state + 0x6d2b79f5) >>> 0;
        let mixed = Math.imul(state ^ (state >>> 15), state | 1);
        mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
        return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    };
}

/**
 * @param {number} total kills
 * @param {{ seed?: number, say?: (line: string) => void }} [options]
 * @returns {Promise<Report>}
 */
export async function crash(total, { seed = 1, say = () => undefined } = {}) {
    const begin = performance.now();
    /** @type {Report} */
    const report = {
        kills: 0,
        misses: 0,
        before: 0,
        resumed: 0,
        unknown: 0,
        byHow: {},
        failures: [],
        notes: [],
        seconds: 0,
    };
    const strace = which("strace");
    if (strace === undefined)
        report.notes.push("skipped: kills at every fsync (strace is not installed); only random events and times");
    const shared = new Place();
    const seat = await Seat.start({ folder: join(shared.root, "seat"), answer: mender });
    try {
        const flavours = await prepare(shared, seat, strace);
        const points = pointsOf(flavours, strace !== undefined, chance(seed));
        report.notes.push(
            ...flavours.map(
                ({ name, syncs, writes, lines, ms }) =>
                    `${name}: ${syncs} fsyncs, ${writes} writes, ${lines} lines of events, ${Math.round(ms)} ms`,
            ),
        );
        let told = performance.now();
        const worker = async () => {
            while (report.kills < total && report.misses < total + 100 && report.failures.length < 10) {
                const point = points.next();
                if (point.done === true) return;
                await killAt(point.value, strace ?? "", report);
                if (performance.now() - told > 5_000) {
                    told = performance.now();
                    say(
                        `${report.kills} of ${total} kills, ${report.failures.length} failures, ${Math.round((told - begin) / 1_000)} s`,
                    );
                }
            }
        };
        await Promise.all(Array.from({ length: PARALLEL }, worker));
    } finally {
        await seat.stop();
        await shared.end();
    }
    if (report.kills < total && report.failures.length === 0) {
        report.failures.push(`only ${report.kills} of ${total} kills were proven; ${report.misses} came too late`);
    }
    report.seconds = (performance.now() - begin) / 1_000;
    return report;
}

/**
 * @param {Place} shared
 * @param {Seat} seat
 * @param {string | undefined} strace
 */
async function prepare(shared, seat, strace) {
    const whole = await shared.research();
    const outputs = JSON.parse((await shared.do(["show", "--outputs"])).stdout);
    const script = join(shared.root, "script.json");
    const answer = (/** @type {string} */ match, /** @type {any} */ json) => ({
        match,
        json,
        chunks: 8,
        delayMs: 60,
        usage: { input: 1_000, output: 1_000 },
    });
    writeFileSync(
        script,
        JSON.stringify({
            price: { input: 3, output: 15 },
            answers: [
                answer("<CORPUS_OUTLINE", outputs.analyze_query),
                answer("<GAPS", { replacements: [] }),
                answer("<ISA_CONTEXT", outputs.synthesize),
            ],
        }),
    );
    const knowledge = join(shared.data, "knowledge");
    // An empty database: kills then land on the run's own commits rather than on the database's making.
    await shared.do(["runs"], { env: { AGENTNATIVE_HOME: join(shared.root, "empty") } });
    const empty = join(shared.root, "empty", "agentnative.db");
    const connected = join(shared.root, "connected");
    const add = ["connect", "add", "seat", "--provider", "anthropic", "--base-url", seat.address];
    await shared.do([...add, "--model", seat.model, "--no-key", "--no-test"], { env: { AGENTNATIVE_HOME: connected } });
    const coding = ["--connection", "seat", "--depth", "L1", "--mode", "allow-all"];
    const flavours = [
        new Flavour("offline", [], {}, [knowledge]),
        new Flavour("slow and priced", ["--connection", "scripted"], { AGENTNATIVE_SCRIPT: script }, [
            knowledge,
            empty,
        ]),
        new Flavour("fresh home", [], {}, []),
        new Coding(
            "coding task",
            coding,
            {},
            readdirSync(connected).map((name) => join(connected, name)),
        ),
        new Memorandum("memorandum", ["--depth", "outline"], {}, []),
    ];
    for (const flavour of flavours) {
        await flavour.measure(strace);
        if (flavour instanceof Coding || flavour instanceof Memorandum) continue;
        if (flavour.markdown !== whole.markdown || flavour.html !== whole.html)
            throw new Error(`${flavour.name}: another document without any kill`);
    }
    return flavours;
}

/**
 * Every fsync of every flavour first, of a memorandum some, then what chance brings, for ever.
 * @param {Flavour[]} flavours
 * @param {boolean} traced
 * @param {() => number} random
 * @returns {Generator<Point, void>}
 */
function* pointsOf(flavours, traced, random) {
    const [alone] = flavours.filter(({ name }) => name === process.env.CRASH_FLAVOUR);
    if (alone !== undefined) {
        for (let at = 1; traced && at <= alone.syncs; at += 1) yield { how: "fsync", at, flavour: alone };
        for (;;) {
            const how = /** @type {How} */ (["event", "time", "twice"][Math.floor(random() * 3)]);
            yield { how, at: random(), flavour: alone };
        }
    }
    if (traced) {
        for (const flavour of flavours.slice(0, 2)) {
            for (let at = 1; at <= flavour.syncs; at += 1) yield { how: "fsync", at, flavour };
        }
        // One of each stretch of it, others with each seed.
        const [memorandum] = flavours.slice(4);
        for (let part = 0; part < SAMPLED; part += 1)
            yield {
                how: "fsync",
                at: 1 + Math.floor(((part + random()) / SAMPLED) * memorandum.syncs),
                flavour: memorandum,
            };
    }
    /** @type {How[]} */
    const ways = traced ? ["event", "time", "twice", "write", "event", "twice", "write"] : ["event", "time", "twice"];
    for (let turn = 0; ; turn += 1) {
        if (turn % 4 === 3) {
            const how = /** @type {How} */ (["event", "time", "twice"][Math.floor(random() * 3)]);
            // A memorandum takes as long as many others.
            yield { how, at: random(), flavour: turn % 16 === 15 ? flavours[4] : flavours[3] };
            continue;
        }
        const how = ways[turn % ways.length];
        const slow = how === "event" || how === "twice" ? 0.8 : 0.4;
        const flavour = random() < slow ? flavours[1] : random() < 0.7 ? flavours[0] : flavours[2];
        yield { how, at: how === "write" ? 1 + Math.floor(random() * flavour.writes) : random(), flavour };
    }
}

/**
 * @param {Point} point
 * @param {string} strace
 * @param {Report} report
 */
async function killAt(point, strace, report) {
    const place = point.flavour.place();
    try {
        const { killed, seen } = await firstKill(place, point, strace);
        if (!killed) {
            report.misses += 1;
            return;
        }
        report.kills += 1;
        report.byHow[point.how] = (report.byHow[point.how] ?? 0) + 1;
        const left = await orphans(place);
        if (left !== undefined) throw new Error(left);
        await recover(place, point, seen, report);
    } catch (error) {
        const { how, at, flavour } = point;
        report.failures.push(
            `${flavour.name}, ${how} ${at}: ${error instanceof Error ? error.message : String(error)}`,
        );
    } finally {
        await place.end();
    }
}

/**
 * @param {Place} place
 * @param {Point} point
 * @param {string} strace
 * @returns {Promise<{ killed: boolean, seen: number }>} `seen`: the last committed event that the program told of
 */
export async function firstKill(place, { how, at, flavour }, strace) {
    const args = [...flavour.command(), "--json"];
    if (how === "fsync" || how === "write") {
        const calls = how === "fsync" ? "fsync,fdatasync" : "pwrite64";
        const through = [
            strace,
            "-f",
            "-qq",
            "-e",
            `trace=${calls}`,
            "-e",
            `inject=${calls}:signal=KILL:when=${at}`,
            "-o",
            join(place.temp, "trace"),
        ];
        const ended = await place.run(args, { env: flavour.env, through });
        return { killed: ended.signal === "SIGKILL" || ended.code === 137, seen: committed(ended.stdout) };
    }
    const started = place.start(args, { env: flavour.env });
    await moment(started, how === "time" ? { ms: at * flavour.ms } : { lines: Math.floor(at * flavour.lines) });
    started.kill("SIGKILL");
    const ended = await started.ended;
    return { killed: ended.signal === "SIGKILL", seen: committed(ended.stdout) };
}

/**
 * @param {import("./lib.mjs").Started} started
 * @param {{ ms?: number, lines?: number }} when
 */
async function moment(started, { ms, lines }) {
    const begin = performance.now();
    await new Promise((resolve) => {
        const look = () => {
            const reached = ms !== undefined ? performance.now() - begin >= ms : started.lines >= (lines ?? 0);
            if (reached || started.end !== undefined) resolve(undefined);
            else setTimeout(look, 1);
        };
        look();
    });
}

/**
 * @param {string} stdout of `--json`, perhaps torn
 * @returns {number} the last committed event's number
 */
function committed(stdout) {
    const whole = stdout.slice(0, stdout.lastIndexOf("\n") + 1);
    return Math.max(
        0,
        ...jsonLines(whole)
            .filter((line) => line.kind === "event")
            .map((line) => line.record.seq),
    );
}

/**
 * @param {Place} place
 * @returns {Promise<string | undefined>} what is left over
 */
export async function orphans(place) {
    const gone = await until(() => place.processes().length === 0, GRACE_MS);
    return gone
        ? undefined
        : `survived the kill: ${place
              .processes()
              .map(({ pid, command }) => `${pid} ${command}`)
              .join("; ")}`;
}

/**
 * @param {Place} place
 * @param {Point} point
 * @param {number} seen
 * @param {Report} report
 */
async function recover(place, { how, at, flavour }, seen, report) {
    const resume = ["resume", "--last", "--yes"];
    let before = seen;
    if (how === "twice") {
        const second = place.start([...resume, "--json"], { env: flavour.env });
        await moment(second, { lines: Math.floor(((at * 7) % 1) * flavour.lines) });
        second.kill("SIGKILL");
        const ended = await second.ended;
        before = Math.max(before, committed(ended.stdout));
        if (ended.signal === "SIGKILL") report.kills += 1;
        const left = await orphans(place);
        if (left !== undefined) throw new Error(left);
    }
    const ended = await place.run(resume, { env: flavour.env });
    const runs = await place.runs();
    if (runs.length === 0) {
        if (before > 0) throw new Error(`event ${before} was told of, but the log is empty`);
        if (ended.code !== 4 || !/nothing to resume|there is no run yet/.test(ended.stderr))
            throw new Error(`nothing was committed, yet resume ended with ${ended.code}: ${ended.stderr}`);
        if (readdirSync(place.data).includes("sessions"))
            throw new Error("nothing was committed, yet there are files of a session");
        report.before += 1;
        return;
    }
    if (ended.code !== 0) throw new Error(`after event ${before} resume ended with ${ended.code}: ${ended.stderr}`);
    const written = flavour.written(ended);
    if (written.markdown !== flavour.markdown) throw new Error("another Markdown document");
    if (written.html !== flavour.html) throw new Error("another HTML document");
    await flavour.check(place);
    const events = await place.events();
    if (events.length < before) throw new Error(`event ${before} was told of, but the log has only ${events.length}`);
    const unknown = [...calls(events).values()]
        .filter((call) => call.kind === "model" && flavour.logsCalls)
        .reduce((sum, call) => sum + call.unknown, 0);
    const state = await place.state();
    if (state.maybePaidTwice !== unknown)
        throw new Error(
            `${unknown} model calls were interrupted, ${state.maybePaidTwice} are shown as possibly paid twice`,
        );
    if (unknown > 0) {
        const { stdout } = await place.do(["show"]);
        if (!stdout.includes("interrupted calls may have cost"))
            throw new Error(`show does not tell of ${unknown} calls that may be paid twice`);
    }
    report.unknown += unknown;
    report.resumed += 1;
    const left = await orphans(place);
    if (left !== undefined) throw new Error(left);
}

/**
 * @param {Report} report
 * @returns {string} for a person
 */
export function told(report) {
    const { kills, misses, before, resumed, unknown, byHow, notes, seconds } = report;
    const ways = Object.entries(byHow)
        .map(([how, number]) => `${number} ${how}`)
        .join(", ");
    return [
        ...notes,
        `${kills} proven kills (${ways}) in ${seconds.toFixed(1)} s; ${misses} came too late and do not count`,
        `${resumed} runs resumed to the same bytes, ${before} had committed nothing; ${unknown} model calls were interrupted in flight and shown so`,
    ].join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
    const report = await crash(Number(process.env.CRASHES ?? 60), {
        seed: Number(process.env.CRASH_SEED ?? Date.now() % 2 ** 31),
        say: (line) => console.error(line),
    });
    console.log(told(report));
    report.failures.forEach((failure) => console.log(`FAILED ${failure}`));
    process.exitCode = report.failures.length === 0 ? 0 : 1;
}
