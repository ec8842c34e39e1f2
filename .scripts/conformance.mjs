// npm run conformance: the Model Context Protocol's own suite against our client and our server transport.
// `-- --reference` also calls every tool of well-known servers through our client; `-- --built` takes the programs as they
// were built last. Needs the network once, for packages.

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { argv } from "node:process";
import { pathToFileURL } from "node:url";

import { cargoEnvironment } from "./build.mjs";
import { ROOT, ask, environment, run } from "./process.mjs";

/** Everything that is installed or written goes here. */
const FOLDER = join(ROOT, "target", "conformance");
const SUITE = "@modelcontextprotocol/conformance";
/** Exact versions: what a range brings tomorrow was not looked at. */
const PACKAGES = { node: "22.23.3", [SUITE]: "0.2.0-alpha.12" };
const REFERENCE_PACKAGES = {
    "@modelcontextprotocol/server-everything": "2026.8.31",
    "@modelcontextprotocol/server-filesystem": "2026.8.31",
    "@modelcontextprotocol/server-memory": "2026.8.31",
    "@modelcontextprotocol/server-sequential-thinking": "2026.8.31",
};
const PYTHON_PACKAGES = {
    "mcp-server-fetch": "2026.10.24",
    "mcp-server-git": "2026.10.19",
    "mcp-server-time": "2026.10.19",
};
/** The frozen sets: what a client and a server must pass. */
const REQUIRED = [
    { version: "2025-11-25", client: 18, server: 30 },
    { version: "2026-07-28", client: 32, server: 37 },
];
const ENDING = process.platform === "win32" ? ".exe" : "";
const BUILT = join(cargoEnvironment().CARGO_TARGET_DIR ?? join(ROOT, "target"), "debug");
const CLIENT = join(BUILT, `sources-conformance-client${ENDING}`);
const SERVER = join(BUILT, `mcp-conformance-server${ENDING}`);
const REFERENCE = join(BUILT, `sources-reference${ENDING}`);
const NODE = join(FOLDER, "node_modules", "node", "bin", `node${ENDING}`);

/**
 * Installs exact versions of packages, once.
 * @param {Record<string, string>} packages
 * @returns {Promise<boolean>}
 */
async function install(packages) {
    const missing = Object.entries(packages).filter(([name, version]) => {
        const file = join(FOLDER, "node_modules", name, "package.json");
        return !existsSync(file) || JSON.parse(readFileSync(file, "utf8")).version !== version;
    });
    if (missing.length === 0 && existsSync(NODE)) return true;
    mkdirSync(FOLDER, { recursive: true });
    const own = join(FOLDER, "package.json");
    if (!existsSync(own)) writeFileSync(own, '{ "private": true }\n');
    const names = missing.map(([name, version]) => `${name}@${version}`);
    const npm = process.platform === "win32" ? "npm.cmd" : "npm";
    const args = ["install", "--no-audit", "--no-fund", "--loglevel=error", "--save-exact", ...names];
    return (await run(npm, args, { cwd: FOLDER, minutes: 15, toStderr: true })) === 0;
}

/**
 * @param {string[]} args of the suite
 * @returns {Promise<string>} what it printed
 */
function suite(args) {
    const program = join(FOLDER, "node_modules", SUITE, "dist", "index.js");
    return printed(NODE, [program, ...args], 5);
}

/**
 * @param {string} program
 * @param {string[]} args
 * @param {number} minutes
 * @returns {Promise<string>} its output, whatever its exit code
 */
function printed(program, args, minutes) {
    return new Promise((resolve) => {
        const child = spawn(program, args, { cwd: FOLDER, env: environment(), stdio: ["ignore", "pipe", "pipe"] });
        let text = "";
        const deadline = setTimeout(() => child.kill("SIGKILL"), minutes * 60_000);
        for (const stream of [child.stdout, child.stderr]) {
            stream.setEncoding("utf8");
            stream.on("data", (piece) => (text += piece));
        }
        child.on("error", (error) => (text += String(error)));
        child.on("close", () => {
            clearTimeout(deadline);
            resolve(text);
        });
    });
}

/**
 * @param {string} text what the suite printed
 * @returns {{ passed: string[], failed: string[], unscored: { passed: number, all: number }, checks: string }}
 */
function score(text) {
    const [scored = "", rest = ""] = text.split(/^Not scored for /m);
    const line = (/** @type {string} */ part, /** @type {string} */ sign) =>
        [...part.matchAll(new RegExp(`^\\s*${sign} (\\S+?)(?::| \\()`, "gm"))].map((found) => found[1] ?? "");
    const unscored = [...line(rest, "✓"), ...line(rest, "✗")];
    const summary = scored.slice(Math.max(scored.lastIndexOf("SUMMARY"), 0));
    const own = (/** @type {string} */ name) => !unscored.includes(name);
    return {
        passed: line(summary, "✓").filter(own),
        failed: line(summary, "✗").filter(own),
        unscored: { passed: line(rest, "✓").length, all: unscored.length },
        checks: /^Total: (.*)$/m.exec(summary)?.[1] ?? "no summary",
    };
}

/**
 * @param {string} side
 * @param {string} version
 * @param {number} required
 * @param {string} text
 * @returns {boolean} whether everything that is required passed
 */
function tell(side, version, required, text) {
    const { passed, failed, unscored, checks } = score(text);
    const whole = passed.length === required && failed.length === 0;
    const more = `not scored: ${unscored.passed}/${unscored.all}; checks in all: ${checks}`;
    console.log(`${whole ? "✓" : "✗"} ${side} ${version}: ${passed.length}/${required} required; ${more}`);
    if (failed.length > 0) console.log(`  failed: ${failed.join(", ")}`);
    if (!whole) writeFileSync(join(FOLDER, `${side}-${version}.log`), text);
    return whole;
}

/**
 * Runs something with our server, which ends when its input does.
 * @param {(url: string) => Promise<boolean>} use
 * @returns {Promise<boolean>}
 */
async function withServer(use) {
    const child = spawn(SERVER, ["0"], { env: environment(), stdio: ["pipe", "pipe", "inherit"] });
    child.stdout.setEncoding("utf8");
    const url = await new Promise((resolve) => {
        child.stdout.once("data", (line) => resolve(String(line).trim()));
        child.once("exit", () => resolve(""));
    });
    try {
        return url !== "" && (await use(url));
    } finally {
        child.stdin.end();
    }
}

/**
 * Lists and calls every tool of the reference servers through our client.
 * @returns {Promise<boolean>}
 */
async function reference() {
    const python = join(FOLDER, "python");
    const bin = join(python, process.platform === "win32" ? "Scripts" : "bin");
    const wanted = Object.entries(PYTHON_PACKAGES).map(([name, version]) => `${name}==${version}`);
    if (!(await install({ ...PACKAGES, ...REFERENCE_PACKAGES }))) return false;
    if (!existsSync(join(bin, `mcp-server-time${ENDING}`))) {
        const made = (await run("python3", ["-m", "venv", python], { minutes: 5, toStderr: true })) === 0;
        const pip = join(bin, `pip${ENDING}`);
        if (!made || (await run(pip, ["install", "--quiet", ...wanted], { minutes: 15, toStderr: true })) !== 0)
            return false;
    }
    const folder = join(FOLDER, "played-with");
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "note.txt"), "A note.\n");
    if (!ask("git", ["init", "--quiet", folder]).ok) return false;
    const script = (/** @type {string} */ name) => [NODE, join(FOLDER, "node_modules", name, "dist", "index.js")];
    const [everything = "", filesystem = "", memory = "", thinking = ""] = Object.keys(REFERENCE_PACKAGES);
    const servers = [
        script(everything),
        [...script(filesystem), folder],
        script(memory),
        script(thinking),
        [join(bin, "mcp-server-git"), "--repository", folder],
        [join(bin, "mcp-server-time")],
        [join(bin, "mcp-server-fetch"), "--ignore-robots-txt"],
    ];
    let whole = true;
    for (const server of servers) {
        const text = await printed(REFERENCE, [folder, ...server], 3);
        const last = text.trim().split("\n").pop() ?? "";
        const good = last.startsWith("tools: ");
        console.log(`${good ? "✓" : "✗"} ${server.find((word) => word.includes("server-")) ?? ""}: ${last}`);
        whole &&= good;
    }
    return whole;
}

/** @returns {Promise<boolean>} */
async function build() {
    const args = ["build", "-p", "sources", "-p", "mcp-servers", "--bins"];
    return (await run("cargo", args, { env: cargoEnvironment(), minutes: 35, toStderr: true })) === 0;
}

/**
 * @param {boolean} withReference
 * @returns {Promise<boolean>} whether all that is required passed
 */
export async function conformance(withReference) {
    if (!(await install(PACKAGES))) return false;
    let whole = true;
    for (const { version, client, server } of REQUIRED) {
        const out = (/** @type {string} */ side) => [
            "--requirements",
            version,
            "-o",
            join(FOLDER, "out", side, version),
        ];
        const asked = await suite(["client", "--command", CLIENT, ...out("client")]);
        whole = tell("client", version, client, asked) && whole;
        const examined = await withServer(async (url) => {
            return tell("server", version, server, await suite(["server", "--url", url, ...out("server")]));
        });
        whole = examined && whole;
    }
    if (withReference) whole = (await reference()) && whole;
    return whole;
}

if (argv[1] !== undefined && import.meta.url === pathToFileURL(argv[1]).href) {
    const built = argv.includes("--built") || (await build());
    process.exitCode = built && (await conformance(argv.includes("--reference"))) ? 0 : 1;
}
