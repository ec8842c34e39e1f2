// What would happen: the exact command, change or request, whole.

import { useState } from "react";

import type { Preview } from "@/backend";
import { Button, CodeBlock, DiffView, JsonView, cx, writtenOut } from "@/shared";

/** Lines of a command or body that are in sight at first. */
const LINES = 14;

export function PreviewView({ preview, arguments: given }: { preview: Preview; arguments: unknown }) {
    switch (preview.preview) {
        case "command":
            return (
                <div>
                    <Long code={preview.command} language="bash" />
                    <p className="mt-1 truncate text-small text-ink-3" title={writtenOut(preview.cwd)}>
                        in <span className="font-mono">{writtenOut(preview.cwd)}</span>
                    </p>
                </div>
            );
        case "diff":
            return <DiffView path={preview.path} before={preview.before} after={preview.after} height="max-h-72" />;
        case "request":
            return (
                <div className="flex flex-col gap-1">
                    <p className="rounded-control border border-hairline bg-sunken px-3 py-2 font-mono text-code break-all">
                        <span className="font-semibold">{preview.method}</span> {writtenOut(preview.url)}
                    </p>
                    {preview.headers !== undefined && preview.headers.length > 0 && (
                        <Long code={preview.headers.join("\n")} />
                    )}
                    {preview.body !== null && preview.body !== "" && (
                        <Long code={preview.body} language={/^\s*[[{]/.test(preview.body) ? "json" : undefined} />
                    )}
                </div>
            );
        case "none":
            return <JsonView value={given} label="Arguments" open={2} />;
    }
}

/** Code that is folded beyond some lines; never cut without a word. */
function Long({ code, language }: { code: string; language?: string }) {
    const [open, setOpen] = useState(false);
    const lines = code.split("\n").length;
    const long = lines > LINES || code.length > 2_000;
    return (
        <div>
            <CodeBlock code={code} language={language} wrap height={cx(long && !open ? "max-h-72" : "max-h-[32rem]")} />
            {long && !open && (
                <Button size="small" variant="quiet" className="mt-1" onClick={() => setOpen(true)}>
                    Show larger: {lines} {lines === 1 ? "line" : "lines"}, {code.length.toLocaleString("en-GB")}{" "}
                    characters
                </Button>
            )}
        </div>
    );
}
