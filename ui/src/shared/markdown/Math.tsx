// Formulas as MathML, drawn by the browser itself: no styles, no fonts, no HTML strings on the page.

import { createElement, useEffect, useMemo, useState, type ReactNode } from "react";

type Katex = typeof import("katex").default;

/** A formula longer than this stays as it was written. */
const MAX_CHARS = 4_000;

let loaded: Katex | undefined;
let loading: Promise<Katex> | undefined;

function loadKatex(): Promise<Katex> {
    loading ??= import("katex").then((module) => (loaded = module.default));
    return loading;
}

const ELEMENTS = new Set(
    "math mrow mi mn mo ms mtext mspace mfrac msqrt mroot mstyle merror mpadded mphantom msub msup msubsup munder mover munderover mmultiscripts mtable mtr mtd menclose semantics none mprescripts".split(
        " ",
    ),
);
const ATTRIBUTES = new Set(
    "display displaystyle scriptlevel mathvariant stretchy fence separator form accent accentunder lspace rspace minsize maxsize symmetric largeop movablelimits width height depth voffset linethickness columnalign rowalign columnspacing rowspacing columnlines rowlines frame notation".split(
        " ",
    ),
);

/** The MathML elements of a tree; everything else is left out. */
function draw(node: Node, key: number): ReactNode {
    if (node.nodeType === Node.TEXT_NODE) return node.textContent;
    if (!(node instanceof Element)) return null;
    const name = node.localName.toLowerCase();
    if (!ELEMENTS.has(name)) return null;
    const properties: { [name: string]: string | number } = { key };
    for (const { name: attribute, value } of node.attributes) {
        if (ATTRIBUTES.has(attribute) && /^[\w .%+-]*$/.test(value)) properties[attribute] = value;
    }
    return createElement(name, properties, ...Array.from(node.childNodes, draw));
}

function elementsOf(katex: Katex, source: string, display: boolean): ReactNode {
    const text = katex.renderToString(source, {
        output: "mathml",
        displayMode: display,
        throwOnError: true,
        trust: false,
        strict: "ignore",
        maxExpand: 200,
        maxSize: 20,
    });
    // Parsed in a document that runs nothing and loads nothing.
    const math = new DOMParser().parseFromString(text, "text/html").querySelector("math");
    return math === null ? undefined : draw(math, 0);
}

export function Math({ source, display = false }: { source: string; display?: boolean }) {
    const [katex, setKatex] = useState<Katex | undefined>(() => loaded);
    useEffect(() => {
        if (katex !== undefined) return;
        let gone = false;
        // The source is a fine answer where the formulas' code can't be loaded.
        loadKatex().then(
            (module) => !gone && setKatex(() => module),
            () => {},
        );
        return () => {
            gone = true;
        };
    }, [katex]);
    const drawn = useMemo(() => {
        if (katex === undefined || source.length > MAX_CHARS) return undefined;
        try {
            return elementsOf(katex, source, display);
        } catch {
            return undefined;
        }
    }, [katex, source, display]);
    if (drawn !== undefined) return display ? <div className="overflow-x-auto py-1">{drawn}</div> : drawn;
    return display ? <pre tabIndex={0}>{source}</pre> : <code>{source}</code>;
}
