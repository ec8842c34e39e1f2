// Limits of a mission as fields; empty ones stay as they are.

import type { LimitUse, MissionLimits } from "@/backend";
import { TextField } from "@/shared";

import { amount } from "./labels";

const FIELDS = [
    { name: "usd", dimension: "money", label: "Money, US dollars", whole: false, example: "2.50" },
    { name: "tokens", dimension: "tokens", label: "Tokens", whole: true, example: "500000" },
    { name: "minutes", dimension: "minutes", label: "Active minutes", whole: false, example: "30" },
    { name: "invocations", dimension: "invocations", label: "Agents invoked", whole: true, example: "24" },
    { name: "iterations", dimension: "iterations", label: "Iterations", whole: true, example: "6" },
] as const;

type Name = (typeof FIELDS)[number]["name"];
export type LimitValues = { readonly [N in Name]: string };

export const NO_LIMITS: LimitValues = { usd: "", tokens: "", minutes: "", invocations: "", iterations: "" };

export interface ReadLimits {
    limits: MissionLimits;
    problem?: string;
    isEmpty: boolean;
}

/** What stands in the fields, as numbers. */
export function limitsOf(values: LimitValues): ReadLimits {
    const limits: { [N in Name]?: number } = {};
    for (const { name, label, whole } of FIELDS) {
        const text = values[name].trim().replace(/[\s,](?=\d{3}\b)/g, "");
        if (text === "") continue;
        const value = Number(text);
        if (!Number.isFinite(value) || value < 0 || (whole && !Number.isInteger(value)))
            return {
                limits: {},
                problem: `${label}: write a ${whole ? "whole number" : "number"}, for example 12${whole ? "" : ".5"}.`,
                isEmpty: false,
            };
        limits[name] = value;
    }
    return { limits, isEmpty: Object.keys(limits).length === 0 };
}

interface LimitFieldsProps {
    values: LimitValues;
    onChange: (values: LimitValues) => void;
    /** The limits as they are, of a mission whose limits are raised: one that it does not have can't be raised. */
    now?: readonly LimitUse[];
}

export function LimitFields({ values, onChange, now }: LimitFieldsProps) {
    const limitOf = (dimension: string) => now?.find((use) => use.dimension === dimension)?.limit;
    const shown = FIELDS.filter(({ dimension }) => now === undefined || typeof limitOf(dimension) === "number");
    const placeholder = (dimension: string, example: string) => {
        const limit = limitOf(dimension);
        return typeof limit === "number" ? `now ${amount(dimension, limit)}` : `e.g. ${example}`;
    };
    return (
        <div className="grid grid-cols-[repeat(auto-fill,minmax(9rem,1fr))] gap-3">
            {shown.map(({ name, label, example, dimension }) => (
                <TextField
                    key={name}
                    label={label}
                    value={values[name]}
                    onChange={(value) => onChange({ ...values, [name]: value })}
                    inputMode="decimal"
                    placeholder={placeholder(dimension, example)}
                />
            ))}
        </div>
    );
}
