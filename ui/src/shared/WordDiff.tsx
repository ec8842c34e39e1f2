import { cx } from "./cx";

export interface DiffPart {
    kind: "same" | "added" | "removed";
    text: string;
}

/** Beyond this many words on a side the whole is shown as replaced: the table grows with the product. */
const MAX_WORDS = 400;

/** What changed between two texts, word by word: their longest common sequence stays. */
export function diffWords(before: string, after: string): DiffPart[] {
    const words = (text: string) => text.match(/\s+|[^\s]+/g) ?? [];
    const [a, b] = [words(before), words(after)];
    const parts: DiffPart[] = [];
    const add = (kind: DiffPart["kind"], text: string) => {
        const last = parts[parts.length - 1];
        if (last?.kind === kind) last.text += text;
        else if (text !== "") parts.push({ kind, text });
    };
    if (a.length > MAX_WORDS || b.length > MAX_WORDS) {
        if (before === after) add("same", before);
        else {
            add("removed", before);
            add("added", after);
        }
        return parts;
    }
    const width = b.length + 1;
    const common = new Uint16Array((a.length + 1) * width);
    for (let i = a.length - 1; i >= 0; i -= 1) {
        for (let j = b.length - 1; j >= 0; j -= 1) {
            const at = i * width + j;
            common[at] =
                a[i] === b[j]
                    ? (common[at + width + 1] ?? 0) + 1
                    : Math.max(common[at + width] ?? 0, common[at + 1] ?? 0);
        }
    }
    let [i, j] = [0, 0];
    while (i < a.length || j < b.length) {
        if (i < a.length && j < b.length && a[i] === b[j]) {
            add("same", a[i] ?? "");
            i += 1;
            j += 1;
        } else if (
            j >= b.length ||
            (i < a.length && (common[(i + 1) * width + j] ?? 0) >= (common[i * width + j + 1] ?? 0))
        ) {
            add("removed", a[i] ?? "");
            i += 1;
        } else {
            add("added", b[j] ?? "");
            j += 1;
        }
    }
    return parts;
}

export function WordDiff({ before, after, className }: { before: string; after: string; className?: string }) {
    return (
        <span className={cx("whitespace-pre-wrap", className)}>
            {diffWords(before, after).map((part, index) =>
                part.kind === "same" ? (
                    <span key={index}>{part.text}</span>
                ) : part.kind === "added" ? (
                    <ins key={index} className="rounded-[3px] bg-done-soft text-done no-underline">
                        {part.text}
                    </ins>
                ) : (
                    <del key={index} className="rounded-[3px] bg-failed-soft text-failed">
                        {part.text}
                    </del>
                ),
            )}
        </span>
    );
}
