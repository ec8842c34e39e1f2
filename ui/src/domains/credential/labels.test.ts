import { expect, it, test } from "vitest";

import { entryWord, inOrder, strengthOf } from "./labels";

it.each([
    ["", "empty"],
    ["short", "short"],
    ["12345678", "weak"],
    ["aaaaaaaaaaaaaaaaaaaa", "weak"],
    ["password1", "weak"],
    ["correct horse 9", "fair"],
    ["correct horse battery staple", "good"],
    ["one one one one one one", "weak"],
    ["k3!vQz8#pLw2@Xm9", "good"],
])("%j is %s", (passphrase, strength) => expect(strengthOf(passphrase)).toBe(strength));

test("a secret is named by what it is of", () => {
    expect(["connection/acme/key", "connection/acme/oauth", "source/web/api-key", "other"].map(entryWord)).toEqual([
        "Key of acme",
        "Sign-in of acme",
        "api-key of the source web",
        "other",
    ]);
});

test("what nothing uses stands last", () => {
    const entry = (name: string, usedBy: string) => ({ name, usedBy, at: 0, expiresAt: null });
    expect(inOrder([entry("a", ""), entry("c", "C"), entry("b", "B")]).map(({ name }) => name)).toEqual([
        "b",
        "c",
        "a",
    ]);
});
