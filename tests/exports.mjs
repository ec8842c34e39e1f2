// Makes what ChatGPT and Claude export and what Claude Code and Codex keep, with the traps that their real files have.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { zip } from "./zip.mjs";

/** A picture of one pixel. */
export const PNG = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
);
const SECOND = 1_735_732_800;
/** @param {number} seconds since the first message */
const iso = (seconds) => new Date((SECOND + seconds) * 1000).toISOString();

/**
 * A message in a tree of ChatGPT.
 * @param {string} id
 * @param {string | null} parent
 * @param {string} role
 * @param {object} content
 * @param {object} [more]
 */
export const node = (id, parent, role, content, more = {}) => ({
    [id]: {
        id,
        parent,
        children: [],
        message: {
            id,
            author: { role, name: null, metadata: {} },
            create_time: SECOND + Number(id.replace(/\D/g, "") || 0),
            content,
            recipient: "all",
            metadata: {},
            ...more,
        },
    },
});
/** @param {...unknown} parts */
const text = (...parts) => ({ content_type: "text", parts });

/** A tree with an edited question, hidden messages, a tool, a picture of the person and one that was painted. */
export const chatgpt = () => ({
    title: "Tides and moons",
    create_time: SECOND,
    update_time: SECOND + 90,
    conversation_id: "67a0c0de-0000-4000-8000-000000000001",
    current_node: "n9",
    default_model_slug: "gpt-x",
    mapping: {
        root: { id: "root", message: null, parent: null, children: ["n1"] },
        ...node("n1", "root", "system", text("SYSTEM-HIDDEN"), {
            metadata: { is_visually_hidden_from_conversation: true },
        }),
        ...node("n2", "n1", "user", { content_type: "user_editable_context", user_profile: "PROFILE-HIDDEN" }),
        ...node("n3", "n2", "user", text("Why are there tides? OLD-QUESTION")),
        ...node("n4", "n3", "assistant", text("OLD-ANSWER")),
        ...node("n5", "n2", "user", {
            content_type: "multimodal_text",
            parts: [
                { content_type: "image_asset_pointer", asset_pointer: "file-service://file-Moon42" },
                "Why are there tides?",
            ],
        }),
        ...node(
            "n6",
            "n5",
            "assistant",
            { content_type: "code", language: "python", text: "print(6*7)" },
            { recipient: "python" },
        ),
        ...node(
            "n7",
            "n6",
            "tool",
            { content_type: "execution_output", text: "42 metres" },
            { author: { role: "tool", name: "python" } },
        ),
        ...node(
            "n8",
            "n7",
            "tool",
            {
                content_type: "multimodal_text",
                parts: [{ content_type: "image_asset_pointer", asset_pointer: "sediment://file_0000painted" }],
            },
            { author: { role: "tool", name: "dalle.text2im" } },
        ),
        ...node("n9", "n8", "assistant", text("The moon pulls the sea. \ue200cite\ue202turn0\ue201Gravity does it.")),
    },
});

/** @param {object[]} conversations @param {{ name: string, bytes: Buffer }[]} [more] */
export const archive = (conversations, more = []) =>
    zip([{ name: "conversations.json", bytes: Buffer.from(JSON.stringify(conversations)) }, ...more]);

export const chatgptArchive = () =>
    archive(
        [
            chatgpt(),
            {
                title: null,
                create_time: SECOND + 100,
                conversation_id: "67a0c0de-0000-4000-8000-000000000002",
                mapping: {
                    ...node("m1", null, "user", text("A question of its own")),
                    ...node("m2", "m1", "assistant", text("An answer")),
                },
            },
        ],
        [
            { name: "file-Moon42-moon.png", bytes: PNG },
            { name: "dalle-generations/file_0000painted.webp", bytes: PNG },
            { name: "../../outside.png", bytes: PNG },
            { name: "chat.html", bytes: Buffer.from("<html>") },
        ],
    );

/** A conversation of Claude with an attachment, a tool, what it thought, and another branch. */
export const claude = () => ({
    uuid: "c1a0de00-0000-4000-8000-000000000001",
    name: "Rent of the mill",
    created_at: iso(0),
    updated_at: iso(60),
    current_leaf_message_uuid: "a3",
    chat_messages: [
        {
            uuid: "a1",
            sender: "human",
            created_at: iso(1),
            text: "What is the rent?",
            content: [{ type: "text", text: "What is the rent?" }],
            attachments: [{ file_name: "lease.pdf", extracted_content: "The rent is 120 a year." }],
            files: [{ file_name: "mill.png", file_uuid: "not-there-1" }],
            parent_message_uuid: "00000000-0000-4000-8000-000000000000",
        },
        {
            uuid: "a2",
            sender: "assistant",
            created_at: iso(2),
            text: "OLD-BRANCH",
            content: [],
            parent_message_uuid: "a1",
        },
        {
            uuid: "a3",
            sender: "assistant",
            created_at: iso(3),
            text: "",
            parent_message_uuid: "a1",
            content: [
                { type: "thinking", thinking: "THOUGHT-HIDDEN" },
                { type: "tool_use", name: "search_lease", input: { query: "rent" } },
                {
                    type: "tool_result",
                    name: "search_lease",
                    is_error: false,
                    content: [{ type: "text", text: "clause 4: 120" }],
                },
                { type: "text", text: "The rent is **120** a year." },
            ],
        },
    ],
});

/** @param {string} path @param {(object | string)[]} rows */
export function putLines(path, rows) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, rows.map((row) => (typeof row === "string" ? row : JSON.stringify(row)) + "\n").join(""));
}

const CODE = "0c0de000-0000-4000-8000-000000000001";
let number = 0;
/**
 * A line of Claude Code.
 * @param {string} uuid
 * @param {string | null} parentUuid
 * @param {"user" | "assistant"} type
 * @param {unknown} content
 * @param {object} [more]
 */
export const line = (uuid, parentUuid, type, content, more = {}) => ({
    uuid,
    parentUuid,
    type,
    isSidechain: false,
    sessionId: CODE,
    cwd: "/nowhere/mill",
    timestamp: iso((number += 1)),
    message: { role: type, content, ...(type === "assistant" ? { id: `msg_${uuid}`, model: "claude-x" } : {}) },
    ...more,
});

/** Calls at once, another branch, an agent within, a command, what the program put in, a damaged line. */
export const claudeCode = () => {
    const call = (/** @type {string} */ id, /** @type {string} */ name) => [
        { type: "tool_use", id, name, input: { path: `${name}.txt` } },
    ];
    const result = (/** @type {string} */ id, /** @type {unknown} */ content) => [
        { type: "tool_result", tool_use_id: id, content },
    ];
    const answer = { message: { role: "assistant", id: "msg_both", model: "claude-x" } };
    const both = (/** @type {unknown} */ content) => ({ message: { ...answer.message, content } });
    return [
        { type: "file-history-snapshot", messageId: "x", snapshot: {} },
        line("u0", null, "user", "<command-name>/clear</command-name><command-args></command-args>"),
        line("u1", "u0", "user", "Caveat: META-HIDDEN", { isMeta: true }),
        line("u2", "u1", "user", "First wording OLD-QUESTION"),
        line("b2", "u2", "assistant", [{ type: "text", text: "OLD-ANSWER" }]),
        line("u3", "u1", "user", [
            { type: "text", text: "<system-reminder>REMINDER-HIDDEN</system-reminder>Read both files" },
            { type: "image", source: { type: "base64", media_type: "image/png", data: PNG.toString("base64") } },
        ]),
        "{ damaged",
        line("b3", "u3", "assistant", [{ type: "thinking", thinking: "THOUGHT-HIDDEN" }]),
        line("b4", "b3", "assistant", null, both(call("t1", "Read"))),
        line("b5", "b4", "assistant", null, both(call("t2", "Look"))),
        line("r1", "b4", "user", result("t1", "the first file")),
        line(
            "r2",
            "b5",
            "user",
            result("t2", [
                { type: "text", text: "the second file" },
                { type: "image", source: { type: "base64", media_type: "image/png", data: PNG.toString("base64") } },
            ]),
        ),
        line("s1", "r2", "user", "SIDE-HIDDEN", { isSidechain: true }),
        line("b6", "r2", "assistant", [{ type: "text", text: "Both say mill." }]),
        { type: "summary", summary: "Two files about a mill", leafUuid: "b6" },
    ];
};

const RUN = "0c0de000-0000-4000-8000-00000000c0de";
/** @param {string} type @param {object} payload */
const row = (type, payload) => ({ timestamp: iso((number += 1)), type, payload });
/** @param {string} role @param {...object} content */
const message = (role, ...content) => row("response_item", { type: "message", role, content });
const input = (/** @type {string} */ words) => ({ type: "input_text", text: words });

/** What was put in, a call, a turn that was taken back. */
export const codex = () => [
    row("session_meta", { id: RUN, cwd: "/nowhere/weir", timestamp: iso(0), source: "cli" }),
    message("developer", input("DEVELOPER-HIDDEN")),
    message("user", input("<environment_context>ENVIRONMENT-HIDDEN</environment_context>")),
    row("turn_context", { model: "gpt-code", cwd: "/nowhere/weir" }),
    message("user", input("A turn that is TAKEN-BACK")),
    message("assistant", { type: "output_text", text: "TAKEN-BACK, too" }),
    row("event_msg", { type: "thread_rolled_back", num_turns: 1 }),
    message("user", input("How high is the weir?"), {
        type: "input_image",
        image_url: `data:image/png;base64,${PNG.toString("base64")}`,
    }),
    row("response_item", { type: "reasoning", summary: [{ type: "summary_text", text: "THOUGHT-HIDDEN" }] }),
    row("response_item", {
        type: "function_call",
        name: "shell",
        call_id: "k1",
        arguments: JSON.stringify({ command: ["cat", "weir.txt"] }),
    }),
    row("response_item", {
        type: "function_call_output",
        call_id: "k1",
        output: JSON.stringify({ output: "3 metres", metadata: { exit_code: 1, duration_seconds: 0.5 } }),
    }),
    row("event_msg", { type: "agent_message", message: "The weir is 3 metres high." }),
    message("assistant", { type: "output_text", text: "The weir is 3 metres high." }),
];

/** More of the same session. */
export const codexLater = () => [
    message("user", input("And how wide?")),
    message("assistant", { type: "output_text", text: "It is 20 metres wide." }),
];

/** @param {string} home of the person */
export function programFolders(home) {
    putLines(join(home, ".claude/projects/-nowhere-mill", `${CODE}.jsonl`), claudeCode());
    putLines(join(home, ".claude/projects/-nowhere-mill", "agent-1.jsonl"), [line("z", null, "user", "AGENT-HIDDEN")]);
    putLines(join(home, ".claude/projects/-nowhere-other", "0c0de000-0000-4000-8000-000000000002.jsonl"), [
        line("o1", null, "user", "Another project", {
            sessionId: "0c0de000-0000-4000-8000-000000000002",
            cwd: "/nowhere/other",
        }),
        line("o2", "o1", "assistant", "Yes.", { sessionId: "0c0de000-0000-4000-8000-000000000002" }),
    ]);
    putLines(join(home, ".codex/sessions/2025/01/01", `rollout-2025-01-01T12-00-00-${RUN}.jsonl`), codex());
    putLines(join(home, ".codex/session_index.jsonl"), [{ id: RUN, thread_name: "Measures of the weir" }]);
    putLines(
        join(
            home,
            ".codex/sessions/2025/01/01",
            "rollout-2025-01-01T12-00-01-0c0de000-0000-4000-8000-00000000c0df.jsonl",
        ),
        [
            row("session_meta", { id: "0c0de000-0000-4000-8000-00000000c0df", source: { subagent: "review" } }),
            message("user", input("SUBAGENT-HIDDEN")),
        ],
    );
}
