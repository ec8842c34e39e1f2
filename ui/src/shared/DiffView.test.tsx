import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
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

it("shows a line of any length to its end when asked, and says how much there is", async () => {
    const { container } = show("", `${"x".repeat(5_000)}end`);
    expect(container.textContent).not.toContain("end");
    await userEvent.setup().click(screen.getByRole("button", { name: "3,003 more characters" }));
    expect(container.textContent).toContain("xend");
});

it("says so where the ends of lines alone differ, and shows what nobody sees as a difference", () => {
    expect(show("a\nb\n", "a\r\nb\r\n").container.textContent).toContain("Only the ends of lines differ.");
    expect(show("", "").container.textContent).toContain("No differences.");
    expect(show("if (a)\n", "if (a\u{200b})\n").container.textContent).toContain("a<U+200B>");
});

it("knows no language by a name that every object has", () => {
    expect(["a.rs", "a.constructor", "a.toString", "a"].map(languageOf)).toEqual([
        "rust",
        undefined,
        undefined,
        undefined,
    ]);
});
