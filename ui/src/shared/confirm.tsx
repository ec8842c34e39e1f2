// A question that must be answered before something that can't be undone.

import { AlertDialog } from "radix-ui";
import { useSyncExternalStore, type ReactNode } from "react";

import { Button } from "./Button";
import { Backdrop } from "./Dialog";

export interface Question {
    title: string;
    /** What will happen, and what is kept. */
    body?: ReactNode;
    /** The verb on the button. */
    confirmLabel: string;
    cancelLabel?: string;
    danger?: boolean;
}

interface Open extends Question {
    id: number;
    answer: (yes: boolean) => void;
}

let queue: Open[] = [];
let count = 0;
const listeners = new Set<() => void>();
const tell = () => listeners.forEach((listener) => listener());

/** Asks, and waits for the answer. Needs one `ConfirmHost` in the window. */
export function confirm(question: Question): Promise<boolean> {
    return new Promise((resolve) => {
        count += 1;
        const id = count;
        const answer = (yes: boolean) => {
            queue = queue.filter((open) => open.id !== id);
            tell();
            resolve(yes);
        };
        queue = [...queue, { ...question, id, answer }];
        tell();
    });
}

/** Answers every open question with no. */
export function dropQuestions(): void {
    for (const open of queue) open.answer(false);
}

function subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
}

export function ConfirmHost() {
    const [open] = useSyncExternalStore(subscribe, () => queue);
    if (open === undefined) return null;
    return (
        <AlertDialog.Root key={open.id} open onOpenChange={(stays) => !stays && open.answer(false)}>
            <AlertDialog.Portal>
                <Backdrop />
                <div className="pointer-events-none fixed inset-0 z-50 flex items-start justify-center p-6 pt-[18vh]">
                    <AlertDialog.Content
                        aria-modal
                        {...(open.body === undefined ? { "aria-describedby": undefined } : {})}
                        className="float-in pointer-events-auto w-full max-w-md rounded-card border border-hairline bg-raised p-5 shadow-float outline-none"
                    >
                        <AlertDialog.Title className="text-title font-semibold">{open.title}</AlertDialog.Title>
                        {open.body !== undefined && (
                            // A body may have lists, which no paragraph holds.
                            <AlertDialog.Description asChild>
                                <div className="mt-2 text-ui text-ink-2">{open.body}</div>
                            </AlertDialog.Description>
                        )}
                        <footer className="mt-5 flex justify-end gap-2">
                            <AlertDialog.Cancel asChild>
                                <Button>{open.cancelLabel ?? "Cancel"}</Button>
                            </AlertDialog.Cancel>
                            <Button variant={open.danger ? "danger" : "primary"} onClick={() => open.answer(true)}>
                                {open.confirmLabel}
                            </Button>
                        </footer>
                    </AlertDialog.Content>
                </div>
            </AlertDialog.Portal>
        </AlertDialog.Root>
    );
}
