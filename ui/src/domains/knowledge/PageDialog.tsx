// A page of the file that a paragraph was taken from, with the passage marked.

import { ChevronLeft, ChevronRight, ExternalLink, ZoomIn, ZoomOut } from "lucide-react";
import { useEffect, useRef, useState, type KeyboardEvent } from "react";

import { call, shell, toProblem, type PagePicture, type Problem } from "@/backend";
import { Button, Dialog, ErrorCard, IconButton, Skeleton, count, toastProblem } from "@/shared";

/** Whose page is shown: a paragraph of a knowledge base, or of the one that a run read. */
export interface PageOf {
    base?: string;
    run?: string;
    id: string;
    quotes: readonly string[];
}

/** Widths as shares of the room for the page. */
const ZOOMS = [0.5, 0.75, 1, 1.25, 1.5, 2] as const;
const FIT = ZOOMS.indexOf(1);
/** The picture's width in pixels: sharp on screens of twice the usual density, and when it is enlarged. */
const PIXELS = 1_600;

interface Shown {
    picture: PagePicture | undefined;
    problem: Problem | undefined;
}

export function PageDialog({ of, onClose }: { of: PageOf; onClose: () => void }) {
    const [page, setPage] = useState<number | null>(null);
    const [zoom, setZoom] = useState<number>(FIT);
    const [{ picture, problem }, setShown] = useState<Shown>({ picture: undefined, problem: undefined });
    const room = useRef<HTMLDivElement>(null);
    const { base = null, run = null, id } = of;
    const quotes = JSON.stringify(of.quotes);
    useEffect(() => {
        let left = false;
        call("page_picture", { base, run, id, quotes: JSON.parse(quotes) as string[], page, width: PIXELS }).then(
            (drawn) => !left && setShown({ picture: drawn, problem: undefined }),
            (thrown: unknown) => !left && setShown((before) => ({ ...before, problem: toProblem(thrown) })),
        );
        return () => {
            left = true;
        };
    }, [base, run, id, quotes, page]);
    const turn = (by: number) => {
        if (picture === undefined) return;
        const next = picture.page + by;
        if (next >= 1 && next <= picture.pages) setPage(next);
    };
    const size = (by: number) => setZoom((at) => Math.min(Math.max(at + by, 0), ZOOMS.length - 1));
    const onKeyDown = (event: KeyboardEvent) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const deed = {
            ArrowLeft: () => turn(-1),
            ArrowRight: () => turn(1),
            "+": () => size(1),
            "-": () => size(-1),
        }[event.key];
        if (deed === undefined) return;
        event.preventDefault();
        deed();
    };
    /** The first mark comes into sight, a little below the upper edge. */
    const onLoad = () => {
        const [pane, mark] = [room.current, picture?.marks[0]];
        if (pane === null) return;
        const height = pane.scrollHeight;
        pane.scrollTop = mark === undefined ? 0 : Math.max(0, mark.y * height - pane.clientHeight / 3);
    };
    return (
        <Dialog
            open
            onOpenChange={(stays) => !stays && onClose()}
            title={picture === undefined ? "Page" : `${picture.file}, page ${picture.page}`}
            width="large"
        >
            {problem !== undefined && <ErrorCard title={problem.message} advice={problem.action ?? undefined} />}
            {picture === undefined && problem === undefined && <Skeleton lines={10} />}
            {picture !== undefined && (
                <div onKeyDown={onKeyDown}>
                    <div className="flex flex-wrap items-center gap-x-1 gap-y-2 pb-2">
                        <IconButton
                            label="Previous page"
                            shortcut="ArrowLeft"
                            size="small"
                            icon={<ChevronLeft size={16} strokeWidth={1.5} />}
                            disabled={picture.page <= 1}
                            onClick={() => turn(-1)}
                        />
                        <span className="px-1 text-small text-ink-2 tabular-nums">
                            {picture.page} of {picture.pages}
                        </span>
                        <IconButton
                            label="Next page"
                            shortcut="ArrowRight"
                            size="small"
                            icon={<ChevronRight size={16} strokeWidth={1.5} />}
                            disabled={picture.page >= picture.pages}
                            onClick={() => turn(1)}
                        />
                        <IconButton
                            label="Smaller"
                            shortcut="-"
                            size="small"
                            className="ml-2"
                            icon={<ZoomOut size={16} strokeWidth={1.5} />}
                            disabled={zoom === 0}
                            onClick={() => size(-1)}
                        />
                        <span className="w-11 text-center text-small text-ink-2 tabular-nums">
                            {Math.round((ZOOMS[zoom] ?? 1) * 100)} %
                        </span>
                        <IconButton
                            label="Larger"
                            shortcut="+"
                            size="small"
                            icon={<ZoomIn size={16} strokeWidth={1.5} />}
                            disabled={zoom === ZOOMS.length - 1}
                            onClick={() => size(1)}
                        />
                        <p role="status" className="min-w-0 flex-[1_1_12rem] px-2 text-small text-ink-2">
                            {picture.marks.length === 0
                                ? "The passage is not on this page."
                                : `The passage is marked, ${count(picture.marks.length, "line")}.`}
                        </p>
                        <OpenFile path={picture.path} file={picture.file} />
                    </div>
                    <div
                        ref={room}
                        tabIndex={0}
                        role="group"
                        data-autofocus
                        aria-label="The page; arrow keys turn it"
                        className="h-[64vh] overflow-auto rounded-control border border-hairline bg-page"
                    >
                        <img
                            src={`data:image/png;base64,${picture.png}`}
                            width={picture.width}
                            height={picture.height}
                            alt={`Page ${picture.page} of ${picture.file}`}
                            data-page={picture.page}
                            decoding="sync"
                            onLoad={onLoad}
                            className="mx-auto h-auto max-w-none"
                            style={{ width: `${(ZOOMS[zoom] ?? 1) * 100}%` }}
                        />
                    </div>
                </div>
            )}
        </Dialog>
    );
}

/** Opens the file in the program that the system has for it; a browser has no way to. */
function OpenFile({ path, file }: { path: string; file: string }) {
    const desktop = shell();
    if (desktop === undefined) return null;
    const open = () =>
        desktop
            .openPath(path)
            .catch((thrown: unknown) => toastProblem(toProblem(thrown), `${file} could not be opened`));
    return (
        <Button size="small" icon={<ExternalLink size={14} strokeWidth={1.5} />} onClick={() => void open()}>
            Open file
        </Button>
    );
}
