// A workspace of the agentnative fork as its specification lays it out, made for tests: an agent whose stages are those of a
// built-in one, an agent without stages, sources, skills, themes, and sessions with research documents.

import { join } from "node:path";

import { lines, put } from "./craft.mjs";

/** What was asked in the fork's own session. */
export const ASKED = "How is performance materiality set?";
/** A statement of its answer that no other text has. */
export const STATED = "Performance materiality is set below materiality for the statements as a whole";

const AT = 1_768_000_000_000;

/** The answer as the fork keeps it as data. */
export const ANSWER = {
    answer: `## Setting it\n\n${STATED} (ISA 320.11), so that the wombat of undetected misstatements stays small.\n\n## Revising it\n\nIt is revised when information changes (ISA 320.12).`,
    original_query: ASKED,
    followup_number: 0,
    citations: [
        { source_ref: "ISA 320.11", claim: STATED, paragraph_id: "ISA 320.11" },
        { source_ref: "ISA 320.12", claim: "It is revised when information changes", paragraph_id: "ISA 320.12" },
    ],
    sub_queries: [{ text: "performance materiality determination", role: "primary", standards: ["ISA 320"] }],
    depth_mode: "standard",
    web_references: [{ title: "A page", url: "https://example.org/pm", insight: "Says the same." }],
};

/** The agent's configuration with the `orchestrator` block of the specification. */
export const CONFIG = {
    slug: "isa-deep-research",
    displayName: "ISA Research of ours",
    icon: "🔎",
    controlFlow: {
        stages: [
            {
                id: 0,
                name: "analyze_query",
                description: "Analyze the question",
                pauseChoices: ["Proceed", "Amend", "Cancel"],
            },
            { id: 1, name: "websearch_calibration", description: "Calibrate with the web" },
            { id: 2, name: "retrieve", description: "Retrieve paragraphs" },
            { id: 3, name: "synthesize", description: "Write the answer" },
            { id: 4, name: "verify", description: "Check it" },
            { id: 5, name: "output", description: "Render it" },
        ],
        repairUnits: [{ stages: [3, 4], maxIterations: 3, feedbackField: "feedback" }],
        pauseAfterStages: [0, 1],
        autoAdvance: false,
    },
    depthModes: {
        quick: { maxSubQueries: 3, enableWebSearch: false },
        standard: { maxSubQueries: 5, enableWebSearch: true },
        deep: { maxSubQueries: 8, enableWebSearch: true },
    },
    followUp: { enabled: true, deltaRetrieval: true },
    verification: { thresholds: { citation: 0.9, entity: 0.75 } },
    output: {
        titleTemplate: "ISA research: {query}",
        followupTitleTemplate: "Follow-up {followupNumber}: {query}",
        files: { answerFile: "isa-research-output.md", answerJson: "answer.json" },
        webReference: { refFormat: "[W{num}]", linkToOriginal: true },
    },
    orchestrator: {
        enabled: true,
        thinking: { type: "adaptive" },
        effort: "max",
        depthModeEffort: { quick: "high", standard: "high", deep: "max" },
        contextWindow: 200000,
        minOutputBudget: 4096,
        budgetUsd: 10.0,
        perStageDesiredTokens: { 0: 16384, 1: 8192, 3: 128000, 5: 0 },
        useBAML: true,
        bamlFallbackToZod: true,
    },
};

/** Colours of a theme of the fork. */
const COLOURS = {
    background: "#101418",
    foreground: "#e8ecf0",
    accent: "#7aa2f7",
    info: "#e0af68",
    success: "#9ece6a",
    destructive: "#f7768e",
};

/**
 * @param {string} root the workspace
 * @param {string} [app] the program's own folder
 */
export function fork(root, app) {
    put(root, "config.json", { id: "w1", name: "agentnative" });
    const agent = "agents/isa-deep-research";
    put(
        root,
        `${agent}/AGENT.md`,
        "---\nname: ISA Deep Research\ndescription: Researches auditing questions.\nsources:\n  - isa-knowledge-base\n  - brave-search\ntools:\n  - isa_hybrid_search\n  - Read\n---\n\nYou are an ISA researcher.\n",
    );
    put(root, `${agent}/config.json`, CONFIG);
    for (const [name, text] of [
        ["stage-0-analyze", "You analyze questions about ISA. Return {{json}}."],
        ["stage-1-websearch", "You calibrate the plan."],
        ["stage-2-retrieve", "Retrieve."],
        ["stage-3-synthesize", "You are synthesizing an authoritative answer."],
        ["stage-4-verify", "Verify."],
        ["stage-5-output", "Render."],
    ])
        put(root, `${agent}/prompts/${name}.md`, `${text}\n`);
    put(
        root,
        "agents/helper/AGENT.md",
        "---\nname: Helper\ndescription: Talks about anything.\nsources: [missing-source, isa-knowledge-base]\n---\n\nBe kind.\n",
    );
    put(root, "agents/helper/config.json", { icon: "🙂", displayName: "The helper" });
    put(root, "agents/_templates/deep-research/AGENT.md", "---\nname: Template\ndescription: d\n---\nx\n");
    put(root, "sources/isa-knowledge-base/config.json", {
        id: "isa_kb",
        name: "ISA Knowledge Base",
        slug: "isa-knowledge-base",
        enabled: true,
        provider: "isa-kb",
        type: "mcp",
        icon: "📚",
        tagline: "The standards",
        mcp: { transport: "stdio", command: "python", args: ["-m", "isa_kb_mcp_server"], env: {} },
    });
    put(root, "sources/brave-search/config.json", {
        id: "brave",
        name: "Brave Search",
        slug: "brave-search",
        enabled: true,
        provider: "brave",
        type: "api",
        tagline: "Web search",
        api: {
            baseUrl: "https://api.search.brave.com/res/v1/",
            authType: "header",
            headerName: "X-Subscription-Token",
        },
    });
    put(
        root,
        "skills/plan-first/SKILL.md",
        "---\nname: plan-first\ndescription: Ours.\nrequiredSources: [isa-knowledge-base]\n---\nPlan as we do.\n",
    );
    put(root, "skills/an-code-researcher/SKILL.md", "---\nname: an-code-researcher\ndescription: Reads.\n---\nRead.\n");
    put(root, "theme.json", { name: "Workspace night", ...COLOURS });
    if (app !== undefined) {
        put(app, "theme.json", { name: "App night", ...COLOURS });
        put(app, "themes/moss.json", { name: "Moss", ...COLOURS });
    }
    const id = "260101-clear-river";
    put(
        root,
        `sessions/${id}/session.jsonl`,
        lines([
            {
                id,
                name: "Materiality",
                createdAt: AT,
                lastMessageAt: AT + 9,
                enabledSourceSlugs: ["isa-knowledge-base"],
            },
            { id: "m1", type: "user", content: `[agent:isa-deep-research] ${ASKED}`, timestamp: AT + 1 },
            { id: "m2", type: "assistant", content: "The research is done.", timestamp: AT + 8 },
        ]),
    );
    put(root, `sessions/${id}/data/answer.json`, ANSWER);
    put(root, `sessions/${id}/data/pipeline-state.json`, {
        sessionId: id,
        agentSlug: "isa-deep-research",
        originalUserMessage: ASKED,
        events: [{ type: "stage_completed", stage: 5, timestamp: AT + 7, data: {} }],
        currentStage: 5,
        stageOutputs: {},
        savedAt: AT + 8,
    });
    put(
        root,
        `sessions/${id}/plans/isa-research-output.md`,
        `# ISA research\n\n## Original Question\n\n> ${ASKED}\n\n${ANSWER.answer}\n\n## Verification Summary\n\n| Axis | Score |\n|---|---|\n| citation | 1.0 |\n`,
    );
    const plain = "260102-quiet-hill";
    put(
        root,
        `sessions/${plain}/session.jsonl`,
        lines([
            { id: plain, name: "A plan to agree to", createdAt: AT + 100 },
            { id: "m1", type: "user", content: "Plan it", timestamp: AT + 101 },
            {
                id: "m2",
                type: "plan",
                content: "The plan",
                planPath: "{{SESSION_PATH}}/plans/plan.md",
                timestamp: AT + 102,
            },
        ]),
    );
    put(root, `sessions/${plain}/plans/plan.md`, "# A plan\n\nNo research.\n");
    return { session: id, plain, place: join(root) };
}
