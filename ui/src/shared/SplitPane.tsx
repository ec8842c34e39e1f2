import { useRef, useState, type KeyboardEvent, type PointerEvent, type ReactNode } from "react";

import { cx } from "./cx";
import { useRemembered } from "./hooks";

export interface SplitPaneProps {
    /** Under this name the width is remembered. */
    id: string;
    /** What is resized, for who does not see the line. */
    label: string;
    /** Which of the two keeps its width. */
    fixed?: "start" | "end";
    /** In pixels at a zoom of 1, like all widths here. */
    initial: number;
    min: number;
    max: number;
    /** What the other one keeps, as far as the one with a width can give way down to `min`. */
    rest?: number;
    start: ReactNode;
    end: ReactNode;
    /** Hides the pane that keeps its width, without building the other one anew. */
    collapsed?: boolean;
    className?: string;
}

/** The root's font size at a zoom of 1: widths follow it. */
const REM = 16;

const zoomNow = () => parseFloat(getComputedStyle(document.documentElement).fontSize) / REM || 1;

/** Two panes with a line between them that can be moved by hand and by arrow keys. */
export function SplitPane({
    id,
    label,
    fixed = "start",
    initial,
    min,
    max,
    rest = 0,
    start,
    end,
    collapsed = false,
    className,
}: SplitPaneProps) {
    const [kept, remember] = useRemembered(`pane.${id}`, initial);
    const [dragged, setDragged] = useState<number | undefined>();
    const from = useRef({ x: 0, width: 0 });
    const clamp = (width: number) => Math.min(max, Math.max(min, Math.round(width)));
    const width = clamp(dragged ?? (typeof kept === "number" ? kept : initial));
    const sign = fixed === "start" ? 1 : -1;

    /** It may be narrower than it is remembered, where the other one needs the room. */
    const shownWidth = (line: HTMLElement) => {
        const pane = fixed === "start" ? line.previousSibling : line.nextSibling;
        const shown = pane instanceof HTMLElement ? pane.offsetWidth / zoomNow() : 0;
        return shown > 0 ? clamp(shown) : width;
    };
    const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
        if (event.button !== 0) return;
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
        from.current = { x: event.clientX, width: shownWidth(event.currentTarget) };
        setDragged(from.current.width);
    };
    const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
        if (dragged === undefined) return;
        setDragged(clamp(from.current.width + (sign * (event.clientX - from.current.x)) / zoomNow()));
    };
    const drop = () => {
        if (dragged === undefined) return;
        // A click alone sets nothing: the pane may be narrower than it is remembered.
        if (dragged !== from.current.width) remember(dragged);
        setDragged(undefined);
    };
    const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
        const step = event.shiftKey ? 64 : 16;
        const now = shownWidth(event.currentTarget);
        const next =
            event.key === "ArrowLeft"
                ? now - sign * step
                : event.key === "ArrowRight"
                  ? now + sign * step
                  : event.key === "Home"
                    ? min
                    : event.key === "End"
                      ? max
                      : undefined;
        if (next === undefined) return;
        event.preventDefault();
        remember(clamp(next));
    };
    const line = (
        <div
            key="line"
            hidden={collapsed}
            role="separator"
            tabIndex={0}
            aria-label={`Width of ${label}`}
            aria-orientation="vertical"
            aria-valuenow={width}
            aria-valuemin={min}
            aria-valuemax={max}
            onPointerDown={onPointerDown}
            onPointerMove={onPointerMove}
            onPointerUp={drop}
            onPointerCancel={drop}
            onDoubleClick={() => remember(initial)}
            onKeyDown={onKeyDown}
            className={cx(
                "relative z-10 w-px shrink-0 cursor-col-resize touch-none bg-hairline after:absolute after:inset-y-0 after:-inset-x-1 hover:bg-ink-faint focus-visible:bg-accent focus-visible:outline-offset-0",
                dragged !== undefined && "bg-accent",
            )}
        />
    );
    // What is clipped can't be scrolled either: texts for screen readers reach below a pane, and a jump to a place in it would move all of it.
    const sized = (content: ReactNode) => (
        <div
            key="sized"
            hidden={collapsed}
            className="h-full overflow-clip"
            style={{ width: `${width / REM}rem`, minWidth: `${min / REM}rem` }}
        >
            {content}
        </div>
    );
    const other = (content: ReactNode) => (
        <div
            key="rest"
            className="h-full min-w-0 flex-1 overflow-clip"
            style={collapsed ? undefined : { minWidth: `${rest / REM}rem` }}
        >
            {content}
        </div>
    );
    return (
        <div className={cx("flex h-full min-h-0 w-full min-w-0", dragged !== undefined && "select-none", className)}>
            {fixed === "start" ? [sized(start), line, other(end)] : [other(start), line, sized(end)]}
        </div>
    );
}
