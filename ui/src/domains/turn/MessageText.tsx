// What a person wrote, with what it names as badges, and the files that go with it.

import { BookOpen, Bot, FileText, Folder, Paperclip, Plug, Tag } from "lucide-react";
import { useMemo, useState } from "react";

import { skip, useQuery, type Attachment, type Mention, type MentionKind, type UserMessage } from "@/backend";
import { Button, CodeBlock, DataTable, Dialog, JsonView, Skeleton, cx, formatBytes, languageOf, saveBytes, tableOfText } from "@/shared";
import { Markdown } from "@/shared/markdown";

const ICONS: { readonly [K in MentionKind]: typeof Bot } = { agent: Bot, source: Plug, skill: BookOpen, file: FileText, folder: Folder, label: Tag };

export function MentionIcon({ kind, size = 12 }: { kind: MentionKind; size?: 12 | 14 }) {
    const Icon = ICONS[kind];
    return <Icon size={size} strokeWidth={1.5} aria-hidden className="inline shrink-0 align-[-0.1em]" />;
}

/** A text cut at its mentions. Ranges that make no sense are left out. */
export function cutAtMentions(text: string, mentions: readonly Mention[]): (string | { mention: Mention; text: string })[] {
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
            <div className={cx("break-words whitespace-pre-wrap", long && !open && "max-h-64 overflow-hidden [mask-image:linear-gradient(to_bottom,black_75%,transparent)]")}>
                {cutAtMentions(text, mentions).map((part, index) =>
                    typeof part === "string" ? (
                        part
                    ) : (
                        <span key={index} title={`${part.mention.kind}: ${part.mention.title}`} className="rounded-[4px] bg-accent-soft px-1 text-accent">
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

/** Files of a message, each with a look inside. */
export function Attachments({ attachments, session, onRemove, disabled = false }: { attachments: readonly Attachment[]; session: string | undefined; onRemove?: (id: string) => void; disabled?: boolean }) {
    if (attachments.length === 0) return null;
    return (
        <ul aria-label="Attached files" className="flex flex-wrap gap-1.5">
            {attachments.map((attachment) => (
                <li key={attachment.id} className="max-w-full">
                    <AttachmentChip attachment={attachment} session={session} disabled={disabled} onRemove={onRemove === undefined ? undefined : () => onRemove(attachment.id)} />
                </li>
            ))}
        </ul>
    );
}

const isPicture = (type: string) => /^image\/(png|jpeg|gif|webp)$/.test(type);
const isText = (type: string) => /^text\/|^application\/(json|xml|yaml|toml|javascript|x-sh)/.test(type);
/** Pictures beyond this are shown when they are asked for. */
const THUMB = 4_000_000;

function AttachmentChip({ attachment, session, onRemove, disabled }: { attachment: Attachment; session: string | undefined; onRemove?: () => void; disabled: boolean }) {
    const [open, setOpen] = useState(false);
    const picture = isPicture(attachment.mediaType);
    const { data } = useQuery("attachment_show", open || (picture && attachment.bytes <= THUMB) ? { session: session ?? null, id: attachment.id } : skip);
    return (
        <>
            <span className="inline-flex h-8 max-w-full items-center overflow-hidden rounded-control border border-hairline bg-surface text-small">
                <button type="button" onClick={() => setOpen(true)} title={attachment.note ?? "Look inside"} className="ring-inside flex h-full min-w-0 items-center gap-1.5 pr-2 hover:bg-hover">
                    {picture && data !== undefined ? (
                        <img src={`data:${attachment.mediaType};base64,${data.data}`} alt="" className="h-full w-8 object-cover" />
                    ) : (
                        <Paperclip size={14} strokeWidth={1.5} aria-hidden className="ml-2 shrink-0 text-ink-3" />
                    )}
                    <span className="max-w-48 min-w-0 truncate">{attachment.name}</span>
                    <span className="tabular shrink-0 text-ink-3">{formatBytes(attachment.bytes)}</span>
                    {attachment.note !== null && attachment.note !== undefined && <span className="max-w-40 truncate text-needs">{attachment.note}</span>}
                </button>
                {onRemove !== undefined && (
                    <button type="button" aria-label={`Remove ${attachment.name}`} title={`Remove ${attachment.name}`} disabled={disabled} onClick={onRemove} className="ring-inside h-full border-l border-hairline px-1.5 text-ink-3 hover:bg-hover hover:text-ink">
                        ×
                    </button>
                )}
            </span>
            <Dialog
                open={open}
                onOpenChange={setOpen}
                title={attachment.name}
                description={`${attachment.mediaType}, ${formatBytes(attachment.bytes)}${attachment.note === null || attachment.note === undefined ? "" : `. ${attachment.note}`}`}
                width="large"
                footer={data !== undefined && <Button onClick={() => saveBytes(attachment.name, data.data, attachment.mediaType)}>Save a copy</Button>}
            >
                {data === undefined ? <Skeleton lines={4} /> : <MediaView name={attachment.name} mediaType={attachment.mediaType} base64={data.data} />}
            </Dialog>
        </>
    );
}

function textOf(base64: string): string {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    return new TextDecoder().decode(bytes);
}

/** A picture or text to look at; anything else can be saved. */
export function MediaView({ name, mediaType, base64 }: { name: string; mediaType: string; base64: string }) {
    if (isPicture(mediaType)) return <img src={`data:${mediaType};base64,${base64}`} alt={name} className="mx-auto max-h-[60vh] max-w-full rounded-control border border-hairline" />;
    if (isText(mediaType)) return <TextView name={name} text={textOf(base64)} />;
    return <p className="text-ui text-ink-2">{mediaType === "application/pdf" ? "A PDF is not drawn here: save a copy and open it with the program that you have for it." : "It can’t be shown here. Save a copy and open it with a program of yours."}</p>;
}

/** A text larger than this is not taken apart. */
const TAKEN_APART = 2_000_000;

/** A text as its kind is read best: a table, a tree, a document, or lines. */
function TextView({ name, text }: { name: string; text: string }) {
    const kind = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
    const table = useMemo(() => (text.length > TAKEN_APART ? undefined : tableOfText(kind, text)), [kind, text]);
    const value = useMemo(() => (kind === "json" && table === undefined && text.length <= TAKEN_APART ? parsed(text) : undefined), [kind, table, text]);
    if (table !== undefined) return <DataTable table={table} source={text} />;
    if (value !== undefined) return <JsonView value={value} label={name} open={2} height="max-h-[60vh]" />;
    if (kind === "md" || kind === "markdown") return <Markdown text={text} voice="answer" />;
    return <CodeBlock code={text} language={languageOf(name)} wrap height="max-h-[60vh]" />;
}

function parsed(text: string): unknown {
    try {
        return JSON.parse(text) as unknown;
    } catch {
        return undefined;
    }
}
