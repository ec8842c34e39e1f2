// A server of OpenAI Responses in background mode, on loopback: what it has taken it goes on with, whoever reads, and gives it
// again under its id. Answers are finished, failed or forgotten when the test says so.

import { createServer } from "node:http";

/**
 * @typedef {"in_progress" | "completed" | "failed" | "cancelled"} Status
 * @typedef {{ id: string, body: any, text: string, held: boolean, status: Status, readers: Set<import("node:http").ServerResponse> }} Kept
 */

const USAGE = { input_tokens: 900, output_tokens: 200, total_tokens: 1_100 };

/** The server. */
export class Background {
    /** @type {Map<string, Kept>} */
    kept = new Map();
    /** What arrived, oldest first: `POST`, `GET` or `CANCEL`. @type {{ what: string, id: string, body?: any }[]} */
    seen = [];
    address = "";

    /**
     * @param {import("node:test").TestContext} context
     * @param {(body: any) => { text: string, held?: boolean }} answer what it says; `held` until it is told to go on
     */
    static async for(context, answer) {
        const background = new Background();
        const server = createServer((request, response) => {
            let text = "";
            request.on("data", (/** @type {Buffer} */ piece) => (text += piece.toString()));
            request.on("end", () => background.#take(request, text, response, answer));
        });
        await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
        context.after(() => {
            server.closeAllConnections();
            server.close();
        });
        const address = server.address();
        background.address = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
        return background;
    }

    /** How often something was asked for. @param {string} what */
    count(what) {
        return this.seen.filter((one) => one.what === what).length;
    }

    /** @returns {Kept | undefined} the newest answer that is held */
    held() {
        return [...this.kept.values()].filter(({ held }) => held).at(-1);
    }

    /**
     * Ends an answer.
     * @param {Kept} kept
     * @param {Status} [status]
     */
    end(kept, status = "completed") {
        kept.held = false;
        kept.status = status;
        for (const reader of kept.readers) this.#rest(kept, reader);
        kept.readers.clear();
    }

    /** Breaks every line that reads an answer off. @param {Kept} kept */
    cut(kept) {
        for (const reader of kept.readers) reader.destroy();
        kept.readers.clear();
    }

    /**
     * @param {import("node:http").IncomingMessage} request
     * @param {string} text
     * @param {import("node:http").ServerResponse} response
     * @param {(body: any) => { text: string, held?: boolean }} answer
     */
    #take(request, text, response, answer) {
        const url = new URL(request.url ?? "/", "http://x");
        const [, id, cancel] = /^\/v1\/responses(?:\/([^/]+))?(\/cancel)?$/.exec(url.pathname) ?? [];
        if (request.method === "POST" && url.pathname === "/v1/responses") {
            const body = JSON.parse(text);
            const { text: said, held = false } = answer(body);
            const made = `resp_${this.kept.size + 1}`;
            this.seen.push({ what: "POST", id: made, body });
            /** @type {Kept} */
            const kept = {
                id: made,
                body,
                text: said,
                held,
                status: held ? "in_progress" : "completed",
                readers: new Set(),
            };
            if (body.background === true) this.kept.set(made, kept);
            this.#stream(kept, response);
            // Without background mode nothing goes on once nobody reads.
            return;
        }
        const kept = id === undefined ? undefined : this.kept.get(id);
        this.seen.push({ what: cancel === undefined ? "GET" : "CANCEL", id: id ?? "" });
        if (kept === undefined) {
            response.writeHead(404, { "content-type": "application/json" });
            response.end(
                JSON.stringify({
                    error: { message: `Response with id '${id}' not found.`, type: "invalid_request_error" },
                }),
            );
        } else if (cancel !== undefined) {
            this.end(kept, "cancelled");
            response.writeHead(200, { "content-type": "application/json" });
            response.end(JSON.stringify(this.#whole(kept)));
        } else {
            this.#stream(kept, response);
        }
    }

    /** @param {Kept} kept @param {import("node:http").ServerResponse} response */
    #stream(kept, response) {
        response.writeHead(200, { "content-type": "text/event-stream" });
        send(response, {
            type: "response.created",
            response: { ...this.#whole(kept), status: "in_progress", output: [] },
        });
        const item = { id: "msg_1", type: "message", role: "assistant", status: "in_progress", content: [] };
        send(response, { type: "response.output_item.added", output_index: 0, item });
        send(response, {
            type: "response.output_text.delta",
            output_index: 0,
            content_index: 0,
            delta: kept.text.slice(0, 5),
        });
        if (kept.status === "in_progress") {
            kept.readers.add(response);
            response.on("close", () => kept.readers.delete(response));
        } else {
            this.#rest(kept, response);
        }
    }

    /** @param {Kept} kept @param {import("node:http").ServerResponse} response */
    #rest(kept, response) {
        const whole = this.#whole(kept);
        if (kept.status === "completed") {
            send(response, {
                type: "response.output_text.delta",
                output_index: 0,
                content_index: 0,
                delta: kept.text.slice(5),
            });
            send(response, { type: "response.output_item.done", output_index: 0, item: whole.output[0] });
        }
        send(response, { type: `response.${kept.status}`, response: whole });
        response.end();
    }

    /** @param {Kept} kept */
    #whole(kept) {
        const content = [{ type: "output_text", text: kept.text, annotations: [] }];
        const done = kept.status === "completed";
        return {
            id: kept.id,
            object: "response",
            background: kept.body.background === true,
            status: kept.status,
            model: kept.body.model,
            output: done ? [{ id: "msg_1", type: "message", role: "assistant", status: "completed", content }] : [],
            ...(done ? { usage: USAGE } : {}),
            ...(kept.status === "failed" ? { error: { code: "server_error", message: "The model broke." } } : {}),
        };
    }
}

/** @param {import("node:http").ServerResponse} response @param {any} event */
function send(response, event) {
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}
