import { cx, declarations, type Sides, type Strength } from "@/shared";

const made = new WeakMap<Sides, Map<Strength, Record<string, string>>>();

/** Every token of a theme, computed once. */
function tokensOf(sides: Sides, strength: Strength): Record<string, string> {
    const before = made.get(sides) ?? new Map<Strength, Record<string, string>>();
    made.set(sides, before);
    const found = before.get(strength) ?? declarations(sides, strength);
    before.set(strength, found);
    return found;
}

export interface ThemePreviewProps {
    sides: Sides;
    strength: Strength;
    /** Which side is shown; without it the one that holds now. */
    mode?: "light" | "dark";
    className?: string;
}

/** A window of the theme, very small. */
export function ThemePreview({ sides, strength, mode, className }: ThemePreviewProps) {
    const bar = "block h-1 rounded-full";
    return (
        <span
            aria-hidden
            className={cx(
                "flex h-20 overflow-hidden rounded-control border forced-color-adjust-none border-hairline-strong bg-(--page)",
                className,
            )}
            style={{ ...tokensOf(sides, strength), ...(mode === undefined ? {} : { colorScheme: mode }) }}
        >
            <span className="flex w-1/4 flex-col gap-1.5 border-r border-hairline bg-sunken p-2">
                <span className={cx(bar, "w-full bg-ink-2")} />
                <span className={cx(bar, "w-3/4 bg-ink-faint")} />
                <span className={cx(bar, "w-full bg-ink-faint")} />
                <span className={cx(bar, "w-2/3 bg-ink-faint")} />
            </span>
            <span className="flex flex-1 flex-col gap-1.5 bg-surface p-2">
                <span className={cx(bar, "w-2/3 bg-ink")} />
                <span className={cx(bar, "w-full bg-ink-3")} />
                <span className={cx(bar, "w-5/6 bg-ink-3")} />
                <span className="mt-auto flex items-center gap-1">
                    <span className="h-2.5 w-7 rounded-[3px] bg-accent" />
                    <span className="ml-auto size-2 rounded-full bg-needs" />
                    <span className="size-2 rounded-full bg-done" />
                    <span className="size-2 rounded-full bg-failed" />
                </span>
            </span>
        </span>
    );
}
