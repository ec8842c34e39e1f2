import { describe, expect, it, test } from "vitest";

import type { ModelConnection, ModelRow } from "@/backend";

import { formOf, freeSlug, isOpen, pairsOf, problemsOf, saveOf, slugFrom, type Asks, type Form } from "./form";
import { modelForm, modelProblems, overrideOf, tokensFrom } from "./model";
import { abilities, isReady, lacks, priceWord, windowWord } from "./labels";

const ASKS: Asks = { address: false, model: false, key: true, stored: false, taken: ["openai"] };
const bare: ModelConnection = { slug: "anthropic", name: "Anthropic", provider: "anthropic", auth: { kind: "key" } };
const form = (over: Partial<Form> = {}): Form => ({ ...formOf(bare), ...over });
const wrong = (over: Partial<Form>, asks: Partial<Asks> = {}) =>
    Object.keys(problemsOf(form({ secret: "sk-1", ...over }), { ...ASKS, ...asks }));

describe("a slug", () => {
    it.each([
        ["Our Gateway (EU)", "our-gateway-eu"],
        ["  Zürich – Büro 2 ", "zurich-buro-2"],
        ["日本", ""],
        ["a".repeat(90), "a".repeat(40)],
    ])("of %j is %j", (name, slug) => expect(slugFrom(name)).toBe(slug));

    it("is free of those that are taken", () => {
        expect(freeSlug("openai", ["openai", "openai-2"])).toBe("openai-3");
        expect(freeSlug("x", [])).toBe("x");
    });
});

describe("a connection's form", () => {
    it("gives back what it was made from", () => {
        const whole: ModelConnection = {
            slug: "gateway",
            name: "Gateway",
            provider: "openai-chat",
            baseUrl: "https://models.example/v1",
            auth: {
                kind: "oauth",
                service: {
                    authorizeUrl: "https://id.example/a",
                    tokenUrl: "https://id.example/t",
                    clientId: "c",
                    scopes: ["x", "y"],
                    extra: { audience: "models" },
                },
            },
            defaultModel: "m",
            judgeModel: "small",
            models: [{ id: "m", contextWindow: 8_000 }],
            headers: { "X-Team": "a: b" },
            flatRate: true,
            background: true,
            caFile: "/ca.pem",
            proxy: "none",
            silenceSeconds: 30,
            maxParallelCalls: 4,
        };
        expect(saveOf(formOf(whole), whole, "gateway")).toEqual({ connection: whole, was: "gateway" });
    });

    it("sends a secret only where one was typed, without the blanks around it", () => {
        expect(saveOf(form(), bare, undefined)).not.toHaveProperty("secret");
        expect(saveOf(form({ secret: " sk-1\n" }), bare, undefined).secret).toBe("sk-1");
        expect(saveOf(form({ secret: "sk-1", env: "KEY" }), bare, undefined)).toEqual({
            connection: expect.objectContaining({ auth: { kind: "key", env: "KEY" } }) as ModelConnection,
        });
        expect(saveOf(form({ secret: "sk-1", auth: "none" }), bare, undefined)).not.toHaveProperty("secret");
    });

    it("says by field what is missing", () => {
        expect(wrong({})).toEqual([]);
        expect(wrong({ secret: "" })).toEqual(["secret"]);
        expect(wrong({ secret: "" }, { stored: true })).toEqual([]);
        expect(wrong({ secret: "" }, { key: false })).toEqual([]);
        expect(wrong({ secret: "sk 1" })).toEqual(["secret"]);
        expect(wrong({ address: "" }, { address: true })).toEqual(["address"]);
        expect(wrong({ model: " " }, { model: true })).toEqual(["model"]);
        expect(wrong({ name: "", slug: undefined })).toEqual(["name"]);
        expect(wrong({ name: "OpenAI", slug: undefined })).toEqual(["name"]);
        expect(wrong({ slug: "Not a slug" })).toEqual(["slug"]);
        expect(wrong({ env: "1 KEY" })).toEqual(["env"]);
        expect(wrong({ auth: "oauth" })).toEqual(["tokenUrl", "clientId"]);
        expect(wrong({ auth: "workload_identity", tokenUrl: "https://x.example/t" })).toEqual(["tokenFile"]);
        expect(wrong({ headers: "no colon", silence: "0", proxy: "proxy:80" })).toEqual([
            "headers",
            "silence",
            "proxy",
        ]);
    });

    it.each(["javascript:alert(1)", "ftp://x.example", "models.example/v1", "https://me:secret@models.example"])(
        "takes %j for no address",
        (address) => expect(wrong({ address })).toEqual(["address"]),
    );

    it("warns of an address that others can read along, not of this machine's own", () => {
        expect(
            [
                "http://models.example/v1",
                "http://10.0.0.2:8000",
                "http://localhost:11434",
                "http://127.0.0.1:8000",
                "http://[::1]:8000",
                "https://models.example",
                "nonsense",
            ].map(isOpen),
        ).toEqual([true, true, false, false, false, false, false]);
    });

    it("reads pairs a line each, values with colons whole", () => {
        expect(pairsOf("A: 1\n\n B : x:y \nlast")).toEqual({ pairs: { A: "1", B: "x:y" }, wrong: "last" });
    });
});

const model: ModelRow = {
    id: "m",
    connection: "c",
    contextWindow: 200_000,
    maxOutput: 8_192,
    structured: true,
    thinking: false,
    tools: true,
    images: false,
    documents: false,
    inputPrice: 3,
    outputPrice: 15,
    cacheReadPrice: 0.3,
    cacheWritePrice: null,
    ownPrice: false,
    knownFrom: "table",
};

describe("what a person says of a model", () => {
    it("is only what differs from what is known", () => {
        expect(overrideOf(model, { ...modelForm(model), window: "1M" }, undefined)).toEqual({
            id: "m",
            contextWindow: 1_000_000,
        });
        expect(overrideOf(model, { ...modelForm(model), inputPrice: "2.50" }, { id: "m", tools: false })).toEqual({
            id: "m",
            tools: false,
            price: { input: 2.5, output: 15, cacheRead: 0.3, cacheWrite: null },
        });
        expect(
            overrideOf(model, { ...modelForm(model), inputPrice: "", outputPrice: "", cacheReadPrice: "" }, undefined),
        ).toEqual({ id: "m", price: null });
    });

    it("wants tokens as tokens and prices in pairs", () => {
        expect(["200k", "1.5M", "128,000", "64_000", "12.5", "-1", "many"].map(tokensFrom)).toEqual([
            200_000,
            1_500_000,
            128_000,
            64_000,
            undefined,
            undefined,
            undefined,
        ]);
        expect(modelProblems(modelForm(model))).toEqual({});
        expect(Object.keys(modelProblems({ ...modelForm(model), window: "big", outputPrice: "" }))).toEqual([
            "window",
            "outputPrice",
        ]);
    });
});

test("windows, prices and abilities are short words", () => {
    expect([0, 512, 8_192, 200_000, 1_000_000, 1_048_576, 2_097_152].map(windowWord)).toEqual([
        "",
        "512",
        "8k",
        "200k",
        "1M",
        "1M",
        "2.1M",
    ]);
    expect([null, 0, 3, 0.25, 0.075, 12.5].map(priceWord)).toEqual(["–", "$0", "$3", "$0.25", "$0.075", "$12.50"]);
    expect(abilities(model)).toEqual(["structured", "tools"]);
});

test("a connection without its key can't be asked, and says why", () => {
    expect(isReady({ credential: "missing", problem: null })).toBe(false);
    expect(lacks({ credential: "locked", problem: null })).toBe("Vault locked");
    expect(lacks({ credential: "environment", problem: null })).toBeUndefined();
    expect(
        lacks({ credential: "stored", problem: { code: "invalid_config", message: "Broken.", retryable: false } }),
    ).toBe("Broken.");
});
