import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";

import type { AgentStage } from "@/backend";

import { StageDiagram } from "./StageDiagram";

const stage = (id: string, dependsOn: string[], more: Partial<AgentStage> = {}): AgentStage => ({
    id,
    name: id,
    title: id.toUpperCase(),
    kind: "model",
    dependsOn,
    pauses: false,
    when: null,
    tools: [],
    maxIterations: 0,
    ...more,
});

const STAGES = [
    stage("plan", [], { pauses: true }),
    stage("web", ["plan"], { kind: "tools", when: "depth.web", tools: ["net/search"] }),
    stage("base", ["plan"], { kind: "tools" }),
    stage("write", ["web", "base"], { maxIterations: 2 }),
    stage("verify", ["write"], { kind: "verify", maxIterations: 2 }),
];

beforeEach(() => {
    vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(1_000);
});

async function show() {
    render(<StageDiagram stages={STAGES} />);
    await act(async () => {});
    return userEvent.setup();
}
const focused = () => document.activeElement?.getAttribute("data-stage");

test("arrow keys follow the stages and move between parallel ones", async () => {
    const user = await show();
    await user.tab();
    expect(focused()).toBe("plan");
    await user.keyboard("{ArrowRight}");
    expect(focused()).toBe("web");
    await user.keyboard("{ArrowDown}");
    expect(focused()).toBe("base");
    await user.keyboard("{End}{ArrowLeft}");
    expect(focused()).toBe("write");
});

test("a stage says in words that it pauses, is optional, or is repaired", async () => {
    const user = await show();
    expect(screen.getByRole("button", { name: /PLAN.*pauses for you.*Model/ })).toBeTruthy();
    await user.click(screen.getByRole("button", { name: /WEB.*Tools, optional/ }));
    expect(screen.getByText("depth.web")).toBeTruthy();
    expect(screen.getByRole("link", { name: "net/search" }).getAttribute("href")).toBe("#/source/net");
    expect(screen.getByText("repair, at most 2")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: /VERIFY/ }));
    expect(screen.getByText(/at most 2 times/)).toBeTruthy();
    expect(screen.getByText("WRITE", { selector: "dd" })).toBeTruthy();
});
