import { fireEvent, render, waitFor } from "@testing-library/react";
import { toHtml } from "hast-util-to-html";
import { beforeAll, describe, expect, it, vi } from "vitest";

import { TooltipProvider } from "../Tooltip";
import { HOSTILE } from "./hostile-corpus";
import { Markdown } from "./Markdown";
import { loadHtmlParser, treeOf } from "./render";

const Providers = TooltipProvider;

beforeAll(async () => {
    await loadHtmlParser();
});

const FORBIDDEN =
    "script,style,iframe,object,embed,form,base,meta,link,template,svg,frame,frameset,video,audio,source,track,picture,portal,button[formaction],input:not([type=checkbox]),textarea,select,noscript,math annotation-xml";

/** What in a tree could run, load, style, submit or leave the page. */
function dangers(root: Element): string[] {
    const found: string[] = [...root.querySelectorAll(FORBIDDEN)]
        .filter((node) => node.closest("[data-own]") === null && !own(node))
        .map((node) => `<${node.localName}>`);
    for (const node of root.querySelectorAll("*")) {
        for (const { name, value } of node.attributes) {
            if (name.startsWith("on")) found.push(`${node.localName} ${name}`);
            if (name === "style" && !own(node)) found.push(`${node.localName} style`);
            if (name === "class" && !own(node) && /evil/.test(value)) found.push(`${node.localName} class ${value}`);
            if (
                [
                    "href",
                    "src",
                    "action",
                    "formaction",
                    "xlink:href",
                    "data",
                    "srcdoc",
                    "srcset",
                    "poster",
                    "background",
                    "ping",
                ].includes(name)
            ) {
                const safe =
                    name === "href"
                        ? /^(https?:|mailto:|#)/i.test(value)
                        : name === "src" && /^data:image\/(png|jpeg|gif|webp);base64,/.test(value);
                if (!safe) found.push(`${node.localName} ${name}=${value.slice(0, 60)}`);
            }
        }
        if (/^(window|document|location|body|forms|cookie|getElementById)$/i.test(node.id)) found.push(`#${node.id}`);
    }
    return found;
}

/** Icons are drawn by us. */
function own(node: Element): boolean {
    return node.closest("svg.lucide") !== null;
}

describe("a hostile text", () => {
    it.each(HOSTILE)("becomes nothing that runs: %s", (source) => {
        const alarm = vi.fn();
        Object.assign(window, { alarm, alert: alarm });
        for (const streaming of [false, true]) {
            const view = render(<Markdown text={source} streaming={streaming} idPrefix="t-" />, { wrapper: Providers });
            expect(dangers(view.container)).toEqual([]);
            view.unmount();
        }
        expect(alarm).not.toHaveBeenCalled();
    });

    it.each(HOSTILE)("is the same when sanitised twice: %s", (source) => {
        const once = toHtml(treeOf(source, "", { html: true }));
        const twice = toHtml(treeOf(once, "", { html: true }));
        const thrice = toHtml(treeOf(twice, "", { html: true }));
        expect(thrice).toBe(twice);
        const view = render(<Markdown text={once} idPrefix="t-" />, { wrapper: Providers });
        expect(dangers(view.container)).toEqual([]);
    });

    it("stays harmless however it is cut while it streams", () => {
        for (const source of HOSTILE) {
            const view = render(<Markdown text="" streaming idPrefix="t-" />, { wrapper: Providers });
            for (let at = 1; at <= Math.min(source.length, 160); at += 5) {
                view.rerender(<Markdown text={source.slice(0, at)} streaming idPrefix="t-" />);
                expect(dangers(view.container)).toEqual([]);
            }
            view.unmount();
        }
    }, 60_000);

    it("meets a test that sees danger", () => {
        const place = document.createElement("div");
        place.innerHTML =
            '<svg onload="x()"></svg><a href="javascript:x()">x</a><img src="http://x.example/p.png"><p style="color:red">x</p>';
        expect(dangers(place).length).toBeGreaterThanOrEqual(4);
    });
});

describe("a link", () => {
    it("opens through the window, never by itself", () => {
        const open = vi.fn();
        const { getByRole } = render(<Markdown text="[words](https://one.example/a?b=c)" onLink={open} />, {
            wrapper: Providers,
        });
        const left = fireEvent.click(getByRole("link"));
        expect(left).toBe(false);
        expect(open).toHaveBeenCalledWith("https://one.example/a?b=c");
    });

    it("says where it goes when its words say something else", () => {
        const lying = render(<Markdown text="[bank.example](https://evil.example/bank.example)" />, {
            wrapper: Providers,
        });
        expect(lying.container.textContent).toContain("goes to evil.example");
        lying.unmount();
        const honest = render(
            <Markdown text="[www.bank.example/help](https://bank.example/help) and [help](https://other.example)" />,
            { wrapper: Providers },
        );
        expect(honest.container.textContent).not.toContain("goes to");
    });

    it("back from a footnote says where it leads", () => {
        const { getByRole } = render(<Markdown text={"A rule.[^1]\n\n[^1]: Its source."} />, { wrapper: Providers });
        expect(getByRole("link", { name: "Back to reference 1" }).textContent).toBe("↩");
    });

    it("can be drawn by who shows the text", () => {
        const { getByRole } = render(
            <Markdown
                text="As required [ISA 320.10](#cite-3)."
                renderLink={(href, children) => (href.startsWith("#cite-") ? <button>{children}</button> : undefined)}
            />,
            { wrapper: Providers },
        );
        expect(getByRole("button").textContent).toBe("ISA 320.10");
    });
});

it("does not load remote pictures", () => {
    const { container } = render(<Markdown text="![secret](https://spy.example/p.png?q=secret)" />, {
        wrapper: Providers,
    });
    expect(container.querySelector("img")).toBeNull();
    expect(container.textContent).toContain("Remote image not loaded: spy.example");
});

it("draws tables, details and tasks", () => {
    const text =
        "| a | b |\n|---|--:|\n| 1 | 2 |\n\n<details><summary>More</summary>\n\n**inside**\n\n</details>\n\n- [x] done\n- [ ] open\n";
    const { container, getByRole, getByLabelText } = render(<Markdown text={text} />, { wrapper: Providers });
    expect(getByRole("group", { name: "Table" }).querySelector("td[align=right]")?.textContent).toBe("2");
    expect(container.querySelector("details strong")?.textContent).toBe("inside");
    expect(getByLabelText("Done")).toBeTruthy();
    expect(getByLabelText("Open")).toBeTruthy();
});

it("draws formulas as MathML without styles", async () => {
    const { container } = render(
        <Markdown
            text={
                "Block:\n\n$$\n\\frac{a}{\\sqrt{b^2}} \\href{javascript:alert(1)}{x}\n$$\n\nand $$x_i$$ inline, and $5 or $10."
            }
        />,
        { wrapper: Providers },
    );
    await waitFor(() => expect(container.querySelector("math")).not.toBeNull());
    expect(dangers(container)).toEqual([]);
    expect(container.textContent).toContain("$5 or $10");
});
