import { afterEach, beforeEach, expect, it } from "vitest";

import { switchWorkspace } from "@/backend";
import { currentPath, navigate } from "@/shared";

import { keepLastPlace } from "./lastPlace";

beforeEach(() => navigate("/", { replace: true }));
afterEach(() => {
    localStorage.clear();
    sessionStorage.clear();
});

/** Goes to a page as a person does. */
async function visit(path: string) {
    const moved = new Promise((resolve) => window.addEventListener("hashchange", resolve, { once: true }));
    navigate(path);
    await moved;
}

it("opens the session that was open at the end, and none that was left before", async () => {
    keepLastPlace();
    expect(currentPath()).toBe("/");
    await visit("/session/audit-1");
    navigate("/", { replace: true });
    // As at the next start: the last session was noted, and leaving it for the inbox was as well.
    expect(localStorage.getItem("last ")).toBeNull();
    await visit("/session/audit-1");
    const kept = localStorage.getItem("last ");
    expect(kept).toBe("/session/audit-1");
    navigate("/", { replace: true });
    localStorage.setItem("last ", kept ?? "");
    keepLastPlace();
    expect(currentPath()).toBe("/session/audit-1");
});

it("leaves a window that is opened at a certain place there", async () => {
    localStorage.setItem("last ", "/session/audit-1");
    await visit("/settings/about");
    keepLastPlace();
    expect(currentPath()).toBe("/settings/about");
    localStorage.setItem("last ", "/view/javascript:alert(1)");
    await visit("/");
    keepLastPlace();
    expect(currentPath()).toBe("/");
});

it("keeps a window that was opened for a workspace apart from the first one", async () => {
    localStorage.setItem("last ", "/session/of-the-first");
    sessionStorage.setItem("workspace.window", "lab");
    switchWorkspace("lab");
    keepLastPlace();
    expect(currentPath()).toBe("/");
    await visit("/session/of-the-lab");
    expect([localStorage.getItem("last "), localStorage.getItem("last lab")]).toEqual([
        "/session/of-the-first",
        "/session/of-the-lab",
    ]);
    // While it shows another one, nothing is noted.
    switchWorkspace("default");
    await visit("/session/of-default");
    expect(localStorage.getItem("last lab")).toBe("/session/of-the-lab");
});
