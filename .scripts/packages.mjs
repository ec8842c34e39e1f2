// What the machine has to offer beyond Rust and Node, and how each package manager calls it.

import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { ask, which } from "./process.mjs";
import { extractManual, manual } from "./manual.mjs";

/** What a machine is set up for; each includes those before it. */
export const PURPOSES = /** @type {const} */ (["program", "pages", "window", "test"]);

/**
 * `program`: the command line. `pages`: also the user interface, in a browser. `window`: also the desktop application.
 * `test`: also the checks.
 * @typedef {(typeof PURPOSES)[number]} Purpose
 */

/**
 * @param {Purpose} purpose
 * @param {Purpose} least
 */
export function includes(purpose, least) {
    return PURPOSES.indexOf(purpose) >= PURPOSES.indexOf(least);
}

/**
 * @typedef {object} Need
 * @property {string} what for a person
 * @property {Purpose} for what needs it, and everything that comes after that in PURPOSES
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
        for: "program",
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
        for: "program",
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
                  what: "bubblewrap, which keeps commands of agents from writing, from the network and from your files",
                  for: "program",
                  essential: false,
                  isThere: () => which("bwrap") !== undefined,
                  packages: { "apt-get": ["bubblewrap"], dnf: ["bubblewrap"], pacman: ["bubblewrap"] },
                  otherwise: "bubblewrap of your system",
              }),
          ]
        : []),
    ...(process.platform === "linux" ? windowNeeds() : []),
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
    {
        what: "LibreOffice's word processor, to open exported files as another program reads them",
        for: "test",
        essential: false,
        isThere: () => soffice() !== undefined,
        packages: {
            "apt-get": ["libreoffice-writer-nogui"],
            dnf: ["libreoffice-writer"],
            pacman: ["libreoffice-fresh"],
        },
        otherwise: "LibreOffice of your system",
    },
    {
        what: "pdftotext, to read the pages of exported files",
        for: "test",
        essential: false,
        isThere: () => which("pdftotext") !== undefined,
        packages: { "apt-get": ["poppler-utils"], dnf: ["poppler-utils"], pacman: ["poppler"], brew: ["poppler"] },
        otherwise: "poppler of your system",
    },
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
 * What the window is built from and looked at with, on Linux.
 * @returns {Need[]}
 */
function windowNeeds() {
    /** @type {(program: string) => () => boolean} */
    const program = (name) => () => which(name) !== undefined;
    return [
        {
            what: "WebKitGTK 4.1 with its headers (the window is drawn by it)",
            for: "window",
            essential: true,
            isThere: () => ask("pkg-config", ["--exists", "webkit2gtk-4.1", "gtk+-3.0"]).ok,
            packages: {
                "apt-get": ["libwebkit2gtk-4.1-dev"],
                dnf: ["webkit2gtk4.1-devel"],
                pacman: ["webkit2gtk-4.1"],
            },
            otherwise: "WebKitGTK 4.1 and GTK 3 of your system",
        },
        {
            what: "the tray icon's library (without it there is no tray icon)",
            for: "window",
            essential: false,
            isThere: () => libraryIsThere("libayatana-appindicator3.so.1"),
            packages: {
                "apt-get": ["libayatana-appindicator3-1"],
                dnf: ["libayatana-appindicator-gtk3"],
                pacman: ["libayatana-appindicator"],
            },
            otherwise: "libayatana-appindicator of your system",
        },
        {
            what: "WebKitWebDriver, to drive the real window",
            for: "test",
            essential: false,
            isThere: program("WebKitWebDriver"),
            packages: { "apt-get": ["webkit2gtk-driver"] },
            otherwise: "the WebDriver of WebKitGTK 4.1",
        },
        {
            what: "Xvfb, a display that nobody sees",
            for: "test",
            essential: false,
            isThere: program("Xvfb"),
            packages: { "apt-get": ["xvfb"], dnf: ["xorg-x11-server-Xvfb"], pacman: ["xorg-server-xvfb"] },
            otherwise: "Xvfb of your system",
        },
        {
            what: "xdotool, to press keys in the window",
            for: "test",
            essential: false,
            isThere: program("xdotool"),
            packages: { "apt-get": ["xdotool"], dnf: ["xdotool"], pacman: ["xdotool"] },
            otherwise: "xdotool of your system",
        },
        {
            what: "xprop, to look at windows",
            for: "test",
            essential: false,
            isThere: program("xprop"),
            packages: { "apt-get": ["x11-utils"], dnf: ["xprop"], pacman: ["xorg-xprop"] },
            otherwise: "xprop of your system",
        },
        {
            what: "dbus-run-session, a session bus for notifications and the tray",
            for: "test",
            essential: false,
            isThere: program("dbus-run-session"),
            packages: { "apt-get": ["dbus", "dbus-x11"], dnf: ["dbus-daemon"], pacman: ["dbus"] },
            otherwise: "the D-Bus daemon of your system",
        },
        {
            what: "python3 with D-Bus and GLib, which stand in for a desktop",
            for: "test",
            essential: false,
            isThere: () => ask("/usr/bin/python3", ["-c", "import dbus.mainloop.glib, gi"]).ok,
            packages: {
                "apt-get": ["python3-dbus", "python3-gi"],
                dnf: ["python3-dbus", "python3-gobject-base"],
                pacman: ["python-dbus", "python-gobject"],
            },
            otherwise: "dbus-python and PyGObject of your system",
        },
        {
            what: "Chromium, for the tests of the pages in a browser",
            for: "test",
            essential: false,
            isThere: () => ["chromium", "chromium-browser", "google-chrome"].some((name) => which(name) !== undefined),
            packages: { "apt-get": ["chromium"], dnf: ["chromium"], pacman: ["chromium"] },
            otherwise: "Chromium of your system",
        },
        {
            what: "ImageMagick, to take pictures of the display",
            for: "test",
            essential: false,
            isThere: () => which("import") !== undefined || which("magick") !== undefined,
            packages: { "apt-get": ["imagemagick"], dnf: ["ImageMagick"], pacman: ["imagemagick"] },
            otherwise: "ImageMagick of your system",
        },
    ];
}

/** @returns {string | undefined} LibreOffice with its word processor, which Debian packages apart */
export function soffice() {
    const program = which("soffice") ?? which("libreoffice");
    if (program === undefined || process.platform !== "linux") return program;
    const folders = [dirname(realpathSync(program)), "/usr/lib/libreoffice/program", "/usr/lib64/libreoffice/program"];
    return folders.some((folder) => existsSync(join(folder, "libswlo.so"))) ? program : undefined;
}

/** @param {string} name */
function libraryIsThere(name) {
    const machine = { x64: "x86_64", arm64: "aarch64" }[/** @type {"x64" | "arm64"} */ (process.arch)] ?? process.arch;
    const folders = ["/usr/lib", "/usr/lib64", "/lib", "/lib64", "/usr/local/lib", `/usr/lib/${machine}-linux-gnu`];
    return folders.some((folder) => existsSync(join(folder, name)));
}

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
    {
        program: "pacman",
        needsRoot: true,
        commands: (names) => [["pacman", "-Sy", "--needed", "--noconfirm", ...names]],
    },
    { program: "brew", needsRoot: false, commands: (names) => [["brew", "install", ...names]] },
];

/** A compiler without the C library's headers is as good as none, so this builds a program. */
function compilesC() {
    if (which("cc") === undefined) return false;
    const folder = mkdtempSync(join(tmpdir(), "agentnative-cc-"));
    try {
        const program = '#include <stdio.h>\nint main(void) { return puts("") < 0; }\n';
        return ask("cc", ["-x", "c", "-", "-o", join(folder, "program")], { input: program }).ok;
    } finally {
        rmSync(folder, { recursive: true, force: true });
    }
}
