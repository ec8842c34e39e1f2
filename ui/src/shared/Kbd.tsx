import { cx } from "./cx";

const SIGNS: Record<string, string> = {
    enter: "⏎",
    arrowup: "↑",
    arrowdown: "↓",
    arrowleft: "←",
    arrowright: "→",
    escape: "Esc",
};

/** The keys of a shortcut: "Ctrl+K" as two keys, "g then i" as a sequence. */
export function Keys({ keys, quiet = false }: { keys: string; quiet?: boolean }) {
    const parts =
        keys === "+"
            ? ["+"]
            : keys.endsWith("++")
              ? [...keys.slice(0, -2).split("+"), "+"]
              : keys.split(/\+|\s+then\s+|\s+/).filter(Boolean);
    return (
        <span className={cx("inline-flex items-center gap-0.5", quiet && "opacity-75")}>
            {parts.map((part, index) => (
                <Kbd key={index} quiet={quiet}>
                    {SIGNS[part.toLowerCase()] ?? (part.length === 1 ? part.toUpperCase() : part)}
                </Kbd>
            ))}
        </span>
    );
}

/** One key. */
export function Kbd({ children, quiet = false }: { children: string; quiet?: boolean }) {
    return (
        <kbd
            className={cx(
                "inline-flex min-w-4 items-center justify-center rounded-[4px] px-1 font-ui text-[0.6875rem] leading-4",
                quiet ? "border border-current/25" : "border border-hairline bg-sunken text-ink-2",
            )}
        >
            {children}
        </kbd>
    );
}
