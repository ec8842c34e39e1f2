import { useEffect, useRef, useState } from "react";

import { CodeBlock } from "../CodeBlock";
import { useMediaQuery } from "../hooks";
import { Fold } from "../notices";
import { useAppearance } from "../theme/appearance";
import { drawDiagram, type DiagramColours, type Picture } from "./diagram-frame";

/** Colours are read where the diagram will stand: a canvas turns any notation into plain numbers. */
function coloursAt(place: Element): DiagramColours {
    const probe = document.createElement("span");
    // Where motion is reduced every change is a very short transition, and what is read first is its beginning.
    probe.style.transition = "none";
    place.append(probe);
    const read = (token: string) => {
        probe.style.color = `var(--${token})`;
        return getComputedStyle(probe).color;
    };
    const colours = {
        dark: getComputedStyle(place).colorScheme.includes("dark"),
        ink: read("ink"),
        line: read("hairline-strong"),
        fill: read("sunken"),
        page: read("surface"),
        accent: read("accent"),
    };
    probe.remove();
    return colours;
}

/** Halves of characters, which no address can have, are replaced. */
const whole = (text: string) => text.replace(/\p{Surrogate}/gu, "\ufffd");

/** A diagram as a picture; its source while it is drawn, and where it can't be. */
export function Diagram({ source }: { source: string }) {
    const place = useRef<HTMLElement>(null);
    const [picture, setPicture] = useState<Picture | undefined>();
    const [problem, setProblem] = useState<string | undefined>();
    const [{ colours, mode }] = useAppearance();
    const dark = useMediaQuery("(prefers-color-scheme: dark)");
    useEffect(() => {
        if (place.current === null) return;
        let gone = false;
        drawDiagram(source, coloursAt(place.current)).then(
            (drawn) => {
                if (gone) return;
                setPicture(drawn);
                setProblem(undefined);
            },
            (thrown: unknown) => !gone && setProblem(thrown instanceof Error ? thrown.message : String(thrown)),
        );
        return () => {
            gone = true;
        };
    }, [source, colours, mode, dark]);
    return (
        <figure ref={place} className="my-3">
            {picture === undefined ? (
                <>
                    {problem !== undefined && (
                        <p className="font-ui text-small text-needs">This diagram could not be drawn: {problem}</p>
                    )}
                    <CodeBlock code={source} language="mermaid" colour={false} />
                </>
            ) : (
                <>
                    <div className="overflow-x-auto">
                        <img
                            src={`data:image/svg+xml;charset=utf-8,${encodeURIComponent(whole(picture.svg))}`}
                            alt="Diagram; source below"
                            width={picture.width}
                            height={picture.height}
                            className="h-auto max-w-full"
                        />
                    </div>
                    <Fold label="Diagram source" className="mt-1 font-ui">
                        <CodeBlock code={source} language="mermaid" colour={false} />
                    </Fold>
                </>
            )}
        </figure>
    );
}
