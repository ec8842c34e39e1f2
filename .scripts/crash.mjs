// npm run crash: 1,000 real kills of the release build (`npm run crash -- 200` for another number).

import { argv } from "node:process";
import { pathToFileURL } from "node:url";

import { RELEASE_PROGRAM, build } from "./build.mjs";
import { environment, run } from "./process.mjs";
import { setUp } from "./setup.mjs";

/**
 * @param {number} kills
 * @returns {Promise<boolean>} whether every run that had begun came to the same document
 */
export async function crashes(kills) {
    const env = { ...environment(), AGENTNATIVE_BIN: RELEASE_PROGRAM, CRASHES: String(kills) };
    return (await run(process.execPath, ["tests/crash.mjs"], { env, minutes: Math.max(15, kills / 10) })) === 0;
}

if (argv[1] !== undefined && import.meta.url === pathToFileURL(argv[1]).href) {
    const kills = Number(argv[2] ?? 1_000);
    const ready =
        Number.isInteger(kills) &&
        kills > 0 &&
        (await setUp({ purpose: "test" })) &&
        (await build("program", "release")) === 0;
    process.exitCode = ready && (await crashes(kills)) ? 0 : 1;
}
