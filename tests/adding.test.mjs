// `kb add` against a server of our own on this machine: the licence first, a broken transfer taken up, and no network.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";

import { Place, jsonLines } from "./lib.mjs";

const MANUAL = Buffer.from(
    `<html><head><title>Manual</title></head><body><h1>Pumps</h1>${Array.from(
        { length: 400 },
        (_, row) => `<p>Pump ${row} must be greased every ${row + 2} days by the keeper of the pump house.</p>`,
    ).join("")}</body></html>`,
);

/**
 * A server that hands out the manual, and breaks the first connection half way.
 * @param {import("node:test").TestContext} context
 */
async function publisher(context) {
    /** @type {(string | undefined)[]} what was asked for */
    const ranges = [];
    const server = createServer((request, response) => {
        const range = request.headers.range;
        ranges.push(range);
        const from = Number(/^bytes=(\d+)-/.exec(range ?? "")?.[1] ?? 0);
        const rest = MANUAL.subarray(from);
        const facts = { etag: '"one"', "content-type": "text/html", "content-length": rest.length };
        if (range === undefined) response.writeHead(200, facts);
        else
            response.writeHead(206, {
                ...facts,
                "content-range": `bytes ${from}-${MANUAL.length - 1}/${MANUAL.length}`,
            });
        if (ranges.length > 1) return response.end(rest);
        return response.write(rest.subarray(0, MANUAL.length / 2), () => response.destroy());
    });
    await new Promise((resolve) => {
        server.listen(0, "127.0.0.1", () => resolve(undefined));
    });
    context.after(() => server.close());
    const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
    return { address: `http://127.0.0.1:${port}/manual.html`, ranges, server };
}

test("an address is fetched once its licence is accepted, and a broken transfer goes on where it stopped", async (context) => {
    const place = Place.for(context);
    const { address, ranges } = await publisher(context);
    const refused = await place.run(["kb", "add", address, "--base", "pumps"]);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /licence[\s\S]*--accept-license/);
    assert.deepEqual(ranges, [], "nothing is asked of the server before that");
    assert.ok(!existsSync(join(place.data, "knowledge", "pumps")));

    const report = JSON.parse(
        (await place.do(["kb", "add", address, "--base", "pumps", "--accept-license", "--json"])).stdout,
    );
    assert.equal(report.manifest.counts.paragraphs, 400);
    assert.equal(ranges.length, 2);
    assert.equal(ranges[0], undefined);
    assert.match(String(ranges[1]), /^bytes=[1-9]\d*-$/, "the second request asks for the rest");
    const [hit] = jsonLines((await place.do(["kb", "search", "pump 399 greased", "--base", "pumps", "--json"])).stdout);
    assert.match(hit.text, /^Pump 399 must be greased every 401 days/);
});

test("without a network the message says how to do it on another machine", async (context) => {
    const place = Place.for(context);
    const { address, server } = await publisher(context);
    await new Promise((resolve) => {
        server.close(resolve);
    });
    const failed = await place.run(["kb", "add", address, "--base", "pumps", "--accept-license"]);
    assert.equal(failed.code, 1);
    assert.match(failed.stderr, /cannot be reached.*another machine and ingest the file/);
    const plain = await place.run([
        "kb",
        "add",
        "http://example.org/manual.html",
        "--base",
        "pumps",
        "--accept-license",
    ]);
    assert.equal(plain.code, 2);
    assert.match(plain.stderr, /https/);
});

test("the registry is listed with its licences, which are asked for before anything is fetched", async (context) => {
    const place = Place.for(context);
    const listed = (await place.do(["kb", "add"])).stdout;
    for (const name of ["nist-800-53", "ecfr-2-200", "eu-ai-act"]) assert.match(listed, new RegExp(`^${name} `, "m"));
    const rows = jsonLines((await place.do(["kb", "add", "--json"])).stdout);
    for (const row of rows)
        assert.ok(
            row.license !== "" && row.licenseAddress.startsWith("https://") && row.installed === false,
            JSON.stringify(row),
        );
    const refused = await place.run(["kb", "add", "nist-800-53"]);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /public domain[\s\S]*--accept-license/);
    assert.match((await place.do(["kb", "model"])).stdout, /Apache-2\.0/);
    const unknown = await place.run(["kb", "add", "nist-800-5"]);
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /nist-800-53/);
});

test("a model's files are taken from a folder if they are the ones that the registry names", async (context) => {
    const place = Place.for(context);
    const folder = join(place.work, "fetched");
    mkdirSync(folder);
    const taken = () => place.run(["kb", "model", "page-reader", "--accept-license", "--from", folder]);
    const without = await taken();
    assert.equal(without.code, 2);
    assert.match(without.stderr, /no file detector\.onnx or PP-OCRv6_det_small\.onnx[\s\S]*https:/);
    writeFileSync(join(folder, "PP-OCRv6_det_small.onnx"), "another file");
    const other = await taken();
    assert.equal(other.code, 6);
    assert.match(other.stderr, /PP-OCRv6_det_small\.onnx is another file than the registry names/);
    assert.ok(!existsSync(join(place.data, "models", "page-reader")));
});
