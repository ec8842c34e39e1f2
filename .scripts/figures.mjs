// npm run figures: figures on the size and shape of the Rust code, a line a crate: lines, public items, and the largest circle of
// files that import one another. Tests are not counted. `npm run figures -- <checkout>` looks at another checkout.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { argv } from "node:process";

import { ROOT } from "./process.mjs";

/** Items that a `pub` makes visible outside of the crate's module; `pub(crate)` and fields are none. */
const PUBLIC = /^\s*pub (?:(?:async|const|unsafe) )*(?:fn|struct|enum|trait|type|const|static|mod|use|macro)\b/;
/** A path to something of the same crate. */
const PATH = /\b(crate|super|self)((?:::(?:\w+|\{|\*))+)/g;

/**
 * @typedef {object} Module
 * @property {string} file
 * @property {string[]} path `[]` is the crate's root
 * @property {string[]} lines without tests
 */

/**
 * @param {string} source the folder `src` of a crate
 * @returns {Module[]}
 */
function modules(source) {
    return readdirSync(source, { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".rs") && !/(^|\/)tests?(\.rs|\/)/.test(file))
        .map((file) => {
            const text = readFileSync(join(source, file), "utf8");
            const tests = text.search(/^#\[cfg\(test\)\]/m);
            const path = file.replace(/\.rs$/, "").split("/");
            if (["mod", "lib", "main"].includes(path[path.length - 1])) path.pop();
            return { file, path, lines: (tests < 0 ? text : text.slice(0, tests)).trimEnd().split("\n") };
        });
}

/**
 * The names that a `use` brings, each as a path: `a::{b, c::d}` is `a::b` and `a::c::d`.
 * @param {string} tree
 * @returns {string[][]}
 */
function paths(tree) {
    const open = tree.indexOf("{");
    if (open < 0)
        return [
            tree
                .split(/\s+as\s+/)[0]
                .trim()
                .split("::"),
        ];
    const before = tree.slice(0, open).split("::").slice(0, -1);
    let depth = 0;
    let from = open + 1;
    const found = [];
    for (let at = open; at < tree.length; at += 1) {
        if (tree[at] === "{") depth += 1;
        if (tree[at] === "}") depth -= 1;
        if ((tree[at] === "," && depth === 1) || (tree[at] === "}" && depth === 0)) {
            const part = tree.slice(from, at).trim();
            if (part !== "") found.push(...paths(part).map((rest) => [...before, ...rest]));
            from = at + 1;
        }
    }
    return found;
}

/**
 * Which module of the crate holds what each module names.
 * @param {Module[]} all
 * @returns {Map<Module, Set<Module>>}
 */
function imports(all) {
    const at = new Map(all.map((module) => [module.path.join("::"), module]));
    const uses = (/** @type {Module} */ module) =>
        [
            ...module.lines
                .map((line) => line.replace(/\/\/.*/, ""))
                .join("\n")
                .matchAll(/^\s*(pub(?:\([\w: ]+\))? )?use ([^;]+);/gm),
        ].map(([, visible, tree]) => ({ visible: visible !== undefined, tree: tree.replace(/\s+/g, " ") }));
    /** @type {(module: Module, words: string[]) => string[] | undefined} */
    const absolute = (module, words) => {
        const base = [...module.path];
        const rest = [...words];
        if (rest[0] === "crate") return rest.slice(1);
        if (rest[0] === "self") rest.shift();
        else if (rest[0] !== "super") return at.has([...base, rest[0]].join("::")) ? [...base, ...rest] : undefined;
        for (; rest[0] === "super"; rest.shift()) base.pop();
        return [...base, ...rest];
    };
    // What a module gives on from another one is that one's.
    const given = new Map();
    for (const module of all)
        for (const { visible, tree } of uses(module))
            for (const path of visible ? paths(tree) : []) {
                const whole = absolute(module, path);
                if (whole !== undefined) given.set([...module.path, path[path.length - 1]].join("::"), whole);
            }
    /** @type {(words: string[], left?: number) => Module | undefined} */
    const holder = (words, left = 8) => {
        for (let count = words.length; count >= 0; count -= 1) {
            const on = given.get(words.slice(0, count).join("::"));
            if (on !== undefined && left > 0) return holder([...on, ...words.slice(count)], left - 1);
            const module = at.get(words.slice(0, count).join("::"));
            if (module !== undefined) return module;
        }
        return undefined;
    };
    return new Map(
        all.map((module) => {
            const code = module.lines.filter((line) => !line.trimStart().startsWith("//")).join("\n");
            const named = [...code.matchAll(PATH)].map(([, first, rest]) => [
                first,
                ...rest.split("::").filter((word) => /^\w+$/.test(word)),
            ]);
            const private_ = uses(module).flatMap(({ visible, tree }) => (visible ? [] : paths(tree)));
            const targets = [...named, ...private_]
                .map((words) => absolute(module, words))
                .map((words) => (words === undefined ? undefined : holder(words)))
                // The root only hands on what its modules have.
                .filter((target) => target !== undefined && target !== module && target.path.length > 0);
            return [module, new Set(/** @type {Module[]} */ (targets))];
        }),
    );
}

/**
 * Files that import one another, directly or through others.
 * @param {Map<Module, Set<Module>>} graph
 * @returns {Module[]} the largest such circle; empty without any
 */
function circle(graph) {
    /** @type {(from: Module) => Set<Module>} */
    const reached = (from) => {
        const seen = new Set();
        const open = [...(graph.get(from) ?? [])];
        for (let next = open.pop(); next !== undefined; next = open.pop())
            if (!seen.has(next)) {
                seen.add(next);
                open.push(...(graph.get(next) ?? []));
            }
        return seen;
    };
    const all = new Map([...graph.keys()].map((module) => [module, reached(module)]));
    /** @type {Module[]} */
    let largest = [];
    for (const [module, beyond] of all) {
        const members = [...beyond].filter((other) => all.get(other)?.has(module));
        if (members.length > largest.length) largest = members;
    }
    return largest;
}

/** @param {string} root a checkout */
function figures(root) {
    const crates = join(root, "src-tauri", "crates");
    return [...readdirSync(crates).map((name) => join(crates, name)), join(root, "src-tauri")]
        .map((folder) => join(folder, "src"))
        .filter((source) => existsSync(source))
        .map((source) => {
            const all = modules(source);
            const lines = all.flatMap((module) => module.lines);
            const largest = circle(imports(all));
            const name = relative(crates, dirname(source));
            return {
                name: name === ".." ? "agentnative-desktop" : name,
                files: all.length,
                lines: lines.length,
                items: lines.filter((line) => PUBLIC.test(line)).length,
                circle: largest.length,
                members: largest.map((module) => module.file).sort(),
            };
        })
        .sort((a, b) => b.lines - a.lines);
}

const rows = figures(argv[2] ?? ROOT);
console.log("| crate | files | lines | `pub` items | largest circle |\n|---|---|---|---|---|");
for (const { name, files, lines, items, circle } of rows)
    console.log(`| ${name} | ${files} | ${lines} | ${items} | ${circle === 0 ? "none" : circle} |`);
const sum = (/** @type {"files" | "lines" | "items"} */ key) => rows.reduce((all, row) => all + row[key], 0);
const worst = rows.reduce((a, b) => (b.circle > a.circle ? b : a));
console.log(
    `| all ${rows.length} | ${sum("files")} | ${sum("lines")} | ${sum("items")} | ${worst.circle} (${worst.name}) |`,
);
if (worst.circle > 0) console.log(`\n${worst.name}: ${worst.members.join(", ")}`);
