import { act, cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";

import { problemText } from "./problem";
import { TooltipProvider } from "./Tooltip";
import { Toasts, clearToasts, toastProblem } from "./toast";

afterEach(() => {
    act(clearToasts);
    cleanup();
});

test("a problem is told in sentences, with what to do", () => {
    expect(problemText({ message: "there is no folder /x", action: "choose a folder by its whole path" })).toBe(
        "There is no folder /x. Choose a folder by its whole path.",
    );
    expect(problemText({ message: "the branch has moved" }, "Not merged")).toBe("Not merged: the branch has moved.");
    expect(problemText({ message: "Is it on?", action: null }, "Not sent")).toBe("Not sent: Is it on?");
    expect(problemText({ message: "it is busy: try later", action: "try later" })).toBe("It is busy: try later.");
});

test("a toast of a problem offers to try again only where that may help", () => {
    render(<Toasts />, { wrapper: TooltipProvider });
    const again = vi.fn();
    act(() => void toastProblem({ message: "it is wrong", retryable: false }, "Not run", again));
    expect(screen.queryByRole("button", { name: "Try again" })).toBeNull();
    act(
        () =>
            void toastProblem({ message: "no answer came", action: "run `doctor`", retryable: true }, "Not run", again),
    );
    expect(screen.getByText("doctor").tagName).toBe("CODE");
    act(() => screen.getByRole("button", { name: "Try again" }).click());
    expect(again).toHaveBeenCalledOnce();
});
