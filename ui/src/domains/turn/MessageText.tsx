// What a person wrote, with what it names as badges.

import { BookOpen, Bot, FileText, Folder, Plug, Tag } from "lucide-react";
import { useState } from "react";

import type { Mention, MentionKind, UserMessage } from "@/backend";
import { Button, cx } from "@/shared";

const ICONS: { readonly [K in MentionKind]: typeof Bot } = {
    agent: Bot,
    source: Plug,
    skill: BookOpen,
    file: FileText,
    folder: Folder,
    label: Tag,
};

export function MentionIcon({ kind, size = 12 }: { kind: MentionKind; size?: 12 | 14 }) {
    const Icon = ICONS[kind];
    return <Icon size={size} strokeWidth={1.5} aria-hidden className="inline shrink-0 align-[-0.1em]" />;
}

/** A text cut at its mentions. Ranges that make no sense are left out. */
export function cutAtMentions(
    text: string,
    mentions: readonly Mention[],
): (string | { mention: Mention; text: string })[] {
    const sorted = mentions
        .map((mention) => ({ mention, start: Number(mention.range[0]), end: Number(mention.range[1]) }))
        .filter(({ start, end }) => start >= 0 && start < end && end <= text.length)
        .sort((a, b) => a.start - b.start);
    const parts: (string | { mention: Mention; text: string })[] = [];
    let at = 0;
    for (const { mention, start, end } of sorted) {
        if (start < at) continue;
        if (start > at) parts.push(text.slice(at, start));
        parts.push({ mention, text: text.slice(start, end) });
        at = end;
    }
    if (at < text.length) parts.push(text.slice(at));
    return parts;
}

/** Beyond this a message is folded. */
const LONG = 1_600;

export function MessageText({ message, className }: { message: UserMessage; className?: string }) {
    const [open, setOpen] = useState(false);
    const { text, mentions = [] } = message;
    const long = text.length > LONG || text.split("\n").length > 24;
    return (
        <div className={className}>
            <div
                className={cx(
                    "break-words whitespace-pre-wrap",
                    long &&
                        !open &&
                        "max-h-64 overflow-hidden [mask-image:linear-gradient(to_bottom,black_75%,transparent)]",
                )}
            >
                {cutAtMentions(text, mentions).map((part, index) =>
                    typeof part === "string" ? (
                        part
                    ) : (
                        <span
                            key={index}
                            title={`${part.mention.kind}: ${part.mention.title}`}
                            className="rounded-[4px] bg-accent-soft px-1 text-accent"
                        >
                            <MentionIcon kind={part.mention.kind} /> {part.text}
                        </span>
                    ),
                )}
            </div>
            {long && (
                <Button size="small" variant="quiet" className="-ml-2" onClick={() => setOpen(!open)}>
                    {open ? "Show less" : `Show all ${text.length.toLocaleString("en-GB")} characters`}
                </Button>
            )}
        </div>
    );
}
