// The frame in which diagrams are drawn: a sandboxed document of its own origin, which gives back a picture. It can reach nothing of the window, and
// the window shows what it gives as an image, in which nothing runs and nothing loads.

export interface DiagramColours {
    dark: boolean;
    ink: string;
    line: string;
    fill: string;
    page: string;
    accent: string;
}

export interface DiagramRequest {
    id: number;
    source: string;
    colours: DiagramColours;
}

export type DiagramAnswer =
    { ready: true } | { id: number; svg: string; width: number; height: number } | { id: number; error: string };

export interface Picture {
    svg: string;
    width: number;
    height: number;
}

/** A source longer than this is not drawn. */
export const MAX_SOURCE_CHARS = 20_000;
const MAX_PICTURE_CHARS = 2_000_000;
/** Loading the drawing code may take a slow machine longer than drawing may. */
const LOAD_MS = 10_000;
const DRAW_MS = 2_000;

interface Frame {
    element: HTMLIFrameElement;
    ready: Promise<void>;
}

let frame: Frame | undefined;
let count = 0;
/** One at a time: a slow diagram holds up the others, never the window. */
let queue: Promise<unknown> = Promise.resolve();
const kept = new Map<string, Picture>();
const KEPT = 60;

/** The frame is fine, the source is not. */
class Undrawable extends Error {}

function fail(why: string): Error {
    return new Error(why);
}

function listen<T>(
    element: HTMLIFrameElement,
    ms: number,
    late: string,
    accept: (answer: DiagramAnswer) => T | undefined,
): Promise<T> {
    return new Promise((resolve, reject) => {
        const timer = setTimeout(() => finish(() => reject(fail(late))), ms);
        const onMessage = (event: MessageEvent<DiagramAnswer>) => {
            if (event.source !== element.contentWindow || typeof event.data !== "object" || event.data === null) return;
            try {
                const accepted = accept(event.data);
                if (accepted !== undefined) finish(() => resolve(accepted));
            } catch (thrown) {
                finish(() => reject(thrown instanceof Error ? thrown : fail(String(thrown))));
            }
        };
        const finish = (then: () => void) => {
            clearTimeout(timer);
            window.removeEventListener("message", onMessage);
            then();
        };
        window.addEventListener("message", onMessage);
    });
}

function openFrame(): Frame {
    const element = document.createElement("iframe");
    element.setAttribute("sandbox", "allow-scripts");
    element.src = "mermaid.html";
    element.title = "Diagram renderer";
    element.tabIndex = -1;
    element.setAttribute("aria-hidden", "true");
    // It needs a size to measure words in, and must not be seen.
    element.className = "pointer-events-none fixed -top-[2000px] left-0 h-[800px] w-[1200px] opacity-0";
    const ready = listen(element, LOAD_MS, "The diagram renderer did not load.", (answer) =>
        "ready" in answer ? true : undefined,
    ).then(() => {});
    document.body.append(element);
    return { element, ready };
}

function closeFrame(): void {
    frame?.element.remove();
    frame = undefined;
}

async function drawNow(source: string, colours: DiagramColours): Promise<Picture> {
    frame ??= openFrame();
    const { element, ready } = frame;
    try {
        await ready;
        count += 1;
        const id = count;
        const answer = listen(element, DRAW_MS, "Rendering took too long.", (answer) => {
            if (!("id" in answer) || answer.id !== id) return undefined;
            if ("error" in answer) return { drawn: undefined, error: String(answer.error).slice(0, 300) };
            if (typeof answer.svg !== "string" || answer.svg.length > MAX_PICTURE_CHARS)
                throw fail("The image is too large.");
            return {
                drawn: { svg: answer.svg, width: Number(answer.width), height: Number(answer.height) },
                error: "",
            };
        });
        const request: DiagramRequest = { id, source, colours };
        element.contentWindow?.postMessage(request, "*");
        const { drawn, error } = await answer;
        if (drawn !== undefined) return drawn;
        throw new Undrawable(error);
    } catch (thrown) {
        // A frame that hangs is thrown away: the next diagram gets a new one.
        if (!(thrown instanceof Undrawable)) closeFrame();
        throw thrown;
    }
}

/** A diagram as a picture. Rejects with an error whose message is for a person. */
export function drawDiagram(source: string, colours: DiagramColours): Promise<Picture> {
    if (source.length > MAX_SOURCE_CHARS) return Promise.reject(fail("The diagram source is too long."));
    const key = `${JSON.stringify(colours)}\n${source}`;
    const known = kept.get(key);
    if (known !== undefined) return Promise.resolve(known);
    const drawn = queue.then(
        () => drawNow(source, colours),
        () => drawNow(source, colours),
    );
    queue = drawn.catch(() => {});
    return drawn.then((picture) => {
        if (kept.size >= KEPT) kept.delete(kept.keys().next().value ?? "");
        kept.set(key, picture);
        return picture;
    });
}
