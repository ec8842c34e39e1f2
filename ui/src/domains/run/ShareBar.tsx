import { cx } from "@/shared";

/** From this share on a window counts as nearly full. */
export const NEARLY = 0.85;

/** How full a model's window is. */
export function ShareBar({ share, className }: { share: number; className: string }) {
    return (
        <span aria-hidden className={cx("relative block h-1 overflow-hidden rounded-full bg-hairline", className)}>
            <span
                className={cx(
                    "absolute inset-y-0 left-0 rounded-full",
                    share >= NEARLY ? "bg-needs-rule" : "bg-accent",
                )}
                style={{ width: `${Math.min(100, share * 100)}%` }}
            />
        </span>
    );
}
