// Whether a diagram can be drawn, in words.

import { drawDiagram } from "./diagram-frame";

/** Colours do not matter where nobody looks. */
const PLAIN = {
    dark: false,
    ink: "rgb(0,0,0)",
    line: "rgb(0,0,0)",
    fill: "rgb(255,255,255)",
    page: "rgb(255,255,255)",
    accent: "rgb(0,0,0)",
};

/** Why a diagram can't be drawn; nothing where it can. */
export async function diagramProblem(source: string): Promise<string | null> {
    try {
        await drawDiagram(source, PLAIN);
        return null;
    } catch (thrown) {
        return thrown instanceof Error ? thrown.message : String(thrown);
    }
}
