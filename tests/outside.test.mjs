// What no mode lets a model do unasked: change or delete what lies outside of the session's folders. And what the terminal shows a
// person before a change: where it is, whole.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
    chmodSync,
    lstatSync,
    mkdirSync,
    readFileSync,
    readdirSync,
    readlinkSync,
    symlinkSync,
    writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { Place, jsonLines, which } from "./lib.mjs";
import { Mock } from "./mock.mjs";

const USAGE = { input_tokens: 900, output_tokens: 20 };
const KEY = { MOCK_KEY: "sk-test" };

/**
 * @param {string} folder
 * @param {string[]} [without] names in it that are left out
 * @returns {Record<string, string>} everything below it, with rights and contents; links are not followed
 */
function contents(folder, without = []) {
    /** @type {Record<string, string>} */
    const rows = {};
    for (const name of readdirSync(folder).sort()) {
        if (without.includes(name)) continue;
        const path = join(folder, name);
        const stat = lstatSync(path);
        const what = stat.isSymbolicLink()
            ? readlinkSync(path)
            : stat.isFile()
              ? createHash("sha256").update(readFileSync(path)).digest("hex")
              : "folder";
        rows[name] = `${(stat.mode & 0o7777).toString(8)} ${what}`;
        if (stat.isDirectory())
            for (const [below, row] of Object.entries(contents(path))) rows[`${name}/${below}`] = row;
    }
    return rows;
}

/** @param {string} folder @param {string[]} args */
function git(folder, ...args) {
    const who = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
    const ran = spawnSync("git", [...who, ...args], { cwd: folder, encoding: "utf8" });
    assert.equal(ran.status, 0, ran.stderr);
    return ran.stdout;
}

/** Commands that reach out of the folder: by their words, by what only runs, by links, by git. */
const hostile = (/** @type {{ home: string, other: string }} */ { home, other }) => [
    "rm -rf ~/keep ~/keys",
    'rm -rf "$HOME/keep"',
    `rm -rf ${other}`,
    "rm -rf ../keep",
    "cd .. && rm -rf keep keys",
    "cd ..; echo gone > keep/a",
    "echo x > ../made",
    "echo x >> ~/.profile",
    "touch ../made",
    "mkdir -p ~/made/deep",
    "chmod -R 000 ~/keep",
    "mv ../keep .",
    "cp -r . ../made",
    "ln -s / ../made",
    "find .. -name a -delete",
    "sed -i s/one/two/ ../keep/a",
    "dd if=/dev/zero of=../keep/a count=1",
    "truncate -s 0 ../keep/a",
    "up=up; rm -rf $up/keep",
    "rm -rf up/keep",
    "echo x > up/keep/a",
    "echo x > dangling",
    "cp notes.txt up/made",
    "for f in ../keep/*; do rm $f; done",
    "(rm -rf ../keep)",
    "bash -c 'rm -rf ~/keep'",
    "eval 'rm -rf ~/keep'",
    "find . -maxdepth 0 -exec sh -c 'rm -rf ~/keep' ';'",
    "echo ../keep | xargs rm -rf",
    `python3 -c 'import shutil; shutil.rmtree("${home}/keep")'`,
    `python3 - <<'X'\nimport os\nos.remove("${home}/keep/a")\nX`,
    `perl -e 'unlink "${home}/keep/a"'`,
    `node -e 'require("fs").rmSync("${home}/keep", {recursive: true})'`,
    `awk 'BEGIN { system("rm -rf ${home}/keep") }'`,
    "tar cf a.tar notes.txt && tar xf a.tar -C ..",
    "tar cPf a.tar notes.txt --transform 's|^|../made-|' && tar xPf a.tar",
    `git -C ${other} checkout -q -b evil`,
    `git -C ${other} commit --allow-empty -qm evil`,
    `cd ${other} && git branch evil`,
    `GIT_DIR=${other}/.git git branch evil`,
    `git --git-dir=${other}/.git update-ref refs/heads/evil HEAD`,
    `rm -rf ${other}/.git/refs`,
    `nohup sh -c 'sleep 0.2; rm -rf ${home}/keep' >/dev/null 2>&1 &`,
    "crontab -l; echo '* * * * * true' | crontab -",
    "ln up/keep/a hard && echo x > hard",
    "mkfifo p; (echo x > p &) ; cat p > up/made",
];

/** Commands of work in the folder, which nobody is asked about where commands can be held to it. */
const honest = [
    "echo x > new.txt && cat new.txt",
    "mkdir -p a/b && touch a/b/c && chmod 755 a/b/c && cp -p a/b/c d && mv d e && rm e",
    "git init -q && git add -A && git -c user.name=A -c user.email=a@example.org commit -qm First && git log --format=%s",
    'python3 -c \'open("made", "w").write("x")\'',
    "sed -i s/nothing/something/ notes.txt",
    "for f in *.txt; do wc -l $f; done",
    "echo x > /tmp/scratch && cat /tmp/scratch",
];

for (const confined of [true, false]) {
    const name = `in Auto nothing outside of the folders is changed unasked, ${confined ? "with" : "without"} bubblewrap`;
    test(name, { skip: confined && which("bwrap") === undefined && "bubblewrap is not installed" }, async (context) => {
        const place = Place.for(context);
        const [home, folder, other] = [place.user, join(place.user, "app"), join(place.work, "other")];
        for (const made of [folder, other, join(home, "keep"), join(home, "keys")])
            mkdirSync(made, { recursive: true });
        writeFileSync(join(home, "keep", "a"), "one\n");
        writeFileSync(join(home, "keys", "b"), "two\n", { mode: 0o600 });
        writeFileSync(join(home, ".profile"), "# mine\n");
        chmodSync(home, 0o755);
        writeFileSync(join(folder, "notes.txt"), "nothing in particular\n");
        symlinkSync("..", join(folder, "up"));
        symlinkSync("../made", join(folder, "dangling"));
        git(other, "init", "-q", "-b", "main");
        git(other, "commit", "--allow-empty", "-qm", "First");
        const commands = hostile({ home, other });
        const asks = (/** @type {string} */ message, /** @type {string[]} */ commands, seconds = 10) => ({
            match: { userMessage: message, hasToolResult: false },
            response: {
                toolCalls: commands.map((command) => ({
                    name: "shell",
                    arguments: JSON.stringify({ command, timeout_seconds: seconds }),
                })),
                usage: USAGE,
            },
        });
        const mock = await Mock.for(context, place, [
            asks("Work.", honest, 120),
            ...commands.map((command, index) => asks(`Case ${index}.`, [command])),
            { match: {}, response: { content: "Done.", usage: USAGE } },
        ]);
        const env = { ...KEY, ...(confined ? {} : { AGENTNATIVE_BWRAP: "none" }) };
        const provider = ["--provider", "anthropic", "--base-url", mock.address, "--model", "claude-sonnet-5-5"];
        await place.do(["connect", "add", "mock", ...provider, "--key-env", "MOCK_KEY"], { env });
        const outside = () => ({
            home: contents(home, ["app", ".local", ".cache", ".config"]),
            other: contents(other),
        });
        const before = outside();
        const chat = async (/** @type {string} */ message) => {
            const args = ["chat", "--connection", "mock", "--folder", folder, "--mode", "allow-all", "--json", message];
            const done = await place.run(args, { env, cwd: folder });
            assert.equal(done.code, 0, done.stderr + done.stdout.slice(-2_000));
            const { steps } = jsonLines(done.stdout).at(-1).turn;
            return steps.filter((/** @type {any} */ step) => step.kind === "tool");
        };
        /** @type {Record<string, number>} */
        const counts = {};
        for (const [index, command] of commands.entries()) {
            const [step] = await chat(`Case ${index}.`);
            counts[step.status] = (counts[step.status] ?? 0) + 1;
            assert.deepEqual(outside(), before, command);
        }
        context.diagnostic(`${commands.length} commands: ${JSON.stringify(counts)}`);
        const worked = await chat("Work.");
        assert.deepEqual(
            worked.map((/** @type {any} */ step) => step.status),
            confined ? honest.map(() => "ok") : worked.map((/** @type {any} */ step) => step.status),
            JSON.stringify(worked).slice(0, 4_000),
        );
        // A command whose time is up, or that failed, was carried out as well: what it came to tells.
        for (const step of worked.filter((/** @type {any} */ step) => step.status === "ok"))
            assert.match(step.summary, /^exit code 0\b/, `${step.intent}: ${step.summary}`);
        assert.equal(worked[0].status, "ok");
        assert.equal(readFileSync(join(folder, "new.txt"), "utf8"), "x\n");
    });
}

test(
    "a question in the terminal shows the lines that change, and names every part that reaches outside",
    { skip: which("script") === undefined && "skipped: `script` is not installed" },
    async (context) => {
        const place = Place.for(context);
        const folder = join(place.work, "folder");
        mkdirSync(folder);
        const lines = Array.from({ length: 2_000 }, (_, at) => `line ${at + 1} of the file`);
        writeFileSync(join(folder, "long.txt"), `${lines.join("\n")}\n`);
        const changed = lines.map((line, at) =>
            at === 9 ? "the first change" : at === 1_989 ? "the second change" : line,
        );
        const call = (/** @type {string} */ name, /** @type {object} */ args) => ({
            name,
            arguments: JSON.stringify(args),
        });
        const mock = await Mock.for(context, place, [
            {
                match: { userMessage: "Change", hasToolResult: false },
                response: {
                    toolCalls: [
                        call("read", { path: "long.txt" }),
                        call("write", { path: "long.txt", content: `${changed.join("\n")}\n` }),
                        call("shell", {
                            command: "npm test; cp long.txt ../copy; rm -rf ../other",
                            description: "run tests",
                        }),
                    ],
                    usage: USAGE,
                },
            },
            { match: {}, response: { content: "Done.", usage: USAGE } },
        ]);
        const provider = ["--provider", "anthropic", "--base-url", mock.address, "--model", "claude-sonnet-5-5"];
        await place.do(["connect", "add", "mock", ...provider, "--key-env", "MOCK_KEY"], { env: KEY });
        const args = ["chat", "--connection", "mock", "--folder", folder, "--mode", "ask", "Change two lines."];
        const run = place.start(args, { env: KEY, terminal: true, open: true });
        await run.saw(/Number, n, or a reason to deny > $/);
        const shown = run.stdout;
        assert.match(shown, /2 lines added, 2 removed/);
        for (const part of [
            "- line 10 of the file",
            "+ the first change",
            "- line 1990 of the file",
            "+ the second change",
            "line 9 of the file",
        ])
            assert.ok(shown.includes(part), `${part}: ${shown.slice(-3_000)}`);
        assert.ok(!shown.includes("line 1000 of the file"), "what stays is left out");
        run.say("n\r");
        await run.saw(/rm[^]*Number, n, or a reason to deny > $/);
        const asked = run.stdout.slice(shown.length);
        const [remove, copy, tests] = ["../other", "../copy", "`npm`"].map((part) => asked.indexOf(part));
        assert.ok(remove >= 0 && remove < copy && copy < tests, asked);
        run.say("n\r");
        assert.equal((await run.ended).code, 0);
    },
);
