// What orders sessions, as lists and by id.

import { useMemo } from "react";

import {
    useQuery,
    type Colour,
    type LabelRow,
    type Organisation,
    type StatusRow,
    type ValueType,
    type ViewRow,
} from "@/backend";

/** A label with its place in the tree. */
export interface FlatLabel {
    id: string;
    name: string;
    color: Colour | null;
    valueType: ValueType | null;
    sessions: number;
    /** 0 at the top. */
    depth: number;
    /** The label above it. */
    parent: string | undefined;
    /** Its place among its neighbours, from 0. */
    place: number;
    /** Whether there are labels below it. */
    above: boolean;
    /** Names from the top down to its own. */
    path: string;
    row: LabelRow;
}

export function flatLabels(labels: readonly LabelRow[], depth = 0, parent?: FlatLabel): FlatLabel[] {
    return labels.flatMap((row, place) => {
        const flat: FlatLabel = {
            id: row.id,
            name: row.name,
            color: row.color,
            valueType: row.valueType,
            sessions: row.sessions,
            depth,
            parent: parent?.id,
            place,
            above: row.children.length > 0,
            path: parent === undefined ? row.name : `${parent.path} › ${row.name}`,
            row,
        };
        return [flat, ...flatLabels(row.children, depth + 1, flat)];
    });
}

/** The parts of what a session has: `priority::3`. */
export function entryParts(entry: string): { id: string; value: string | undefined } {
    const at = entry.indexOf("::");
    if (at < 0) return { id: entry, value: undefined };
    const value = entry.slice(at + 2);
    return { id: entry.slice(0, at), value: value === "" ? undefined : value };
}

export interface OrganisationUse {
    statuses: readonly StatusRow[];
    labels: readonly FlatLabel[];
    views: readonly ViewRow[];
    /** The status of an id; of one that is gone, or of none, the default one. */
    statusOf: (id: string) => StatusRow | undefined;
    labelOf: (id: string) => FlatLabel | undefined;
    viewOf: (id: string) => ViewRow | undefined;
    data: Organisation | undefined;
}

export function organised(data: Organisation | undefined): OrganisationUse {
    const statuses = data?.statuses ?? [];
    const labels = flatLabels(data?.labels ?? []);
    const views = data?.views ?? [];
    const byStatus = new Map(statuses.map((each) => [each.id, each]));
    const byLabel = new Map(labels.map((each) => [each.id, each]));
    const fallback = byStatus.get(data?.defaultStatus ?? "") ?? statuses[0];
    return {
        statuses,
        labels,
        views,
        statusOf: (id) => byStatus.get(id) ?? fallback,
        labelOf: (id) => byLabel.get(id),
        viewOf: (id) => views.find((each) => each.id === id),
        data,
    };
}

export function useOrganisation(): OrganisationUse {
    const { data } = useQuery("organise_show", null);
    return useMemo(() => organised(data), [data]);
}
