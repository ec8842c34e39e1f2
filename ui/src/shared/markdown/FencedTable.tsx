// A table that a text holds in a fence.

import type { ReactNode } from "react";

import { DataTable } from "../DataTable";
import { parseSeparated, parseTable, tableOfText, type Rows } from "../rows";

export interface FencedTableProps {
    language: string;
    source: string;
    /** In its place where the fence holds no table. */
    children: ReactNode;
}

export function FencedTable({ language, source, children }: FencedTableProps) {
    const table = tableIn(language, source);
    return table === undefined ? children : <DataTable table={table} source={source} className="my-2.5" />;
}

function tableIn(language: string, text: string): Rows | undefined {
    if (language === "csv" || language === "tsv") return tableOfText(language, text);
    return parseTable(text) ?? parseSeparated(text, ",");
}
