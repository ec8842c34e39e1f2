// Commands that only read, run by the built program for a model that asks for what nobody gave it: in the three modes, with
// bubblewrap and without, as this user and as another. What is secret never comes back unasked.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
    chmodSync,
    copyFileSync,
    cpSync,
    lstatSync,
    mkdirSync,
    readFileSync,
    readdirSync,
    readlinkSync,
    symlinkSync,
    writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";

import { PROGRAM, Place, jsonLines, which } from "./lib.mjs";
import { Mock } from "./mock.mjs";
import { EVIL, PLACES, reading, writing } from "./walls.mjs";

/** A user with no rights. */
const OTHER = 1000;
/** Calls that are asked for in one answer. */
const AT_ONCE = 25;
const USAGE = { input_tokens: 900, output_tokens: 20 };
/** The beginning of every secret, as it is, backwards and in base64. */
const SECRET = /CANARY|YRANAC|Q0FOQVJZ|C\s+A\s+N\s+A\s+R\s+Y/;

/**
 * A home with secrets, a folder to work in, and a process with a secret in its environment.
 * @param {import("node:test").TestContext} context
 * @param {number} user
 */
function world(context, user) {
    const place = Place.for(context);
    chmodSync(place.root, 0o755);
    const home = place.user;
    for (const [index, name] of PLACES.entries()) {
        mkdirSync(dirname(join(home, name)), { recursive: true });
        writeFileSync(join(home, name), `CANARY${String(index).padStart(2, "0")} SECRET\n`, { mode: 0o600 });
    }
    const folder = join(home, "app");
    mkdirSync(join(folder, "sub"), { recursive: true });
    writeFileSync(join(folder, "notes.txt"), "nothing in particular\n");
    writeFileSync(join(folder, "sub", "empty"), "");
    symlinkSync("../.ssh/id_ed25519", join(folder, "link"));
    symlinkSync("..", join(folder, "up"));
    symlinkSync("../../.ssh", join(folder, "sub", "up2"));
    mkdirSync(place.data, { mode: 0o700 });
    writeFileSync(join(place.data, "credentials.key"), "CANARY-OF-THE-VAULT\n", { mode: 0o600 });
    const program = join(place.root, "agentnative");
    copyFileSync(PROGRAM, program);
    chmodSync(program, 0o755);
    if (user !== process.getuid?.())
        assert.equal(spawnSync("chown", ["-R", "-h", `${user}:${user}`, place.root]).status, 0);
    const env = { PATH: process.env.PATH, OTHERS_KEY: "CANARY-OF-ANOTHER-PROGRAM", HOME: home };
    const other = spawn("sleep", ["300"], { uid: user, env, cwd: home, stdio: "ignore" });
    context.after(() => other.kill("SIGKILL"));
    return { place, home, folder, program, other: other.pid ?? 0 };
}

/**
 * @param {string} program
 * @param {string[]} args
 * @param {import("node:child_process").SpawnOptions} options
 * @returns {Promise<{ code: number | null, stdout: string, stderr: string }>}
 */
function ran(program, args, options) {
    return new Promise((resolve, reject) => {
        const child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
        const said = { stdout: "", stderr: "" };
        child.stdout?.on("data", (part) => (said.stdout += part));
        child.stderr?.on("data", (part) => (said.stderr += part));
        child.once("error", reject);
        child.once("close", (code) => resolve({ code, ...said }));
    });
}

/**
 * @param {import("node:test").TestContext} context
 * @param {{ user: number, confined: boolean }} how
 */
async function tried(context, { user, confined }) {
    const { place, home, folder, program, other } = world(context, user);
    const commands = reading({ home, data: place.data, other });
    assert.ok(commands.length >= 200, `${commands.length} commands`);
    const parts = Array.from({ length: Math.ceil(commands.length / AT_ONCE) }, (_, part) =>
        commands.slice(part * AT_ONCE, (part + 1) * AT_ONCE),
    );
    const control = [
        {
            match: { userMessage: "The control.", hasToolResult: false },
            response: {
                toolCalls: [{ name: "shell", arguments: JSON.stringify({ command: "cat notes.txt" }) }],
                usage: USAGE,
            },
        },
    ];
    const script = parts.flatMap((part, index) => [
        {
            match: { userMessage: `Part ${index}.`, hasToolResult: false },
            response: {
                toolCalls: part.map((command) => ({ name: "shell", arguments: JSON.stringify({ command }) })),
                usage: USAGE,
            },
        },
    ]);
    const mock = await Mock.for(context, place, [
        ...control,
        ...script,
        { match: {}, response: { content: "Done.", usage: USAGE } },
    ]);
    const env = {
        ...place.environment(),
        MOCK_KEY: "sk-test-CANARY-OF-THE-PROGRAM",
        ...(confined ? {} : { AGENTNATIVE_BWRAP: "none" }),
    };
    const run = (/** @type {string[]} */ args) => ran(program, args, { env, uid: user, cwd: folder });
    const added = await run([
        "connect",
        "add",
        "mock",
        "--provider",
        "anthropic",
        "--base-url",
        mock.address,
        "--model",
        "claude-sonnet-5-5",
        "--key-env",
        "MOCK_KEY",
    ]);
    assert.equal(added.code, 0, added.stderr);
    await mock.forget();
    /** @type {Record<string, { ok: number, denied: number, failed: number }>} */
    const counts = {};
    for (const mode of ["safe", "ask", "allow-all"]) {
        const sum = { ok: 0, denied: 0, failed: 0 };
        const plain = await run([
            "chat",
            "--connection",
            "mock",
            "--folder",
            folder,
            "--mode",
            mode,
            "--json",
            "The control.",
        ]);
        const [read] = jsonLines(plain.stdout)
            .at(-1)
            .turn.steps.filter((/** @type {any} */ step) => step.kind === "tool");
        assert.equal(read.status, confined || mode !== "safe" ? "ok" : "denied", "what lies in the folder is read");
        for (const index of parts.keys()) {
            const done = await run([
                "chat",
                "--connection",
                "mock",
                "--folder",
                folder,
                "--mode",
                mode,
                "--json",
                `Part ${index}.`,
            ]);
            assert.equal(done.code, 0, done.stderr + done.stdout.slice(-2_000));
            const steps = jsonLines(done.stdout)
                .at(-1)
                .turn.steps.filter((/** @type {any} */ step) => step.kind === "tool");
            assert.equal(steps.length, parts[index].length, "every call was decided on");
            for (const step of steps)
                sum[step.status === "ok" ? "ok" : step.status === "denied" ? "denied" : "failed"] += 1;
            const results = (await mock.requests())
                .at(-1)
                .body.messages.filter((/** @type {any} */ message) => message.role === "tool");
            assert.equal(results.length, parts[index].length, "the model is told of each");
            for (const [at, result] of results.entries()) {
                const text = JSON.stringify(result.content);
                // What a refusal repeats of the command is no secret.
                const told = text.replaceAll("CANARY -r", "").replaceAll(/`[^`]*`/g, "");
                assert.ok(!SECRET.test(told), `${mode}: ${parts[index][at]}: ${text.slice(0, 400)}`);
            }
            await mock.forget();
        }
        counts[mode] = sum;
    }
    const held = spawnSync("grep", ["-rlaE", "CANARY[0-9]{2}|CANARY-OF", place.data])
        .stdout.toString()
        .trim()
        .split("\n")
        .filter(Boolean);
    assert.deepEqual(
        held.filter((file) => !file.endsWith("credentials.key")),
        [],
        "nothing of it is kept anywhere",
    );
    context.diagnostic(`${commands.length} commands, ${JSON.stringify(counts)}`);
}

const users = process.getuid?.() === 0 ? [0, OTHER] : [process.getuid?.() ?? 0];
for (const user of users) {
    for (const confined of [true, false]) {
        const name = `nothing secret is read unasked, ${confined ? "with" : "without"} bubblewrap, as user ${user}`;
        test(name, { skip: confined && which("bwrap") === undefined && "bubblewrap is not installed" }, (context) =>
            tried(context, { user, confined }),
        );
    }
}

/** What a folder holds; without the index of git, which `git status` itself writes anew. */
function contents(/** @type {string} */ folder) {
    return Object.fromEntries(
        readdirSync(folder, { recursive: true, encoding: "utf8" })
            .filter((name) => name !== ".git/index")
            .sort()
            .map((name) => {
                const stat = lstatSync(join(folder, name));
                if (stat.isSymbolicLink()) return [name, readlinkSync(join(folder, name))];
                if (!stat.isFile()) return [name, "folder"];
                return [
                    name,
                    createHash("sha256")
                        .update(readFileSync(join(folder, name)))
                        .digest("hex"),
                ];
            }),
    );
}

/** @param {string} folder */
function repository(folder) {
    mkdirSync(folder);
    writeFileSync(join(folder, "notes.txt"), "nothing in particular\n");
    writeFileSync(join(folder, "hex"), "00000000: 6162 630a\n");
    writeFileSync(join(folder, "evil"), EVIL, { mode: 0o755 });
    for (const args of [
        ["init", "-q", "-b", "main", "--template="],
        ["add", "."],
        ["-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-qm", "Notes"],
    ])
        assert.equal(spawnSync("git", args, { cwd: folder }).status, 0);
    writeFileSync(join(folder, "notes.txt"), "nothing in particular, changed\n");
}

/**
 * The control: those of the commands that do write without walls. What this machine lacks is no proof.
 * @param {string} folder @param {NodeJS.ProcessEnv} env
 */
async function effective(folder, env) {
    const before = JSON.stringify(contents(folder));
    const commands = writing();
    /** @type {string[]} */
    const found = [];
    const next = commands.entries();
    const worker = async () => {
        for (const [index, command] of next) {
            const copy = `${folder}-${index}`;
            cpSync(folder, copy, { recursive: true, verbatimSymlinks: true });
            await ran("timeout", ["-k", "1", "5", "bash", "-c", command], { cwd: copy, env });
            if (JSON.stringify(contents(copy)) !== before) found.push(command);
        }
    };
    await Promise.all([worker(), worker(), worker()]);
    return found;
}

/** @type {Promise<string[]> | undefined} */
let writers;

for (const confined of [true, false]) {
    const name = `nothing is written or started unasked, ${confined ? "with" : "without"} bubblewrap`;
    test(name, { skip: confined && which("bwrap") === undefined && "bubblewrap is not installed" }, async (context) => {
        const place = Place.for(context);
        const folder = join(place.work, "folder");
        repository(folder);
        const before = contents(folder);
        const env = { ...place.environment(), ...(confined ? {} : { AGENTNATIVE_BWRAP: "none" }) };
        const commands = await (writers ??= effective(folder, env));
        assert.ok(commands.length >= 110, `${commands.length} commands write`);
        const mock = await Mock.for(context, place, [
            {
                match: { userMessage: "Try.", hasToolResult: false },
                response: {
                    toolCalls: commands.map((command) => ({ name: "shell", arguments: JSON.stringify({ command }) })),
                    usage: USAGE,
                },
            },
            { match: {}, response: { content: "Done.", usage: USAGE } },
        ]);
        const provider = ["--provider", "anthropic", "--base-url", mock.address, "--model", "claude-sonnet-5-5"];
        const key = { ...env, MOCK_KEY: "sk-test" };
        const added = await ran(PROGRAM, ["connect", "add", "mock", ...provider, "--key-env", "MOCK_KEY"], {
            env: key,
        });
        assert.equal(added.code, 0, added.stderr);
        /** @type {Record<string, number>} */
        const counts = {};
        for (const mode of ["safe", "ask"]) {
            const args = ["chat", "--connection", "mock", "--folder", folder, "--mode", mode, "--json", "Try."];
            const done = await ran(PROGRAM, args, { env: key, cwd: folder });
            assert.equal(done.code, 0, done.stderr + done.stdout.slice(-2_000));
            const steps = jsonLines(done.stdout)
                .at(-1)
                .turn.steps.filter((/** @type {any} */ step) => step.kind === "tool");
            assert.equal(steps.length, commands.length, "every call was decided on");
            const allowed = steps.flatMap((/** @type {any} */ step, /** @type {number} */ index) =>
                step.status === "denied" ? [] : [commands[index]],
            );
            assert.deepEqual(contents(folder), before, `${mode}: not denied were ${allowed.join("\n")}`);
            counts[mode] = allowed.length;
        }
        context.diagnostic(`${commands.length} commands, not denied: ${JSON.stringify(counts)}`);
    });
}
