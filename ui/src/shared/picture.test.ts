import { expect, test } from "vitest";

import { isOpen } from "./Picture";

test("only a drawing that names no colour of its own takes that of the text", () => {
    const drawing = (stroke: string) => `data:image/svg+xml;base64,${btoa(`<svg stroke="${stroke}"/>`)}`;
    expect(isOpen(drawing("currentColor"))).toBe(true);
    expect(isOpen(drawing("#123456"))).toBe(false);
    expect(isOpen("data:image/png;base64,AAAA")).toBe(false);
    expect(isOpen("data:image/svg+xml;base64,not base64")).toBe(false);
});
