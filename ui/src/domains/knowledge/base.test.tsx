import { act, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";

import { forget } from "@/backend/query";
import { setStage, type Stage } from "@/backend/stage";
import { useRoute } from "@/routes";
import { ConfirmHost, InspectorContext, Toasts, TooltipProvider } from "@/shared";

import { BasePage } from "./BasePage";

const TEXT = "Materiality is set when the audit is planned.";
const paragraph = { id: "4.1", citation: "(P 4.1)", document: "Primer", heading: "Materiality", text: TEXT };
const base = { name: "own", title: "Own texts", tier: "guide", citation: "(P {id})", documents: 1, paragraphs: 1, references: 3, generation: "g1", createdAt: 1, shipped: false, bytes: 2_000 };

let stage: Stage;

beforeEach(() => {
    forget();
    location.hash = "/knowledge/own";
    stage = setStage();
    stage.answers = {
        base_show: { base, sources: [{ name: "a.md", paragraphs: 1, bytes: 2_000 }], documents: [{ name: "Primer", paragraphs: 1, bytes: 0 }] },
        base_list: [base],
        base_paragraphs: { paragraphs: [paragraph], total: 1, next: null },
        base_search: { terms: ["materiality"], hits: [{ paragraph, score: 2, words: 1, matched: ["materiality"], path: ["3.2", "3.9"], highlights: [{ start: 0, end: 11 }] }], ms: 1.5 },
        paragraph_show: { base: "own", baseTitle: "Own texts", tier: "guide", ...paragraph, headings: ["Materiality"], highlights: [], before: [], after: [{ id: "4.2", citation: "(P 4.2)", text: "It is revised." }], linked: [] },
        base_remove: null,
        job_list: [],
    };
});

function Place() {
    const route = useRoute();
    return route.page === "base" ? <BasePage base={route.base} query={route.query ?? ""} paragraph={route.paragraph} /> : <p>Elsewhere</p>;
}

async function show() {
    render(
        <InspectorContext value={{ place: null, narrow: true, setOpen: () => {} }}>
            <TooltipProvider>
                <Place />
                <ConfirmHost />
                <Toasts />
            </TooltipProvider>
        </InspectorContext>,
    );
    await act(async () => {});
    return userEvent.setup();
}

test("a search explains each hit, and what was found stays marked where it is read", async () => {
    const user = await show();
    await user.click(screen.getByRole("searchbox"));
    await user.paste("materiality");
    const hit = await screen.findByRole("button", { name: /P 4\.1.*has materiality.*reached over 3\.2 → 3\.9/ });
    expect(hit.querySelector("mark")?.textContent).toBe("Materiality");
    await user.click(hit);
    const pane = await screen.findByRole("dialog", { name: "Paragraph" });
    await waitFor(() => expect(pane.querySelector("mark")?.textContent).toBe("Materiality"));
    expect(location.hash).toBe("#/knowledge/own?paragraph=4.1&q=materiality");
    await user.click(screen.getByRole("button", { name: /P 4\.2/ }));
    expect(location.hash).toContain("paragraph=4.2");
});

test("a base is removed only after a question that says what is lost", async () => {
    const user = await show();
    await user.click(await screen.findByRole("button", { name: "Remove this base…" }));
    expect(screen.getByText(/The files it was made from stay where they are/)).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Cancel" }));
    expect(stage.asked.some(({ name }) => name === "base_remove")).toBe(false);
    await user.click(screen.getByRole("button", { name: "Remove this base…" }));
    await user.click(screen.getByRole("button", { name: "Remove the base" }));
    await waitFor(() => expect(location.hash).toBe("#/knowledge"));
    expect(stage.asked.find(({ name }) => name === "base_remove")?.params).toEqual({ base: "own" });
});

test("a base that ships with the program can't be removed", async () => {
    stage.answers.base_show = { base: { ...base, shipped: true }, sources: [], documents: [] };
    await show();
    expect(await screen.findByText("shipped")).toBeTruthy();
    expect(screen.queryByRole("button", { name: /Remove/ })).toBeNull();
});
