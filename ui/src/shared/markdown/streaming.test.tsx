import { render } from "@testing-library/react";
import { beforeAll, beforeEach, expect, it, vi } from "vitest";

import document from "../../../../src-tauri/crates/answers/tests/fixtures/document.md?raw";
import { TooltipProvider } from "../Tooltip";
import { Markdown } from "./Markdown";
import * as drawing from "./render";

vi.mock("./render", { spy: true });
const parsed = vi.mocked(drawing.elementsOf);

beforeAll(async () => {
    await drawing.loadHtmlParser();
});

beforeEach(() => {
    parsed.mockClear();
});

const paragraphs = Array.from({ length: 40 }, (_, index) => `Paragraph ${index} with **bold** words and \`code\`.\n\n`);

it("draws what is finished once, and the last block alone again", () => {
    const text = paragraphs.join("");
    const view = render(<Markdown text="" streaming idPrefix="t-" />, { wrapper: TooltipProvider });
    const nodes = new Map<string, Element>();
    const step = 9;
    for (let at = 0; at <= text.length; at += step) {
        view.rerender(<Markdown text={text.slice(0, at)} streaming idPrefix="t-" />);
        const drawn = [...view.container.querySelectorAll("p")];
        // The very same elements as before: what is finished was not touched.
        drawn.slice(0, -1).forEach((node, index) => {
            const name = String(index);
            if (nodes.has(name)) expect(nodes.get(name)).toBe(node);
            else nodes.set(name, node);
        });
    }
    expect(nodes.size).toBeGreaterThan(30);
    const times = new Map<string, number>();
    for (const [source] of parsed.mock.calls) times.set(source, (times.get(source) ?? 0) + 1);
    // The start of one paragraph is also the start of others; a whole one is parsed once.
    expect(paragraphs.slice(0, -1).map((paragraph) => times.get(paragraph))).toEqual(
        paragraphs.slice(0, -1).map(() => 1),
    );
    // Each addition parses one block, or two where it finishes one.
    const characters = parsed.mock.calls.reduce((sum, [source]) => sum + source.length, 0);
    const longest = Math.max(...paragraphs.map((paragraph) => paragraph.length));
    expect(characters).toBeLessThan((text.length / step) * longest * 2);
});

it("does not change finished elements when more text comes", async () => {
    const start = paragraphs.slice(0, 20).join("");
    const view = render(<Markdown text={`${start}The last`} streaming idPrefix="t-" />, { wrapper: TooltipProvider });
    const finished = new Set([...view.container.querySelectorAll("p")].slice(0, 20));
    const touched: Node[] = [];
    const observer = new MutationObserver((records) => touched.push(...records.map((record) => record.target)));
    observer.observe(view.container, { subtree: true, childList: true, characterData: true, attributes: true });
    for (let more = " "; more.length < 60; more += "word ")
        view.rerender(<Markdown text={`${start}The last${more}`} streaming idPrefix="t-" />);
    touched.push(...observer.takeRecords().map((record) => record.target));
    expect(touched.length).toBeGreaterThan(0);
    expect(touched.filter((node) => [...finished].some((element) => element.contains(node)))).toEqual([]);
});

it("does not parse again when a link's drawing changes", () => {
    const text = "See [one](#cite-1).\n\nMore.\n\n";
    const view = render(<Markdown text={text} renderLink={() => <b>old</b>} idPrefix="t-" />, {
        wrapper: TooltipProvider,
    });
    const before = parsed.mock.calls.length;
    view.rerender(<Markdown text={text} renderLink={() => <b>new</b>} idPrefix="t-" />);
    expect(view.container.textContent).toContain("new");
    expect(parsed.mock.calls.length).toBe(before);
});

const LINKED =
    "See [one], [the other][TWO] and `[one]`.\n\n```\n[one]\n\n[two]\n```\n\n[one]: https://one.example\n[two]: <#two> 'Two'\n\n- [two]\n";

it.each([document, LINKED])("looks the same in blocks as in one piece", (document) => {
    const blocks = render(<Markdown text={document} idPrefix="t-" />, { wrapper: TooltipProvider });
    const inBlocks = blocks.container.querySelector(".prose")?.textContent;
    const links = (from: HTMLElement) => [...from.querySelectorAll("a")].map((link) => link.textContent);
    const linked = links(blocks.container);
    blocks.unmount();
    const whole = render(<>{drawing.elementsOf(document, "t-", {}, { html: true })}</>);
    const squeeze = (text: string | null | undefined) => text?.replace(/\s+/g, "");
    expect(squeeze(inBlocks)).toBe(squeeze(whole.container.textContent));
    if (document === LINKED)
        expect([linked, links(whole.container)]).toEqual(Array(2).fill(["one", "the other", "two"]));
});
