import { render, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";

import { TooltipProvider } from "../Tooltip";
import { Markdown } from "./Markdown";

it("shows the words at once, and their HTML when its parser is there", async () => {
    const text =
        "First.\n\n<details><summary>More</summary>\n\n**inside** <img src=x onerror=alert(1)>\n\n</details>\n\nLast <script>alert(1)</script>.";
    const { container } = render(<Markdown text={text} />, { wrapper: TooltipProvider });
    expect(container.textContent).toContain("First.");
    expect(container.textContent).toContain("inside");
    expect(container.querySelector("details, script, img")).toBeNull();
    const first = container.querySelector("p");
    await waitFor(() => expect(container.querySelector("details strong")?.textContent).toBe("inside"));
    expect(container.querySelector("script, img")).toBeNull();
    expect(container.querySelector("p")).toBe(first);
});
