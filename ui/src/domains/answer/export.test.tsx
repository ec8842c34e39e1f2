import { render, waitFor } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";

import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { Toasts, TooltipProvider } from "@/shared";

import { exportSession } from "./export";

let core: MockTransport;
const saved: { name: string; type: string; bytes: number[] }[] = [];

/** What the page says in its corner. */
function toasts(): string {
    const { container, unmount } = render(<Toasts />, { wrapper: TooltipProvider });
    const text = container.textContent ?? "";
    unmount();
    return text;
}

beforeEach(() => {
    core = mockTransport();
    saved.length = 0;
    let blob = new Blob();
    URL.createObjectURL = (made: Blob) => {
        blob = made;
        return "blob:x";
    };
    URL.revokeObjectURL = () => undefined;
    vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (this: HTMLAnchorElement) {
        const name = this.download;
        void blob.arrayBuffer().then((buffer) => {
            saved.push({ name, type: blob.type, bytes: [...new Uint8Array(buffer)] });
        });
    });
});

it("hands the browser the bytes of a document for Word", async () => {
    core.answers = {
        session_export: { name: "a.docx", path: "/data/a.docx", text: null, data: btoa("PK\u0003\u00ff") },
    };
    await exportSession("s", "docx", "run-1");
    await waitFor(() => expect(saved.length).toBe(1));
    expect(saved).toEqual([
        {
            name: "a.docx",
            type: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            bytes: [0x50, 0x4b, 3, 255],
        },
    ]);
    expect(core.asked).toEqual([{ name: "session_export", params: { session: "s", format: "docx", run: "run-1" } }]);
    expect(toasts()).toBe("");
});

it("says where a file is that is too large for the browser", async () => {
    core.answers = { session_export: { name: "a.pdf", path: "/data/a.pdf", text: null, data: null } };
    await exportSession("s", "pdf");
    expect(toasts()).toMatch(/^Exported to \/data\/a\.pdf, .*too large to download/);
    expect(saved).toEqual([]);
});
