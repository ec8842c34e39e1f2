import { render, screen } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";

import type { SourceRow } from "@/backend";
import { forget } from "@/backend/query";
import { mockTransport } from "@/backend/mock-transport";

import { SourceRows } from "./SourceRows";

const row = (slug: string, icon?: string): SourceRow => ({
    slug,
    name: slug,
    description: "",
    kind: "api",
    icon,
    usedBy: [],
    shipped: false,
    enabled: true,
    status: "ready",
    statusDetail: "",
    tools: 1,
    changedTools: [],
    problems: [],
});

beforeEach(() => {
    forget();
});

test("a source shows the icon of its file, and the sign of all sources without one", async () => {
    mockTransport().answers.source_list = [row("desk", "📇"), row("lamp"), row("tower", "ABCDEFG")];
    render(<SourceRows />);
    const line = async (name: string) => await screen.findByRole("link", { name: new RegExp(name) });
    expect((await line("desk")).parentElement?.textContent).toContain("📇");
    expect((await line("lamp")).parentElement?.querySelector(".lucide-plug")).not.toBeNull();
    expect((await line("tower")).parentElement?.textContent).toContain("ABCD");
});
