// A table of contents: folded above a document, or beside it where there is room.

import { useEffect, useState, type MouseEvent, type ReactNode, type RefObject } from "react";

import { Fold, cx } from "@/shared";
import type { OutlineEntry } from "@/shared/markdown";

/** With so many headings a document has its contents with it. */
const LONG = 4;

interface ContentsProps {
    headings: readonly OutlineEntry[];
    /** The document's element. */
    scope: RefObject<HTMLDivElement | null>;
}

/** A document with its contents, where it is long. */
export function WithContents({ headings, scope, children }: ContentsProps & { children: ReactNode }) {
    const long = headings.length >= LONG;
    return (
        <div className="flex gap-10">
            <div className="min-w-0 flex-1">
                {long && <Contents headings={headings} scope={scope} folded />}
                <div ref={scope}>{children}</div>
            </div>
            {long && <Contents headings={headings} scope={scope} />}
        </div>
    );
}

function Contents({ headings, scope, folded = false }: ContentsProps & { folded?: boolean }) {
    const here = useReading(headings, scope, !folded);
    const jump = (event: MouseEvent, id: string) => {
        event.preventDefault();
        document.getElementById(id)?.scrollIntoView({ block: "start", behavior: "smooth" });
    };
    const links = (
        <ul>
            {headings.map((heading) => (
                <li key={heading.id}>
                    <a
                        href={`#${heading.id}`}
                        onClick={(event) => jump(event, heading.id)}
                        aria-current={heading.id === here ? "location" : undefined}
                        className={cx(
                            "block rounded-[4px] py-0.5 text-small hover:text-ink",
                            heading.id === here ? "font-medium text-ink" : "text-ink-2",
                        )}
                    >
                        {heading.text}
                    </a>
                </li>
            ))}
        </ul>
    );
    if (folded) {
        return (
            <nav aria-label="Contents" className="mb-3 @min-[54rem]:hidden print:hidden">
                <Fold label={`Contents, ${headings.length} sections`}>
                    <div className="mt-1 ml-[7px] border-l border-hairline pl-4">{links}</div>
                </Fold>
            </nav>
        );
    }
    return (
        <nav aria-label="Contents" className="hidden w-44 shrink-0 @min-[54rem]:block print:hidden">
            <div className="sticky top-4 max-h-[80vh] overflow-y-auto border-l border-hairline pl-4">{links}</div>
        </nav>
    );
}

/** The heading that is read now: the last one above the upper third. */
function useReading(
    headings: readonly OutlineEntry[],
    scope: RefObject<HTMLElement | null>,
    on: boolean,
): string | undefined {
    const [here, setHere] = useState<string | undefined>();
    useEffect(() => {
        const root = scope.current;
        if (root === null || !on) return;
        const seen = new Map<string, boolean>();
        const watcher = new IntersectionObserver(
            (entries) => {
                for (const entry of entries)
                    seen.set(entry.target.id, entry.boundingClientRect.top < (entry.rootBounds?.bottom ?? 0));
                const above = headings.filter((heading) => seen.get(heading.id) === true);
                setHere(above[above.length - 1]?.id ?? headings[0]?.id);
            },
            { rootMargin: "100000px 0px -66% 0px" },
        );
        for (const heading of headings) {
            const element = document.getElementById(heading.id);
            if (element !== null) watcher.observe(element);
        }
        return () => watcher.disconnect();
    }, [headings, scope, on]);
    return here;
}
