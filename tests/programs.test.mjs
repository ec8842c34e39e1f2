// Conversations of other programs: what ChatGPT and Claude export and what Claude Code and Codex keep comes over with titles,
// times, tools and pictures, once, and what goes on there comes over later.

import assert from "node:assert/strict";
import { appendFileSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import {
    archive,
    chatgpt,
    chatgptArchive,
    claude,
    codexLater,
    line,
    node,
    programFolders,
    putLines,
} from "./exports.mjs";
import { Place, jsonLines } from "./lib.mjs";

/** @param {Place} place @param {string[]} args */
async function json(place, ...args) {
    const done = await place.run([...args, "--json"], { seconds: 120 });
    assert.equal(done.code, 0, done.stderr + done.stdout);
    return JSON.parse(done.stdout);
}

/** @param {Place} place */
const sessions = async (place) => (await json(place, "sessions", "list")).sessions;

/**
 * Every session by its title: what was said, in short.
 * @param {Place} place @param {string} name of the folder
 */
async function told(place, name) {
    const folder = join(place.work, name);
    const written = await json(place, "export", "--all", "--format", "jsonl", "--redact", "none", "-o", folder);
    const paths = statSync(written.path).isDirectory()
        ? readdirSync(written.path).map((file) => join(written.path, file))
        : [written.path];
    const all = paths.map((path) => jsonLines(readFileSync(path, "utf8")));
    return Object.fromEntries(
        all.map(([header, ...messages]) => [
            header.title,
            messages.map(({ role, text, tool, attachments }) =>
                tool === undefined
                    ? `${role}: ${text}${(attachments ?? []).map((/** @type {any} */ file) => ` [${file.mediaType}]`).join("")}`
                    : `${tool.name} ${JSON.stringify(tool.input)}: ${tool.output} (${tool.status})`,
            ),
        ]),
    );
}

const TIDES = [
    "user: Why are there tides? [image/png]",
    'python {"input":"print(6*7)"}: 42 metres (completed)',
    "assistant: The moon pulls the sea. Gravity does it.",
];
const MILL = [
    "user: Read both files [image/png]",
    'Read {"path":"Read.txt"}: the first file (completed)',
    'Look {"path":"Look.txt"}: the second file (completed)',
    "assistant: Both say mill.",
];
const WEIR = [
    "user: How high is the weir? [image/png]",
    'shell {"command":["cat","weir.txt"]}: 3 metres (error)',
    "assistant: The weir is 3 metres high.",
];

test("exports of ChatGPT and Claude come over with their pictures, once, and are shown, found and exported", async (context) => {
    const place = Place.for(context);
    const [tides, rent] = [join(place.work, "tides.zip"), join(place.work, "rent.zip")];
    writeFileSync(tides, chatgptArchive());
    writeFileSync(rent, archive([claude()]));

    const seen = await json(place, "import", tides, "--dry-run");
    assert.deepEqual([seen.kind, seen.program, seen.sessions, seen.known], ["program", "ChatGPT", 2, 0]);
    assert.equal((await sessions(place)).length, 0, "a dry run writes nothing");
    const done = await json(place, "import", tides, "--yes");
    assert.deepEqual([done.imported, done.known, done.problem], [2, 0, null], JSON.stringify(done));
    assert.equal((await json(place, "import", rent, "--yes")).imported, 1);

    const said = await told(place, "told");
    assert.deepEqual(said["Tides and moons"], TIDES);
    assert.deepEqual(said["A question of its own"], ["user: A question of its own", "assistant: An answer"]);
    assert.deepEqual(said["Rent of the mill"], [
        "user: What is the rent?\n\n[A file that is not in the export: mill.png] [text/plain]",
        'search_lease {"query":"rent"}: clause 4: 120 (completed)',
        "assistant: The rent is **120** a year.",
    ]);
    assert.doesNotMatch(JSON.stringify(said), /HIDDEN|OLD-/);
    const rows = await sessions(place);
    assert.deepEqual(rows.map((/** @type {any} */ row) => row.title).sort(), [
        "A question of its own",
        "Rent of the mill",
        "Tides and moons",
    ]);
    const row = rows.find((/** @type {any} */ each) => each.title === "Tides and moons");
    assert.equal(new Date(row.createdAt).getUTCFullYear(), 2025);
    const shown = (await place.do(["show", row.session])).stdout;
    assert.match(shown, /The moon pulls the sea/);
    const files = readdirSync(join(place.data, "sessions", row.session, "attachments"));
    assert.equal(files.length, 1, String(files));
    const found = await json(place, "search", "gravity");
    assert.deepEqual(
        found.sessions.map((/** @type {any} */ hit) => hit.session.session),
        [row.session],
    );
    assert.equal(existsSync(join(place.root, "outside.png")), false, "an archive's names lead nowhere");

    for (const path of [tides, rent]) assert.equal((await json(place, "import", path, "--yes")).imported, 0);
    const folder = join(place.work, "unpacked");
    mkdirSync(folder);
    writeFileSync(join(folder, "conversations.json"), JSON.stringify([chatgpt()]));
    assert.equal((await json(place, "import", folder, "--yes")).known, 1, "unpacked it is the same");
    assert.deepEqual(await told(place, "again"), said, "without its pictures it replaces nothing");
});

test("import finds the folders of other programs, and what goes on there comes over later", async (context) => {
    const place = Place.for(context);
    programFolders(place.user);
    const listed = await place.run(["import"]);
    assert.match(listed.stdout, /Claude Code: 2 sessions in .*\.claude\nCodex: 2 sessions in .*\.codex\n/);
    assert.match(listed.stdout, /project \/nowhere\/mill \(-nowhere-mill\): 1 sessions/);
    assert.equal(listed.code, 2, "nothing comes over unasked");
    assert.equal((await sessions(place)).length, 0);

    const done = await place.do(["import", "--yes"]);
    assert.match(done.stdout, /2 sessions with \d+ messages came over/);
    assert.match(done.stdout, /left out: message : the line is not JSON/, "damage is told");
    assert.match(done.stdout, /left out: session 1 of them: no person said anything/);
    const said = await told(place, "told");
    assert.deepEqual(Object.keys(said).sort(), ["Another project", "Measures of the weir", "Two files about a mill"]);
    assert.deepEqual(said["Two files about a mill"], MILL);
    assert.deepEqual(said["Measures of the weir"], WEIR);
    assert.doesNotMatch(JSON.stringify(said), /HIDDEN|OLD-|TAKEN-BACK/);

    // The last turn goes on, and another one follows.
    const projects = join(place.user, ".claude/projects/-nowhere-mill");
    const code = join(projects, readdirSync(projects).find((name) => !name.startsWith("agent-")) ?? "");
    appendFileSync(
        code,
        `${JSON.stringify(line("b7", "b6", "assistant", [{ type: "text", text: "And one more thing." }]))}\n`,
    );
    const day = join(place.user, ".codex/sessions/2025/01/01");
    const run = join(day, readdirSync(day).sort()[0] ?? "");
    appendFileSync(
        run,
        codexLater()
            .map((row) => `${JSON.stringify(row)}\n`)
            .join(""),
    );
    const again = await place.do(["import", "--yes"]);
    assert.equal(again.stdout.match(/1 of them had gone on there and were renewed/g)?.length, 2, again.stdout);
    const later = await told(place, "later");
    assert.deepEqual(later["Two files about a mill"], [
        ...MILL.slice(0, -1),
        "assistant: Both say mill.\n\nAnd one more thing.",
    ]);
    assert.deepEqual(later["Measures of the weir"], [
        ...WEIR,
        "user: And how wide?",
        "assistant: It is 20 metres wide.",
    ]);
    assert.equal((await sessions(place)).length, 3, "nothing is there twice");
    const third = await place.do(["import", "--yes"]);
    assert.doesNotMatch(third.stdout, /renewed/);
    assert.deepEqual(await told(place, "third"), later);

    const own = Place.for(context);
    const moved = join(own.user, "elsewhere");
    putLines(join(moved, "projects/-p/1.jsonl"), [
        line("q1", null, "user", "Elsewhere"),
        line("q2", "q1", "assistant", "Here."),
    ]);
    const found = await own.run(["import", "--dry-run"], {
        env: { CLAUDE_CONFIG_DIR: moved, CODEX_HOME: join(own.user, "none") },
    });
    assert.match(found.stdout, /^Claude Code: 1 sessions in .*elsewhere\n/);
    const none = await own.run(["import"], { env: { CLAUDE_CONFIG_DIR: own.work, CODEX_HOME: own.work } });
    assert.equal(none.code, 2);
    assert.match(none.stderr, /no folder of another program[^]*name a file or folder/);
});

test("damaged and hostile exports are told of and bounded", async (context) => {
    const place = Place.for(context);
    const file = join(place.work, "conversations.json");
    const deep = `${"[".repeat(5_000)}${"]".repeat(5_000)}`;
    const good = JSON.stringify({ ...chatgpt(), title: "T".repeat(5 << 20) });
    const loop = JSON.stringify({
        title: "In circles",
        conversation_id: "loop-000001",
        current_node: "x2",
        mapping: {
            ...node("x1", "x2", "user", { content_type: "text", parts: ["Round"] }),
            ...node("x2", "x1", "assistant", { content_type: "text", parts: ["and round"] }),
        },
    });
    writeFileSync(
        file,
        `[${good}, {"mapping": {"deep": ${deep}}}, {"mapping": 1}, ${loop}, {"title": "cut", "mapping": {`,
    );
    const done = await json(place, "import", file, "--yes");
    assert.equal(done.imported, 2, JSON.stringify(done.report));
    const lines = done.report.lines.map((/** @type {any} */ each) => each.why).join("\n");
    assert.match(lines, /recursion limit/);
    assert.match(lines, /no messages of a form that is known/);
    assert.match(lines, /the file ends within it/);
    const titles = (await sessions(place)).map((/** @type {any} */ row) => row.title);
    assert.deepEqual(titles.map((/** @type {string} */ title) => title.length).sort(), [10, 200]);

    const odd = join(place.work, "odd.zip");
    writeFileSync(odd, archive([]));
    assert.match((await place.run(["import", odd, "--yes"])).stderr, /conversations|bundle|archive/i);
    const title = join(place.work, "title.jsonl");
    putLines(title, [
        { format: "agentnative-session", version: 1, id: "260101-long-title", title: "x".repeat(5 << 20) },
        { id: "1", role: "user", text: "Hello" },
    ]);
    assert.equal((await json(place, "import", title, "--yes")).imported, 1);
    assert.ok((await sessions(place)).every((/** @type {any} */ row) => row.title.length <= 200));
});
