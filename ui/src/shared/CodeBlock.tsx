import type { ElementContent } from "hast";
import { useEffect, useMemo, useState, type ReactNode } from "react";

import { CopyButton } from "./CopyButton";
import { cx } from "./cx";
import { highlight, highlighterIfLoaded, loadHighlighter } from "./highlight";
import { writtenOut } from "./unseen";

export interface CodeBlockProps {
    code: string;
    /** e.g. "json"; without it the code stays plain. */
    language?: string;
    /** Off while the code is still being written. */
    colour?: boolean;
    wrap?: boolean;
    /** A Tailwind height, e.g. "max-h-96". */
    height?: string;
    className?: string;
}

export function CodeBlock({ code, language, colour = true, wrap = false, height, className }: CodeBlockProps) {
    const named = language !== undefined;
    return (
        <div className={cx("relative rounded-control border border-hairline bg-sunken font-ui", className)}>
            {/* What stands over the code may hide none of it: where there is a name it has a line of its own. */}
            <div
                className={cx(
                    "flex items-center text-small text-ink-3",
                    named ? "min-h-7 justify-between border-b border-hairline pr-0.5 pl-3" : "absolute top-1 right-1",
                )}
            >
                {named && <span>{language}</span>}
                <CopyButton text={code} label="Copy code" />
            </div>
            <pre
                // It scrolls, so the keyboard has to reach it.
                tabIndex={0}
                className={cx(
                    "m-0 overflow-auto rounded-control px-3 py-2.5 font-mono text-code ring-inside",
                    !named && "pr-10",
                    wrap && "break-words whitespace-pre-wrap",
                    height,
                )}
            >
                <code className="text-code">
                    <Coloured code={code} language={colour ? language : undefined} />
                </code>
            </pre>
        </div>
    );
}

/** Code with its colours, plain until they are loaded; characters that nobody would see are written out. */
export function Coloured({ code: given, language }: { code: string; language?: string }) {
    const code = useMemo(() => writtenOut(given), [given]);
    const [highlighter, setHighlighter] = useState(highlighterIfLoaded);
    useEffect(() => {
        if (language === undefined || highlighter !== undefined) return;
        let gone = false;
        // Plain code is a fine answer where the colours can't be loaded.
        loadHighlighter().then(
            (loaded) => !gone && setHighlighter(() => loaded),
            () => {},
        );
        return () => {
            gone = true;
        };
    }, [language, highlighter]);
    const tree = useMemo(
        () => (highlighter === undefined ? undefined : highlight(highlighter, code, language)),
        [highlighter, code, language],
    );
    return tree === undefined ? code : tree.children.map((child, index) => draw(child as ElementContent, index));
}

function draw(node: ElementContent, key: number): ReactNode {
    if (node.type === "text") return node.value;
    if (node.type !== "element") return null;
    const classes = node.properties.className;
    return (
        <span key={key} className={Array.isArray(classes) ? classes.join(" ") : undefined}>
            {node.children.map(draw)}
        </span>
    );
}
