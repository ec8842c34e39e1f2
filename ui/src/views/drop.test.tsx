import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";

import { setTransport } from "@/backend/client";
import { mockTransport } from "@/backend/mock-transport";
import { Failure } from "@/backend/problem";
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

test("a browser, which hides where files lie, sends them, and the next question asks them", async () => {
    const core = mockTransport();
    core.answers.upload_write = { folder: "/data/uploads/u", bytes: 3 };
    show("#/usage");
    const drop = new Event("drop", { cancelable: true, bubbles: true });
    const file = new File(["abc"], "handbook.md");
    Object.assign(drop, { dataTransfer: { types: ["Files"], files: [file], items: [] } });
    await act(async () => void window.dispatchEvent(drop));
    expect(drop.defaultPrevented).toBe(true);
    await waitFor(() => expect(location.hash).toBe("#/new"));
    expect(takeCarried()).toEqual(["/data/uploads/u/handbook.md"]);
});

test("a browser stays on the page where the files can't be sent, and says why", async () => {
    const core = mockTransport();
    core.answers.upload_write = () => {
        throw new Failure({ code: "storage", message: "the disk is full", retryable: false });
    };
    show("#/usage");
    const drop = new Event("drop", { cancelable: true, bubbles: true });
    Object.assign(drop, { dataTransfer: { types: ["Files"], files: [new File(["abc"], "a.md")], items: [] } });
    await act(async () => void window.dispatchEvent(drop));
    expect(await screen.findByText(/The files were not sent: the disk is full/)).toBeTruthy();
    expect(location.hash).toBe("#/usage");
});

test("a page that takes what is dropped is left to do so", () => {
    show("#/new");
    fireEvent.dragOver(window, files);
    expect(screen.queryByText("Drop to ask a question about these files")).toBeNull();
});
