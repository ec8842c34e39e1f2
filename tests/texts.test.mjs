// The texts that a terminal shows, compared with files in `texts/`: the help of every command, and a first session with the
// offline engine. After a wanted change, UPDATE_TEXTS=1 node --test tests/texts.test.mjs writes the files anew; read the diff.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { AGENT, Place, QUESTION } from "./lib.mjs";

const TEXTS = join(dirname(fileURLToPath(import.meta.url)), "texts");
const UPDATE = process.env.UPDATE_TEXTS === "1";

/** Help texts read at once. */
const AT_ONCE = 4;

/**
 * @param {string} name of the file
 * @param {string} text
 */
function assertIsFile(name, text) {
    const file = join(TEXTS, name);
    if (UPDATE) {
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, text);
    }
    const expected = existsSync(file) ? readFileSync(file, "utf8") : "";
    assert.equal(text, expected, `texts/${name} says something else; UPDATE_TEXTS=1 writes it anew`);
}

/**
 * @param {string} help
 * @returns {string[]} the subcommands that it lists
 */
function subcommands(help) {
    const list = /^Commands:\n((?: {2}.*\n)+)/m.exec(help)?.[1] ?? "";
    return [...list.matchAll(/^ {2}(\S+)/gm)].map(([, name]) => name).filter((name) => name !== "help");
}

/**
 * The help of a command and, below it, that of its subcommands.
 * @param {Place} place
 * @param {string[]} command
 * @returns {Promise<string>}
 */
async function help(place, command) {
    const { stdout } = await place.do([...command, "--help"]);
    let text = `$ agentnative ${[...command, "--help"].join(" ")}\n${stdout}`;
    if (command.length > 0)
        for (const name of subcommands(stdout)) text += `\n${await help(place, [...command, name])}`;
    return text;
}

test("the help of every command is exactly this", async (context) => {
    const place = Place.for(context);
    const top = await help(place, []);
    const names = subcommands(top);
    assert.ok(names.length >= 30, `${names.length} commands`);
    /** @type {Map<string, string>} */
    const found = new Map([["agentnative", top]]);
    const waiting = [...names];
    const reader = async () => {
        for (let name = waiting.shift(); name !== undefined; name = waiting.shift())
            found.set(name, await help(place, [name]));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, reader));
    for (const [name, text] of found)
        assert.doesNotMatch(text, /^ +(\S.* {2}|)(Its|As JSON)\b.*$/m, `${name}: of what?`);
    if (UPDATE) rmSync(join(TEXTS, "help"), { recursive: true, force: true });
    for (const name of ["agentnative", ...names]) assertIsFile(`help/${name}.txt`, found.get(name) ?? "");
    assert.deepEqual(readdirSync(join(TEXTS, "help")).sort(), [...found.keys()].map((name) => `${name}.txt`).sort());
});

/**
 * Replaces what differs from one run to the next.
 * @param {Place} place
 * @param {string} text
 */
function settled(place, text) {
    return (
        text
            .replaceAll(place.root, "/place")
            .replace(
                /^(ok|note) +confinement .*(\n {8,}.*)*/gm,
                "$1     confinement      <what confines commands here>",
            )
            .replace(/\brun-[0-9a-z]{26}\b/g, "<run>")
            .replace(/\b\d{6}-[a-z]+-[a-z]+(-\d+)?\b/g, "<session>")
            .replace(/\b\d{4}-\d\d-\d\dT[\d:-]+Z/g, "<time>")
            .replace(/\b\d+(\.\d+)? (s|KB|MB)\b/g, "<n> $2")
            .replace(/\b\d{3,}\b/g, "<n>")
            // Columns are as wide as what stands in them.
            .replace(/ +(?=<)/g, " ")
            .replace(/(<\w+>(?: tokens)?) +/g, "$1 ")
            .replace(/ +$/gm, "")
    );
}

test("a first session reads exactly like this", async (context) => {
    const place = Place.for(context);
    let transcript = "";
    const say = async (/** @type {string[]} */ ...args) => {
        const { code, stdout, stderr } = await place.run(args);
        const words = args.map((word) => (/[^\w.-]/.test(word) ? `"${word}"` : word));
        transcript += `$ agentnative ${words.join(" ")}\n${stdout}${stderr}`;
        if (code !== 0) transcript += `(exit code ${code})\n`;
        transcript += "\n";
    };
    for (const list of ["agent", "connect", "source", "schedule", "backup", "workspace", "sessions"])
        await say(list, "list");
    await say("sessions", "views");
    await say("models");
    await say("usage");
    await say("runs");
    await say("show");
    await say("run", "nobody", QUESTION);
    await say("run", AGENT, "--yes", QUESTION);
    await say("runs");
    await say("show");
    await say("sessions", "list");
    await say("usage");
    await say("check");
    await say("replay");
    await say("search", "going concern");
    await say("permissions", "audit");
    await say("backup", "now");
    await say("backup", "list");
    await say("data");
    await say("doctor");
    assertIsFile("first-session.txt", settled(place, transcript));
});
