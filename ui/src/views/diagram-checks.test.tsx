import { act, render, waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";

import { mockTransport } from "@/backend/mock-transport";

import { useDiagramChecks } from "./useDiagramChecks";

vi.mock("@/shared/markdown/check", () => ({
    diagramProblem: (text: string) => Promise.resolve(text.includes("-->") ? null : "no arrow"),
}));

function Page() {
    useDiagramChecks();
    return null;
}

test("a page offers to check diagrams and answers each", async () => {
    const transport = mockTransport();
    render(<Page />);
    const asked = (name: string) => transport.asked.filter((each) => each.name === name).map(({ params }) => params);
    expect(asked("diagram_offer")).toHaveLength(1);
    await act(async () =>
        transport.tell(
            { event: "diagram", value: { id: "1", text: "graph TD; A-->B" } },
            { event: "diagram", value: { id: "2", text: "graph TD; A" } },
        ),
    );
    await waitFor(() => expect(asked("diagram_answer")).toHaveLength(2));
    expect(asked("diagram_answer")).toEqual(
        expect.arrayContaining([
            { id: "1", problem: null },
            { id: "2", problem: "no arrow" },
        ]),
    );
    await act(async () => transport.tell({ event: "lagged" }));
    expect(asked("diagram_offer")).toHaveLength(2);
});
