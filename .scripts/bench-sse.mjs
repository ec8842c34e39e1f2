// Decodes server-sent events with eventsource-parser, for the bench to compare with: `node bench-sse.mjs <file>
// <bytes of a chunk> <rounds>` prints the best round's milliseconds and the number of events.

import { readFileSync } from "node:fs";
import { createParser } from "eventsource-parser";

const [file = "", chunk = "16384", rounds = "5"] = process.argv.slice(2);
const body = readFileSync(file);
const size = Number(chunk);
let best = Infinity;
let count = 0;
for (let round = 0; round < Number(rounds); round++) {
    /** @type {unknown} */
    let last;
    const decoder = new TextDecoder();
    const start = performance.now();
    count = 0;
    const parser = createParser({
        onEvent(event) {
            count++;
            last = event;
        },
    });
    for (let at = 0; at < body.length; at += size) {
        parser.feed(decoder.decode(body.subarray(at, at + size), { stream: true }));
    }
    best = Math.min(best, performance.now() - start);
    if (last === undefined) throw new Error("no events");
}
console.log(`${best} ${count}`);
