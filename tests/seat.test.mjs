// The test seat: a model provider whose answers are files. A staged run and a turn of a conversation are answered through it.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { SEAT_MODEL, Seat } from "../.scripts/seat.mjs";
import { AGENT, Place, QUESTION, document, until } from "./lib.mjs";

/**
 * A place with a connection to a seat; with the test's end the seat is gone.
 * @param {import("node:test").TestContext} context
 * @param {Partial<import("../.scripts/seat.mjs").SeatOptions>} [options]
 */
async function seated(context, options = {}) {
    const place = Place.for(context);
    /** @type {string[]} */
    const lines = [];
    const seat = await Seat.start({ folder: join(place.work, "seat"), log: (line) => lines.push(line), ...options });
    context.after(() => seat.stop());
    const args = [
        "--provider",
        "anthropic",
        "--base-url",
        seat.address,
        "--model",
        SEAT_MODEL,
        "--no-key",
        "--flat-rate",
        "--no-test",
    ];
    await place.do(["connect", "add", "seat", ...args]);
    return { place, seat, lines };
}

test("a staged run is answered by files, and a half-written one is not read", async (context) => {
    const { place, seat, lines } = await seated(context, { pingMs: 50 });
    await place.research(["--connection", "offline"]);
    const outputs = JSON.parse((await place.do(["show", "--outputs"])).stdout);
    const arrived = async (/** @type {string} */ number) =>
        assert.ok(
            await until(() => existsSync(join(seat.folder, `${number}-request.md`)), 20_000),
            `request ${number}`,
        );

    const run = place.start(["run", AGENT, "--yes", "--connection", "seat", QUESTION]);
    await arrived("001");
    const plan = JSON.stringify({ content: [{ type: "text", text: JSON.stringify(outputs.analyze_query) }] });
    writeFileSync(join(seat.folder, "001-answer.json"), plan.slice(0, plan.length / 2));
    assert.ok(
        await until(() => lines.some((line) => line.includes("001-answer.json: SyntaxError")), 10_000),
        lines.join("\n"),
    );
    assert.ok(!existsSync(join(seat.folder, "002-request.md")));
    writeFileSync(join(seat.folder, "001-answer.json"), plan);

    await arrived("002");
    const page = readFileSync(join(seat.folder, "002-request.md"), "utf8");
    for (const text of ["## System", "## Messages", "## Schema of the answer", QUESTION, "of it ISA_CONTEXT"])
        assert.ok(page.includes(text), text);
    // What the answer lacks is searched for once more; the model is asked about what that brings.
    const gaps = ["What a benchmark for materiality is", "Who made the first abacus"];
    writeFileSync(join(seat.folder, "draft"), JSON.stringify({ ...outputs.synthesize, gaps }));
    renameSync(join(seat.folder, "draft"), join(seat.folder, "002-answer.txt"));
    await arrived("003");
    const repair = readFileSync(join(seat.folder, "003-request.md"), "utf8");
    for (const text of ["GAPS", ...gaps, "of it ISA_CONTEXT"]) assert.ok(repair.includes(text), text);
    assert.ok(!repair.includes("STATEMENTS>"), "every statement held");
    writeFileSync(
        join(seat.folder, "003-answer.json"),
        JSON.stringify({ content: [{ type: "text", text: JSON.stringify({ replacements: [] }) }] }),
    );
    const ended = await run.ended;
    assert.equal(ended.code, 0, ended.stderr + lines.join("\n"));
    const { markdown } = document(ended);
    for (const text of ["Primer", ...gaps]) assert.ok(markdown.includes(text), text);
    const state = await place.state();
    assert.equal(state.status, "completed");
    assert.equal(state.connection, "seat");
    assert.equal(state.document.verified, state.document.total);
});

test("a conversation calls a tool and is answered from prepared files, and an error comes as its status", async (context) => {
    const root = Place.for(context);
    const answers = join(root.work, "answers");
    mkdirSync(answers);
    writeFileSync(
        join(answers, "001-answer.json"),
        JSON.stringify({
            content: [
                { type: "text", text: "I look." },
                { type: "tool_use", name: "read", input: { path: "notes.txt" } },
            ],
        }),
    );
    writeFileSync(join(answers, "002-answer.md"), "They say **42**.\n");
    writeFileSync(
        join(answers, "003-error.json"),
        JSON.stringify({ status: 400, type: "invalid_request_error", message: "no such luck" }),
    );
    const { place, seat } = await seated(context, { answers });
    const folder = join(place.work, "folder");
    mkdirSync(folder);
    writeFileSync(join(folder, "notes.txt"), "The answer is 42.\n");
    const chat = (/** @type {string} */ message) =>
        place.run(["chat", "--connection", "seat", "--folder", folder, message]);

    const answered = await chat("What do the notes say?");
    assert.equal(answered.code, 0, answered.stderr);
    assert.match(answered.stdout, /They say \*\*42\*\*\./);
    assert.match(readFileSync(join(seat.folder, "002-request.json"), "utf8"), /The answer is 42\./);

    const refused = await chat("And now?");
    assert.notEqual(refused.code, 0);
    assert.match(refused.stderr + refused.stdout, /no such luck/);
});
