// Sessions are found, labelled, put away and deleted for good from the terminal, also beside a server that is open.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { AGENT, Place, jsonLines } from "./lib.mjs";

/**
 * @param {Place} place
 * @param {string[]} args
 */
async function json(place, args) {
    const ended = await place.run([...args, "--json"]);
    assert.equal(ended.code, 0, ended.stderr);
    return JSON.parse(ended.stdout);
}

test("a session is found by its words, organised, and leaves nothing when it is purged", async (context) => {
    const place = Place.for(context);
    for (const question of ["How is performance materiality set?", "When must the auditor assess going concern?"]) {
        const ended = await place.run(["run", "--yes", AGENT, question], { seconds: 60 });
        assert.equal(ended.code, 0, ended.stderr);
    }
    const hits = await json(place, ["search", "materiality", "has:document"]);
    assert.equal(hits.sessions[0].session.title, "How is performance materiality set?");
    const roles = hits.sessions[0].messages.map((/** @type {any} */ message) => message.role);
    assert.ok(roles.includes("document") || roles.includes("user"), String(roles));
    const session = hits.sessions[0].session.session;
    const slip = await place.run(["search", "perfomance"]);
    assert.match(slip.stderr + slip.stdout, /performance/);
    const inside = await place.run(["search", "misstatemnts"]);
    assert.match(inside.stderr, /results for: misstatements?$/m, "no title has the word, texts have it");
    assert.match(inside.stdout, /\[misstatements?\]/i);
    for (const command of [["search"], ["sessions", "list"]]) {
        const unknown = await place.run([...command, "materiality", "label:nonsense"]);
        assert.equal(unknown.code, 2, "a filter that is not understood is left out nowhere");
        assert.match(unknown.stderr, /there is no label `nonsense`/);
    }

    assert.equal((await place.run(["sessions", "label", session, "--add", "bug", "--add", "priority::3"])).code, 0);
    assert.equal((await place.run(["sessions", "status", "done", session])).code, 0);
    const wrong = await place.run(["sessions", "status", "dnoe", session]);
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /did you mean `done`/);
    const listed = await json(place, ["sessions", "list", "label:priority>2", "is:closed"]);
    assert.deepEqual(
        listed.sessions.map((/** @type {any} */ row) => [row.session, row.status, row.labels]),
        [[session, "done", ["bug", "priority::3"]]],
    );
    const copied = await place.run(["sessions", "duplicate", session]);
    assert.equal(copied.code, 0, copied.stderr);
    const copy = copied.stdout.trim();
    assert.equal((await json(place, ["sessions", "list", "label:priority>2"])).sessions.length, 2);
    const both = (await json(place, ["search", "materiality", "has:document"])).sessions
        .filter((/** @type {any} */ hit) => [session, copy].includes(hit.session.session))
        .map((/** @type {any} */ hit) => [hit.session.preview, hit.session.messages, hit.found]);
    assert.equal(both.length, 2, "a copy is found by what was said in it");
    assert.deepEqual(both[0], both[1]);
    assert.equal((await place.run(["sessions", "delete", copy])).code, 0);
    assert.equal((await place.run(["sessions", "purge", "--yes", copy])).code, 0);
    const untitled = await place.run(["sessions", "title", session]);
    assert.equal(untitled.code, 2, "a run's session has no conversation to title");
    assert.match(untitled.stderr, /no answer of a conversation/);
    const odd = await place.run(["sessions", "list", "status:nowhere"]);
    assert.equal(odd.code, 2, odd.stdout);

    assert.equal(
        (await place.run(["sessions", "purge", "--yes", session])).code,
        1,
        "what is not in the trash is not purged",
    );
    assert.equal((await place.run(["sessions", "delete", session])).code, 0);
    assert.deepEqual(
        (await json(place, ["search", "performance materiality"])).sessions.filter(
            (/** @type {any} */ hit) => hit.session.session === session,
        ),
        [],
    );
    assert.equal((await place.run(["sessions", "purge", "--yes", session])).code, 0);
    assert.equal(existsSync(join(place.data, "sessions", session)), false);
    assert.ok(readdirSync(join(place.data, "sessions")).length > 0);
    assert.equal((await json(place, ["sessions", "list"])).sessions.length, 1);
});

test("the terminal beside a server works through it, and each sees what the other did", async (context) => {
    const place = Place.for(context);
    assert.equal((await place.run(["run", "--yes", AGENT, "How is materiality set?"], { seconds: 60 })).code, 0);
    const server = place.start(["serve", "--json"], { seconds: 120 });
    await server.saw(/\}\n/);
    const { url, token } = JSON.parse(server.stdout);
    const call = async (/** @type {string} */ command, /** @type {object | undefined} */ params) => {
        const answer = await fetch(new URL("/api", url), {
            method: "POST",
            headers: { authorization: `Bearer ${token}` },
            body: JSON.stringify({ command, params }),
        });
        const { ok } = await answer.json();
        return ok?.value ?? ok;
    };
    const [{ session }] = (await json(place, ["sessions", "list"])).sessions;
    assert.equal((await place.run(["sessions", "rename", session, "Seen at once"])).code, 0);
    const seen = await call("session_list", {});
    assert.equal(seen.sessions[0].title, "Seen at once");
    await call("session_update", { sessions: [session], patch: { flagged: true, addLabels: ["bug"] } });
    const rows = (await json(place, ["sessions", "list", "is:flagged"])).sessions;
    assert.deepEqual(
        rows.map((/** @type {any} */ row) => row.labels),
        [["bug"]],
    );
    server.kill("SIGTERM");
    await server.ended;
});

test("sources are listed, tried, approved, called, and switched off", async (context) => {
    const place = Place.for(context);
    const notes = join(place.work, "notes");
    mkdirSync(notes, { recursive: true });
    writeFileSync(join(notes, "january.md"), "Invoice 17 was paid in cash.\n");
    const folder = join(place.data, "workspaces", "default", "sources", "notes");
    mkdirSync(folder, { recursive: true });
    writeFileSync(
        join(folder, "config.json"),
        JSON.stringify({
            slug: "notes",
            name: "Notes",
            description: "Notes on invoices.",
            type: "local",
            local: { path: notes },
        }),
    );
    const rows = jsonLines((await place.run(["source", "list", "--json"])).stdout);
    assert.ok(
        rows.some((/** @type {any} */ row) => row.slug === "notes"),
        JSON.stringify(rows),
    );
    const untried = await place.run(["source", "test", "notes"]);
    assert.match(untried.stderr, /approve/);
    const approved = await place.run(["source", "approve", "notes", "--yes"]);
    assert.equal(approved.code, 0, approved.stderr);
    const tested = await place.run(["source", "test", "notes"]);
    assert.equal(tested.code, 0, tested.stderr);
    assert.match(tested.stdout, /works/);
    const shown = await json(place, ["source", "show", "notes"]);
    assert.deepEqual([shown.source.kind, shown.source.enabled], ["local", true]);
    assert.equal((await place.run(["source", "disable", "notes"])).code, 0);
    assert.equal((await place.run(["source", "enable", "notes"])).code, 0);
    assert.equal((await place.run(["source", "show", "nothing"])).code, 2);
});
