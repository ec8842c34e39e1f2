// Steps that several tests of the window take.

import assert from "node:assert/strict";

import { AGENT, QUESTION, until } from "../lib.mjs";

/** Headings of the research agent's two pauses. */
export const PAUSE = { first: /^Research plan/, second: /^Plan after the web search/ };

/** Buttons of the first pause. */
export const CHOICE = {
    search: /^Proceed, with a web search/,
    skip: /^Proceed without a web search/,
    amend: /^Amend/,
    cancel: /^Cancel/,
};

/** What stands over a finished document. */
export const STATEMENTS = /(\d+) statements?: (\d+) quoted word for word\./;

/**
 * Starts a run beside the window, as another surface would, and waits for it.
 * @param {import("../core.mjs").Core} core
 * @param {string} status
 * @param {object} [params]
 * @returns {Promise<any>} its state
 */
export async function started(core, status, params = {}) {
    const run = await core.call("run_start", { agent: AGENT, request: QUESTION, ...params });
    return reached(core, run, status);
}

/**
 * Waits until a run has a status.
 * @param {import("../core.mjs").Core} core
 * @param {string} run
 * @param {string} status
 * @param {number} [ms]
 */
export async function reached(core, run, status, ms = 30_000) {
    /** @type {any} */
    let state;
    const ok = await until(async () => (state = await core.begun(run)).status === status, ms);
    assert.ok(ok, `run is ${state.status}, not ${status}: ${JSON.stringify(state.problem)}`);
    return state;
}

/**
 * Types a question into the composer and sends it.
 * @param {import("./webdriver.mjs").Driver} page
 * @param {string} [question]
 */
export async function askQuestion(page, question = QUESTION) {
    // A page that is still arranging itself may move the field away from under the pointer.
    await page.until("the question in its field", async () => {
        const field = await page.find("textbox", /^Ask a question/);
        await field.click();
        await field.clear();
        await page.write(question);
        return (await field.value()) === question;
    });
    await page.press("Enter");
}

/**
 * Checks the document that the window shows: every statement is quoted.
 * @param {import("./webdriver.mjs").Driver} page
 */
export async function verifiedDocument(page) {
    const [, total, quoted] = await page.text(STATEMENTS, 40_000);
    assert.equal(quoted, total);
    assert.ok(Number(total) > 0, "it states something");
}

/**
 * Presses Tab until something has the focus, as a person without a mouse does.
 * @param {import("./webdriver.mjs").Driver} page
 * @param {string} role
 * @param {RegExp} name
 */
export async function tabTo(page, role, name) {
    const passed = [];
    for (let step = 0; step < 120; step++) {
        const at = await page.focused();
        if (at !== null && at.role === role && name.test(at.name)) return;
        passed.push(at === null ? "nothing" : `${at.role} "${at.name.slice(0, 40)}"`);
        await page.press("Tab");
    }
    assert.fail(`Tab never reached ${role} ${String(name)}; it passed ${passed.join(", ")}`);
}
