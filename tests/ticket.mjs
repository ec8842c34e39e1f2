// An agent with inputs, for tests: it asks its model about one of them, and the answers are written.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const SCHEMA = {
    type: "object",
    properties: {
        title: { type: "string", title: "Title", maxLength: 120 },
        description: { type: "string", title: "Description", format: "multiline" },
        project: { type: "string", title: "Project", format: "folder", description: "A repository on this machine." },
        priority: { title: "Priority", enum: ["low", "high"], default: "low" },
        attempts: { type: "integer", title: "Attempts", minimum: 1, maximum: 5, default: 2 },
        draft: { type: "boolean", title: "Keep as a draft", default: true },
        checks: { type: "array", items: { type: "string" }, title: "Checks" },
        limits: { type: "object", title: "Limits" },
    },
    required: ["title", "priority"],
};

/**
 * An agent that asks its model about what it was given. Gives the variables with which its model answers.
 * @param {import("./lib.mjs").Place} place
 */
export function ticket(place) {
    const folder = join(place.data, "workspaces", "default", "agents", "ticket");
    mkdirSync(join(folder, "prompts"), { recursive: true });
    mkdirSync(join(folder, "schemas"), { recursive: true });
    writeFileSync(
        join(folder, "AGENT.md"),
        "---\nname: Ticket\ndescription: Reads its inputs.\nsources: []\ntools: []\n---\nReads its inputs.\n",
    );
    writeFileSync(join(folder, "prompts", "weigh.md"), "How urgent is it?\n");
    writeFileSync(join(folder, "schemas", "inputs.json"), JSON.stringify(SCHEMA));
    const weigh = {
        id: "weigh",
        name: "weigh",
        title: "Weigh",
        kind: "model",
        prompt: "weigh.md",
        context: [
            { section: "REQUEST", value: "request" },
            { section: "PRIORITY", value: "inputs.priority" },
        ],
        outputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    };
    const config = { slug: "ticket", name: "Ticket", description: "Reads its inputs.", sources: [] };
    const more = {
        depthModes: { standard: {} },
        orchestrator: { connection: "scripted" },
        inputSchema: "schemas/inputs.json",
        controlFlow: { stages: [weigh] },
    };
    writeFileSync(join(folder, "config.json"), JSON.stringify({ ...config, ...more }));
    const script = join(place.work, "script.json");
    const answers = ["high", "low"].map((priority) => ({
        match: `<PRIORITY>\n${priority}\n`,
        json: { text: `It is ${priority}.` },
    }));
    writeFileSync(script, JSON.stringify({ answers, default: { json: { text: "Nobody said." } } }));
    return { env: { AGENTNATIVE_SCRIPT: script } };
}
