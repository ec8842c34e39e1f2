import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";

import { forget } from "@/backend/query";
import { setStage, type Stage } from "@/backend/stage";
import { forgetSettings } from "@/domains/settings";

import { AgentConnection } from "./AgentConnection";

let stage: Stage;
beforeEach(() => {
    forget();
    forgetSettings();
    stage = setStage();
    stage.answers = {
        settings_show: { agentConnections: { other: "acme" } },
        settings_update: (patch: unknown) => ({ ...(stage.answers.settings_show as object), ...(patch as object) }),
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
    const changes = stage.asked.filter(({ name }) => name === "settings_update").map(({ params }) => params);
    expect(changes).toEqual([{ agentConnections: { other: "acme", isa: "acme" } }]);
});

test("an agent whose connection is gone says so", async () => {
    stage.answers.settings_show = { agentConnections: { isa: "removed" } };
    await show();
    expect(await screen.findByText(/“removed” no longer exists/)).toBeTruthy();
});
