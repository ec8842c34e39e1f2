// What the picker of a model lists. Pure.

import type { ConnectionRow } from "@/backend";
import { lacks } from "@/domains/connection";

import type { Choice } from "./options";

export interface ModelEntry {
    id: string;
    /** Undefined: as the agent and the settings have it. */
    choice: Choice | undefined;
    /** The connection that it stands under. */
    heading: string | undefined;
    label: string;
    /** Whether the label is a model's id. */
    code: boolean;
    note?: string;
    /** Why it can't be chosen. */
    missing?: string;
}

/** How many models of a connection are listed before something is typed, and at most. */
const FEW = 6;
const MAX_MODELS = 60;

export function modelEntries(connections: readonly ConnectionRow[], query: string): ModelEntry[] {
    const wanted = query.trim().toLowerCase();
    const words = wanted.split(/\s+/).filter(Boolean);
    const own: ModelEntry[] =
        wanted === ""
            ? [
                  {
                      id: "own",
                      choice: undefined,
                      heading: undefined,
                      label: "Default (agent, then settings)",
                      code: false,
                  },
              ]
            : [];
    const listed = connections.flatMap((row): ModelEntry[] => {
        const missing = lacks(row);
        const base = { heading: row.name, ...(missing === undefined ? {} : { missing }) };
        if (row.provider === "offline") {
            return words.every((word) => `${row.name} offline`.toLowerCase().includes(word))
                ? [
                      {
                          ...base,
                          id: row.slug,
                          choice: { connection: row.slug, model: null },
                          label: "Selects and quotes, without a model",
                          code: false,
                      },
                  ]
                : [];
        }
        const first = row.defaultModel;
        const ids = [...new Set([...(first === null ? [] : [first]), ...row.models])];
        if (ids.length === 0)
            return wanted === "" || row.name.toLowerCase().includes(wanted)
                ? [
                      {
                          ...base,
                          id: row.slug,
                          choice: { connection: row.slug, model: null },
                          label: "First listed model",
                          code: false,
                      },
                  ]
                : [];
        const fit = ids.filter((id) => words.every((word) => `${row.name} ${id}`.toLowerCase().includes(word)));
        return (wanted === "" ? fit.slice(0, missing === undefined ? FEW : 1) : fit).map((id) => ({
            ...base,
            id: `${row.slug} ${id}`,
            choice: { connection: row.slug, model: id },
            label: id,
            code: true,
            ...(id === first ? { note: "default" } : {}),
        }));
    });
    return [...own, ...listed].slice(0, MAX_MODELS);
}
