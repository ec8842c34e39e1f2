import type { Checked } from "@/shared";

import { pairWords, ratioWords } from "./labels";

/** Every pair that is too weak, and the closest of the others. */
export function Pairs({ checked }: { checked: Record<"light" | "dark", readonly Checked[]> }) {
    return (
        <div className="mt-1 grid grid-cols-2 gap-x-4">
            <PairList label="Light" checked={checked.light} />
            <PairList label="Dark" checked={checked.dark} />
        </div>
    );
}

/** How many are listed. */
const LISTED = 12;

function PairList({ label, checked }: { label: string; checked: readonly Checked[] }) {
    const weakFirst = [...checked].sort((a, b) => a.ratio / a.least - b.ratio / b.least).slice(0, LISTED);
    const failing = checked.filter(({ passes }) => !passes).length;
    return (
        <div className="min-w-0">
            <p className="text-small text-ink-3">
                {label}: {checked.length - failing} of {checked.length} readable
            </p>
            <ul className="mt-1">
                {weakFirst.map((pair) => (
                    <li
                        key={`${pair.front} ${pair.ground}`}
                        className="flex gap-2 border-b border-hairline py-0.5 text-small last:border-b-0"
                    >
                        <span className="min-w-0 flex-1">{pairWords(pair)}</span>
                        <span className={pair.passes ? "tabular text-ink-2" : "tabular font-medium text-needs"}>
                            {ratioWords(pair.ratio)}
                            <span className="sr-only">
                                {pair.passes ? " readable" : `, too low: minimum ${pair.least}`}
                            </span>
                        </span>
                    </li>
                ))}
            </ul>
        </div>
    );
}
