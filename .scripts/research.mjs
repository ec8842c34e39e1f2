// npm run -s research -- [--agent <slug>] [options of `agentnative run`] "<question>"
//
// Standard output belongs to the program: its last line is the document's path.

import { build, SOURCE_PROGRAM } from "./build.mjs";
import { become } from "./process.mjs";
import { researchArguments } from "./research-arguments.mjs";
import { setUp } from "./setup.mjs";

const cwd = process.env.INIT_CWD ?? process.cwd();

if (!(await setUp({ purpose: "program" }))) process.exit(1);
const built = await build();
if (built !== 0) process.exit(built);
process.exit(await become(SOURCE_PROGRAM, researchArguments(process.argv.slice(2)), cwd));
