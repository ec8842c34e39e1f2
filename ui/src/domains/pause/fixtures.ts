// For tests: a pause and its run as the core gives them.

import type { Form, RunState } from "@/backend";

export function planForm(): Form {
    return {
        pause: "p1",
        stage: 0,
        title: "Analyze",
        kind: "stage",
        markdown: "**Research plan** - Clarity: 64% (below 70% threshold)",
        heading: "Research plan",
        meter: { label: "Clarity", value: 0.64, threshold: 0.7 },
        parts: [
            { title: "Assumptions", markdown: "- Year end 2026" },
            { title: "2 queries planned", markdown: "- [core] materiality", list: "sub_queries" },
        ],
        lists: [
            {
                field: "sub_queries",
                minItems: 1,
                maxItems: 20,
                columns: [
                    { field: "query", required: true, kind: "text" },
                    { field: "role", required: true, kind: "text" },
                    { field: "target_standards", required: false, kind: "texts" },
                ],
            },
        ],
        output: {
            clarity_score: 0.64,
            sub_queries: [
                { query: "materiality", role: "core", target_standards: ["ISA 320"], weight: 2 },
                { query: "performance materiality", role: "support" },
            ],
        },
        outputLabel: "All details of the plan (JSON)",
        depth: "standard",
        questions: ["Which year?", "Listed?"],
        choices: [
            { id: "search", label: "Proceed, with a web search", action: "proceed", next: "Searches the web." },
            { id: "skip_web", label: "Proceed without a web search", action: "skip", next: "Retrieves paragraphs." },
            {
                id: "amend",
                label: "Amend",
                action: "amend",
                next: "Plans again with your remarks, then pauses here again.",
            },
            { id: "cancel", label: "Cancel", action: "cancel", next: "Ends the run. It can't be resumed." },
        ],
        editable: true,
    };
}

/** A sheet of facts to sign: what a row holds besides its columns stays with it. */
export function sheetForm(): Form {
    return {
        ...planForm(),
        title: "Fact sheet",
        heading: "Fact sheet",
        markdown: "**Fact sheet** - 2 facts",
        meter: null,
        parts: [{ title: "1 fact that one document gives", markdown: "- Annual fee: $4,200,000" }],
        lists: [
            {
                field: "facts",
                minItems: 0,
                maxItems: 20_000,
                columns: [
                    { field: "fact", required: true, kind: "text" },
                    { field: "value", required: true, kind: "text" },
                    { field: "sources", required: false, kind: "texts" },
                ],
            },
        ],
        output: {
            facts: [
                {
                    fact: "Annual fee (orchard)",
                    value: "$4,200,000",
                    sources: ["orchard.md"],
                    class: "single_sourced",
                    places: ["orchard.md p. 2"],
                    values: [{ value: "$4,200,000", sources: ["orchard.md p. 2"] }],
                },
                { fact: "Customers", value: 9, sources: ["board.md"] },
            ],
            missing: [{ fact: "Net revenue retention" }],
        },
        questions: ["Who signs the fact sheet?"],
        choices: [
            { id: "proceed", label: "Sign the fact sheet", action: "proceed", next: "The sections are written." },
        ],
    };
}

export function pausedRun(form: Form = planForm()): RunState {
    const usage = { input: 0, output: 0 };
    const stage = {
        kind: "model" as const,
        dependsOn: [],
        attempt: 1,
        iteration: 0,
        maxIterations: 0,
        startedAt: 1_000,
        endedAt: 2_000,
        activeMs: 1_000,
        done: 0,
        total: 0,
        summary: "",
        scores: {},
        usage: { input: 1_000, output: 204 },
        cost: 0,
        warnings: [],
    };
    return {
        run: "run-01",
        session: "261121-calm-river",
        agent: "isa-deep-research",
        agentName: "ISA Deep Research",
        request: "How is performance materiality set?",
        status: "paused",
        seq: 9,
        createdAt: 1_000,
        updatedAt: 2_000,
        depth: "standard",
        depths: ["quick", "standard", "deep"],
        corpus: "isa-primer@1",
        connection: "offline",
        model: "",
        previous: null,
        followUp: true,
        stages: [
            { ...stage, id: 0, name: "analyze_query", title: "Analyze", phase: "paused" },
            {
                ...stage,
                id: 1,
                name: "retrieve",
                title: "Retrieve",
                phase: "pending",
                attempt: 0,
                startedAt: null,
                endedAt: null,
                activeMs: 0,
            },
        ],
        pauses: [form],
        answered: [],
        guidance: [],
        document: null,
        usage,
        cost: 0,
        budget: {},
        doubtful: 0,
        maybePaidTwice: 0,
        activeMs: 1_000,
        problem: null,
    };
}
