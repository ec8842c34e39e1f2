// Knowledge bases from outside: a real manual, quotes checked in bulk, bad files, and generations that runs have pinned.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";

import { Place, document, jsonLines } from "./lib.mjs";

/** The manual's folder: where the tests' set-up has put it, else where its package does. */
const MANUAL = [process.env.AGENTNATIVE_TEST_MANUAL ?? "", join("/usr", "share", "doc", "debian-policy")].find(
    (folder) => folder !== "" && existsSync(join(folder, "policy.txt.gz")),
);
const NO_MANUAL = MANUAL === undefined && "skipped: the package debian-policy is not installed";

/** @param {Place} place with the manual's text as base `policy` */
async function ingestPolicy(place) {
    const folder = join(place.work, "policy");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "policy.txt"), gunzipSync(readFileSync(join(MANUAL ?? "", "policy.txt.gz"))));
    const args = [
        "kb",
        "ingest",
        folder,
        "--base",
        "policy",
        "--title",
        "Debian Policy",
        "--citation",
        "(Policy {id})",
        "--json",
    ];
    return JSON.parse((await place.do(args)).stdout);
}

/**
 * Every citation of the newest run must have been verified.
 * @param {Place} place
 * @param {string} markdown
 */
async function allVerified(place, markdown) {
    const counts = /^(\d+) of (\d+) citations verified\.$/m.exec(markdown);
    assert.ok(counts !== null, "the document counts its citations");
    assert.equal(counts[1], counts[2]);
    assert.ok(Number(counts[1]) > 0, "it cites something");
    const outputs = JSON.parse((await place.do(["show", "--outputs"])).stdout);
    assert.ok(outputs.synthesize.citations.length > 0);
}

test(
    "a real manual is ingested, asked, and cited with every quote verified, the same bytes twice",
    { skip: NO_MANUAL },
    async (context) => {
        /** @type {{ markdown: string, html: string }[]} */
        const documents = [];
        for (let turn = 0; turn < 2; turn += 1) {
            const place = Place.for(context);
            const { manifest } = await ingestPolicy(place);
            assert.ok(manifest.counts.paragraphs > 300, JSON.stringify(manifest.counts));
            const ended = await place.do([
                "run",
                "standards-research",
                "--corpus",
                "policy",
                "--yes",
                "When must a package declare a conflict with another package?",
            ]);
            const written = document(ended);
            assert.match(written.markdown, /\[Policy [\w.]+/);
            await allVerified(place, written.markdown);
            assert.deepEqual(place.processes(), []);
            documents.push(written);
        }
        assert.equal(documents[0].markdown, documents[1].markdown);
        assert.equal(documents[0].html, documents[1].html);
    },
);

test("the manual says the same as pages of HTML, as a PDF and as an EPUB", { skip: NO_MANUAL }, async (context) => {
    const place = Place.for(context);
    /** @type {string[]} */
    const bases = [];
    for (const [base, name] of [
        ["html", "policy.html"],
        ["pdf", "policy.pdf.gz"],
        ["epub", "policy.epub"],
    ]) {
        const source = join(MANUAL ?? "", name);
        if (!existsSync(source)) continue;
        const { manifest, files } = JSON.parse(
            (await place.do(["kb", "ingest", source, "--base", base, "--json"])).stdout,
        );
        assert.ok(
            manifest.counts.paragraphs > 1_000 && manifest.counts.references > 50,
            JSON.stringify(manifest.counts),
        );
        if (base === "pdf") assert.ok(files[0].pages > 100, JSON.stringify(files[0]));
        bases.push(base);
    }
    const sentences = [];
    for (const words of [
        "conflicting packages",
        "maintainer scripts",
        "shared libraries",
        "essential packages",
        "configuration files",
        "version numbers",
    ]) {
        for (const hit of jsonLines(
            (await place.do(["kb", "search", words, "--base", bases[0], "--limit", "5", "--json"])).stdout,
        )) {
            const sentence = hit.text
                .split(/(?<=\.) /)
                .find((/** @type {string} */ one) => one.length > 60 && /^[A-Z][\w ,-]+\.$/.test(one));
            if (sentence !== undefined) sentences.push(sentence);
        }
    }
    assert.ok(sentences.length > 10, `${sentences.length} sentences`);
    for (const base of bases) {
        const absent = [];
        for (const sentence of sentences) {
            const hits = jsonLines(
                (await place.do(["kb", "search", sentence, "--base", base, "--limit", "3", "--json"])).stdout,
            );
            const rows = hits
                .map((hit, index) => JSON.stringify({ id: index, source_ref: hit.ref, quote: sentence }))
                .join("\n");
            const checked = jsonLines(
                (await place.do(["kb", "verify", "--batch", "-", "--base", base], { input: rows })).stdout,
            );
            if (!checked.some((row) => row.verdict === "verified")) absent.push(sentence);
        }
        context.diagnostic(`${base}: ${sentences.length - absent.length} of ${sentences.length} sentences`);
        assert.ok(absent.length * 10 <= sentences.length, `${base} lacks ${JSON.stringify(absent, null, 1)}`);
    }
});

test("quotes are checked in bulk: one row in, one row out, true ones verified and altered ones refused", async (context) => {
    const place = Place.for(context);
    await place.do(["kb", "list"]);
    const hits = [];
    for (const words of ["going concern", "materiality", "fraud risk", "group audit", "sampling"]) {
        hits.push(...jsonLines((await place.do(["kb", "search", words, "--json", "--limit", "8"])).stdout));
    }
    /** @type {{ id: string, source_ref: string, quote: string, good: boolean }[]} */
    const rows = [];
    for (const [index, hit] of hits.entries()) {
        const sentence = hit.text
            .split(/(?<=\.) /)
            .find((/** @type {string} */ one) => one.length > 60 && /^[A-Z]/.test(one));
        if (sentence === undefined) continue;
        rows.push({ id: `true-${index}`, source_ref: hit.ref, quote: sentence, good: true });
        rows.push({ id: `spaced-${index}`, source_ref: hit.ref, quote: sentence.replaceAll(" ", "  \n"), good: true });
        rows.push({
            id: `word-${index}`,
            source_ref: hit.ref,
            quote: sentence.replace(/ (\w{5,}) /, " zebra "),
            good: false,
        });
        rows.push({ id: `absent-${index}`, source_ref: "(Primer 77.7)", quote: sentence, good: false });
        if (/ (must|should|may|is|are|can) /.test(sentence)) {
            rows.push({
                id: `negated-${index}`,
                source_ref: hit.ref,
                quote: sentence.replace(/ (must|should|may|is|are|can) /, " $1 not "),
                good: false,
            });
        }
    }
    assert.ok(rows.length > 100, `${rows.length} rows`);
    const file = join(place.work, "rows.jsonl");
    writeFileSync(file, rows.map(({ id, source_ref, quote }) => JSON.stringify({ id, source_ref, quote })).join("\n"));
    const out = jsonLines((await place.do(["kb", "verify", "--batch", file])).stdout);
    assert.deepEqual(
        out.map((row) => row.id),
        rows.map((row) => row.id),
    );
    const wrong = rows.filter((row, index) => (out[index].verdict === "verified") !== row.good);
    assert.deepEqual(
        wrong.map((row) => ({ ...row, verdict: out.find((one) => one.id === row.id) })),
        [],
    );
    assert.ok(
        out.every(
            (row) =>
                ["verified", "missing", "withdrawn", "quote_mismatch", "unverified"].includes(row.verdict) &&
                typeof row.reason === "string",
        ),
    );

    const piped = await place.run(["kb", "verify", "--batch", "-"], {
        input: `${JSON.stringify(rows[0])}\nnot a row\n\n${JSON.stringify(rows[2])}\n`,
    });
    assert.equal(piped.code, 2);
    assert.match(piped.stderr, /line 2/);
    assert.equal(jsonLines(piped.stdout).length, 2, "the sound rows are answered");
});

test("bad files are told one by one and the sound ones are taken", async (context) => {
    const place = Place.for(context);
    const folder = join(place.work, "mixed");
    mkdirSync(join(folder, "deep"), { recursive: true });
    writeFileSync(
        join(folder, "good.md"),
        "# Lamps\n\n## Care\n\nA lamp must be cleaned every month.\n\n## Storage\n\nLamps are stored in the dark.\n",
    );
    writeFileSync(join(folder, "binary.txt"), Buffer.from([0, 1, 2, 3, 0, 255, 254, 0]));
    writeFileSync(
        join(folder, "latin.txt"),
        Buffer.concat([Buffer.from("1. Caf"), Buffer.from([0xe9]), Buffer.from(" is no UTF-8.\n")]),
    );
    writeFileSync(join(folder, "empty.md"), "");
    writeFileSync(
        join(folder, "twice.jsonl"),
        ['{"id":"L1","text":"One lamp."}', '{"id":"L1","text":"Another lamp."}', "no json", '{"text":"no id"}'].join(
            "\n",
        ),
    );
    symlinkSync(folder, join(folder, "deep", "loop"));
    const report = JSON.parse(
        (await place.do(["kb", "ingest", folder, "--base", "mixed", "--json"], { seconds: 20 })).stdout,
    );
    const by = new Map(report.files.map((/** @type {any} */ file) => [basename(file.name), file]));
    assert.deepEqual(by.get("good.md")?.problems, []);
    for (const name of ["binary.txt", "latin.txt", "twice.jsonl"])
        assert.ok((by.get(name)?.problems.length ?? 0) > 0, `${name}: ${JSON.stringify(by.get(name))}`);
    assert.deepEqual(
        by
            .get("twice.jsonl")
            .problems.map((/** @type {any} */ problem) => problem.line)
            .sort(),
        [2, 3, 4],
    );
    const found = jsonLines((await place.do(["kb", "search", "cleaned lamp", "--base", "mixed", "--json"])).stdout);
    assert.match(found[0].text, /cleaned every month/);
    for (const args of [
        [join(place.work, "nothing-here"), "--base", "none"],
        [join(folder, "empty.md"), "--base", "none"],
        [folder, "--base", "../out"],
    ]) {
        const refused = await place.run(["kb", "ingest", ...args]);
        assert.equal(refused.code, 2, `${args.join(" ")}: ${refused.stderr}`);
    }
});

test("a run keeps the generation it started with while the base is ingested anew", async (context) => {
    const place = Place.for(context);
    const folder = join(place.work, "lamps");
    mkdirSync(folder);
    const rows = (/** @type {string} */ how) =>
        ["month", "week", "day"]
            .map((span, index) =>
                JSON.stringify({
                    id: `L${index + 1}`,
                    title: `Lamps of kind ${index + 1}`,
                    text: `A lamp of kind ${index + 1} must be cleaned ${how} every ${span} by its keeper.`,
                }),
            )
            .join("\n");
    const ingest = async (/** @type {string} */ how) => {
        writeFileSync(join(folder, "lamps.jsonl"), rows(how));
        await place.do(["kb", "ingest", folder, "--base", "lamps", "--citation", "(Lamp {id})"]);
    };
    await ingest("gently");
    assert.equal(
        (await place.run(["run", "standards-research", "--corpus", "lamps", "How often must a lamp be cleaned?"])).code,
        3,
    );
    const [run] = await place.runs();
    await ingest("roughly");
    const old = document(await place.do(["resume", run.run, "--yes"])).markdown;
    assert.ok(old.includes("gently") && !old.includes("roughly"), "the run reads what it began with");
    await allVerified(place, old);
    const fresh = document(
        await place.do([
            "run",
            "standards-research",
            "--corpus",
            "lamps",
            "--yes",
            "How often must a lamp be cleaned?",
        ]),
    ).markdown;
    assert.ok(fresh.includes("roughly") && !fresh.includes("gently"));

    // A document without statements is a spreadsheet with its head alone, as it is as CSV.
    await place.do(["run", "standards-research", "--corpus", "lamps", "--yes", "zzqq unrelated?"]);
    const [table, sheet] = ["none.csv", "none.xlsx"].map((name) => join(place.work, name));
    await place.do(["export", "last", "--format", "csv", "-o", table ?? ""]);
    assert.equal(
        readFileSync(table ?? "", "utf8")
            .trim()
            .split("\n").length,
        1,
    );
    await place.do(["export", "last", "--format", "xlsx", "-o", sheet ?? ""]);

    const paused = ["run", "standards-research", "--corpus", "lamps", "Who cleans a lamp?"];
    assert.equal((await place.run(paused)).code, 3);
    const [waiting] = await place.runs();
    const removed = await place.do(["kb", "remove", "lamps", "--yes"]);
    assert.ok(removed.stderr.includes(`${waiting.run} has not ended and rests on lamps`), removed.stderr);
    assert.equal(removed.stderr.match(/has not ended/g)?.length, 1, "runs that have ended are not named");
});

const CORPORA = process.env.AGENTNATIVE_CORPORA;
/** A question for a corpus, by a word of its file's name. */
const QUESTIONS = new Map([
    ["nist", "How are user accounts reviewed and disabled?"],
    ["cfr", "When must an auditor report known questioned costs?"],
    ["eu", "Which AI systems are considered high-risk?"],
]);

test(
    "large corpora are ingested and asked",
    { skip: CORPORA === undefined && "skipped: no corpora folder (AGENTNATIVE_CORPORA)" },
    async (context) => {
        const place = Place.for(context);
        for (const name of readdirSync(CORPORA ?? "")
            .filter((file) => file.endsWith(".jsonl"))
            .sort()) {
            const question = [...QUESTIONS].find(([word]) => name.startsWith(word))?.[1];
            if (question === undefined || name.includes("references")) continue;
            const base = name.replace(".jsonl", "");
            await place.do(["kb", "ingest", join(CORPORA ?? "", name), "--base", base, "--json"], { seconds: 120 });
            const ended = await place.do(["run", "standards-research", "--corpus", base, "--yes", question]);
            await allVerified(place, document(ended).markdown);
            context.diagnostic(`${base}: ${Math.round(ended.ms)} ms`);
        }
    },
);
