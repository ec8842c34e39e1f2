import { render, screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";

import { TooltipProvider } from "../Tooltip";
import { Markdown } from "./Markdown";

vi.mock("./render", async (original) => {
    const render = await original<typeof import("./render")>();
    return {
        ...render,
        elementsOf: (...given: Parameters<typeof render.elementsOf>) => {
            if (given[0].includes("boom"))
                throw new TypeError("Cannot read properties of undefined (reading 'length')");
            return render.elementsOf(...given);
        },
    };
});

it("shows a text that can't be drawn as it was written, and the rest of the page", () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const text = "# Before\n\nboom *x*\n\nAnd after.";
    const view = render(<Markdown text={text} />, { wrapper: TooltipProvider });
    expect(screen.getByRole("heading", { name: "Before" })).toBeTruthy();
    expect(view.container.querySelector("pre")?.textContent?.trim()).toBe("boom *x*");
    expect(screen.getByText("And after.")).toBeTruthy();
    // More of it came, and it can be drawn.
    view.rerender(<Markdown text={text.replace("boom", "bloom")} />);
    expect(view.container.querySelector("pre")).toBeNull();
    expect(view.container.querySelector("em")?.textContent).toBe("x");
});
