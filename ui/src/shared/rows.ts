// Tables that come as text: CSV, TSV, JSON. Pure.

import { own } from "./own";

export interface Rows {
    columns: string[];
    rows: string[][];
}

/** Comma separated values after RFC 4180; undefined where that makes no table. */
export function parseSeparated(text: string, separator: "," | "\t" | ";"): Rows | undefined {
    const lines: string[][] = [];
    let row: string[] = [];
    let cell = "";
    let quoted = false;
    const end = () => {
        row.push(cell);
        cell = "";
    };
    for (let at = 0; at < text.length; at += 1) {
        const letter = text[at] ?? "";
        if (quoted) {
            if (letter !== '"') cell += letter;
            else if (text[at + 1] === '"') {
                cell += '"';
                at += 1;
            } else quoted = false;
        } else if (letter === '"' && cell === "") quoted = true;
        else if (letter === separator) end();
        else if (letter === "\n" || letter === "\r") {
            if (letter === "\r" && text[at + 1] === "\n") at += 1;
            end();
            lines.push(row);
            row = [];
        } else cell += letter;
    }
    if (cell !== "" || row.length > 0) {
        end();
        lines.push(row);
    }
    const [columns, ...rows] = lines.filter((line) => line.some((each) => each.trim() !== ""));
    if (columns === undefined || rows.length === 0 || quoted) return undefined;
    return { columns, rows };
}

const word = (value: unknown): string =>
    value === null || value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);

/** An array of objects, or `{ columns, rows }`; undefined where JSON is something else. */
export function parseTable(text: string): Rows | undefined {
    let value: unknown;
    try {
        value = JSON.parse(text);
    } catch {
        return undefined;
    }
    if (typeof value === "object" && value !== null && "rows" in value && Array.isArray(value.rows)) {
        const given = "columns" in value && Array.isArray(value.columns) ? (value.columns as unknown[]) : undefined;
        const keys = given?.map((column) =>
            typeof column === "object" && column !== null && "key" in column ? word(column.key) : word(column),
        );
        const labels = given?.map((column) =>
            typeof column === "object" && column !== null && "label" in column
                ? word(column.label)
                : typeof column === "object" && column !== null && "key" in column
                  ? word(column.key)
                  : word(column),
        );
        return tableOf(value.rows, keys, labels);
    }
    return Array.isArray(value) ? tableOf(value, undefined, undefined) : undefined;
}

function tableOf(
    rows: readonly unknown[],
    keys: readonly string[] | undefined,
    labels: readonly string[] | undefined,
): Rows | undefined {
    if (rows.length === 0) return undefined;
    if (rows.every((row) => Array.isArray(row))) {
        const columns = labels ?? (rows[0] as unknown[]).map(word);
        const rest = labels === undefined ? rows.slice(1) : rows;
        return { columns: [...columns], rows: rest.map((row) => (row as unknown[]).map(word)) };
    }
    if (!rows.every((row) => typeof row === "object" && row !== null && !Array.isArray(row))) return undefined;
    const found = keys ?? [...new Set(rows.flatMap((row) => Object.keys(row as object)))];
    return {
        columns: [...(labels ?? found)],
        rows: rows.map((row) => found.map((key) => word(own(row as { [key: string]: unknown }, key)))),
    };
}

/** The table that a text of a kind holds, `csv`, `tsv` or `json`; undefined where it is none. */
export function tableOfText(kind: string, text: string): Rows | undefined {
    const [first = ""] = text.split("\n", 1);
    if (kind === "csv") return parseSeparated(text, first.includes(";") && !first.includes(",") ? ";" : ",");
    if (kind === "tsv") return parseSeparated(text, "\t");
    return kind === "json" ? parseTable(text) : undefined;
}

/** What a person means by the order of values: numbers by size, words as read. */
export function compareCells(a: string, b: string): number {
    const [x, y] = [a, b].map((each) => Number(each.replace(/[,\s%$€£]/g, "")));
    if (a.trim() !== "" && b.trim() !== "" && Number.isFinite(x) && Number.isFinite(y)) return (x ?? 0) - (y ?? 0);
    return a.localeCompare(b, "en", { numeric: true });
}
