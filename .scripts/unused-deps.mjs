// Dependencies that nothing uses: in a crate's manifest, and in the workspace's table.

import { readFileSync, readdirSync, existsSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";

import { entries, members } from "./manifests.mjs";

/**
 * @param {string} root
 * @returns {string[]} what is wrong, one line each
 */
export function findUnused(root) {
    const crates = members(root);
    const problems = crates.flatMap((crate) => unusedIn(crate, root));
    const used = new Set(crates.flatMap((crate) => crate.dependencies.map((dependency) => dependency.key)));
    const workspace = join(root, "Cargo.toml");
    for (const { table, key, line } of entries(readFileSync(workspace, "utf8"))) {
        if (table === "workspace.dependencies" && !used.has(key)) {
            problems.push(`Cargo.toml:${line}: no member depends on ${key}`);
        }
    }
    return problems;
}

/**
 * @param {import("./manifests.mjs").Manifest} crate
 * @param {string} root
 */
function unusedIn(crate, root) {
    const built = ["src", "build.rs", ...crate.programs.map((path) => dirname(path))];
    const tested = ["tests", "examples", "benches"];
    const code = { built: codeOf(crate.folder, built), all: codeOf(crate.folder, [...built, ...tested]) };
    const problems = [];
    for (const dependency of crate.dependencies) {
        const used = (/** @type {string} */ text) => new RegExp(`\\b${dependency.name}\\b`).test(text);
        const place = `${relative(root, crate.path)}:${dependency.line}: `;
        if (!used(code.all)) {
            problems.push(`${place}${dependency.key} is not used`);
        } else if (dependency.kind === "normal" && !used(code.built)) {
            problems.push(`${place}${dependency.key} is only used by tests: move it to [dev-dependencies]`);
        }
    }
    return problems;
}

/**
 * @param {string} folder
 * @param {string[]} places below it
 * @returns {string} the Rust code there, without comments
 */
function codeOf(folder, places) {
    const texts = [];
    const todo = places.map((place) => join(folder, place)).filter(existsSync);
    for (let path = todo.pop(); path !== undefined; path = todo.pop()) {
        if (statSync(path).isDirectory()) {
            for (const name of readdirSync(path)) todo.push(join(path, name));
        } else if (path.endsWith(".rs")) {
            texts.push(readFileSync(path, "utf8").replaceAll(/^\s*\/\/.*$/gm, ""));
        }
    }
    return texts.join("\n");
}
