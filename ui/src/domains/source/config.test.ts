import { expect, test } from "vitest";

import { problemWords, reachOf, readConfig, warningsOf, withValue } from "./config";

test("what a source runs is shown whole, each word apart", () => {
    expect(reachOf({ mcp: { command: "node", args: ["a b.js", "--x=1"] } })).toEqual({
        kind: "program",
        what: 'node "a b.js" --x=1',
    });
    expect(reachOf({ mcp: { url: "https://mcp.example.org/" } })).toEqual({
        kind: "address",
        what: "https://mcp.example.org/",
    });
    expect(reachOf({})).toBeUndefined();
});

test("a field changes its value alone, and what the form does not know stays", () => {
    const config = { slug: "a", mcp: { command: "b", callIdleSeconds: 9 } };
    expect(withValue(config, ["mcp", "command"], "c")).toEqual({
        slug: "a",
        mcp: { command: "c", callIdleSeconds: 9 },
    });
    expect(withValue({}, ["api", "oauth", "clientId"], "x")).toEqual({ api: { oauth: { clientId: "x" } } });
    expect(JSON.stringify(withValue(config, ["mcp"], undefined))).toBe('{"slug":"a"}');
});

test("a problem names the field that a person sees", () => {
    expect(problemWords({ place: "/mcp/command", message: "expected a name" })).toBe("Command: expected a name");
    expect(problemWords({ place: "/mcp/cwd", message: "is none" })).toBe("/mcp/cwd: is none");
    expect(problemWords({ place: "", message: "is none" })).toBe("is none");
});

test("what can do harm is pointed out, and what can't is not", () => {
    expect(warningsOf("sudo server")).toHaveLength(1);
    expect(warningsOf('bash -c "rm -rf ~"')).toHaveLength(3);
    expect(warningsOf("npx -y some-server")).toHaveLength(1);
    expect(warningsOf("npx -y some-server@1.2.3")).toEqual([]);
    expect(warningsOf("mcp-server-git --repository .")).toEqual([]);
});

test("what is no configuration says why", () => {
    expect(readConfig("[").fault).toBeDefined();
    expect(readConfig("[]").fault).toBe("The configuration must be a JSON object.");
    expect(readConfig('{"slug": "x"}').config?.slug).toBe("x");
});
