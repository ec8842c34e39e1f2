// A change of a text: unified or side by side, with its syntax in colours, as much of it as is looked at.

import { Columns2, Rows2 } from "lucide-react";
import { useMemo, useState } from "react";

import { Button, IconButton } from "./Button";
import { Coloured } from "./CodeBlock";
import { cx } from "./cx";
import { diffLines, diffWords, withContext, type DiffLine, type DiffPiece } from "./diff";
import { useRemembered } from "./hooks";
import { writtenOut } from "./unseen";

const LANGUAGES: { readonly [ending: string]: string } = {
    rs: "rust",
    ts: "typescript",
    tsx: "typescript",
    js: "javascript",
    jsx: "javascript",
    mjs: "javascript",
    cjs: "javascript",
    py: "python",
    go: "go",
    java: "java",
    json: "json",
    yaml: "yaml",
    yml: "yaml",
    toml: "ini",
    ini: "ini",
    sh: "bash",
    bash: "bash",
    css: "css",
    html: "xml",
    xml: "xml",
    svg: "xml",
    sql: "sql",
    md: "markdown",
};

/** The language of a file by its name, as the highlighter calls it. */
export function languageOf(path: string): string | undefined {
    const ending = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
    // A file may end in `.constructor`, which every object has.
    return Object.hasOwn(LANGUAGES, ending) ? LANGUAGES[ending] : undefined;
}

/** Lines that are drawn before somebody asks for more. */
const FIRST = 60;
const MORE = 600;

export interface DiffViewProps {
    /** Named above it, and where its language is known from. */
    path: string;
    /** The texts; null: it did not exist, or is gone. */
    before?: string | null;
    after?: string | null;
    /** In place of the texts: what changed, where that is all that is known. */
    pieces?: readonly DiffPiece[];
    /** A Tailwind height; without it some screens' worth. */
    height?: string;
    className?: string;
}

export function DiffView({ path, before = null, after = null, pieces, height = "max-h-96", className }: DiffViewProps) {
    const [split, setSplit] = useRemembered("diff.split", false);
    const [most, setMost] = useState(FIRST);
    const lines = useMemo(
        () => shownPieces(pieces ?? withContext(diffLines(before ?? "", after ?? ""))),
        [pieces, before, after],
    );
    const added = lines.filter((line) => line.kind === "added").length;
    const removed = lines.filter((line) => line.kind === "removed").length;
    const ends = pieces === undefined && added + removed === 0 && (before ?? "") !== (after ?? "");
    const shown = lines.slice(0, most);
    const language = languageOf(path);
    const word =
        pieces === undefined && before === null
            ? "new file"
            : pieces === undefined && after === null
              ? "deleted"
              : undefined;
    return (
        <figure
            className={cx("min-w-0 overflow-hidden rounded-control border border-hairline bg-surface", className)}
            aria-label={`Change of ${path === "" ? "a file" : path}`}
        >
            <figcaption className="flex min-h-8 items-center gap-2 border-b border-hairline bg-sunken py-0.5 pr-1 pl-3 text-small">
                <span className="min-w-0 flex-1 truncate font-mono text-code" title={writtenOut(path)}>
                    {path === "" ? "Change" : writtenOut(path)}
                </span>
                {word !== undefined && <span className="shrink-0 text-ink-3">{word}</span>}
                <span className="tabular shrink-0 text-done">+{added}</span>
                <span className="tabular shrink-0 text-failed">−{removed}</span>
                <IconButton
                    size="small"
                    label={split ? "Unified view" : "Side by side"}
                    icon={split ? <Rows2 size={14} strokeWidth={1.5} /> : <Columns2 size={14} strokeWidth={1.5} />}
                    onClick={() => setSplit(!split)}
                />
            </figcaption>
            {/* It scrolls, so the keyboard has to reach it. */}
            <div
                tabIndex={0}
                role="group"
                aria-label="Changed lines"
                className={cx("ring-inside overflow-auto font-mono text-code", height)}
            >
                {(lines.length === 0 || ends) && (
                    <p className="px-3 py-2 font-ui text-small text-ink-3">
                        {ends ? "Only the ends of lines differ." : "No differences."}
                    </p>
                )}
                {split ? <Split pieces={shown} language={language} /> : <Unified pieces={shown} language={language} />}
                {lines.length > most && (
                    <div className="sticky left-0 p-1">
                        <Button size="small" variant="quiet" onClick={() => setMost(most + MORE)}>
                            Show {Math.min(MORE, lines.length - most)} more of {lines.length} lines
                        </Button>
                    </div>
                )}
            </div>
        </figure>
    );
}

/** Pieces as they are shown. What is compared are the texts themselves, so that what nobody sees is a difference, too. */
function shownPieces(pieces: readonly DiffPiece[]): readonly DiffPiece[] {
    return pieces.map((piece) => (piece.kind === "gap" ? piece : { ...piece, text: writtenOut(piece.text) }));
}

const TONES = { same: "", added: "bg-done-soft", removed: "bg-failed-soft" };
const SIGNS = { same: "", added: "+", removed: "−" };
const WORDS = { same: "", added: "Added: ", removed: "Removed: " };

function Gap({ lines }: { lines: number }) {
    return (
        <div className="border-y border-hairline bg-sunken px-3 py-0.5 font-ui text-small text-ink-3">
            {lines === 0 ? "…" : `${lines} unchanged ${lines === 1 ? "line" : "lines"}`}
        </div>
    );
}

const NUMBER = "w-9 shrink-0 pr-2 text-right text-ink-3 select-none tabular";

/** The line that stands in another's place: what changed between the two is marked. */
type Counterparts = ReadonlyMap<DiffLine, DiffLine>;

/** Lines that have less than this in common are two lines, not one that changed. */
const COMMON = 0.3;

/** Lines that took each other's place. */
export function counterparts(pieces: readonly DiffPiece[]): Counterparts {
    const found = new Map<DiffLine, DiffLine>();
    for (const row of sideBySide(pieces)) {
        if ("gap" in row || row.left === undefined || row.right === undefined || row.left === row.right) continue;
        found.set(row.left, row.right);
        found.set(row.right, row.left);
    }
    return found;
}

/** A changed line in parts, those marked that its counterpart has not; undefined where they have too little in common. */
export function changedParts(line: DiffLine, other: DiffLine): { text: string; changed: boolean }[] | undefined {
    const parts = diffWords(
        line.kind === "removed" ? line.text : other.text,
        line.kind === "removed" ? other.text : line.text,
    );
    const length = (kind: DiffLine["kind"]) =>
        parts.reduce((sum, part) => sum + (part.kind === kind ? part.text.trim().length : 0), 0);
    const same = length("same");
    if (same === 0 || same / (same + Math.max(length("added"), length("removed"))) < COMMON) return undefined;
    return parts
        .filter((part) => part.kind === "same" || part.kind === line.kind)
        .map((part) => ({ text: part.text, changed: part.kind !== "same" }));
}

function Words({ line, other, language }: { line: DiffLine; other: DiffLine | undefined; language?: string }) {
    const parts = useMemo(() => (other === undefined ? undefined : changedParts(line, other)), [line, other]);
    if (parts === undefined) return <Coloured code={line.text} language={language} />;
    return parts.map(({ text, changed }, index) =>
        changed ? (
            <mark
                key={index}
                className={cx(
                    "rounded-[3px] text-ink",
                    line.kind === "removed" ? "bg-failed/25 line-through decoration-failed/60" : "bg-done/25",
                )}
            >
                {text}
            </mark>
        ) : (
            <span key={index}>{text}</span>
        ),
    );
}

function Text({
    line,
    other,
    language,
}: {
    line: DiffLine;
    other: DiffLine | undefined;
    language: string | undefined;
}) {
    return (
        <>
            <span
                aria-hidden
                className={cx(
                    "w-4 shrink-0 text-center select-none",
                    line.kind === "added" ? "text-done" : "text-failed",
                )}
            >
                {SIGNS[line.kind]}
            </span>
            {line.kind !== "same" && <span className="sr-only">{WORDS[line.kind]}</span>}
            <span className="min-w-0 flex-1 pr-3 [overflow-wrap:anywhere] whitespace-pre-wrap">
                {line.text.length > LONG_LINE ? (
                    <LongLine text={line.text} />
                ) : (
                    <Words line={line} other={other} language={language} />
                )}
            </span>
        </>
    );
}

/** Characters of a line that are drawn before somebody asks for more. */
const LONG_LINE = 2_000;

function LongLine({ text }: { text: string }) {
    const [all, setAll] = useState(false);
    if (all) return text;
    return (
        <>
            {text.slice(0, LONG_LINE)}
            <Button size="small" variant="quiet" onClick={() => setAll(true)}>
                {`${(text.length - LONG_LINE).toLocaleString("en-GB")} more characters`}
            </Button>
        </>
    );
}

function Unified({ pieces, language }: { pieces: readonly DiffPiece[]; language: string | undefined }) {
    const others = useMemo(() => counterparts(pieces), [pieces]);
    return (
        <div>
            {pieces.map((piece, index) =>
                piece.kind === "gap" ? (
                    <Gap key={index} lines={piece.lines} />
                ) : (
                    <div key={index} className={cx("flex", TONES[piece.kind])}>
                        <span className={NUMBER}>{piece.before ?? ""}</span>
                        <span className={NUMBER}>{piece.after ?? ""}</span>
                        <Text line={piece} other={others.get(piece)} language={language} />
                    </div>
                ),
            )}
        </div>
    );
}

/** Removed and added lines that follow each other stand beside each other. */
export function sideBySide(pieces: readonly DiffPiece[]): ({ left?: DiffLine; right?: DiffLine } | { gap: number })[] {
    const rows: ({ left?: DiffLine; right?: DiffLine } | { gap: number })[] = [];
    let removed: DiffLine[] = [];
    let added: DiffLine[] = [];
    const flush = () => {
        for (let index = 0; index < Math.max(removed.length, added.length); index += 1)
            rows.push({ left: removed[index], right: added[index] });
        removed = [];
        added = [];
    };
    for (const piece of pieces) {
        if (piece.kind === "removed") removed.push(piece);
        else if (piece.kind === "added") added.push(piece);
        else {
            flush();
            rows.push(piece.kind === "gap" ? { gap: piece.lines } : { left: piece, right: piece });
        }
    }
    flush();
    return rows;
}

function Split({ pieces, language }: { pieces: readonly DiffPiece[]; language: string | undefined }) {
    const others = useMemo(() => counterparts(pieces), [pieces]);
    const side = (line: DiffLine | undefined, number: number | undefined) =>
        line === undefined ? (
            <div className="flex-1 basis-0 bg-sunken" />
        ) : (
            <div className={cx("flex min-w-0 flex-1 basis-0", TONES[line.kind])}>
                <span className={NUMBER}>{number ?? ""}</span>
                <Text line={line} other={others.get(line)} language={language} />
            </div>
        );
    return (
        <div className="min-w-[36rem]">
            {sideBySide(pieces).map((row, index) =>
                "gap" in row ? (
                    <Gap key={index} lines={row.gap} />
                ) : (
                    <div key={index} className="flex">
                        {side(row.left, row.left?.before)}
                        <span aria-hidden className="w-px shrink-0 bg-hairline" />
                        {side(row.right, row.right?.after)}
                    </div>
                ),
            )}
        </div>
    );
}
