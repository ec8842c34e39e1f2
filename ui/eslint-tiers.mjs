// The tiers of the window, as a rule: who may import whom. `shared` knows nobody, a domain knows `shared`, `backend`, `routes` and other domains'
// front doors, a view knows everybody; only `backend` knows the desktop shell.

import { dirname, relative, resolve, sep } from "node:path";

const SRC = resolve(import.meta.dirname, "src");

/** @typedef {{ tier: string, domain?: string, front: boolean }} Place */

/**
 * @param {string} path absolute
 * @returns {Place | undefined} undefined outside of src
 */
function placeOf(path) {
    const parts = relative(SRC, path).split(sep);
    if (parts[0] === "..") return undefined;
    const [tier = "", domain] = parts;
    if (tier !== "domains") return { tier: tier.replace(/\.tsx?$/, ""), front: true };
    return { tier, domain, front: parts.length === 2 || /^index(\.ts)?$/.test(parts[2] ?? "") };
}

/** @type {Record<string, string[]>} */
const MAY = {
    shared: ["shared"],
    backend: ["backend", "shared"],
    routes: ["shared"],
    domains: ["shared", "backend", "routes", "domains"],
    views: ["shared", "backend", "routes", "domains", "views"],
    main: ["shared", "backend", "routes", "views"],
    diagram: ["diagram"],
};

/** @type {import("eslint").Rule.RuleModule} */
export const tiers = {
    meta: {
        type: "problem",
        schema: [],
        messages: {
            tier: "{{from}} may not import {{to}}",
            door: "import another domain through its index: {{door}}",
            shell: "only src/backend imports @tauri-apps",
        },
    },
    create(context) {
        const here = placeOf(context.filename);
        if (here === undefined) return {};
        const check = (/** @type {import("estree").Node & { source?: import("estree").Node | null }} */ node) => {
            const source = node.source;
            if (source?.type !== "Literal" || typeof source.value !== "string") return;
            const name = source.value;
            if (name.startsWith("@tauri-apps/") && here.tier !== "backend")
                context.report({ node: source, messageId: "shell" });
            const path = name.startsWith("@/")
                ? resolve(SRC, name.slice(2))
                : name.startsWith(".")
                  ? resolve(dirname(context.filename), name)
                  : undefined;
            const there = path === undefined ? undefined : placeOf(path);
            if (there === undefined) return;
            const allowed = MAY[here.tier];
            if (allowed !== undefined && !allowed.includes(there.tier))
                context.report({ node: source, messageId: "tier", data: { from: here.tier, to: there.tier } });
            else if (
                here.tier === "domains" &&
                there.tier === "domains" &&
                here.domain !== there.domain &&
                !there.front
            ) {
                context.report({ node: source, messageId: "door", data: { door: `@/domains/${there.domain}` } });
            }
        };
        return {
            ImportDeclaration: check,
            ImportExpression: check,
            ExportNamedDeclaration: check,
            ExportAllDeclaration: check,
        };
    },
};
