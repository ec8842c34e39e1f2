import { expect, it } from "vitest";

import type { SessionPatch, SessionRow } from "@/backend";

import { inverse } from "./undo";

const row = (session: string, part: Partial<SessionRow> = {}): SessionRow =>
    ({
        session,
        title: session,
        flagged: false,
        unread: false,
        archived: false,
        deleted: false,
        status: "todo",
        labels: [],
        ...part,
    }) as SessionRow;

it("gives each session its own former status", () => {
    const rows = [row("a"), row("b", { status: "done" }), row("c")];
    expect(inverse(rows, { status: "needs-review" })).toEqual([
        { sessions: ["a", "c"], patch: { status: "todo" } },
        { sessions: ["b"], patch: { status: "done" } },
    ]);
});

it("leaves alone what did not change", () => {
    expect(inverse([row("a", { flagged: true }), row("b")], { flagged: true })).toEqual([
        { sessions: ["b"], patch: { flagged: false } },
    ]);
    expect(inverse([row("a", { status: "done" })], { status: "done" })).toEqual([]);
});

it("takes a label away only from those that got it", () => {
    expect(inverse([row("a", { labels: ["bug"] }), row("b")], { addLabels: ["bug"] })).toEqual([
        { sessions: ["b"], patch: { removeLabels: ["bug"] } },
    ]);
});

it("gives back the value that another one took the place of", () => {
    expect(inverse([row("a", { labels: ["priority::3", "bug"] }), row("b")], { addLabels: ["priority::1"] })).toEqual([
        { sessions: ["a"], patch: { addLabels: ["priority::3"] } },
        { sessions: ["b"], patch: { removeLabels: ["priority::1"] } },
    ]);
});

it("gives labels back with their values", () => {
    expect(inverse([row("a", { labels: ["due::2026-05-01", "bug"] })], { removeLabels: ["due"] })).toEqual([
        { sessions: ["a"], patch: { addLabels: ["due::2026-05-01"] } },
    ]);
});

it("is the way back from everything at once", () => {
    // What the core makes of a patch.
    const apply = (one: SessionRow, patch: SessionPatch): SessionRow => {
        const idOf = (entry: string) => entry.split("::")[0];
        const without = one.labels.filter(
            (entry) => !(patch.removeLabels ?? []).some((gone) => gone === entry || gone === idOf(entry)),
        );
        const added = patch.addLabels ?? [];
        const labels = [
            ...without.filter((entry) => !added.some((other) => idOf(other) === idOf(entry))),
            ...added,
        ].sort();
        const rest = Object.fromEntries(
            Object.entries(patch).filter(([name]) => name !== "addLabels" && name !== "removeLabels"),
        ) as Partial<SessionRow>;
        return { ...one, ...rest, labels };
    };
    const rows = [
        row("a", { labels: ["bug", "priority::3"], unread: true }),
        row("b", { status: "done", flagged: true }),
        row("c", { labels: ["priority::1"], archived: true }),
    ];
    const patches: SessionPatch[] = [
        { status: "todo", addLabels: ["priority::1"], removeLabels: ["bug"] },
        { unread: false, flagged: true, archived: true },
        { addLabels: ["bug", "work"] },
        { removeLabels: ["priority::1", "bug"] },
    ];
    for (const patch of patches) {
        const changed = rows.map((one) => apply(one, patch));
        const back = inverse(rows, patch).reduce(
            (now, change) => now.map((one) => (change.sessions.includes(one.session) ? apply(one, change.patch) : one)),
            changed,
        );
        expect(back).toEqual(rows);
    }
});
