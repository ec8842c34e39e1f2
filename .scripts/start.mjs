// npm start: sets the machine up, builds the program and opens it in this terminal.

import { build, RELEASE_PROGRAM } from "./build.mjs";
import { become } from "./process.mjs";
import { setUp } from "./setup.mjs";

const cwd = process.env.INIT_CWD ?? process.cwd();

if (!(await setUp({ purpose: "start" }))) process.exit(1);
const built = await build();
if (built !== 0) process.exit(built);
if (!process.stdin.isTTY || !process.stdout.isTTY) {
    console.error('Everything is ready. `npm start` is a conversation and needs a terminal; without one use\n  npm run -s research -- --yes "<question>"');
    process.exit(2);
}
process.exit(await become(RELEASE_PROGRAM, process.argv.slice(2), cwd));
