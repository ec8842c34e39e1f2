// Files of a message, each with a look inside.

import { Paperclip } from "lucide-react";
import { useState } from "react";

import { skip, useQuery, type Attachment } from "@/backend";
import { Button, Dialog, ErrorCard, Skeleton, count, formatBytes, lazyPart, saveBytes } from "@/shared";

import { isPicture } from "./kinds";

const MediaView = lazyPart(() => import("./MediaView").then((part) => part.MediaView), <Skeleton lines={4} />);

/** Files of a message, each with a look inside. */
export function Attachments({
    attachments,
    session,
    onRemove,
    disabled = false,
}: {
    attachments: readonly Attachment[];
    session: string | undefined;
    onRemove?: (id: string) => void;
    disabled?: boolean;
}) {
    if (attachments.length === 0) return null;
    return (
        <ul aria-label="Attached files" className="flex flex-wrap gap-1.5">
            {attachments.map((attachment) => (
                <li key={attachment.id} className="max-w-full">
                    <AttachmentChip
                        attachment={attachment}
                        session={session}
                        disabled={disabled}
                        onRemove={onRemove === undefined ? undefined : () => onRemove(attachment.id)}
                    />
                </li>
            ))}
        </ul>
    );
}

/** Pictures beyond this are shown when they are asked for. */
const THUMB = 4_000_000;

function AttachmentChip({
    attachment,
    session,
    onRemove,
    disabled,
}: {
    attachment: Attachment;
    session: string | undefined;
    onRemove?: () => void;
    disabled: boolean;
}) {
    const [open, setOpen] = useState(false);
    const picture = isPicture(attachment.mediaType);
    const { data, problem, reload } = useQuery(
        "attachment_show",
        open || (picture && attachment.bytes <= THUMB) ? { session: session ?? null, id: attachment.id } : skip,
    );
    return (
        <>
            <span className="inline-flex h-8 max-w-full items-center overflow-hidden rounded-control border border-hairline bg-surface text-small">
                <button
                    type="button"
                    onClick={() => setOpen(true)}
                    title={attachment.note ?? "View"}
                    className="ring-inside flex h-full min-w-0 items-center gap-1.5 pr-2 hover:bg-hover"
                >
                    {picture && data !== undefined ? (
                        <img
                            src={`data:${attachment.mediaType};base64,${data.data}`}
                            alt=""
                            className="h-full w-8 object-cover"
                        />
                    ) : (
                        <Paperclip size={14} strokeWidth={1.5} aria-hidden className="ml-2 shrink-0 text-ink-3" />
                    )}
                    <span className="max-w-48 min-w-0 truncate">{attachment.name}</span>
                    <span className="tabular shrink-0 text-ink-3">
                        {typeof attachment.pages === "number"
                            ? count(attachment.pages, "page")
                            : formatBytes(attachment.bytes)}
                    </span>
                    {attachment.note !== null && attachment.note !== undefined && (
                        <span className="max-w-40 truncate text-needs">{attachment.note}</span>
                    )}
                </button>
                {onRemove !== undefined && (
                    <button
                        type="button"
                        aria-label={`Remove ${attachment.name}`}
                        title={`Remove ${attachment.name}`}
                        disabled={disabled}
                        onClick={onRemove}
                        className="ring-inside h-full border-l border-hairline px-1.5 text-ink-3 hover:bg-hover hover:text-ink"
                    >
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
                footer={
                    data !== undefined && (
                        <Button onClick={() => saveBytes(attachment.name, data.data, attachment.mediaType)}>
                            Save a copy
                        </Button>
                    )
                }
            >
                {data === undefined ? (
                    problem === undefined ? (
                        <Skeleton lines={4} />
                    ) : (
                        <ErrorCard
                            title="Could not load the attachment."
                            advice={problem.action ?? undefined}
                            actions={<Button onClick={reload}>Try again</Button>}
                            details={problem.message}
                        />
                    )
                ) : (
                    <MediaView name={attachment.name} mediaType={attachment.mediaType} base64={data.data} />
                )}
            </Dialog>
        </>
    );
}
