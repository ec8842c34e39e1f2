import { describe, expect, it } from "vitest";

import { clockOf, cronOf } from "./clock";
import { conditionsOf, conditionsText, stateRow } from "./conditions";
import { TEMPLATES, draftOf, entryOf, withField } from "./entry";
import { isBefore, timeIn } from "./labels";

describe("an automation in the form", () => {
    it("comes out as it went in, with what the form does not show", () => {
        const entry = {
            name: "Standup",
            cron: "0 9 * * 1-5",
            timezone: "Europe/Budapest",
            missed: "once",
            permissionMode: "ask",
            labels: ["Scheduled", "daily"],
            conditions: [{ condition: "time", weekday: ["mon"] }],
            future: { kept: true },
            actions: [
                { type: "prompt", prompt: "Look", thinkingLevel: "low" },
                { type: "webhook", url: "https://example.org", headers: { a: "b" } },
            ],
        };
        expect(entryOf(draftOf("tick", entry)).entry).toEqual(entry);
    });

    it("keeps every template as it is", () => {
        for (const template of TEMPLATES) {
            expect(entryOf(draftOf(template.event, template.entry)).entry).toEqual({
                permissionMode: "safe",
                ...template.entry,
            });
        }
    });

    it("says what is wrong with conditions that are no JSON", () => {
        expect(entryOf({ ...draftOf("tick", {}), conditions: "[" }).problem).toBe("The conditions are not valid JSON.");
    });

    it("leaves out what was emptied, but never what an action needs", () => {
        const [action] = draftOf("tick", { actions: [{ type: "prompt", prompt: "Look", model: "m" }] }).actions;
        if (action === undefined) throw new Error("no action");
        expect(withField(action, "model", "").rest).toEqual({ prompt: "Look" });
        expect(withField(action, "prompt", "").rest).toEqual({ prompt: "", model: "m" });
    });

    it("takes what is no automation for an empty one", () => {
        for (const odd of [null, [], "x", { actions: "x", labels: 1 }]) {
            expect(draftOf("tick", odd).actions).toEqual([]);
        }
    });
});

describe("words", () => {
    it("say a time in the automation's own zone", () => {
        expect(timeIn(Date.UTC(2026, 2, 30, 7, 0), "Europe/Budapest")).toBe("Mon 30 Mar, 09:00");
        expect(timeIn(0, "Mars/Olympus")).not.toBe("");
    });

    it("know what can be kept from happening", () => {
        expect([isBefore("tool_before"), isBefore("tool_after")]).toEqual([true, false]);
    });
});

describe("a time of day", () => {
    it("is read from a pattern that says no more, and written as one", () => {
        for (const [cron, time, days] of [
            ["0 9 * * 1-5", "09:00", [1, 2, 3, 4, 5]],
            ["30 18 * * *", "18:30", [1, 2, 3, 4, 5, 6, 7]],
            ["5 0 * * 1,3", "00:05", [1, 3]],
            ["0 7 * * 7", "07:00", [7]],
        ] as const) {
            expect(clockOf(cron)).toEqual({ time, days });
            expect(cronOf({ time, days })).toBe(cron);
        }
        expect(clockOf("0 7 * * 0")?.days).toEqual([7]);
    });

    it("leaves every other pattern to the field for it", () => {
        for (const cron of ["*/5 * * * *", "0 9 1 * *", "0 9,12 * * *", "0 9 * * MON", "60 9 * * 1", "0 9 * * 5-1", ""])
            expect(clockOf(cron)).toBeUndefined();
    });
});

describe("conditions", () => {
    it("are a list of times and of what something is, and come out as they went in", () => {
        for (const list of [
            [],
            [
                {
                    condition: "time",
                    weekday: ["mon", "fri"],
                    after: "09:00",
                    before: "17:00",
                    timezone: "Europe/Budapest",
                },
            ],
            [
                { condition: "state", field: "labels", contains: "urgent" },
                { condition: "state", field: "isFlagged", to: true },
            ],
            [{ condition: "or", conditions: [{ condition: "state", field: "command", contains: "git push" }] }],
            [{ condition: "not", conditions: [{ condition: "time" }, { condition: "state", field: "x", value: 3 }] }],
        ]) {
            const read = conditionsOf(JSON.stringify(list));
            if (read === undefined) throw new Error(`no list: ${JSON.stringify(list)}`);
            const text = conditionsText(read);
            expect(text === "" ? [] : JSON.parse(text)).toEqual(list);
        }
        expect(conditionsOf("")).toEqual({ join: "all", rows: [] });
        for (const { entry } of TEMPLATES)
            expect(conditionsOf(JSON.stringify(entry["conditions"] ?? []))).toBeDefined();
    });

    it("are read as other files write them", () => {
        const text = '[{"condition": "time", "weekday": "Monday", "after": "9:05"}]';
        expect(conditionsOf(text)?.rows).toEqual([
            { kind: "time", days: ["mon"], after: "09:05", before: "", rest: {} },
        ]);
        const both =
            '[{"condition": "and", "conditions": [{"condition": "state", "field": "tool", "notValue": "shell"}]}]';
        expect(conditionsOf(both)).toEqual({
            join: "all",
            rows: [{ kind: "state", field: "tool", test: "not_value", value: "shell" }],
        });
    });

    it("that say more stay JSON", () => {
        for (const text of [
            "[",
            "{}",
            '[{"condition": "moon"}]',
            '[{"condition": "time", "before": "24:00"}]',
            '[{"condition": "time", "weekday": ["someday"]}]',
            '[{"condition": "state", "field": "permissionMode", "from": "safe", "to": "ask"}]',
            '[{"condition": "state", "field": "labels", "value": ["a"]}]',
            '[{"condition": "or", "conditions": [{"condition": "and", "conditions": []}]}]',
            '[{"condition": "or", "conditions": []}, {"condition": "time"}]',
        ])
            expect(conditionsOf(text), text).toBeUndefined();
    });

    it("begin with the comparison that a field usually has", () => {
        expect(["labels", "sessionStatus", "somethingElse"].map((field) => stateRow(field).test)).toEqual([
            "contains",
            "value",
            "value",
        ]);
    });
});
