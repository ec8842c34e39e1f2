// What a turn did to files is undone from the terminal, over a wire-compatible server: by another process than the one that did it.

import assert from "node:assert/strict";
import {
    chmodSync,
    existsSync,
    mkdirSync,
    readFileSync,
    readdirSync,
    renameSync,
    statSync,
    symlinkSync,
    writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { Core } from "./core.mjs";
import { Place, jsonLines, until } from "./lib.mjs";
import { Mock, PROTOCOLS } from "./mock.mjs";

const PROTOCOL = /** @type {{ provider: string, below: string }} */ (
    PROTOCOLS.find(({ provider }) => provider === "anthropic")
);
const USAGE = { input_tokens: 900, output_tokens: 20 };
const ENV = { env: { MOCK_KEY: "sk-test-0123456789-canary" } };

/**
 * A place with a folder, and a model that makes one call in answer to each of these messages.
 * @param {import("node:test").TestContext} context
 * @param {[string, string, object][]} script a message, a tool and its arguments
 */
async function talk(context, script) {
    const place = Place.for(context);
    const folder = join(place.work, "folder");
    mkdirSync(folder);
    const fixtures = script.flatMap(([message, name, args]) => [
        {
            match: { userMessage: message, hasToolResult: false },
            response: { toolCalls: [{ name, arguments: JSON.stringify(args) }], usage: USAGE },
        },
        { match: { userMessage: message, hasToolResult: true }, response: { content: "Done.", usage: USAGE } },
    ]);
    const mock = await Mock.for(context, place, [
        ...fixtures,
        { match: {}, response: { content: "Yes.", usage: USAGE } },
    ]);
    const added = await place.run(
        [
            "connect",
            "add",
            "mock",
            "--provider",
            PROTOCOL.provider,
            "--base-url",
            mock.address + PROTOCOL.below,
            "--model",
            "claude-sonnet-5-5",
            "--key-env",
            "MOCK_KEY",
        ],
        ENV,
    );
    assert.equal(added.code, 0, added.stderr + added.stdout);
    let session = "";
    const chat = async (/** @type {string} */ message) => {
        const more = session === "" ? [] : ["--session", session];
        const done = await place.run(
            ["chat", "--connection", "mock", "--folder", folder, "--mode", "allow-all", "--json", ...more, message],
            ENV,
        );
        assert.equal(done.code, 0, done.stderr + done.stdout);
        const turn = /** @type {any} */ (jsonLines(done.stdout).at(-1)).turn;
        session = turn.head.session;
        return turn.head.run;
    };
    const undo = async (/** @type {string[]} */ ...args) => {
        const done = await place.run(["undo", ...args, "--json"], ENV);
        return { ...done, changes: done.stdout === "" ? undefined : JSON.parse(done.stdout) };
    };
    return { place, folder, chat, undo };
}

test("what was changed and created comes back, mode and all, and is done again", async (context) => {
    const patch =
        "--- a/run.sh\n+++ b/run.sh\n@@ -1,2 +1,2 @@\n #!/bin/sh\n-echo größe\n+echo small\n--- /dev/null\n+++ b/new/deep/notes.txt\n@@ -0,0 +1 @@\n+made\n";
    const { folder, chat, undo } = await talk(context, [["patch", "patch", { patch }]]);
    writeFileSync(join(folder, "run.sh"), "#!/bin/sh\necho größe\n");
    chmodSync(join(folder, "run.sh"), 0o750);
    const turn = await chat("Please patch it");
    assert.match(readFileSync(join(folder, "run.sh"), "utf8"), /small/);
    assert.equal(readFileSync(join(folder, "new/deep/notes.txt"), "utf8"), "made\n");

    const dry = await undo("--dry-run");
    assert.equal(dry.code, 0, dry.stderr);
    assert.deepEqual(
        dry.changes.files.map((/** @type {any} */ file) => [file.shown, file.did, file.standing, file.done]),
        [
            ["run.sh", "changed", "ready", null],
            ["new/deep/notes.txt", "created", "ready", null],
        ],
    );

    const undone = await undo(turn);
    assert.equal(undone.code, 0, undone.stderr + undone.stdout);
    assert.equal(readFileSync(join(folder, "run.sh"), "utf8"), "#!/bin/sh\necho größe\n");
    assert.equal(statSync(join(folder, "run.sh")).mode & 0o777, 0o750);
    assert.ok(!existsSync(join(folder, "new")), "the folders that it made are gone, too");

    const redone = await undo("--redo");
    assert.equal(redone.code, 0, redone.stderr + redone.stdout);
    assert.match(readFileSync(join(folder, "run.sh"), "utf8"), /small/);
    assert.equal(readFileSync(join(folder, "new/deep/notes.txt"), "utf8"), "made\n");
});

test("one turn after the other is undone, the later one first, and never over the person's own work", async (context) => {
    const { place, folder, chat, undo } = await talk(context, [
        ["first", "write", { path: "a.txt", content: "one\n" }],
        ["second", "write", { path: "a.txt", content: "two\n" }],
    ]);
    writeFileSync(join(folder, "a.txt"), "mine\n");
    const first = await chat("The first change");
    const second = await chat("The second change");
    const early = await undo(first);
    assert.equal(early.code, 1);
    assert.deepEqual(
        [early.changes.files[0].standing, early.changes.files[0].by, early.changes.files[0].done],
        ["changed_since", second, false],
    );
    assert.equal(readFileSync(join(folder, "a.txt"), "utf8"), "two\n");
    assert.equal((await undo("last")).changes.run, second);
    assert.equal((await undo("last")).changes.run, first);
    assert.equal(readFileSync(join(folder, "a.txt"), "utf8"), "mine\n");
    assert.equal((await undo("last")).code, 2, "there is nothing left");

    assert.equal((await undo("--redo")).changes.run, first);
    writeFileSync(join(folder, "a.txt"), "one, corrected\n");
    assert.equal((await undo(first)).code, 1);
    assert.equal(readFileSync(join(folder, "a.txt"), "utf8"), "one, corrected\n");
    assert.equal((await undo(first, "a.txt", "--force")).code, 0);
    assert.equal(readFileSync(join(folder, "a.txt"), "utf8"), "mine\n");
    assert.equal((await undo(first, "--redo")).code, 0);
    assert.equal(readFileSync(join(folder, "a.txt"), "utf8"), "one, corrected\n");

    const audit = jsonLines((await place.do(["permissions", "audit", "--json"])).stdout);
    assert.ok(audit.some((row) => row.tool === "undo" && row.by === "the person" && row.subject.endsWith("a.txt")));
});

test("a link that took the file's place leads nowhere, and what a command changed is said not to be known", async (context) => {
    const { place, folder, chat, undo } = await talk(context, [
        ["write", "write", { path: "sub/a.txt", content: "x\n" }],
        ["touch", "shell", { command: "echo y > made.txt" }],
    ]);
    const outside = join(place.work, "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "a.txt"), "x\n");
    const turn = await chat("Please write it");
    renameSync(join(folder, "sub"), join(folder, "moved"));
    symlinkSync(outside, join(folder, "sub"));
    const refused = await undo(turn, "--force");
    assert.equal(refused.code, 1);
    assert.match(refused.changes.files[0].note, /link/);
    assert.deepEqual(readdirSync(outside), ["a.txt"]);
    assert.equal(readFileSync(join(outside, "a.txt"), "utf8"), "x\n");

    const command = await undo(await chat("Please touch it"), "--dry-run");
    assert.deepEqual(command.changes.files, []);
    assert.match(command.changes.notes[0], /not known.*echo y > made\.txt/);
});

test("a replaced message is in no export and not found, and what it did to files can be undone", async (context) => {
    const { place, folder, chat, undo } = await talk(context, [["zebra", "write", { path: "a.txt", content: "x\n" }]]);
    const first = await chat("Tell me something");
    const second = await chat("Write of the zebra");
    const made = join(folder, "a.txt");
    assert.ok(existsSync(made));
    const { session } = JSON.parse((await place.do(["show", first, "--json"])).stdout).head;
    const found = async (/** @type {string} */ word) =>
        JSON.parse((await place.do(["search", word, "--json"])).stdout).sessions.length;
    assert.equal(await found("zebra"), 1);

    const program = place.start(["serve", "--json"], ENV);
    const core = await Core.of(place.data);
    const message = { text: "Tell me more", mentions: [], attachments: [] };
    const { turn } = await core.call("turn_send", { session, message, replaces: second, connection: "mock" });
    const ended = async () => (await core.call("turn_show", { run: turn })).head.status === "completed";
    assert.ok(await until(ended, 30_000));
    const shown = await core.call("session_show", { session, before: null });
    core.end();
    program.kill("SIGTERM");
    await program.ended;

    assert.deepEqual([shown.order, shown.replaced], [[first, turn], [second]]);
    assert.equal(await found("zebra"), 0);
    assert.equal(await found("more"), 1);
    for (const form of ["markdown", "html", "jsonl"]) {
        const file = join(place.work, `exported.${form}`);
        await place.do(["export", session, "--format", form, "-o", file]);
        const text = readFileSync(file, "utf8");
        assert.match(text, /Tell me more/);
        assert.doesNotMatch(text, /zebra/i);
    }
    assert.equal(JSON.parse((await place.do(["show", second, "--json"])).stdout).message.text, "Write of the zebra");
    const undone = await undo("--session", session);
    assert.equal(undone.changes.run, second, undone.stderr);
    assert.ok(!existsSync(made));
});
