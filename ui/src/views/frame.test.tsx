import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";

import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { TooltipProvider } from "@/shared";

import { Boundary } from "./Boundary";
import { ConnectionBar } from "./ConnectionBar";

let core: MockTransport;

beforeEach(() => {
    core = mockTransport();
});

it("is silent while the line holds, and says what to do when it is lost", async () => {
    const { container } = render(<ConnectionBar />);
    act(() => core.connection({ state: "connected", attempt: 0 }));
    expect(container.textContent).toBe("");
    act(() => core.connection({ state: "reconnecting", attempt: 2 }));
    expect((await screen.findByRole("alert")).textContent).toContain("your text is kept");
    act(() => core.connection({ state: "lost", attempt: 4, advice: "Start it again." }));
    expect(screen.getByRole("alert").textContent).toContain("Start it again.");
    expect(screen.getByRole("button", { name: "Retry now" })).toBeTruthy();
});

it("keeps a page's defect to that page, and draws it again when asked", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    let broken = true;
    function Page() {
        if (broken) throw new Error("no such field");
        return <p>the page</p>;
    }
    render(
        <Boundary>
            <Page />
        </Boundary>,
        { wrapper: TooltipProvider },
    );
    expect(screen.getByRole("alert").textContent).toContain("no such field");
    broken = false;
    await userEvent.click(screen.getByRole("button", { name: "Try again" }));
    expect(screen.getByText("the page")).toBeTruthy();
    vi.restoreAllMocks();
});

it("forgets a page's defect with what is shown next", () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const Page = ({ id }: { id: string }) => {
        if (id === "broken") throw new Error("no such field");
        return <p>session {id}</p>;
    };
    const shown = (id: string) => (
        <Boundary of={id}>
            <Page id={id} />
        </Boundary>
    );
    const { rerender } = render(shown("broken"), { wrapper: TooltipProvider });
    expect(screen.getByRole("alert")).toBeTruthy();
    rerender(shown("sound"));
    expect(screen.getByText("session sound")).toBeTruthy();
    vi.restoreAllMocks();
});
