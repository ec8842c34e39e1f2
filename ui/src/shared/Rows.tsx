import type { KeyboardEvent, ReactNode } from "react";

import { cx } from "./cx";

const STEPS: Record<string, number> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };

/** A short list of links, one a line; j and k or the arrows move the focus. For long lists there is `VirtualList`. */
export function Rows({ label, children, className }: { label: string; children: ReactNode; className?: string }) {
    const onKeyDown = (event: KeyboardEvent<HTMLUListElement>) => {
        if (event.ctrlKey || event.altKey || event.metaKey) return;
        const links = [...event.currentTarget.querySelectorAll<HTMLAnchorElement>("a[data-row]")];
        const at = links.indexOf(document.activeElement as HTMLAnchorElement);
        if (at < 0) return;
        const step = STEPS[event.key];
        const next =
            step !== undefined
                ? links[at + step]
                : event.key === "Home"
                  ? links[0]
                  : event.key === "End"
                    ? links[links.length - 1]
                    : undefined;
        if (next === undefined) return;
        event.preventDefault();
        next.focus();
    };
    return (
        <ul aria-label={label} onKeyDown={onKeyDown} className={cx("border-y border-hairline", className)}>
            {children}
        </ul>
    );
}

export interface RowProps {
    href: string;
    icon?: ReactNode;
    title: ReactNode;
    /** Beside the title: badges. */
    marks?: ReactNode;
    /** One useful second line. */
    line?: ReactNode;
    /** At the end: numbers, time. */
    end?: ReactNode;
    /** Under the link, at full width: what is wrong. */
    below?: ReactNode;
}

export function Row({ href, icon, title, marks, line, end, below }: RowProps) {
    return (
        <li className="border-b border-hairline last:border-b-0">
            <a
                href={href}
                data-row
                className="ring-inside -mx-2 flex items-start gap-3 rounded-control px-2 py-2.5 text-ui hover:bg-hover"
            >
                {icon !== undefined && <span className="mt-0.5 shrink-0 text-ink-3">{icon}</span>}
                <span className="min-w-0 flex-1">
                    <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 sm:flex-nowrap [&>*+*]:shrink-0">
                        <span className="min-w-0 truncate font-medium">{title}</span>
                        {marks}
                    </span>
                    {line !== undefined && <span className="mt-0.5 block text-ink-2">{line}</span>}
                </span>
                {end !== undefined && <span className="tabular shrink-0 text-right text-small text-ink-3">{end}</span>}
            </a>
            {Boolean(below) && <div className="pb-3">{below}</div>}
        </li>
    );
}
