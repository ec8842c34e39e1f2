// How statuses and labels look wherever they stand. Colour marks, words are in ink.

import {
    Circle,
    CircleCheck,
    CircleDashed,
    CircleDot,
    CircleEllipsis,
    CirclePause,
    CircleSlash,
    CircleX,
    Eye,
    Hourglass,
    type LucideIcon,
} from "lucide-react";

import type { Icon, StatusRow } from "@/backend";
import { Picture, cx, own } from "@/shared";

import { cssOf } from "./colours";
import { entryParts, type FlatLabel } from "./organisation";

/** Icons that can be chosen for a status, by the sign that the file has: other programs show the sign itself. */
export const STATUS_ICONS: { readonly [sign: string]: { icon: LucideIcon; word: string } } = {
    "○": { icon: Circle, word: "Circle" },
    "◌": { icon: CircleDashed, word: "Dashed circle" },
    "◐": { icon: CircleDot, word: "Circle with a dot" },
    "◉": { icon: CircleEllipsis, word: "Circle with three dots" },
    "◫": { icon: CirclePause, word: "Pause" },
    "✓": { icon: CircleCheck, word: "Check" },
    "✕": { icon: CircleX, word: "Cross" },
    "⊘": { icon: CircleSlash, word: "Slash" },
    "◎": { icon: Eye, word: "Eye" },
    "⧗": { icon: Hourglass, word: "Hourglass" },
};

/** What stands for statuses whose file names no icon that can be drawn. */
const OWN: { readonly [id: string]: string } = {
    todo: "○",
    "in-progress": "◐",
    "needs-review": "◉",
    done: "✓",
    cancelled: "✕",
    backlog: "◌",
};

export function iconText(icon: Icon | null): string {
    return icon === null ? "" : typeof icon === "string" ? icon : icon.value;
}

export interface StatusIconProps {
    status: Pick<StatusRow, "id" | "icon" | "color" | "category" | "picture"> | undefined;
    size?: 14 | 16;
    className?: string;
}

/** The icon of a status; decoration, its name stands beside it or is said by whoever draws it. */
export function StatusIcon({ status, size = 16, className }: StatusIconProps) {
    const text = iconText(status?.icon ?? null);
    const style = { color: cssOf(status?.color) };
    if (typeof status?.picture === "string")
        return <Picture src={status.picture} size={size} color={style.color} className={className} />;
    const known = own(STATUS_ICONS, text);
    // A file that is not there is drawn as the status's own sign: what is short and no file's name is an emoji.
    const emoji = known === undefined && text !== "" && [...text].length <= 4 && !/^[\w.-]+$/.test(text);
    if (emoji) {
        return (
            <span
                aria-hidden
                style={style}
                className={cx(
                    "inline-flex shrink-0 items-center justify-center overflow-hidden leading-none",
                    size === 16 ? "size-4 text-[0.8125rem]" : "size-3.5 text-[0.75rem]",
                    className,
                )}
            >
                {text}
            </span>
        );
    }
    const Drawn =
        (
            known ??
            STATUS_ICONS[own(OWN, status?.id ?? "") ?? ""] ??
            STATUS_ICONS[status?.category === "closed" ? "✓" : "○"]
        )?.icon ?? Circle;
    return (
        <Drawn
            size={size}
            strokeWidth={1.75}
            aria-hidden
            style={style}
            className={cx("shrink-0 text-ink-3", className)}
        />
    );
}

export function ColourDot({ colour, className }: { colour: Parameters<typeof cssOf>[0]; className?: string }) {
    return (
        <span
            aria-hidden
            style={{ background: cssOf(colour) ?? "var(--ink-faint)" }}
            className={cx("inline-block size-2 shrink-0 rounded-full", className)}
        />
    );
}

/** A label on a session, with its value. */
export function LabelChip({
    entry,
    label,
    className,
}: {
    entry: string;
    label: FlatLabel | undefined;
    className?: string;
}) {
    const { id, value } = entryParts(entry);
    const name = label?.name ?? id;
    return (
        <span
            title={`${label?.path ?? id}${value === undefined ? "" : `: ${value}`}`}
            className={cx(
                "inline-flex h-4 max-w-28 min-w-0 items-center gap-1 rounded-full border border-hairline px-1.5 text-[0.6875rem] leading-none text-ink-2",
                className,
            )}
        >
            <ColourDot colour={label?.color} className="size-1.5" />
            <span className="truncate">
                {name}
                {value !== undefined && <span className="text-ink">&nbsp;{value}</span>}
            </span>
        </span>
    );
}
