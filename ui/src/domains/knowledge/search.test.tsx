import { act, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";

import type { SearchRow } from "@/backend";
import { Failure } from "@/backend";
import { forget } from "@/backend/query";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { InspectorContext, TooltipProvider } from "@/shared";

import { KnowledgePage } from "./KnowledgePage";
import { PAGE } from "./SearchResults";

const base = (name: string, tier: string) => ({
    name,
    title: name.toUpperCase(),
    tier,
    citation: "",
    documents: 1,
    paragraphs: 9,
    references: 2,
    generation: "g1",
    createdAt: 1,
    shipped: false,
    bytes: 9,
    vectors: null,
    origin: null,
    watched: false,
});
const hit = (id: string, over: Partial<SearchRow> = {}): SearchRow => ({
    paragraph: {
        id,
        citation: `(${id})`,
        document: "D",
        heading: "Materiality",
        text: "Materiality is set when the audit is planned.",
    },
    score: 2,
    words: 1,
    matched: ["materiality"],
    path: [],
    highlights: [{ start: 0, end: 11 }],
    base: "a",
    tier: "standard",
    similarity: null,
    shares: [{ term: "materiality", share: 1 }],
    duplicates: [],
    ...over,
});

let core: MockTransport;
let hits: SearchRow[];
beforeEach(() => {
    forget();
    core = mockTransport();
    location.hash = "/knowledge";
    hits = [
        hit("1.1"),
        hit("2.2", {
            base: "b",
            tier: "primer",
            similarity: 0.714,
            shares: [
                { term: "materiality", share: 0.6 },
                { term: "planned", share: 0.4 },
            ],
            matched: ["materiality", "planned"],
            path: ["1.1"],
            duplicates: ["9.9"],
        }),
    ];
    core.answers = {
        base_list: [base("a", "standard"), base("b", "primer"), base("c", "web")],
        job_list: [],
        knowledge_search: ({ after }: { after: number }) => ({
            terms: ["materiality", "planned"],
            hits: hits.slice(after, after + PAGE),
            ms: 1,
            meaning: "local:mini:00ff",
            scope: ["Harbour", "Q2 2021"],
        }),
        paragraph_show: ({ id }: { id: string }) => ({
            base: "b",
            baseTitle: "B",
            tier: "primer",
            ...hit(id).paragraph,
            headings: [],
            highlights: [],
            before: [],
            after: [],
            linked: [],
        }),
    };
});

async function show() {
    render(
        <InspectorContext value={{ place: null, narrow: true, setOpen: () => {} }}>
            <TooltipProvider>
                <KnowledgePage adding={false} onAdding={() => {}} query="materiality planned" onQuery={() => {}} />
            </TooltipProvider>
        </InspectorContext>,
    );
    await act(async () => {});
    return userEvent.setup();
}
const found = async (name: RegExp) => (await screen.findByRole("button", { name })).closest("li") as HTMLLIElement;
const asked = () =>
    core.asked
        .filter(({ name }) => name === "knowledge_search")
        .map(({ params }) => params as { bases: string[]; after: number; hops: number });

test("each hit says why it is one, and what is no standard says so", async () => {
    await show();
    expect(screen.getByText("First the documents that you name: Harbour, Q2 2021")).toBeTruthy();
    const second = await found(/^\(2\.2\)/);
    expect(second.textContent).toContain("Primer, not a standard");
    expect(second.textContent).toContain("has materiality 60 %, planned 40 %");
    expect(second.textContent).toContain("meaning 0.71");
    expect(second.textContent).toContain("reached via1.1");
    expect(second.textContent).toContain("1 paragraph that says the same");
    expect([...second.querySelectorAll<HTMLElement>("[data-shares] > span")].map((part) => part.style.width)).toEqual([
        "60%",
        "40%",
    ]);
    const first = await found(/^\(1\.1\)/);
    expect(first.textContent).toContain("lacks planned");
    expect(first.textContent).not.toContain("not a standard");
    expect(screen.getByText(/semantic search with mini$/)).toBeTruthy();
});

test("a hit of any base opens beside the search, and what was folded can be read too", async () => {
    const user = await show();
    await user.click(await screen.findByRole("button", { name: /^\(2\.2\)/ }));
    const pane = await screen.findByRole("dialog", { name: "Paragraph" });
    expect((await within(pane).findByRole("link", { name: /Open in B/ })).getAttribute("href")).toBe(
        "#/knowledge/b?paragraph=2.2",
    );
    await user.keyboard("{Escape}");
    await user.click(screen.getByRole("button", { name: "9.9" }));
    await waitFor(() =>
        expect(core.asked.filter(({ name }) => name === "paragraph_show").at(-1)?.params).toMatchObject({
            base: "b",
            id: "9.9",
        }),
    );
});

test("all bases are searched until some are chosen; never none", async () => {
    const user = await show();
    await waitFor(() => expect(asked().at(-1)).toMatchObject({ bases: [], after: 0, hops: 1 }));
    await user.click(screen.getByRole("button", { name: "All knowledge bases" }));
    await user.click(screen.getByRole("checkbox", { name: "C" }));
    await waitFor(() => expect(asked().at(-1)?.bases).toEqual(["a", "b"]));
    await user.click(screen.getByRole("checkbox", { name: "A" }));
    await waitFor(() => expect(asked().at(-1)?.bases).toEqual(["b"]));
    expect(screen.getByRole("checkbox", { name: "B" }).hasAttribute("disabled")).toBe(true);
    await user.click(screen.getByRole("checkbox", { name: "All knowledge bases" }));
    expect(screen.getByRole("button", { name: "All knowledge bases" })).toBeTruthy();
});

test("more are read page by page, until that is all", async () => {
    hits = Array.from({ length: PAGE + 3 }, (_, index) => hit(`${index + 1}.0`));
    const user = await show();
    await user.click(await screen.findByRole("button", { name: `Show ${PAGE} more` }));
    expect(await screen.findByText("End of results.")).toBeTruthy();
    expect(within(screen.getByRole("list", { name: "Paragraphs found" })).getAllByText(/^\(\d+\.0\)$/)).toHaveLength(
        PAGE + 3,
    );
    expect(asked().map(({ after }) => after)).toEqual([0, PAGE]);
});

test("a link to another search is followed while the page is open", async () => {
    const page = (query: string) => (
        <TooltipProvider>
            <KnowledgePage adding={false} onAdding={() => {}} query={query} onQuery={() => {}} />
        </TooltipProvider>
    );
    const { rerender } = render(page("materiality"));
    rerender(page("going concern"));
    await waitFor(() => expect(screen.getByRole<HTMLInputElement>("searchbox").value).toBe("going concern"));
    rerender(page(""));
    expect(screen.getByRole<HTMLInputElement>("searchbox").value).toBe("");
});

test("a search that fails says why, and can be tried again", async () => {
    core.answers.knowledge_search = () => {
        throw new Failure({
            code: "corrupt",
            message: "The index is damaged.",
            retryable: false,
            action: "Ingest the same sources again.",
        });
    };
    await show();
    expect(await screen.findByText("The index is damaged.")).toBeTruthy();
    expect(screen.getByText("Ingest the same sources again.")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Try again" })).toBeTruthy();
});
