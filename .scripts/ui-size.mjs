// How much JavaScript and CSS the first screen loads: what the entry needs, and what the first view needs. Fails above the limit.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { argv } from "node:process";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

import { ROOT } from "./process.mjs";

const BUILT = join(ROOT, "target", "ui");
/** In kilobytes after gzip. */
const LIMIT = 280;
/** The views that a window may open with. */
const FIRST_VIEWS = ["src/views/SessionView.tsx", "src/views/NewView.tsx", "src/views/WelcomeView.tsx"];
/** Parts that no first screen may load. */
const LATER = /katex|highlight|mermaid/;

/** @typedef {{ file: string, imports?: string[], css?: string[], isEntry?: boolean }} Chunk */

/**
 * @param {Record<string, Chunk>} manifest
 * @param {string[]} starts
 * @returns {Set<string>} files that are loaded at once
 */
function closure(manifest, starts) {
    /** @type {Set<string>} */
    const files = new Set();
    /** @type {Set<string>} */
    const seen = new Set();
    const todo = [...starts];
    for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
        const chunk = manifest[name];
        if (chunk === undefined || seen.has(name)) continue;
        seen.add(name);
        files.add(chunk.file);
        chunk.css?.forEach((file) => files.add(file));
        todo.push(...(chunk.imports ?? []));
    }
    return files;
}

/** @param {string} file */
const zipped = (file) => gzipSync(readFileSync(join(BUILT, file)), { level: 9 }).length / 1_024;

/**
 * @returns {{ rows: { view: string, script: number, style: number }[], problems: string[] }} kilobytes after gzip
 */
export function measureUi() {
    const path = join(BUILT, ".vite", "manifest.json");
    if (!existsSync(path)) return { rows: [], problems: [`${path} is missing: npm run ui`] };
    /** @type {Record<string, Chunk>} */
    const manifest = JSON.parse(readFileSync(path, "utf8"));
    const entries = Object.keys(manifest).filter((name) => manifest[name]?.isEntry);
    const problems = [];
    const rows = [];
    for (const view of FIRST_VIEWS) {
        if (manifest[view] === undefined) problems.push(`${view} is not a part of its own any more`);
        const files = [...closure(manifest, [...entries, view])];
        const sum = (/** @type {string} */ ending) =>
            files.filter((file) => file.endsWith(ending)).reduce((all, file) => all + zipped(file), 0);
        const row = { view, script: sum(".js"), style: sum(".css") };
        rows.push(row);
        if (row.script > LIMIT)
            problems.push(`${view}: ${row.script.toFixed(1)} KB of JavaScript after gzip; at most ${LIMIT}`);
        for (const file of files.filter((file) => LATER.test(file)))
            problems.push(`${view}: loads ${file} at once; it belongs to what is loaded when needed`);
    }
    return { rows, problems };
}

if (argv[1] !== undefined && import.meta.url === pathToFileURL(argv[1]).href) {
    const { rows, problems } = measureUi();
    for (const { view, script, style } of rows)
        console.log(
            `${view.padEnd(30)} ${script.toFixed(1).padStart(7)} KB script ${style.toFixed(1).padStart(6)} KB style, gzip`,
        );
    problems.forEach((problem) => console.log(problem));
    process.exitCode = problems.length === 0 ? 0 : 1;
}
