// The agent `deal-memorandum` over a folder of made-up documents, without a model: from the folder to a memorandum in which every statement
// names its document; its states at every moment; a crash; files that were changed.

import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { dealRoom } from "./deal-room.mjs";
import { Place, jsonLines } from "./lib.mjs";
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

/** @param {string} stdout */
const path = (stdout) => jsonLines(stdout).at(-1).document;

test("a folder of documents becomes a memorandum whose every footnote names a document, twice in the same bytes", async (context) => {
    const { place, args } = room(context);
    const ended = await place.do(args);
    const written = path(ended.stdout);
    assert.match(written, /final-memorandum\.md$/);
    const text = readFileSync(written, "utf8");
    assert.match(text, /^# Acquisition of Larkspur Analytics\n[\s\S]*Target: Larkspur Analytics, Inc\./);
    // Nobody was there to sign, and it says so.
    assert.match(text, /^Fact sheet accepted without a signature: nobody was asked$/m);
    for (const letter of "ABCDEFGHIJ") assert.match(text, new RegExp(`^## IV\\.${letter}\\. `, "m"));
    assert.match(text, /END OF MEMORANDUM\s*$/);
    // How good it is, and what it does not say, stands in it and in every file that is made of it.
    assert.match(text, /^## III\. Amounts at risk\n[\s\S]*No report states an amount at risk/m);
    const certificate = text.slice(text.indexOf("\n## V. Certificate and limitations\n"));
    assert.match(certificate, /^\| Score \| \d+ of 100 points \|$/m);
    assert.match(
        certificate,
        /^- The documents contradict each other on Total annual recurring revenue, and nobody settled/m,
    );
    assert.match(certificate, /^- No model was asked/m);
    // What the small depth does not test is not counted as found good.
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
    assert.match(String(word.get("word/footnotes.xml")), /agreement-orchard\.md/);
    assert.match(String(word.get("word/document.xml")), /Certificate and limitations[\s\S]*of 100 points/);

    const page = join(place.work, "memo.html");
    await place.do(["export", run, "--format", "html", "-o", page]);
    const html = readFileSync(page, "utf8");
    assert.match(html, /<h2 id="section-\d+">(?:<a id="place-\d+"><\/a>)?IV\.A\. /);
    assert.match(html, /<li id="note-1" dir="auto">[\s\S]*\.md[\s\S]*href="#mark-1"/);
    assert.match(html, /Certificate and limitations[\s\S]*of 100 points/);
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
        ["Statements", "Facts", "Conflicts between documents", "Figures", "Gaps", "Facts that no document gives"],
    );
    assert.match(String(book.get("xl/worksheets/sheet4.xml")), /annual fee[\s\S]*agreement-orchard[\s\S]*4200000/);
    assert.match(String(book.get("xl/worksheets/sheet3.xml")), /\$7,900,000 vs \$7,500,000/);

    const again = await place.do(args);
    assert.equal(readFileSync(path(again.stdout), "utf8"), text);
    const replayed = await place.do(["replay", run, "--json"]);
    assert.equal(jsonLines(replayed.stdout).at(-1).identical, true);
});

test("killed at any moment, it goes on where it was: the same memorandum, no finished part written twice, every state whole", async (context) => {
    const { place, args } = room(context);
    const whole = await place.do(args);
    const text = readFileSync(path(whole.stdout), "utf8");
    const lines = jsonLines(whole.stdout).length;
    for (const part of [0.05, 0.3, 0.55, 0.75, 0.95]) {
        const started = place.start(args);
        await started.saw(new RegExp(`(?:[^\\n]*\\n){${Math.floor(part * lines)}}`));
        started.kill("SIGKILL");
        await started.ended;
        const left = files(await session(place), STATE);
        if (left.length > 0) await place.do(["schema", "check", ...left]);
        const resumed = await place.run(["resume", "--last", "--yes", "--json"]);
        // 4: it had ended already.
        if (resumed.code === 4) continue;
        assert.equal(resumed.code, 0, resumed.stderr + resumed.stdout);
        assert.equal(readFileSync(path(resumed.stdout), "utf8"), text, `killed after ${part} of the events`);
        const begun = (await place.events()).filter(({ type }) => type === "child_run_started");
        /** @type {Map<string, Set<string>>} */
        const parts = new Map();
        for (const { key, child } of begun) {
            const name = JSON.stringify(key);
            parts.set(name, (parts.get(name) ?? new Set()).add(child));
        }
        for (const [name, runs] of parts) assert.equal(runs.size, 1, `${name} was begun anew`);
    }
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
    assert.equal(facts.field, "facts");
    assert.deepEqual(
        facts.columns.map((/** @type {any} */ column) => [column.field, column.kind, column.required]).sort(),
        [
            ["fact", "text", true],
            ["sources", "texts", false],
            ["value", "text", true],
        ],
    );
    const last = await place.run(["resume", "--last", "--yes", "--json"]);
    assert.equal(last.code, 0, last.stderr);
    assert.match(readFileSync(path(last.stdout), "utf8"), /END OF MEMORANDUM/);
});

test("what a person signs is what the memorandum is held against: corrected, settled and added facts, with name and day", async (context) => {
    const { place, args } = room(context);
    const { read, sheet, of, sign } = await toSign(place, args);
    of("Total annual recurring revenue").value = "$7,500,000";
    of("Authorized shares, Common Stock").value = "10,500,000";
    sheet.facts.push({ fact: "Net revenue retention", value: "104%", sources: ["board-report"] });
    const signed = await sign({ answers: { 1: "Jane Doe" } });
    assert.equal(signed.code, 0, signed.stderr + signed.stdout);

    const text = readFileSync(path(signed.stdout), "utf8");
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
    const { place, args } = room(context);
    const text = readFileSync(path((await place.do(args)).stdout), "utf8");
    const folder = await session(place);
    const section = join(folder, "section-reports/IV-B.md");
    writeFileSync(section, readFileSync(section, "utf8").slice(0, -40));
    rmSync(join(folder, "section-reports/IV-C.md"));

    const other = Place.for(context);
    const adopted = await other.do([...args, "--adopt", folder]);
    assert.match(adopted.stderr, /taken over: section-reports\/IV-A\.json/);
    assert.match(adopted.stderr, /done anew: section-reports\/IV-B\.json: section-reports\/IV-B\.md has another text/);
    assert.match(adopted.stderr, /done anew: section-reports\/IV-C\.json: IV-C\.md is missing/);
    const begun = (await other.events()).filter(({ type }) => type === "child_run_started").map(({ key }) => key.stage);
    const count = (/** @type {string} */ stage) => begun.filter((one) => one === stage).length;
    assert.deepEqual([count("specialist_reports"), count("memo_sections")], [0, 2]);
    assert.equal(readFileSync(path(adopted.stdout), "utf8"), text);

    const refused = await other.run([...args, "--adopt", join(folder, "nowhere")]);
    assert.equal(refused.code, 2, refused.stderr);
    assert.match(refused.stderr, /there is no folder/);
});
