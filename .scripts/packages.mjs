// What the machine has to offer beyond Rust and Node, and how each package manager calls it.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ask, which } from "./process.mjs";
import { extractManual, manual } from "./manual.mjs";

/**
 * @typedef {object} Need
 * @property {string} what for a person
 * @property {"start" | "test"} for what needs it
 * @property {boolean} essential whether nothing works without it
 * @property {() => boolean} isThere
 * @property {Record<string, string[]>} packages by package manager
 * @property {string} otherwise where to get it when the package manager does not have it
 * @property {() => boolean} [lastResort] gets it without the package manager's help; whether that worked
 */

/** @type {Need[]} */
export const NEEDS = [
    {
        what: "a C compiler with its standard library (SQLite and zstd are C)",
        for: "start",
        essential: true,
        isThere: compilesC,
        packages: {
            "apt-get": ["build-essential"],
            dnf: ["gcc", "glibc-devel", "make"],
            pacman: ["base-devel"],
        },
        otherwise: process.platform === "darwin" ? "run `xcode-select --install`" : "any compiler that answers to `cc`",
    },
    {
        what: "pkg-config",
        for: "start",
        essential: false,
        isThere: () => which("pkg-config") !== undefined,
        packages: { "apt-get": ["pkg-config"], dnf: ["pkgconf-pkg-config"], pacman: ["pkgconf"], brew: ["pkgconf"] },
        otherwise: "pkgconf of your system",
    },
    {
        what: "ps, to see whether a process was left behind",
        for: "test",
        essential: false,
        isThere: () => which("ps") !== undefined,
        packages: { "apt-get": ["procps"], dnf: ["procps-ng"], pacman: ["procps-ng"] },
        otherwise: "procps of your system",
    },
    ...(process.platform === "linux"
        ? [
              /** @type {Need} */ ({
                  what: "strace, to stop the program at every fsync",
                  for: "test",
                  essential: false,
                  isThere: () => which("strace") !== undefined,
                  packages: { "apt-get": ["strace"], dnf: ["strace"], pacman: ["strace"] },
                  otherwise: "strace of your system",
              }),
          ]
        : []),
    ...(which("apt-get") !== undefined
        ? [
              /** @type {Need} */ ({
                  what: "the Debian policy manual, a real document for the tests to ingest",
                  for: "test",
                  essential: false,
                  isThere: () => manual() !== undefined,
                  packages: { "apt-get": ["debian-policy"] },
                  otherwise: "debian-policy of Debian",
                  lastResort: extractManual,
              }),
          ]
        : []),
];

/**
 * @typedef {object} Manager
 * @property {string} program
 * @property {boolean} needsRoot
 * @property {(names: string[]) => string[][]} commands that install packages, in order
 */

/** @type {Manager[]} */
export const MANAGERS = [
    {
        program: "apt-get",
        needsRoot: true,
        commands: (names) => [
            ["apt-get", "update", "-q"],
            ["apt-get", "install", "-q", "-y", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=300", ...names],
        ],
    },
    { program: "dnf", needsRoot: true, commands: (names) => [["dnf", "install", "-y", ...names]] },
    { program: "pacman", needsRoot: true, commands: (names) => [["pacman", "-Sy", "--needed", "--noconfirm", ...names]] },
    { program: "brew", needsRoot: false, commands: (names) => [["brew", "install", ...names]] },
];

/** A compiler without the C library's headers is as good as none, so this builds a program. */
function compilesC() {
    if (which("cc") === undefined) return false;
    const folder = mkdtempSync(join(tmpdir(), "agentnative-cc-"));
    try {
        const program = "#include <stdio.h>\nint main(void) { return puts(\"\") < 0; }\n";
        return ask("cc", ["-x", "c", "-", "-o", join(folder, "program")], { input: program }).ok;
    } finally {
        rmSync(folder, { recursive: true, force: true });
    }
}
