// A folder as Craft Agent and the agentnative fork keep it, made for tests.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * @param {string} root
 * @param {string} name
 * @param {string | Buffer | object} content objects become JSON
 */
export function put(root, name, content) {
    const path = join(root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === "string" || Buffer.isBuffer(content) ? content : JSON.stringify(content));
    return path;
}

/** @param {object[]} lines */
export const lines = (lines) => lines.map((line) => `${JSON.stringify(line)}\n`).join("");

/**
 * The lines of a session.
 * @param {string} id
 * @param {object} [more] fields of its header
 * @param {number} [turns]
 */
export function session(id, more = {}, turns = 2) {
    const at = 1_768_000_000_000;
    const header = {
        id,
        workspaceRootPath: "~/.craft-agent/workspaces/my",
        name: `Talk ${id}`,
        createdAt: at,
        lastMessageAt: at + turns * 10,
        sessionStatus: "todo",
        labels: ["eng"],
        permissionMode: "safe",
        messageCount: turns * 3,
        ...more,
    };
    const said = Array.from({ length: turns }, (_, turn) => {
        const [first, time] = [turn * 3, at + turn * 10];
        return [
            {
                id: `msg-${first}`,
                type: "user",
                content: `Question ${turn} about wombats of ${id}`,
                timestamp: time + 1,
            },
            {
                id: `msg-${first + 1}`,
                type: "tool",
                content: "",
                toolName: "Bash",
                toolUseId: `tu${turn}`,
                toolInput: { command: "ls" },
                toolResult: `result ${turn}\n${"line of a long result\n".repeat(40)}`,
                toolStatus: "completed",
                turnId: `t${turn}`,
                timestamp: time + 2,
            },
            {
                id: `msg-${first + 2}`,
                type: "assistant",
                content: `Answer ${turn}: they **dig**, see {{SESSION_PATH}}/attachments/a.txt`,
                timestamp: time + 3,
            },
        ];
    });
    return lines([header, ...said.flat()]);
}

/**
 * Everything that such a folder may hold.
 * @param {string} root
 * @param {number} [sessions]
 */
export function craftAgent(root, sessions = 3) {
    const workspace = join(root, "workspaces/my");
    put(root, "config.json", { workspaces: [{ id: "w1", name: "Mine", rootPath: "~/.craft-agent/workspaces/my" }] });
    put(root, "themes/nord.json", {
        name: "Nord",
        background: "#eceff4",
        foreground: "#2e3440",
        accent: "#5e81ac",
        info: "#b48ead",
        success: "#a3be8c",
        destructive: "#bf616a",
        dark: {
            background: "#2e3440",
            foreground: "#eceff4",
            accent: "#88c0d0",
            info: "#b48ead",
            success: "#a3be8c",
            destructive: "#bf616a",
        },
    });
    put(workspace, "config.json", { id: "w1", name: "Mine", slug: "my" });
    put(workspace, "statuses/config.json", {
        version: 1,
        statuses: [
            { id: "todo", label: "Todo", category: "open", isFixed: true, order: 1, color: "info" },
            { id: "waiting", label: "Waiting", category: "open", order: 2, color: "accent" },
            { id: "done", label: "Done", category: "closed", isFixed: true, order: 3, color: "success" },
            {
                id: "cancelled",
                label: "Cancelled",
                category: "closed",
                isFixed: true,
                order: 4,
                color: "foreground/50",
            },
        ],
        defaultStatusId: "todo",
    });
    put(workspace, "labels/config.json", {
        version: 1,
        labels: [
            {
                id: "eng",
                name: "Engineering",
                color: { light: "#3B82F6", dark: "#60A5FA" },
                children: [{ id: "react", name: "React" }],
            },
        ],
    });
    put(workspace, "views.json", {
        version: 1,
        views: [{ id: "view-flagged", name: "Flagged ones", color: "accent", expression: "isFlagged == true" }],
    });
    put(workspace, "permissions.json", {
        version: "2026-03-07",
        allowedBashPatterns: [{ pattern: ".*" }],
        blockedTools: ["shell"],
    });
    put(workspace, "automations.json", {
        version: 2,
        automations: {
            SchedulerTick: [
                { id: "a1", name: "Standup", cron: "0 9 * * 1-5", actions: [{ type: "prompt", prompt: "Stand up" }] },
            ],
        },
    });
    put(workspace, "sources/notes/config.json", {
        id: "notes_1",
        name: "Notes",
        slug: "notes",
        enabled: true,
        type: "local",
        tagline: "My notes",
        local: { path: "/home/eva/notes" },
    });
    put(workspace, "sources/notes/guide.md", "Read the newest first.\n");
    put(workspace, "sources/tracker/config.json", {
        id: "tracker_1",
        name: "Tracker",
        slug: "tracker",
        enabled: true,
        type: "mcp",
        tagline: "Issues",
        mcp: {
            transport: "stdio",
            command: "tracker-server",
            args: ["--stdio"],
            env: { TRACKER_TOKEN: "plain-text-token-0815" },
        },
    });
    put(workspace, "skills/commit/SKILL.md", "---\nname: commit\ndescription: Writes commits.\n---\nWrite a commit.\n");
    put(
        workspace,
        "agents/dev-loop/AGENT.md",
        "---\nname: Dev loop\ndescription: Plans and builds.\nsources: [notes]\n---\n\nBe careful.\n",
    );
    put(workspace, "agents/dev-loop/config.json", {
        controlFlow: {
            stages: [
                {
                    id: 0,
                    name: "analyze",
                    description: "Look at the request",
                    pauseChoices: ["Continue", "Modify", "Cancel"],
                    pauseDisplayFields: [{ key: "summary", label: "Summary", type: "text" }],
                },
                { id: 1, name: "implement", description: "Do it", mode: "sdk_breakout" },
                { id: 2, name: "review", description: "Look at it" },
            ],
            pauseAfterStages: [0],
            autoAdvance: true,
            repairUnits: [{ stages: [1, 2], maxIterations: 2, feedbackField: "feedback" }],
            stageOutputSchemas: {
                0: { enforcement: "block", required: ["summary"], properties: { summary: { type: "string" } } },
            },
        },
        orchestrator: { enabled: true, effort: "xhigh" },
    });
    put(workspace, "agents/dev-loop/prompts/stage-0-analyze.md", "Say what is wanted.\n");
    for (let index = 0; index < sessions; index += 1) {
        const id = `260111-swift-river${index === 0 ? "" : `-${index}`}`;
        put(
            workspace,
            `sessions/${id}/session.jsonl`,
            session(
                id,
                index === 0
                    ? {
                          name: "Fix login",
                          isFlagged: true,
                          labels: ["eng", "priority::3"],
                          sessionStatus: "waiting",
                          permissionMode: "allow-all",
                      }
                    : {},
            ),
        );
        put(workspace, `sessions/${id}/attachments/a.txt`, `file of ${id}\n`);
        put(workspace, `sessions/${id}/long_responses/r.txt`, "all of it\n");
    }
    return workspace;
}
