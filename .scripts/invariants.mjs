// Rules of the architecture that neither the compiler nor clippy checks. Each finding is one line: place, and the rule.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

import { members } from "./manifests.mjs";
import { enumsOf, wildcards } from "./wildcards.mjs";

/** Crates from the bottom up: one depends only on crates of lower ranks. */
const RANKS = [
    ["domain", "recognition"],
    ["charset", "tables"],
    [
        "pipeline",
        "dialogue",
        "missions",
        "permissions",
        "replies",
        "organise",
        "automation",
        "context",
        "manuscript",
        "evidence-graph",
    ],
    [
        ...["documents", "docx", "embeddings", "file-text", "model-text", "process-guard", "net-guard", "oauth", "sse"],
        ...["support", "svd", "text-analysis"],
    ],
    ["pdf", "tool-arguments", "xlsx", "confinement"],
    ["answers", "store", "workspace", "llm", "sources", "knowledge", "corpora", "secrets", "web-library"],
    ["tools", "transfer", "offline-engine", "citations", "worktrees", "workspace-bases", "engine-types"],
    ["engine", "mcp-servers", "protocol"],
    ["run-comparison", "document-files", "money"],
    ["config"],
    ["access", "environment"],
    ["connections", "library"],
    ["source-tools"],
    ["gate"],
    ["sessions"],
    ["backup", "conversations", "scheduler"],
    ["import-export"],
    ["app"],
    ["serve", "session-server"],
    ["cli", "agentnative-desktop", "bench"],
];

/** The most lines of a crate; a larger one has its reason here. */
const MAX_CRATE_LINES = 9_000;
/** @type {Record<string, { lines: number, why: string }>} */
const LARGER_CRATES = {
    answers: {
        lines: 10_600,
        why: "a document in four forms: Markdown, HTML, Word with its footnotes and data; two of them compared, or as one with changes",
    },
    cli: { lines: 12_500, why: "a module a subcommand, each with its help" },
    llm: {
        lines: 13_300,
        why: "the wire formats of four protocols over one transport, and values out of what models write",
    },
    knowledge: {
        lines: 14_600,
        why: "ingest, index and search share the paragraph",
    },
    engine: {
        lines: 24_500,
        why: "drives the three machines, runs, turns and missions, over one log, repeats and recomputes runs",
    },
    sources: { lines: 10_000, why: "MCP and web APIs share sign-in and transport" },
    tools: { lines: 10_000, why: "files, shell, confinement and undo share the safe path" },
    documents: { lines: 17_500, why: "ten formats, scans and pictures of pages in one reading process" },
    store: { lines: 10_700, why: "one database, and its repair page by page" },
};
/** It only puts services together. */
const SMALL_CRATES = { app: 2_500 };

/** The pure machines, and what they must not even link. */
const MACHINES = ["pipeline", "dialogue", "missions"];
const IMPURE = ["tokio", "sqlx", "reqwest", "rand", "async-trait", "futures-util"];
/** Crates whose results may depend on their input alone. */
const PURE = [
    ...[...MACHINES, "domain", "context", "manuscript", "answers", "docx", "xlsx", "evidence-graph", "svd"],
    ...["permissions", "replies", "organise", "automation", "model-text", "file-text", "tool-arguments"],
    ...["charset", "tables"],
];
const CLOCKS = /\b(SystemTime|Instant::now|thread_rng|RandomState|std::fs|std::net|std::process)\b/;

/** Crates in which clippy refuses a wildcard arm over an enum, of others as well. */
const EXHAUSTIVE = [
    ...[
        "domain",
        "pipeline",
        "dialogue",
        "missions",
        "manuscript",
        "evidence-graph",
        "permissions",
        "replies",
        "organise",
        "automation",
    ],
];
/** Crates in which a wildcard arm over an enum of ours is refused here: they match enums of others, too, such as JSON. */
const EXHAUSTIVE_OVER_OURS = [
    ...[
        "engine",
        "engine-types",
        "run-comparison",
        "protocol",
        "config",
        "access",
        "environment",
        "connections",
        "library",
    ],
    ...["gate", "sessions", "conversations", "document-files", "import-export", "app", "worktrees", "money"],
];
/** Not among them: whoever reads a log picks events, the folds name every one; and JSON, which has a namesake. */
const PICKED = ["Event", "Value"];

/** Crates that work for every agent, and so name none. */
const GENERIC = [
    ...[
        "pipeline",
        "dialogue",
        "permissions",
        "engine",
        "engine-types",
        "context",
        "answers",
        "store",
        "sources",
        "llm",
    ],
    ...["offline-engine", "citations", "manuscript", "evidence-graph", "missions", "docx", "xlsx"],
    ...["process-guard", "net-guard", "replies"],
];

/** Variables that agents' expressions read, as the engine names them. */
const EXPRESSION_VARIABLES = ["web_search"];

const MAX_FILE_LINES = 700;
/** Longer files: tables that are read row by row. */
const TABLES = ["src-tauri/crates/protocol/src/commands.rs", "src-tauri/crates/app/src/dispatch.rs"];
/** Names that the glossary replaced: they do not come back. */
const RETIRED = /\b(Desk|at_desk|in_chat|at_keeping|House|keep_house|LastGood|aside\(|unexpected\(\) -> Problem)/;
/** Functions that the glossary renamed: each of these words had several meanings. */
const RETIRED_FUNCTIONS =
    /\bfn (judged?|settled?|hear|heard|tick|nudge|told|untold|said|kit|bill|booked|bearing|examine|kept_slug|here|barred|weakly|aside|judging)\b/;
/** Where such a word is the right one: the judge of statements. */
const RIGHT_FUNCTIONS = ["src-tauri/crates/citations/src/judge.rs"];
/** Limits are named `MAX_…` or `MIN_…` with their unit, times after what they are for. */
const LIMITS =
    /\b(?:const|static) (?:(?:MOST|LONGEST|LARGEST|DEEPEST|FEWEST|SHORTEST|SMALLEST)(?:_\w+)?|FRESH|GONE|ROWS|MARK|PATIENCE|GLANCE):/;
/** Participles and riddles name no type. */
const NO_NOUNS =
    /^\s*(?:pub(?:\(\w+\))? )?(?:struct|enum|trait|type) (Kept|Said|Told|Known|Given|Asked|Ended|Attendance|Standing|Fate|Shelf|Heard|Works|Kit|Deed|Why|Way|How|Places?|Of|At|By|About|Before|Both|Talks|Trying|Keeper|Hiding|Patience|Asking|Sends|Wish|Arrival|Tidying|Take|Made|Judged|Checking|Filed|\w+Standing|\w+Wanted|\w+Order)\b/;
/** `of` derives something from one value and cannot fail: no method, no free function, one argument, no `Option`. */
const OF =
    /^(?:pub(?:\([^)]*\))? )?(?:async )?fn of\b|\basync fn of\b|\bfn of(?:<[^(]*>)?\((?:&(?:'\w+ )?)?(?:mut )?self\b|\bfn of\([^()<>]*,[^()<>]*\w+:|\bfn of\(.*\) -> (?:Option|\w*::?\w*Result|Result)</;
/** A file is named after its noun, not after an activity; these are nouns. */
const ACTIVITY = /^src-tauri\/(?:crates\/[\w-]+\/)?src\/(?:.*\/)?(?!encoding|listing|paging)\w+ing\.rs$/;
/** In the page a file is named after its noun as well; components and hooks have names of their own. */
const PAGE_ACTIVITY = /^ui\/src\/(?:.*\/)?[a-z][\w-]*ing\.tsx?$/;
/** Names of modules that told nothing: each had several meanings. */
const RETIRED_FILES = /\/(?:door|patience|room|deeds|places|of_source|masks|book|mend|keeper|told|desk|keeping)\.rs$/;
/** Words of the glossary's column "not this" that have another meaning in the code as well. */
const OTHER_MEANINGS = [
    ..."action backup block category endpoint exchange filter function index level library message output".split(" "),
    ..."package parser permission phase policy prompt report response stop tag task version archive".split(" "),
];
/** Types with such a word that mean something else: a format of others, or a thread of the processor. */
const OTHER_TYPES = ["Chunk", "ClaimCheck", "ClaimOut", "ClaimParam", "FolderSnapshot", "ThreadCompressor"];
/** Functions and exports of the page with such a word that mean something else: roles and schemas of others, notes of a text. */
const OTHER_NAMES = [
    ...["assistant", "chunks", "estimate", "object_parameters", "parameters", "rounds_to", "snapshots", "with_threads"],
    ...["source_trust", "Footnote", "FootnoteList", "FootnoteMark"],
];
const PUBLIC_FUNCTION = /^\s*pub (?:const |async )*fn (\w+)/;
const EXPORTED = /^export (?:async )?(?:function|const|class|interface|type) (\w+)/;
/** The top level holds these, dotfiles and lock files. */
const TOP_LEVEL = [
    ...[
        "Cargo.toml",
        "src-tauri",
        "ui",
        "agents",
        "sources",
        "prompts",
        "tests",
        "docs",
        "package.json",
        "rust-toolchain.toml",
    ],
    ...["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "LICENSE"],
    ...["Cargo.lock", "package-lock.json"],
];
const CODE = /\.(rs|mjs|ts|tsx|css|sql)$/;
/** Written by a program from what is short. */
const GENERATED = /^ui\/src\/backend\/generated\.ts$/;
const TEXT = /\.(rs|mjs|ts|tsx|css|sql|md|json|jsonl|toml|svg|sh|yml|yaml)$|^\.[\w/.-]+$/;
const MARK = new RegExp(`\\b(${["TO" + "DO", "FIX" + "ME", "X" + "XX", "HA" + "CK"].join("|")})\\b`);
const RESULT_STRING = /Result<[^;{}=]*,\s*(?:std::string::)?String>/;
/** Folders of one person's machine. Examples live in the home of eva. */
const MACHINE_PATH = /(?<![\w.-])\/(?:root|work)\/|\/home\/(?!eva\b)\w|\/Users\/\w/;
const CRATES_IO = 'source = "registry+https://github.com/rust-lang/crates.io-index"';

/**
 * @param {string} root the checkout
 * @returns {string[]} what is wrong
 */
export function checkInvariants(root) {
    const files = listFiles(root);
    const refused = notThis(root);
    return [
        ...topLevel(files),
        ...manifests(root),
        ...files.filter((file) => TEXT.test(file)).flatMap((file) => texts(root, file, refused)),
        ...files
            .filter((file) => ACTIVITY.test(file) || PAGE_ACTIVITY.test(file) || RETIRED_FILES.test(file))
            .map((file) => `${file}: name it after its noun`),
        ...sizes(root, files),
        ...names(root, files),
        ...arms(root, files),
        ...lockFiles(root),
    ];
}

/** @param {string} root */
function listFiles(root) {
    if (existsSync(join(root, ".git"))) {
        const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
        const { status, stdout } = spawnSync("git", args, { cwd: root, maxBuffer: 64 << 20, encoding: "utf8" });
        // Git refuses a checkout that belongs to another user, as on some build servers: then the folders are walked.
        const files = status === 0 ? stdout.split("\0").filter((file) => file !== "") : [];
        if (files.length > 0) return [...new Set(files)].filter((file) => existsSync(join(root, file))).sort();
    }
    /** @type {string[]} */
    const files = [];
    const walk = (/** @type {string} */ below) => {
        for (const name of readdirSync(join(root, below))) {
            if (["target", "node_modules", ".git"].includes(name)) continue;
            const path = below === "" ? name : `${below}/${name}`;
            if (statSync(join(root, path)).isDirectory()) walk(path);
            else files.push(path);
        }
    };
    walk("");
    return files.sort();
}

/** @param {string[]} files */
function topLevel(files) {
    const names = new Set(files.map((file) => file.split("/")[0]));
    return [...names]
        .filter((name) => !name.startsWith(".") && !TOP_LEVEL.includes(name))
        .map((name) => `${name}: does not belong at the top level`);
}

/** @param {string} root */
function manifests(root) {
    const crates = members(root);
    const rank = (/** @type {string} */ name) => RANKS.findIndex((names) => names.includes(name));
    /** @type {string[]} */
    const problems = [];
    for (const crate of crates) {
        const say = (/** @type {string} */ what) => problems.push(`${crate.name}: ${what}`);
        const needs = crate.dependencies
            .filter((dependency) => dependency.kind !== "dev")
            .map((dependency) => dependency.key);
        if (rank(crate.name) < 0) say("has no rank: give it one in .scripts/invariants.mjs");
        if (!/\[lints\]\s*\nworkspace = true/.test(crate.text)) say("does not take the workspace's lints");
        if (
            EXHAUSTIVE.includes(crate.name) &&
            !readFileSync(join(crate.folder, "src", "lib.rs"), "utf8").includes("clippy::wildcard_enum_match_arm")
        )
            say("does not refuse wildcard arms (clippy::wildcard_enum_match_arm in its lib.rs)");
        if (crate.name !== "agentnative-desktop" && needs.some((name) => name === "tauri" || name.startsWith("tauri-")))
            say("depends on tauri: only src-tauri itself may");
        for (const file of idle(crate)) say(`the tests in src/${file} never run: its library has \`test = false\``);
        for (const name of needs) {
            if (crates.some((other) => other.name === name) && rank(name) >= rank(crate.name))
                say(`depends on ${name}, which does not lie below it`);
            if (MACHINES.includes(crate.name) && IMPURE.includes(name))
                say(`depends on ${name}: a machine has no IO, no async, no chance`);
            if (MACHINES.includes(crate.name) && name !== "domain" && crates.some((other) => other.name === name))
                say(`depends on ${name}: a machine depends on domain alone`);
        }
    }
    return problems;
}

/**
 * Files of a library with tests that nothing compiles.
 * @param {import("./manifests.mjs").Manifest} crate
 * @returns {string[]}
 */
function idle({ folder, text }) {
    if (!/\[lib\][^[]*\ntest = false/.test(text)) return [];
    const source = join(folder, "src");
    return readdirSync(source, { recursive: true, encoding: "utf8" }).filter(
        (file) => file.endsWith(".rs") && readFileSync(join(source, file), "utf8").includes("#[cfg(test)]"),
    );
}

/**
 * The glossary's words that are not used for a term, each with the term.
 * @param {string} root
 * @returns {Map<string, string>}
 */
function notThis(root) {
    const glossary = readFileSync(join(root, "CONTRIBUTING.md"), "utf8").split("## Glossary")[1].split("\n## ")[0];
    const rows = [...glossary.matchAll(/^\| ([^|]+) \| [^|]+ \| ([^|]+) \|$/gm)]
        .map(([, term, words]) => ({ term: term.trim(), words: words.split(/[,;]/).map((word) => word.trim()) }))
        .filter(({ term }) => term !== "term");
    const terms = rows.map(({ term }) => term);
    // A word with a remark in brackets is refused in some places only.
    const plain = (/** @type {string} */ word) => /^[a-z]+$/.test(word) && !terms.includes(word);
    return new Map(
        rows.flatMap(({ term, words }) =>
            words
                .filter((word) => plain(word) && !OTHER_MEANINGS.includes(word))
                .map((word) => /** @type {[string, string]} */ ([word, term])),
        ),
    );
}

/**
 * The words that a name is made of, in the singular as well.
 * @param {string} name
 */
function wordsOf(name) {
    const words = (name.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? []).map((word) => word.toLowerCase());
    return words.flatMap((word) => (word.endsWith("s") ? [word, word.slice(0, -1)] : [word]));
}

/**
 * @param {string} root
 * @param {string} file
 * @param {Map<string, string>} refused words of the glossary
 */
function texts(root, file, refused) {
    /** @type {string[]} */
    const problems = [];
    const lines = readFileSync(join(root, file), "utf8").split("\n");
    const say = (/** @type {number} */ index, /** @type {string} */ what) =>
        problems.push(`${file}:${index + 1}: ${what}`);
    if (CODE.test(file) && !GENERATED.test(file) && !TABLES.includes(file) && lines.length - 1 > MAX_FILE_LINES)
        say(lines.length - 2, `${lines.length - 1} lines; at most ${MAX_FILE_LINES}`);
    const crate = /^src-tauri\/crates\/([\w-]+)\/src\//.exec(file)?.[1];
    const tests = lines.findIndex((line) => line.startsWith("#[cfg(test)]"));
    const own = file.startsWith(".scripts/");
    const page = /^ui\/src\/.*(?<!\.test)\.tsx?$/.test(file) && !GENERATED.test(file);
    const shuns = (/** @type {number} */ index, /** @type {string} */ name) => {
        if (OTHER_NAMES.includes(name)) return;
        for (const word of wordsOf(name).filter((one) => refused.has(one)))
            say(index, `${name}: the glossary says ${refused.get(word)}, not ${word}`);
    };
    for (const [index, line] of lines.entries()) {
        if (MARK.test(line)) say(index, "an open mark: do it, or open an issue");
        if (!own && (MACHINE_PATH.test(line) || (root.length > 4 && line.includes(`${root}/`))))
            say(index, "a path of one machine");
        if (page) shuns(index, EXPORTED.exec(line)?.[1] ?? "");
        if (crate === undefined || line.trimStart().startsWith("//") || (tests >= 0 && index > tests)) continue;
        shuns(index, PUBLIC_FUNCTION.exec(line)?.[1] ?? "");
        if (LIMITS.test(line)) say(index, "a limit is named MAX_… or MIN_… with its unit, a time after what it is for");
        if (!RIGHT_FUNCTIONS.includes(file) && RETIRED_FUNCTIONS.test(line))
            say(index, `${RETIRED_FUNCTIONS.exec(line)?.[1]}: see the glossary in CONTRIBUTING.md`);
        if (OF.test(line))
            say(index, "`of` derives something from one value and cannot fail (CONTRIBUTING, code style)");
        if (NO_NOUNS.test(line)) say(index, `${NO_NOUNS.exec(line)?.[1]}: a type is named after its noun`);
        const type = /^\s*(?:pub(?:\(\w+\))? )?(?:struct|enum|trait|type) (\w+)/.exec(line)?.[1] ?? "";
        for (const word of OTHER_TYPES.includes(type) ? [] : (type.match(/[A-Z][a-z]+/g) ?? []))
            if (refused.has(word.toLowerCase()))
                say(index, `${type}: the glossary says ${refused.get(word.toLowerCase())}, not ${word.toLowerCase()}`);
        if (RETIRED.test(line)) say(index, `${RETIRED.exec(line)?.[0]}: see the glossary in CONTRIBUTING.md`);
        if (RESULT_STRING.test(line)) say(index, "an error without a type (Result<_, String>)");
        if (PURE.includes(crate) && CLOCKS.test(line)) say(index, `${crate} reads no clock, no chance, no files`);
    }
    return problems;
}

/**
 * A new variant of our enums has to be thought of wherever one is matched.
 * @param {string} root
 * @param {string[]} files
 */
function arms(root, files) {
    const sources = files
        .map((file) => ({ file, crate: /^src-tauri\/crates\/([\w-]+)\/src\/.*\.rs$/.exec(file)?.[1] ?? "" }))
        .filter(({ crate }) => crate !== "")
        .map(({ file, crate }) => {
            const code = readFileSync(join(root, file), "utf8").split("\n#[cfg(test)]")[0];
            return { file, crate, code };
        });
    const enums = new Set(sources.flatMap(({ code }) => enumsOf(code)).filter((name) => !PICKED.includes(name)));
    return sources
        .filter(({ crate, file }) => EXHAUSTIVE_OVER_OURS.includes(crate) && !file.endsWith("tests.rs"))
        .flatMap(({ file, code }) =>
            wildcards(code, enums).map(({ line, name }) => `${file}:${line}: name the other variants of ${name}`),
        );
}

/**
 * A crate stays small enough to be read.
 * @param {string} root
 * @param {string[]} files
 */
function sizes(root, files) {
    /** @type {Map<string, number>} */
    const lines = new Map();
    for (const file of files) {
        const crate = /^src-tauri\/crates\/([\w-]+)\/src\/.*\.rs$/.exec(file)?.[1];
        if (crate === undefined || /tests\.rs$/.test(file)) continue;
        lines.set(crate, (lines.get(crate) ?? 0) + readFileSync(join(root, file), "utf8").split("\n").length - 1);
    }
    return [...lines].flatMap(([crate, count]) => {
        const most =
            SMALL_CRATES[/** @type {keyof SMALL_CRATES} */ (crate)] ?? LARGER_CRATES[crate]?.lines ?? MAX_CRATE_LINES;
        return count > most ? [`${crate}: ${count} lines; at most ${most}`] : [];
    });
}

/**
 * The core contains no agent's name, no stage's name, no tool's name.
 * @param {string} root
 * @param {string[]} files
 */
function names(root, files) {
    /** @type {Set<string>} */
    const telling = new Set();
    for (const file of files.filter((name) => /^agents\/[^/]+\/config\.json$/.test(name))) {
        const { slug, controlFlow } = JSON.parse(readFileSync(join(root, file), "utf8"));
        for (const stage of controlFlow.stages) {
            telling.add(stage.name);
            for (const step of stage.steps ?? []) telling.add(String(step.tool).replace(/^.*\//, ""));
        }
        telling.add(slug);
    }
    // Plain words (retrieve, verify, output) are also words of the language, and variables of expressions are ours.
    const quoted = [...telling]
        .filter((name) => /[-_]/.test(name) && !EXPRESSION_VARIABLES.includes(name))
        .map((name) => `"${name}"`);
    return files
        .filter(
            (file) =>
                GENERIC.some((crate) => file.startsWith(`src-tauri/crates/${crate}/src/`)) && file.endsWith(".rs"),
        )
        .flatMap((file) => {
            const code = readFileSync(join(root, file), "utf8").split("\n#[cfg(test)]")[0];
            return quoted
                .filter((name) => code.includes(name))
                .map((name) => `${file}: names ${name}; agents are data`);
        });
}

/** @param {string} root */
function lockFiles(root) {
    const problems = [];
    const cargo = readFileSync(join(root, "Cargo.lock"), "utf8").split("\n");
    for (const [index, line] of cargo.entries()) {
        if (line.startsWith("source = ") && line !== CRATES_IO)
            problems.push(`Cargo.lock:${index + 1}: a crate that is not from crates.io`);
    }
    const npm = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
    for (const [name, entry] of Object.entries(npm.packages)) {
        if (entry.resolved !== undefined)
            problems.push(`package-lock.json: ${name} names the registry it was downloaded from`);
    }
    const { devDependencies = {}, dependencies = {} } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    for (const [name, version] of Object.entries({ ...devDependencies, ...dependencies })) {
        if (!/^\d+\.\d+\.\d+$/.test(String(version)))
            problems.push(`package.json: ${name} is not pinned to one version`);
    }
    return problems;
}
