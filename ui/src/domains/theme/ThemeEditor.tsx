import { Ellipsis, Redo2, Undo2, X } from "lucide-react";
import { useEffect, useId, useMemo, useReducer, useRef, useState, type KeyboardEvent } from "react";

import { send, shell, toProblem } from "@/backend";
import {
    Button,
    Fold,
    GROUNDS,
    IconButton,
    Menu,
    SIX,
    Select,
    TextField,
    THEMES,
    asFile,
    checkSide,
    saveText,
    toast,
    tryLook,
} from "@/shared";

import { ColourRow } from "./ColourRow";
import { edit, same, type Side } from "./edits";
import { closeEditor, reopenEditor, type OpenEditor } from "./open";
import { Pairs } from "./Pairs";
import { ThemePreview } from "./ThemePreview";

const SIDES: { side: Side; word: string }[] = [
    { side: "light", word: "Light" },
    { side: "dark", word: "Dark" },
];

/** Colours of a theme beside the window that shows them. What is changed is seen at once and kept on "Save" alone. */
export function ThemeEditor({ open }: { open: OpenEditor }) {
    const [state, happen] = useReducer(edit, open.editing);
    const [shownSide, setShownSide] = useState<Side | "set">("set");
    const [saving, setSaving] = useState(false);
    const [problem, setProblem] = useState<string>();
    const panel = useRef<HTMLDivElement>(null);
    const title = useId();
    const { sides } = state;
    const changed = !same(sides, state.start) || state.name !== open.editing.name;

    useEffect(
        () => tryLook({ sides, strength: "normal" }, shownSide === "set" ? undefined : shownSide),
        [sides, shownSide],
    );
    useEffect(() => () => tryLook(undefined), []);
    useEffect(() => panel.current?.querySelector<HTMLElement>("input")?.focus(), []);
    const checked = useMemo(() => ({ light: checkSide(sides.light), dark: checkSide(sides.dark) }), [sides]);
    const failing = [...checked.light, ...checked.dark].filter(({ passes }) => !passes).length;

    const cancel = () => {
        closeEditor();
        const left = { ...open, editing: state };
        if (changed) toast({ text: "Theme restored.", onUndo: () => reopenEditor(left) });
    };
    const file = () => {
        const { name, light, dark } = asFile(state.name.trim() === "" ? "My theme" : state.name.trim(), sides);
        return { name, light, dark };
    };
    const save = async (place: OpenEditor["place"]) => {
        setSaving(true);
        setProblem(undefined);
        try {
            const row = await send("theme_save", {
                place,
                theme: file(),
                seen: place === open.place ? (open.seen ?? null) : null,
                taken: THEMES.map(({ id }) => id),
            });
            if (place === "workspace") toast({ text: "Theme saved for this workspace." });
            else open.onKept(row.id);
            closeEditor();
        } catch (thrown) {
            const { message, action } = toProblem(thrown);
            setProblem([message, action].filter(Boolean).join(" "));
            setSaving(false);
        }
    };
    const text = () => `${JSON.stringify(file(), null, 2)}\n`;
    const copy = () =>
        navigator.clipboard.writeText(text()).then(
            () => toast({ text: "Theme copied as JSON." }),
            () => toast({ text: "Could not copy to the clipboard.", tone: "failed" }),
        );
    const onKeyDown = (event: KeyboardEvent) => {
        if (event.key === "Escape" && !event.defaultPrevented) {
            event.preventDefault();
            event.stopPropagation();
            cancel();
        } else if (
            (event.ctrlKey || event.metaKey) &&
            event.key.toLowerCase() === "z" &&
            !(event.target instanceof HTMLInputElement && event.target.dataset.typed === "true")
        ) {
            event.preventDefault();
            event.stopPropagation();
            happen({ do: event.shiftKey ? "redo" : "undo" });
        }
    };
    return (
        <div
            ref={panel}
            role="dialog"
            aria-labelledby={title}
            onKeyDown={onKeyDown}
            className="slide-in fixed inset-y-0 right-0 z-30 flex w-[27rem] max-w-full flex-col border-l border-hairline-strong bg-raised text-ui text-ink shadow-float"
        >
            <header className="flex h-11 shrink-0 items-center gap-1 border-b border-hairline pr-2 pl-4">
                <h2 id={title} className="min-w-0 flex-1 truncate font-semibold">
                    {open.place === "workspace" ? "Workspace colours" : "Edit theme"}
                </h2>
                <IconButton
                    label="Undo"
                    shortcut="Ctrl+Z"
                    size="small"
                    icon={<Undo2 size={16} strokeWidth={1.5} />}
                    disabled={state.past.length === 0}
                    onClick={() => happen({ do: "undo" })}
                />
                <IconButton
                    label="Redo"
                    shortcut="Ctrl+Shift+Z"
                    size="small"
                    icon={<Redo2 size={16} strokeWidth={1.5} />}
                    disabled={state.future.length === 0}
                    onClick={() => happen({ do: "redo" })}
                />
                <IconButton
                    label="Close without saving"
                    shortcut="Escape"
                    size="small"
                    icon={<X size={16} strokeWidth={1.5} />}
                    onClick={cancel}
                />
            </header>
            <div className="min-h-0 flex-1 overflow-y-auto px-4 py-3">
                <div className="flex items-end gap-3">
                    <TextField
                        label="Name"
                        className="flex-1"
                        value={state.name}
                        maxLength={80}
                        onChange={(name) => happen({ do: "name", name })}
                    />
                    <div className="w-32">
                        <span className="mb-1 block text-small text-ink-2">Preview in window</span>
                        <Select
                            label="Preview in window"
                            className="w-full"
                            value={shownSide}
                            options={[
                                { value: "set", label: "Current mode" },
                                ...SIDES.map(({ side, word }) => ({ value: side, label: word })),
                            ]}
                            onChange={(side) => setShownSide(side)}
                        />
                    </div>
                </div>
                <div className="mt-4 grid grid-cols-2 gap-x-4">
                    {SIDES.map(({ side, word }) => (
                        <div key={side}>
                            <h3 className="mb-1.5 text-small font-medium text-ink-2">{word}</h3>
                            <ThemePreview sides={sides} strength="normal" mode={side} />
                        </div>
                    ))}
                </div>
                {SIX.map((colour) => (
                    <ColourRow key={colour} colour={colour} sides={sides} checked={checked} happen={happen} />
                ))}
                <Fold label="Surface colours" className="mt-4">
                    <p className="mb-1 text-small text-ink-3">Surfaces follow the background unless you set them.</p>
                    {GROUNDS.map((colour) => (
                        <ColourRow key={colour} colour={colour} sides={sides} checked={checked} happen={happen} />
                    ))}
                </Fold>
                <Fold
                    label={
                        failing === 0
                            ? "Contrast: all pairs are readable"
                            : `Contrast: ${failing} of ${checked.light.length + checked.dark.length} pairs are too low`
                    }
                    className="mt-3"
                >
                    <Pairs checked={checked} />
                </Fold>
            </div>
            <footer className="shrink-0 border-t border-hairline px-4 py-3">
                {problem !== undefined && (
                    <p role="alert" className="mb-2 text-small text-failed">
                        Not saved: {problem}
                    </p>
                )}
                {failing > 0 && (
                    <div className="mb-2 flex items-center gap-2 text-small text-needs">
                        <span className="flex-1">Some text will be hard to read.</span>
                        <Button size="small" onClick={() => happen({ do: "fix_all" })}>
                            Fix all
                        </Button>
                    </div>
                )}
                <div className="flex items-center gap-2">
                    <Menu
                        side="top"
                        trigger={
                            <IconButton
                                label="More"
                                variant="secondary"
                                icon={<Ellipsis size={16} strokeWidth={1.5} />}
                            />
                        }
                        entries={[
                            {
                                id: "reset",
                                label: "Reset changes",
                                disabled: same(sides, state.start),
                                onSelect: () => happen({ do: "reset" }),
                            },
                            { kind: "separator", id: "line" },
                            { id: "copy", label: "Copy as JSON", onSelect: () => void copy() },
                            // The desktop window saves no downloads; there the theme's own file can be taken.
                            ...(shell() === undefined
                                ? [
                                      {
                                          id: "file",
                                          label: "Save as a file…",
                                          onSelect: () => saveText("theme.json", text(), "application/json"),
                                      },
                                  ]
                                : []),
                            ...(open.place === "workspace"
                                ? []
                                : [
                                      {
                                          id: "workspace",
                                          label: "Save for this workspace only",
                                          onSelect: () => void save("workspace"),
                                      },
                                  ]),
                        ]}
                    />
                    <span className="flex-1" />
                    <Button onClick={cancel}>Cancel</Button>
                    <Button variant="primary" disabled={saving} onClick={() => void save(open.place)}>
                        {saving ? "Saving…" : "Save"}
                    </Button>
                </div>
            </footer>
        </div>
    );
}
