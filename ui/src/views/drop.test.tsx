import { act, fireEvent, render, screen } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";

import { setTransport } from "@/backend/client";
import { mockTransport } from "@/backend/mock-transport";
import { takeCarried } from "@/domains/knowledge";
import { Toasts, TooltipProvider } from "@/shared";

import { DropAnywhere } from "./DropAnywhere";

const files = { dataTransfer: { types: ["Files"], files: [] } };

beforeEach(() => {
    mockTransport();
    takeCarried();
});

function show(hash: string) {
    location.hash = hash;
    render(
        <TooltipProvider>
            <DropAnywhere />
            <Toasts />
        </TooltipProvider>,
    );
}

test("what is dropped on a page without a use for it waits for the next question", async () => {
    let drop: ((paths: string[]) => void) | undefined;
    setTransport({
        call: () => Promise.resolve(undefined as never),
        listen: () => {},
        reconnect: () => {},
        shell: { onDrop: (handler: (paths: string[]) => void) => ((drop = handler), () => {}) },
    } as never);
    show("#/settings");
    fireEvent.dragOver(window, files);
    expect(screen.getByText("Drop to ask a question about these files")).toBeTruthy();
    await act(async () => drop?.(["/home/eva/manuals"]));
    expect(location.hash).toBe("#/new");
    expect(takeCarried()).toEqual(["/home/eva/manuals"]);
    expect(takeCarried()).toEqual([]);
});

test("a browser, which hides where files lie, says what to do and stays on the page", async () => {
    show("#/usage");
    const drop = new Event("drop", { cancelable: true, bubbles: true });
    Object.assign(drop, files);
    await act(async () => void window.dispatchEvent(drop));
    expect(drop.defaultPrevented).toBe(true);
    expect(await screen.findByText(/Add the folder on the Knowledge page/)).toBeTruthy();
    expect(location.hash).toBe("#/usage");
});

test("a page that takes what is dropped is left to do so", () => {
    show("#/new");
    fireEvent.dragOver(window, files);
    expect(screen.queryByText("Drop to ask a question about these files")).toBeNull();
});
