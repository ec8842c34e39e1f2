// Makes a fresh machine ready: Rust's pinned toolchain, system packages, crates, and npm packages for the pages.
//
// Installs what is missing and nothing else. What it may not install it names, with the command that does it. A second
// run finds everything done and takes no noticeable time.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { argv } from "node:process";
import { pathToFileURL } from "node:url";

import { ROOT, ask, environment, run, which } from "./process.mjs";
import { manual } from "./manual.mjs";
import { MANAGERS, NEEDS, PURPOSES, includes } from "./packages.mjs";

const STAMP = join(ROOT, "target", "setup.json");

/** @typedef {import("./packages.mjs").Purpose} Purpose */

/**
 * Everything it prints goes to stderr: standard output belongs to the program.
 * @param {{ purpose: Purpose, log?: (text: string) => void }} options
 * @returns {Promise<boolean>} whether the machine is ready; if not, it was said why
 */
export async function setUp({ purpose, log = console.error }) {
    const stamp = readStamp();
    const ready =
        nodeIsNewEnough(log) &&
        (await systemPackages(purpose, log)) &&
        (await toolchain(stamp, log)) &&
        (await crates(stamp, purpose, log)) &&
        (!includes(purpose, "pages") || (await npmPackages(stamp, log)));
    if (ready && JSON.stringify(stamp) !== JSON.stringify(readStamp())) writeStamp(stamp);
    return ready;
}

/** @param {(text: string) => void} log */
function nodeIsNewEnough(log) {
    const [major, minor] = process.versions.node.split(".").map(Number);
    if (major > 20 || (major === 20 && minor >= 19)) return true;
    log(`Node ${process.versions.node} is too old: this needs Node 20.19 or newer (https://nodejs.org/en/download).`);
    return false;
}

/**
 * @param {Purpose} purpose
 * @param {(text: string) => void} log
 */
async function systemPackages(purpose, log) {
    const needs = NEEDS.filter((need) => includes(purpose, need.for));
    const missing = needs.filter((need) => !need.isThere());
    if (missing.length === 0) return true;
    const manager = MANAGERS.find((candidate) => which(candidate.program) !== undefined);
    const names = manager === undefined ? [] : missing.flatMap((need) => need.packages[manager.program] ?? []);
    if (manager !== undefined && names.length > 0) {
        const asRoot = manager.needsRoot && process.getuid?.() !== 0;
        const prefix = asRoot ? ["sudo"] : [];
        const may = !asRoot || (which("sudo") !== undefined && ask("sudo", ["-n", "true"]).ok);
        const commands = manager.commands(names).map((command) => [...prefix, ...command]);
        if (may) {
            log(`Installing ${names.join(", ")} with ${manager.program} …`);
            for (const [program, ...args] of commands) {
                const env = { ...environment(), DEBIAN_FRONTEND: "noninteractive" };
                const code = await run(program, args, { env, toStderr: true, minutes: 20 });
                if (code !== 0)
                    log(
                        `\`${[program, ...args].join(" ")}\` failed (exit code ${code}). Is there a network connection?`,
                    );
            }
        } else {
            log(`These system packages are missing: ${names.join(", ")}. Installing them needs root. Please run`);
            for (const command of commands) log(`  ${command.join(" ")}`);
        }
    }
    let essentialsAreThere = true;
    for (const need of missing.filter((need) => !need.isThere() && !need.lastResort?.())) {
        const names = manager === undefined ? undefined : need.packages[manager.program];
        const where = names === undefined ? need.otherwise : `package ${names.join(", ")}`;
        const kind = need.essential ? "Missing" : need.for === "test" ? "Missing, and some tests need it" : "Missing";
        log(`${kind}: ${need.what} (${where}).`);
        essentialsAreThere &&= !need.essential;
    }
    if (!essentialsAreThere) log("Without that nothing can be built. Install it, then run the same command again.");
    return essentialsAreThere;
}

/**
 * The toolchain that `rust-toolchain.toml` names, with its formatter and linter.
 * @param {Record<string, string>} stamp
 * @param {(text: string) => void} log
 */
async function toolchain(stamp, log) {
    const file = readFileSync(join(ROOT, "rust-toolchain.toml"), "utf8");
    const wanted = /channel\s*=\s*"([^"]+)"/.exec(file)?.[1] ?? "stable";
    const components = [...(/components\s*=\s*\[([^\]]*)\]/.exec(file)?.[1].matchAll(/"([^"]+)"/g) ?? [])].map(
        (hit) => hit[1],
    );
    const digest = hash(file);
    if (stamp.toolchain === digest && which("cargo") !== undefined) return true;
    if (which("rustup") === undefined) {
        const version = ask("rustc", ["--version"]).stdout.split(" ")[1];
        if (version !== undefined && isAtLeast(version, wanted)) {
            log(
                `Using this machine's Rust ${version}; the project is tested with ${wanted} (install rustup to get it).`,
            );
            stamp.toolchain = digest;
            return true;
        }
        log(
            `Rust ${wanted} is missing${version === undefined ? "" : ` (found ${version})`}. Install rustup, which fetches it:\n` +
                "  curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh -s -- -y --profile minimal\n" +
                "then run the same command again. Other ways: https://rustup.rs",
        );
        return false;
    }
    const found = () =>
        ["cargo", "rustc", ...components.map((name) => (name === "clippy" ? "cargo-clippy" : name))].every(
            (program) => ask("rustup", ["which", "--toolchain", wanted, program]).ok,
        );
    if (!found()) {
        log(`Installing Rust ${wanted} with rustup …`);
        const args = ["toolchain", "install", wanted, "--profile", "minimal", "--no-self-update"];
        const code = await run("rustup", [...args, ...components.flatMap((name) => ["-c", name])], {
            toStderr: true,
            minutes: 20,
        });
        if (code !== 0 || !found()) {
            log(
                `rustup could not install Rust ${wanted}. Is there a network connection? Then run the same command again.`,
            );
            return false;
        }
    }
    stamp.toolchain = digest;
    return true;
}

/**
 * Crates of the lock file, so that a missing network is told here in plain words and not in the middle of a build.
 * @param {Record<string, string>} stamp
 * @param {Purpose} purpose
 * @param {(text: string) => void} log
 */
async function crates(stamp, purpose, log) {
    const lock = join(ROOT, "Cargo.lock");
    const digest = existsSync(lock) ? hash(readFileSync(lock, "utf8")) : "";
    if (digest !== "" && stamp.crates === digest) return true;
    const host = /^host: (.*)$/m.exec(ask("rustc", ["-vV"]).stdout)?.[1];
    const args = [
        "fetch",
        ...(purpose === "test" ? ["--locked"] : []),
        ...(host === undefined ? [] : ["--target", host]),
    ];
    const code = await run("cargo", args, { toStderr: true, minutes: 20 });
    if (code !== 0) {
        log(
            "The crates that the program is built from could not be fetched (see above). Is there a network connection?",
        );
        return false;
    }
    stamp.crates = hash(readFileSync(lock, "utf8"));
    return true;
}

/**
 * Packages that the user interface is built from, and that check it and the scripts; the command line needs none.
 * @param {Record<string, string>} stamp
 * @param {(text: string) => void} log
 */
async function npmPackages(stamp, log) {
    const installed = join(ROOT, "node_modules", ".package-lock.json");
    const digest = hash(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
    if (stamp.npm === digest && existsSync(installed)) return true;
    log("Installing npm packages …");
    const code = await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
        toStderr: true,
        minutes: 10,
    });
    if (code !== 0) {
        log("`npm ci` failed (see above). Is there a network connection? Then run the same command again.");
        return false;
    }
    stamp.npm = digest;
    return true;
}

/**
 * @param {string} version
 * @param {string} least
 */
function isAtLeast(version, least) {
    const [a, b] = [version, least].map((text) => text.split(/[.-]/).map(Number));
    for (let i = 0; i < 3; i += 1) {
        if ((a[i] || 0) !== (b[i] || 0)) return (a[i] || 0) > (b[i] || 0);
    }
    return true;
}

/** @param {string} text */
function hash(text) {
    return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** @returns {Record<string, string>} what an earlier run found in order */
function readStamp() {
    try {
        return JSON.parse(readFileSync(STAMP, "utf8"));
    } catch {
        return {};
    }
}

/** @param {Record<string, string>} stamp */
function writeStamp(stamp) {
    mkdirSync(join(ROOT, "target"), { recursive: true });
    const fresh = `${STAMP}.${process.pid}`;
    writeFileSync(fresh, `${JSON.stringify(stamp)}\n`);
    renameSync(fresh, STAMP);
}

if (argv[1] !== undefined && import.meta.url === pathToFileURL(argv[1]).href) {
    const purpose = PURPOSES.find((name) => argv.includes(`--for=${name}`)) ?? "test";
    const ready = await setUp({ purpose });
    if (ready)
        console.error(
            `Ready${purpose === "test" && manual() !== undefined ? `; manual for the tests: ${manual()}` : ""}.`,
        );
    process.exitCode = ready ? 0 : 1;
}
