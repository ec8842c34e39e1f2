// The checks and the runner behind `npm test`, over small trees that are wrong on purpose.

import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";

import { Counts } from "../.scripts/counts.mjs";
import { checkInvariants } from "../.scripts/invariants.mjs";
import { ROOT, ask, run, which } from "../.scripts/process.mjs";
import { researchArguments } from "../.scripts/research-arguments.mjs";
import { runPrograms } from "../.scripts/test-programs.mjs";
import { findUnused } from "../.scripts/unused-deps.mjs";

/**
 * A tree that the checks have nothing against, with some files changed.
 * @param {import("node:test").TestContext} context
 * @param {Record<string, string>} files
 */
function tree(context, files) {
    const root = mkdtempSync(join(tmpdir(), "agentnative-tree-"));
    context.after(() => rmSync(root, { recursive: true, force: true }));
    const crate = (/** @type {string} */ name, dependencies = "") =>
        `[package]\nname = "${name}"\n\n[lints]\nworkspace = true\n\n[dependencies]\n${dependencies}`;
    const sound = {
        "Cargo.toml": '[workspace]\n\n[workspace.dependencies]\nserde = "1"\n',
        "Cargo.lock": "",
        "CONTRIBUTING.md":
            "## Glossary\n\n| term | meaning | not this |\n|---|---|---|\n| run | one execution | job |\n\n## Texts\n",
        "package.json": "{}",
        "package-lock.json": '{ "packages": {} }',
        "src-tauri/crates/domain/Cargo.toml": crate("domain", "serde.workspace = true\n"),
        "src-tauri/crates/domain/src/lib.rs": "#![warn(clippy::wildcard_enum_match_arm)]\nuse serde::Serialize;\n",
        "src-tauri/crates/pipeline/Cargo.toml": crate("pipeline", 'domain = { path = "../domain" }\n'),
        "src-tauri/crates/pipeline/src/lib.rs": "#![warn(clippy::wildcard_enum_match_arm)]\nuse domain::Run;\n",
    };
    for (const [name, text] of Object.entries({ ...sound, ...files })) {
        mkdirSync(dirname(join(root, name)), { recursive: true });
        writeFileSync(join(root, name), text);
    }
    return root;
}

test("a sound tree has no finding", (context) => {
    const root = tree(context, {});
    assert.deepEqual([...checkInvariants(root), ...findUnused(root)], []);
});

const LIB = "src-tauri/crates/pipeline/src/lib.rs";
const MANIFEST = "src-tauri/crates/pipeline/Cargo.toml";
const manifest = (/** @type {string} */ dependencies) =>
    `[package]\nname = "pipeline"\n\n[lints]\nworkspace = true\n\n[dependencies]\n${dependencies}`;

for (const [rule, files, finding] of /** @type {[string, Record<string, string>, RegExp][]} */ ([
    ["a machine that links a runtime", { [MANIFEST]: manifest('tokio = "1"\n') }, /pipeline: depends on tokio/],
    [
        "a crate below the shell that knows tauri",
        { [MANIFEST]: manifest('tauri = "2"\n') },
        /pipeline: depends on tauri/,
    ],
    [
        "a machine that reads the clock",
        { [LIB]: "fn now() { SystemTime::now(); }\n" },
        /lib\.rs:1: pipeline reads no clock/,
    ],
    [
        "an error that is only text",
        { [LIB]: "fn f() -> Result<(), String> {}\n" },
        /lib\.rs:1: an error without a type/,
    ],
    ["a limit without its unit", { [LIB]: "const MOST: usize = 3;\n" }, /lib\.rs:1: a limit is named MAX_/],
    ["a type named after a participle", { [LIB]: "struct Told;\n" }, /lib\.rs:1: Told: a type is named after its noun/],
    ["a word that the glossary replaced", { [LIB]: "struct JobList;\n" }, /JobList: the glossary says run, not job/],
    [
        "a function named by a word that the glossary replaced",
        { [LIB]: "pub async fn open_jobs() {}\n" },
        /lib\.rs:1: open_jobs: the glossary says run, not job/,
    ],
    [
        "an export of the page named by a word that the glossary replaced",
        { "ui/src/list.tsx": "export function JobLine() {}\n" },
        /list\.tsx:1: JobLine: the glossary says run, not job/,
    ],
    ["a file of 701 lines", { [LIB]: "\n".repeat(701) }, /lib\.rs:701: 701 lines/],
    ["an open mark", { [LIB]: `// ${"TO" + "DO"}: later\n` }, /lib\.rs:1: an open mark/],
    ["a path of one machine", { [LIB]: `const A: &str = "/${"home"}/me/x";\n` }, /lib\.rs:1: a path of one machine/],
    ["a stray file at the top", { "notes.txt": "" }, /notes\.txt: does not belong at the top level/],
    [
        "a registry in the lock file",
        { "package-lock.json": '{"packages":{"a":{"resolved":"x"}}}' },
        /package-lock\.json: a names the registry/,
    ],
    ["a version range", { "package.json": '{"devDependencies":{"a":"^1.0.0"}}' }, /package\.json: a is not pinned/],
    [
        "an agent named in the core",
        {
            "agents/x-ray/config.json": '{"slug":"x-ray","controlFlow":{"stages":[{"name":"a_stage"}]}}',
            [LIB]: 'const A: &str = "a_stage";\n',
        },
        /lib\.rs: names "a_stage"/,
    ],
])) {
    test(`${rule} is found`, (context) => {
        assert.match(checkInvariants(tree(context, files)).join("\n"), finding);
    });
}

test("an arm for all other variants of an enum of ours is found, and no other one", (context) => {
    const code = (/** @type {string} */ arms) =>
        `enum Door { Open, Shut, Locked }\nfn f(d: Door) -> u8 {\n    match d {\n${arms}\n    }\n}\n`;
    const found = (/** @type {string} */ arms) =>
        checkInvariants(
            tree(context, {
                "src-tauri/crates/gate/Cargo.toml": manifest("").replace("pipeline", "gate"),
                "src-tauri/crates/gate/src/lib.rs": code(arms),
            }),
        );
    const finding = "src-tauri/crates/gate/src/lib.rs:5: name the other variants of Door";
    assert.deepEqual(found("        Door::Open => { 1 }\n        _ => 2,"), [finding]);
    assert.deepEqual(found('        crate::Door::Open | Door::Shut => f(")", 1),\n        other => other.n(),'), [
        finding,
    ]);
    assert.deepEqual(found("        Door::Open => 1,\n        Door::Shut | Door::Locked => 2,"), []);
    // Another type, an enum of others, a pair, and an arm with a condition.
    assert.deepEqual(found("        Some(Door::Open) => 1,\n        _ => 2,"), []);
    assert.deepEqual(found("        Lock::Open => 1,\n        _ => 2,"), []);
    assert.deepEqual(found("        (Door::Open, 1) => 1,\n        _ => 2,"), []);
    assert.deepEqual(found("        Door::Open => 1,\n        _ if late => 2,\n        Door::Shut => 3,"), []);
});

test("a dependency that no code names is found, with its line", (context) => {
    const root = tree(context, { [MANIFEST]: manifest('domain = { path = "../domain" }\nserde.workspace = true\n') });
    assert.deepEqual(findUnused(root), ["src-tauri/crates/pipeline/Cargo.toml:9: serde is not used"]);
});

test("a dependency that only tests name is sent to the tests' table", (context) => {
    const root = tree(context, {
        [MANIFEST]: manifest('domain = { path = "../domain" }\nserde.workspace = true\n'),
        "src-tauri/crates/pipeline/tests/it.rs": "use serde::Serialize;\n",
    });
    assert.match(findUnused(root).join("\n"), /:9: serde is only used by tests/);
});

test("an entry of the workspace's table that no member takes is found", (context) => {
    const root = tree(context, { "Cargo.toml": '[workspace.dependencies]\nserde = "1"\nrand = "1"\n' });
    assert.deepEqual(findUnused(root), ["Cargo.toml:3: no member depends on rand"]);
});

test("tests are counted from what cargo, Node and Vitest print, in colour too", () => {
    const counts = new Counts();
    counts.read(
        "test result: \u001b[32mok\u001b[0m. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.1s",
    );
    counts.read("test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out");
    counts.read("\u001b[34mℹ pass 4\u001b[39m");
    counts.read("ℹ fail 1");
    counts.read(
        "\u001b[2m      Tests \u001b[22m \u001b[1m\u001b[31m1 failed\u001b[39m\u001b[22m | 5 passed | 2 skipped (8)",
    );
    counts.read("a test that prints: 9 passed");
    assert.deepEqual({ ...counts }, { passed: 24, failed: 4, ignored: 3 });
});

test("the research command passes everything on except the agent", () => {
    assert.deepEqual(researchArguments(["--yes", "q"]), ["run", "isa-deep-research", "--yes", "q"]);
    assert.deepEqual(researchArguments(["--agent", "other", "--depth", "deep", "q"]), [
        "run",
        "other",
        "--depth",
        "deep",
        "q",
    ]);
    assert.deepEqual(researchArguments(["--agent=other", "--", "--agent", "q"]), [
        "run",
        "other",
        "--",
        "--agent",
        "q",
    ]);
});

test("a step that hangs is ended with everything that it started", { skip: process.platform === "win32" }, async () => {
    const mark = `agentnative-hang-${process.pid}`;
    const script = `const {spawn}=require("child_process");spawn(process.execPath,["-e","setInterval(()=>{},1e3)","${mark}"],{stdio:"ignore"});setInterval(()=>{},1e3)`;
    assert.equal(await run(process.execPath, ["-e", script], { minutes: 1 / 60 }), 124);
    assert.equal(ask("ps", ["-A", "-o", "args"]).stdout.includes(`${mark}\n`), false);
});

test("the set-up finds nothing to do the second time", () => {
    const script = join(ROOT, ".scripts", "setup.mjs");
    assert.equal(ask(process.execPath, [script, "--for=program"]).ok, true);
    const again = ask(process.execPath, [script, "--for=program"]);
    assert.deepEqual([again.stdout, again.stderr], ["", "Ready.\n"]);
});

test("the set-up says what to do on a machine without Rust", { skip: process.platform === "win32" }, (context) => {
    const bare = mkdtempSync(join(tmpdir(), "agentnative-bare-"));
    context.after(() => rmSync(bare, { recursive: true, force: true }));
    cpSync(join(ROOT, ".scripts"), join(bare, ".scripts"), { recursive: true });
    cpSync(join(ROOT, "rust-toolchain.toml"), join(bare, "rust-toolchain.toml"));
    mkdirSync(join(bare, "bin"));
    for (const program of ["cc", "ld", "as", "pkg-config"]) {
        const path = which(program);
        if (path !== undefined) symlinkSync(path, join(bare, "bin", program));
    }
    const env = { HOME: bare, PATH: join(bare, "bin"), CARGO_HOME: join(bare, "cargo") };
    const { ok, stdout, stderr } = ask(process.execPath, [join(bare, ".scripts", "setup.mjs"), "--for=program"], {
        env,
        cwd: bare,
    });
    assert.deepEqual([ok, stdout], [false, ""]);
    assert.match(stderr, /^Rust 1\.\d+\.\d+ is missing\. Install rustup[^]*sh\.rustup\.rs/m);
});

/**
 * Test programs that are one line of Node each, run in a folder of their own.
 * @param {import("node:test").TestContext} context
 * @param {Record<string, string>} scripts by name
 */
async function ran(context, scripts) {
    const folder = mkdtempSync(join(tmpdir(), "agentnative-programs-"));
    context.after(() => rmSync(folder, { recursive: true, force: true }));
    const all = Object.entries(scripts).map(([name, script]) => ({
        name,
        program: process.execPath,
        args: ["-e", script],
        folder,
        env: { ...process.env, WORD: name },
    }));
    /** @type {string[]} */
    const lines = [];
    const counts = new Counts();
    const passed = await runPrograms(all, (line) => {
        lines.push(line);
        counts.read(line);
    });
    return { passed, lines, counts: { ...counts }, folder };
}

test("test programs run in their folder with their variables, and what they tell is counted", async (context) => {
    const say = (/** @type {string} */ result) => `console.log(process.env.WORD, process.cwd()); ${result}`;
    const result = (/** @type {number} */ passed) =>
        `console.log("test result: ok. ${passed} passed; 0 failed; 1 ignored; 0 measured")`;
    const { passed, lines, counts, folder } = await ran(context, {
        "one/it": say(result(3)),
        "two/it": say(result(4)),
        "three/it": say(result(5)),
    });
    assert.equal(passed, true);
    assert.deepEqual(counts, { passed: 12, failed: 0, ignored: 3 });
    for (const name of ["one/it", "two/it", "three/it"])
        assert.ok(lines.includes(`${name} ${folder}`), lines.join("\n"));
});

test("a test program that fails or is ended by a signal fails all, and the others still run", async (context) => {
    for (const end of ["process.exit(101)", "process.kill(process.pid, 'SIGSEGV')"]) {
        const other = 'console.log("test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured")';
        const { passed, counts } = await ran(context, { "bad/it": end, "good/it": other, "late/it": other });
        assert.equal(passed, false);
        assert.equal(counts.passed, 2);
    }
});
