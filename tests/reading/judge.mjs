// The corpus of reading: its inputs are made, read by the built program in one go, and compared with what must stand.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { KINDS } from "./cases/all.mjs";

/**
 * @typedef {object} Paragraph
 * @property {string} id
 * @property {string} text
 * @property {string[]} [path] the headings above it
 * @property {string} [context] what stands beside it: the title and the names of columns of its table
 * @property {number} [page]
 * @property {{ text: string }[]} [struck]
 */

/**
 * What reading one case gave.
 * @typedef {{ paragraphs: Paragraph[], notes: string[] }} Read
 */

/**
 * @typedef {object} Judged
 * @property {string} kind
 * @property {string} name
 * @property {string[]} extensions
 * @property {string[]} faults what is not as expected; none: it passed
 * @property {Read} read
 */

const BASE = "reading";

/** @param {string} text */
const tight = (text) => text.replace(/\s+/gu, " ").trim();

/**
 * @param {string | RegExp} wanted
 * @param {string} text
 */
const holds = (wanted, text) =>
    typeof wanted === "string"
        ? tight(text).includes(tight(wanted))
        : wanted.test(text.replace(/[^\S\n]+/gu, " ").trim());

/**
 * @param {import("./cases/all.mjs").Expected} expected
 * @param {Read} read
 * @returns {string[]}
 */
function faultsOf(expected, { paragraphs, notes }) {
    const {
        stands = [],
        absent = [],
        told = [],
        untold = [],
        either = [],
        under = [],
        most = [],
        struck = "",
        pages = [],
        ids = [],
        notIds = [],
    } = expected;
    const texts = [...paragraphs.map(({ text }) => text), ...new Set(paragraphs.flatMap(({ path = [] }) => path))];
    const has = (/** @type {string | RegExp} */ wanted) => texts.some((text) => holds(wanted, text));
    const isTold = (/** @type {RegExp} */ wanted) => notes.some((note) => wanted.test(note));
    const withPhrase = (/** @type {string} */ phrase) => paragraphs.filter(({ text }) => holds(phrase, text));
    const needsNote = either.length === 0 || !either.some(has);
    return [
        ...stands.filter((wanted) => !has(wanted)).map((wanted) => `does not stand: ${String(wanted)}`),
        ...absent.filter(has).map((wanted) => `stands, and must not: ${String(wanted)}`),
        ...told.filter((wanted) => needsNote && !isTold(wanted)).map((wanted) => `not told: ${String(wanted)}`),
        ...untold.filter(isTold).map((wanted) => `told without need: ${String(wanted)}`),
        ...under
            .filter(
                ([title, phrase]) =>
                    !withPhrase(phrase).some(({ text, context = "", path = [] }) =>
                        holds(title, [...path, context, text].join("\n")),
                    ),
            )
            .map(([title, phrase]) => `${phrase} does not stand under ${title}`),
        ...most
            .filter(([phrase, times]) => texts.join("\n").split(phrase).length - 1 > times)
            .map(([phrase, times]) => `stands more than ${times} times: ${phrase}`),
        ...(paragraphs
            .flatMap((one) => (one.struck ?? []).map(({ text }) => text))
            .join(" ")
            .includes(struck)
            ? []
            : [`not kept as struck: ${struck}`]),
        ...pages.flatMap(([phrase, page]) =>
            withPhrase(phrase)
                .filter((one) => one.page !== page)
                .map((one) => `${phrase} stands on page ${one.page}, not ${page}`),
        ),
        ...ids
            .filter(
                ([phrase, form]) =>
                    withPhrase(phrase).length > 0 && !withPhrase(phrase).every(({ id }) => form.test(id)),
            )
            .map(([phrase, form]) => `the id of "${phrase}" is ${withPhrase(phrase)[0]?.id}, not ${String(form)}`),
        ...notIds.flatMap((form) => paragraphs.filter(({ id }) => form.test(id)).map(({ id }) => `an id is ${id}`)),
    ];
}

/**
 * @param {import("./make/input.mjs").Input | Record<string, import("./make/input.mjs").Input>} input
 * @returns {input is import("./make/input.mjs").Input}
 */
const isFile = (input) => Buffer.isBuffer(input.bytes);

/**
 * Makes every input, reads them all and compares.
 * @param {import("../lib.mjs").Place} place
 * @returns {Promise<Judged[]>}
 */
export async function judged(place) {
    const folder = join(place.work, "inputs");
    const cases = Object.entries(KINDS).flatMap(([kind, all]) =>
        all.map(([name, input, expected], at) => {
            const own = `${kind.replaceAll(" ", "-")}-${at}`;
            const files = isFile(input) ? { [`${own}.${input.extension}`]: input } : input;
            const read = /** @type {Read} */ ({ paragraphs: [], notes: [] });
            return { kind, name, files: Object.entries(files), expected, read };
        }),
    );
    const caseOf = /** @type {Map<string, Read>} */ (new Map());
    mkdirSync(folder);
    for (const { files, read } of cases) {
        for (const [name, { bytes }] of files) {
            writeFileSync(join(folder, name), bytes);
            caseOf.set(name, read);
        }
    }
    const told = JSON.parse(
        (await place.do(["kb", "ingest", folder, "--base", BASE, "--json"], { seconds: 120 })).stdout,
    );
    for (const { name, problems } of told.files)
        caseOf.get(name)?.notes.push(...problems.map((/** @type {{ what: string }} */ one) => one.what));
    const exported = join(place.work, "exported");
    await place.do(["kb", "export", BASE, exported]);
    const sources = JSON.parse(readFileSync(join(exported, "manifest.json"), "utf8")).sources;
    for (const line of readFileSync(join(exported, "paragraphs.jsonl"), "utf8").split("\n").filter(Boolean)) {
        const { file = 0, ...paragraph } = JSON.parse(line);
        caseOf.get(sources[file].name)?.paragraphs.push(paragraph);
    }
    return Promise.all(
        cases.map(async ({ kind, name, files, expected, read }) => {
            const missed = await Promise.all(
                (expected.finds ?? []).map(async (words) =>
                    (await isFound(place, read, words)) ? [] : [`not found: ${words}`],
                ),
            );
            const extensions = files.map(([path]) => path.replace(/^.*\./, ""));
            return { kind, name, extensions, faults: [...faultsOf(expected, read), ...missed.flat()], read };
        }),
    );
}

/**
 * Whether a search of the base finds a paragraph of the case.
 * @param {import("../lib.mjs").Place} place
 * @param {Read} read
 * @param {string} words
 */
async function isFound(place, read, words) {
    const { stdout } = await place.run(["kb", "search", "--base", BASE, "--limit", "20", "--json", words]);
    const ids = read.paragraphs.map(({ id }) => id);
    return stdout
        .split("\n")
        .filter((line) => line.startsWith("{"))
        .some((line) => {
            const { id, why } = JSON.parse(line);
            return [id, ...(why?.duplicates ?? [])].some((/** @type {string} */ one) => ids.includes(one));
        });
}

/**
 * A case that failed, for a person.
 * @param {Judged} one
 */
export function shown({ kind, name, extensions, faults, read }) {
    const got = read.paragraphs
        .slice(0, 8)
        .map(
            ({ id, text, path = [] }) =>
                `      ${id}${path.length > 0 ? ` [${path.join(" > ")}]` : ""}: ${JSON.stringify(text.slice(0, 300))}`,
        );
    return [
        `${kind}: ${name} (${extensions.join(", ")})`,
        ...faults.map((fault) => `    ${fault}`),
        "    got",
        ...got,
        ...read.notes.slice(0, 4).map((note) => `      note: ${note}`),
    ].join("\n");
}
