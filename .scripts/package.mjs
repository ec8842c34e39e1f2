// npm run package: builds the application and makes installers of it, a .deb and an .rpm.

import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

import { build, buildUi, cache, cargoEnvironment } from "./build.mjs";
import { ROOT, run } from "./process.mjs";
import { setUp } from "./setup.mjs";

const KINDS = ["deb", "rpm"];

if (process.platform !== "linux") {
    console.error("Installers are made on Linux only, so far: a .deb and an .rpm.");
    process.exit(2);
}
if (!(await setUp({ purpose: "window" }))) process.exit(1);
const built = (await buildUi()) || (await build("window"));
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

for (const kind of KINDS) {
    const folder = join(bundles, kind);
    for (const name of readdirSync(folder).filter((name) => name.endsWith(`.${kind}`))) {
        const file = join(folder, name);
        console.log(`${file}  ${(statSync(file).size / 1e6).toFixed(1)} MB`);
    }
}
