// Runs in the sandboxed frame `mermaid.html`: draws a diagram from its source and gives the picture back. Nothing of the window is reachable from here,
// and nothing from the network: what arrives is hostile text.

import mermaid from "mermaid";

interface Request {
    id: number;
    source: string;
    colours: { dark: boolean; ink: string; line: string; fill: string; page: string; accent: string };
}

/** What a diagram's own directives must not change. */
const SECURE = [
    "secure",
    "securityLevel",
    "startOnLoad",
    "maxTextSize",
    "maxEdges",
    "htmlLabels",
    "flowchart",
    "themeCSS",
    "themeVariables",
    "theme",
    "fontFamily",
    "altFontFamily",
    "suppressErrorRendering",
    "dompurifyConfig",
];
/** A picture has no fonts of the page: words are measured in one that every picture has. */
const FONT = "sans-serif";

// The content security policy refuses style elements, and without styles words are measured wrongly. Their rules go into a
// sheet made by code, which it allows: they are the drawing library's own, sanitised.
const sheet = new CSSStyleSheet();
document.adoptedStyleSheets = [sheet];
const insertBefore = Node.prototype.insertBefore;
Node.prototype.insertBefore = function <T extends Node>(this: Node, node: T, child: Node | null): T {
    if (node instanceof Element && node.localName === "style")
        sheet.replaceSync((node.textContent ?? "").replace(/@import[^;]*;?/gi, ""));
    return insertBefore.call(this, node, child) as T;
};

// A node may name a picture to show, which the drawing library fetches before anything is sanitised. Here no image has a source.
for (const name of ["src", "srcset"])
    Object.defineProperty(HTMLImageElement.prototype, name, { get: () => "", set: () => {} });

function hex(colour: string): string {
    const numbers = /rgba?\((\d+)[, ]+(\d+)[, ]+(\d+)/.exec(colour);
    if (numbers === null) return "#808080";
    return `#${numbers
        .slice(1, 4)
        .map((part) => Number(part).toString(16).padStart(2, "0"))
        .join("")}`;
}

function configure(colours: Request["colours"]): void {
    const [ink, line, fill, page] = [hex(colours.ink), hex(colours.line), hex(colours.fill), hex(colours.page)];
    mermaid.initialize({
        startOnLoad: false,
        securityLevel: "strict",
        secure: SECURE,
        htmlLabels: false,
        flowchart: { htmlLabels: false, useMaxWidth: false },
        maxTextSize: 20_000,
        maxEdges: 300,
        suppressErrorRendering: true,
        deterministicIds: true,
        fontFamily: FONT,
        theme: "base",
        themeVariables: {
            darkMode: colours.dark,
            fontFamily: FONT,
            fontSize: "14px",
            background: page,
            primaryColor: fill,
            primaryTextColor: ink,
            primaryBorderColor: line,
            secondaryColor: fill,
            tertiaryColor: page,
            lineColor: line,
            textColor: ink,
            mainBkg: fill,
            nodeBorder: line,
            clusterBkg: page,
            clusterBorder: line,
            edgeLabelBackground: page,
            titleColor: ink,
            noteBkgColor: fill,
            noteTextColor: ink,
            noteBorderColor: line,
        },
    });
}

/** The picture with a size of its own: an image knows no parent to fill. */
function sized(text: string): { svg: string; width: number; height: number } {
    const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
    const root = parsed.documentElement;
    const box = (root.getAttribute("viewBox") ?? "0 0 600 400").split(/[\s,]+/).map(Number);
    const width = Math.ceil(box[2] ?? 600);
    const height = Math.ceil(box[3] ?? 400);
    root.setAttribute("width", String(width));
    root.setAttribute("height", String(height));
    for (const odd of parsed.querySelectorAll("script, foreignObject, iframe, image, use[href^='http'], a")) {
        if (odd.localName === "a") odd.replaceWith(...odd.childNodes);
        else odd.remove();
    }
    return { svg: new XMLSerializer().serializeToString(root), width, height };
}

async function draw({ id, source, colours }: Request): Promise<void> {
    const tell = (answer: unknown) => window.parent.postMessage(answer, "*");
    try {
        configure(colours);
        const { svg } = await mermaid.render(`d${id}`, source);
        tell({ id, ...sized(svg) });
    } catch (thrown) {
        tell({ id, error: thrown instanceof Error ? thrown.message : String(thrown) });
    } finally {
        document.body.replaceChildren();
    }
}

window.addEventListener("message", (event: MessageEvent<Request>) => {
    if (event.source !== window.parent || typeof event.data?.source !== "string") return;
    void draw(event.data);
});
window.parent.postMessage({ ready: true }, "*");
