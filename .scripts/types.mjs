// npm run types: writes the JSON Schemas of agents, sources and rule sets and the window's TypeScript types again, from the Rust types.

import { cargoEnvironment } from "./build.mjs";
import { run } from "./process.mjs";
import { setUp } from "./setup.mjs";

if (!(await setUp({ purpose: "program" }))) process.exit(1);
const env = { ...cargoEnvironment(), UPDATE_SCHEMAS: "1", UPDATE_TYPES: "1" };
for (const what of [
    ["workspace", "--test", "it", "schemas"],
    ["knowledge", "--test", "it", "the_shipped_rule_sets"],
    ["protocol", "--test", "it", "typescript"],
]) {
    const code = await run("cargo", ["test", "-p", ...what], { env });
    if (code !== 0) process.exit(code);
}
