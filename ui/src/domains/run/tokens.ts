// Tokens in words. Pure.

import type { TokenStrategy, Usage } from "@/backend";

/** All input that a provider reported, from its cache or not. */
export function inputOf(usage: Usage): number {
    return usage.input + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0);
}

export function cacheWord(usage: Usage): string {
    return `${usage.cacheRead ?? 0} read from its cache, ${usage.cacheWrite ?? 0} written to it`;
}

/** Thousandths as a percentage. */
export function shareWord(share: number): string {
    return `${(share / 10).toFixed(1)} %`;
}

export function strategyWord(strategy: TokenStrategy): string {
    switch (strategy) {
        case "naive":
            return "Whole outputs in every later request";
        case "fresh":
            return "As it was sent";
        case "handoff":
            return "A short handoff of each output";
        case "continue":
            return "One conversation";
    }
}
