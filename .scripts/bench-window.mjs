// What the window promises about speed and size: its start, typing while an answer streams, long sessions, rest and memory.
// Rows have the form of the other benches'. A goal that is missed fails nothing.

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { ROOT } from "./process.mjs";
import { measureUi } from "./ui-size.mjs";

const SESSIONS = 1_000;
/** A question and an answer each: twice as many messages. */
const LONG = 1_000;
const STARTS = 5;
const KEYS = 120;
const MB = 1_048_576;
/** What a window is given to come to rest, in milliseconds. */
const REST = 5_000;

/**
 * @typedef {object} Figure
 * @property {string} bench
 * @property {number} value
 * @property {string} unit
 * @property {number | null} baseline
 * @property {number | null} ratio
 * @property {string | null} goal
 * @property {boolean | null} holds
 */

/**
 * @param {string} bench
 * @param {number} value
 * @param {string} unit
 * @param {{ most?: number, beside?: number }} [compared] `most`: the goal; `beside`: the baseline
 * @returns {Figure}
 */
function figure(bench, value, unit, { most, beside } = {}) {
    const rounded = (/** @type {number} */ number) => Math.round(number * 1_000) / 1_000;
    return {
        bench,
        value: rounded(value),
        unit,
        baseline: beside === undefined ? null : rounded(beside),
        ratio: beside === undefined ? null : rounded(value / beside),
        goal: most === undefined ? null : `<= ${rounded(most)} ${unit}`,
        holds: most === undefined ? null : rounded(value) <= rounded(most),
    };
}

/** @param {Figure} one as the benches print theirs */
function row({ bench, value, unit, baseline, ratio, goal, holds }) {
    const number = (/** @type {number | null} */ given) => (given === null ? "-" : String(given));
    const said = holds === null ? "-" : holds ? "yes" : "NO";
    return `${bench.padEnd(38)} ${String(value).padStart(13)} ${unit.padEnd(13)} ${number(baseline).padStart(12)} ${number(ratio).padStart(8)}  ${(goal ?? "-").padEnd(22)} ${said}`;
}

/**
 * @param {number[]} values
 * @param {number} part such as 0.95
 */
function quantile(values, part) {
    const sorted = [...values].sort((one, other) => one - other);
    return sorted[Math.min(sorted.length - 1, Math.ceil(part * sorted.length) - 1)] ?? 0;
}

/**
 * @param {(figure: Figure) => void} tell
 * @param {string} [only] part of a name
 * @returns {Promise<boolean>} whether everything could be measured
 */
async function measure(tell, only) {
    const { App, DESKTOP_PROGRAM } = await import("../tests/window/app.mjs");
    const { Desktop } = await import("../tests/window/desktop.mjs");
    const { Place, until } = await import("../tests/lib.mjs");
    const { Core } = await import("../tests/core.mjs");
    const wanted = (/** @type {string} */ name) => only === undefined || name.includes(only);
    let whole = true;

    /** Runs one bench; what it can't do is said and the others go on. */
    const attempt = async (/** @type {string[]} */ names, /** @type {() => Promise<Figure[]>} */ bench) => {
        if (!names.some(wanted)) return;
        try {
            for (const one of await bench()) if (wanted(one.bench)) tell(one);
        } catch (error) {
            console.error(`bench ${names[0]}: ${String(error)}`);
            whole = false;
        }
    };

    await attempt(["window.first-screen-js"], () => {
        const { rows } = measureUi();
        return Promise.resolve([
            figure("window.first-screen-js", Math.max(...rows.map(({ script }) => script)), "KB gzip", { most: 300 }),
        ]);
    });
    await attempt(["window.deb"], () => {
        const folder = join(ROOT, "target", "release", "bundle", "deb");
        const built = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".deb")) : [];
        if (built.length === 0) console.error("bench window.deb: there is no package; `npm run package` makes one");
        return Promise.resolve(
            built.map((name) => figure("window.deb", statSync(join(folder, name)).size / MB, "MB", { most: 20 })),
        );
    });
    const live = [
        "window.start",
        "window.long-session",
        "window.long-session-nodes",
        "window.typing-p50",
        "window.typing-p95",
        "window.idle-cpu",
        "window.memory",
        "window.memory-shell",
    ];
    if (!live.some(wanted)) return whole;

    const place = new Place();
    const desktop = await Desktop.start(place);
    const app = new App(place, desktop);
    try {
        const long = await generate(place, Core);
        await attempt(["window.start"], async () => {
            const times = [];
            for (let round = 0; round <= STARTS; round += 1) {
                const page = await app.start();
                const shown = await page.later(LISTED);
                const begun = bornAt(app.pid() ?? 0);
                if (round > 0) times.push(shown - begun);
                await app.close();
            }
            return [figure("window.start", quantile(times, 0.5), "ms", { most: 1_000 })];
        });

        /** @type {{ all: number, shell: number } | undefined} */
        let ours;
        await attempt(["window.idle-cpu", "window.memory", "window.memory-shell"], async () => {
            const page = await app.start();
            await page.later(LISTED);
            await new Promise((resolve) => setTimeout(resolve, REST));
            ours = memory(processes(place, DESKTOP_PROGRAM));
            const before = ticks(processes(place, DESKTOP_PROGRAM));
            await new Promise((resolve) => setTimeout(resolve, 10_000));
            const used = ticks(processes(place, DESKTOP_PROGRAM)) - before;
            await app.close();
            return [figure("window.idle-cpu", used / 10, "% of a core", { most: 1 })];
        });
        await attempt(["window.memory", "window.memory-shell"], async () => {
            if (ours === undefined) throw new Error("the window's own memory is not known");
            const bare = await alone(desktop, place, until);
            return [
                figure("window.memory", ours.all / MB, "MB private", {
                    beside: bare.all / MB,
                    most: bare.all / MB + 100,
                }),
                figure("window.memory-shell", ours.shell / MB, "MB private", {
                    beside: bare.shell / MB,
                    most: bare.shell / MB + 40,
                }),
            ];
        });

        await attempt(["window.long-session", "window.long-session-nodes"], async () => {
            const page = await app.start();
            await page.later(LISTED);
            const times = [];
            let nodes = 0;
            for (let round = 0; round < STARTS; round += 1) {
                await page.go("/settings/about");
                await page.later("() => new Promise((done) => setTimeout(done, 300))");
                const opened = await page.later(OPENED, `/session/${long}`, `Question ${LONG} `);
                times.push(opened.ms);
                nodes = Math.max(nodes, opened.nodes);
            }
            await app.close();
            return [
                figure("window.long-session", quantile(times, 0.5), "ms", { most: 300 }),
                figure("window.long-session-nodes", nodes, "elements", { most: 2_000 }),
            ];
        });

        await attempt(["window.typing-p50", "window.typing-p95"], async () => {
            const times = await typing(app, desktop);
            return [
                figure("window.typing-p50", quantile(times, 0.5), "ms"),
                figure("window.typing-p95", quantile(times, 0.95), "ms", { most: 50 }),
            ];
        });
    } finally {
        desktop.end();
        await place.end();
    }
    return whole;
}

/** In the page: when the list of sessions was painted, by the clock of the machine. */
const LISTED = `() => new Promise((done) => {
    const look = () => document.querySelectorAll("[role=option], [role=treeitem]").length > 5
        ? requestAnimationFrame(() => setTimeout(() => done(Date.now()), 0)) : requestAnimationFrame(look);
    look();
})`;

/** In the page: how long a session takes from the click on its link until its newest question is painted. */
const OPENED = `(path, text) => new Promise((done) => {
    const begin = performance.now();
    location.hash = path;
    const look = () => (document.querySelector("main")?.innerText ?? "").includes(text)
        ? requestAnimationFrame(() => setTimeout(() => done({ ms: performance.now() - begin, nodes: document.querySelectorAll("*").length }), 0)) : requestAnimationFrame(look);
    requestAnimationFrame(look);
})`;

/**
 * Fills a data directory with many sessions, and one with many messages.
 * @param {import("../tests/lib.mjs").Place} place
 * @param {typeof import("../tests/core.mjs").Core} Core
 * @returns {Promise<string>} the long session
 */
async function generate(place, Core) {
    const folder = join(place.data, "workspaces", "default", "agents", "note");
    mkdirSync(join(folder, "prompts"), { recursive: true });
    const stage = {
        id: "s1",
        name: "s1",
        title: "Write",
        kind: "model",
        prompt: "write.md",
        context: [{ section: "REQUEST", value: "request" }],
    };
    writeFileSync(
        join(folder, "config.json"),
        JSON.stringify({ slug: "note", name: "Note", description: "One answer.", controlFlow: { stages: [stage] } }),
    );
    writeFileSync(
        join(folder, "AGENT.md"),
        "---\nname: Note\ndescription: One answer.\nsources: []\n---\n\nFor measuring.\n",
    );
    writeFileSync(join(folder, "prompts", "write.md"), "Write.\n");
    const script = join(place.work, "script.json");
    writeFileSync(
        script,
        JSON.stringify({
            default: {
                text: "A paragraph of an answer that somebody would read, with a list:\n\n- one thing\n- another thing\n\nAnd a last sentence.",
            },
        }),
    );
    const server = place.start(["serve", "--json"], { env: { AGENTNATIVE_SCRIPT: script }, seconds: 900 });
    const core = await Core.of(place.data);
    await core.call("settings_update", { welcomed: true });
    const ended = async (/** @type {string} */ run) => {
        while (["running", "interrupted"].includes((await core.begun(run)).status))
            await new Promise((resolve) => setTimeout(resolve, 2));
    };
    const begin = (/** @type {string} */ request, /** @type {string | null} */ session = null) =>
        core.call("run_start", {
            agent: "note",
            request,
            session,
            connection: "scripted",
            attend: { replies: [], unattended: true },
        });
    // Some at a time: each waits for the disk, not for the others.
    for (let first = 1; first <= SESSIONS; first += 8) {
        await Promise.all(
            Array.from({ length: Math.min(8, SESSIONS + 1 - first) }, async (_, index) =>
                ended(await begin(`Question ${first + index} of many: what must be documented, and by whom?`)),
            ),
        );
    }
    const opening = await begin("Question 1 of a long talk");
    await ended(opening);
    const { session } = await core.run(opening);
    for (let number = 2; number <= LONG; number += 1)
        await ended(await begin(`Question ${number} of a long talk`, session));
    core.end();
    server.kill("SIGTERM");
    await server.ended;
    return session;
}

/** When a process began, by the clock of the machine in milliseconds. */
function bornAt(/** @type {number} */ pid) {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
    const uptime = Number(readFileSync("/proc/uptime", "utf8").split(" ")[0]);
    return Date.now() - (uptime * 1_000 - Number(fields[19]) * 10);
}

/**
 * The processes of a window: the program and what WebKit started for it.
 * @param {import("../tests/lib.mjs").Place} place
 * @param {string} program
 */
function processes(place, program) {
    return place
        .processes()
        .filter(({ command }) => command.split(" ")[0] === program || /WebKit(?:Network|Web|GPU)Process/.test(command))
        .map(({ pid, command }) => ({ pid, shell: command.split(" ")[0] === program }));
}

/** Private bytes of processes together. */
function memory(/** @type {{ pid: number, shell: boolean }[]} */ all) {
    const sum = { all: 0, shell: 0 };
    for (const { pid, shell } of all) {
        const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
        const bytes = [...text.matchAll(/^Private_(?:Clean|Dirty):\s+(\d+) kB/gm)].reduce(
            (before, hit) => before + Number(hit[1]) * 1_024,
            0,
        );
        sum.all += bytes;
        if (shell) sum.shell += bytes;
    }
    return sum;
}

/** Hundredths of a second that processes have worked. */
function ticks(/** @type {{ pid: number }[]} */ all) {
    return all.reduce((sum, { pid }) => {
        const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
        return sum + Number(fields[11]) + Number(fields[12]);
    }, 0);
}

/**
 * A bare window on the same desktop.
 * @param {import("../tests/window/desktop.mjs").Desktop} desktop
 * @param {import("../tests/lib.mjs").Place} place
 * @param {typeof import("../tests/lib.mjs").until} until
 */
async function alone(desktop, place, until) {
    const program = join(process.env.CARGO_TARGET_DIR ?? join(ROOT, "target"), "release", "examples", "bare");
    if (!existsSync(program))
        throw new Error(
            `there is no ${program}: \`cargo build --release -p agentnative-desktop --example bare\` makes it`,
        );
    const child = spawn(program, [], { cwd: place.work, env: desktop.env, stdio: "ignore" });
    try {
        if (!(await until(() => desktop.xdotool("search", "--onlyvisible", "--name", "^bare$") !== "", 15_000)))
            throw new Error("the bare window did not open");
        await new Promise((resolve) => setTimeout(resolve, REST));
        return memory(processes(place, program));
    } finally {
        child.kill("SIGKILL");
        await until(() => processes(place, program).length === 0, 5_000);
    }
}

/**
 * Keys struck while answers stream at 500 tokens a second: from the key until the second frame after it.
 * @param {import("../tests/window/app.mjs").App} app
 * @param {import("../tests/window/desktop.mjs").Desktop} desktop
 */
async function typing(app, desktop) {
    const page = await app.start({ env: { AGENTNATIVE_OFFLINE_PACE: "500" } });
    const core = await app.core();
    desktop.xdotool("windowfocus", await desktop.window());
    await page.run(() => {
        /** @type {any} */ (window).__frames = [];
        document.addEventListener("input", () =>
            requestAnimationFrame(() =>
                requestAnimationFrame(() => /** @type {any} */ (window).__frames.push(Date.now())),
            ),
        );
    });
    // One that stays: starting a program for each key would be measured too.
    const keyboard = spawn("xdotool", ["-"], { env: desktop.env, stdio: ["pipe", "ignore", "inherit"] });
    /** @type {number[]} */
    const times = [];
    for (let round = 0; times.length < KEYS && round < 40; round += 1) {
        const request = `What must the auditor do about fraud, estimates and going concern? (${round})`;
        const run = await core.call("run_start", {
            agent: "isa-deep-research",
            request,
            depth: "deep",
            attend: { replies: [], unattended: true },
        });
        const { session } = await core.begun(run);
        await page.go(`/session/${session}`);
        const field = await page.find("textbox", /guidance|question/i);
        await field.click();
        await page.run(() => {
            /** @type {any} */ (window).__frames = [];
        });
        /** @type {number[]} */
        const struck = [];
        // Only while text arrives: that is what could be in the way. The page itself is left alone meanwhile.
        while (
            (await core.run(run)).stages.some(
                (/** @type {any} */ stage) => stage.kind === "model" && stage.phase === "running",
            )
        ) {
            struck.push(Date.now());
            keyboard.stdin.write("key a\n");
            await new Promise((resolve) => setTimeout(resolve, 120 + 30 * (struck.length % 3)));
        }
        await new Promise((resolve) => setTimeout(resolve, 500));
        const frames = /** @type {number[]} */ (await page.run(() => /** @type {any} */ (window).__frames));
        // A key that met no field, or two in one frame: nothing can be said about such a round.
        if (frames.length === struck.length) times.push(...frames.map((frame, index) => frame - struck[index]));
    }
    keyboard.kill("SIGKILL");
    await app.quit();
    if (times.length < KEYS / 2) throw new Error(`only ${times.length} keys met a streaming answer`);
    return times;
}

/**
 * Measures the window and prints a row a figure.
 * @param {{ json: boolean, only?: string }} options
 * @returns {Promise<boolean>} whether everything could be measured
 */
export function benchWindow({ json, only }) {
    return measure((one) => console.log(json ? JSON.stringify(one) : row(one)), only);
}
