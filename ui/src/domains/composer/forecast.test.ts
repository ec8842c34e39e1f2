import { describe, expect, it, test } from "vitest";

import type { ConnectionRow, Forecast } from "@/backend";

import { dollarsOf } from "@/shared";

import { forecastWords } from "./forecast";
import { modelEntries } from "./models";

const forecast = (over: Partial<Forecast> = {}): Forecast => ({
    connection: "acme",
    model: "big-1",
    stages: [],
    cost: 120_000_000,
    most: 800_000_000,
    tokens: 85_200,
    runs: 4,
    equivalent: false,
    unpriced: false,
    budget: null,
    range: {
        cost: { low: 0, likely: 120_000_000, high: 800_000_000 },
        tokens: { low: 0, likely: 85_200, high: 900_000 },
        runs: 4,
    },
    ...over,
});

describe("a forecast", () => {
    it("tells what runs like it cost and where a limit stops it", () => {
        expect(forecastWords(forecast(), null)).toEqual({
            money: "likely $0.12, at most $0.80",
            tokens: "about 85k tokens",
            from: "from 4 runs like it",
            warning: "",
        });
        expect(forecastWords(forecast(), 500_000_000).money).toBe("likely $0.12, at most $0.50");
        expect(forecastWords(forecast({ most: undefined }), null).money).toBe("likely $0.12");
    });

    it("without a run at this depth says nothing of what is likely", () => {
        const { range } = forecast();
        const unknown = forecast({ range: { ...range, runs: 0 } });
        expect(forecastWords(unknown, null)).toMatchObject({
            money: "at most $0.80",
            tokens: "",
            from: "no earlier run at this depth",
        });
        expect(forecastWords({ ...unknown, most: undefined }, null).money).toBe("no limit on money stops it");
    });

    it("without a price names no sum", () => {
        expect(forecastWords(forecast({ unpriced: true, cost: 0, most: 0 }), 1).money).toBe("no known price for big-1");
        expect(forecastWords(forecast({ unpriced: true }), 1).warning).toBe("");
    });

    it("of a flat rate is what it is worth, and never over a limit of money", () => {
        expect(forecastWords(forecast({ equivalent: true }), 1)).toMatchObject({
            money: "subscription, worth $0.12",
            warning: "",
        });
    });

    it("of what costs nothing is free", () => {
        expect(forecastWords(forecast({ most: 0, range: { ...forecast().range, runs: 0 } }), null)).toEqual({
            money: "free",
            tokens: "",
            from: "",
            warning: "",
        });
    });

    it("over the offline engine says that no model is asked", () => {
        expect(forecastWords(forecast({ cost: 0, most: 0 }), 1, true)).toEqual({
            money: "free: the offline engine calls no model",
            tokens: "",
            from: "",
            warning: "",
        });
    });

    it("warns where it is likely to go over the nearest limit", () => {
        expect(forecastWords(forecast(), 100_000_000).warning).toBe("more than the limit of $0.10");
        expect(forecastWords(forecast({ budget: 50_000_000 }), 100_000_000).warning).toBe(
            "more than the limit of $0.05",
        );
        expect(forecastWords(forecast(), 200_000_000).warning).toBe("");
    });
});

test("a limit is read as people write sums", () => {
    expect(["", " ", "2", "0.5", "0,50", "$1.5", ".5", "1,000", "12,345.50"].map(dollarsOf)).toEqual([
        undefined,
        undefined,
        2,
        0.5,
        0.5,
        1.5,
        0.5,
        1_000,
        12_345.5,
    ]);
    expect(["0", "-1", "two", "1e9", "1.2.3", "∞"].map(dollarsOf)).toEqual([null, null, null, null, null, null]);
});

describe("the models to pick from", () => {
    const row = (over: Partial<ConnectionRow>) =>
        ({
            slug: "acme",
            name: "Acme",
            provider: "anthropic",
            credential: "stored",
            defaultModel: "m3",
            models: ["m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8"],
            problem: null,
            ...over,
        }) as ConnectionRow;

    it("begin with the connection's default, and are few until something is typed", () => {
        const labels = modelEntries([row({})], "").map((entry) => entry.label);
        expect(labels).toEqual(["Default (agent, then settings)", "m3", "m1", "m2", "m4", "m5", "m6"]);
        expect(modelEntries([row({})], "m8").map((entry) => entry.choice)).toEqual([
            { connection: "acme", model: "m8" },
        ]);
        expect(modelEntries([row({}), row({ slug: "b", name: "B" })], "acme m7").map((entry) => entry.id)).toEqual([
            "acme m7",
        ]);
    });

    it("of a connection without its key are told with what is missing", () => {
        expect(modelEntries([row({ credential: "missing" })], "m3")).toEqual([
            expect.objectContaining({ label: "m3", missing: "Key missing" }),
        ]);
    });

    it("of a host that lists none is its own", () => {
        expect(modelEntries([row({ models: [], defaultModel: null })], "")[1]).toMatchObject({
            choice: { connection: "acme", model: null },
            label: "First listed model",
        });
    });
});
