// A mission in a browser, offline: started from the form by keys, its plan accepted, its report read, a claim followed to its
// source, and nothing of it changed after its end; no serious finding of axe, nothing wider than a narrow window, light and dark.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { AGENT, Place, QUESTION } from "../lib.mjs";
import { searchService } from "../search-service.mjs";
import { Served, findings, findingsInBoth, go, launch, openPage, picture, seen } from "./served.mjs";

const ASK = "What is materiality? How are risks of fraud identified? Format: table of statements and their sources";
const TABS = ["Report", "Journal", "Plan", "Agents", "Claims", "Gaps", "Contradictions", "Entities", "Sources"];

/** @type {import("playwright-core").Browser} */
let browser;
before(async () => {
    browser = await launch();
});
after(() => browser?.close());

/** The run adds the knowledge base that comes with its agent. */
async function withBase(/** @type {Place} */ place) {
    await place.do(["run", AGENT, "--yes", QUESTION]);
}

test("a mission is started from its form, and its report leads to the words of a source", async (context) => {
    const place = Place.for(context);
    await withBase(place);
    const served = await Served.start(place);
    const room = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" });
    context.after(() => room.close());
    const page = await room.newPage();
    await page.goto(served.url);
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Missions" }).click();
    await seen(page, /No missions yet/);
    assert.deepEqual(await findings(page), []);
    await picture(page, "missions-none");
    await page.getByRole("button", { name: "Start… General research" }).click();

    const objective = page.getByRole("textbox", { name: "Objective" });
    await objective.press("Control+Enter");
    await seen(page, /Write what is to be found out\./);
    await objective.fill(ASK);
    await page.getByRole("combobox", { name: "Knowledge base" }).press("Enter");
    await page.getByRole("option", { name: /Primer on auditing/ }).click();
    assert.deepEqual(await findings(page), []);
    await picture(page, "missions-form");
    await objective.press("Control+Enter");

    const plan = page.getByRole("region", { name: "Plan" });
    await plan.getByText("How are risks of fraud identified?").first().waitFor();
    assert.match(await plan.innerText(), /What is materiality\?\s[\s\S]*How are risks of fraud identified\?/);
    assert.deepEqual(await findings(page), []);
    await picture(page, "missions-plan");
    await plan.getByRole("button", { name: "Start research" }).press("Enter");
    await seen(page, /17 statements supported by|statements supported by \d+ sources/, 60_000);
    await page.getByRole("table").first().waitFor();
    await picture(page, "missions-report");

    // What asks is in the card, and so is the form of the report apart from it.
    const card = page.getByRole("article", {
        name: "Mission: What is materiality? How are risks of fraud identified?",
    });
    assert.match(await card.innerText(), /Report: table of statements and their sources/);
    // With the mouse: what can be clicked is higher than the raised number. What materiality is stands first.
    await page.getByRole("button", { name: "Footnote 1", exact: true }).click();
    await page.getByRole("button", { name: "Where claim c2 comes from" }).first().press("Enter");
    const origin = page.getByRole("dialog", { name: "Where claim c2 comes from" });
    await origin.getByText("Verified word for word").waitFor();
    const quote = await origin.getByRole("blockquote").first().innerText();
    assert.match(await origin.innerText(), /Paragraph \d+\.\d+/);
    assert.deepEqual(await findings(page), []);
    await picture(page, "missions-origin");
    // The words stand in the dialog as well: what counts is the page that the link leads to.
    const { href } = new URL(page.url());
    await origin.getByRole("link", { name: /Open in the base/ }).click();
    await page.waitForURL((url) => url.href !== href);
    await seen(page, new RegExp(quote.slice(0, 60).replace(/[.*+?^${}()|[\]\\]/g, "\\$&")));
    await page.goBack();

    for (const name of TABS) {
        await page.getByRole("tab", { name: new RegExp(`^${name}`) }).click();
        await page.getByRole("tabpanel").waitFor();
        assert.deepEqual(await findings(page), [], name);
    }
    // A jump to a place in the card scrolls the card, and not the pane around it.
    const moved = await card.getByRole("tablist").evaluate((/** @type {Element} */ tabs) => {
        tabs.scrollIntoView({ block: "start" });
        const panes = [...document.querySelectorAll("[data-pane=content], [data-pane=content] *")];
        return panes.filter((pane) => getComputedStyle(pane).overflowY !== "auto" && pane.scrollTop > 0).length;
    });
    assert.equal(moved, 0);

    // What it found is fixed after its end: in the window, and in the core.
    await page.getByRole("tab", { name: /^Claims/ }).click();
    await page.getByRole("button", { name: "Actions for c1", exact: true }).click();
    await seen(page, /The mission is complete\. What it found is fixed\./);
    assert.equal(await page.getByRole("menuitem", { name: "Reject…" }).getAttribute("aria-disabled"), "true");
    await page.keyboard.press("Escape");
    const [row] = JSON.parse((await place.do(["mission", "list", "--json"])).stdout).missions;
    const core = await served.core();
    await assert.rejects(
        core.call("mission_steer", { mission: row.mission, steer: { say: "reject", claim: "c1", why: "x" } }),
        /completed already/,
    );

    // The same findings in another form, and a further objective on them.
    await page.getByRole("button", { name: "Another report…" }).click();
    await page.getByRole("textbox", { name: "Form of the report" }).fill("a list of statements");
    assert.deepEqual(await findings(page), []);
    await picture(page, "missions-another-report");
    await page.keyboard.press("Control+Enter");
    const newest = page.getByRole("article", { name: /^Mission: / }).last();
    await newest.getByText("Goes on with an earlier mission").waitFor();
    await newest.getByText(/statements supported by/).waitFor();
    await newest.getByRole("button", { name: "Follow-up…" }).click();
    await page.getByRole("textbox", { name: "Objective" }).fill("What is a significant risk?");
    await page.keyboard.press("Control+Enter");
    const further = page.getByRole("article", { name: "Mission: What is a significant risk?" });
    const questions = further.getByRole("region", { name: "Plan" });
    await questions.getByRole("textbox", { name: "Another question" }).fill("What is a misstatement?");
    await questions.getByRole("button", { name: "Ask", exact: true }).click();
    await questions.getByRole("listitem").filter({ hasText: "What is a misstatement?" }).waitFor();
    await questions.getByRole("button", { name: "No longer ask: How are risks of fraud identified?" }).click();
    await questions.getByText("No longer asked (1)").waitFor();
    assert.deepEqual(await findings(page), []);
    await picture(page, "missions-plan-edited");
    await questions.getByRole("button", { name: "Start research" }).click();
    await further.getByRole("heading", { name: "What is a significant risk?", level: 2 }).nth(1).waitFor();
    await picture(page, "missions-follow-up");
    await go(page, `#/session/${row.session}?run=${row.mission}`);
    await card.first().waitFor();

    // The run of an agent leads back to the mission.
    await card
        .first()
        .getByRole("tab", { name: /^Agents/ })
        .click();
    await card.first().getByRole("link", { name: "Library Researcher" }).first().click();
    await page.getByText("The run that it is part of").click();
    await card.first().waitFor();
});

test("a mission fits a narrow window, light and dark", async (context) => {
    const place = Place.for(context);
    await withBase(place);
    await place.do(["mission", "start", "general-research", ASK, "--corpus", "isa-primer", "--yes"]);
    const [{ session, mission }] = JSON.parse((await place.do(["mission", "list", "--json"])).stdout).missions;
    const served = await Served.start(place);
    const { page } = await openPage(context, browser, served, { viewport: { width: 390, height: 844 } });
    for (const path of [`#/session/${session}?run=${mission}`, "#/missions", "#/missions?add="]) {
        await go(page, path);
        await seen(page, path.includes("session") ? /Done when/ : /General research/);
        const name = `missions-narrow-${path.replace(/\W+/g, "-").slice(0, 12)}`;
        assert.deepEqual(await findingsInBoth(page, name), [], path);
        const { wide, width } = await page.evaluate(() => ({
            wide: document.documentElement.scrollWidth,
            width: document.documentElement.clientWidth,
        }));
        assert.ok(wide <= width, `${path}: ${wide} px in a window of ${width}`);
    }
});

/** A lease in two documents that differ, and a model on loopback that reads them. */
const RENTS = Object.entries({
    rent: "The rent of the hall in Linz is 1,000 euros a month.",
    letter: "The rent of the hall in Linz is 1,200 euros a month.",
});
const ASKS = ["What is the rent of the hall in Linz?", "Which rent of the hall in Linz does the letter name?"];

test("a mission with a contradiction and a gap waits at its limit, usable by everybody", async (context) => {
    const place = Place.for(context);
    const folder = join(place.work, "lease");
    mkdirSync(folder);
    for (const [name, rent] of RENTS) writeFileSync(join(folder, `${name}.md`), `# ${name}\n\n${rent}\n`);
    await place.do(["kb", "ingest", folder, "--base", "lease"]);
    const script = join(place.work, "script.json");
    const answers = ASKS.map((ask, at) => ({
        match: ["You write the answer to a question", ask],
        json: { synthesis: `${RENTS[at]?.[1].slice(0, -1)} [@1.1].`, gaps: ["Who insures the hall?"], confidence: 1 },
    }));
    const questions = ASKS.map((text) => ({ text, section: "", required: true }));
    writeFileSync(
        script,
        JSON.stringify({ answers: [{ match: ["You plan research."], json: { questions } }, ...answers.reverse()] }),
    );
    place.profile("one-round", {
        successCriteria: { qualityScore: 100 },
        constraints: { iterations: 1 },
        agents: { allow: ["library-researcher"], roles: { plan: "research-planner" } },
        pauses: ["limit"],
    });
    const env = { AGENTNATIVE_SCRIPT: script };
    const start = [
        "mission",
        "start",
        "one-round",
        "Terms of the hall.",
        "--corpus",
        "lease",
        "--connection",
        "scripted",
    ];
    const waits = await place.run(start, { env });
    assert.equal(waits.code, 3, waits.stderr);
    const [{ session }] = JSON.parse((await place.do(["mission", "list", "--json"])).stdout).missions;
    const served = await Served.start(place, { env });
    const { page } = await openPage(context, browser, served);
    await go(page, `#/session/${session}`);
    await page.getByRole("region", { name: "Limit reached" }).waitFor();
    const newest = page.getByRole("list", { name: "Newest claims" });
    assert.match(await newest.innerText(), /1,200 euros[^]*letter\.md[^]*1,000 euros[^]*rent\.md/);
    for (const name of TABS) {
        await page.getByRole("tab", { name: new RegExp(`^${name}`) }).click();
        await page.getByRole("tabpanel").waitFor();
        assert.deepEqual(await findingsInBoth(page), [], name);
    }
    await page.getByRole("tab", { name: /^Contradictions/ }).click();
    await page.getByRole("button", { name: "Settle…" }).click();
    await page.getByRole("dialog").waitFor();
    assert.deepEqual(await findingsInBoth(page, "missions-settle"), []);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Raise limits…" }).click();
    assert.deepEqual(await findingsInBoth(page, "missions-raise"), []);
    // What is said of a claim is shown as soon as it is said.
    await newest.getByRole("button", { name: "Keep c1" }).press("Enter");
    await newest.getByRole("button", { name: "c1 is kept" }).waitFor();
    await newest.getByRole("button", { name: "Reject c2…" }).press("Enter");
    await page.getByRole("textbox", { name: "Why it is wrong" }).fill("The lease binds.");
    await page.keyboard.press("Control+Enter");
    await newest.getByText("Rejected").waitFor();
    assert.deepEqual(await findingsInBoth(page, "missions-newest-steered"), []);
});

test("hosts are decided about where a mission waits for them, narrow and wide, light and dark", async (context) => {
    const place = Place.for(context);
    const rest = { successCriteria: { qualityScore: 100 }, constraints: { iterations: 2 }, pauses: ["plan", "hosts"] };
    place.profile("careful", { ...rest, agents: { allow: ["web-researcher"] } });
    const script = join(place.work, "script.json");
    writeFileSync(script, JSON.stringify({ answers: [] }));
    const hosts = ["regulator.example", "standards.example"];
    const found = await searchService(
        context,
        hosts.map((host) => `https://${host}/guidance`),
    );
    const env = { AGENTNATIVE_SCRIPT: script, ...found };
    await place.do(["permissions", "allow", "web-researcher"], { env });
    const start = ["mission", "start", "careful", "What is materiality?", "--connection", "scripted"];
    assert.equal((await place.run(start, { env })).code, 3, "it waits at its plan");
    const proceeds = ["mission", "steer", "last", "--proceed"];
    assert.equal((await place.run(proceeds, { env })).code, 3, "it asks about the hosts");
    const [{ session, mission }] = JSON.parse((await place.do(["mission", "list", "--json"])).stdout).missions;
    const served = await Served.start(place, { env });
    for (const [width, colorScheme] of /** @type {const} */ ([
        [390, "dark"],
        [1280, "light"],
    ])) {
        const room = await browser.newContext({
            viewport: { width, height: 800 },
            reducedMotion: "reduce",
            colorScheme,
        });
        context.after(() => room.close());
        const page = await room.newPage();
        await page.goto(served.url);
        await go(page, `#/session/${session}?run=${mission}`);
        const form = page.getByRole("region", { name: "Web hosts" });
        await form.getByRole("list", { name: "Hosts that wait" }).waitFor();
        assert.deepEqual(await findings(page), []);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= width, `${wide} px in a window of ${width}`);
        await picture(page, `missions-hosts-${width}`);
        if (width < 1000) continue;
        await form.getByRole("button", { name: "Block" }).first().click();
        await form.getByRole("listitem").nth(1).waitFor({ state: "detached" });
        await form.getByRole("button", { name: "Allow", exact: true }).click();
        await form.getByText("All hosts are decided.").waitFor();
        await picture(page, "missions-hosts-decided");
        await form.getByRole("button", { name: "Research again" }).click();
        await seen(page, /Partial report\. Not met/, 60_000);
    }
});
