import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";

import { forget } from "@/backend/query";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { forgetSettings } from "@/domains/settings";

import { AgentConnection } from "./AgentConnection";

let core: MockTransport;
beforeEach(() => {
    forget();
    forgetSettings();
    core = mockTransport();
    core.answers = {
        settings_show: { agentConnections: { other: "acme" } },
        settings_update: (patch: unknown) => ({ ...(core.answers.settings_show as object), ...(patch as object) }),
        connection_list: [
            { slug: "acme", name: "Acme", credential: "stored", problem: null },
            { slug: "bare", name: "Bare", credential: "missing", problem: null },
        ],
    };
});

async function show() {
    render(<AgentConnection slug="isa" />);
    await act(async () => {});
    return userEvent.setup();
}

test("an agent is given a connection of its own, and the others keep theirs", async () => {
    const user = await show();
    await user.click(await screen.findByRole("combobox", { name: "Connection of this agent" }));
    expect(screen.getByRole("option", { name: /Bare/ }).textContent).toContain("Key missing");
    await user.click(screen.getByRole("option", { name: "Acme" }));
    const changes = core.asked.filter(({ name }) => name === "settings_update").map(({ params }) => params);
    expect(changes).toEqual([{ agentConnections: { other: "acme", isa: "acme" } }]);
});

test("an agent whose connection is gone says so", async () => {
    core.answers.settings_show = { agentConnections: { isa: "removed" } };
    await show();
    expect(await screen.findByText(/“removed” no longer exists/)).toBeTruthy();
});
