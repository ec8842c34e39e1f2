// What changed between two texts, line by line or word by word. Pure.

export interface DiffLine {
    kind: "same" | "added" | "removed";
    text: string;
    /** Its number before and after, from 1. */
    before?: number;
    after?: number;
}

export type DiffPiece = DiffLine | { kind: "gap"; lines: number };

/** Beyond this many edits the middle is shown as replaced: looking further would be felt. */
const MAX_EDITS = 600;

function linesOf(text: string): string[] {
    if (text === "") return [];
    const lines = text.split(/\r?\n/);
    // The last line's end is no line of its own.
    if (lines[lines.length - 1] === "") lines.pop();
    return lines;
}

export function diffLines(before: string, after: string): DiffLine[] {
    const [a, b] = [linesOf(before), linesOf(after)];
    let [i, j] = [0, 0];
    return script(a, b).map((kind) => {
        if (kind !== "added") i += 1;
        if (kind !== "removed") j += 1;
        if (kind === "added") return { kind, text: b[j - 1] ?? "", after: j };
        return { kind, text: a[i - 1] ?? "", before: i, ...(kind === "same" ? { after: j } : {}) };
    });
}

export interface DiffPart {
    kind: DiffLine["kind"];
    text: string;
}

/** What changed between two texts, word by word; the spaces between words are words, too. */
export function diffWords(before: string, after: string): DiffPart[] {
    const words = (text: string) => text.match(/\s+|[^\s]+/g) ?? [];
    const [a, b] = [words(before), words(after)];
    const parts: DiffPart[] = [];
    let [i, j] = [0, 0];
    for (const kind of script(a, b)) {
        const text = (kind === "added" ? b[j] : a[i]) ?? "";
        if (kind !== "added") i += 1;
        if (kind !== "removed") j += 1;
        const last = parts[parts.length - 1];
        if (last?.kind === kind) last.text += text;
        else parts.push({ kind, text });
    }
    return parts;
}

/** The shortest edit script of Myers (1986), after what both ends share. */
function script(a: readonly string[], b: readonly string[]): DiffLine["kind"][] {
    let head = 0;
    while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
    let tail = 0;
    while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail])
        tail += 1;
    const same = (count: number) => Array<"same">(count).fill("same");
    return [...same(head), ...edits(a.slice(head, a.length - tail), b.slice(head, b.length - tail)), ...same(tail)];
}

function edits(a: readonly string[], b: readonly string[]): DiffLine["kind"][] {
    const replaced = () => [...a.map(() => "removed" as const), ...b.map(() => "added" as const)];
    if (a.length === 0 || b.length === 0) return replaced();
    const most = Math.min(a.length + b.length, MAX_EDITS);
    const middle = most;
    const reach = new Int32Array(2 * most + 1);
    const trace: Int32Array[] = [];
    for (let edit = 0; edit <= most; edit += 1) {
        trace.push(reach.slice());
        for (let k = -edit; k <= edit; k += 2) {
            const down = k === -edit || (k !== edit && (reach[middle + k - 1] ?? 0) < (reach[middle + k + 1] ?? 0));
            let x = down ? (reach[middle + k + 1] ?? 0) : (reach[middle + k - 1] ?? 0) + 1;
            while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
            reach[middle + k] = x;
            if (x >= a.length && x - k >= b.length) return walk(trace, edit, a.length, b.length, middle);
        }
    }
    return replaced();
}

function walk(
    trace: readonly Int32Array[],
    last: number,
    width: number,
    height: number,
    middle: number,
): DiffLine["kind"][] {
    const found: DiffLine["kind"][] = [];
    let [x, y] = [width, height];
    for (let edit = last; edit >= 0; edit -= 1) {
        const reach = trace[edit] ?? new Int32Array(0);
        const k = x - y;
        const down = k === -edit || (k !== edit && (reach[middle + k - 1] ?? 0) < (reach[middle + k + 1] ?? 0));
        const from = edit === 0 ? 0 : (reach[middle + (down ? k + 1 : k - 1)] ?? 0);
        const fromY = edit === 0 ? 0 : from - (down ? k + 1 : k - 1);
        while (x > from && y > fromY) {
            found.push("same");
            x -= 1;
            y -= 1;
        }
        if (edit > 0) found.push(down ? "added" : "removed");
        [x, y] = [from, fromY];
    }
    return found.reverse();
}

/** The changes with so many lines around them; what lies between is a gap. */
export function withContext(lines: readonly DiffLine[], around = 3): DiffPiece[] {
    const near = new Uint8Array(lines.length);
    lines.forEach((line, index) => {
        if (line.kind !== "same") near.fill(1, Math.max(0, index - around), index + around + 1);
    });
    const found: DiffPiece[] = [];
    for (let index = 0; index < lines.length; index += 1) {
        const line = lines[index];
        const last = found[found.length - 1];
        if (line === undefined) continue;
        if (near[index] === 1) found.push(line);
        else if (last?.kind === "gap") last.lines += 1;
        else found.push({ kind: "gap", lines: 1 });
    }
    return found;
}

/** A unified diff as it is written in a fence; lines that belong to no hunk become gaps. */
export function parseUnified(text: string): { files: string[]; pieces: DiffPiece[] } {
    const files: string[] = [];
    const pieces: DiffPiece[] = [];
    let [before, after] = [1, 1];
    for (const line of linesOf(text)) {
        const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line);
        if (hunk !== null) {
            [before, after] = [Number(hunk[1]), Number(hunk[2])];
            if (pieces.length > 0) pieces.push({ kind: "gap", lines: 0 });
        } else if (/^(\+\+\+|---) /.test(line)) {
            const name = line
                .slice(4)
                .replace(/^[ab]\//, "")
                .replace(/\t.*$/, "");
            if (name !== "/dev/null" && !files.includes(name)) files.push(name);
        } else if (/^(diff |index |new file|deleted file|similarity |rename |\\ No newline)/.test(line)) continue;
        else if (line.startsWith("+")) pieces.push({ kind: "added", text: line.slice(1), after: after++ });
        else if (line.startsWith("-")) pieces.push({ kind: "removed", text: line.slice(1), before: before++ });
        else pieces.push({ kind: "same", text: line.replace(/^ /, ""), before: before++, after: after++ });
    }
    return { files, pieces };
}
