// What a model says, with the pictures that it answered with.

import { useCallback, useState, type ReactNode } from "react";

import { useQuery } from "@/backend";
import { Dialog } from "@/shared";
import { Markdown } from "@/shared/markdown";

/** The core keeps pictures among the session's files and leaves a link of this form in the text. */
const PICTURE = "#attachment-";

/** The picture's id. A model may write anything there, also what is no encoded text. */
function idOf(href: string): string {
    const id = href.slice(PICTURE.length);
    try {
        return decodeURIComponent(id);
    } catch {
        return id;
    }
}

/** An answer's Markdown. Links to pictures of the session are the pictures. */
export function AnswerText({
    text,
    session,
    streaming,
    className,
}: {
    text: string;
    session: string;
    streaming?: boolean;
    className?: string;
}) {
    const renderLink = useCallback(
        (href: string, children: ReactNode) =>
            href.startsWith(PICTURE) ? (
                <Picture session={session} id={idOf(href)}>
                    {children}
                </Picture>
            ) : undefined,
        [session],
    );
    return <Markdown text={text} streaming={streaming} voice="answer" className={className} renderLink={renderLink} />;
}

function Picture({ session, id, children }: { session: string; id: string; children: ReactNode }) {
    const [open, setOpen] = useState(false);
    const { data, problem } = useQuery("attachment_show", { session, id });
    if (problem !== undefined) {
        return <span className="font-ui text-small text-ink-2">{children} (no longer exists)</span>;
    }
    if (data === undefined) return <span className="font-ui text-small text-ink-3">{children}</span>;
    const source = `data:${data.attachment.mediaType};base64,${data.data}`;
    return (
        <>
            <button type="button" onClick={() => setOpen(true)} aria-label="View image" className="block max-w-full">
                <img
                    src={source}
                    alt={data.attachment.name}
                    className="max-h-96 max-w-full rounded-control border border-hairline"
                />
            </button>
            <Dialog open={open} onOpenChange={setOpen} title={data.attachment.name} width="large">
                <img src={source} alt={data.attachment.name} className="mx-auto max-h-[70vh] max-w-full" />
            </Dialog>
        </>
    );
}
