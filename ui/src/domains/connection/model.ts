// What a person says of a model, as typed. Pure.

import type { ModelOverride, ModelRow } from "@/backend";

export interface ModelForm {
    window: string;
    output: string;
    inputPrice: string;
    outputPrice: string;
    cacheReadPrice: string;
    cacheWritePrice: string;
}

const typed = (value: number | null) => (value === null || value === 0 ? "" : String(value));
const price = (value: number | null) => (value === null ? "" : String(value));

export function modelForm(model: ModelRow): ModelForm {
    return {
        window: typed(model.contextWindow),
        output: typed(model.maxOutput),
        inputPrice: price(model.inputPrice),
        outputPrice: price(model.outputPrice),
        cacheReadPrice: price(model.cacheReadPrice),
        cacheWritePrice: price(model.cacheWritePrice),
    };
}

/** "200k", "1.5M", "128,000" as a number of tokens. */
export function tokensFrom(text: string): number | undefined {
    const found = /^(\d+(?:\.\d+)?)\s*([kKmM]?)$/.exec(text.trim().replace(/[, _]/g, ""));
    if (found === null) return undefined;
    const tokens = Number(found[1]) * (found[2] === "" ? 1 : /k/i.test(found[2] ?? "") ? 1_000 : 1_000_000);
    return Number.isInteger(tokens) && tokens >= 1 && tokens <= 1e9 ? tokens : undefined;
}

function dollarsFrom(text: string): number | undefined {
    const found = /^\$?\s*(\d+(?:\.\d+)?)$/.exec(text.trim());
    const dollars = found === null ? undefined : Number(found[1]);
    return dollars !== undefined && dollars <= 100_000 ? dollars : undefined;
}

export type ModelProblems = { [F in keyof ModelForm]?: string };

export function modelProblems(form: ModelForm): ModelProblems {
    const found: ModelProblems = {};
    for (const field of ["window", "output"] as const)
        if (form[field].trim() !== "" && tokensFrom(form[field]) === undefined)
            found[field] = "Enter a number of tokens, such as 200000 or 200k.";
    for (const field of ["inputPrice", "outputPrice", "cacheReadPrice", "cacheWritePrice"] as const)
        if (form[field].trim() !== "" && dollarsFrom(form[field]) === undefined)
            found[field] = "Enter US dollars, such as 2.50.";
    const [input, output] = [form.inputPrice.trim() === "", form.outputPrice.trim() === ""];
    if (input !== output) found[input ? "inputPrice" : "outputPrice"] = "Enter both prices, or neither.";
    if (input && output && (form.cacheReadPrice.trim() !== "" || form.cacheWritePrice.trim() !== ""))
        found.inputPrice = "Cache prices need input and output prices.";
    return found;
}

/** Only what differs from what is known becomes the person's own; what was said of it before stays. */
export function overrideOf(model: ModelRow, form: ModelForm, before: ModelOverride | undefined): ModelOverride {
    const known = modelForm(model);
    const override: ModelOverride = { ...before, id: model.id };
    if (form.window.trim() !== known.window) override.contextWindow = tokensFrom(form.window) ?? null;
    if (form.output.trim() !== known.output) override.maxOutput = tokensFrom(form.output) ?? null;
    const prices = ["inputPrice", "outputPrice", "cacheReadPrice", "cacheWritePrice"] as const;
    if (prices.some((field) => form[field].trim() !== known[field])) {
        const [input, output] = [dollarsFrom(form.inputPrice), dollarsFrom(form.outputPrice)];
        override.price =
            input === undefined || output === undefined
                ? null
                : {
                      input,
                      output,
                      cacheRead: dollarsFrom(form.cacheReadPrice) ?? null,
                      cacheWrite: dollarsFrom(form.cacheWritePrice) ?? null,
                  };
    }
    return override;
}
