// npm run wine: builds the terminal's program for Windows and uses it under Wine: a run, documents, an export, a backup, a reader that
// leaves, and a run that is killed and resumed. Wine refuses less than Windows does; what fails here fails there.

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { CHECKS } from "./build.mjs";
import { mingw, toolchainFor } from "./platforms.mjs";
import { ROOT, ask, environment, run, which } from "./process.mjs";

const TARGET = "x86_64-pc-windows-gnu";
const FOLDER = join(ROOT, "target", "windows");
const PROGRAM = join(FOLDER, TARGET, CHECKS, "agentnative.exe");
const PREFIX = join(ROOT, "target", "wine");
/** Debian has no `wine64` on the path. */
const WINE = ["wine64", "wine", "/usr/lib/wine/wine64"]
    .map((name) => which(name) ?? name)
    .find((path) => existsSync(path));
/** A library of Windows that Rust's standard library imports and Wine 8 lacks. */
const SHIM = `#include <windows.h>
#include <ntsecapi.h>
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE at, SIZE_T left) {
    while (left > 0) {
        ULONG part = left > 0x10000000 ? 0x10000000 : (ULONG)left;
        if (!RtlGenRandom(at, part)) return FALSE;
        at += part;
        left -= part;
    }
    return TRUE;
}
`;
const QUESTION = "How is performance materiality set?";
/** When a run is killed, in milliseconds after its start: before, in and after its stages. */
const KILLS_MS = [700, 1_000, 1_300];

process.exitCode = await main();

/** @returns {Promise<number>} the exit code */
async function main() {
    const [toolchain, c] = [toolchainFor(TARGET), mingw()];
    if (toolchain === undefined || typeof c === "string" || WINE === undefined) {
        const missing = [
            ...(toolchain === undefined ? [`a Rust toolchain with ${TARGET} or with the sources of its library`] : []),
            ...(typeof c === "string" ? [c] : []),
            ...(WINE === undefined ? ["Wine (Debian: wine64)"] : []),
        ];
        console.error(`wine: this machine lacks ${missing.join(" and ")}`);
        return 2;
    }
    const env = { ...environment(), ...toolchain.env, ...c.env, CARGO_TARGET_DIR: FOLDER };
    const build = ["build", "--locked", "--profile", CHECKS, "--target", TARGET, ...toolchain.std, "-p", "cli"];
    if ((await run(toolchain.cargo, build, { env, minutes: 60 })) !== 0) return 1;
    const compiler = c.env.CC_x86_64_pc_windows_gnu ?? "";
    if (!preparePrefix(WINE, compiler)) return 1;
    const folder = mkdtempSync(join(tmpdir(), "agentnative wine ü-"));
    try {
        return await tryProgram(WINE, folder);
    } finally {
        rmSync(folder, { recursive: true, force: true });
    }
}

/**
 * Wine's own folder, with the library that it lacks.
 * @param {string} wine
 * @param {string} compiler
 */
function preparePrefix(wine, compiler) {
    const library = join(PREFIX, "drive_c", "windows", "system32", "bcryptprimitives.dll");
    if (existsSync(library)) return true;
    mkdirSync(PREFIX, { recursive: true });
    ask(wine, ["wineboot", "-i"], { env: wineEnvironment("") });
    const source = join(PREFIX, "shim.c");
    writeFileSync(source, SHIM);
    const built = ask(compiler, ["-shared", "-O1", "-s", "-o", library, source, "-ladvapi32"]);
    if (!built.ok) console.error(built.stderr);
    return built.ok;
}

/** @param {string} home */
function wineEnvironment(home) {
    return { ...environment(), WINEPREFIX: PREFIX, WINEDEBUG: "-all", AGENTNATIVE_HOME: `Z:${home}` };
}

/**
 * @param {string} wine
 * @param {string} folder
 * @returns {Promise<number>} the exit code
 */
async function tryProgram(wine, folder) {
    let failed = 0;
    /**
     * @param {string} what
     * @param {boolean} held
     * @param {string} [detail]
     */
    const check = (what, held, detail = "") => {
        console.log(`${held ? "ok    " : "FAILED"} ${what}`);
        if (!held) {
            failed += 1;
            console.log(detail);
        }
    };
    const home = join(folder, "Höme mit Leer");
    const use = (/** @type {string} */ at, /** @type {string[]} */ ...args) =>
        ask(wine, [PROGRAM, ...args], { env: wineEnvironment(at), cwd: folder });
    const does = (/** @type {string[]} */ ...args) => {
        const { ok, stdout, stderr } = use(home, ...args);
        check(args.slice(0, 2).join(" "), ok, stderr);
        return stdout;
    };
    const answer = does("run", "isa-deep-research", "--yes", QUESTION);
    check("the answer has its title", answer.includes(QUESTION), answer.slice(0, 400));
    const papers = join(folder, "Geschäftsbücher 2025");
    mkdirSync(papers);
    writeFileSync(join(papers, "Prüfung.md"), "# Prüfung\n\nDie Rückstellung beträgt 120 Euro im Geschäftsjahr.\n");
    does("kb", "ingest", `Z:${papers}`, "--name", "papers");
    check("kb search finds the words", does("kb", "search", "Rückstellung", "--base", "papers").includes("120 Euro"));
    does("export", "last", "--format", "docx", "-o", `Z:${join(folder, "Übung.docx")}`);
    check("the export is a file", existsSync(join(folder, "Übung.docx")));
    does("backup", "now");
    const early = ask("sh", ["-c", '"$0" "$@" | head -1', wine, PROGRAM, "agent", "list"], {
        env: wineEnvironment(home),
    });
    check("a reader that leaves is no fault", !early.stderr.includes("panicked"), early.stderr);
    for (const [at, ms] of KILLS_MS.entries()) {
        const killed = join(folder, `killed ${at}`);
        const begun = spawn(wine, [PROGRAM, "run", "isa-deep-research", "--yes", QUESTION], {
            env: wineEnvironment(killed),
            stdio: "ignore",
        });
        await new Promise((resolve) => setTimeout(resolve, ms));
        begun.kill("SIGKILL");
        const resumed = use(killed, "resume", "--last", "--yes");
        // Killed before its first commit, there is nothing to resume; killed after its last, it is completed.
        const nothing = /no run yet|is completed/.test(resumed.stderr);
        check(
            `killed after ${ms} ms, it goes on${nothing ? " (nothing was left to do)" : ""}`,
            resumed.ok || nothing,
            resumed.stderr,
        );
        if (resumed.ok) check("... to the same answer", withoutPath(resumed.stdout) === withoutPath(answer));
    }
    console.log(failed === 0 ? "all held" : `${failed} failed`);
    return failed === 0 ? 0 : 1;
}

/**
 * The answer without the place of its document.
 * @param {string} text
 */
function withoutPath(text) {
    return text.replaceAll(/^.*[\\/]sessions[\\/].*$/gm, "");
}
