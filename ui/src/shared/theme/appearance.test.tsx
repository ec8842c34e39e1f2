import { beforeEach, expect, test, vi } from "vitest";

import { builtIn, FIRST } from "./themes";

const style = () => document.documentElement.style;
const kept = () =>
    JSON.parse(localStorage.getItem("appearance") ?? "{}") as { theme?: string; tokens?: Record<string, string> };

/** The module as a fresh window has it. */
async function fresh() {
    vi.resetModules();
    document.documentElement.removeAttribute("style");
    const module = await import("./appearance");
    module.applyAppearance();
    return module;
}

beforeEach(() => {
    localStorage.clear();
    sessionStorage.clear();
});

test("the first theme is the style sheet's, and declares nothing", async () => {
    const { setAppearance } = await fresh();
    setAppearance({ theme: FIRST.id, mode: "dark" });
    expect(style().getPropertyValue("--page")).toBe("");
    expect(document.documentElement.dataset.mode).toBe("dark");
});

test("another theme is declared, kept for the next start, and taken away again", async () => {
    const { setAppearance } = await fresh();
    setAppearance({ theme: "moss" });
    const moss = builtIn("moss");
    expect(style().getPropertyValue("--page")).toBe(
        `light-dark(${moss?.sides.light.background}, ${moss?.sides.dark.background})`,
    );
    expect(kept().tokens?.["--page"]).toBe(style().getPropertyValue("--page"));
    setAppearance({ theme: FIRST.id });
    expect(style().getPropertyValue("--page")).toBe("");
    expect(kept()).not.toHaveProperty("tokens");
});

test("a theme that is a file is on the window before the file was read", async () => {
    localStorage.setItem(
        "appearance",
        JSON.stringify({ theme: "mine", mode: "light", zoom: 1, tokens: { "--page": "light-dark(#fff1e6, #1a1410)" } }),
    );
    const { setAppearance } = await fresh();
    expect(style().getPropertyValue("--page")).toBe("light-dark(#fff1e6, #1a1410)");
    setAppearance({ zoom: 1.2 });
    expect(kept().tokens?.["--page"]).toBe("light-dark(#fff1e6, #1a1410)");
});

test("what was kept and is no colour is not put on the page", async () => {
    localStorage.setItem(
        "appearance",
        JSON.stringify({
            theme: "mine",
            tokens: { "--page": "url(https://example.org)", background: "light-dark(#ffffff, #000000)", "--ink": 7 },
        }),
    );
    await fresh();
    expect(style().length).toBe(1);
});

test("windows of two workspaces keep their looks apart", async () => {
    sessionStorage.setItem("workspace", "lab");
    (await fresh()).setAppearance({ theme: "moss" });
    sessionStorage.setItem("workspace", "audit");
    (await fresh()).setAppearance({ theme: "plum" });
    sessionStorage.setItem("workspace", "lab");
    await fresh();
    expect(document.documentElement.dataset.theme).toBe("moss");
    expect(style().getPropertyValue("--accent")).toContain(builtIn("moss")?.sides.light.accent ?? "?");
});

test("what is tried is shown and not kept", async () => {
    const { setAppearance, tryLook } = await fresh();
    setAppearance({ theme: "slate", mode: "light" });
    const before = kept();
    const clay = builtIn("clay") ?? FIRST;
    tryLook(clay, "dark");
    expect(style().getPropertyValue("--accent")).toContain(clay.sides.light.accent);
    expect(document.documentElement.dataset.mode).toBe("dark");
    // A setting that changes meanwhile is kept without what is tried.
    setAppearance({ zoom: 1.1 });
    expect(kept()).toEqual({ ...before, zoom: 1.1 });
    tryLook(undefined);
    expect(document.documentElement.dataset.mode).toBe("light");
    expect(style().getPropertyValue("--accent")).toContain(builtIn("slate")?.sides.light.accent ?? "?");
});
