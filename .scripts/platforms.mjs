// Whether the programs compile for the systems that nobody sits at: both for Windows, the terminal's for macOS. `cargo check` needs no
// linker of theirs, but a C compiler and the standard library, of a toolchain with the target or made from its sources.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { CHECKS } from "./build.mjs";
import { ROOT, ask, environment, run, which } from "./process.mjs";

/**
 * @typedef {object} Platform
 * @property {string} name for a person, and of its folder below `target`
 * @property {string} target as rustc calls it
 * @property {string[]} packages that are checked; always the same ones, or features differ and all is checked again
 * @property {() => CrossCompiler | string} compiler for C; a text says what is missing
 */

/**
 * @typedef {object} CrossCompiler
 * @property {string[]} cargo what is put before cargo's own arguments
 * @property {NodeJS.ProcessEnv} env
 */

/** @type {Platform[]} */
const PLATFORMS = [
    {
        name: "windows",
        target: "x86_64-pc-windows-gnu",
        packages: ["cli", "agentnative-desktop"],
        compiler: mingw,
    },
    { name: "macos", target: "x86_64-apple-darwin", packages: ["cli"], compiler: zig },
];

/** The oldest compiler that reads our sources. */
const OLDEST = /^channel = "(\d+)\.(\d+)/m;

/**
 * @typedef {object} Toolchain
 * @property {string} cargo its path
 * @property {NodeJS.ProcessEnv} env
 * @property {string[]} std the arguments with which cargo makes the standard library, where there is none
 */

/**
 * The first toolchain that can compile for a target: one that has it, or one with the sources of the standard library.
 * @param {string} target
 * @returns {Toolchain | undefined}
 */
export function toolchainFor(target) {
    const [, major, minor] = OLDEST.exec(readFileSync(join(ROOT, "rust-toolchain.toml"), "utf8")) ?? [];
    for (const rustc of ["rustc", "/usr/bin/rustc"]) {
        const version = /^rustc (\d+)\.(\d+)/.exec(ask(rustc, ["--version"]).stdout);
        if (version === null || version[1] !== major || Number(version[2]) < Number(minor)) continue;
        const cargo = rustc.replace(/rustc$/, "cargo");
        const env = rustc === "rustc" ? {} : { RUSTC: rustc, PATH: `/usr/bin:${environment().PATH}` };
        const library = ask(rustc, ["--print", "target-libdir", "--target", target]);
        if (library.ok && existsSync(library.stdout.trim())) return { cargo, env, std: [] };
        const sources = join(ask(rustc, ["--print", "sysroot"]).stdout.trim(), "lib/rustlib/src/rust/library/std");
        if (existsSync(sources))
            return { cargo, env: { ...env, RUSTC_BOOTSTRAP: "1" }, std: ["-Zbuild-std=std,panic_unwind"] };
    }
    return undefined;
}

/** @returns {CrossCompiler | string} */
export function mingw() {
    const found = ["x86_64-w64-mingw32-gcc-posix", "x86_64-w64-mingw32-gcc"].find((name) => which(name));
    if (found === undefined) return "the compiler of MinGW-w64 (Debian: gcc-mingw-w64-x86-64-posix)";
    const env = {
        CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER: found,
        CC_x86_64_pc_windows_gnu: found,
        CXX_x86_64_pc_windows_gnu: found.replace("gcc", "g++"),
        AR_x86_64_pc_windows_gnu: "x86_64-w64-mingw32-ar",
    };
    return { cargo: [], env };
}

/** @returns {CrossCompiler | string} */
function zig() {
    if (process.platform === "darwin") return { cargo: [], env: {} };
    if (which("zig") === undefined || which("cargo-zigbuild") === undefined) return "zig and cargo-zigbuild";
    return { cargo: ["zigbuild"], env: {} };
}

/**
 * Checks each platform whose tools are here, and says which were not checked. From nothing a platform takes minutes: unless it is asked
 * for by name it is checked where it was before.
 * @returns {Promise<boolean>} false where something does not compile, or the compiler warns
 */
export async function checkPlatforms() {
    const asked = process.argv.includes("--only");
    for (const { name, target, packages, compiler } of PLATFORMS) {
        const folder = join(ROOT, "target", name);
        if (!asked && !existsSync(folder)) {
            console.log(`${name}: not checked, for nothing was compiled for it yet: npm test -- --only platforms`);
            continue;
        }
        const toolchain = toolchainFor(target);
        const c = compiler();
        if (toolchain === undefined || typeof c === "string") {
            const missing = [
                ...(toolchain === undefined
                    ? [`a Rust toolchain with ${target} or with the sources of its library`]
                    : []),
                ...(typeof c === "string" ? [c] : []),
            ];
            console.log(`${name}: not checked, for want of ${missing.join(" and of ")}`);
            continue;
        }
        const env = {
            ...environment(),
            ...toolchain.env,
            ...c.env,
            CARGO_TARGET_DIR: folder,
            // Warnings are errors of our own crates alone; those of others are capped by cargo.
            RUSTFLAGS: "-Dwarnings",
        };
        const args = ["check", "--locked", "--profile", CHECKS, "--target", target, ...toolchain.std];
        const named = packages.flatMap((name) => ["-p", name]);
        const code = await run(toolchain.cargo, [...c.cargo, ...args, ...named], { env, minutes: 30 });
        if (code !== 0) return false;
        console.log(`${name}: ${packages.join(" and ")} compile`);
    }
    return true;
}
