import { RotateCcw, Search } from "lucide-react";
import { useEffect, useRef, useState } from "react";

import { IconButton, Keys, Section, TextField, isRemapped, keysFrom, remap, type Shortcut } from "@/shared";

import { useKnownShortcuts } from "./knownShortcuts";

/** Rows that lists move by: their keys are those of every list. */
const FIXED = "In lists";

export function ShortcutSettings() {
    const all = useKnownShortcuts();
    const [text, setText] = useState("");
    const [asking, setAsking] = useState<string | undefined>();
    const [said, setSaid] = useState("");
    const wanted = text.trim().toLowerCase();
    const found = all.filter(
        (each) => wanted === "" || `${each.label} ${each.keys} ${each.group}`.toLowerCase().includes(wanted),
    );
    const groups = [...new Set(found.map((each) => each.group))];
    const list = useRef<HTMLDivElement>(null);
    const choose = (shortcut: Shortcut, keys: string | undefined) => {
        // What asked goes away, and with it the focus: unless it left already, it goes back to what is changed.
        const back =
            list.current?.contains(document.activeElement) === true && document.activeElement?.matches("[data-asking]");
        setAsking(undefined);
        if (back === true)
            requestAnimationFrame(() =>
                [...(list.current?.querySelectorAll<HTMLElement>("[data-shortcut]") ?? [])]
                    .find((each) => each.dataset["shortcut"] === shortcut.id)
                    ?.focus({ preventScroll: true }),
            );
        if (keys === undefined) return;
        remap(shortcut.id, keys);
        const others = all.filter((each) => each.id !== shortcut.id && each.keys === keys);
        setSaid(
            others.length === 0
                ? `“${shortcut.label}” has a new shortcut.`
                : `“${others[0]?.label ?? ""}” uses the same shortcut. Where both apply, the focused part takes precedence.`,
        );
    };
    return (
        <Section title="Shortcuts" note="Ctrl is Cmd on a Mac.">
            <TextField
                type="search"
                label="Search the shortcuts"
                hideLabel
                value={text}
                onChange={setText}
                placeholder="Search by action or keys…"
                icon={<Search size={14} strokeWidth={1.5} />}
                className="mb-4 max-w-sm"
            />
            <p role="status" className="mb-3 max-w-xl text-small text-ink-2 empty:hidden">
                {said}
            </p>
            <p role="status" className="sr-only">
                {found.length} shown
            </p>
            {found.length === 0 && <p className="text-ui text-ink-2">No shortcuts match “{text}”.</p>}
            <div ref={list}>
                {groups.map((group) => (
                    <section key={group} className="mb-5 max-w-xl">
                        <h3 className="mb-1 text-small font-medium text-ink-2">{group}</h3>
                        <dl className="border-t border-hairline">
                            {found
                                .filter((each) => each.group === group)
                                .map((each) => (
                                    <div
                                        key={each.id}
                                        className="flex min-h-8 items-center justify-between gap-4 border-b border-hairline"
                                    >
                                        <dt>{each.label}</dt>
                                        <dd className="flex shrink-0 items-center gap-1">
                                            {isRemapped(each.id) && (
                                                <IconButton
                                                    label={`Reset “${each.label}” to its default shortcut`}
                                                    size="small"
                                                    icon={<RotateCcw size={14} strokeWidth={1.5} />}
                                                    onClick={() => {
                                                        remap(each.id, undefined);
                                                        setSaid(`“${each.label}” uses its default shortcut again.`);
                                                    }}
                                                />
                                            )}
                                            {each.group === FIXED ? (
                                                <Keys keys={each.keys} />
                                            ) : asking === each.id ? (
                                                <Ask onDone={(keys) => choose(each, keys)} />
                                            ) : (
                                                <button
                                                    type="button"
                                                    title="Change shortcut"
                                                    data-shortcut={each.id}
                                                    onClick={() => setAsking(each.id)}
                                                    className="rounded-control px-1 py-0.5 hover:bg-hover"
                                                >
                                                    <span className="sr-only">
                                                        Change the shortcut of “{each.label}”, now{" "}
                                                    </span>
                                                    <Keys keys={each.keys} />
                                                </button>
                                            )}
                                        </dd>
                                    </div>
                                ))}
                        </dl>
                    </section>
                ))}
            </div>
            <p className="max-w-xl text-small text-ink-3">
                Page shortcuts are listed once you have opened the page in this window. Ctrl+/ shows the shortcuts for
                the current page. Click a shortcut to change it.
            </p>
        </Section>
    );
}

/** How long a second key is waited for. */
const SECOND_MS = 900;

/** Takes the next keys that are pressed: two letters one after the other, or one with its modifiers. Escape leaves it as it is. */
function Ask({ onDone }: { onDone: (keys: string | undefined) => void }) {
    const [first, setFirst] = useState<string | undefined>();
    const button = useRef<HTMLButtonElement>(null);
    const done = useRef(onDone);
    useEffect(() => {
        done.current = onDone;
    });
    useEffect(() => button.current?.focus(), []);
    useEffect(() => {
        if (first === undefined) return;
        const timer = setTimeout(() => done.current(first), SECOND_MS);
        return () => clearTimeout(timer);
    }, [first]);
    return (
        <button
            ref={button}
            type="button"
            data-asking
            onBlur={() => onDone(first)}
            onKeyDown={(event) => {
                event.preventDefault();
                event.stopPropagation();
                if (event.key === "Escape" && first === undefined) return onDone(undefined);
                const keys = keysFrom(event);
                if (keys === undefined) return;
                // A plain letter may begin two: "g then i".
                if (first !== undefined) onDone(keys.length === 1 ? `${first} then ${keys}` : keys);
                else if (keys.length === 1) setFirst(keys);
                else onDone(keys);
            }}
            className="rounded-control border border-accent px-2 py-0.5 text-small text-accent"
        >
            {first === undefined ? "Press keys…" : `${first} …`}
        </button>
    );
}
