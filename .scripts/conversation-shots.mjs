// Pictures of a conversation for the README: what an agent looked at, its plan, a change to be allowed, its answer. The page is the
// window's; a browser shows it over `agentnative serve`, with a model on loopback.

import { join } from "node:path";

const SIZE = { width: 1_280, height: 800 };
/** What stands in the pictures in place of the temporary folder. */
const HOME = "/home/eva";

/**
 * @param {string} folder where the pictures go
 * @returns {Promise<string[]>} their names
 */
export async function takeConversation(folder) {
    const { Place } = await import("../tests/lib.mjs");
    const { Mock } = await import("../tests/mock.mjs");
    const { ASKS, FIXTURES, PLANS, project } = await import("../tests/invoices.mjs");
    const { Served, go, launch, seen } = await import("../tests/browser/served.mjs");
    const place = new Place();
    /** @type {(() => void)[]} */
    const ends = [];
    const browser = await launch();
    /** @type {string[]} */
    const names = [];
    try {
        const mock = await Mock.for(
            /** @type {any} */ ({ after: (/** @type {() => void} */ end) => ends.push(end) }),
            place,
            FIXTURES,
        );
        const env = { MOCK_KEY: "no-key" };
        const model = ["--model", "claude-sonnet-5-5", "--key-env", "MOCK_KEY", "--no-test"];
        await place.do(["connect", "add", "mock", "--provider", "anthropic", "--base-url", mock.address, ...model], {
            env,
        });
        const served = await Served.start(place, { env });
        const core = await served.core();
        await core.call("settings_update", { welcomed: true });
        const room = await browser.newContext({ viewport: SIZE, reducedMotion: "reduce", colorScheme: "light" });
        const page = await room.newPage();
        page.setDefaultTimeout(20_000);
        await page.goto(served.url);
        await seen(page, /\S/);

        const picture = async (/** @type {string} */ name) => {
            await page.mouse.move(0, 0);
            await page.evaluate(() => document.fonts.ready);
            await page.evaluate(([from, to]) => {
                const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
                for (let text = texts.nextNode(); text !== null; text = texts.nextNode())
                    if (text.nodeValue?.includes(from)) text.nodeValue = text.nodeValue.replaceAll(from, to);
            }, /** @type {[string, string]} */ ([place.user, HOME]));
            await page.screenshot({ path: join(folder, `${name}.png`) });
            names.push(name);
        };
        const send = async (/** @type {string | null} */ session, /** @type {string} */ text) => {
            const message = { text, mentions: [], attachments: [] };
            const setup = { mode: "safe", folders: [project(place.user)] };
            const sent = await core.call("turn_send", {
                session,
                message,
                ...(session === null ? { setup } : {}),
                connection: "mock",
            });
            return sent.session;
        };
        const session = await send(null, ASKS);
        await go(page, `/session/${session}`);
        await seen(page, /I can plan the change/);
        await page.getByText(/^Worked/).click();
        await page.getByText("Find amounts that several invoices share").waitFor();
        await page
            .getByRole("region", { name: "Questions and answers" })
            .evaluate((/** @type {Element} */ it) => it.scrollTo(0, 0));
        await picture("chat-explore");

        await send(session, PLANS);
        const accept = page.getByRole("button", { name: /^Accept(?! and)/ });
        await accept.waitFor();
        await page
            .getByRole("button", { name: "Scroll to end" })
            .click({ timeout: 1_000 })
            .catch(() => undefined);
        await picture("chat-plan");

        await accept.click();
        const card = page.locator("[data-approval]");
        await card.getByText("candidates[0]").first().waitFor();
        await picture("chat-approval");

        await card.getByRole("button", { name: /^Allow once/ }).click();
        await page.getByRole("img", { name: /^Diagram/ }).waitFor();
        await page.getByText(/^1 file changed/).waitFor();
        await page
            .getByRole("button", { name: "Scroll to end" })
            .click({ timeout: 1_000 })
            .catch(() => undefined);
        await picture("chat-result");
        core.end();
    } finally {
        await browser.close();
        await place.end();
        for (const end of ends) end();
    }
    return names;
}
