// npm run seat: a model provider on loopback whose model is whoever writes the answers. It speaks the Anthropic Messages wire. Each request
// becomes files of a folder; the answer is a file beside them. CONTRIBUTING.md, "The test seat", says how it is used.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { argv } from "node:process";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

import { readable, roughTokens } from "./seat-request.mjs";

/** The model that is listed: one that the program knows, so that it asks as it would ask the real one. */
export const SEAT_MODEL = "claude-sonnet-5-5";
/** Between two looks for an answer. */
const LOOK_MS = 100;
/** How long a file must stay as it is before it is read: one that is still being written changes. */
const STILL_MS = 400;
/** Characters of one streamed piece. */
const PIECE = 240;
const MAX_BODY_BYTES = 64 << 20;

/**
 * @typedef {object} Answer
 * @property {any[]} content blocks of the Messages wire
 * @property {string} [stop_reason]
 * @property {any} [usage]
 */

/**
 * @typedef {object} Refusal
 * @property {number} status
 * @property {string} type
 * @property {string} message
 */

/**
 * @typedef {object} SeatOptions
 * @property {string} folder where requests are written and answers are looked for
 * @property {number} [port] 0 or nothing: one that is free
 * @property {string} [answers] a folder of prepared answers; what is not there is refused instead of waited for
 * @property {string} [model]
 * @property {number} [pingMs] between two signs of life while an answer is waited for
 * @property {(body: any, turn: number) => Answer | Refusal} [answer] gives the answers in place of files; turns count from 1
 * @property {(body: any) => any} [usage] what a request is said to have used, in the fields of the wire
 * @property {(line: string) => void} [log]
 */

/** A running seat. */
export class Seat {
    #server = createServer((request, response) => {
        this.#serve(request, response).catch((error) => {
            this.log(`failed: ${String(error)}`);
            if (!response.headersSent) refuse(response, { status: 500, type: "api_error", message: String(error) });
            else response.destroy();
        });
    });
    #served = 0;

    /** @param {SeatOptions} options */
    constructor({
        folder,
        port = 0,
        answers,
        model = SEAT_MODEL,
        pingMs = 5_000,
        log = () => undefined,
        answer,
        usage,
    }) {
        this.answer = answer;
        this.usage = usage;
        mkdirSync(folder, { recursive: true });
        this.folder = resolve(folder);
        this.port = port;
        this.answers = answers === undefined ? undefined : resolve(answers);
        this.model = model;
        this.pingMs = pingMs;
        this.log = log;
        // A folder that was used before keeps its files: numbers go on behind them.
        this.before = readdirSync(this.folder).reduce(
            (most, name) => Math.max(most, Number(/^(\d+)-request\.json$/.exec(name)?.[1] ?? 0)),
            0,
        );
    }

    /**
     * @param {SeatOptions} options
     * @returns {Promise<Seat>} one that listens
     */
    static async start(options) {
        const seat = new Seat(options);
        await new Promise((resolve, reject) => {
            seat.#server.once("error", reject).listen(seat.port, "127.0.0.1", () => resolve(undefined));
        });
        const address = seat.#server.address();
        seat.port = typeof address === "object" && address !== null ? address.port : seat.port;
        return seat;
    }

    get address() {
        return `http://127.0.0.1:${this.port}`;
    }

    /** @returns {Promise<void>} once nothing listens any more; who still waits for an answer is cut off */
    stop() {
        return new Promise((resolve) => {
            this.#server.close(() => resolve());
            this.#server.closeAllConnections();
        });
    }

    /**
     * @param {import("node:http").IncomingMessage} request
     * @param {import("node:http").ServerResponse} response
     */
    async #serve(request, response) {
        const what = `${request.method} ${(request.url ?? "").split("?")[0]}`;
        if (what === "GET /v1/models") {
            const one = {
                type: "model",
                id: this.model,
                display_name: "Test seat",
                created_at: "2026-01-01T00:00:00Z",
            };
            return send(response, 200, { data: [one], has_more: false, first_id: one.id, last_id: one.id });
        }
        if (!["POST /v1/messages", "POST /v1/messages/count_tokens"].includes(what)) {
            return refuse(response, {
                status: 404,
                type: "not_found_error",
                message: `the test seat does not know ${what}`,
            });
        }
        const body = await read(request);
        if (body === undefined)
            return refuse(response, {
                status: 400,
                type: "invalid_request_error",
                message: "the body is no JSON object of at most 64 MiB",
            });
        if (what.endsWith("count_tokens")) return send(response, 200, { input_tokens: roughTokens(body) });
        return this.#answer(body, response);
    }

    /**
     * @param {any} body
     * @param {import("node:http").ServerResponse} response
     */
    async #answer(body, response) {
        this.#served += 1;
        const turn = numbered(this.#served);
        const number = numbered(this.before + this.#served);
        const tokens = roughTokens(body);
        const used = this.usage?.(body);
        writeFileSync(join(this.folder, `${number}-request.json`), `${JSON.stringify(body, null, 2)}\n`);
        writeFileSync(join(this.folder, `${number}-request.md`), readable(number, body));
        const source =
            this.answers === undefined ? join(this.folder, `${number}-answer`) : join(this.answers, `${turn}-answer`);
        this.log(
            `${number}  about ${tokens} tokens${body.stream === true ? ", streamed" : ""}; ${this.answers === undefined ? "waiting for" : "replaying"} ${source}.json, .txt or .md`,
        );

        const stream =
            body.stream === true
                ? new Stream(response, body.model ?? this.model, number, { input_tokens: tokens, ...used })
                : undefined;
        let gone = false;
        response.once("close", () => (gone = true));
        let spoke = performance.now();
        const given = this.answer?.(body, this.#served);
        const found =
            given ??
            (await this.#find(source, () => {
                if (performance.now() - spoke >= this.pingMs) {
                    spoke = performance.now();
                    stream?.ping();
                }
                return gone;
            }));
        if (found === undefined) return this.log(`${number}  whoever asked has gone`);
        if ("status" in found) {
            this.log(`${number}  refused: ${found.status} ${found.type}`);
            if (stream?.open === true) return stream.fail(found);
            return refuse(response, found);
        }
        const answer = complete({ ...found, usage: { ...used, ...found.usage } }, number, tokens);
        this.log(`${number}  answered: ${answer.content.map((block) => block.type).join(", ")}; ${answer.stop_reason}`);
        if (stream !== undefined) return stream.write(answer);
        return send(response, 200, {
            id: `msg_seat_${number}`,
            type: "message",
            role: "assistant",
            model: body.model ?? this.model,
            stop_sequence: null,
            ...answer,
        });
    }

    /**
     * @param {string} source the file's path without its ending
     * @param {() => boolean} over looked at between two looks; true ends the search
     * @returns {Promise<Answer | Refusal | undefined>}
     */
    async #find(source, over) {
        let seen = { file: "", since: 0 };
        let told = "";
        for (;;) {
            const path = [
                `${source.replace(/answer$/, "error")}.json`,
                `${source}.json`,
                `${source}.txt`,
                `${source}.md`,
            ].find((one) => existsSync(one));
            if (path === undefined && this.answers !== undefined) {
                return {
                    status: 400,
                    type: "invalid_request_error",
                    message: `no prepared answer: ${source}.json, .txt or .md`,
                };
            }
            if (path !== undefined) {
                const { size, mtimeMs } = statSync(path);
                const file = `${path} ${size} ${mtimeMs}`;
                if (file !== seen.file) seen = { file, since: performance.now() };
                if (size > 0 && (this.answers !== undefined || performance.now() - seen.since >= STILL_MS)) {
                    const parsed = parse(path);
                    if (typeof parsed !== "string") return parsed;
                    if (this.answers !== undefined)
                        return { status: 400, type: "invalid_request_error", message: parsed };
                    if (told !== file) this.log(parsed);
                    told = file;
                }
            }
            if (over()) return undefined;
            await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
        }
    }
}

/** @param {number} index */
function numbered(index) {
    return String(index).padStart(3, "0");
}

/**
 * @param {string} path of an answer or an error
 * @returns {Answer | Refusal | string} a text says what is wrong with it
 */
function parse(path) {
    const text = readFileSync(path, "utf8");
    if (!path.endsWith(".json")) return { content: [{ type: "text", text: text.trimEnd() }] };
    let value;
    try {
        value = JSON.parse(text);
    } catch (error) {
        return `${path}: ${String(error)}`;
    }
    if (path.endsWith("-error.json")) {
        return Number.isInteger(value?.status)
            ? { type: "api_error", message: "refused by the test seat", ...value }
            : `${path}: "status" must be a number`;
    }
    const sound =
        Array.isArray(value?.content) &&
        value.content.every((/** @type {any} */ block) => typeof block?.type === "string");
    return sound ? value : `${path}: "content" must be a list of blocks with a "type"`;
}

/**
 * @param {Answer} answer
 * @param {string} number
 * @param {number} input rough tokens of the request
 */
function complete({ content, stop_reason, usage }, number, input) {
    const blocks = content.map((block, index) =>
        block.type === "tool_use" && block.id === undefined ? { ...block, id: `toolu_seat_${number}_${index}` } : block,
    );
    const calls = blocks.some((block) => block.type === "tool_use");
    return {
        content: blocks,
        stop_reason: stop_reason ?? (calls ? "tool_use" : "end_turn"),
        usage: {
            input_tokens: input,
            output_tokens: Math.max(1, Math.ceil(JSON.stringify(content).length / 4)),
            ...usage,
        },
    };
}

/** The events of a streamed answer. They begin with the first sign of life, so that a quick refusal still has a status. */
class Stream {
    open = false;

    /**
     * @param {import("node:http").ServerResponse} response
     * @param {string} model
     * @param {string} number
     * @param {{ input_tokens: number }} usage
     */
    constructor(response, model, number, usage) {
        this.response = response;
        this.message = {
            id: `msg_seat_${number}`,
            type: "message",
            role: "assistant",
            model,
            content: [],
            stop_reason: null,
            stop_sequence: null,
            usage: { output_tokens: 1, ...usage },
        };
    }

    /** @param {{ type: string, [field: string]: any }} event */
    #event(event) {
        if (!this.open) {
            this.open = true;
            this.response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
            this.#event({ type: "message_start", message: this.message });
        }
        this.response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    }

    ping() {
        this.#event({ type: "ping" });
    }

    /** @param {Refusal} refusal */
    fail({ type, message }) {
        this.#event({ type: "error", error: { type, message } });
        this.response.end();
    }

    /** @param {ReturnType<typeof complete>} answer */
    write({ content, stop_reason, usage }) {
        for (const [index, block] of content.entries()) {
            const { start, deltas } = pieces(block);
            this.#event({ type: "content_block_start", index, content_block: start });
            for (const delta of deltas) this.#event({ type: "content_block_delta", index, delta });
            this.#event({ type: "content_block_stop", index });
        }
        this.#event({ type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage });
        this.#event({ type: "message_stop" });
        this.response.end();
    }
}

/**
 * @param {any} block
 * @returns {{ start: any, deltas: any[] }} how a block is streamed
 */
function pieces(block) {
    /** @param {string} text */
    const cut = (text) => text.match(new RegExp(`[^]{1,${PIECE}}`, "gu")) ?? [];
    switch (block.type) {
        case "text":
            return {
                start: { ...block, text: "" },
                deltas: cut(block.text ?? "").map((text) => ({ type: "text_delta", text })),
            };
        case "thinking": {
            const signed =
                block.signature === undefined ? [] : [{ type: "signature_delta", signature: block.signature }];
            return {
                start: { ...block, thinking: "", signature: "" },
                deltas: [
                    ...cut(block.thinking ?? "").map((thinking) => ({ type: "thinking_delta", thinking })),
                    ...signed,
                ],
            };
        }
        case "tool_use":
            return {
                start: { ...block, input: {} },
                deltas: cut(JSON.stringify(block.input ?? {})).map((partial_json) => ({
                    type: "input_json_delta",
                    partial_json,
                })),
            };
        default:
            return { start: block, deltas: [] };
    }
}

/**
 * @param {import("node:http").ServerResponse} response
 * @param {number} status
 * @param {object} body
 */
function send(response, status, body) {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/**
 * @param {import("node:http").ServerResponse} response
 * @param {Refusal} refusal
 */
function refuse(response, { status, type, message }) {
    send(response, status, { type: "error", error: { type, message } });
}

/**
 * @param {import("node:http").IncomingMessage} request
 * @returns {Promise<any>} its JSON object, if it is one
 */
async function read(request) {
    /** @type {Buffer[]} */
    const chunks = [];
    let size = 0;
    for await (const chunk of request) {
        size += chunk.length;
        if (size > MAX_BODY_BYTES) return undefined;
        chunks.push(chunk);
    }
    try {
        const value = JSON.parse(Buffer.concat(chunks).toString("utf8"));
        return typeof value === "object" && value !== null ? value : undefined;
    } catch {
        return undefined;
    }
}

async function main() {
    const { values } = parseArgs({
        options: {
            folder: { type: "string" },
            port: { type: "string" },
            answers: { type: "string" },
            model: { type: "string" },
        },
    });
    const folder = values.folder ?? mkdtempSync(join(tmpdir(), "agentnative-seat-"));
    const seat = await Seat.start({
        folder,
        port: Number(values.port ?? 0),
        answers: values.answers,
        model: values.model,
        log: console.log,
    });
    console.log(`The test seat listens on ${seat.address}. Requests are written to ${seat.folder}.

Connect it, and ask over it:

    agentnative connect add seat --provider anthropic --base-url ${seat.address} --model ${seat.model} --no-key --flat-rate --no-test --replace
    agentnative run standards-research --corpus <base> --connection seat --yes "<question>"
    agentnative chat --connection seat "<message>"

Read NNN-request.md, then write the answer beside it: NNN-answer.json ({"content":[{"type":"text","text":"…"}]}), NNN-answer.txt or
NNN-answer.md; NNN-error.json ({"status":529,"type":"overloaded_error","message":"…"}) refuses. Ctrl-C ends the seat.
`);
}

if (argv[1] !== undefined && import.meta.url === pathToFileURL(argv[1]).href) await main();
