// A picture or a text that a message or a step brought along.

import { useMemo } from "react";

import { CodeBlock, DataTable, JsonView, languageOf, tableOfText } from "@/shared";
import { Markdown } from "@/shared/markdown";

import { isPicture, isText } from "./kinds";

function textOf(base64: string): string {
    let letters;
    try {
        letters = atob(base64);
    } catch {
        // What is no Base64 is shown as it is.
        return base64;
    }
    return new TextDecoder().decode(Uint8Array.from(letters, (letter) => letter.charCodeAt(0)));
}

/** A picture or text to look at; anything else can be saved. */
export function MediaView({ name, mediaType, base64 }: { name: string; mediaType: string; base64: string }) {
    if (isPicture(mediaType))
        return (
            <img
                src={`data:${mediaType};base64,${base64}`}
                alt={name}
                className="mx-auto max-h-[60vh] max-w-full rounded-control border border-hairline"
            />
        );
    if (isText(mediaType)) return <TextView name={name} text={textOf(base64)} />;
    return (
        <p className="text-ui text-ink-2">
            {mediaType === "application/pdf"
                ? "PDF preview is not available. Save a copy and open it in a PDF viewer."
                : "No preview available. Save a copy and open it in another program."}
        </p>
    );
}

/** A text larger than this is not taken apart. */
const TAKEN_APART = 2_000_000;

/** A text as its kind is read best: a table, a tree, a document, or lines. */
function TextView({ name, text }: { name: string; text: string }) {
    const kind = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
    const table = useMemo(() => (text.length > TAKEN_APART ? undefined : tableOfText(kind, text)), [kind, text]);
    const value = useMemo(
        () => (kind === "json" && table === undefined && text.length <= TAKEN_APART ? parsed(text) : undefined),
        [kind, table, text],
    );
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
