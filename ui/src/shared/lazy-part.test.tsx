import { act, render, screen } from "@testing-library/react";
import { Component, useEffect, useState, type ReactNode } from "react";
import { expect, test, vi } from "vitest";

import { lazyPart, preloadParts } from "./lazy-part";

function Part({ word }: { word: string }) {
    return <p>{word}</p>;
}

test("loads a part when it is drawn, with something in its place until then", async () => {
    let give: (part: typeof Part) => void = () => {};
    const load = vi.fn(() => new Promise<typeof Part>((resolve) => (give = resolve)));
    const Later = lazyPart(load, <p>Waits</p>);
    expect(load).not.toHaveBeenCalled();
    render(<Later word="here" />);
    expect(screen.getByText("Waits")).toBeTruthy();
    await act(async () => {
        await Promise.resolve();
        give(Part);
    });
    expect(await screen.findByText("here")).toBeTruthy();
    expect(load).toHaveBeenCalledTimes(1);
});

test("draws at once what was loaded ahead", async () => {
    const Later = lazyPart(() => Promise.resolve(Part), <p>Waits</p>);
    await preloadParts();
    render(<Later word="here" />);
    expect(screen.getByText("here")).toBeTruthy();
});

test("keeps a part's state when the rest is loaded ahead meanwhile", async () => {
    let begun = 0;
    function Counting({ word }: { word: string }) {
        const [own] = useState(word);
        useEffect(() => {
            begun += 1;
        }, []);
        return <p>{own}</p>;
    }
    const Later = lazyPart(() => Promise.resolve(Counting));
    const { rerender } = render(<Later word="first" />);
    expect(await screen.findByText("first")).toBeTruthy();
    await preloadParts();
    rerender(<Later word="second" />);
    expect(screen.getByText("first")).toBeTruthy();
    expect(begun).toBe(1);
});

test("goes on with the rest when a part can't be loaded", async () => {
    let tries = 0;
    lazyPart(() => {
        tries += 1;
        return Promise.reject(new Error("offline"));
    });
    const Later = lazyPart(() => Promise.resolve(Part));
    await preloadParts();
    await preloadParts();
    expect(tries).toBe(2);
    render(<Later word="here" />);
    expect(screen.getByText("here")).toBeTruthy();
});

test("is loaded again when it is drawn again after a failure", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    class Around extends Component<{ children: ReactNode }, { failed: boolean }> {
        override state = { failed: false };
        static getDerivedStateFromError() {
            return { failed: true };
        }
        override render() {
            return this.state.failed ? (
                <button type="button" onClick={() => this.setState({ failed: false })}>
                    Try again
                </button>
            ) : (
                this.props.children
            );
        }
    }
    const load = vi.fn<() => Promise<typeof Part>>(() => Promise.resolve(Part));
    load.mockRejectedValueOnce(new Error("offline"));
    const Later = lazyPart(load);
    render(
        <Around>
            <Later word="here" />
        </Around>,
    );
    const again = await screen.findByText("Try again");
    act(() => again.click());
    expect(await screen.findByText("here")).toBeTruthy();
    expect(load).toHaveBeenCalledTimes(2);
    vi.restoreAllMocks();
});
