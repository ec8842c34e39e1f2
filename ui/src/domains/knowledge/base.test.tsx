import { act, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";

import { forget } from "@/backend/query";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { useRoute } from "@/routes";
import { ConfirmHost, InspectorContext, Toasts, TooltipProvider } from "@/shared";

import { BasePage } from "./BasePage";
import { TierMark } from "./TierMark";

const TEXT = "Materiality is set when the audit is planned.";
const paragraph = { id: "4.1", citation: "(P 4.1)", document: "Primer", heading: "Materiality", text: TEXT };
const base = {
    name: "own",
    title: "Own texts",
    tier: "guide",
    citation: "(P {id})",
    documents: 1,
    paragraphs: 1,
    references: 3,
    generation: "g1",
    createdAt: 1,
    shipped: false,
    bytes: 2_000,
    vectors: "local:mini:00ff",
    origin: null,
    watched: false,
};
const hit = {
    paragraph,
    score: 2,
    words: 1,
    matched: ["materiality"],
    path: ["3.2", "3.9"],
    highlights: [{ start: 0, end: 11 }],
    base: "own",
    tier: "guide",
    similarity: null,
    shares: [{ term: "materiality", share: 1 }],
    duplicates: [],
};

/** A reading with nothing to tell. */
const READ = { found: 1, unread: [], notes: [], more: 0 };

let core: MockTransport;

beforeEach(() => {
    forget();
    location.hash = "/knowledge/own";
    core = mockTransport();
    core.answers = {
        base_show: {
            base,
            sources: [{ name: "a.md", paragraphs: 1, bytes: 2_000, format: "markdown", rules: "numbered-manual" }],
            documents: [{ name: "Primer", paragraphs: 1, bytes: 0, format: "", rules: "" }],
            recipe: null,
            reading: {
                found: 3,
                unread: [
                    {
                        name: "scan.pdf",
                        why: "its pages are pictures",
                        remedy: "run it through text recognition (OCR)",
                    },
                ],
                notes: [{ file: "a.md", place: "line 4", what: "1 stretch of struck-out text is no part of the text" }],
                more: 2,
            },
        },
        base_list: [base],
        base_paragraphs: { paragraphs: [paragraph], total: 1, next: null },
        knowledge_search: { terms: ["materiality"], hits: [hit], ms: 1.5, meaning: null },
        knowledge_catalog: {
            corpora: [],
            models: [],
            rules: [{ name: "numbered-manual", title: "Numbered manual", own: false, fault: null }],
            endings: [],
        },
        base_watch: null,
        paragraph_show: {
            base: "own",
            baseTitle: "Own texts",
            tier: "guide",
            ...paragraph,
            struck: [{ at: 11, text: "not" }],
            headings: ["Materiality"],
            highlights: [],
            before: [],
            after: [{ id: "4.2", citation: "(P 4.2)", text: "It is revised." }],
            linked: [],
        },
        base_remove: null,
        job_list: [],
    };
});

function Place() {
    const route = useRoute();
    return route.page === "base" ? (
        <BasePage base={route.base} query={route.query ?? ""} paragraph={route.paragraph} />
    ) : (
        <p>Elsewhere</p>
    );
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
    const hit = await screen.findByRole("button", { name: /P 4\.1/ });
    expect(hit.querySelector("mark")?.textContent).toBe("Materiality");
    expect(hit.closest("li")?.textContent).toContain("has materiality 100 %");
    expect(hit.closest("li")?.textContent).toContain("reached via3.2→ 3.9");
    await user.click(hit);
    const pane = await screen.findByRole("dialog", { name: "Paragraph" });
    await waitFor(() => expect(pane.querySelector("mark")?.textContent).toBe("Materiality"));
    expect(location.hash).toBe("#/knowledge/own?paragraph=4.1&q=materiality");
    await user.click(screen.getByRole("button", { name: /P 4\.2/ }));
    expect(location.hash).toContain("paragraph=4.2");
});

test("says how its files were read, where it comes from, and is watched on a word", async () => {
    const user = await show();
    await user.click(await screen.findByRole("tab", { name: /Files/ }));
    expect(screen.getByRole("row", { name: /a\.md Markdown Numbered manual 1 2\.0\sKB/ })).toBeTruthy();
    await user.click(screen.getByRole("tab", { name: "About" }));
    expect(screen.getByText("mini")).toBeTruthy();
    expect(screen.getByText("Files on this machine.")).toBeTruthy();
    await user.click(screen.getByRole("switch", { name: "Ingest again when files change" }));
    expect(core.asked.find(({ name }) => name === "base_watch")?.params).toEqual({ base: "own", on: true });
    await user.click(screen.getByRole("button", { name: "Ingest again…" }));
    expect(await screen.findByRole("dialog", { name: "Ingest “Own texts” again" })).toBeTruthy();
});

test("what was downloaded is downloaded again, under its licence", async () => {
    const entry = {
        name: "own",
        title: "Own texts",
        publisher: "A publisher",
        license: "Open",
        licenseAddress: "https://example.org/l",
        licenseSummary: "Free to keep.",
        addresses: ["https://example.org/own.xml"],
        megabytes: 1,
        installed: true,
    };
    core.answers.base_show = {
        base: { ...base, origin: "https://example.org/own.xml" },
        sources: [],
        documents: [],
        recipe: null,
        reading: READ,
    };
    core.answers.knowledge_catalog = { corpora: [entry], models: [], rules: [], endings: [] };
    const user = await show();
    await user.click(await screen.findByRole("tab", { name: "About" }));
    expect(await screen.findByText("A publisher")).toBeTruthy();
    expect(screen.queryByRole("switch")).toBeNull();
    await user.click(screen.getByRole("button", { name: "Download again…" }));
    expect(await screen.findByRole("button", { name: "Download again" })).toBeTruthy();
});

test("a base is removed only after a question that says what is lost", async () => {
    const user = await show();
    await user.click(await screen.findByRole("button", { name: "Remove knowledge base…" }));
    expect(screen.getByText(/The original files are kept/)).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Cancel" }));
    expect(core.asked.some(({ name }) => name === "base_remove")).toBe(false);
    await user.click(screen.getByRole("button", { name: "Remove knowledge base…" }));
    await user.click(screen.getByRole("button", { name: "Remove knowledge base" }));
    await waitFor(() => expect(location.hash).toBe("#/knowledge"));
    expect(core.asked.find(({ name }) => name === "base_remove")?.params).toEqual({ base: "own" });
});

test("a base that ships with the program can't be removed", async () => {
    core.answers.base_show = {
        base: { ...base, shipped: true },
        sources: [],
        documents: [],
        recipe: null,
        reading: READ,
    };
    await show();
    expect(await screen.findByText("built-in")).toBeTruthy();
    expect(screen.queryByRole("button", { name: /Remove/ })).toBeNull();
});

test("a base begins with what of its files was not read, and why", async () => {
    await show();
    const report = await screen.findByRole("region", { name: "How the files were read" });
    expect(report.textContent).toContain("2 of 3 files read. Not read:");
    expect(report.textContent).toContain("scan.pdf: its pages are pictures (run it through text recognition (OCR))");
    await userEvent.setup().click(screen.getByText("3 notes on what was read"));
    expect(report.textContent).toContain("a.md, line 4: 1 stretch of struck-out text is no part of the text");
    expect(report.textContent).toContain("2 more notes");
});

test("a document has no mark of authority, and what is no standard says so", () => {
    const shown = (tier: string) => {
        const { container, unmount } = render(
            <TooltipProvider>
                <TierMark tier={tier} full />
            </TooltipProvider>,
        );
        const { textContent } = container;
        unmount();
        return textContent;
    };
    expect(["document", "standard", "primer"].map(shown)).toEqual(["", "Standard", "Primer, not a standard"]);
});
