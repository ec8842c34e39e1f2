import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";

import { Failure } from "@/backend";
import { mockTransport } from "@/backend/mock-transport";

import { TooltipProvider } from "@/shared";

import RunView from "./RunView";

it("asks again whether it is a mission, where that could not be read", async () => {
    location.hash = "#/run/run-m";
    const core = mockTransport();
    core.answers = {
        run_show: () => {
            throw new Failure({ code: "not_found", message: "no such run", retryable: false });
        },
        mission_show: () => {
            throw new Failure({ code: "storage", message: "the disk is busy", retryable: true });
        },
    };
    render(<RunView />, { wrapper: TooltipProvider });
    const again = await screen.findByRole("button", { name: "Try again" });
    core.answers.mission_show = { session: "s1" };
    await userEvent.click(again);
    await waitFor(() => expect(location.hash).toBe("#/session/s1?run=run-m"));
});
