// How the elements of a text are drawn, where that is more than the element itself.

import type { Element } from "hast";
import { ImageOff, SquareCheck, Square } from "lucide-react";
import { use, useState, type ComponentProps, type MouseEvent, type ReactNode } from "react";

import { Button } from "../Button";
import { CodeBlock } from "../CodeBlock";
import { lazyPart } from "../lazy-part";
import { Tooltip } from "../Tooltip";
import { Diagram } from "./Diagram";
import type { Components, ExtraProps } from "./elements";
import { Math } from "./Math";
import { OpenLinkContext } from "./links";
import { useFinished, useSurroundings } from "./Markdown";
import { textOf } from "./slug";

type Props<T extends keyof React.JSX.IntrinsicElements> = ComponentProps<T> & ExtraProps;

function urlOf(href: string): URL | undefined {
    try {
        const url = new URL(href);
        return ["http:", "https:", "mailto:"].includes(url.protocol) ? url : undefined;
    } catch {
        return undefined;
    }
}

/** A host that the words claim, where they look like an address. */
function claimedHost(words: string): string | undefined {
    const hit = /^\s*(?:https?:\/\/)?((?:[\p{L}\p{N}-]+\.)+\p{L}{2,})(?:[/:?#]|\s*$)/u.exec(words);
    return hit?.[1]?.toLowerCase();
}

const bare = (host: string) => host.toLowerCase().replace(/^www\./, "");

function Link({ href, children, node, title, id, "aria-label": label }: Props<"a">) {
    const { renderLink, onLink, idPrefix } = useSurroundings();
    const openLink = use(OpenLinkContext);
    if (href === undefined) return <span id={id}>{children}</span>;
    const replaced = renderLink?.(href, children);
    if (replaced !== undefined) return replaced;
    if (href.startsWith("#")) {
        const jump = (event: MouseEvent) => {
            event.preventDefault();
            const name = href.slice(1);
            const place =
                document.getElementById(`${idPrefix}${name}`) ??
                document.getElementById(name.startsWith(idPrefix) ? name : "");
            place?.scrollIntoView({ block: "start" });
        };
        return (
            <a href={href} id={id} title={title} aria-label={label} onClick={jump}>
                {children}
            </a>
        );
    }
    const url = urlOf(href);
    // A relative address has nothing to be relative to.
    if (url === undefined) return <span id={id}>{children}</span>;
    const claimed = claimedHost(node === undefined ? "" : textOf(node));
    const real = url.protocol === "mailto:" ? url.pathname : url.host;
    const lies = claimed !== undefined && bare(claimed) !== bare(url.hostname);
    const open = (event: MouseEvent) => {
        event.preventDefault();
        (onLink ?? openLink)(url.href);
    };
    return (
        <>
            <Tooltip
                label={
                    <span className="break-all">{url.href.length > 200 ? `${url.href.slice(0, 200)}…` : url.href}</span>
                }
            >
                <a href={url.href} id={id} target="_blank" rel="noreferrer noopener" onClick={open} onAuxClick={open}>
                    {children}
                </a>
            </Tooltip>
            {lies && (
                <span className="ml-1 rounded-[4px] bg-needs-soft px-1 font-ui text-small text-needs">
                    goes to {real}
                </span>
            )}
        </>
    );
}

function Image({ src, alt, title, width, height }: Props<"img">) {
    const openLink = use(OpenLinkContext);
    const { onLink } = useSurroundings();
    const url = typeof src === "string" ? urlOf(src) : undefined;
    if (typeof src === "string" && src.startsWith("data:image/")) {
        return (
            <img
                src={src}
                alt={alt ?? ""}
                title={title}
                width={width}
                height={height}
                className="max-w-full rounded-control"
                loading="lazy"
            />
        );
    }
    return (
        <span className="inline-flex max-w-full items-center gap-2 rounded-control border border-hairline bg-sunken px-2 py-1 font-ui text-small text-ink-2">
            <ImageOff size={14} strokeWidth={1.5} aria-hidden className="shrink-0" />
            <span className="min-w-0 truncate">
                {url === undefined ? "Image left out" : `Remote image not loaded: ${url.host}`}
                {alt !== undefined && alt !== "" && ` (${alt})`}
            </span>
            {url !== undefined && (
                <Button size="small" variant="quiet" onClick={() => (onLink ?? openLink)(url.href)}>
                    Open in browser
                </Button>
            )}
        </span>
    );
}

function classesOf(node: Element | undefined): string[] {
    const classes = node?.properties.className;
    return Array.isArray(classes) ? classes.map(String) : [];
}

function codeIn(node: Element | undefined): Element | undefined {
    const only = node?.children[0];
    return node?.children.length === 1 && only?.type === "element" && only.tagName === "code" ? only : undefined;
}

function Pre({ node, children }: Props<"pre">) {
    const finished = useFinished();
    const code = codeIn(node);
    if (code === undefined) return <pre tabIndex={0}>{children}</pre>;
    const classes = classesOf(code);
    const text = textOf(code).replace(/\n$/, "");
    if (classes.includes("math-display")) return <Math source={text} display />;
    const language = classes
        .find((name) => name.startsWith("language-"))
        ?.slice("language-".length)
        .toLowerCase();
    if (language === "mermaid" && finished) return <Diagram source={text} />;
    if (language === "math") return <Math source={text} display />;
    const plain = <LongCode code={text} language={language} finished={finished} />;
    if (finished && language === "diff") return <FencedDiff source={text}>{plain}</FencedDiff>;
    if (finished && language !== undefined && TABLES.has(language))
        return (
            <FencedTable language={language} source={text}>
                {plain}
            </FencedTable>
        );
    return plain;
}

// Until they are loaded, the text stands there as it was written.
const FencedDiff = lazyPart(
    () => import("./FencedDiff").then((part) => part.FencedDiff),
    ({ children }) => children,
);
const FencedTable = lazyPart(
    () => import("./FencedTable").then((part) => part.FencedTable),
    ({ children }) => children,
);

/** Languages of fences that may hold a table. */
const TABLES: ReadonlySet<string> = new Set(["csv", "tsv", "datatable", "json-table"]);

/** Code beyond so many lines is folded; the page stays one that can be read. */
const LINES = 40;

function LongCode({ code, language, finished }: { code: string; language: string | undefined; finished: boolean }) {
    const [open, setOpen] = useState(false);
    const lines = finished ? code.split("\n").length : 0;
    if (lines <= LINES) return <CodeBlock code={code} language={language} colour={finished} className="my-2.5" />;
    return (
        <div className="my-2.5">
            <CodeBlock code={code} language={language} colour={finished} height={open ? undefined : "max-h-72"} />
            <Button size="small" variant="quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
                {open ? "Collapse code" : `Show all ${lines} lines`}
            </Button>
        </div>
    );
}

function Code({ node, children }: Props<"code">) {
    const classes = classesOf(node);
    if (node !== undefined && (classes.includes("math-inline") || classes.includes("math-display")))
        return <Math source={textOf(node)} />;
    return <code>{children}</code>;
}

function Table({ children }: Props<"table">) {
    return (
        // It scrolls sideways, so the keyboard has to reach it.
        <div className="prose-scroll" role="group" aria-label="Table" tabIndex={0}>
            <table>{children}</table>
        </div>
    );
}

function TaskMark({ checked }: Props<"input">) {
    const Icon = checked === true ? SquareCheck : Square;
    return (
        <span
            role="img"
            aria-label={checked === true ? "Done" : "Open"}
            className="mr-1.5 inline-flex align-[-0.15em] text-ink-2"
        >
            <Icon size={14} strokeWidth={1.5} aria-hidden />
        </span>
    );
}

/** Headings of a text stand below the page's own: one step down, so that a page has one title. */
function heading(level: 2 | 3 | 4 | 5 | 6) {
    const Tag = `h${level}` as const;
    return function Heading({ children, id }: { children?: ReactNode; id?: string }) {
        return <Tag id={id}>{children}</Tag>;
    };
}

export const COMPONENTS: Components = {
    a: Link,
    img: Image,
    pre: Pre,
    code: Code,
    table: Table,
    input: TaskMark,
    h1: heading(2),
    h2: heading(3),
    h3: heading(4),
    h4: heading(5),
    h5: heading(6),
    h6: heading(6),
};
