import { fileURLToPath } from "node:url";

import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

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
        // A page costs seconds to set up where a machine is busy: what needs none goes without.
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
                    include: ["src/**/*.test.tsx"],
                    environment: "jsdom",
                    setupFiles: [here("src/test-setup.ts")],
                },
            },
        ],
    },
});
