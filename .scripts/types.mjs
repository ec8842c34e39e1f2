// npm run types: writes the JSON Schemas of agents and sources again, from the Rust types.

import { cargoEnvironment } from "./build.mjs";
import { run } from "./process.mjs";
import { setUp } from "./setup.mjs";

if (!(await setUp({ purpose: "start" }))) process.exit(1);
const env = { ...cargoEnvironment(), UPDATE_SCHEMAS: "1" };
process.exit(await run("cargo", ["test", "-p", "workspace", "--test", "it", "schemas"], { env }));
