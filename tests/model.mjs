// A model on loopback that answers research from what it is sent, over Ollama's protocol: it plans, writes from the sentences of its
// request, and judges statements by the words that they share with their evidence.

import { createServer } from "node:http";

/** How many of a statement's words its evidence must have for the judge to call it supported. */
const SHARED = 0.7;

/**
 * A sentence of the request, with the key that it is cited by.
 * @typedef {{ key: string, text: string }} Sentence
 */

/**
 * What it writes: the answer's first lines, what is missing, and how sure it is.
 * @typedef {{ text: string, gaps?: string[], confidence?: number }} Written
 */

/**
 * A line of an answer.
 * @param {string} content
 * @param {{ input: number, output: number }} [usage] of its last one
 */
export function spoken(content, usage) {
    const end = usage && { done: true, done_reason: "stop", prompt_eval_count: usage.input, eval_count: usage.output };
    const message = { role: "assistant", content };
    return `${JSON.stringify({ model: "m", created_at: "2026-01-01T00:00:00Z", message, done: false, ...end })}\n`;
}

/**
 * Starts a model and connects the place to it as `model`; with the test's end it is gone.
 * @param {import("node:test").TestContext} context
 * @param {import("./lib.mjs").Place} place
 * @param {(messages: { role: string, content: string }[], response: import("node:http").ServerResponse) => void} answer
 */
export async function serve(context, place, answer) {
    const server = createServer((request, response) => {
        let body = "";
        request.on("data", (chunk) => (body += chunk));
        request.on("end", () => {
            if (request.url !== "/api/chat") return void response.writeHead(404).end();
            response.writeHead(200, { "content-type": "application/x-ndjson" });
            answer(JSON.parse(body).messages, response);
        });
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
    context.after(() => {
        server.close();
        server.closeAllConnections();
    });
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    const base = `http://127.0.0.1:${address.port}`;
    const args = ["--provider", "ollama", "--base-url", base, "--model", "m", "--no-key", "--no-test", "--replace"];
    await place.do(["connect", "add", "model", ...args]);
}

/** A model whose answers a function writes. */
export class ResearchModel {
    /**
     * Starts one and connects the place to it as `model`; with the test's end it is gone.
     * @param {import("node:test").TestContext} context
     * @param {import("./lib.mjs").Place} place
     * @param {(question: string, sentences: Sentence[]) => Written} write
     */
    static async for(context, place, write) {
        /** @type {string[]} */
        const asked = [];
        await serve(context, place, (messages, response) => {
            const text = messages.map((message) => message.content).join("\n");
            asked.push(text);
            const content = JSON.stringify(answered(text, write));
            response.write(spoken(content));
            response.end(spoken("", { input: 10, output: 10 }));
        });
        return { asked };
    }
}

/**
 * @param {string} text the request
 * @param {(question: string, sentences: Sentence[]) => Written} write
 * @returns {object}
 */
function answered(text, write) {
    const question = section(text, "REQUEST");
    if (text.startsWith("You plan research")) {
        return {
            assumptions: [],
            clarification_questions: [],
            sub_queries: [{ query: question, role: "primary", target_standards: [] }],
            clarity_score: 0.9,
            recommended_action: "proceed",
        };
    }
    if (text.includes("<PAIRS>")) return { judgements: judgements(text) };
    const sentences = [
        ...section(text, "CORPUS_CONTEXT").matchAll(/\[(@\d+\.\d+)\] (.+?)(?=\s*(?:\[@\d+\.\d+\] |<|$))/gm),
    ];
    const written = write(
        question,
        sentences.map(([, key, sentence]) => ({ key: key ?? "", text: sentence ?? "" })),
    );
    // A repair that changes nothing: what is written stays as it is.
    if (text.includes("<STATEMENTS>")) return { replacements: [] };
    return {
        synthesis: `## In short\n\n${written.text}`,
        gaps: written.gaps ?? [],
        confidence: written.confidence ?? 0.9,
    };
}

/**
 * @param {string} text
 * @returns {object[]}
 */
function judgements(text) {
    const evidence = section(text, "EVIDENCE");
    return JSON.parse(section(text, "PAIRS")).map((/** @type {any} */ { n, statement }) => {
        const has = words(evidence);
        const own = [...words(statement)];
        const shared = own.filter((word) => has.has(word)).length / Math.max(own.length, 1);
        const finding = shared >= SHARED ? "supported" : "not";
        return { n, words: "", reason: `${Math.round(shared * 100)} % of its words are there.`, finding };
    });
}

/**
 * @param {string} text
 * @returns {Set<string>} its words of four letters or more, and its numbers
 */
function words(text) {
    return new Set(text.toLowerCase().match(/[a-z]{4,}|\d+/g) ?? []);
}

/**
 * @param {string} text
 * @param {string} name
 * @returns {string} what stands in that section of the request
 */
function section(text, name) {
    return new RegExp(`<${name}>\\n?([\\s\\S]*?)\\n?</${name}>`).exec(text)?.[1]?.trim() ?? "";
}
