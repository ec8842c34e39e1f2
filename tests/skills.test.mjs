// Skills in the terminal: made, edited, saved from a file, checked, tried and removed, through the built program.

import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { Place, jsonLines } from "./lib.mjs";

/** @param {string} description */
const skillOf = (description) =>
    `---\nname: Notes\ndescription: ${description}\n---\n# Notes\n\n1. Write what was decided.\n`;

test("a skill is made, edited and checked in the terminal, and a refused edit is kept", async (context) => {
    const place = Place.for(context);
    const folder = (await place.do(["skill", "new", "Meeting notes"])).stdout.trim();
    assert.ok(folder.startsWith(place.data) && folder.endsWith("meeting-notes"), folder);
    assert.match((await place.do(["skill", "check", "meeting-notes"])).stdout, /nothing wrong/);
    assert.match((await place.do(["skill", "list"])).stdout, /meeting-notes +workspace[^]*plan-first +shipped/);
    const again = await place.run(["skill", "new", "Meeting Notes"]);
    assert.equal(again.code, 1, again.stdout);
    assert.match(again.stderr, /exists already[^]*skill edit meeting-notes/);

    const edit = (/** @type {string} */ skill, /** @type {string} */ script) =>
        place.run(["skill", "edit", skill], { env: { VISUAL: "", EDITOR: `sed -i ${script}` } });
    const file = join(folder, "SKILL.md");
    const before = readFileSync(file, "utf8");
    const refused = await edit("meeting-notes", "s/^description:.*/description:/");
    assert.equal(refused.code, 2, refused.stdout);
    const kept = /kept in (\S+SKILL\.md)/.exec(refused.stderr)?.[1] ?? "";
    assert.match(readFileSync(kept, "utf8"), /^description:$/m, "what was written is not lost");
    assert.equal(readFileSync(file, "utf8"), before, "the skill is as it was");
    const script = join(place.work, "editor");
    writeFileSync(script, '#!/bin/sh\necho More. >> "$1"\nexit 3\n', { mode: 0o755 });
    const failed = await place.run(["skill", "edit", "meeting-notes"], { env: { VISUAL: "", EDITOR: script } });
    assert.equal(failed.code, 2, failed.stdout);
    const saved = /kept in (\S+SKILL\.md)/.exec(failed.stderr)?.[1] ?? "";
    assert.match(readFileSync(saved, "utf8"), /^More\.$/m, "what was saved before the editor failed is not lost");
    assert.equal(readFileSync(file, "utf8"), before);
    const mended = await edit("meeting-notes", "s/^description:.*/description:\\x20After/");
    assert.equal(mended.code, 0, mended.stderr);
    assert.match((await place.do(["skill", "show", "meeting-notes"])).stdout, /After[^]*\/meeting-notes \(workspace\)/);
    assert.match((await edit("meeting-notes", "s/x/x/")).stdout, /nothing was changed/);

    const own = await edit("plan-first", "s/^description:.*/description:\\x20Mine/");
    assert.equal(own.code, 0, own.stderr);
    const rows = jsonLines((await place.do(["skill", "list", "--json"])).stdout);
    const row = rows.find((/** @type {{ slug: string }} */ one) => one.slug === "plan-first");
    assert.deepEqual([row.origin, row.description], ["workspace", "Mine"], "a built-in skill is edited as one's own");
});

test("a skill is saved from a file, shown as it stands, and removed", async (context) => {
    const place = Place.for(context);
    const file = join(place.work, "notes.md");
    writeFileSync(file, skillOf("Use it after a meeting."));
    assert.match((await place.do(["skill", "check", file])).stdout, /nothing wrong/);
    await place.do(["skill", "save", "notes", file]);
    const text = async () => (await place.do(["skill", "show", "notes", "--source"])).stdout;
    assert.equal(await text(), readFileSync(file, "utf8"));
    await place.do(["skill", "save", "notes", "-"], { input: skillOf("Use it always.") });
    // Globs that say nothing are found where they are checked, not by each turn alone.
    const torn = join(place.work, "torn.md");
    writeFileSync(torn, skillOf("Use it for rows.\nglobs: 'src/{a,b'"));
    const refused = await place.run(["skill", "check", torn]);
    assert.equal(refused.code, 1, refused.stdout);
    assert.match(refused.stdout + refused.stderr, /globs/);
    writeFileSync(join(place.data, "workspaces/default/skills/notes/SKILL.md"), readFileSync(torn));
    const standing = await place.run(["skill", "check", "notes"]);
    assert.match(standing.stdout + standing.stderr, /globs/);
    await place.do(["skill", "save", "notes", "-"], { input: skillOf("Use it always.") });
    assert.equal(await text(), skillOf("Use it always."));

    writeFileSync(file, "no head\n");
    for (const args of [
        ["check", file],
        ["save", "notes", file],
    ]) {
        const bad = await place.run(["skill", ...args]);
        assert.equal(bad.code, args[0] === "check" ? 1 : 2, bad.stderr);
        assert.match(bad.stdout + bad.stderr, /SKILL\.md[^]*expected YAML front matter/);
    }
    assert.equal(await text(), skillOf("Use it always."));

    const unasked = await place.run(["skill", "remove", "notes"]);
    assert.equal(unasked.code, 2);
    assert.match(unasked.stderr, /no terminal to ask in: /);
    const { folder } = JSON.parse((await place.do(["skill", "show", "notes", "--json"])).stdout);
    await place.do(["skill", "remove", "notes", "--yes"]);
    assert.ok(!existsSync(folder));
    assert.equal((await place.run(["skill", "show", "notes"])).code, 2);
    const builtIn = await place.run(["skill", "remove", "plan-first", "--yes"]);
    assert.match(builtIn.stderr, /has no skill plan-first of its own/);
});

test("a skill is tried in a conversation whose first message names it", async (context) => {
    const place = Place.for(context);
    const tried = await place.do(["skill", "try", "plan-first", "--connection", "offline", "--json", "Rename a file"]);
    const { message } = jsonLines(tried.stdout).at(-1).turn;
    assert.equal(message.text, "/plan-first Rename a file");
    assert.deepEqual(
        message.mentions.map((/** @type {any} */ { kind, name }) => [kind, name]),
        [["skill", "plan-first"]],
    );
    assert.equal((await place.run(["skill", "try", "no-such-skill", "Hello"])).code, 2);
});
