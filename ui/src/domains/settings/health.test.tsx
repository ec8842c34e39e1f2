import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";

import { forget } from "@/backend/query";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { TooltipProvider } from "@/shared";

import { HealthSettings } from "./HealthSettings";

const DAY = 86_400_000;
const source = {
    slug: "acme",
    name: "Acme",
    description: "",
    kind: "api",
    usedBy: [],
    shipped: false,
    enabled: true,
    status: "idle",
    statusDetail: "",
    tools: 2,
    changedTools: [],
    problems: [],
};
let transport: MockTransport;

beforeEach(() => {
    forget();
    transport = mockTransport();
    transport.answers = {
        app_check: [
            { name: "database", state: "ok", message: "sound", action: null },
            { name: "backup", state: "note", message: "there is none yet", action: "make one" },
        ],
        source_list: [
            source,
            { ...source, slug: "files", name: "Files" },
            { ...source, slug: "new", name: "New", status: "needs_approval", statusDetail: "nobody approved it" },
        ],
        source_test: ({ slug }: { slug: string }) =>
            slug === "acme"
                ? { ok: true, ms: 12, server: "", tools: [{}, {}], leftOut: [], problem: null, log: "" }
                : {
                      ok: false,
                      ms: 3,
                      server: "",
                      tools: [],
                      leftOut: [],
                      problem: { message: "It ended at once" },
                      log: "",
                  },
        vault_show: {
            entries: [
                { name: "source/acme/apikey", usedBy: "Acme", at: Date.now() - 3.5 * DAY, expiresAt: null },
                { name: "connection/old/key", usedBy: "Old", at: Date.now() - 200.5 * DAY, expiresAt: null },
                { name: "connection/me/oauth", usedBy: "Me", at: Date.now() - 400 * DAY, expiresAt: Date.now() },
            ],
        },
    };
});

function show() {
    render(
        <TooltipProvider>
            <HealthSettings />
        </TooltipProvider>,
    );
    return userEvent.setup();
}

test("each key has its age, and an old one a reminder", async () => {
    show();
    const keys = within(await screen.findByRole("list", { name: "Keys, oldest first" })).getAllByRole("listitem");
    expect(keys.map((key) => key.textContent)).toEqual([
        "Sign-in of me, for MeRenewed by itself",
        "Key of old, for OldConsider a new oneStored 200 days ago",
        "apikey of the source acme, for AcmeStored 3 days ago",
    ]);
});

test("all sources are checked, used or not, and what waits for the user is left alone", async () => {
    const user = show();
    await user.click(await screen.findByRole("button", { name: "Check all sources" }));
    expect(await screen.findByText("Works, 2 tools, 12 ms")).toBeTruthy();
    expect(await screen.findByText("It ended at once")).toBeTruthy();
    expect(screen.getByText(/nobody approved it/)).toBeTruthy();
    const tested = transport.asked.filter(({ name }) => name === "source_test").map(({ params }) => params);
    expect(tested).toEqual([{ slug: "acme" }, { slug: "files" }]);
});

test("what is wrong or wanting stands first", async () => {
    show();
    const list = within(await screen.findByRole("list", { name: "Checks" })).getAllByRole("listitem");
    expect(list.map((each) => each.textContent)).toEqual(["backupNotethere is none yetMake one", "databaseOKsound"]);
});
