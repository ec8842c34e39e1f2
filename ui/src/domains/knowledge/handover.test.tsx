import { expect, it } from "vitest";

import { mockTransport } from "@/backend/mock-transport";

import { droppedFiles, handOver } from "./handOver";

it("reads a dropped folder below its folders, without what is hidden, and sends it in parts", async () => {
    const core = mockTransport();
    const file = (name: string, bytes: number) => ({
        name,
        isFile: true,
        isDirectory: false,
        file: (done: (file: File) => void) => done(new File([new Uint8Array(bytes)], name)),
    });
    const folder = (name: string, entries: object[]) => ({
        name,
        isFile: false,
        isDirectory: true,
        createReader: () => ({ readEntries: (done: (entries: object[]) => void) => done(entries.splice(0, 2)) }),
    });
    const room = folder("Deal Room", [
        file("lease.pdf", 5_000_000),
        file(".hidden", 3),
        folder("letters", [file("one.md", 4)]),
        folder(".git", [file("config", 9)]),
        file("empty.txt", 0),
    ]);
    const there: { [name: string]: number } = {};
    core.answers.upload_write = ({ name, at, data }: { name: string; at: number; data: string }) => {
        expect(there[name] ?? 0).toBe(at);
        there[name] = at + atob(data).length;
        return { folder: "/data/uploads/u", bytes: there[name] };
    };
    expect(await handOver(await droppedFiles([room as unknown as FileSystemEntry], []))).toEqual([
        "/data/uploads/u/Deal Room",
    ]);
    expect(there).toEqual({
        "Deal Room/lease.pdf": 5_000_000,
        "Deal Room/letters/one.md": 4,
        "Deal Room/empty.txt": 0,
    });
    expect(core.asked.filter(({ name }) => name === "upload_write")).toHaveLength(5);
});
