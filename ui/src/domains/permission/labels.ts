// Words for permissions.

import type { GrantScope } from "@/backend";
import { sentence } from "@/shared";

import { AUTO_ASKS } from "./modes";

export const MODES: readonly { id: string; word: string; says: string }[] = [
    { id: "safe", word: "Explore", says: "Reads only. Nothing changes, nothing leaves the machine." },
    { id: "ask", word: "Ask to edit", says: "Reads the session’s folders without asking; asks before any change." },
    { id: "allow-all", word: "Auto", says: AUTO_ASKS },
];

export const SCOPES: Readonly<Record<GrantScope, string>> = {
    once: "once",
    session: "session",
    workspace: "workspace",
    always: "everywhere",
};

export const LAYERS: Readonly<Record<string, string>> = { app: "Built-in", workspace: "Workspace", session: "Session" };

/** Why it was decided so, for a person: a grant's own id says nothing. */
export function reasonOf(by: string): string {
    return sentence(by.replace(/^grant [0-9a-f]{8,}: /, ""));
}

type Tone = "done" | "failed" | "needs" | undefined;

export const DECISIONS: Readonly<Record<string, { word: string; tone: Tone }>> = {
    allowed: { word: "allowed", tone: "done" },
    granted: { word: "you allowed", tone: "done" },
    asked: { word: "asked", tone: "needs" },
    denied: { word: "denied", tone: "failed" },
    refused: { word: "you denied", tone: "failed" },
};
