// What stands for a stage, or a part of the work, in a strip: a bar, a name and a line below it.

import { Check, CircleDashed, CircleDot, CirclePause, CircleX, SkipForward } from "lucide-react";
import type { CSSProperties, ReactNode } from "react";

import type { StagePhase } from "@/backend";
import { cx } from "@/shared";

const ICONS = {
    pending: CircleDashed,
    running: CircleDot,
    paused: CirclePause,
    completed: Check,
    skipped: SkipForward,
    failed: CircleX,
};
const INKS: { readonly [phase in StagePhase]: string } = {
    pending: "text-ink-3",
    running: "text-running",
    paused: "text-needs",
    completed: "text-done",
    skipped: "text-ink-3",
    failed: "text-failed",
};
const BARS: { readonly [phase in StagePhase]: string } = {
    pending: "bg-hairline",
    running: "bg-running",
    paused: "bg-needs-rule",
    completed: "bg-done",
    skipped: "bg-ink-faint",
    failed: "bg-failed",
};

/** A column a stage. On a phone three stand side by side, so that their names can be read. */
export const COLUMNS = "grid gap-x-1 grid-cols-[repeat(var(--stages),minmax(0,1fr))] @max-md:grid-cols-3";

export function columnsStyle(stages: number): CSSProperties {
    return { "--stages": stages } as CSSProperties;
}

export const BOX = "group/stage flex min-w-0 flex-col items-stretch rounded-[4px] text-left";

/** A bar, a name and a line below it. */
export function StageCell({
    phase,
    title,
    open,
    children,
}: {
    phase: StagePhase;
    title: string;
    open: boolean;
    children: ReactNode;
}) {
    const Icon = ICONS[phase];
    return (
        <>
            <span
                className={cx(
                    "h-[3px] rounded-full transition-colors",
                    BARS[phase],
                    phase === "pending" && "group-hover/stage:bg-ink-faint",
                )}
            />
            <span className="mt-1.5 flex min-w-0 items-center gap-1">
                <Icon
                    size={14}
                    strokeWidth={phase === "completed" ? 2 : 1.5}
                    aria-hidden
                    className={cx("shrink-0", INKS[phase])}
                />
                <span
                    className={cx(
                        "min-w-0 truncate text-ui",
                        open
                            ? "font-medium text-accent"
                            : phase === "pending" || phase === "skipped"
                              ? "text-ink-3"
                              : "text-ink",
                        (phase === "running" || phase === "paused") && "font-medium",
                    )}
                >
                    {title}
                </span>
            </span>
            <span className={cx("min-h-4 truncate text-small", phase === "paused" ? "text-needs" : "text-ink-3")}>
                {children}
            </span>
        </>
    );
}
