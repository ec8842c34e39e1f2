// npm run package: builds the application and makes installers of it, a .deb and an .rpm.

import { copyFileSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { build, buildUi, cache, cargoEnvironment } from "./build.mjs";
import { ROOT, run, which } from "./process.mjs";
import { setUp } from "./setup.mjs";

const KINDS = ["deb", "rpm"];

if (process.platform !== "linux") {
    console.error("Installers are made on Linux only, so far: a .deb and an .rpm.");
    process.exit(2);
}
if (!(await setUp({ purpose: "window" }))) process.exit(1);
const built = (await buildUi()) || (await build("window", "release"));
if (built !== 0) process.exit(built);

const bundles = join(cache() ?? process.env.CARGO_TARGET_DIR ?? join(ROOT, "target"), "release", "bundle");
// What is told below was made now.
for (const kind of KINDS) rmSync(join(bundles, kind), { recursive: true, force: true });
const tauri = join(ROOT, "node_modules", "@tauri-apps", "cli", "tauri.js");
const bundled = await run(process.execPath, [tauri, "bundle", "--bundles", KINDS.join(","), "--ci"], {
    cwd: join(ROOT, "src-tauri"),
    env: cargoEnvironment(),
    toStderr: true,
    minutes: 20,
});
if (bundled !== 0) process.exit(bundled);

for (const file of filesOf("deb")) await squeeze(file);
for (const kind of KINDS) {
    for (const file of filesOf(kind)) console.log(`${file}  ${(statSync(file).size / 1e6).toFixed(1)} MB`);
}

/** @param {string} kind */
function filesOf(kind) {
    const folder = join(bundles, kind);
    return readdirSync(folder)
        .filter((name) => name.endsWith(`.${kind}`))
        .map((name) => join(folder, name));
}

/**
 * Packs a .deb again with xz, where dpkg is there: the bundler only knows gzip. At level 9 its window spans both programs,
 * which share most of their code.
 * @param {string} file
 */
async function squeeze(file) {
    if (which("dpkg-deb") === undefined) return;
    const work = mkdtempSync(join(tmpdir(), "agentnative-deb-"));
    try {
        const packed = join(work, "packed.deb");
        const steps = [
            ["--raw-extract", file, join(work, "content")],
            ["--root-owner-group", "-Zxz", "-z9", "--build", join(work, "content"), packed],
        ];
        for (const args of steps) {
            const code = await run("dpkg-deb", args, { toStderr: true, minutes: 10 });
            if (code !== 0) return;
        }
        copyFileSync(packed, file);
    } finally {
        rmSync(work, { recursive: true, force: true });
    }
}
