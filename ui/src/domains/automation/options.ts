// What the form of an automation offers.

import type { SelectOption } from "@/shared";

import type { Draft } from "./entry";

export const MODES: SelectOption<Draft["mode"]>[] = [
    { value: "safe", label: "Explore", hint: "Reads only" },
    { value: "ask", label: "Ask to edit", hint: "Asks before changes" },
    { value: "allow-all", label: "Auto", hint: "Makes changes without asking" },
];

/** Options with the one that is set, also where it is not there any more. */
export function withOwn(options: SelectOption[], value: string): SelectOption[] {
    if (value === "" || options.some((each) => each.value === value)) return options;
    return [...options, { value, label: value, hint: "Not in this workspace" }];
}
