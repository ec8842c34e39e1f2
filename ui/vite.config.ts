import { appendFileSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { build, defineConfig, type Plugin } from "vite";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const LICENSES = "licenses.md";
const FONTS = ["inter", "source-serif-4", "jetbrains-mono"];

const core = process.env.AGENTNATIVE_SERVE;

/** Fonts are no code: their terms are added to those of the code. */
function fontLicenses(): Plugin {
    return {
        name: "font-licenses",
        apply: "build",
        closeBundle() {
            for (const font of FONTS) {
                const text = readFileSync(here(`../node_modules/@fontsource-variable/${font}/LICENSE`), "utf8");
                appendFileSync(here(`../target/ui/${LICENSES}`), `\n## ${font} (font)\n\n${text.trim()}\n`);
            }
        },
    };
}

/**
 * The diagram frame is a document of its own with an opaque origin, which can't load modules: its script is one classic
 * file beside the others.
 */
function diagramFrame(): Plugin {
    return {
        name: "diagram-frame",
        apply: "build",
        async closeBundle() {
            await build({
                configFile: false,
                root: here("."),
                logLevel: "warn",
                publicDir: false,
                define: { "process.env.NODE_ENV": JSON.stringify("production") },
                build: {
                    outDir: here("../target/ui"),
                    emptyOutDir: false,
                    target: "es2022",
                    chunkSizeWarningLimit: 4_000,
                    license: { fileName: "licenses-diagrams.md" },
                    lib: {
                        entry: here("src/diagram/frame.ts"),
                        formats: ["iife"],
                        name: "diagram",
                        fileName: () => "mermaid.js",
                    },
                },
            });
        },
    };
}

export default defineConfig({
    root: here("."),
    base: "./",
    plugins: [react(), tailwindcss(), fontLicenses(), diagramFrame()],
    resolve: { alias: { "@": here("src") } },
    server: {
        port: 5173,
        strictPort: true,
        host: "127.0.0.1",
        // `AGENTNATIVE_SERVE=http://127.0.0.1:<port>`: the address that `agentnative serve` printed.
        proxy:
            core === undefined
                ? {}
                : {
                      "/api": { target: core, changeOrigin: true, headers: { origin: core } },
                      "/events": { target: core, ws: true, changeOrigin: true, headers: { origin: core } },
                  },
    },
    build: {
        outDir: here("../target/ui"),
        emptyOutDir: true,
        target: "es2022",
        // The content security policy allows no data: fonts and no inline scripts.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        manifest: true,
        // What others wrote and we ship, with its terms.
        license: { fileName: LICENSES },
        chunkSizeWarningLimit: 700,
        rolldownOptions: {
            // What every window loads at its start is one file: it compresses better together, and is read in one go.
            output: { codeSplitting: { groups: [{ name: "window", tags: ["$initial"] }] } },
            treeshake: {
                // A module of ours is there for what it exports: a domain's front door does not carry the whole domain into the first screen.
                moduleSideEffects: [
                    { test: /\.css|\/main\.tsx/, sideEffects: true },
                    { test: /\/ui\/src\//, sideEffects: false },
                    { external: false, sideEffects: true },
                ],
            },
        },
    },
});
