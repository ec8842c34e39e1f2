import { act, cleanup, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { beforeEach, expect, it, vi } from "vitest";

import type { CitationRow, DocumentText, RunState, SentenceRecord } from "@/backend";
import { forget } from "@/backend/query";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { TooltipProvider } from "@/shared";

import { AnswerDocument } from "./AnswerDocument";
import { markdownOf } from "./MainText";
import { ParagraphInspector } from "./ParagraphInspector";
import { rangesIn } from "./records";

let core: MockTransport;
const run = { run: "run-1", session: "s", followUp: true } as RunState;
const cited = (number: number, verdict: CitationRow["verdict"]): CitationRow => ({
    number,
    label: `(ISA ${number})`,
    paragraph: `p${number}`,
    quotes: ["shall perform"],
    claims: ["Risk first"],
    verdict,
    reason: "The paragraph says other words",
    text: "",
});
const answer: DocumentText = {
    title: "How is risk identified?",
    markdown:
        "# How is risk identified?\n\n## Answer\n\nRisk comes first ([ISA 1](#cite-1)). Groups differ ([ISA 2](#cite-2)). Nobody says so.\n",
    html: "",
    citations: [cited(1, "verified"), cited(2, "quote_mismatch")],
    verified: 1,
    total: 2,
    unsupported: [{ text: "Nobody says so.", problem: "This sentence has no source." }],
    sentences: [],
    sentenceCounts: [],
    axes: [],
    statements: [],
    headline: null,
    path: null,
    main: null,
};

beforeEach(() => {
    forget();
    core = mockTransport();
    core.answers = {
        run_document: answer,
        paragraph_show: (params: { id: string }) => ({
            base: "primer",
            baseTitle: "Primer",
            tier: "primer",
            id: params.id,
            citation: `(ISA ${params.id})`,
            document: "Risk",
            headings: [],
            text: "The auditor shall perform procedures.",
            highlights: [{ start: 12, end: 25 }],
            before: [],
            after: [{ id: "p9", citation: "(ISA 9)", text: "Next to it." }],
            linked: [],
        }),
    };
});

async function show(element: React.ReactNode) {
    render(<TooltipProvider>{element}</TooltipProvider>);
    await act(async () => {});
    return userEvent.setup();
}

it("says what checking found and leads through the sentences without support", async () => {
    const user = await show(<AnswerDocument run={run} onCitation={() => {}} />);
    expect(screen.getByText("1 of 2 citations verified, 1 statement unsupported")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Show" }));
    expect(screen.getByText("This sentence has no source.")).toBeTruthy();
    expect(screen.getByText("1 of 1")).toBeTruthy();
});

it("shows the document that a run put together, with footnotes that lead to their passage, and the statements beside it", async () => {
    core.answers.run_document = {
        ...answer,
        main: {
            title: "Memo",
            markdown: "# Memo\n\n## I. Rights\n\nThe customer may leave.[1](#note-1) So it was said.[2](#note-2)\n",
            footnotes: [
                { number: 1, text: "orchard:2.1 (orchard.md): “may leave” [VERIFIED]", citation: 1 },
                { number: 2, text: "As in note [1](#note-1).", citation: null },
            ],
        },
    } satisfies DocumentText;
    const opened = vi.fn();
    const user = await show(<AnswerDocument run={run} onCitation={opened} />);
    expect(screen.getByText(/The customer may leave/)).toBeTruthy();
    expect(screen.queryByText(/Groups differ/)).toBeNull();
    await user.click(screen.getAllByRole("button", { name: "Footnote 1: (ISA 1)" })[0]!);
    expect(opened).toHaveBeenCalledWith(answer.citations[0]);
    await user.click(screen.getByRole("button", { name: "Footnote 2" }));
    expect(screen.getByRole("dialog", { name: "Footnote 2" }).textContent).toContain("As in note");
    await user.keyboard("{Escape}");
    // A sentence without support is shown where it stands among the statements.
    await user.click(screen.getByRole("button", { name: "Show" }));
    expect(screen.getByRole("tab", { name: /Statements/ }).getAttribute("data-state")).toBe("active");
    expect(screen.getByText(/Groups differ/)).toBeTruthy();
});

it("gives the document that a run put together with its footnotes as Markdown", () => {
    const markdown = markdownOf({
        title: "Memo",
        markdown: "# Memo\n\nWords.[1](#note-1)\n",
        footnotes: [{ number: 1, text: "See [1](#note-1).", citation: null }],
    });
    expect(markdown).toBe("# Memo\n\nWords.[^1]\n\n[^1]: See [^1].\n");
});

it("makes citations buttons that say whether they hold", async () => {
    const opened = vi.fn();
    const user = await show(<AnswerDocument run={run} onCitation={opened} />);
    screen.getByRole("button", { name: "ISA 1, verified" });
    const doubtful = screen.getByRole("button", { name: "ISA 2, quote not found" });
    await user.click(doubtful);
    doubtful.focus();
    await user.keyboard(" {Enter}");
    expect(opened.mock.calls.map(([citation]) => (citation as CitationRow).number)).toEqual([2, 2, 2]);
});

it("shows a paragraph with its quote, and leads to its neighbours and back", async () => {
    const user = await show(<ParagraphInspector run="run-1" citation={cited(1, "verified")} onClose={() => {}} />);
    expect(document.querySelector("mark")?.textContent).toBe("shall perform");
    expect(core.asked.find((each) => each.name === "paragraph_show")?.params).toEqual({
        run: "run-1",
        id: "p1",
        quotes: ["shall perform"],
    });
    await user.click(screen.getByRole("button", { name: "(ISA 9)" }));
    expect(screen.getByRole("heading", { name: "(ISA p9)" })).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Back to the previous paragraph" }));
    expect(screen.getByRole("heading", { name: "(ISA p1)" })).toBeTruthy();
});

it("tells of each sentence that rests on a paragraph what was shown, how, and where the compared words stand", async () => {
    const citation = {
        source_ref: "(ISA 1)",
        base: "primer",
        generation: "g1",
        paragraph_id: "p1",
        range: [0, 11],
        quote: "The auditor",
        verdict: "verified" as const,
        method: "quoted",
        reason: "",
    };
    const common = { citations: [citation], entities: [], relations: [], conflicts: [], reason: "" };
    const sentences: SentenceRecord[] = [
        {
            ...common,
            n: 1,
            sentence: "The auditor (ISA 1).",
            claim: "The auditor.",
            verdict: "verified",
            proof: "quoted",
            method: "quoted",
        },
        {
            ...common,
            n: 2,
            sentence: "",
            claim: "Risk first in 2024.",
            verdict: "unverified",
            proof: "named_things",
            method: "no-model",
            reason: "It is said in other words.",
        },
        {
            ...common,
            n: 3,
            sentence: "",
            claim: "Twelve days.",
            verdict: "mismatch",
            proof: "none",
            method: "named-things",
            entities: [{ kind: "number", text: "twelve" }],
            conflicts: [{ kind: "number", paragraph_id: "p1", stated_in: "Ten days.", claimed: "12", stated: "10" }],
        },
        {
            ...common,
            n: 4,
            sentence: "",
            claim: "Of another paragraph.",
            citations: [{ ...citation, paragraph_id: "p7" }],
            verdict: "verified",
            proof: "quoted",
            method: "quoted",
        },
    ];
    core.answers.run_document = { ...answer, sentences };
    await show(<ParagraphInspector run="run-1" citation={cited(1, "verified")} onClose={() => {}} />);
    const told = within(await screen.findByRole("list", { name: "Statements that cite this paragraph" }))
        .getAllByRole("listitem")
        .map((each) => each.textContent);
    expect(told).toEqual([
        "The auditor.Verified: word for word",
        "Risk first in 2024.Unverified: named entities present; not judged by a modelIt is said in other words.",
        "Twelve days.Does not match: a named entity is missing from the cited paragraphsNot in the cited paragraphs: number “twelve”.Possible contradiction, p1: “Ten days.”",
    ]);
    expect([...document.querySelectorAll("mark")].map((mark) => mark.textContent)).toEqual([
        "The auditor",
        "shall perform",
    ]);
});

it("goes from one citation of the document to the next, and says which one is shown", async () => {
    Element.prototype.scrollIntoView = () => undefined;
    core.answers.run_document = {
        ...answer,
        markdown: "# T\n\nOne ([ISA 1](#cite-1)). Two ([ISA 2](#cite-2)). Again ([ISA 1](#cite-1)).\n",
    };
    function Both() {
        const [shown, setShown] = useState<CitationRow>();
        return (
            <>
                <AnswerDocument run={run} open={shown?.number} onCitation={setShown} />
                {shown !== undefined && (
                    <ParagraphInspector key={shown.number} run="run-1" citation={shown} onClose={() => {}} />
                )}
            </>
        );
    }
    const user = await show(<Both />);
    const marks = screen.getAllByRole("button", { name: /^ISA/ });
    await user.click(marks[2] as HTMLElement);
    expect(screen.getByText("3 of 3")).toBeTruthy();
    expect(marks.map((mark) => mark.hasAttribute("data-now"))).toEqual([false, false, true]);
    await user.click(screen.getByRole("button", { name: "Next citation" }));
    expect(screen.getByText("1 of 3")).toBeTruthy();
    await user.keyboard("]");
    expect(screen.getByText("2 of 3")).toBeTruthy();
    expect(screen.getByRole("heading", { name: "(ISA p2)" })).toBeTruthy();
    await user.keyboard("[[");
    expect(screen.getByText("1 of 3")).toBeTruthy();
});

it("counts the characters of a record as browsers do", () => {
    const record = (range: unknown[]): SentenceRecord => ({
        n: 1,
        sentence: "",
        claim: "",
        citations: [
            {
                source_ref: "",
                base: "",
                generation: "",
                paragraph_id: "p",
                range,
                quote: "",
                verdict: "verified",
                method: "quoted",
                reason: "",
            },
        ],
        entities: [],
        relations: [],
        conflicts: [],
        verdict: "verified",
        proof: "quoted",
        method: "quoted",
        reason: "",
    });
    const text = "𝒜𝒷 risk";
    const cut = (range: unknown[]) =>
        rangesIn("p", text, [record(range)]).map(({ start, end }) => text.slice(start, end));
    expect([
        cut([0, 2]),
        cut([3, 7]),
        cut([3, 99]),
        cut([5, 2]),
        cut([]),
        rangesIn("other", text, [record([0, 2])]),
    ]).toEqual([["𝒜𝒷"], ["risk"], [], [], [], []]);
});

it("says so when there is no such paragraph", async () => {
    await show(
        <ParagraphInspector
            run="run-1"
            citation={{ ...cited(3, "missing"), paragraph: "", reason: "ISA 3 does not exist" }}
            onClose={() => {}}
        />,
    );
    expect(screen.getByText("No such paragraph")).toBeTruthy();
    expect(core.asked.some((each) => each.name === "paragraph_show")).toBe(false);
});

it("shows the state of each statement where it stands, and the worst of all in the headline", async () => {
    core.answers.run_document = {
        ...answer,
        markdown:
            "# Risk\n\n**2 statements: 1 without a source, 1 may contradict the source.**\n\nIt must be signed ([ISA 1](#cite-1)). [!](#statement-1) It is dated. [–](#statement-2)\n\n## Statements\n\nThe table.\n\n## Gaps and Limits\n\nNothing else.\n",
        headline: { level: "doubt", text: "2 statements: 1 without a source, 1 may contradict the source." },
        statements: [
            {
                n: 1,
                text: "It must be signed.",
                state: "doubtful",
                word: "may contradict the source",
                reason: "p1 may say otherwise",
                against: [
                    {
                        kind: "modal",
                        paragraph_id: "p1",
                        stated_in: "It may be signed.",
                        claimed: "must",
                        stated: "may",
                    },
                ],
            },
            {
                n: 2,
                text: "It is dated.",
                state: "no_source",
                word: "without a source",
                reason: "it cites nothing",
                against: [],
            },
        ],
    };
    const user = await show(<AnswerDocument run={run} onCitation={() => undefined} />);
    const headline = await screen.findByText("2 statements: 1 without a source, 1 may contradict the source.");
    expect(headline.getAttribute("data-level")).toBe("doubt");
    // The apparatus is folded, gaps are not.
    expect(screen.getByText("Statements").tagName).toBe("SUMMARY");
    expect(screen.getByText("Gaps and Limits").tagName).not.toBe("SUMMARY");
    await user.click(screen.getByRole("button", { name: "Statement 1: may contradict the source" }));
    expect(await screen.findByText(/“It may be signed.”/)).toBeTruthy();
    expect(screen.getByText("(must)")).toBeTruthy();
});

it("says which statements no longer rest on their sources, and nothing while all of them do", async () => {
    const standing = {
        n: 1,
        sentence: "Papers are kept for ten years.",
        citation: "(ISA 4)",
        paragraph: "4",
        base: "primer",
        cited: "g000001",
        current: "g000002",
        kind: "changed" as const,
        holds: false,
        words: "has another text now",
    };
    core.answers.run_check = { run: "run-1", sentences: 3, stale: 1, citations: [standing] };
    await show(<AnswerDocument run={run} onCitation={() => {}} />);
    expect(await screen.findByText("1 statement no longer rests on what its sources say")).toBeTruthy();
    expect(screen.getByText("(ISA 4) has another text now.")).toBeTruthy();
    cleanup();
    forget();
    core.answers.run_check = { run: "run-1", sentences: 3, stale: 0, citations: [] };
    await show(<AnswerDocument run={run} onCitation={() => {}} />);
    expect(await screen.findByText("1 of 2 citations verified, 1 statement unsupported")).toBeTruthy();
    expect(screen.queryByText(/no longer rest/)).toBeNull();
});

it("is locked by a reviewer, says what a changed source opened again, and is unlocked", async () => {
    const check = { run: "run-1", sentences: 3, stale: 0, citations: [] };
    const lock = { version: 1, reviewer: "Eva Novak", note: "Read twice.", at: 0, sha256: "ab".repeat(32) };
    core.answers.run_check = check;
    core.answers.run_lock = { ...check, lock };
    core.answers.run_unlock = check;
    const user = await show(<AnswerDocument run={run} onCitation={() => {}} />);
    await user.click(await screen.findByRole("button", { name: "More actions" }));
    await user.click(await screen.findByRole("menuitem", { name: "Lock this version…" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Lock this version" }));
    expect(dialog.getByRole("button", { name: "Lock" })).toHaveProperty("disabled", true);
    await user.type(dialog.getByRole("textbox", { name: "Reviewed by" }), "Eva Novak");
    await user.type(dialog.getByRole("textbox", { name: "Remark" }), "Read twice.");
    await user.click(dialog.getByRole("button", { name: "Lock" }));
    expect(core.asked.find(({ name }) => name === "run_lock")?.params).toEqual({
        run: { id: "run-1" },
        reviewer: "Eva Novak",
        note: "Read twice.",
    });
    cleanup();
    forget();
    core.answers.run_check = { ...check, lock, reopened: [2] };
    const again = await show(<AnswerDocument run={run} onCitation={() => {}} />);
    const bar = within(await screen.findByRole("region", { name: "Lock" }));
    expect(bar.getByText("Version 1, locked by Eva Novak")).toBeTruthy();
    expect(bar.getByText("1 statement is open again: its source changed after the lock")).toBeTruthy();
    await again.click(bar.getByRole("button", { name: "Unlock" }));
    expect(core.asked.at(-1)?.name).toBe("run_unlock");
});
