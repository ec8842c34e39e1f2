import { ChevronLeft } from "lucide-react";
import type { ReactNode } from "react";

import { cx } from "./cx";
import { useTitle } from "./hooks";

export interface PageProps {
    title: ReactNode;
    /** A line under the title: what this is. */
    lead?: ReactNode;
    /** Beside the title: badges. */
    marks?: ReactNode;
    /** At the end of the title's line: buttons. */
    actions?: ReactNode;
    /** The page above. */
    back?: { label: string; href: string };
    /** `page`: the whole page scrolls. `inside`: the content fills the window's height and scrolls by itself. */
    scroll?: "page" | "inside";
    width?: "reading" | "wide";
    children: ReactNode;
}

/** A page with its heading. */
export function Page({ title, lead, marks, actions, back, scroll = "page", width = "wide", children }: PageProps) {
    const inside = scroll === "inside";
    useTitle(typeof title === "string" ? title : undefined);
    return (
        <div className={cx("min-h-0 flex-1", inside ? "flex flex-col overflow-hidden" : "overflow-y-auto")}>
            <div
                className={cx(
                    "mx-auto w-full px-6 pt-6",
                    width === "reading" ? "max-w-[47.5rem]" : "max-w-[64rem]",
                    inside ? "flex min-h-0 flex-1 flex-col" : "pb-12",
                )}
            >
                <header className="shrink-0">
                    {back !== undefined && (
                        <a
                            href={back.href}
                            className="-ml-1 mb-1 inline-flex items-center gap-0.5 rounded-[4px] pr-1 text-small text-ink-2 hover:text-ink"
                        >
                            <ChevronLeft size={14} strokeWidth={1.5} aria-hidden />
                            {back.label}
                        </a>
                    )}
                    <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
                        <div className="min-w-0 flex-1 basis-64">
                            <div className="flex flex-wrap items-center gap-2">
                                <h1 className="min-w-0 text-page font-semibold tracking-[-0.01em] break-words">
                                    {title}
                                </h1>
                                {marks}
                            </div>
                        </div>
                        {actions !== undefined && (
                            <div className="flex max-w-full shrink-0 flex-wrap gap-2">{actions}</div>
                        )}
                    </div>
                    {lead !== undefined && <p className="mt-1 max-w-[42rem] text-ui text-ink-2">{lead}</p>}
                </header>
                <div className={cx("mt-5", inside && "flex min-h-0 flex-1 flex-col")}>{children}</div>
            </div>
        </div>
    );
}

/** A part of a page under a heading of its own. */
export function Section({
    title,
    note,
    id,
    children,
    className,
}: {
    title: string;
    note?: ReactNode;
    id?: string;
    children: ReactNode;
    className?: string;
}) {
    return (
        <section aria-label={title} id={id} className={cx("mt-8 first:mt-0", className)}>
            <div className="mb-2 flex flex-wrap items-baseline gap-x-3">
                <h2 className="text-title font-semibold">{title}</h2>
                {note !== undefined && <span className="text-small text-ink-3">{note}</span>}
            </div>
            {children}
        </section>
    );
}

export interface Property {
    name: string;
    value: ReactNode;
}

/** Names with their values, one under the other. */
export function Properties({ items, className }: { items: Property[]; className?: string }) {
    return (
        <dl className={cx("grid grid-cols-[minmax(6rem,max-content)_minmax(0,1fr)] gap-x-6 text-ui", className)}>
            {items.map((item) => (
                <div
                    key={item.name}
                    className="col-span-2 grid grid-cols-subgrid border-b border-hairline py-1.5 last:border-b-0"
                >
                    <dt className="text-ink-2">{item.name}</dt>
                    <dd className="min-w-0 break-words">{item.value}</dd>
                </div>
            ))}
        </dl>
    );
}
