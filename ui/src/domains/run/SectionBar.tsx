import type { SectionRow } from "@/backend";
import { cx } from "@/shared";

import { formatTokens } from "./labels";

const TONES = ["bg-accent", "bg-ink-3", "bg-ink-faint", "bg-hairline-strong"];

/** How a prompt's tokens are spread over its sections. The list under it says the same in words. */
export function SectionBar({ sections }: { sections: readonly Pick<SectionRow, "name" | "tokens">[] }) {
    const all = sections.reduce((sum, section) => sum + section.tokens, 0);
    if (all === 0 || sections.length < 2) return null;
    return (
        <div aria-hidden className="mb-2 flex h-1.5 gap-px overflow-hidden rounded-full bg-hairline">
            {sections.map((section, index) => (
                <span
                    key={`${section.name}.${index}`}
                    title={`${section.name}: ${formatTokens(section.tokens)}`}
                    className={cx("h-full min-w-px", TONES[index % TONES.length])}
                    style={{ width: `${(section.tokens / all) * 100}%` }}
                />
            ))}
        </div>
    );
}
