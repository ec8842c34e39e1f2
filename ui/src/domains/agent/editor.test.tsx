import { act, fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";

import type { AgentRow, FileEdit } from "@/backend";
import { forget } from "@/backend/query";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { TooltipProvider } from "@/shared";

import { AgentEditor } from "./AgentEditor";
import { MakeAgent } from "./MakeAgent";

const AGENT: AgentRow = {
    slug: "clerk",
    name: "Clerk",
    description: "Looks things up.",
    stages: 0,
    defaultDepth: null,
    depths: [],
    defaultCorpus: null,
    needsCorpus: false,
    examples: [],
    shipped: false,
    problems: [],
};
const PAGE = "---\nname: Clerk\ndescription: Looks things up.\n---\nLook it up.\n";

let core: MockTransport;
beforeEach(() => {
    forget();
    location.hash = "";
    core = mockTransport();
    core.answers = {
        agent_files: { own: true, files: [{ name: "AGENT.md", text: PAGE }] },
        agent_try: ({ files }: { files: FileEdit[] }) =>
            files.some(({ text }) => text.includes("[broken"))
                ? [
                      {
                          file: "agents/clerk/AGENT.md",
                          place: "line 2",
                          message: "expected YAML, found another text",
                      },
                  ]
                : [],
        agent_save: { agent: AGENT },
        agent_make: { agent: AGENT },
    };
});
const asked = (name: string) => core.asked.filter((each) => each.name === name).map((each) => each.params);
const button = (name: string) => screen.getByRole<HTMLButtonElement>("button", { name });

async function edit() {
    render(
        <TooltipProvider>
            <AgentEditor agent={AGENT} />
        </TooltipProvider>,
    );
    await act(async () => {});
    return await screen.findByRole("textbox", { name: "AGENT.md" });
}

test("what is typed is checked, and only what is right is saved", async () => {
    const user = userEvent.setup();
    const area = await edit();
    expect(button("Save").disabled).toBe(true);
    fireEvent.change(area, { target: { value: PAGE.replace("name: Clerk", "name: [broken") } });
    expect(await screen.findByText(/expected YAML/)).toBeTruthy();
    expect(button("Save").disabled).toBe(true);
    const right = PAGE.replace("Look it up.", "Look it up twice.");
    fireEvent.change(area, { target: { value: right } });
    expect(await screen.findByText("No problems found.")).toBeTruthy();
    await user.click(button("Save"));
    expect(asked("agent_save")).toEqual([{ slug: "clerk", files: [{ name: "AGENT.md", text: right, before: PAGE }] }]);
    expect(await screen.findByText("No changes.")).toBeTruthy();
});

test("a trial saves first and opens a conversation with the agent", async () => {
    const user = userEvent.setup();
    const area = await edit();
    fireEvent.change(area, { target: { value: `${PAGE}Be brief.\n` } });
    await screen.findByText("No problems found.");
    await user.click(button("Save and try"));
    expect(asked("agent_save")).toHaveLength(1);
    expect(location.hash).toBe("#/new?agent=clerk");
});

test("a copy is made under a name and opened for editing", async () => {
    const user = userEvent.setup();
    render(
        <TooltipProvider>
            <MakeAgent from={{ slug: "isa", name: "ISA Research" }} label="Copy" />
        </TooltipProvider>,
    );
    await user.click(button("Copy"));
    const name = screen.getByRole<HTMLInputElement>("textbox", { name: "Name" });
    expect(name.value).toBe("ISA Research (copy)");
    await user.clear(name);
    await user.type(name, "Tax");
    await user.click(button("Create and edit"));
    expect(asked("agent_make")).toEqual([{ name: "Tax", from: "isa" }]);
    expect(location.hash).toBe("#/agent/clerk?edit");
});
