// Several workspaces and files that change while the program runs: a terminal beside a server, each seeing what the other did.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { Core } from "./core.mjs";
import { Place, until } from "./lib.mjs";
import { ResearchModel } from "./model.mjs";

/**
 * @param {Place} place
 * @param {string[]} [more]
 */
async function serving(place, more = []) {
    const program = place.start(["serve", "--json", ...more], { seconds: 120 });
    await program.saw(/\}\n/);
    const { url, token } = JSON.parse(program.stdout);
    /**
     * @param {string} command
     * @param {object | undefined} [params]
     * @param {string} [workspace]
     */
    const call = async (command, params, workspace) => {
        const answer = await fetch(new URL("/api", url), {
            method: "POST",
            headers: { authorization: `Bearer ${token}` },
            body: JSON.stringify({
                command,
                ...(params !== undefined && { params }),
                ...(workspace !== undefined && { workspace }),
            }),
        });
        const body = await answer.json();
        return answer.ok ? body.ok : { status: answer.status, ...body };
    };
    return { program, url, call, core: await Core.of(place.data) };
}

/**
 * Waits until surfaces are told of a tag.
 * @param {Core} core
 * @param {string} tag
 */
async function told(core, tag) {
    const seen = () =>
        core.events.some(({ changed, event, value }) =>
            (changed ?? (event === "changed" ? value : []))?.includes?.(tag),
        );
    assert.ok(await until(seen, 20_000), `nobody told of ${tag}: ${JSON.stringify(core.events)}`);
    core.events.length = 0;
}

test("a terminal beside a server: each sees at once what the other one did", async (context) => {
    const place = Place.for(context);
    const { call, core } = await serving(place);
    const slug = (await place.do(["workspace", "create", "The Lab"])).stdout.trim();
    assert.equal(slug, "the-lab");
    await told(core, "workspaces");
    assert.deepEqual(
        (await call("workspace_list")).map((/** @type {any} */ row) => row.id),
        ["default", "the-lab"],
    );
    await place.do(["workspace", "use", "the-lab"]);
    assert.equal((await call("settings_show")).workspace, "the-lab");

    const said = await place.do(["chat", "--workspace", "default", "Hello there."]);
    assert.equal(said.code, 0);
    await told(core, "sessions");
    assert.equal((await call("session_list", {}, "default")).sessions.length, 1);
    assert.equal((await call("session_list", {}, "the-lab")).sessions.length, 0);
    const { id } = await call("workspace_create", { name: "Shop" });
    assert.match((await place.do(["workspace", "list"])).stdout, new RegExp(`^  ${id} .*Shop`, "m"));

    const unknown = await place.run(["workspace", "use", "nowhere"]);
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /there is no workspace "nowhere"; the workspaces are default, shop, the-lab/);
    core.end();
});

test("settings edited by hand count at once; broken ones are named, stay in use and are never written over", async (context) => {
    const place = Place.for(context);
    await place.do(["workspace", "create", "The Lab"]);
    const { program, call, core } = await serving(place);
    const file = join(place.data, "settings.json");
    writeFileSync(file, '{ "workspace": "the-lab", "zoom": 1.2, "note": "größer" }');
    await told(core, "settings");
    assert.equal((await call("settings_show")).workspace, "the-lab");
    assert.match((await place.do(["workspace", "list"])).stdout, /^\* the-lab /m);

    const broken = '{\n  "workspace": "default",\n  "zoom": "groß"\n}\n';
    writeFileSync(file, broken);
    await told(core, "problems");
    assert.equal((await call("settings_show")).workspace, "the-lab");
    core.end();
    program.kill("SIGKILL");
    await program.ended;

    const doctor = await place.run(["doctor"]);
    assert.ok(doctor.stdout.includes(`${file}:3 /zoom: expected `), doctor.stdout);
    assert.equal(doctor.stdout.split("settings.json:3").length, 2, doctor.stdout);
    assert.match((await place.do(["workspace", "list"])).stdout, /^\* the-lab /m);
    await place.do(["workspace", "use", "default"]);
    assert.equal(readFileSync(join(place.data, "settings.broken.json"), "utf8"), broken);
    const written = JSON.parse(readFileSync(file, "utf8"));
    assert.deepEqual([written.workspace, written.zoom, written.note], ["default", 1.2, "größer"]);
    assert.ok(!(await place.run(["doctor"])).stdout.includes("settings.json:"));
});

test("a broken file keeps what it last said, in the server and after a restart, and its line is named", async (context) => {
    const place = Place.for(context);
    const { program, call, core } = await serving(place);
    const folder = join(place.data, "workspaces", "default", "labels");
    const file = join(folder, "config.json");
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, JSON.stringify({ version: 1, labels: [{ id: "bug", name: "Bug" }] }));
    await told(core, "organisation");
    const names = async () => (await call("organise_show")).labels.map((/** @type {any} */ label) => label.name);
    assert.deepEqual(await names(), ["Bug"]);

    writeFileSync(`${file}.new`, '{\n  "version": 1,\n  "labels": [{"id": "bug",, }]\n}\n');
    renameSync(`${file}.new`, file);
    await told(core, "problems");
    assert.deepEqual(await names(), ["Bug"]);
    const [problem] = await call("config_problems");
    assert.deepEqual([problem.part, problem.file, problem.line, problem.kept], ["labels", file, 3, true]);
    const doctor = await place.run(["doctor"]);
    assert.ok(doctor.stdout.includes(`${file}:3: expected JSON`), doctor.stdout);

    core.end();
    program.kill("SIGKILL");
    await program.ended;
    const again = await serving(place);
    assert.deepEqual(
        (await again.call("organise_show")).labels.map((/** @type {any} */ label) => label.name),
        ["Bug"],
    );
    assert.equal((await again.call("config_problems"))[0].line, 3);
    const refused = await again.call("label_edit", { edit: "add", name: "Art" });
    assert.equal(refused.code, "invalid_config");

    writeFileSync(file, JSON.stringify({ version: 1, labels: [{ id: "art", name: "Art" }] }));
    await told(again.core, "problems");
    assert.deepEqual(await again.call("config_problems"), []);
    assert.deepEqual(
        (await again.call("organise_show")).labels.map((/** @type {any} */ label) => label.name),
        ["Art"],
    );
    again.core.end();
});

test("a connection whose entry breaks answers as it last was, says so, and is gone when its entry is", async (context) => {
    const place = Place.for(context);
    const { asked } = await ResearchModel.for(context, place, () => ({ text: "Words." }));
    await place.do(["connect", "list"]);
    const file = join(place.data, "connections.json");
    const right = readFileSync(file, "utf8");
    writeFileSync(file, right.replace('"slug": "model"', '"slug": "model", "silenceSeconds": "long"'));
    const listed = await place.do(["connect", "list"]);
    assert.match(listed.stdout, /^. model .*127\.0\.0\.1/m);
    assert.match(listed.stdout, /`model` is wrong, and its last valid version is in use[^]*silenceSeconds/);
    const doctor = await place.run(["doctor"]);
    assert.equal(doctor.code, 1);
    assert.match(doctor.stdout, /^wrong +connection +the entry of the connection `model` is wrong/m);
    const talk = await place.run(["chat", "--connection", "model", "Hello"]);
    assert.equal(talk.code, 0, talk.stderr);
    assert.ok(asked.length > 0, "its address was asked");
    // So are a test, a sign-in and a key: of what is in use, and the test says what is wrong with the entry.
    const tested = await place.run(["connect", "test", "model"]);
    assert.equal(tested.code, 0, tested.stderr);
    assert.match(`${tested.stdout}${tested.stderr}`, /its last valid version is in use[^]*silenceSeconds/);
    const signIn = await place.run(["connect", "login", "model"]);
    assert.match(signIn.stderr, /`model` has no service to sign in at/);

    writeFileSync(file, JSON.stringify({ version: 1, connections: [] }));
    const gone = await place.run(["chat", "--connection", "model", "Hello"]);
    assert.match(gone.stderr, /no connection .?model/);
    assert.notEqual(gone.code, 0);
});

test("a server of one workspace answers for it, whatever the current one is", async (context) => {
    const place = Place.for(context);
    await place.do(["workspace", "create", "The Lab"]);
    await place.do(["chat", "--workspace", "the-lab", "Hello, lab."]);
    const unknown = await place.run(["serve", "--json", "--workspace", "nowhere"]);
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /there is no workspace "nowhere"; the workspaces are default, the-lab/);
    const shared = await place.run(["serve", "--share", "--workspace", "the-lab"]);
    assert.equal(shared.code, 2);
    assert.match(shared.stderr, /shared pages are of no workspace/);

    const { url, call, core } = await serving(place, ["--workspace", "the-lab"]);
    assert.equal(new URL(url).searchParams.get("workspace"), "the-lab");
    const titles = async (/** @type {string} */ workspace) =>
        (await call("session_list", {}, workspace)).sessions.map((/** @type {any} */ row) => row.title);
    const own = async () => (await call("session_list", {})).sessions.length;
    assert.equal(await own(), 1);
    assert.equal((await titles("the-lab")).length, 1);
    assert.deepEqual(await titles("default"), []);
    await call("turn_send", { message: { text: "Another one." } });
    assert.equal(await own(), 2);
    assert.deepEqual(await titles("default"), []);

    // The current one is the person's, not the server's.
    await place.do(["workspace", "use", "default"]);
    assert.equal(await own(), 2);
    assert.equal((await call("workspace_list")).find((/** @type {any} */ row) => row.current).id, "default");
    core.end();
});
