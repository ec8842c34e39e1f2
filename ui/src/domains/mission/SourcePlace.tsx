// Where a source is: a paragraph of a knowledge base, or a page of the web as it was read, beside its address.

import { useState } from "react";

import { CitedPageDialog } from "@/domains/web";
import { hrefOf } from "@/routes";
import { ExternalLink } from "@/shared";

import { TextLink } from "./TextLink";

/** A block of a page of the web, as citations name it. */
const BLOCK = /^block (\d+)$/;

/** The place in a source, in words. */
export function paragraphWord(paragraph: string): string {
    const block = BLOCK.exec(paragraph)?.[1];
    return block === undefined ? `Paragraph ${paragraph}` : `Block ${block}`;
}

export interface SourcePlaceProps {
    source: { address: string; title: string; object?: string | null };
    paragraph?: string | undefined;
}

export function SourcePlace({ source: { address, title, object }, paragraph }: SourcePlaceProps) {
    const [open, setOpen] = useState(false);
    const base = /^kb:([^/]+)/.exec(address)?.[1];
    if (base !== undefined)
        return (
            <a
                href={hrefOf({ page: "base", base, paragraph })}
                className="text-small break-all text-accent hover:underline"
            >
                {paragraph === undefined ? `Open the base ${base}` : `Open in the base ${base}`}
            </a>
        );
    if (!/^https?:/.test(address)) return <span className="text-small break-all text-ink-3">{address}</span>;
    const block = BLOCK.exec(paragraph ?? "")?.[1];
    return (
        <span className="flex flex-wrap gap-x-3 text-small break-all">
            {typeof object === "string" && (
                <>
                    <TextLink text="Open as it was read" onOpen={() => setOpen(true)} />
                    {open && (
                        <CitedPageDialog
                            object={object}
                            title={title}
                            {...(block === undefined ? {} : { block: Number(block) })}
                            onClose={() => setOpen(false)}
                        />
                    )}
                </>
            )}
            <ExternalLink href={address}>{address}</ExternalLink>
        </span>
    );
}
