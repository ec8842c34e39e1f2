// What kinds of stages are, in words.

import { BadgeCheck, Bot, FileText, MessagesSquare, PenLine, Search, type LucideIcon } from "lucide-react";

import { own } from "@/shared";

export interface StageKind {
    word: string;
    /** One sentence on what such a stage does. */
    means: string;
    icon: LucideIcon;
}

const KINDS: Record<string, StageKind> = {
    tools: { word: "Tools", means: "Calls tools with fixed arguments, without a model.", icon: Search },
    model: { word: "Model", means: "Calls a model; its answer must match a schema.", icon: PenLine },
    verify: {
        word: "Check",
        means: "Checks the answer by code; where the stage has a prompt, a model judges what code left open.",
        icon: BadgeCheck,
    },
    render: { word: "Document", means: "Writes the document, without a model.", icon: FileText },
    dialogue: {
        word: "Dialogue",
        means: "A model works with tools, and asks you where it has to, until it submits the result.",
        icon: MessagesSquare,
    },
    agent: { word: "Agent", means: "Starts a run of another agent for each item.", icon: Bot },
};

export function kindOf(kind: string): StageKind {
    return own(KINDS, kind) ?? { word: kind, means: "", icon: FileText };
}

/** The source of a tool that is written `source/tool`. */
export function sourceOf(tool: string): string | undefined {
    const at = tool.indexOf("/");
    return at > 0 ? tool.slice(0, at) : undefined;
}
