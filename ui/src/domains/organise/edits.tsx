// What the editors of statuses, labels and views share.

import { GripVertical } from "lucide-react";
import { useState, type KeyboardEvent, type ReactNode } from "react";

import { send, toProblem, type LabelEdit, type Organisation, type StatusEdit, type ViewEdit } from "@/backend";
import { Badge, Button, cx, toast, type Reorder, problemText } from "@/shared";

interface Edits {
    status_edit: StatusEdit;
    label_edit: LabelEdit;
    view_edit: ViewEdit;
}

const wordsOf = (thrown: unknown) => {
    const problem = toProblem(thrown);
    return problemText(problem);
};

/** Carries a change out; what goes wrong is told as news. */
export async function change<N extends keyof Edits>(name: N, edit: Edits[N]): Promise<Organisation | undefined> {
    try {
        return await send(name, edit as never);
    } catch (thrown) {
        toast({ text: `Not changed: ${wordsOf(thrown)}`, tone: "failed" });
        return undefined;
    }
}

export interface Saving<N extends keyof Edits> {
    /** Gives what the core has now; undefined when it refused. */
    save: (edit: Edits[N]) => Promise<Organisation | undefined>;
    pending: boolean;
    /** Why it was refused. */
    wrong: string | undefined;
}

/** The same for a form, which shows what goes wrong itself. */
export function useSaving<N extends keyof Edits>(name: N): Saving<N> {
    const [pending, setPending] = useState(false);
    const [wrong, setWrong] = useState<string | undefined>();
    const save = async (edit: Edits[N]) => {
        setPending(true);
        setWrong(undefined);
        try {
            return (await send(name, edit as never)) as Organisation;
        } catch (thrown) {
            setWrong(wordsOf(thrown));
            return undefined;
        } finally {
            setPending(false);
        }
    };
    return { save, pending, wrong };
}

export interface EditRowProps {
    id: string;
    icon: ReactNode;
    name: string;
    /** Beside the name: badges. */
    marks?: ReactNode;
    line?: ReactNode;
    end?: ReactNode;
    depth?: number;
    open: boolean;
    onOpen: (open: boolean) => void;
    order: Reorder;
    /** Further keys on the row. */
    onKeyDown?: (event: KeyboardEvent) => void;
    children: ReactNode;
}

/** A row that unfolds into its form. It is dragged by its whole line, and moved by Alt with an arrow. */
export function EditRow({
    id,
    icon,
    name,
    marks,
    line,
    end,
    depth = 0,
    open,
    onOpen,
    order,
    onKeyDown,
    children,
}: EditRowProps) {
    const moving = order.of(id);
    const mark = order.markOf(id);
    return (
        <li className="relative border-b border-hairline last:border-b-0">
            <button
                type="button"
                aria-expanded={open}
                aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
                data-edit={id}
                {...moving}
                onKeyDown={(event) => {
                    moving.onKeyDown(event);
                    if (!event.defaultPrevented) onKeyDown?.(event);
                }}
                onClick={() => onOpen(!open)}
                style={{ paddingLeft: `${0.25 + depth * 1.25}rem` }}
                className={cx(
                    "ring-inside group/edit flex min-h-9 w-full items-center gap-2 rounded-control py-1 pr-2 text-left text-ui",
                    open ? "bg-hover" : "hover:bg-hover",
                )}
            >
                <GripVertical
                    size={14}
                    strokeWidth={1.5}
                    aria-hidden
                    className="shrink-0 cursor-grab text-ink-faint group-hover/edit:text-ink-3"
                />
                {icon}
                <span className="min-w-0 flex-1">
                    <span className="flex flex-wrap items-center gap-x-2">
                        <span className="truncate">{name}</span>
                        {marks}
                    </span>
                    {line !== undefined && <span className="block truncate text-small text-ink-3">{line}</span>}
                </span>
                {end !== undefined && <span className="tabular shrink-0 text-small text-ink-3">{end}</span>}
            </button>
            {open && <div className="px-3 pt-2 pb-4">{children}</div>}
            {mark !== undefined && (
                <span
                    aria-hidden
                    className={cx(
                        "pointer-events-none absolute inset-x-0 h-0.5 rounded-full bg-accent",
                        mark === "before" ? "-top-px" : "-bottom-px",
                    )}
                />
            )}
        </li>
    );
}

export interface FormProps {
    /** What the button says: "Save" or "Add". */
    word: string;
    ready: boolean;
    pending: boolean;
    wrong: string | undefined;
    onSave: () => void;
    onCancel: () => void;
    /** Before the buttons: what else can be done. */
    extra?: ReactNode;
    children: ReactNode;
}

export function Form({ word, ready, pending, wrong, onSave, onCancel, extra, children }: FormProps) {
    return (
        <form
            className="flex flex-col gap-4"
            onSubmit={(event) => {
                event.preventDefault();
                if (ready && !pending) onSave();
            }}
            onKeyDown={(event) => {
                if (event.key !== "Escape" || event.defaultPrevented) return;
                event.preventDefault();
                onCancel();
            }}
        >
            {children}
            {wrong !== undefined && (
                <p role="alert" className="text-small text-failed">
                    {wrong}
                </p>
            )}
            <div className="flex flex-wrap items-center gap-2">
                <Button type="submit" variant="primary" disabled={!ready || pending}>
                    {word}
                </Button>
                <Button variant="quiet" onClick={onCancel}>
                    Cancel
                </Button>
                <span className="flex-1" />
                {extra}
            </div>
        </form>
    );
}

/** How many sessions something has. */
export function sessionsWord(count: number): string {
    return `${count} ${count === 1 ? "session" : "sessions"}`;
}

export function Faulty({ count }: { count: number }) {
    return <Badge tone="needs">{count === 1 ? "1 mistake" : `${count} mistakes`}</Badge>;
}
