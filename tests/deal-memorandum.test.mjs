// The agent `deal-memorandum` over a folder of made-up documents, without a model: from the folder to a memorandum in which every statement
// names its document; its states at every moment; a crash; files that were changed.

import assert from "node:assert/strict";
import { cpSync, existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";

import { dealRoom } from "./deal-room.mjs";
import { Place, jsonLines, until } from "./lib.mjs";
import { faults } from "./ooxml.mjs";
import { pdf } from "./papers.mjs";
import { unzip } from "./zip.mjs";

/** Files that hold the state of an agent. */
const STATE = /-state(-IV-[A-J])?\.(json|md)$/;

/**
 * @param {string} folder a session's
 * @param {RegExp} [wanted]
 * @returns {string[]} the files below it, sorted
 */
const files = (folder, wanted = /./) =>
    (existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : [])
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .filter((path) => wanted.test(path) && !/\/(runs|data)\//.test(path.slice(folder.length)))
        .sort();

/** @param {Place} place */
const session = async (place) => join(place.data, "sessions", (await place.runs())[0].session);

/** @param {import("node:test").TestContext} context */
function room(context) {
    const place = Place.for(context);
    const { documents, input } = dealRoom(place.work);
    const args = ["run", "deal-memorandum", "--input", input, "--depth", "outline", "--yes", "--json"];
    return { place, documents, args };
}

/**
 * Runs it up to the fact sheet. Gives the sheet, its facts by name, what reads a file of the review, and what signs it as it then is.
 * @param {Place} place
 * @param {string[]} args
 */
async function toSign(place, args) {
    const answers = join(place.work, "answers.json");
    const resume = (/** @type {object} */ answer) => {
        writeFileSync(answers, JSON.stringify([answer]));
        return place.run(["resume", "--last", "--answers", answers, "--json"]);
    };
    const begun = await place.run(args.filter((arg) => arg !== "--yes"));
    assert.equal(begun.code, 3, begun.stderr);
    assert.equal((await resume({ choice: "proceed" })).code, 3);
    const folder = await session(place);
    const read = (/** @type {string} */ name) => JSON.parse(readFileSync(join(folder, "review-outputs", name), "utf8"));
    const sheet = read("fact-sheet.json");
    const of = (/** @type {string} */ name) => sheet.facts.find((/** @type {any} */ one) => one.fact === name);
    const sign = (/** @type {object} */ more) => resume({ choice: "proceed", edit: sheet, ...more });
    return { read, sheet, of, sign };
}

/**
 * @param {Place} place
 * @param {string[]} stages
 * @returns {Promise<number[]>} how many runs each of them began
 */
async function begun(place, ...stages) {
    const runs = (await place.events()).filter(({ type }) => type === "child_run_started");
    return stages.map((stage) => runs.filter(({ key }) => key.stage === stage).length);
}

/**
 * @param {string} text a memorandum's
 * @returns {string} without what it says of the files that it was made from
 */
const withoutAdoption = (text) =>
    text
        .replaceAll(" (taken over from the files of an earlier run)", "")
        .replace(/\n### Taken over from the files of an earlier run\n[^]*?\n(?=\n## )/, "");

/** @param {string} stdout */
const path = (stdout) => jsonLines(stdout).at(-1).document;

/**
 * How many events a run has told. Lines of progress and of costs lie between them: fewer where the machine is busy.
 * @param {string} stdout
 */
const eventsIn = (stdout) => stdout.split('"kind":"event"').length - 1;

/** @type {(() => Promise<void>)[]} */
const ends = [];
/** In place of a test, for what several tests look at. */
const all = /** @type {any} */ ({ after: (/** @type {() => Promise<void>} */ end) => ends.push(end) });
/**
 * A finished run that tests look at, and none of them changes.
 * @type {{ place: Place, args: string[], written: string, text: string, events: number }}
 */
let finished;

before(async () => {
    const { place, args } = room(all);
    const { stdout } = await place.do(args, { seconds: 180 });
    const written = path(stdout);
    finished = { place, args, written, text: readFileSync(written, "utf8"), events: eventsIn(stdout) };
});

after(async () => {
    for (const end of ends) await end();
});

test("a folder of documents becomes a memorandum whose every footnote names a document, twice in the same bytes", async () => {
    const { place, args, written, text } = finished;
    assert.match(written, /final-memorandum\.md$/);
    assert.match(
        text,
        /^# Acquisition of Larkspur Analytics\n\n\*\*Privileged and confidential\*\*\n[\s\S]*Target: Larkspur Analytics, Inc\./,
    );
    // Nobody was there to sign, and it says so.
    assert.match(text, /^Fact sheet accepted without a signature: nobody was asked$/m);
    for (const letter of "ABCDEFGHIJ") assert.match(text, new RegExp(`^## IV\\.${letter}\\. `, "m"));
    assert.match(
        text,
        /^Matter: 2026-0417\n\nTarget: [^]*\nPrepared for: Board of Harrow Holdings\n\nPrepared by: Example LLP$/m,
    );
    // Without a model the summary is put together by rule: what was found, the figures, what is open; it says that it concludes nothing.
    assert.match(
        text,
        /^## I\. Executive Summary\n\n### In short\n\nNo model was asked: this summary draws no conclusion\.[^]*\n### The points that were asked about\n\n- change of control [^]*\n#### In short\n\n- “[^]*\n### What the sections found\n\n- No passage was found that answers these; [^]*IV\.A\. [^]*\n- Nothing was found on these: IV\.C\. [^]*\n### Key figures\n\n\| Figure [^]*\n### What is open\n\n- The documents contradict each other on Total annual recurring revenue: [^]*\n## II\. /m,
    );
    assert.match(
        text,
        /^### Documents cited\n\n\| Document [^]*\n\| agreement-orchard \| Master Agreement with Orchard Foods \| \d+ \|\n[^]*\nSHA-256 of the text of all documents that were read: [0-9a-f]{64}$/m,
    );
    assert.match(text, /END OF MEMORANDUM\s*$/);
    // How good it is, and what it does not say, stands in it and in every file that is made of it.
    assert.match(text, /^## III\. Amounts at risk\n[\s\S]*No report states an amount at risk/m);
    const certificate = text.slice(text.indexOf("\n## V. Certificate and limitations\n"));
    // What it says comes first; somebody signs it, and the scores stand in its annex.
    assert.match(
        certificate,
        /^\n## V\. (?:(?!Score \|)[^])*\n## VI\. Signature\n\nFor Example LLP\n\nSignature: _{30}\n\nName: [^]*\n## Annex\. Scores of the assessment\n/,
    );
    // A room that answers a part of what is asked is certified, and what it does not answer is named and costs points.
    assert.match(
        certificate,
        /\n\nThe memorandum is certified at the depth outline, with the limitations below\. [^]*\n### Limitations\n\n(?:- [^\n]*\n)*- High: Sections do not answer what they are about \([1-9]\)\.\n/,
    );
    assert.match(certificate, /^\| Completeness \| \d+(?:\.\d+)? \| 10 \|$/m);
    assert.doesNotMatch(certificate, /^\| Completeness \| 10 \|/m);
    assert.match(certificate, /^\| Score \| \d+ of the 70 points assessed \|$/m);
    assert.match(
        certificate,
        /^- The documents contradict each other on Total annual recurring revenue, and nobody settled/m,
    );
    assert.match(certificate, /^- No model was asked/m);
    // What the small depth does not test is not counted as found good, and earns no points and no tier.
    assert.match(
        certificate,
        /^\| Not assessed \| 30 of 100 points \|\n\| Tier \| none: too little is assessed for one \|$/m,
    );
    assert.match(certificate, /^\| Questions presented \| not assessed \| 5 \|$/m);
    assert.match(
        certificate,
        /^- The depth outline does not assess questions presented, structure of the analysis, brief answer/m,
    );
    // Each footnote begins with a file and a place in it: the assessment knows that form.
    assert.doesNotMatch(certificate, /Footnotes do not say what they cite/);
    assert.match(certificate, /^- IV\.F\. Tax: No passage was found/m);
    assert.match(text, /may terminate this agreement within sixty days[^\n]*\[\^\d+\]/);
    assert.match(text, /keeps ownership of the forecast engine[^\n]*\[\^\d+\]/);
    const notes = [...text.matchAll(/^\[\^(\d+)\]: (.*)$/gm)];
    assert.deepEqual(
        notes.map(([, number]) => Number(number)),
        notes.map((_, at) => at + 1),
    );
    for (const [, , note] of notes) assert.match(note ?? "", /^[a-z-]+\.md, .*\[VERIFIED/);

    // What two documents state differently is shown before a section is written.
    const sheet = JSON.parse(readFileSync(join(await session(place), "review-outputs/fact-sheet.json"), "utf8"));
    assert.ok(
        sheet.conflicts.some((/** @type {any} */ one) =>
            /7,500,000[\s\S]*7,900,000|7,900,000[\s\S]*7,500,000/.test(one.conflict),
        ),
        JSON.stringify(sheet.conflicts),
    );

    const states = files(await session(place), STATE);
    assert.equal(states.length, 20, states.join("\n"));
    const checked = await place.do(["schema", "check", ...states]);
    assert.equal(checked.stdout.trim().split("\n").length, 20);

    const [{ run }] = await place.runs();
    // What the runs of its parts use was foreseen too.
    const { forecast, usage } = await place.state(run);
    const used = usage.input + usage.output;
    assert.equal(forecast.runs, 0, "from the agent's limits");
    assert.ok(forecast.tokens.likely >= 10_000, JSON.stringify(forecast));
    assert.ok(forecast.tokens.low <= used && used <= forecast.tokens.high, `${used}: ${JSON.stringify(forecast)}`);
    const out = join(place.work, "memo.docx");
    await place.do(["export", run, "--format", "docx", "-o", out]);
    const word = unzip(readFileSync(out));
    assert.deepEqual(faults(word), []);
    assert.ok(Number(String(word.get("word/footnotes.xml")).match(/<w:footnote /g)?.length) > 10);
    const wordsOf = (/** @type {string} */ part) => String(word.get(part)).replace(/<[^>]*>/g, "");
    const [said, cited] = [wordsOf("word/document.xml"), wordsOf("word/footnotes.xml")];
    // The text has the marks of footnotes, which name exhibits: at the first time with the file, then by their number alone.
    assert.match(
        cited,
        /Ex\.\s1 \(Master Agreement with Orchard Foods, agreement-orchard\.md\), s\. [\d.]+: \u201c[^]*Ex\.\s1, s\. [\d.]+/,
    );
    assert.match(said, /within sixty days by written notice\.\u201d \(Ex\.\s1\)/);
    assert.doesNotMatch(said, /\(agreement-orchard\.md, /);
    // What was read is listed, cited or not, in place of what was cited.
    assert.match(
        said,
        /Appendix\. Documents reviewed[^]*The review covered the 9 documents listed here and nothing else\./,
    );
    for (const [at, name] of readdirSync(join(place.work, "larkspur")).sort().entries())
        assert.match(said, new RegExp(`Ex\\.\\s${at + 1}(?:[^(]*\\()?${name.replace(".", "\\.")}`));
    assert.doesNotMatch(said, /Documents cited/);
    const pagesOfWord = String(word.get("word/document.xml"));
    assert.match(pagesOfWord, /Certificate and limitations[\s\S]*of the 70 points assessed/);
    // A title page with the day of the run, contents with pages, numbers down to the second level, and at each foot what it is worth.
    assert.match(
        pagesOfWord,
        /"CoverTitle"[^]*Date: <\/w:t>[^]*w:pageBreakBefore[^]*PAGEREF _Toc00000001[^]*>I\.1\. <\/w:t>/,
    );
    assert.match(String(word.get("word/footer1.xml")), /Draft, not signed/);
    assert.equal(wordsOf("word/header1.xml").trim(), "Privileged and confidential · Acquisition of Larkspur Analytics");
    const again = join(place.work, "again.docx");
    await place.do(["export", run, "--format", "docx", "-o", again]);
    assert.deepEqual(readFileSync(again), readFileSync(out));

    const page = join(place.work, "memo.html");
    await place.do(["export", run, "--format", "html", "-o", page]);
    const html = readFileSync(page, "utf8");
    assert.match(html, /<h2 id="section-\d+">(?:<a id="place-\d+"><\/a>)?IV\.A\. /);
    assert.match(html, /<li id="note-1" dir="auto">[\s\S]*\.md[\s\S]*href="#mark-1"/);
    assert.match(html, /Certificate and limitations[\s\S]*of the 70 points assessed/);
    assert.doesNotMatch(html, /<script|\[\^\d+\]/);
    const pages = join(place.work, "memo.pdf");
    await place.do(["export", run, "--format", "pdf", "-o", pages]);
    assert.match(readFileSync(pages).subarray(0, 8).toString("latin1"), /^%PDF-1\.7/);

    const table = join(place.work, "statements.csv");
    await place.do(["export", run, "--format", "csv", "-o", table]);
    const rows = readFileSync(table, "utf8").trim().split("\r\n");
    assert.match(rows[0] ?? "", /"statement","text","state"/);
    assert.ok(
        rows.some((row) => /quoted word for word.*contractor\.md/.test(row)),
        rows.join("\n"),
    );

    const sheets = join(place.work, "memo.xlsx");
    await place.do(["export", run, "--format", "xlsx", "-o", sheets]);
    const book = unzip(readFileSync(sheets));
    assert.deepEqual(
        [...String(book.get("xl/workbook.xml")).matchAll(/<sheet name="([^"]+)"/g)].map(([, name]) => name),
        [
            "Statements",
            "Facts",
            "Conflicts between documents",
            "Figures",
            "Gaps",
            "Facts that no document gives",
            "Score by dimension",
            "Remediation",
            "Documents reviewed",
        ],
    );
    // What no wave could settle, because the documents do not have it, stands there as what it is.
    assert.match(String(book.get("xl/worksheets/sheet8.xml")), /W2-006: [^]*left as a limitation/);
    assert.match(String(book.get("xl/worksheets/sheet9.xml")), /Ex\. 1[^]*agreement-orchard\.md[^]*[0-9a-f]{64}/);
    assert.match(String(book.get("xl/worksheets/sheet4.xml")), /annual fee[\s\S]*agreement-orchard[\s\S]*4200000/);
    assert.match(String(book.get("xl/worksheets/sheet3.xml")), /\$7,900,000 vs \$7,500,000/);

    // What was reached, when, by what, and how to go on from there; and the scores.
    const progress = JSON.parse((await place.do(["show", run, "--checkpoints", "--json"])).stdout);
    const seen = (/** @type {string} */ trigger) =>
        progress.checkpoints.filter((/** @type {any} */ one) => one.trigger === trigger);
    assert.deepEqual(
        seen("item_complete")
            .filter((/** @type {any} */ one) => one.title === "Sections")
            .map((/** @type {any} */ one) => one.item)
            .sort(),
        [..."ABCDEFGHIJ"],
    );
    assert.deepEqual(
        seen("check_passed").map((/** @type {any} */ one) => one.title),
        ["Validation", "Readiness", "Certification", "Statements"],
    );
    assert.ok(seen("stage_started").every((/** @type {any} */ one) => one.resume.how === "stage"));
    assert.match(progress.checkpoints.at(-1).digest, /^[0-9a-f]{64}$/);
    assert.equal(progress.stateFile, "orchestrator-state.md");
    const told = (await place.do(["show", run, "--checkpoints"])).stdout;
    assert.match(told, /check_passed +[0-9a-f]{12} +Readiness\n/);
    assert.match(told, /\nScore by dimension\n[^]*\n {2}Citations +12 of 12 /);
    // What the outline does not test has no points to show.
    assert.match(told, /\n {2}Questions presented +not assessed /);
    const orchestrator = readFileSync(join(await session(place), "orchestrator-state.md"), "utf8");
    assert.match(orchestrator, /"trigger": \{[^}]*"event": "run_complete"/);
    const writer = JSON.parse(readFileSync(join(await session(place), "section-writer-state-IV-A.json"), "utf8"));
    assert.deepEqual([writer.current_phase, writer.trigger.event], ["phase_6_finalize", "run_complete"]);

    const second = await place.do(args, { seconds: 180 });
    assert.equal(readFileSync(path(second.stdout), "utf8"), text);
    const replayed = await place.do(["replay", run, "--json"], { seconds: 180 });
    assert.equal(jsonLines(replayed.stdout).at(-1).identical, true);
});

/** Moments of one run at which its data directory is copied: what a kill would leave behind. */
const MOMENTS = 24;

/** @param {number} pid */
function isStopped(pid) {
    try {
        return /^State:\s+[TtZX]/m.test(readFileSync(`/proc/${pid}/status`, "latin1"));
    } catch {
        return true;
    }
}

/**
 * Copies the data directory of a run under way. Its processes stand still meanwhile: the copy has what is on the disk if all of them are
 * killed at this moment.
 * @param {Place} place
 * @param {Place} copy
 */
async function copyAt(place, copy) {
    const all = place.processes();
    const send = (/** @type {NodeJS.Signals} */ signal) => {
        for (const { pid } of all) {
            try {
                process.kill(pid, signal);
            } catch {
                // It ended by itself.
            }
        }
    };
    send("SIGSTOP");
    try {
        assert.ok(await until(() => all.every(({ pid }) => isStopped(pid)), 3_000), "it does not stand still");
        cpSync(place.data, copy.data, { recursive: true });
    } finally {
        send("SIGCONT");
    }
}

/**
 * Goes on with a copy: the same memorandum, and no part of it is begun anew.
 * @param {Place} copy
 * @param {string} text
 * @returns {Promise<boolean>} whether there was something to go on with
 */
async function goesOn(copy, text) {
    const resumed = await copy.run(["resume", "--last", "--yes", "--json"]);
    // 4: it had ended already.
    if (resumed.code === 4) return false;
    assert.equal(resumed.code, 0, resumed.stderr + resumed.stdout);
    assert.equal(readFileSync(path(resumed.stdout), "utf8"), text);
    // A crash is no edit of a person.
    assert.deepEqual(files(await session(copy), /\.changed(-\d+)?$/), []);
    const begun = (await copy.events()).filter(({ type }) => type === "child_run_started");
    /** @type {Map<string, Set<string>>} */
    const parts = new Map();
    for (const { key, child } of begun) {
        const name = JSON.stringify(key);
        parts.set(name, (parts.get(name) ?? new Set()).add(child));
    }
    for (const [name, runs] of parts) assert.equal(runs.size, 1, `${name} was begun anew`);
    return true;
}

test("killed at any of 24 moments, it goes on where it was: the same memorandum, no finished part written twice, every state whole", async (context) => {
    const { place, args, text, events } = finished;
    const other = Place.for(context);
    // It stands still at every moment, and lasts longer for it.
    const started = other.start(args, { seconds: 180 });
    /** @type {Place[]} */
    const copies = [];
    for (let moment = 1; moment <= MOMENTS; moment += 1) {
        const reached = Math.floor((moment / (MOMENTS + 2)) * events);
        await until(() => started.end !== undefined || eventsIn(started.stdout) >= reached, 60_000);
        assert.ok(
            eventsIn(started.stdout) >= reached,
            `${eventsIn(started.stdout)} of ${reached} events: ${started.stderr}`,
        );
        const copy = Place.for(context);
        await copyAt(other, copy);
        copies.push(copy);
    }
    const ended = await started.ended;
    assert.equal(ended.code, 0, ended.stderr);
    assert.equal(readFileSync(path(ended.stdout), "utf8"), text);

    const states = copies.flatMap(({ data }) => files(join(data, "sessions"), STATE));
    await place.do(["schema", "check", ...states]);
    const waiting = [...copies];
    let resumed = 0;
    // Two at a time: the machines that run this have two cores.
    const worker = async () => {
        for (let copy = waiting.shift(); copy !== undefined; copy = waiting.shift())
            if (await goesOn(copy, text)) resumed += 1;
    };
    await Promise.all([worker(), worker()]);
    context.diagnostic(`${resumed} of ${MOMENTS} copies went on; ${states.length} state files`);
    assert.ok(resumed >= MOMENTS - 4, `only ${resumed} copies had something to go on with`);
});

test("it stops after the plan and at the fact sheet; a file that was changed or deleted meanwhile is noticed and written again", async (context) => {
    const { place, args } = room(context);
    const first = await place.run(args.filter((arg) => arg !== "--yes"));
    assert.equal(first.code, 3, first.stderr);
    const folder = await session(place);
    const plan = join(folder, "research-plan.md");
    const before = readFileSync(plan, "utf8");
    assert.match(before, /Data protection[\s\S]*Customer contracts/);
    assert.match(
        readFileSync(join(folder, "orchestrator-state.md"), "utf8"),
        /"status": "blocked"[\s\S]*"current_phase": "P2"/,
    );
    rmSync(plan);
    writeFileSync(join(folder, "orchestrator-state.md"), "# Nothing\n");
    const answers = join(place.work, "answers.json");
    writeFileSync(answers, JSON.stringify([{ choice: "proceed" }]));
    const second = await place.run(["resume", "--last", "--answers", answers, "--json"]);
    assert.equal(second.code, 3, second.stderr);
    assert.match(second.stdout, /orchestrator-state\.md was changed; research-plan\.md is missing/);
    assert.equal(readFileSync(plan, "utf8"), before);
    const state = await place.state();
    assert.equal(state.pauses.at(-1).stage, "fact_sheet");
    // How well each fact is supported is seen where the sheet is signed.
    const shown = state.pauses.at(-1).markdown;
    assert.match(shown, /facts that one document gives[\s\S]*Annual fee \(agreement-orchard\): \$4,200,000/);
    assert.match(shown, /facts that documents give differently[\s\S]*\$7,900,000 vs \$7,500,000/);
    assert.match(shown, /conflicts? between documents[\s\S]*facts that no document gives/);
    assert.match(shown, /Who signs the fact sheet\?/);
    // Its facts are edited in rows; a value may be a text or a number.
    const [facts] = state.pauses.at(-1).lists;
    // More of them than anybody signs in one sitting can be sent.
    assert.deepEqual([facts.field, facts.maxItems], ["facts", 20_000]);
    assert.deepEqual(
        facts.columns.map((/** @type {any} */ column) => [column.field, column.kind, column.required]).sort(),
        [
            ["fact", "text", true],
            ["sources", "texts", false],
            ["value", "text", true],
        ],
    );

    // Files of the runs that it began are looked at as well, and what a person wrote into one is kept beside it.
    const report = (/** @type {string} */ slug) => join(folder, "specialist-reports", `${slug}-report.md`);
    const [gone, edited] = /** @type {const} */ ([report("data-protection"), report("corporate-structure")]);
    const reports = [gone, edited].map((report) => readFileSync(report, "utf8"));
    rmSync(gone);
    writeFileSync(edited, "# My own words\n");
    const last = await place.run(["resume", "--last", "--yes", "--json"]);
    assert.equal(last.code, 0, last.stderr);
    assert.match(last.stdout, /specialist-reports\/data-protection-report\.md is missing/);
    assert.match(last.stdout, /corporate-structure-report\.md was changed/);
    assert.match(
        last.stdout,
        /What stood there is kept as specialist-reports\/corporate-structure-report\.md\.changed/,
    );
    assert.deepEqual(
        [gone, edited].map((report) => readFileSync(report, "utf8")),
        reports,
    );
    assert.equal(readFileSync(`${edited}.changed`, "utf8"), "# My own words\n");
    assert.equal(existsSync(`${gone}.changed`), false);
    assert.match(readFileSync(path(last.stdout), "utf8"), /END OF MEMORANDUM/);
});

/**
 * A run whose fact sheet was corrected and signed, and what it wrote, once for the tests that look at it.
 * @type {Promise<{ place: Place, args: string[], text: string, read: (name: string) => any }> | undefined}
 */
let signing;

function signed() {
    signing ??= (async () => {
        const { place, args } = room(all);
        const { read, sheet, of, sign } = await toSign(place, args);
        of("Total annual recurring revenue").value = "$7,500,000";
        of("Authorized shares, Common Stock").value = "10,500,000";
        sheet.facts.push({ fact: "Net revenue retention", value: "104%", sources: ["board-report"] });
        const ended = await sign({ answers: { 1: "Jane Doe" } });
        assert.equal(ended.code, 0, ended.stderr + ended.stdout);
        return { place, args, text: readFileSync(path(ended.stdout), "utf8"), read };
    })();
    return signing;
}

test("what a person signs is what the memorandum is held against: corrected, settled and added facts, with name and day", async () => {
    const { text, read } = await signed();
    assert.match(text, /^Fact sheet signed by Jane Doe on \d{4}-\d\d-\d\d$/m);
    assert.match(text, /\$7,900,000 vs \$7,500,000 \(major\); accepted: \$7,500,000$/m);
    assert.match(
        text,
        /^\| Authorized shares, Common Stock \| 10,500,000 \| given with the fact sheet \| fact sheet \|$/m,
    );
    assert.match(text, /^\| Net revenue retention \| 104% \| given with the fact sheet \| board-report \|$/m);
    assert.match(read("fact-sheet.json").signature, /^Fact sheet signed by Jane Doe on /);
    const rows = read("number-registry.json").map((/** @type {any} */ row) => [
        row.id,
        row.value,
        row.unit,
        row.source,
    ]);
    for (const row of [
        ["total-annual-recurring-revenue", 7_500_000, "USD", "revenue-schedule"],
        ["net-revenue-retention", 104, "%", "board-report"],
    ])
        assert.ok(
            rows.some((/** @type {any} */ one) => JSON.stringify(one) === JSON.stringify(row)),
            JSON.stringify(rows),
        );
});

test("every figure is registered with its document and page, and a section that states another one stops at the gate", async (context) => {
    const { place, documents, args } = room(context);
    const pages = [
        ["# Master Agreement with Maple Mills", "1.1 The mills order forecasts for three plants."],
        ["1.2 The annual subscription fee is $2,500,000.", "1.3 The fee is invoiced once a year."],
    ];
    writeFileSync(join(documents, "agreement-maple.pdf"), pdf(pages));
    const { read, of, sign } = await toSign(place, args);
    const shown = (await place.state()).pauses.at(-1).markdown;
    assert.match(shown, /Annual fee \(agreement-maple\): \$2,500,000 \(agreement-maple p\. 2\)/);
    // A section quotes the day that stands in the document.
    of("Effective date (agreement-orchard)").value = "1 April 2025";
    const signed = await sign({});
    assert.equal(signed.code, 3, signed.stderr + signed.stdout);
    const rows = read("number-registry.json");
    const row = (/** @type {string} */ id) => rows.find((/** @type {any} */ one) => one.id === id);
    const { value, unit, source, page, within } = row("annual-fee-agreement-maple");
    assert.deepEqual([value, unit, source, page, within], [2_500_000, "USD", "agreement-maple", 2, "agreement-maple"]);
    assert.deepEqual(row("annual-fee-agreement-orchard").keys.slice(0, 2), ["annual fee", "annual subscription fee"]);
    assert.equal((await place.state()).pauses.at(-1).kind, "gate");
    const outputs = (await place.do(["show", "--outputs"])).stdout;
    assert.match(outputs, /effective-date-agreement-orchard: 1 march 2025; the register says 2025-04-01/);
});

test("with the log lost, finished parts are taken over from their files where they are whole, and the rest is done anew", async (context) => {
    const { args, written: file, text } = finished;
    const other = Place.for(context);
    const folder = join(other.work, "kept");
    cpSync(dirname(file), folder, { recursive: true });
    const section = join(folder, "section-reports/IV-B.md");
    writeFileSync(section, readFileSync(section, "utf8").slice(0, -40));
    rmSync(join(folder, "section-reports/IV-C.md"));

    const adopted = await other.do([...args, "--adopt", folder]);
    assert.match(adopted.stderr, /taken over: section-reports\/IV-A\.json/);
    assert.match(adopted.stderr, /run again: section-reports\/IV-B\.json: section-reports\/IV-B\.md has another text/);
    assert.match(adopted.stderr, /run again: section-reports\/IV-C\.json: IV-C\.md is missing/);
    // Nobody signed it, and a summary of other sections is none of these.
    assert.match(adopted.stderr, /run again: review-outputs\/fact-sheet\.json: it has no signature that can be proven/);
    assert.deepEqual(await begun(other, "specialist_reports", "memo_sections", "executive_summary"), [0, 2, 1]);
    const written = readFileSync(path(adopted.stdout), "utf8");
    assert.match(
        written,
        /\n- section-reports\/IV-A\.json\n[^]*\n- Run again: section-reports\/IV-C\.json: IV-C\.md is missing\.\n/,
    );
    assert.equal(withoutAdoption(written), text);

    const refused = await other.run([...args, "--adopt", join(folder, "nowhere")]);
    assert.equal(refused.code, 2, refused.stderr);
    assert.match(refused.stderr, /there is no folder/);
});

test("what was taken over can be taken over again: the plan, the signed fact sheet, the parts with their states", async (context) => {
    const { place, args, text } = await signed();
    let folder = join(place.work, "kept");
    cpSync(await session(place), folder, { recursive: true });
    // One of the states is lost.
    rmSync(join(folder, "section-writer-state-IV-C.json"));
    for (const lost of ["section-writer-state-IV-C.json", undefined]) {
        const other = Place.for(context);
        const adopted = await other.run([...args.filter((arg) => arg !== "--yes"), "--adopt", folder]);
        assert.equal(adopted.code, 3, adopted.stderr);
        for (const file of [
            "research-plan",
            "review-outputs/fact-sheet",
            "executive-summary",
            "section-writer-state-IV-J",
        ])
            assert.match(adopted.stderr, new RegExp(`taken over: ${file}\\.json`));
        const anew = [...adopted.stderr.matchAll(/^run again: (\S+): (.*)$/gm)].map(
            ([, file, why]) => `${file} ${why}`,
        );
        const derived = `${lost} ${lost} is missing; it is derived from the result`;
        assert.deepEqual(anew, lost === undefined ? [] : [derived]);
        const answers = join(other.work, "answers.json");
        writeFileSync(answers, JSON.stringify([{ choice: "proceed" }]));
        // Only the plan is asked for: the signature stands.
        const ended = await other.run(["resume", "--last", "--answers", answers, "--json"]);
        assert.equal(ended.code, 0, ended.stderr + ended.stdout);
        assert.deepEqual(await begun(other, "specialist_reports", "memo_sections", "executive_summary"), [0, 0, 0]);
        const written = readFileSync(path(ended.stdout), "utf8");
        assert.match(
            written,
            /^Fact sheet signed by Jane Doe on \d{4}-\d\d-\d\d \(taken over from the files of an earlier run\)$/m,
        );
        assert.match(written, /\n### Taken over from the files of an earlier run\n\n- research-plan\.json\n/);
        assert.equal(withoutAdoption(written), text);
        folder = await session(other);
        const states = files(folder, STATE);
        assert.equal(states.length, 20, states.join("\n"));
        await other.do(["schema", "check", ...states]);
    }
});
