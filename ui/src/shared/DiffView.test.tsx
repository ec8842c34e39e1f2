import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";

import { DiffView, languageOf } from "./DiffView";
import { TooltipProvider } from "./Tooltip";

const show = (before: string, after: string) =>
    render(<DiffView path="notes.txt" before={before} after={after} />, { wrapper: TooltipProvider });
const marked = (container: HTMLElement) => [...container.querySelectorAll("mark")].map((mark) => mark.textContent);

it("marks the words that changed within a line, on both sides", () => {
    const line = "the materiality of the group is set at five per cent of profit";
    const { container } = show(`${line}\nend`, `${line.replace("five", "seven")}\nend`);
    expect(marked(container)).toEqual(["five", "seven"]);
    expect(container.textContent).toContain("per cent of profit");
});

it("marks nothing where a line has another's place and nothing in common with it", () => {
    const { container } = show("alpha beta gamma", "one two three");
    expect(marked(container)).toEqual([]);
    expect(container.textContent).toContain("alpha beta gamma");
    expect(screen.getByText("+1")).toBeTruthy();
});

it("knows no language by a name that every object has", () => {
    expect(["a.rs", "a.constructor", "a.toString", "a"].map(languageOf)).toEqual([
        "rust",
        undefined,
        undefined,
        undefined,
    ]);
});
