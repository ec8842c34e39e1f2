import { expect, test } from "vitest";

import { reachOf, readConfig, secretsOf, warningsOf } from "./editing";

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

test("each secret is asked for once", () => {
    expect(secretsOf('{"a": "${secret:ONE}", "b": "x ${secret:TWO} ${secret:ONE}"}')).toEqual(["ONE", "TWO"]);
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
