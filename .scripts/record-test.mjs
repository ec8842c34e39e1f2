// Started by cargo in place of a test program (see rust-tests.mjs): writes down how cargo would have started it.

import { appendFileSync } from "node:fs";

const record = { command: process.argv.slice(2), folder: process.cwd(), env: process.env };
appendFileSync(process.env.AGENTNATIVE_TEST_RECORDS ?? "", `${JSON.stringify(record)}\n`);
