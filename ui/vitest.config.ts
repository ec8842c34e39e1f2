import { fileURLToPath } from "node:url";

import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Tests that replace modules, load them anew, or watch one being loaded for the first time: each has a worker of its own. */
const ALONE = [
    "src/domains/conversation/places.test.tsx",
    "src/shared/markdown/failing.test.tsx",
    "src/shared/markdown/html-later.test.tsx",
    "src/shared/markdown/streaming.test.tsx",
    "src/shared/theme/appearance.test.tsx",
    "src/views/diagram-checks.test.tsx",
];

export default defineConfig({
    root: here("."),
    cacheDir: here("../target/vitest"),
    plugins: [react()],
    resolve: { alias: { "@": here("src") } },
    test: {
        // Threads start faster than processes, and cores may be few.
        pool: "threads",
        maxWorkers: 2,
        testTimeout: 30_000,
        // Files share what a worker has loaded: loading it anew for each file took half of the time.
        isolate: false,
        // One project after the other, or workers would be replaced in between. A page costs seconds to set up where a machine is busy: what needs none goes without.
        projects: [
            {
                extends: true,
                test: {
                    name: "pure",
                    include: ["src/**/*.test.ts"],
                    environment: "node",
                    css: { include: [/tokens\.css/] },
                },
            },
            {
                extends: true,
                test: {
                    name: "page",
                    sequence: { groupOrder: 1 },
                    include: ["src/**/*.test.tsx"],
                    exclude: ALONE,
                    environment: "jsdom",
                    setupFiles: [here("src/test-setup.ts")],
                },
            },
            {
                extends: true,
                test: {
                    name: "alone",
                    sequence: { groupOrder: 2 },
                    include: ALONE,
                    isolate: true,
                    environment: "jsdom",
                    setupFiles: [here("src/test-setup.ts")],
                },
            },
        ],
    },
});
