import { expect, it } from "vitest";

import { parseRoute, pathOf, type Route } from "./routes";

const ROUTES: Route[] = [
    { page: "inbox", view: "needs-you" },
    { page: "session", session: "261121-calm-heron", run: undefined, stage: undefined },
    { page: "session", session: "261121-calm-heron", run: "run-1", stage: "3" },
    { page: "session", session: "261121-calm-heron", message: "run-1/step 2" },
    { page: "search", line: undefined },
    { page: "search", line: 'label:bug "exact words" -not' },
    { page: "inbox", view: "status:in-progress" },
    { page: "inbox", view: "saved:left lying/50 %" },
    { page: "run", run: "run-1" },
    { page: "new", agent: undefined, input: undefined },
    { page: "new", agent: "isa", input: "How should a & b?\nTwo lines = 100 %" },
    { page: "agents" },
    { page: "agent", slug: "a b/c" },
    { page: "knowledge" },
    { page: "knowledge", adding: undefined, query: "going concern & doubt" },
    { page: "base", base: "hand book", paragraph: "ISA 320.10", query: undefined },
    { page: "sources" },
    { page: "source", slug: "isa-kb" },
    { page: "settings", section: "appearance" },
    { page: "settings", section: "connections", open: "my-gateway", add: undefined },
    { page: "settings", section: "connections", open: undefined, add: "" },
    { page: "usage", range: "30" },
    { page: "tasks" },
    { page: "web" },
    { page: "missions", add: undefined },
    { page: "missions", add: "general-research" },
    { page: "task", task: "fix-the-parser" },
    { page: "welcome" },
];

it.each(ROUTES)("$page survives the way through the address", (route) => {
    expect(parseRoute(`#${pathOf(route)}`)).toEqual(route);
});

it.each(["", "#", "#/", "/nowhere", "/session/", "//evil.example", "/session", "javascript:alert(1)", "/%E0%A4%A"])(
    "%j leads to the inbox",
    (path) => {
        expect(parseRoute(path)).toEqual({ page: "inbox", view: "inbox" });
    },
);

it("reads a damaged address as it stands", () => {
    expect(parseRoute("/agent/%E0%A4%A")).toEqual({ page: "agent", slug: "%E0%A4%A" });
});
