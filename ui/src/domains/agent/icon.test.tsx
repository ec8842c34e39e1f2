import { render } from "@testing-library/react";
import { expect, test } from "vitest";

import { AgentIcon } from "./AgentIcon";

test("an agent shows the picture of its folder, and the sign of all agents without one", () => {
    const { container, rerender } = render(<AgentIcon agent={{ icon: "data:image/svg+xml;base64,PHN2Zy8+" }} />);
    expect(container.querySelector("img")?.getAttribute("src")).toBe("data:image/svg+xml;base64,PHN2Zy8+");
    rerender(<AgentIcon agent={{ icon: null }} />);
    expect(container.querySelector("img")).toBeNull();
    expect(container.querySelector("svg")).not.toBeNull();
});
