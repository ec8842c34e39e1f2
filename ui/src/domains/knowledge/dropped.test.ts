import { beforeEach, expect, it } from "vitest";

import { forget } from "@/backend/query";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";

import { calledAfter, ingestDropped } from "./dropped";

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

it("leaves it to the core which base the files are", async () => {
    core.answers = { base_ingest: { job: "j", subject: "handbook" } };
    expect(await ingestDropped(["/a/handbook/"])).toMatchObject({ subject: "handbook" });
    const asked = core.asked.filter(({ name }) => name === "base_ingest").map(({ params }) => params);
    expect(asked).toMatchObject([{ base: "", title: "handbook", paths: ["/a/handbook/"] }]);
});
