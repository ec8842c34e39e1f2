// A list of the stage's output, edited where it stands: reworded, lengthened, cut, put in another order by hand or by keys.

import { ArrowDown, ArrowUp, GripVertical, Plus, Trash2, Undo2 } from "lucide-react";
import { useEffect, useRef, useState, type DragEvent, type KeyboardEvent } from "react";

import type { FormColumn, FormList } from "@/backend";
import { Button, IconButton, Select, TextArea, TextField, cx, own, toast } from "@/shared";

import { defaultsOf, type Act, type Item } from "./reply";
import { singular, titleOf } from "./labels";

const icon = { size: 14, strokeWidth: 1.5 } as const;
/** Characters that a narrow column shows. */
const LONG = 20;
/** Rows that are shown at once: a field of several lines measures itself, and a thousand of them are slow. */
const PAGE = 100;

export interface ListEditorProps {
    list: FormList;
    title: string;
    items: readonly Item[];
    original: readonly Item[];
    changed: boolean;
    /** By place, see `faultsOf`. */
    faults: { readonly [place: string]: string };
    disabled: boolean;
    act: (action: Act) => void;
}

export function ListEditor({ list, title, items, original, changed, faults, disabled, act }: ListEditorProps) {
    const [dragged, setDragged] = useState<string | undefined>();
    /** Where what is dragged would go. */
    const [target, setTarget] = useState<number | undefined>();
    const [said, setSaid] = useState("");
    const [chosenPage, setPage] = useState(0);
    /** What gets the focus once it is drawn: a part of an item's row, without an id of the last one. */
    const [wanted, setWanted] = useState<{ id?: string; part: string; column?: string } | undefined>();
    const frame = useRef<HTMLDivElement>(null);
    const [main, ...others] = ordered(list.columns);
    // Columns of long texts get more room, and lines.
    const isLong = (column: FormColumn) =>
        column.kind === "text" && original.some((item) => (own(item.values, column.field) ?? "").length > LONG);
    const long = new Set(others.filter(isLong));
    const grid =
        long.size > 0
            ? "@xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)_8rem]"
            : "@xl:grid-cols-[minmax(0,1fr)_6.5rem_8rem]";
    const noun = singular(title === "" ? list.field : title);
    const pages = Math.max(1, Math.ceil(items.length / PAGE));
    const page = Math.min(chosenPage, pages - 1);
    const first = page * PAGE;
    const rows = items.map((item, index) => ({ item, index })).slice(first, first + PAGE);
    /** The first row of another page that is not right. */
    const faulty = pages > 1 ? elsewhere(list, items, faults, first) : -1;

    useEffect(() => {
        if (wanted === undefined) return;
        setWanted(undefined);
        const rows = [...(frame.current?.querySelectorAll<HTMLElement>("[data-item]") ?? [])];
        const row =
            wanted.id === undefined ? rows[rows.length - 1] : rows.find((each) => each.dataset["item"] === wanted.id);
        focusIn(row, wanted.part, wanted.column);
    }, [wanted, items, page]);

    if (main === undefined) return null;
    const turnTo = (to: number) => {
        if (to < 0 || to >= pages) return;
        setPage(to);
        setSaid(`${titleOf(list.field)} ${to * PAGE + 1} to ${Math.min((to + 1) * PAGE, items.length)} shown.`);
    };
    const move = (id: string, to: number, part: string) => {
        if (to < 0 || to >= items.length) return;
        act({ do: "move", list: list.field, id, to });
        setSaid(`${noun} moved to position ${to + 1} of ${items.length}.`);
        setPage(Math.floor(to / PAGE));
        setWanted({ id, part });
    };
    const remove = (item: Item, index: number) => {
        act({ do: "remove", list: list.field, id: item.id });
        setSaid(`${noun} removed.`);
        toast({ text: `${noun} removed.`, onUndo: () => act({ do: "insert", list: list.field, item, at: index }) });
        const next = items[index + 1] ?? items[index - 1];
        if (next !== undefined) setWanted({ id: next.id, part: "[data-part=remove]" });
    };
    const drop = (event: DragEvent) => {
        event.preventDefault();
        const from = items.findIndex((item) => item.id === dragged);
        if (dragged !== undefined && target !== undefined && from >= 0) {
            // Taking it out moves what stands behind it up by one.
            move(dragged, target > from ? target - 1 : target, "[data-part=grip]");
        }
        setDragged(undefined);
        setTarget(undefined);
    };
    /** Enter goes to the same field of the next row, as in a table; Shift and Enter to the row before. */
    const onKeyDown = (event: KeyboardEvent) => {
        const field = event.target as HTMLElement;
        const row = field.closest<HTMLElement>("[data-item]");
        const column = field.closest<HTMLElement>("[data-column]")?.dataset["column"];
        if (event.key !== "Enter" || event.ctrlKey || event.metaKey || event.nativeEvent.isComposing) return;
        if (row === null || column === undefined || field.matches("button, [role=combobox]")) return;
        // In a text of several lines Shift and Enter begin a new one.
        if (event.shiftKey && field.tagName === "TEXTAREA") return;
        event.preventDefault();
        const at = items.findIndex((item) => item.id === row.dataset["item"]) + (event.shiftKey ? -1 : 1);
        const next = items[at];
        if (next === undefined) return;
        setPage(Math.floor(at / PAGE));
        setWanted({ id: next.id, part: "textarea, input", column });
    };
    return (
        <div
            ref={frame}
            onKeyDown={onKeyDown}
            className="@container [&_:is(input,textarea):not([aria-invalid=true])]:border-hairline [&_:is(input,textarea):not([aria-invalid=true]):hover]:border-hairline-strong"
        >
            <div aria-hidden className="hidden items-center gap-1 pb-1 text-small text-ink-3 @xl:flex">
                <span className="w-8 shrink-0" />
                <span className={cx("grid min-w-0 flex-1 gap-x-2 [&>span]:px-2", grid)}>
                    {[main, ...others].map((column) => (
                        <span key={column.field}>{titleOf(column.field)}</span>
                    ))}
                </span>
                <span className="w-[3.75rem] shrink-0" />
            </div>
            <ol
                aria-label={title}
                onDragOver={(event) => dragged !== undefined && event.preventDefault()}
                onDrop={drop}
            >
                {rows.map(({ item, index }) => (
                    <li
                        key={item.id}
                        data-item={item.id}
                        onDragOver={(event) => {
                            if (dragged === undefined) return;
                            const box = event.currentTarget.getBoundingClientRect();
                            setTarget(event.clientY < box.top + box.height / 2 ? index : index + 1);
                        }}
                        className={cx(
                            "relative flex items-start gap-1 border-t border-hairline py-1.5 last:border-b",
                            dragged === item.id && "opacity-50",
                            dragged !== undefined &&
                                target === index &&
                                "before:absolute before:inset-x-0 before:-top-px before:h-0.5 before:bg-accent",
                            dragged !== undefined &&
                                target === first + rows.length &&
                                index === target - 1 &&
                                "after:absolute after:inset-x-0 after:-bottom-px after:h-0.5 after:bg-accent",
                        )}
                    >
                        <button
                            type="button"
                            data-part="grip"
                            draggable={!disabled}
                            disabled={disabled}
                            aria-label={`${noun} ${index + 1}: drag, or press the arrow keys, to move it`}
                            onDragStart={(event) => {
                                event.dataTransfer.effectAllowed = "move";
                                event.dataTransfer.setData("text/plain", own(item.values, main.field) ?? "");
                                setDragged(item.id);
                            }}
                            onDragEnd={() => {
                                setDragged(undefined);
                                setTarget(undefined);
                            }}
                            onKeyDown={(event) => {
                                const step = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : 0;
                                if (step === 0) return;
                                event.preventDefault();
                                move(item.id, index + step, "[data-part=grip]");
                            }}
                            className="tabular mt-0.5 flex h-6 w-8 shrink-0 cursor-grab items-center justify-end gap-0.5 rounded-[4px] pr-1 text-small text-ink-3 hover:bg-hover hover:text-ink-2"
                        >
                            <GripVertical size={12} strokeWidth={1.5} aria-hidden className="text-ink-faint" />
                            {index + 1}
                        </button>
                        <div className={cx("grid min-w-0 flex-1 grid-cols-2 gap-x-2 gap-y-1", grid)}>
                            <Cell
                                list={list}
                                column={main}
                                item={item}
                                index={index}
                                noun={noun}
                                faults={faults}
                                disabled={disabled}
                                act={act}
                                lines="wide"
                            />
                            {others.map((column) => (
                                <Cell
                                    key={column.field}
                                    list={list}
                                    column={column}
                                    item={item}
                                    index={index}
                                    noun={noun}
                                    faults={faults}
                                    disabled={disabled}
                                    act={act}
                                    lines={long.has(column) ? "several" : "one"}
                                    suggestions={suggestions(original, column)}
                                />
                            ))}
                            {about(item) !== "" && (
                                <p className="col-span-full px-2 text-small break-words text-ink-3">{about(item)}</p>
                            )}
                        </div>
                        <div className="mt-0.5 flex shrink-0">
                            <IconButton
                                size="small"
                                className="w-5"
                                data-part="up"
                                label={`Move ${noun.toLowerCase()} ${index + 1} up`}
                                disabled={disabled || index === 0}
                                icon={<ArrowUp {...icon} />}
                                onClick={() => move(item.id, index - 1, "[data-part=up]")}
                            />
                            <IconButton
                                size="small"
                                className="w-5"
                                data-part="down"
                                label={`Move ${noun.toLowerCase()} ${index + 1} down`}
                                disabled={disabled || index === items.length - 1}
                                icon={<ArrowDown {...icon} />}
                                onClick={() => move(item.id, index + 1, "[data-part=down]")}
                            />
                            <IconButton
                                size="small"
                                className="w-5"
                                data-part="remove"
                                label={`Remove ${noun.toLowerCase()} ${index + 1}`}
                                disabled={disabled || items.length <= list.minItems}
                                icon={<Trash2 {...icon} />}
                                onClick={() => remove(item, index)}
                            />
                        </div>
                    </li>
                ))}
            </ol>
            {pages > 1 && (
                <div className="mt-1 flex items-center gap-1">
                    {/* A disabled button would lose the focus on the first and the last page. */}
                    <Button size="small" variant="quiet" aria-disabled={page === 0} onClick={() => turnTo(page - 1)}>
                        Previous
                    </Button>
                    <span className="tabular text-small text-ink-2">
                        {first + 1} to {first + rows.length} of {items.length.toLocaleString("en-GB")}
                    </span>
                    <Button
                        size="small"
                        variant="quiet"
                        aria-disabled={page === pages - 1}
                        onClick={() => turnTo(page + 1)}
                    >
                        Next
                    </Button>
                </div>
            )}
            {faulty >= 0 && (
                <p role="alert" className="mt-1 flex items-center gap-1 text-small text-failed">
                    {noun} {faulty + 1} is not complete.
                    <Button
                        size="small"
                        variant="quiet"
                        onClick={() => {
                            setPage(Math.floor(faulty / PAGE));
                            setWanted({ id: items[faulty]?.id, part: "[aria-invalid=true]" });
                        }}
                    >
                        Go there
                    </Button>
                </p>
            )}
            {own(faults, list.field) !== undefined && (
                <p role="alert" className="mt-1 text-small text-failed">
                    {own(faults, list.field)}
                </p>
            )}
            <div className="mt-1 flex items-center gap-1">
                <Button
                    size="small"
                    variant="quiet"
                    disabled={disabled || items.length >= list.maxItems}
                    icon={<Plus {...icon} />}
                    onClick={() => {
                        act({ do: "add", list: list.field, values: defaultsOf(list) });
                        setPage(Math.floor(items.length / PAGE));
                        setWanted({ part: "textarea, input" });
                    }}
                >
                    Add {noun.toLowerCase()}
                </Button>
                {changed && (
                    <Button
                        size="small"
                        variant="quiet"
                        disabled={disabled}
                        icon={<Undo2 {...icon} />}
                        onClick={() => act({ do: "reset", list: list.field, items: original })}
                    >
                        Reset to proposal
                    </Button>
                )}
                {changed && <span className="text-small text-needs">Edited</span>}
            </div>
            <p role="status" className="sr-only">
                {said}
            </p>
        </div>
    );
}

/** Focuses a part of a row, within a column if one is named. Names of columns come from an agent's schema: they are compared, not put into a selector. */
function focusIn(row: HTMLElement | undefined, part: string, column: string | undefined): void {
    const cells = [...(row?.querySelectorAll<HTMLElement>("[data-column]") ?? [])];
    const scope = column === undefined ? row : cells.find((cell) => cell.dataset["column"] === column);
    scope?.querySelector<HTMLElement>(part)?.focus();
}

/** The place of the first row with a fault that is not among the rows shown; -1 without one. */
function elsewhere(
    list: FormList,
    items: readonly Item[],
    faults: { readonly [place: string]: string },
    first: number,
): number {
    const wrong = (item: Item) =>
        list.columns.some((column) => own(faults, `${list.field}.${item.id}.${column.field}`) !== undefined);
    return items.findIndex((item, index) => (index < first || index >= first + PAGE) && wrong(item));
}

/** The text that matters most first: the first one that must be there; then what else must be there. */
function ordered(columns: readonly FormColumn[]): FormColumn[] {
    const main = columns.find((column) => column.kind === "text" && column.required) ?? columns[0];
    const rank = (column: FormColumn) => (column === main ? 0 : column.required ? 1 : 2);
    return columns.toSorted((one, other) => rank(one) - rank(other));
}

/** What a row holds besides its columns, and keeps: words, such as how a fact stands and on which page. */
function about(item: Item): string {
    const words = Object.values(item.rest)
        .flatMap((value) => (Array.isArray(value) ? (value as unknown[]) : [value]))
        .filter((value): value is string => typeof value === "string" && value !== "")
        .map((value) => (/^[a-z]+(_[a-z]+)+$/.test(value) ? titleOf(value) : value));
    return [...new Set(words)].join(" \u00b7 ");
}

/** The values that a column has had, for short texts that repeat. */
function suggestions(original: readonly Item[], column: FormColumn): string[] {
    if (column.kind !== "text") return [];
    const values = new Set(original.map((item) => own(item.values, column.field) ?? "").filter(Boolean));
    return values.size <= 8 ? [...values] : [];
}

interface CellProps {
    list: FormList;
    column: FormColumn;
    item: Item;
    index: number;
    noun: string;
    faults: { readonly [place: string]: string };
    disabled: boolean;
    act: (action: Act) => void;
    /** A text of one line, of several, or of several over the whole width where there is little. */
    lines: "one" | "several" | "wide";
    suggestions?: readonly string[];
}

function Cell({ list, column, item, index, noun, faults, disabled, act, lines, suggestions = [] }: CellProps) {
    const value = own(item.values, column.field) ?? "";
    const error = own(faults, `${list.field}.${item.id}.${column.field}`);
    const label = `${titleOf(column.field)} of ${noun.toLowerCase()} ${index + 1}`;
    const onChange = (next: string) =>
        act({ do: "edit", list: list.field, id: item.id, column: column.field, value: next });
    if (column.kind === "choice") {
        const options = column.options?.map((option) => ({ value: option, label: titleOf(option) })) ?? [];
        return (
            <Select
                label={label}
                value={value === "" ? undefined : value}
                options={options}
                onChange={onChange}
                disabled={disabled}
                placeholder={titleOf(column.field)}
            />
        );
    }
    if (lines !== "one") {
        return (
            <div data-column={column.field} className={cx("min-w-0", lines === "wide" && "col-span-2 @xl:col-span-1")}>
                <TextArea
                    label={label}
                    hideLabel
                    value={value}
                    onChange={onChange}
                    disabled={disabled}
                    error={error}
                    minRows={1}
                    maxRows={6}
                    placeholder={titleOf(column.field)}
                />
            </div>
        );
    }
    const options = `${list.field}-${column.field}-values`;
    return (
        <div data-column={column.field} className="min-w-0">
            <TextField
                label={label}
                hideLabel
                value={value}
                onChange={onChange}
                disabled={disabled}
                error={error}
                placeholder={
                    column.kind === "texts" ? `${titleOf(column.field)}, separated by commas` : titleOf(column.field)
                }
                list={suggestions.length > 0 ? options : undefined}
            />
            {suggestions.length > 0 && index % PAGE === 0 && (
                <datalist id={options}>
                    {suggestions.map((suggestion) => (
                        <option key={suggestion} value={suggestion} />
                    ))}
                </datalist>
            )}
        </div>
    );
}
