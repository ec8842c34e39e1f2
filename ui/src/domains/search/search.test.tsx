import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";

import type { ContentHits, ContentQuery, SessionHit, SessionRow } from "@/backend";
import { mockTransport } from "@/backend/mock-transport";

import { TooltipProvider } from "@/shared";

import { SearchPage } from "./SearchPage";

const row = (session: string): SessionRow => ({
    session,
    title: `Session ${session}`,
    createdAt: 0,
    updatedAt: 0,
    runs: 1,
    latest: null,
    flagged: false,
    unread: false,
    archived: false,
    deleted: false,
    hasDraft: false,
    stale: 0,
    connection: "",
    model: "",
    connectionGone: false,
    workspace: "",
    status: "todo",
    labels: [],
    preview: "",
    messages: 1,
    mode: "ask",
});
const nothing: ContentHits = {
    sessions: [],
    more: false,
    mistakes: [],
    meant: null,
    suggested: null,
    completions: { items: [], replace: { start: 0, end: 0 } },
};

const hit = (id: string): SessionHit => ({ session: row(id), title: [], messages: [], found: 0 });

it("lists a session once that moved to the page before, and reads on behind what was read", async () => {
    const core = mockTransport();
    core.answers = {
        content_search: ({ after = 0 }: ContentQuery): ContentHits => ({
            ...nothing,
            sessions: after === 0 ? [hit("a"), hit("b")] : after === 2 ? [hit("b"), hit("c")] : [hit("d")],
            more: after < 4,
        }),
    };
    render(<SearchPage line="audit" />, { wrapper: TooltipProvider });
    await userEvent.click(await screen.findByRole("button", { name: "More sessions" }));
    await screen.findByText("Session c");
    expect(screen.getAllByText("Session b")).toHaveLength(1);
    await userEvent.click(screen.getByRole("button", { name: "More sessions" }));
    await screen.findByText("Session d");
    expect(core.asked.flatMap(({ params }) => (params as ContentQuery | null)?.after ?? [])).toEqual([2, 4]);
});

it("offers the line with words that many texts have, and searches for it", async () => {
    const core = mockTransport();
    core.answers = {
        content_search: ({ line }: ContentQuery) =>
            line === "depreciatoin" ? { ...nothing, suggested: "depreciation" } : nothing,
    };
    render(<SearchPage line="depreciatoin" />, { wrapper: TooltipProvider });
    await userEvent.click(await screen.findByRole("button", { name: "depreciation" }));
    const field = screen.getByRole("combobox", { name: "Search all sessions" });
    expect(field).toHaveProperty("value", "depreciation");
    // What was pressed goes away.
    expect(document.activeElement).toBe(field);
    await expect.poll(() => screen.queryByText(/Did you mean/)).toBeNull();
});
