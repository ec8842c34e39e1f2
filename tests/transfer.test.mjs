// Sessions on their way out and in with the real program: every form is read back by code of its own, what comes in twice is
// there once, what is hostile is refused, and an import that is killed anywhere ends as if it had not been.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { craftAgent, lines, put, session } from "./craft.mjs";
import { AGENT, Place, QUESTION, jsonLines, snapshot, which } from "./lib.mjs";
import { Mock } from "./mock.mjs";
import { bundle, sha256, unzip, zip } from "./zip.mjs";

const KEY = "sk-test-0123456789-canary";
const ENV = { env: { MOCK_KEY: KEY } };
const HOSTILE =
    "<script>document.title='hit'</script> <img src=x onerror=\"document.title='hit'\"> [go](javascript:alert(1)) ![p](http://192.0.2.1/t.png)\n\n**bold**";

/** @param {string} content */
const says = (content) => ({ content, usage: { input_tokens: 900, output_tokens: 20 } });

/**
 * A place whose connection answers by a script.
 * @param {import("node:test").TestContext} context
 */
async function talk(context) {
    const place = Place.for(context);
    const folder = join(place.work, "folder");
    mkdirSync(folder);
    writeFileSync(join(folder, "notes.txt"), "The answer is 42.\n");
    const call = (/** @type {string} */ name, /** @type {object} */ args) => ({
        toolCalls: [{ name, arguments: JSON.stringify(args) }],
        usage: { input_tokens: 900, output_tokens: 20 },
    });
    const mock = await Mock.for(context, place, [
        { match: { userMessage: "notes", hasToolResult: false }, response: call("read", { path: "notes.txt" }) },
        { match: { userMessage: "notes", hasToolResult: true }, response: says("They say 42.") },
        { match: { userMessage: "page" }, response: says(HOSTILE) },
        {
            match: { userMessage: "write it", hasToolResult: false },
            response: call("write", { path: "made.txt", content: "made" }),
        },
        { match: {}, response: says("Yes.") },
    ]);
    await place.do(
        [
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
        ],
        ENV,
    );
    const chat = async (/** @type {string} */ message, /** @type {string[]} */ ...more) => {
        const done = await place.do(
            ["chat", "--connection", "mock", "--folder", folder, "--json", ...more, message],
            ENV,
        );
        return jsonLines(done.stdout).at(-1).turn;
    };
    return { place, folder, chat };
}

/** @param {Place} place @param {string[]} args */
async function json(place, ...args) {
    const done = await place.run([...args, "--json"], { seconds: 120 });
    assert.equal(done.code, 0, done.stderr + done.stdout);
    return JSON.parse(done.stdout);
}

/**
 * Brings something over, without asking.
 * @param {Place} place
 * @param {string} path
 * @param {string[]} more
 */
const bring = (place, path, ...more) => json(place, "import", path, "--yes", ...more);

/** @param {Place} place */
const sessions = async (place) => (await json(place, "sessions", "list")).sessions;

/**
 * Every session as lines of JSON, by id.
 * @param {Place} place
 * @param {string} [name] of the folder
 * @returns {Promise<Map<string, any[]>>}
 */
async function told(place, name = "told") {
    const folder = join(place.work, name);
    const written = await json(
        place,
        "export",
        "--all",
        "--format",
        "jsonl",
        "--redact",
        "none",
        "--unchecked",
        "-o",
        folder,
    );
    const files = statSync(written.path).isDirectory()
        ? readdirSync(written.path).map((file) => join(written.path, file))
        : [written.path];
    const all = files.map((file) => jsonLines(readFileSync(file, "utf8")));
    return new Map(all.map(([header, ...messages]) => [header.id, [header, ...messages]]));
}

/**
 * What was said, without what differs from place to place.
 * @param {Map<string, any[]>} told
 */
function said(told) {
    const rows = [...told].map(([id, [header, ...messages]]) => [
        id,
        { title: header.title, labels: header.labels, status: header.status, flagged: header.flagged, messages },
    ]);
    return Object.fromEntries(rows.sort());
}

/**
 * Files of a place that are not the database's own, by size. The lock names the process that had it last; its number may have another
 * length.
 * @param {string} root
 */
const files = (root) =>
    snapshot(root)
        .map((line) => line.replace(/ [\d.]+$/, ""))
        .filter((line) => !/agentnative\.db|\/logs\/|\.lock|\/lock |instance/.test(line));

test("every form says what was said, and a bundle comes over once and grows", async (context) => {
    const { place, chat } = await talk(context);
    const first = await chat("What do the notes say?");
    await chat(`Make a page, my mail is eva.muster@example.org and my key ${KEY}`);
    const grown = first.head.session;
    await place.do(["run", AGENT, "--yes", "--connection", "offline", "--depth", "quick", QUESTION]);
    const page = (await sessions(place)).find((/** @type {any} */ row) => row.title.includes("page")).session;
    const out = (/** @type {string} */ name) => join(place.work, name);

    const written = await told(place);
    assert.equal(written.size, 3);
    const [header, ...messages] = written.get(grown) ?? [];
    assert.deepEqual([header.format, header.version, header.id], ["agentnative-session", 1, grown]);
    assert.deepEqual(
        messages.map(({ role, text, tool }) => [role, tool?.name ?? text]),
        [
            ["user", "What do the notes say?"],
            ["tool", "read"],
            ["assistant", "They say 42."],
        ],
    );
    assert.match(messages[1].tool.output, /The answer is 42/);

    const clean = await json(place, "export", page, "--format", "html", "-o", out("page.html"));
    assert.ok(clean.redacted >= 2, JSON.stringify(clean));
    const html = readFileSync(clean.path, "utf8");
    assert.doesNotMatch(html, /eva\.muster|canary/);
    assert.match(html, /<strong>bold<\/strong>/);
    assert.match(html, /&lt;script&gt;/);
    assert.equal(html.match(/<script/g)?.length, 1, "the page's own script alone");
    assert.doesNotMatch(html, /<(?:img|link|iframe|object|svg)|<[^>]*\ssrc=|href="(?!#|https?:)|@import|url\(/);
    assert.match(html, /http-equiv="Content-Security-Policy" content="default-src 'none'/);
    const markdown = readFileSync(
        (await json(place, "export", grown, "--format", "markdown", "-o", out("notes.md"))).path,
        "utf8",
    );
    assert.match(markdown, /^# What do the notes say\?/);
    assert.match(markdown, /They say 42\./);
    assert.match(markdown, /\*\*.*\*\*.* \(done\)/);
    const taken = await place.run(["export", grown, "--format", "markdown", "-o", out("notes.md")]);
    assert.match(taken.stderr, /is there already/);

    const file = out("all.anbundle");
    const refused = await place.run(["export", "--all", "--format", "bundle", "--redact", "all", "-o", file]);
    assert.equal(refused.code, 2, refused.stderr);
    assert.match(refused.stderr, /digests[\s\S]*jsonl/, "why, and what to do instead");
    assert.equal(existsSync(file), false);
    const bundled = await json(place, "export", "--all", "--format", "bundle", "-o", file);
    assert.match(bundled.notes.join(" "), /everything as it is stored/);
    assert.equal(statSync(file).mode & 0o777, 0o600, "secrets may stand in it");
    const entries = unzip(readFileSync(file));
    const manifest = JSON.parse(String(entries.get("manifest.json")));
    assert.deepEqual(
        [manifest.format, manifest.version, manifest.sessions.length, manifest.entries.length],
        ["agentnative-bundle", 1, 3, entries.size - 1],
    );
    for (const { name, bytes, sha256: digest } of manifest.entries) {
        const entry = /** @type {Buffer} */ (entries.get(name));
        assert.deepEqual([entry.length, sha256(entry)], [bytes, digest], name);
        if (name.startsWith("blobs/")) assert.equal(sha256(entry), name.slice(6), "a payload's name is its digest");
    }

    const other = Place.for(context);
    await sessions(other);
    const before = files(other.root);
    const seen = await json(other, "import", file, "--dry-run");
    assert.deepEqual([seen.sessions, seen.known, seen.report.lines], [3, 0, []], JSON.stringify(seen));
    assert.ok(seen.messages >= 6);
    assert.deepEqual(files(other.root), before, "a dry run writes nothing");
    assert.equal((await sessions(other)).length, 0);
    assert.equal((await other.run(["import", file])).code, 2, "nothing comes over unasked");
    const none = await other.run(["import", `${file}.none`, "--yes"]);
    assert.match(none.stderr, /there is no such file or folder\s+check the path/);
    const done = await bring(other, file);
    assert.deepEqual([done.imported, done.known, done.problem], [3, 0, null], JSON.stringify(done));
    assert.deepEqual(said(await told(other)), said(written));
    const found = await json(other, "search", "42");
    assert.ok(
        found.sessions.some((/** @type {any} */ hit) => hit.session.session === grown),
        JSON.stringify(found),
    );
    assert.deepEqual((await json(other, "import", file, "--dry-run")).known, 3);
    const again = await bring(other, file);
    assert.deepEqual([again.imported, again.known], [0, 3]);
    assert.deepEqual(said(await told(other, "again")), said(written));
    assert.deepEqual((await bring(place, file)).known, 3, "where it comes from it is known, too");

    await chat("And now?", "--session", grown);
    const later = out("later.anbundle");
    await json(place, "export", "--all", "--format", "bundle", "-o", later);
    const more = await bring(other, later);
    assert.deepEqual([more.imported, more.known], [1, 2], JSON.stringify(more));
    assert.deepEqual(said(await told(other, "later")), said(await told(place, "later")));
    const sound = await other.run(["data", "--full"]);
    assert.equal(sound.code, 0, sound.stdout);

    // Without what looks private it travels as lines of JSON.
    const lean = await json(place, "export", page, "--format", "jsonl", "-o", out("lean.jsonl"));
    const third = Place.for(context);
    assert.equal((await bring(third, lean.path)).imported, 1);
    const [[, ...kept]] = (await told(third)).values();
    assert.doesNotMatch(JSON.stringify(kept), /eva\.muster|canary/);
    assert.match(kept[0].text, /^Make a page, my mail is \[e-mail\]/);
    const wide = out("wide.jsonl");
    writeFileSync(wide, Buffer.from(`\ufeff${readFileSync(lean.path, "utf8")}`, "utf16le"));
    assert.equal((await json(third, "import", wide, "--dry-run")).known, 1, "an editor may have written it in UTF-16");
});

test("a Craft Agent folder comes over with everything in it", async (context) => {
    const place = Place.for(context);
    const root = join(place.user, ".craft-agent");
    craftAgent(root);
    await sessions(place);
    const [before, theirs] = [files(place.root), snapshot(root)];
    const seen = await json(place, "import", root, "--dry-run");
    assert.deepEqual([seen.kind, seen.sessions, seen.known, seen.messages], ["craft", 3, 0, 18]);
    assert.deepEqual(seen.workspaces, [{ slug: "my", name: "Mine", sessions: 3 }]);
    assert.deepEqual(seen.secrets, ["source/tracker/TRACKER_TOKEN"]);
    assert.deepEqual(files(place.root), before, "a dry run writes nothing");

    const done = await bring(place, root);
    assert.deepEqual([done.imported, done.messages, done.problem], [3, 18, null], JSON.stringify(done.report));
    assert.deepEqual(snapshot(root), theirs, "nothing of theirs is changed");
    const rows = await sessions(place);
    const fixed = rows.find((/** @type {any} */ row) => row.session === "260111-swift-river");
    assert.deepEqual(
        [fixed.title, fixed.flagged, fixed.status, fixed.labels, fixed.mode],
        ["Fix login", true, "waiting", ["eng", "priority::3"], "ask"],
    );
    assert.deepEqual((await json(place, "sessions", "list", "is:flagged label:eng status:waiting")).sessions.length, 1);
    assert.equal((await json(place, "search", "wombats")).sessions.length, 3);
    assert.equal(
        readFileSync(join(place.data, "sessions/260111-swift-river/attachments/a.txt"), "utf8"),
        "file of 260111-swift-river\n",
    );
    const [, , , answer] = (await told(place)).get("260111-swift-river") ?? [];
    assert.equal(
        answer.text,
        `Answer 0: they **dig**, see ${join(place.data, "sessions/260111-swift-river/attachments/a.txt")}`,
    );

    const workspace = join(place.data, "workspaces/default");
    const tracker = readFileSync(join(workspace, "sources/tracker/config.json"), "utf8");
    assert.doesNotMatch(tracker, /plain-text-token/);
    assert.match(tracker, /\$\{secret:TRACKER_TOKEN\}/);
    assert.deepEqual(
        JSON.parse(readFileSync(join(workspace, "permissions.json"), "utf8")).rules,
        [
            {
                effect: "deny",
                tool: "shell",
                reason: "blocked in Craft Agents, from where this rule was imported",
            },
        ],
        "what forbids is taken over, what allows is not",
    );
    const list = jsonLines((await place.do(["source", "list", "--json"])).stdout);
    assert.ok(
        list.some((/** @type {any} */ row) => row.slug === "notes"),
        JSON.stringify(list),
    );
    const agents = (await place.do(["agent", "list"])).stdout;
    assert.match(agents, /dev-loop/);
    const broken = done.report.lines.filter((/** @type {any} */ line) => /can't be used as it is/.test(line.why));
    assert.deepEqual(broken, [], "what came over can be used");
    for (const [kind, why] of [
        ["automation", /switched off/],
        ["secret", /plain text/],
        ["agent", /dialogue/],
        ["rule", /allow/],
    ]) {
        assert.ok(
            done.report.lines.some(
                (/** @type {any} */ line) => line.kind === kind && /** @type {RegExp} */ (why).test(line.why),
            ),
            `${kind}: ${JSON.stringify(done.report.lines)}`,
        );
    }
    assert.ok(existsSync(join(place.data, "themes/nord.json")));
    assert.match(readFileSync(join(workspace, "views.json"), "utf8"), /view-flagged/);

    const again = await bring(place, root);
    assert.deepEqual([again.imported, again.known], [0, 3]);
    assert.deepEqual(
        again.report.lines.filter((/** @type {any} */ line) => /another/.test(line.why)),
        [],
        "what it wrote itself is no other",
    );
    assert.equal((await place.run(["data", "--full"])).code, 0);
});

test("hostile archives are refused whole, and nothing outside is touched", async (context) => {
    const { place, chat } = await talk(context);
    await chat("What do the notes say?");
    const sound = join(place.work, "sound.anbundle");
    await json(place, "export", "--all", "--format", "bundle", "-o", sound);
    const entries = unzip(readFileSync(sound));
    const other = Place.for(context);
    await sessions(other);
    const before = files(other.root);
    const plain = [...entries].map(([name, bytes]) => ({ name, bytes }));
    const evil = Buffer.from("evil");
    /** @type {Record<string, [Buffer, RegExp]>} */
    const archives = {
        "a name that leads out": [zip([...plain, { name: "../../evil.txt", bytes: evil }]), /leads out/],
        "a name from the root": [zip([...plain, { name: "/evil.txt", bytes: evil }]), /leads out/],
        "a name of Windows": [zip([...plain, { name: "sessions\\..\\..\\evil.txt", bytes: evil }]), /leads out/],
        "a link": [
            zip([...plain, { name: "link", bytes: Buffer.from("/etc/passwd"), mode: 0o120777 }]),
            /no plain file/,
        ],
        "a bomb": [zip([...plain, { name: "bomb", bytes: Buffer.alloc(80 << 20) }]), /unfolds to far more/],
        "a head that lies": [
            zip([
                ...plain.filter(({ name }) => name !== "manifest.json"),
                { name: "manifest.json", bytes: Buffer.alloc(9_000, 32), says: 10 },
            ]),
            /./,
        ],
        "two of a name": [
            zip([...plain, { name: "SESSIONS/x", bytes: evil }, { name: "sessions/x", bytes: evil }]),
            /two of that name/,
        ],
        "one that the manifest does not name": [zip([...plain, { name: "more", bytes: evil }]), /does not name it/],
        "a newer form": [bundle(entries, (manifest) => (manifest.version = 99)), /version 99; this program reads/],
        "a newer database": [bundle(entries, (manifest) => (manifest.schema = 9_999)), /database has version 9999/],
        "a session's id that is a path": [
            bundle(entries, (manifest) => (manifest.sessions = ["../evil"])),
            /id of a session/,
        ],
        "half of one": [readFileSync(sound).subarray(0, -200), /not a bundle|can't be/],
        "no archive": [Buffer.from("PK\u0003\u0004 and nothing else"), /not a bundle/],
        nothing: [Buffer.alloc(0), /none that can be brought over/],
    };
    for (const [what, [bytes, why]] of Object.entries(archives)) {
        const path = join(place.work, "hostile.anbundle");
        writeFileSync(path, bytes);
        for (const how of ["--dry-run", "--yes"]) {
            const ended = await other.run(["import", path, how]);
            assert.notEqual(ended.code, 0, `${what}: ${ended.stdout}`);
            assert.match(ended.stderr, why, what);
        }
    }
    assert.deepEqual(files(other.root), before);
    assert.deepEqual(
        ["/", join(other.root, "..")]
            .flatMap((folder) => readdirSync(folder))
            .filter((name) => name.startsWith("evil")),
        [],
    );
    assert.deepEqual(await sessions(other), []);
});

test("a session of a bundle that is not what it says is left out whole", async (context) => {
    const { place, folder, chat } = await talk(context);
    await chat("What do the notes say?");
    const sound = join(place.work, "sound.anbundle");
    await json(place, "export", "--all", "--format", "bundle", "-o", sound);
    const entries = unzip(readFileSync(sound));
    const [session] = JSON.parse(String(entries.get("manifest.json"))).sessions;
    const name = [...entries.keys()].find((entry) => entry.includes("/runs/")) ?? "";
    const run = JSON.parse(String(entries.get(name)));
    const blob = [...entries.keys()].find((entry) => entry.startsWith("blobs/")) ?? "";
    const changed = (/** @type {any} */ change) =>
        new Map(entries).set(name, Buffer.from(JSON.stringify({ ...run, ...change })));
    const card = JSON.parse(String(entries.get(`sessions/${session}/session.json`)));
    const carded = (/** @type {any} */ change) =>
        new Map(entries).set(`sessions/${session}/session.json`, Buffer.from(JSON.stringify({ ...card, ...change })));
    const gap = run.log.map((/** @type {any} */ batch, /** @type {number} */ index) =>
        index === 0 ? { ...batch, last: batch.last + 1 } : batch,
    );
    /** @type {Record<string, [Map<string, Buffer>, RegExp]>} */
    const wrong = {
        "another run's file": [changed({ id: "../../evil" }), /another run/],
        "an unknown kind": [changed({ kind: "daemon" }), /kind that is not known/],
        "a gap": [changed({ log: gap }), /gaps/],
        "no log": [changed({ log: [] }), /empty/],
        "events that are none": [
            changed({ log: [{ first: 1, last: 1, at: 1, events: '[[1,1,1,0,{"event":"explode"}]]' }] }),
            /can't be read/,
        ],
        "a newer event": [
            changed({
                log: [
                    { ...run.log[0], events: run.log[0].events.replace(/^\[\[1,(\d+),1,/, "[[1,$1,99,") },
                    ...run.log.slice(1),
                ],
            }),
            /newer/,
        ],
        "a time beyond all times": [changed({ updatedAt: 2 ** 62 }), /time that can't be/],
        "a parent elsewhere": [changed({ parent: "run-of-somebody" }), /another session/],
        "a payload that is another": [
            new Map(entries).set(blob, Buffer.from("other")),
            /not what its name says|not those/,
        ],
        "a payload that is not there": [new Map([...entries].filter(([entry]) => entry !== blob)), /not there/],
        "another session's card": [carded({ id: "another" }), /another session/],
        "a run that is a path": [carded({ runs: ["../../evil"] }), /can't be one/],
        "no runs": [carded({ runs: [] }), /nothing in it/],
        "no payloads": [changed({ blobs: [] }), /does not bring/],
        "one payload too few": [changed({ blobs: run.blobs.slice(1) }), /does not bring/],
    };
    const other = Place.for(context);
    await sessions(other);
    const kept = () => files(other.root);
    const before = kept();
    for (const [what, [contents, why]] of Object.entries(wrong)) {
        const path = join(place.work, "wrong.anbundle");
        writeFileSync(path, bundle(contents));
        const [dry, real] = [["--dry-run"], ["--yes"]].map((how) => other.run(["import", path, ...how, "--json"]));
        for (const ended of [await dry, await real]) {
            assert.equal(ended.code, 1, `${what}: everything was refused, and the program's end says so`);
            const told = JSON.parse(ended.stdout);
            assert.deepEqual([told.imported ?? 0, told.known], [0, 0], `${what}: ${ended.stdout}`);
            assert.match(told.report.lines.map((/** @type {any} */ line) => line.why).join(" "), why, what);
        }
        assert.deepEqual(await sessions(other), [], what);
    }
    assert.deepEqual(kept(), before);

    // A call that was allowed there and had not run does not run here.
    const stopped = await place.run(
        ["chat", "--connection", "mock", "--folder", folder, "--mode", "allow-all", "--json", "Please write it"],
        ENV,
    );
    const turn = jsonLines(stopped.stdout).at(-1).turn;
    const path = join(place.work, "open.anbundle");
    await json(place, "export", turn.head.session, "--format", "bundle", "-o", path);
    const opened = unzip(readFileSync(path));
    const [own] = [...opened.keys()].filter((entry) => entry.includes("/runs/"));
    const whole = JSON.parse(String(opened.get(own)));
    const records = whole.log.flatMap((/** @type {any} */ batch) => JSON.parse(batch.events));
    const judged = records.findIndex((/** @type {any} */ record) => record[4].event === "tool_judged");
    assert.equal(
        records[judged][4].ruling.ruling ?? Object.keys(records[judged][4].ruling)[0],
        "allow",
        JSON.stringify(records[judged]),
    );
    const log = [
        { first: 1, last: judged + 1, at: whole.updatedAt, events: JSON.stringify(records.slice(0, judged + 1)) },
    ];
    opened.set(own, Buffer.from(JSON.stringify({ ...whole, log, status: "suspended" })));
    writeFileSync(path, bundle(opened));
    const done = await bring(other, path);
    assert.equal(done.imported, 1, JSON.stringify(done));
    assert.match(JSON.stringify(done.report.lines), /had not ended/);
    const [[, ...messages]] = (await told(other)).values();
    assert.deepEqual(
        messages.filter(({ role }) => role === "tool").map(({ tool }) => [tool.name, tool.status]),
        [["write", "denied"]],
    );
    const known = await bring(other, path);
    assert.deepEqual([known.imported, known.known], [0, 1]);
});

test("hostile folders are repaired with a report, and links lead nowhere", async (context) => {
    const place = Place.for(context);
    const root = join(place.work, "theirs");
    const workspace = craftAgent(root, 1);
    const secret = put(place.user, "secret.txt", "a secret of the person");
    const at = (/** @type {string} */ id) => join(workspace, "sessions", id, "session.jsonl");
    put(
        workspace,
        "sessions/long/session.jsonl",
        `${session("long")}${lines([{ id: "huge", type: "user", content: "x".repeat(17 << 20), timestamp: 1 }])}${lines([{ id: "after", type: "assistant", content: "still here", timestamp: 2 }])}`,
    );
    put(workspace, "sessions/wide/session.jsonl", Buffer.from(`\ufeff${session("wide")}`, "utf16le"));
    put(workspace, "sessions/latin/session.jsonl", Buffer.from(session("latin", { name: "Grüße" }), "latin1"));
    put(workspace, "sessions/torn/session.jsonl", session("torn").slice(0, -40));
    put(workspace, "sessions/twice/session.jsonl", session("260111-swift-river", { createdAt: 5 }));
    put(workspace, "sessions/path/session.jsonl", session("../../../evil"));
    put(
        workspace,
        "sessions/odd/session.jsonl",
        lines([
            { id: "odd", createdAt: "soon", labels: "no list", name: { a: 1 } },
            { id: 7, type: "user", content: [1, 2], timestamp: -5 },
            { type: "hologram" },
            {
                id: "deep",
                type: "assistant",
                content: "fine",
                attachments: [{ name: "../../x", storedPath: "/attachments/../../../../etc/passwd" }],
            },
        ]),
    );
    put(workspace, "sessions/empty/session.jsonl", "");
    put(workspace, "sessions/nested/session.jsonl", `${"[".repeat(100_000)}\n`);
    mkdirSync(join(workspace, "sessions/linked"), { recursive: true });
    symlinkSync(secret, at("linked"));
    symlinkSync(place.user, join(workspace, "sessions/elsewhere"));
    symlinkSync(secret, join(workspace, "sessions/260111-swift-river/attachments/b.txt"));
    symlinkSync(secret, join(workspace, "skills/commit/more.md"));
    put(workspace, "sources/Bad Name/config.json", { type: "local" });
    put(workspace, "sources/wrong/config.json", "{ not json");
    put(
        workspace,
        "statuses/config.json",
        Buffer.from(
            `\ufeff${JSON.stringify({ version: 1, statuses: [{ id: "todo", label: "Todo", category: "open", order: 1 }], defaultStatusId: "todo" })}`,
            "utf16le",
        ),
    );
    await sessions(place);
    const outside = [snapshot(place.user), snapshot(root)];
    const done = await bring(place, root);
    assert.equal(done.problem, null);
    const rows = await sessions(place);
    const titles = rows.map((/** @type {any} */ row) => row.title);
    assert.ok(titles.includes("Grüße"), String(titles));
    assert.equal(rows.length, 8, JSON.stringify(rows.map((/** @type {any} */ row) => row.session)));
    assert.ok(
        rows.every((/** @type {any} */ row) => /^[\w-]+$/.test(row.session)),
        "no id is a path",
    );
    assert.ok(
        rows.some((/** @type {any} */ row) => row.session === "260111-swift-river-2"),
        "two of the same id are two",
    );
    const all = await told(place);
    assert.ok(
        all.get("long")?.some(({ text }) => text?.includes("still here")),
        "a line that is too long costs itself alone",
    );
    assert.equal(all.get("torn")?.length, session("torn").split("\n").length - 2);
    assert.equal(all.get("wide")?.[1].text, "Question 0 about wombats of wide");
    const why = JSON.stringify(done.report.lines);
    for (const reason of [
        /more than is read/,
        /not UTF-8/,
        /is a link/,
        /not followed|no plain file/,
        /not known/,
        /lower-case/,
        /not JSON/,
    ])
        assert.match(why, reason);
    assert.doesNotMatch([...all.values()].map((session) => JSON.stringify(session)).join(""), /a secret of the person/);
    assert.deepEqual([snapshot(place.user), snapshot(root)], outside);
    assert.equal(existsSync(join(place.data, "sessions/260111-swift-river/attachments/b.txt")), false);
    assert.equal((await place.run(["data", "--full"])).code, 0);
});

test(
    "an import that is killed anywhere ends as if it had not been",
    { skip: which("strace") === undefined && "strace is not installed" },
    async (context) => {
        const shared = Place.for(context);
        const craft = join(shared.work, "craft");
        craftAgent(craft, 30);
        const whole = Place.for(context);
        await bring(whole, craft);
        const packed = join(shared.work, "all.anbundle");
        await json(whole, "export", "--all", "--format", "bundle", "--workspace-files", "-o", packed);
        // Files and texts name the place where they are.
        const plain = (/** @type {Place} */ place, /** @type {unknown} */ value) =>
            JSON.parse(JSON.stringify(value).replaceAll(place.root, "<place>"));
        const wanted = plain(whole, said(await told(whole)));
        const strace = /** @type {string} */ (which("strace"));
        const moments = [
            ...[1, 4, 9, 16, 30, 60, 110].map((when) => ["pwrite64", when]),
            ...[1, 2, 3, 5].map((when) => ["fsync,fdatasync", when]),
            ...[1, 12, 40].map((when) => ["link,linkat", when]),
        ];
        let kills = 0;
        for (const [index, [calls, when]] of moments.entries()) {
            const place = Place.for(context);
            const from = index % 2 === 0 ? craft : packed;
            await sessions(place);
            const through = [
                strace,
                "-f",
                "-qq",
                "-e",
                `trace=${calls}`,
                "-e",
                `inject=${calls}:signal=KILL:when=${when}`,
                "-o",
                join(place.temp, "trace"),
            ];
            const ended = await place.run(["import", from, "--yes"], { through, seconds: 120 });
            const killed = ended.signal === "SIGKILL" || ended.code === 137;
            kills += Number(killed);
            const what = `${calls} ${when}${killed ? "" : " (not killed)"}`;
            const sound = await place.run(["data", "--full"]);
            assert.equal(sound.code, 0, `${what}: ${sound.stdout}${sound.stderr}`);
            const done = await bring(place, from);
            assert.deepEqual(
                [done.imported + done.known, done.problem],
                [30, null],
                `${what}: ${JSON.stringify(done)}`,
            );
            const reached = plain(place, said(await told(place)));
            // In a bundle texts stand as they are stored: they name the place that they come from.
            assert.deepEqual(
                from === packed ? JSON.parse(JSON.stringify(reached).replaceAll(whole.root, "<place>")) : reached,
                wanted,
                what,
            );
            const copied = (/** @type {Place} */ at) =>
                files(join(at.data, "sessions"))
                    .filter((line) => !line.includes("/export/"))
                    .map((line) => line.replace(at.root, ""));
            assert.deepEqual(copied(place), copied(whole), what);
            assert.deepEqual(
                files(join(place.data, "workspaces")).filter((line) => /\.new$/.test(line)),
                [],
                "nothing half written is left",
            );
            const again = await bring(place, from);
            assert.deepEqual([again.imported, again.known], [0, 30], what);
            await place.end();
        }
        context.diagnostic(`${kills} of ${moments.length} imports were killed`);
        assert.ok(kills >= moments.length / 2, `${kills} kills`);
    },
);
