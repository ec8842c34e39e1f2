// Words for permissions.

import type { GrantScope } from "@/backend";
import { sentence } from "@/shared";

export const MODES: readonly { id: string; word: string; says: string }[] = [
    { id: "safe", word: "Explore", says: "Reads only. Nothing changes, nothing leaves the machine." },
    { id: "ask", word: "Ask to edit", says: "Reading goes on by itself; whatever changes something is shown to you first." },
    { id: "allow-all", word: "Auto", says: "Nothing is asked, but for a few protected places. Deny rules hold." },
];

export const SCOPES: Readonly<Record<GrantScope, string>> = { once: "once", session: "in its session", workspace: "in the workspace", always: "everywhere" };

export const LAYERS: Readonly<Record<string, string>> = { app: "The program’s own", workspace: "Your workspace’s", session: "A session’s" };

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
    refused: { word: "you refused", tone: "failed" },
};
