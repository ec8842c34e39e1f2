// npm run types: writes the JSON Schemas of agents and sources and the window's TypeScript types again, from the Rust types.

import { cargoEnvironment } from "./build.mjs";
import { run } from "./process.mjs";
import { setUp } from "./setup.mjs";

if (!(await setUp({ purpose: "program" }))) process.exit(1);
const env = { ...cargoEnvironment(), UPDATE_SCHEMAS: "1", UPDATE_TYPES: "1" };
const schemas = await run("cargo", ["test", "-p", "workspace", "--test", "it", "schemas"], { env });
if (schemas !== 0) process.exit(schemas);
process.exit(await run("cargo", ["test", "-p", "api", "--lib", "typescript"], { env }));
