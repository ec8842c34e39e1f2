// Text from outside as elements. What is finished is parsed and drawn once; while text streams only the last block is.

import { Component, createContext, memo, useContext, useEffect, useId, useMemo, useState, type ReactNode } from "react";

import { cx } from "../cx";
import { BlockReader } from "./blocks";
import { COMPONENTS } from "./components";
import { elementsOf, hasHtml, htmlParserIsLoaded, loadHtmlParser } from "./render";

export interface MarkdownProps {
    text: string;
    /** Whether more text comes: the last block is then still changing. */
    streaming?: boolean;
    /** In place of a link. Undefined keeps the link. */
    renderLink?: (href: string, children: ReactNode) => ReactNode | undefined;
    /** What opens a link; without it what the window has for all. */
    onLink?: (url: string) => void;
    /** `answer`: serif and a reading measure. */
    voice?: "ui" | "answer";
    /** Before every id of the text; its own by default. With it `outline` gives the same ids. */
    idPrefix?: string;
    className?: string;
}

interface Surroundings {
    renderLink?: MarkdownProps["renderLink"];
    onLink?: MarkdownProps["onLink"];
    idPrefix: string;
}

const SurroundingsContext = createContext<Surroundings>({ idPrefix: "" });

/** Whether the block that a component stands in is finished. */
const FinishedContext = createContext(true);

export function useSurroundings(): Surroundings {
    return useContext(SurroundingsContext);
}

export function useFinished(): boolean {
    return useContext(FinishedContext);
}

export function Markdown({
    text,
    streaming = false,
    renderLink,
    onLink,
    voice = "ui",
    idPrefix,
    className,
}: MarkdownProps) {
    const own = useId().replace(/\W/g, "");
    const prefix = idPrefix ?? `md-${own}-`;
    const [reader] = useState(() => new BlockReader());
    const blocks = useMemo(() => reader.read(text), [reader, text]);
    const surroundings = useMemo(() => ({ renderLink, onLink, idPrefix: prefix }), [renderLink, onLink, prefix]);
    return (
        <SurroundingsContext value={surroundings}>
            <div className={cx("prose", voice === "answer" && "prose-answer", className)}>
                {blocks.map((source, index) => (
                    <AsWritten key={index} source={source}>
                        <Block source={source} idPrefix={prefix} finished={!streaming || index < blocks.length - 1} />
                    </AsWritten>
                ))}
            </div>
        </SurroundingsContext>
    );
}

const Block = memo(function Block({
    source,
    idPrefix,
    finished,
}: {
    source: string;
    idPrefix: string;
    finished: boolean;
}) {
    const html = useMemo(() => hasHtml(source), [source]);
    const [parser, setParser] = useState(htmlParserIsLoaded);
    const waits = html && !parser;
    useEffect(() => {
        if (!waits) return;
        let gone = false;
        // Words without their HTML are a fine answer where the parser can't be loaded.
        loadHtmlParser().then(
            () => !gone && setParser(true),
            () => {},
        );
        return () => {
            gone = true;
        };
    }, [waits]);
    // Only what has HTML is drawn anew when the parser arrives.
    const reads = html && parser;
    const elements = useMemo(
        () => elementsOf(source, idPrefix, COMPONENTS, { html: reads }),
        [source, idPrefix, reads],
    );
    return <FinishedContext value={finished}>{elements}</FinishedContext>;
});

/**
 * Around a block: what can't be drawn is shown as it was written. A parser's fault over a hostile text must cost that
 * text its looks and not the page. Text that streams is tried again when more of it has come.
 */
class AsWritten extends Component<{ source: string; children: ReactNode }, { failed: string | undefined }> {
    override state = { failed: undefined };

    static getDerivedStateFromProps(
        { source }: { source: string },
        { failed }: { failed: string | undefined },
    ): { failed: string | undefined } | null {
        return failed === undefined || failed === source ? null : { failed: undefined };
    }

    override componentDidCatch(): void {
        this.setState({ failed: this.props.source });
    }

    override render(): ReactNode {
        return this.state.failed === undefined ? (
            this.props.children
        ) : (
            <pre tabIndex={0} className="whitespace-pre-wrap">
                {this.props.source}
            </pre>
        );
    }
}
