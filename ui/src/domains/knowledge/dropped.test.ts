import { beforeEach, expect, it } from "vitest";

import { forget } from "@/backend/query";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";

import { calledAfter, freeName, ingestDropped } from "./dropped";

let core: MockTransport;
beforeEach(() => {
    forget();
    core = mockTransport();
});

it("calls a base after the folder, or after the folder that the files lie in", () => {
    expect(calledAfter(["/home/eva/Audit Manual/"])).toBe("Audit Manual");
    expect(calledAfter(["/home/eva/papers/a.pdf", "/home/eva/papers/b.pdf"])).toBe("papers");
    expect(calledAfter(["/data/uploads/upload-mb2x-3fz/a.pdf", "/data/uploads/upload-mb2x-3fz/b.pdf"])).toBe(
        "Documents",
    );
    expect(calledAfter(["/data/uploads/upload-mb2x-3fz/Deal Room"])).toBe("Deal Room");
});

it("never takes the name of another base", () => {
    expect(freeName("Handbook", [])).toBe("handbook");
    expect(freeName("Handbook", ["handbook", "handbook-2"])).toBe("handbook-3");
    expect(freeName("…", [])).toBe("documents");
});

it("gives the base of the same folder a new generation, and another folder a base of its own", async () => {
    const recipe = {
        base: "handbook",
        title: "Our handbook",
        paths: ["/a/handbook"],
        rules: "",
        model: "",
        watch: true,
    };
    core.answers = {
        base_list: [{ name: "handbook", shipped: false }],
        base_show: { recipe },
        base_ingest: { job: "j", subject: "handbook" },
    };
    await ingestDropped(["/a/handbook/"]);
    await ingestDropped(["/b/handbook"]);
    const asked = core.asked.filter(({ name }) => name === "base_ingest").map(({ params }) => params);
    expect(asked[0]).toEqual(recipe);
    expect(asked[1]).toMatchObject({ base: "handbook-2", title: "handbook", paths: ["/b/handbook"] });
});
