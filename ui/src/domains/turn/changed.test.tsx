import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";

import { Failure, type ChangedFile, type TurnChanges } from "@/backend";
import { forget } from "@/backend/query";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { toolStep } from "@/backend/turn-fixtures";
import { TooltipProvider } from "@/shared";

import { ChangedFiles, changedIn, resultOf } from "./ChangedFiles";

let transport: MockTransport;

beforeEach(() => {
    forget();
    transport = mockTransport();
});

function file(over: Partial<ChangedFile> = {}): ChangedFile {
    return {
        path: "/home/eva/shop/a.txt",
        shown: "a.txt",
        did: "changed",
        undone: false,
        standing: "ready",
        by: null,
        note: "",
        texts: null,
        done: null,
        ...over,
    };
}

const changes = (files: ChangedFile[], notes: string[] = []): TurnChanges => ({ run: "run-1", files, notes });
const change = (path: string) =>
    toolStep({ id: path, show: [{ show: "change", path, before: "b", after: "a", added: 1, removed: 1 }] });
const asked = (name: string) => transport.asked.filter((each) => each.name === name).map((each) => each.params);

function show(files = ["/home/eva/shop/a.txt"]) {
    render(
        <TooltipProvider>
            <ChangedFiles run="run-1" steps={files.map(change)} />
        </TooltipProvider>,
    );
    return userEvent.setup();
}

/** A core that remembers what was undone. */
function core(all: ChangedFile[], notes: string[] = []) {
    let files = all;
    transport.answers.turn_changes = ({ path }: { path?: string }) =>
        path === undefined
            ? changes(files, notes)
            : changes([{ ...file({ path }), texts: { now: "new\n", back: "old\n", binary: false } }]);
    transport.answers.turn_undo = ({ paths, redo, force }: { paths: string[]; redo: boolean; force: boolean }) => {
        files = files.map((each) =>
            paths.includes(each.path) && (each.standing === "ready" || force)
                ? { ...each, undone: !redo, standing: "ready", note: "" }
                : each,
        );
        return changes(
            files.map((each) => (paths.includes(each.path) ? { ...each, done: each.undone === !redo } : each)),
        );
    };
}

describe("the files that a turn changed", () => {
    it("are not there when it changed none, and are counted once each", () => {
        show([]);
        expect(screen.queryByText(/changed/)).toBeNull();
        expect(changedIn([change("/a"), change("/a"), change("/b")])).toEqual(["/a", "/b"]);
    });

    it("are asked for when the line is opened, undone with one click and done again with another", async () => {
        core([file(), file({ path: "/home/eva/shop/b.txt", shown: "b.txt", did: "created" })]);
        const user = show(["/home/eva/shop/a.txt", "/home/eva/shop/b.txt"]);
        expect(transport.asked).toEqual([]);
        await user.click(screen.getByText("2 files changed"));
        expect(await screen.findByText("created")).toBeTruthy();
        await user.click(screen.getByRole("button", { name: "Undo changes" }));
        expect(asked("turn_undo")).toEqual([
            { run: "run-1", paths: ["/home/eva/shop/a.txt", "/home/eva/shop/b.txt"], redo: false, force: false },
        ]);
        expect((await screen.findByRole("status")).textContent).toBe("2 files are as before the turn.");
        await user.click(await screen.findByRole("button", { name: "Redo" }));
        expect((await screen.findByRole("status")).textContent).toBe("2 files are as the turn left them.");
        expect(await screen.findByRole("button", { name: "Undo changes" })).toBeTruthy();
    });

    it("are undone one by one, too, and opened to what was changed", async () => {
        core([file(), file({ path: "/home/eva/shop/b.txt", shown: "b.txt" })]);
        const user = show();
        await user.click(screen.getByText("1 file changed"));
        await user.click(await screen.findByRole("button", { name: "Undo: b.txt" }));
        expect(asked("turn_undo")).toEqual([
            { run: "run-1", paths: ["/home/eva/shop/b.txt"], redo: false, force: false },
        ]);
        await user.click(screen.getByText("a.txt"));
        const diff = await screen.findByRole("figure", { name: "Change of a.txt" });
        expect(within(diff).getByText("new")).toBeTruthy();
        expect(within(diff).getByText("old")).toBeTruthy();
    });

    it("are left alone where something else changed them, unless the person says so", async () => {
        core([
            file({
                standing: "changed_since",
                note: "something else changed it since: you, a command or another program",
            }),
        ]);
        const user = show();
        await user.click(screen.getByText("1 file changed"));
        expect(await screen.findByText(/^Something else changed it since/)).toBeTruthy();
        expect(screen.queryByRole("button", { name: "Undo changes" })).toBeNull();
        await user.click(screen.getByText("a.txt"));
        await user.click(await screen.findByRole("button", { name: "Undo anyway" }));
        expect(asked("turn_undo")).toEqual([
            { run: "run-1", paths: ["/home/eva/shop/a.txt"], redo: false, force: true },
        ]);
        expect((await screen.findByRole("status")).textContent).toBe("1 file is as before the turn.");
    });

    it("say what is not known and what was not kept", async () => {
        core(
            [file({ standing: "not_kept", note: "what it held is not kept in this session" })],
            ["Commands ran, too. What they changed is not known, and is not undone: `make`."],
        );
        const user = show();
        await user.click(screen.getByText("1 file changed"));
        expect(await screen.findByText("make")).toBeTruthy();
        expect(screen.getByText("What it held is not kept in this session.")).toBeTruthy();
        expect(screen.queryByRole("button", { name: /^Undo/ })).toBeNull();
    });

    it("say why nothing was undone", async () => {
        core([file()]);
        transport.answers.turn_undo = () => {
            throw new Failure({
                code: "busy",
                message: "a turn is under way in this session; nothing was undone",
                retryable: false,
                action: "stop it, or wait until it has ended",
            });
        };
        const user = show();
        await user.click(screen.getByText("1 file changed"));
        await user.click(await screen.findByRole("button", { name: "Undo changes" }));
        expect((await screen.findByRole("alert")).textContent).toContain("under way");
    });
});

it("tells what came of it in words", () => {
    const left = file({ done: false, note: "it was undone already" });
    expect(resultOf(changes([file({ done: true }), left]), false)).toBe(
        "1 file is as before the turn. 1 file was left: it was undone already.",
    );
    expect(resultOf(changes([left]), true)).toBe("Nothing was changed. 1 file was left: it was undone already.");
});
