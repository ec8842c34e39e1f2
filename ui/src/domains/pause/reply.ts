// What a person does to a pause before it is answered: edits of lists, answers, remarks, a depth, a budget. Pure.

import type { Budget, Form, FormChoice, FormColumn, FormList, ListPiece, Reply } from "@/backend";
import { dollarsOf, own } from "@/shared";

/** An item of a list while it is edited. Everything is text until it is sent. */
export interface Item {
    /** Only of this page: what the list moves by. */
    id: string;
    values: { readonly [column: string]: string };
    /** The fields that no column shows: they go back as they came. */
    rest: { readonly [field: string]: unknown };
}

export interface Amounts {
    usd: string;
    tokens: string;
    minutes: string;
}

export interface Answering {
    lists: { readonly [field: string]: readonly Item[] };
    answers: { readonly [question: string]: string };
    remark: string;
    depth: string;
    /** The connection that the run is moved to; empty: it stays with its own. */
    connection: string;
    amounts: Amounts;
    /** For new ids. */
    count: number;
}

export type Act =
    | { do: "edit"; list: string; id: string; column: string; value: string }
    | { do: "add"; list: string; values?: Item["values"] }
    | { do: "insert"; list: string; item: Item; at: number }
    | { do: "remove"; list: string; id: string }
    | { do: "move"; list: string; id: string; to: number }
    | { do: "reset"; list: string; items: readonly Item[] }
    | { do: "answer"; question: string; text: string }
    | { do: "remark"; text: string }
    | { do: "depth"; depth: string }
    | { do: "connection"; connection: string }
    | { do: "amount"; name: keyof Amounts; value: string }
    | { do: "restore"; state: Answering };

/** Characters of an output that is sent as a whole when it was edited; of a longer one only what changed. */
const MAX_WHOLE_CHARS = 200_000;

type Fields = { readonly [field: string]: unknown };

function isFields(value: unknown): value is Fields {
    return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
    if (Array.isArray(value)) return value.map(textOf).join(", ");
    return typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);
}

/** The rows of a form are read once. */
const read = new WeakMap<FormList, { output: unknown; items: readonly Item[] }>();

/** The items of a list as the stage gave them. */
export function itemsOf(form: Form, list: FormList): readonly Item[] {
    const known = read.get(list);
    if (known !== undefined && known.output === form.output) return known.items;
    const items = itemsIn(form, list);
    read.set(list, { output: form.output, items });
    return items;
}

function itemsIn(form: Form, list: FormList): Item[] {
    const output = isFields(form.output) ? own(form.output, list.field) : undefined;
    if (!Array.isArray(output)) return [];
    const shown = new Set(list.columns.map((column) => column.field));
    return output.filter(isFields).map((item, index) => ({
        id: `${index}`,
        values: Object.fromEntries(list.columns.map((column) => [column.field, textOf(own(item, column.field))])),
        rest: Object.fromEntries(Object.entries(item).filter(([field]) => !shown.has(field))),
    }));
}

/** Twice what was allowed, for each limit that there is. */
export function moreThan(budget: Budget): Amounts {
    return {
        usd:
            typeof budget.cost !== "number"
                ? ""
                : String(Math.max(0.01, Number(((budget.cost * 2) / 1e9).toPrecision(3)))),
        tokens: typeof budget.tokens !== "number" ? "" : String(budget.tokens * 2),
        minutes:
            typeof budget.activeMs !== "number" ? "" : String(Math.max(1, Math.ceil((budget.activeMs * 2) / 60_000))),
    };
}

export function begin(form: Form, budget: Budget = {}): Answering {
    const lists = Object.fromEntries((form.lists ?? []).map((list) => [list.field, itemsOf(form, list)]));
    return {
        lists,
        answers: {},
        remark: "",
        depth: form.depth ?? "",
        connection: "",
        // A limit of the settings is raised alone: the run’s own budget stays as it is.
        amounts: moreThan(form.limit ? { cost: form.limit.limit } : budget),
        count: 0,
    };
}

export function act(state: Answering, action: Act): Answering {
    const withList = (list: string, change: (items: readonly Item[]) => readonly Item[]): Answering => ({
        ...state,
        lists: { ...state.lists, [list]: change(own(state.lists, list) ?? []) },
    });
    switch (action.do) {
        case "edit":
            return withList(action.list, (items) =>
                items.map((item) =>
                    item.id === action.id
                        ? { ...item, values: { ...item.values, [action.column]: action.value } }
                        : item,
                ),
            );
        case "add": {
            const item: Item = { id: `new-${state.count}`, values: action.values ?? {}, rest: {} };
            return { ...withList(action.list, (items) => [...items, item]), count: state.count + 1 };
        }
        case "insert":
            return withList(action.list, (items) =>
                items.some((item) => item.id === action.item.id) ? items : items.toSpliced(action.at, 0, action.item),
            );
        case "remove":
            return withList(action.list, (items) => items.filter((item) => item.id !== action.id));
        case "move":
            return withList(action.list, (items) => {
                const item = items.find((each) => each.id === action.id);
                const to = Math.max(0, Math.min(items.length - 1, action.to));
                return item === undefined
                    ? items
                    : items.filter((each) => each.id !== action.id).toSpliced(to, 0, item);
            });
        case "reset":
            return withList(action.list, () => action.items);
        case "answer":
            return { ...state, answers: { ...state.answers, [action.question]: action.text } };
        case "remark":
            return { ...state, remark: action.text };
        case "depth":
            return { ...state, depth: action.depth };
        case "connection":
            return { ...state, connection: action.connection };
        case "amount":
            return { ...state, amounts: { ...state.amounts, [action.name]: action.value } };
        case "restore":
            return action.state;
    }
}

function valueOf(column: FormColumn, text: string): unknown {
    const trimmed = text.trim();
    if (column.kind !== "texts") return trimmed;
    return trimmed
        .split(/[,;\n]/)
        .map((part) => part.trim())
        .filter(Boolean);
}

function built(list: FormList, items: readonly Item[]): Fields[] {
    return items.map((item) => {
        const fields: { [field: string]: unknown } = { ...item.rest };
        for (const column of list.columns) {
            const written = (own(item.values, column.field) ?? "").trim();
            const value = valueOf(column, written === "" && column.required ? (column.default ?? "") : written);
            const empty = value === "" || (Array.isArray(value) && value.length === 0);
            // An optional field that is empty is a field that is absent.
            if (!empty || column.required) fields[column.field] = value;
        }
        return fields;
    });
}

/** What the fields of a new item hold. */
export function defaultsOf(list: FormList): Item["values"] {
    return Object.fromEntries(list.columns.map((column) => [column.field, column.default ?? ""]));
}

/** A piece of an edited list: so many items as the stage gave them, from a number on, or one that was changed or added. */
type Piece = readonly [first: number, count: number] | Item;

/** The items of a list as pieces of what the stage gave; `same` tells whether one is still what it was. */
function piecesOf(
    items: readonly Item[],
    original: readonly Item[],
    same: (item: Item, was: Item) => boolean,
): Piece[] {
    const pieces: Piece[] = [];
    let [first, count] = [0, 0];
    const close = () => {
        if (count > 0) pieces.push([first, count]);
        count = 0;
    };
    for (const item of items) {
        const at = Number(item.id);
        const was = original[at];
        if (was === undefined || was.id !== item.id || (was !== item && !same(item, was))) {
            close();
            pieces.push(item);
            continue;
        }
        if (count > 0 && first + count !== at) close();
        if (count === 0) first = at;
        count += 1;
    }
    close();
    return pieces;
}

function isWhole(pieces: readonly Piece[], original: readonly Item[]): boolean {
    const [only, ...others] = pieces;
    if (only === undefined) return original.length === 0;
    return others.length === 0 && !("id" in only) && only[0] === 0 && only[1] === original.length;
}

/** The pieces of a list as it is sent. */
function changesOf(form: Form, list: FormList, state: Answering): Piece[] {
    const sent = (item: Item) => JSON.stringify(built(list, [item]));
    return piecesOf(own(state.lists, list.field) ?? [], itemsOf(form, list), (item, was) => sent(item) === sent(was));
}

/** Whether a list differs from what the stage gave. */
export function isChanged(form: Form, list: FormList, state: Answering): boolean {
    return !isWhole(changesOf(form, list, state), itemsOf(form, list));
}

function changedLists(form: Form, state: Answering): readonly FormList[] {
    return isFields(form.output) ? (form.lists ?? []).filter((list) => isChanged(form, list, state)) : [];
}

/** The output with the lists as edited; undefined when nothing was. */
export function editOf(form: Form, state: Answering): unknown {
    const changed = changedLists(form, state);
    if (changed.length === 0 || !isFields(form.output)) return undefined;
    return {
        ...form.output,
        ...Object.fromEntries(changed.map((list) => [list.field, built(list, own(state.lists, list.field) ?? [])])),
    };
}

/** The edited lists in pieces, where the output is long and each of its rows has its place; undefined: it is sent as a whole. */
function listsOf(form: Form, state: Answering): Reply["lists"] {
    const { output } = form;
    if (!isFields(output) || JSON.stringify(output).length <= MAX_WHOLE_CHARS) return undefined;
    const changed = changedLists(form, state);
    const placed = (list: FormList) => {
        const rows = own(output, list.field);
        return Array.isArray(rows) && rows.length === itemsOf(form, list).length;
    };
    if (changed.length === 0 || !changed.every(placed)) return undefined;
    const sent =
        (list: FormList) =>
        (piece: Piece): ListPiece =>
            "id" in piece
                ? { piece: "row", row: built(list, [piece])[0] }
                : { piece: "kept", first: piece[0], count: piece[1] };
    return Object.fromEntries(changed.map((list) => [list.field, changesOf(form, list, state).map(sent(list))]));
}

/** What is wrong, by place: `<list>`, `<list>.<item>.<column>`, `usd`, `remark` … Empty when it can be sent. */
export function faultsOf(form: Form, state: Answering, choice: string | undefined): { [place: string]: string } {
    const faults: { [place: string]: string } = {};
    const chosen = form.choices.find((each) => each.id === choice);
    if (chosen?.action === "cancel") return faults;
    if (chosen?.action === "amend") {
        const said = state.remark.trim() !== "" || Object.values(state.answers).some((answer) => answer.trim() !== "");
        if (!said) faults["remark"] = "Describe the changes, then choose Amend.";
        return faults;
    }
    if (form.kind === "budget") {
        const numbers: [keyof Amounts, string][] = [
            ["usd", "an amount such as 2.50"],
            ["tokens", "a number such as 200000"],
            ["minutes", "a number such as 30"],
        ];
        for (const [name, example] of numbers) {
            if (numberOf(name, state.amounts[name]) === null) faults[name] = `Write ${example}.`;
        }
        return faults;
    }
    for (const list of form.lists ?? []) {
        const items = own(state.lists, list.field) ?? [];
        if (items.length < list.minItems)
            faults[list.field] = `At least ${list.minItems === 1 ? "one is" : `${list.minItems} are`} needed.`;
        if (items.length > list.maxItems) faults[list.field] = `At most ${list.maxItems} are allowed.`;
        for (const item of items) {
            for (const column of list.columns) {
                const text = (own(item.values, column.field) ?? "").trim();
                if (column.required && text === "" && (column.default ?? "") === "")
                    faults[`${list.field}.${item.id}.${column.field}`] = "Write something here or remove the row.";
            }
        }
    }
    return faults;
}

/** What an amount says; undefined: nothing; null: it is none. A comma parts thousands, or the cents of a sum. */
function numberOf(name: keyof Amounts, text: string): number | undefined | null {
    if (name === "usd") return dollarsOf(text);
    const plain = text.trim().replaceAll(/,(?=\d{3}(\D|$))/g, "");
    if (plain === "") return undefined;
    return Number(plain) > 0 ? Number(plain) : null;
}

function amountsText(amounts: Amounts): string {
    const said = (name: keyof Amounts, words: (amount: number) => string) => {
        const amount = numberOf(name, amounts[name]);
        return typeof amount === "number" && words(amount);
    };
    return [
        said("usd", (amount) => `$${amount}`),
        said("tokens", (amount) => `${amount} tokens`),
        said("minutes", (amount) => `${amount} min`),
    ]
        .filter(Boolean)
        .join(" ");
}

/**
 * The reply. Without a choice the text is read as it was typed: "why?" decides nothing, a name of a choice takes it,
 * anything else goes on with it.
 */
export function replyOf(form: Form, state: Answering, choice: string | undefined): Reply {
    const chosen = form.choices.find((each) => each.id === choice);
    if (chosen?.action === "cancel") return { choice };
    const reply: Reply = {};
    if (choice !== undefined) reply.choice = choice;
    const text = form.kind === "budget" ? amountsText(state.amounts) : state.remark.trim();
    if (text !== "") reply.text = text;
    const answers = Object.entries(state.answers)
        .map(([question, answer]) => [question, answer.trim()] as const)
        .filter(([, answer]) => answer !== "");
    if (answers.length > 0) reply.answers = Object.fromEntries(answers);
    // Amending makes the output anew: an edit of the old one would mean nothing.
    if (chosen?.action !== "amend") {
        const lists = listsOf(form, state);
        const edit = lists === undefined ? editOf(form, state) : undefined;
        if (lists !== undefined) reply.lists = lists;
        if (edit !== undefined) reply.edit = edit;
    }
    if (state.depth !== "" && state.depth !== (form.depth ?? "")) reply.depth = state.depth;
    if (state.connection !== "") reply.connection = state.connection;
    return reply;
}

/** The state as text for a draft; empty when there is nothing to keep. Rows that are what they were are kept by their places. */
export function toDraft(form: Form, state: Answering, budget: Budget = {}): string {
    const values = (item: Item, was: Item) =>
        JSON.stringify([item.values, item.rest]) === JSON.stringify([was.values, was.rest]);
    const lists = (form.lists ?? []).map((list) => {
        const original = itemsOf(form, list);
        return { list, original, pieces: piecesOf(own(state.lists, list.field) ?? [], original, values) };
    });
    const rest = (of: Answering) => JSON.stringify({ ...of, lists: {}, count: 0 });
    const same = lists.every(({ pieces, original }) => isWhole(pieces, original));
    if (same && rest(state) === rest(begin(form, budget))) return "";
    return JSON.stringify({
        ...state,
        lists: Object.fromEntries(lists.map(({ list, pieces }) => [list.field, pieces])),
    });
}

/** A draft as a state; undefined when it is none, or not one of this form. */
export function fromDraft(form: Form, text: string): Answering | undefined {
    if (text === "") return undefined;
    try {
        const kept = JSON.parse(text) as Partial<Omit<Answering, "lists">> & { lists?: { [field: string]: Piece[] } };
        const { lists } = kept;
        if (!isFields(kept) || !isFields(lists)) return undefined;
        const whole: { [field: string]: readonly Item[] } = {};
        for (const list of form.lists ?? []) {
            const pieces = own(lists, list.field);
            if (!Array.isArray(pieces)) return undefined;
            const original = itemsOf(form, list);
            whole[list.field] = pieces.flatMap((piece) =>
                "id" in piece ? [piece] : original.slice(piece[0], piece[0] + piece[1]),
            );
        }
        const fresh = begin(form);
        return {
            ...fresh,
            ...kept,
            lists: whole,
            answers: kept.answers ?? {},
            amounts: { ...fresh.amounts, ...kept.amounts },
            count: kept.count ?? 0,
        };
    } catch {
        return undefined;
    }
}

/** The choice that Enter takes: the first that goes on and can be had. */
export function primaryOf(form: Form): string | undefined {
    const goesOn = form.choices.filter((choice) => choice.action === "proceed" || choice.action === "skip");
    return goesOn.find((choice) => !lacksMeans(choice))?.id;
}

/** Whether a choice can't do what it says, such as a web search where none is set up. */
export function lacksMeans(choice: FormChoice): boolean {
    return typeof choice.unavailable === "string";
}
