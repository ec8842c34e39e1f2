import { act, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";

import { Failure, type Theme, type ThemeList, type ThemeSave } from "@/backend";
import { forget } from "@/backend/query";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { FIRST_THEME, Toasts, TooltipProvider, builtIn, setAppearance } from "@/shared";

import { beginEditing, edit, type EditingEvent } from "./edits";
import { closeEditor } from "./open";
import { ThemeEditing } from "./ThemeEditing";
import { ThemeGallery } from "./ThemeGallery";
import { lookOf } from "./useThemes";

let core: MockTransport;
let list: ThemeList;
let chosen: string[];

const root = () => document.documentElement.style;

beforeEach(() => {
    forget();
    closeEditor();
    setAppearance({ theme: "paper", mode: "light", zoom: 1 });
    list = { own: [], workspace: null, workspaceBase: null };
    chosen = [];
    core = mockTransport();
    core.answers = {
        theme_list: () => list,
        theme_save: ({ place, theme }: ThemeSave) => ({
            id: typeof place === "object" ? place.own : "mine",
            file: "/home/eva/themes/mine.json",
            theme,
            problems: [],
            digest: null,
        }),
        theme_remove: null,
    };
});

async function show(theme = "paper") {
    render(
        <TooltipProvider>
            <ThemeGallery theme={theme} onChange={(id) => chosen.push(id)} />
            <ThemeEditing />
            <Toasts />
        </TooltipProvider>,
    );
    await act(async () => {});
    return userEvent.setup();
}

const asked = (name: string) => core.asked.filter((each) => each.name === name).map(({ params }) => params);
const mine = (theme: Theme) => ({ id: "mine", file: "/home/eva/themes/mine.json", theme, problems: [], digest: "d1" });

test("every theme of the program can be chosen, and the person's own ones come first", async () => {
    list.own = [mine({ name: "Mine", light: { accent: "#123456" } })];
    const user = await show();
    const names = screen.getAllByRole("radio").map((radio) => radio.textContent);
    expect(names).toHaveLength(16);
    expect(names[0]).toBe("Mine");
    await user.click(screen.getByRole("radio", { name: "Harbour" }));
    expect(chosen).toEqual(["harbour"]);
});

test("a broken theme says what is wrong and where", async () => {
    list.own = [
        {
            id: "odd",
            file: "/home/eva/themes/odd.json",
            theme: null,
            problems: [{ file: "odd.json", place: "/light/accent", message: "expected a colour, found `x`" }],
            digest: null,
        },
    ];
    await show();
    expect(screen.getByText(/odd\.json \/light\/accent: expected a colour/)).toBeTruthy();
});

test("what is edited is on the window at once, and gone when it is cancelled", async () => {
    const user = await show();
    await user.click(screen.getByRole("button", { name: "New theme…" }));
    const editor = await screen.findByRole("dialog", { name: "Edit theme" });
    const field = within(editor).getByRole("textbox", { name: "Accent, light" });
    await user.clear(field);
    await user.type(field, "#7a1f5c");
    expect(root().getPropertyValue("--accent")).toContain("#7a1f5c");
    await user.keyboard("{Enter}{Escape}");
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(root().getPropertyValue("--accent")).toBe("");
    expect(asked("theme_save")).toEqual([]);
    await user.click(screen.getAllByRole("button", { name: "Undo" }).at(-1) ?? document.body);
    expect(await screen.findByRole("textbox", { name: "Accent, light" })).toHaveProperty("value", "#7a1f5c");
});

test("a colour that can't be read says so and can be mended", async () => {
    const user = await show();
    await user.click(screen.getByRole("button", { name: "New theme…" }));
    const field = await screen.findByRole("textbox", { name: "Accent, light" });
    await user.clear(field);
    await user.type(field, "#ffe680{Enter}");
    const fix = screen.getByRole("button", { name: /^Fix Accent, light/ });
    await user.click(fix);
    expect(screen.queryByRole("button", { name: /^Fix/ })).toBeNull();
    expect(screen.getByText("Contrast: all pairs are readable")).toBeTruthy();
});

test("saving keeps all colours under the name and takes the theme into use", async () => {
    const user = await show("harbour");
    await user.click(screen.getByRole("button", { name: "New theme…" }));
    const name = await screen.findByRole("textbox", { name: "Name" });
    await user.clear(name);
    await user.type(name, "Evening");
    await user.click(screen.getByRole("button", { name: "Save" }));
    const [save] = asked("theme_save") as ThemeSave[];
    expect(save?.place).toBe("new");
    expect(save?.taken).toContain("harbour");
    expect(save?.theme).toEqual({ name: "Evening", ...builtIn("harbour")?.sides });
    expect(chosen).toEqual(["mine"]);
});

test("a theme that can't be kept stays open with the reason", async () => {
    core.answers.theme_save = () => {
        throw new Failure({
            code: "storage",
            message: "The disk is full.",
            retryable: true,
            action: "Free some space.",
        });
    };
    const user = await show();
    await user.click(screen.getByRole("button", { name: "New theme…" }));
    await user.click(await screen.findByRole("button", { name: "Save" }));
    expect(await screen.findByText(/The disk is full/)).toBeTruthy();
    expect(screen.getByRole("dialog", { name: "Edit theme" })).toBeTruthy();
});

test("a foreign theme shows what is left out before it is kept", async () => {
    core.answers.theme_import = {
        theme: { name: "Ice", dark: { background: "#101820", foreground: "#e0e8f0" } },
        notes: [{ place: "/backgroundImage", text: "left out: pictures behind the window are not shown" }],
    };
    const user = await show();
    await user.click(screen.getByRole("button", { name: "Import…" }));
    await user.click(screen.getByRole("textbox", { name: "Paste the theme here" }));
    await user.paste('{"name": "Ice"}');
    await user.click(screen.getByRole("button", { name: "Preview" }));
    expect(await screen.findByText(/pictures behind the window/)).toBeTruthy();
    expect(asked("theme_save")).toEqual([]);
    await user.click(screen.getByRole("button", { name: "Add and use" }));
    expect(chosen).toEqual(["mine"]);
});

test("a text that is no theme says why", async () => {
    core.answers.theme_import = () => {
        throw new Failure({
            code: "invalid_input",
            message: "this is no theme that can be used",
            retryable: false,
            action: null,
        });
    };
    const user = await show();
    await user.click(screen.getByRole("button", { name: "Import…" }));
    await user.click(screen.getByRole("textbox", { name: "Paste the theme here" }));
    await user.paste("x");
    await user.click(screen.getByRole("button", { name: "Preview" }));
    expect(await screen.findByText(/no theme that can be used/)).toBeTruthy();
});

test("an own theme is saved over the text that was edited, and no other", async () => {
    list.own = [mine({ name: "Mine", light: { accent: "#123456" } })];
    const user = await show("mine");
    await user.click(screen.getByRole("button", { name: "More actions for Mine" }));
    await user.click(screen.getByRole("menuitem", { name: "Edit…" }));
    await user.click(await screen.findByRole("button", { name: "Save" }));
    expect(asked("theme_save")).toEqual([expect.objectContaining({ place: { own: "mine" }, seen: "d1" })]);
});

test("a workspace with colours of its own says so and can follow the program again", async () => {
    list.workspace = {
        id: "",
        file: "/home/eva/workspaces/lab/theme.json",
        theme: { base: "moss" },
        problems: [],
        digest: null,
    };
    const user = await show("slate");
    expect(screen.getByText(/its own colours: Moss/)).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Use the default theme" }));
    expect(asked("theme_remove")).toEqual([{ place: "workspace" }]);
});

test("the cascade goes from the program over the workspace's settings to its file", () => {
    const find = () => undefined;
    const look = (workspaceBase: string | null, theme: Theme | null) =>
        lookOf("slate", {
            find,
            list: {
                own: [],
                workspaceBase,
                workspace: theme === null ? null : { id: "", file: "", theme, problems: [], digest: null },
            },
        }).sides;
    expect(look(null, null)).toBe(builtIn("slate")?.sides);
    expect(look("fog", null)).toBe(builtIn("fog")?.sides);
    expect(look("nobody", null)).toBe(builtIn("slate")?.sides);
    expect(look("fog", { light: { accent: "#123456" } }).light).toEqual({
        ...builtIn("fog")?.sides.light,
        accent: "#123456",
    });
    expect(look("fog", { base: "moss", light: { accent: "#123456" } }).dark).toEqual(builtIn("moss")?.sides.dark);
});

test("an own theme that is removed can be brought back", async () => {
    const theme = { name: "Mine", light: { accent: "#123456" } };
    list.own = [mine(theme)];
    const user = await show("mine");
    await user.click(screen.getByRole("button", { name: "More actions for Mine" }));
    await user.click(screen.getByRole("menuitem", { name: "Remove" }));
    expect(chosen).toEqual([FIRST_THEME.id]);
    expect(asked("theme_remove")).toEqual([{ place: { own: "mine" } }]);
    await user.click((await screen.findAllByRole("button", { name: "Undo" })).at(-1) ?? document.body);
    expect(asked("theme_save")).toEqual([expect.objectContaining({ place: { own: "mine" }, theme })]);
});

const START = beginEditing("x", FIRST_THEME.sides);
const after = (...events: EditingEvent[]) => events.reduce(edit, START);

test("changes of one colour in a row are one step back", () => {
    const state = after(
        { do: "colour", side: "light", colour: "accent", value: "#111111" },
        { do: "colour", side: "light", colour: "accent", value: "#222222" },
    );
    expect(state.past).toHaveLength(1);
    expect(edit(state, { do: "undo" }).sides).toEqual(START.sides);
    const again = edit(edit(state, { do: "settle" }), {
        do: "colour",
        side: "light",
        colour: "accent",
        value: "#333333",
    });
    expect(edit(again, { do: "undo" }).sides.light.accent).toBe("#222222");
});

test("what was taken back can be done again until something else changes", () => {
    const state = after({ do: "colour", side: "dark", colour: "info", value: "#eecc88" }, { do: "undo" });
    expect(edit(state, { do: "redo" }).sides.dark.info).toBe("#eecc88");
    expect(
        edit(edit(state, { do: "colour", side: "dark", colour: "accent", value: "#ffffff" }), { do: "redo" }).sides.dark
            .info,
    ).toBe(FIRST_THEME.sides.dark.info);
});

test("reset goes back to where it began and can itself be taken back", () => {
    const state = after({ do: "colour", side: "dark", colour: "info", value: "#eecc88" }, { do: "reset" });
    expect(state.sides).toEqual(START.sides);
    expect(edit(state, { do: "undo" }).sides.dark.info).toBe("#eecc88");
});

test("a ground follows the background again when it is let go", () => {
    const state = after(
        { do: "colour", side: "light", colour: "navigator", value: "#eeeeee" },
        { do: "colour", side: "light", colour: "navigator", value: undefined },
    );
    expect(state.sides.light).not.toHaveProperty("navigator");
});

test("the same colours again are no step", () => {
    expect(after({ do: "colour", side: "light", colour: "accent", value: START.sides.light.accent })).toBe(START);
});
