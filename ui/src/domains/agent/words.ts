// What kinds of stages are, in words.

import { BadgeCheck, FileText, MessagesSquare, PenLine, Search, type LucideIcon } from "lucide-react";

export interface StageKind {
    word: string;
    /** One sentence on what such a stage does. */
    means: string;
    icon: LucideIcon;
}

const KINDS: Record<string, StageKind> = {
    tools: { word: "Tools", means: "Calls tools with fixed arguments. No model is asked.", icon: Search },
    model: { word: "Model", means: "Asks a model, whose answer must fit a schema.", icon: PenLine },
    verify: { word: "Check", means: "Checks what was written against what was retrieved. No model is asked.", icon: BadgeCheck },
    render: { word: "Document", means: "Writes the document. No model is asked.", icon: FileText },
    dialogue: { word: "Dialogue", means: "Talks with you until the matter is settled.", icon: MessagesSquare },
};

export function kindOf(kind: string): StageKind {
    return KINDS[kind] ?? { word: kind, means: "", icon: FileText };
}

/** The source of a tool that is written `source/tool`. */
export function sourceOf(tool: string): string | undefined {
    const at = tool.indexOf("/");
    return at > 0 ? tool.slice(0, at) : undefined;
}
