// Reading Cargo manifests as far as the checks need it: tables, and the keys in them.

import { readFileSync, readdirSync, existsSync } from "node:fs";
import { join } from "node:path";

/**
 * @typedef {object} Dependency
 * @property {string} name as the code writes it
 * @property {string} key as the manifest has it
 * @property {"normal" | "dev" | "build"} kind
 * @property {number} line
 */

/**
 * @typedef {object} Manifest
 * @property {string} path
 * @property {string} folder
 * @property {string} name of the package
 * @property {string} text
 * @property {Dependency[]} dependencies
 * @property {string[]} programs paths of `[[bin]]` tables, below the folder
 */

/**
 * @param {string} root
 * @returns {Manifest[]} the workspace's members
 */
export function members(root) {
    const crates = join(root, "src-tauri", "crates");
    const folders = readdirSync(crates)
        .sort()
        .map((name) => join(crates, name));
    return [join(root, "src-tauri"), ...folders]
        .filter((folder) => existsSync(join(folder, "Cargo.toml")))
        .map(manifest);
}

/**
 * @param {string} folder
 * @returns {Manifest}
 */
export function manifest(folder) {
    const path = join(folder, "Cargo.toml");
    const text = readFileSync(path, "utf8");
    const dependencies = entries(text)
        .map(({ table, key, line }) => {
            const kind = /(?:^|\.)(dev-|build-)?dependencies$/.exec(table);
            if (kind === null || table.startsWith("workspace")) return undefined;
            const name = key.replaceAll("-", "_");
            return { name, key, kind: kind[1] === "dev-" ? "dev" : kind[1] === "build-" ? "build" : "normal", line };
        })
        .filter((dependency) => dependency !== undefined);
    const programs = [...text.matchAll(/\[\[bin\]\][^[]*?\npath\s*=\s*"([^"]+)"/g)].map((hit) => hit[1]);
    const name = /\[package\][^[]*?\nname\s*=\s*"([^"]+)"/.exec(text)?.[1] ?? "";
    return { path, folder, name, text, dependencies: /** @type {Dependency[]} */ (dependencies), programs };
}

/**
 * @param {string} text a manifest
 * @returns {{ table: string, key: string, line: number }[]} first keys of every table's lines
 */
export function entries(text) {
    const found = [];
    let table = "";
    for (const [index, raw] of text.split("\n").entries()) {
        const header = /^\s*\[+(.+?)\]+\s*(?:#.*)?$/.exec(raw);
        if (header !== null) {
            table = header[1].trim();
            // `[dependencies.name]` is a dependency of its own.
            const own = /^(.*dependencies)\.([\w-]+)$/.exec(table);
            if (own !== null) found.push({ table: own[1], key: own[2], line: index + 1 });
            continue;
        }
        const key = /^\s*([\w-]+)\s*(?:\.|=)/.exec(raw);
        if (key !== null) found.push({ table, key: key[1], line: index + 1 });
    }
    return found;
}
