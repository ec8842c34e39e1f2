import { act, render } from "@testing-library/react";
import { useRef } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { anchorOf, useFlash } from "./flash";

describe("the message of an address", () => {
    it("is a turn, and perhaps a step of it", () => {
        expect(anchorOf("run-1")).toEqual({ turn: "run-1", step: undefined });
        expect(anchorOf("run-1/m2")).toEqual({ turn: "run-1", step: "m2" });
        expect(anchorOf("run-1/a/b")).toEqual({ turn: "run-1", step: "a/b" });
        expect([anchorOf(undefined), anchorOf("")]).toEqual([undefined, undefined]);
    });
});

describe("a message that a link leads to", () => {
    const marked: Element[] = [];
    beforeEach(() => {
        vi.useFakeTimers({ toFake: ["requestAnimationFrame", "cancelAnimationFrame"] });
        marked.length = 0;
        Element.prototype.animate = function animate(this: Element) {
            marked.push(this);
            return {} as Animation;
        };
    });
    afterEach(() => {
        vi.useRealTimers();
        Reflect.deleteProperty(Element.prototype, "animate");
    });
    function Page({ message, step }: { message: string; step: boolean }) {
        const box = useRef<HTMLDivElement>(null);
        useFlash(box, message, true);
        return (
            <div ref={box}>
                <section data-turn="r1">
                    <p>Words</p>
                    {step && <p data-step="m1">Step</p>}
                </section>
            </div>
        );
    }
    const frames = (count: number) => act(() => void vi.advanceTimersByTime(count * 17));

    it("is marked once it is drawn", () => {
        const { rerender, container } = render(<Page message="r1/m1" step={false} />);
        frames(5);
        expect(marked).toEqual([]);
        rerender(<Page message="r1/m1" step />);
        frames(2);
        expect(marked).toEqual([container.querySelector("[data-step]")]);
    });

    it("is its turn where the step stands nowhere by itself", () => {
        const { container } = render(<Page message="r1/gone" step={false} />);
        frames(80);
        expect(marked).toEqual([container.querySelector("[data-turn]")]);
    });

    it("is nothing where there is no such turn", () => {
        render(<Page message="other" step />);
        frames(80);
        expect(marked).toEqual([]);
    });
});
