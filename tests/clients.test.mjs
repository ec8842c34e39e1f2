// Clients stay apart: a workspace with secrets beside another one, in which every list, search, suggestion and check of the terminal
// and of the protocol is asked. No word of the secrets may be in an answer.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { COMMANDS, SECRETS, TERMINAL, UNASKED } from "./client-lists.mjs";
import { Place, document } from "./lib.mjs";
import { Client, ERAS } from "./mcp-client.mjs";

const TOP = dirname(dirname(fileURLToPath(import.meta.url)));

/** @typedef {import("./client-lists.mjs").Own} Own */

/** @returns {string[]} the reading commands that `commands.rs` declares */
function readingCommands() {
    const table = readFileSync(join(TOP, "src-tauri/crates/protocol/src/commands.rs"), "utf8");
    const entries = table
        .slice(table.indexOf("commands! {"))
        .split(/^ {4}(?=[a-z_]+: [A-Z])/m)
        .slice(1);
    const reading = entries.filter((entry) => /\breads \[/.test(entry));
    return reading.map((entry) => entry.slice(0, entry.indexOf(":")));
}

/** @returns {string[]} the commands that the help of the terminal names, those with commands below them left out */
function terminalCommands() {
    const folder = join(TOP, "tests/texts/help");
    const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
    const parts = texts.flatMap((text) => text.split(/^\$ agentnative /m).slice(1));
    const leaves = parts.filter((part) => !/^Commands:$/m.test(part));
    return leaves.map((part) => /^(.*?) ?--help$/m.exec(part)?.[1] ?? "").filter((name) => name !== "");
}

/**
 * Every word of the secrets that an answer has.
 * @param {string} text
 */
function leaked(text) {
    const folded = text.toLowerCase();
    return Object.values(SECRETS).filter((word) => folded.includes(word.toLowerCase()));
}

/** @param {Place} place @param {string} name @param {string} file @param {string} text */
function folderOf(place, name, file, text) {
    const folder = join(place.work, name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, file), text);
    return folder;
}

/**
 * Fills a workspace with one of everything, each called by a word of the secrets.
 * @param {Place} place
 * @param {string} slug
 */
async function fill(place, slug) {
    const here = ["--workspace", slug];
    const folder = folderOf(
        place,
        SECRETS.folder,
        `${SECRETS.file}.md`,
        `# Retention\n\n1.1 The ${SECRETS.text} papers are kept for seven years.\n`,
    );
    await place.do(["kb", "ingest", folder, "--base", SECRETS.base, ...here]);
    // And one that is made by a run over the folder of another name.
    const deal = folderOf(
        place,
        "deal",
        `${SECRETS.file}.md`,
        `# Deal\n\n1.1 The ${SECRETS.text} deal closes in May.\n`,
    );
    await place.do([
        "run",
        "standards-research",
        "--yes",
        "--corpus",
        deal,
        `When does the ${SECRETS.title} close?`,
        ...here,
    ]);
    const attached = join(place.work, `${SECRETS.attachment}.txt`);
    writeFileSync(attached, "Nothing of note.\n");
    await place.do(["chat", "--attach", attached, `${SECRETS.message}, tell me of it.`, ...here]);
    const labels = join(place.data, "workspaces", slug, "labels");
    mkdirSync(labels, { recursive: true });
    const label = { id: SECRETS.label, name: SECRETS.label };
    writeFileSync(join(labels, "config.json"), JSON.stringify({ version: 1, labels: [label] }));
    const listed = JSON.parse((await place.do(["sessions", "list", "--json", ...here])).stdout);
    const session = (listed.sessions ?? listed)[0].session;
    await place.do(["sessions", "label", session, "--add", SECRETS.label, ...here]);
    await place.do(["share", "add", session, ...here]);
    await place.do([
        ...["connect", "add", SECRETS.connection, "--provider", "ollama", "--base-url", "http://127.0.0.1:9"],
        ...["--name", SECRETS.connectionName, "--model", "m", "--no-key", "--no-test", "--private", ...here],
    ]);
    await place.do(["connect", "default", SECRETS.connection, ...here]);
    await place.do(["usage", "--limits", "--per-day", "5", "--connection", SECRETS.connection, ...here]);
    await place.do(["agent", "copy", "standards-research", SECRETS.agent, ...here]);
    const agent = ["run", SECRETS.agent, "--yes", "--corpus", SECRETS.base, "--connection", "offline"];
    await place.do([...agent, `How long are ${SECRETS.text} papers kept?`, ...here]);
    await place.do(["connect", "default", SECRETS.connection, "--agent", SECRETS.agent, ...here]);
    const automation = {
        name: SECRETS.automation,
        event: "SchedulerTick",
        cron: "0 9 * * *",
        actions: [{ type: "prompt", prompt: "Go on." }],
    };
    await place.do(["schedule", "add", "-", ...here], { input: JSON.stringify(automation) });
    const project = folderOf(place, `${SECRETS.folder}-code`, "a.txt", "a\n");
    for (const words of [
        ["init", "--quiet", "--initial-branch=main"],
        ["config", "user.name", "Eva"],
        ["config", "user.email", "eva@example.com"],
        ["add", "--all"],
        ["commit", "--quiet", "-m", "first"],
    ])
        assert.equal(spawnSync("git", words, { cwd: project, env: place.environment() }).status, 0);
    await place.do(["task", "create", `Mend the ${SECRETS.task}`, "--yes", ...here], { cwd: project });
    writeFileSync(
        join(place.data, "workspaces", slug, "permissions.json"),
        `{ "rules": [{ "effect": "deny", "${SECRETS.secret}": 1 }] }`,
    );
}

/**
 * A server of a workspace.
 * @param {Place} place
 * @param {string} slug
 */
async function serving(place, slug) {
    const program = place.start(["serve", "--json", "--workspace", slug], { seconds: 300 });
    await program.saw(/\}\n/);
    const { url, token } = JSON.parse(program.stdout);
    /** @param {string} command @param {object | null} params @param {string} [workspace] */
    const call = async (command, params, workspace) => {
        const answer = await fetch(new URL("/api", url), {
            method: "POST",
            headers: { authorization: `Bearer ${token}` },
            body: JSON.stringify({ command, ...(params !== null && { params }), ...(workspace && { workspace }) }),
        });
        return { ok: answer.ok, text: await answer.text() };
    };
    return { program, call };
}

test("every list of the protocol and of the terminal is asked or named with a reason", () => {
    const declared = readingCommands();
    assert.ok(declared.length > 100, `${declared.length} reading commands`);
    assert.deepEqual(
        declared.filter((name) => COMMANDS[name] === undefined),
        [],
        "a reading command that this test does not know: say how it is asked, or why it is not",
    );
    assert.deepEqual(
        Object.keys(COMMANDS).filter((name) => !declared.includes(name)),
        [],
    );
    const told = terminalCommands();
    assert.ok(told.length > 100, `${told.length} commands of the terminal`);
    const named = Object.values(UNASKED).flat();
    assert.deepEqual(
        told.filter((name) => TERMINAL[name] === undefined && !named.includes(name)),
        [],
        "a command of the terminal that this test does not know: say how it is asked, or why it is not",
    );
    assert.deepEqual(
        [...Object.keys(TERMINAL), ...named].filter((name) => !told.includes(name)),
        [],
    );
});

for (const [filled, walked] of [
    ["default", "client-b"],
    ["client-a", "client-b"],
    ["client-a", "default"],
])
    test(`in ${walked} there is nothing of ${filled}`, async (context) => {
        const place = Place.for(context);
        for (const name of ["Client A", "Client B"]) await place.do(["workspace", "create", name]);
        await fill(place, filled);

        // The other client has a deal, too: nothing of the first one's is in its way, or told of.
        const here = ["--workspace", walked];
        const text = "# Lease\n\n1.1 The lease ends with six months notice.\n";
        const folder = folderOf(place, "own/deal", "lease.md", text);
        const made = await place.do(["kb", "ingest", folder, "--base", "deal", ...here]);
        assert.match(made.stdout, /^deal g000001: /);
        const asked = await place.do([
            "run",
            "standards-research",
            "--yes",
            "With how many months notice does it end?",
            ...here,
        ]);
        assert.match(document(asked).markdown, /six months notice/, "without a base the newest here is asked");
        assert.match(asked.stderr, /asking the knowledge base deal, your newest/);
        const { session, run } = JSON.parse((await place.do(["show", "--json", ...here])).stdout);
        const [{ id }] = (await place.do(["kb", "search", "--base", "deal", "--json", "notice", ...here])).stdout
            .split("\n")
            .filter((line) => line !== "")
            .map((line) => JSON.parse(line));
        const own = { session, run, base: "deal", id, folder };
        assert.deepEqual(leaked(asked.stdout + asked.stderr + made.stdout + made.stderr), []);

        const { program, call } = await serving(place, filled);
        await call("draft_save", { key: "new", text: SECRETS.draft });
        const ingest = { base: SECRETS.base, paths: [join(place.work, SECRETS.folder)] };
        assert.ok((await call("base_ingest", ingest)).ok, "a job of the other workspace is listed there");
        /** @type {string[]} */
        const faults = [];
        for (const [command, ask] of Object.entries(COMMANDS)) {
            if (typeof ask === "string") continue;
            for (const params of ask(own)) {
                // What was asked for is no leak where it is said again.
                const given = leaked(JSON.stringify(params ?? ""));
                const answer = await call(command, params, walked);
                const found = leaked(answer.text).filter(
                    (word) => !given.includes(word.toLowerCase()) && !given.includes(word),
                );
                if (found.length > 0)
                    faults.push(
                        `${command} ${JSON.stringify(params)}: ${found.join(", ")} in ${answer.text.slice(0, 1500)}`,
                    );
                assert.doesNotMatch(
                    answer.text,
                    /"code":"invalid_input","message":"(?:missing|unknown) field|is no command/,
                    command,
                );
            }
        }
        assert.equal(faults.join("\n"), "");
        for (const [command, ask] of Object.entries(TERMINAL)) {
            if (typeof ask === "string") continue;
            for (const words of ask(own)) {
                const given = leaked(words.join(" "));
                const ended = await place.run([...words, ...here]);
                const said = ended.stdout + ended.stderr;
                if (/^error: (?:unexpected|unrecognized|the following|invalid)/m.test(said))
                    faults.push(`${command}: ${said}`);
                const found = leaked(said).filter((word) => !given.includes(word));
                if (found.length > 0) faults.push(`${words.join(" ")}: ${found.join(", ")} in ${said.slice(0, 1500)}`);
            }
        }
        assert.deepEqual(faults, []);

        // The servers for models list what is this workspace's.
        program.kill("SIGTERM");
        await program.ended;
    });

/**
 * The names of a workspace's own bases.
 * @param {Place} place
 * @param {string} slug
 */
async function bases(place, slug) {
    const listed = JSON.parse((await place.do(["kb", "list", "--json", "--workspace", slug])).stdout);
    return listed
        .map((/** @type {any} */ base) => base.name)
        .filter((/** @type {string} */ name) => !name.startsWith("isa-"));
}

/** @param {Place} place @param {string} name @param {string} words */
const papers = (place, name, words) => folderOf(place, name, "papers.md", `# Papers\n\n1.1 ${words}\n`);

test("a base is shared on purpose, which both sides show, and only its own workspace changes it", async (context) => {
    const place = Place.for(context);
    await place.do(["workspace", "create", "Client B"]);
    const there = ["--workspace", "client-b"];
    await place.do([
        "kb",
        "ingest",
        papers(place, "deal", "The deal closes in May, after twelve weeks."),
        "--base",
        "deal",
    ]);
    await place.do(["kb", "ingest", papers(place, "other", "The other deal."), "--base", "deal", ...there]);
    const shared = await place.do(["kb", "share", "deal", "--with", "client-b"]);
    assert.match(shared.stdout, /^deal is shared with client-b$/m);
    assert.match((await place.do(["kb", "list"])).stdout, /^deal .* shared with client-b$/m);
    assert.match((await place.do(["kb", "list", ...there])).stdout, /^deal-default .* shared by default$/m);
    assert.deepEqual(await bases(place, "client-b"), ["deal", "deal-default"]);
    const found = await place.do(["kb", "search", "--base", "deal-default", "closes", ...there]);
    assert.match(found.stdout, /closes in May/);
    const asked = [
        "run",
        "standards-research",
        "--yes",
        "--corpus",
        "deal-default",
        "When does the deal close?",
        ...there,
    ];
    assert.match(document(await place.do(asked)).markdown, /closes in May/);
    for (const refused of [
        ["kb", "ingest", papers(place, "x", "No."), "--base", "deal-default", ...there],
        ["kb", "remove", "deal-default", "--yes", ...there],
        ["kb", "share", "deal-default", "--with", "default", ...there],
    ]) {
        const ended = await place.run(refused);
        assert.notEqual(ended.code, 0, refused.join(" "));
        assert.match(ended.stderr, /shared by the workspace default/, refused.join(" "));
    }
    const unknown = await place.run(["kb", "share", "deal", "--with", "nowhere"]);
    assert.match(unknown.stderr, /there is no workspace "nowhere"/);
    await place.do(["kb", "share", "deal", "--with", "client-b", "--stop"]);
    assert.deepEqual(await bases(place, "client-b"), ["deal"]);
    // What was asked while it was shared still opens.
    const cited = await place.do(["show", "--citation", "1", ...there]);
    assert.match(cited.stdout, /closes in May/);
});

test("a folder is one base, whatever it is handed to, and renewed when its files have changed", async (context) => {
    const place = Place.for(context);
    const deal = papers(place, "northwind/deal", "The deal closes in May.");
    await place.do(["kb", "ingest", deal, "--base", "northwind"]);
    const ask = (/** @type {string} */ folder) =>
        place.do(["run", "standards-research", "--yes", "--corpus", folder, "When does the deal close?"]);
    await ask("./northwind/deal");
    await ask("./northwind/../northwind/deal/");
    assert.deepEqual(await bases(place, "default"), ["northwind"]);
    papers(place, "northwind/deal", "The deal closes in June.");
    assert.match(document(await ask(deal)).markdown, /closes in June/);
    assert.match((await place.do(["kb", "list"])).stdout, /^northwind .* g000002 /m);
    // Dropped on the window: the core finds the base, too.
    const ingest = { base: "", title: "deal", tier: "guide", citation: "", paths: [`${deal}/`], rules: "", model: "" };
    const [job] = await place.through([["base_ingest", { ...ingest, watch: false }]]);
    assert.equal(job.subject, "northwind");
    // Others of the same name are told apart by where they lie.
    await ask(papers(place, "acme/deal", "The deal closes in July."));
    await ask(papers(place, "zenith/deal", "The deal closes in August."));
    assert.deepEqual(await bases(place, "default"), ["deal", "deal-zenith", "northwind"]);
});

test("bases of an earlier version go to those who used them, and old answers open wherever their session is", async (context) => {
    const place = Place.for(context);
    await place.do(["workspace", "create", "Client B"]);
    const there = ["--workspace", "client-b"];
    for (const name of ["used", "both", "unused"]) {
        await place.do(["kb", "ingest", papers(place, name, `The ${name} quota is twelve.`), "--base", name]);
        await place.do(["kb", "share", name, "--with", "client-b"]);
    }
    const ask = (/** @type {string} */ base, /** @type {string[]} */ ...more) =>
        place.do(["run", "standards-research", "--yes", "--corpus", base, "What is the quota?", ...more]);
    await ask("both");
    await ask("both", ...there);
    await ask("used", ...there);
    // As an earlier version left them: no base says whose it is.
    for (const name of ["used", "both", "unused"]) rmSync(join(place.data, "knowledge", name, "belongs.json"));
    rmSync(join(place.data, "knowledge", ".workspaces"));
    await place.do(["sessions", "list"]);
    assert.deepEqual(await bases(place, "default"), ["both", "unused"]);
    assert.deepEqual(await bases(place, "client-b"), ["both", "used"]);
    assert.match((await place.do(["kb", "list"])).stdout, /^both .* shared with client-b$/m);
    const { session, run } = JSON.parse((await place.do(["show", "--json", ...there])).stdout);
    const cites = async (/** @type {string[]} */ ...more) =>
        assert.match((await place.do(["show", run, "--citation", "1", ...more])).stdout, /used quota is twelve/);
    await cites(...there);
    await place.do(["workspace", "move", session, "--to", "default"]);
    await cites();
    assert.deepEqual(await bases(place, "default"), ["both", "unused"], "the base stays where it is");

    // A workspace that goes takes its bases where its sessions go.
    const removed = await place.do(["workspace", "remove", "client-b", "--move-to", "default"]);
    assert.match(removed.stderr, /knowledge bases moved to default: 1/);
    assert.deepEqual(await bases(place, "default"), ["both", "unused", "used"]);
    await place.do(["workspace", "create", "Client C"]);
    await place.do(["kb", "ingest", papers(place, "c", "Nothing."), "--base", "kept", "--workspace", "client-c"]);
    const trash = (await place.do(["workspace", "remove", "client-c"])).stdout.trim();
    await place.do(["workspace", "create", "Client C"]);
    assert.deepEqual(await bases(place, "client-c"), [], "a new workspace of that name has nothing of it");
    await place.do(["workspace", "remove", "client-c"]);
    await place.do(["workspace", "restore", trash]);
    assert.deepEqual(await bases(place, "client-c"), ["kept"]);
});

test("servers for models, and what automations begin, know the bases of their workspace alone", async (context) => {
    const place = Place.for(context);
    await place.do(["workspace", "create", "Client B"]);
    const there = ["--workspace", "client-b"];
    await place.do(["kb", "ingest", papers(place, "secret", "The quokka quota."), "--base", "quokkabase"]);
    await place.do(["kb", "ingest", papers(place, "own", "The own quota."), "--base", "deal", ...there]);
    for (const [era, greet] of ERAS) {
        const client = new Client(place, ["knowledge", "--base", "deal", ...there]);
        const request = await greet(client);
        const ask = async (/** @type {string} */ name, /** @type {object} */ args) =>
            JSON.stringify(await request("tools/call", { name, arguments: args }));
        const listed = await ask("kb_list", {});
        const found = await ask("kb_search", { query: "quota" });
        const unknown = await ask("kb_search", { query: "quota", base: "nothing" });
        const hidden = await ask("kb_search", { query: "quota", base: "quokkabase" });
        const resources = JSON.stringify(await request("resources/list"));
        assert.match(found, /own quota/, era);
        assert.match(unknown, /there are: deal/, era);
        assert.match(hidden, /there is no knowledge base/, era);
        assert.deepEqual(
            [listed, found, unknown, resources].filter((answer) => /quokka/.test(answer)),
            [],
            era,
        );
        client.server.kill("SIGKILL");
    }
});

test("a connection that is marked private exists in its workspace and those it is shared with", async (context) => {
    const place = Place.for(context);
    await place.do(["workspace", "create", "Client B"]);
    const there = ["--workspace", "client-b"];
    const add = ["--provider", "ollama", "--base-url", "http://127.0.0.1:9", "--model", "m", "--no-key", "--no-test"];
    await place.do(["connect", "add", "house", ...add, "--private"]);
    const listed = async () => (await place.do(["connect", "list", ...there])).stdout;
    assert.doesNotMatch(await listed(), /house/);
    const refused = await place.run(["chat", "--connection", "house", "Hello", ...there]);
    assert.match(refused.stderr, /there is no connection "house"; the connections are offline$/m);
    // The name is free there, and what stands behind it here stays.
    await place.do(["connect", "add", "house", ...add, "--name", "Theirs", ...there]);
    assert.match(await listed(), /house-client-b/);
    assert.match((await place.do(["connect", "share", "house", "--with", "client-b"])).stdout, /default, client-b/);
    assert.match(await listed(), /^. house /m);
    const foreign = await place.run(["connect", "share", "house", ...there]);
    assert.match(foreign.stderr, /is the workspace default's, which alone shares it/);
    await place.do(["connect", "share", "house"]);
    assert.doesNotMatch(await listed(), /^. house /m);
    assert.match((await place.do(["connect", "share", "house", "--all"])).stdout, /in every workspace/);
    assert.match(await listed(), /^. house /m);
});
