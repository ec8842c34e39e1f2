// Short news at the upper right, where nobody writes, with a way back where there is one.

import { X } from "lucide-react";
import { useEffect, useState, useSyncExternalStore } from "react";

import { Button, IconButton } from "./Button";
import { cx } from "./cx";
import { InlineCode } from "./InlineCode";
import { problemText, type ProblemWords } from "./problem";

export interface Toast {
    text: string;
    tone?: "plain" | "failed";
    /** The way back: "Undo" beside the words. */
    onUndo?: () => void;
    /** Another thing to do. */
    action?: { label: string; onSelect: () => void };
    /** How long it stays; failures stay until they are closed. */
    ms?: number;
}

interface Shown extends Toast {
    id: number;
}

let shown: Shown[] = [];
let count = 0;
const listeners = new Set<() => void>();

function publish(next: Shown[]): void {
    shown = next;
    listeners.forEach((listener) => listener());
}

/** Shows it; gives the way to take it away. Needs one `Toasts` in the window. */
export function toast(news: Toast): () => void {
    count += 1;
    const id = count;
    // Four at once are more than anybody reads.
    publish([...shown, { ...news, id }].slice(-4));
    return () => publish(shown.filter((each) => each.id !== id));
}

/** Says what went wrong and what to do. `what`: what did not happen; `again`: tries it once more, offered where that may help. */
export function toastProblem(problem: ProblemWords, what?: string, again?: () => void): () => void {
    const action =
        again === undefined || problem.retryable !== true ? {} : { action: { label: "Try again", onSelect: again } };
    return toast({ text: problemText(problem, what), tone: "failed", ...action });
}

/** Takes all away. */
export function clearToasts(): void {
    publish([]);
}

function subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
}

export function Toasts() {
    const all = useSyncExternalStore(subscribe, () => shown);
    return (
        <div
            role="region"
            aria-label="Notifications"
            className="pointer-events-none fixed top-14 right-0 z-50 flex max-w-full flex-col items-end gap-2 px-4"
        >
            <div role="status" aria-live="polite" className="contents">
                {all.map((each) => (
                    <Item key={each.id} item={each} />
                ))}
            </div>
        </div>
    );
}

function Item({ item }: { item: Shown }) {
    const [held, setHeld] = useState(false);
    const close = () => publish(shown.filter((each) => each.id !== item.id));
    const stays = item.ms ?? (item.tone === "failed" ? undefined : item.onUndo === undefined ? 4_000 : 8_000);
    useEffect(() => {
        if (stays === undefined || held) return;
        const timer = setTimeout(() => publish(shown.filter((each) => each.id !== item.id)), stays);
        return () => clearTimeout(timer);
    }, [stays, held, item.id]);
    const act = (what: () => void) => () => {
        close();
        what();
    };
    return (
        <div
            onPointerEnter={() => setHeld(true)}
            onPointerLeave={() => setHeld(false)}
            onFocus={() => setHeld(true)}
            onBlur={() => setHeld(false)}
            className={cx(
                "float-in pointer-events-auto flex min-h-9 max-w-lg items-center gap-2 rounded-card border bg-raised py-1 pr-1.5 pl-3 text-ui text-ink shadow-float",
                item.tone === "failed" ? "border-l-2 border-hairline border-l-failed" : "border-hairline",
            )}
        >
            <span className="min-w-0 flex-1 break-words">
                {item.tone === "failed" ? <InlineCode text={item.text} /> : item.text}
            </span>
            {item.onUndo !== undefined && (
                <Button size="small" variant="quiet" className="text-accent" onClick={act(item.onUndo)}>
                    Undo
                </Button>
            )}
            {item.action !== undefined && (
                <Button size="small" variant="quiet" className="text-accent" onClick={act(item.action.onSelect)}>
                    {item.action.label}
                </Button>
            )}
            <IconButton size="small" label="Close" icon={<X size={14} strokeWidth={1.5} />} onClick={close} />
        </div>
    );
}
