// Over which connection a question goes and which model answers it.

import { Check, Cpu, Unplug } from "lucide-react";
import { useMemo, useState, type KeyboardEvent } from "react";

import type { ConnectionRow, Forecast } from "@/backend";
import { lacks } from "@/domains/connection";
import { hrefOf } from "@/routes";
import { Popover, cx, useCombobox } from "@/shared";

import type { Choice } from "./options";
import { modelEntries, type ModelEntry } from "./models";

export interface ModelPickerProps {
    connections: readonly ConnectionRow[];
    /** What was chosen here or comes with the session; undefined: as the agent and the settings have it. */
    choice: Choice | undefined;
    /** What would be taken, as far as it is known. */
    forecast: Forecast | undefined;
    onChoose: (choice: Choice | undefined) => void;
    disabled?: boolean;
}

export function ModelPicker({ connections, choice, forecast, onChoose, disabled = false }: ModelPickerProps) {
    const [open, setOpen] = useState(false);
    const slug = choice?.connection ?? forecast?.connection ?? connections.find((row) => row.default)?.slug;
    const row = connections.find((each) => each.slug === slug) ?? (choice === undefined ? connections[0] : undefined);
    const model =
        choice?.model ??
        (forecast !== undefined && forecast.connection === slug ? forecast.model : (row?.defaultModel ?? ""));
    const offline = row?.provider === "offline" || row === undefined;
    const missing = row === undefined ? undefined : lacks(row);
    const name = row?.name ?? choice?.connection ?? "Offline engine";
    const words = offline || model === "" ? name : `${name}, ${model}`;
    return (
        <Popover
            label="Connection and model"
            open={open}
            onOpenChange={setOpen}
            className="w-[22rem] p-1"
            trigger={
                <button
                    type="button"
                    disabled={disabled}
                    aria-label={`Connection and model: ${words}${missing === undefined ? "" : `; ${missing}`}`}
                    className={cx(
                        "flex h-7 max-w-64 min-w-0 items-center gap-1.5 rounded-control px-2 text-ink-2 hover:bg-hover hover:text-ink disabled:opacity-50",
                        missing !== undefined && "text-needs",
                    )}
                >
                    {offline ? (
                        <Unplug size={14} strokeWidth={1.5} aria-hidden className="shrink-0" />
                    ) : (
                        <Cpu size={14} strokeWidth={1.5} aria-hidden className="shrink-0" />
                    )}
                    <span className="min-w-0 truncate">{offline ? name : model === "" ? name : model}</span>
                    {missing !== undefined && (
                        <span className="shrink-0 text-small">
                            ({missing.length > 24 ? "can’t be used" : missing.toLowerCase()})
                        </span>
                    )}
                </button>
            }
        >
            <ModelList
                connections={connections}
                choice={choice}
                onChoose={(next) => {
                    onChoose(next);
                    setOpen(false);
                }}
            />
        </Popover>
    );
}

function ModelList({ connections, choice, onChoose }: Pick<ModelPickerProps, "connections" | "choice" | "onChoose">) {
    const [query, setQuery] = useState("");
    const entries = useMemo(() => modelEntries(connections, query), [connections, query]);
    const usable = (entry: ModelEntry | undefined) => entry !== undefined && entry.missing === undefined;
    const isChosen = (entry: ModelEntry) =>
        entry.choice === undefined
            ? choice === undefined
            : choice?.connection === entry.choice.connection && (choice.model ?? null) === (entry.choice.model ?? null);
    const box = useCombobox({
        count: entries.length,
        initial: Math.max(0, entries.findIndex(isChosen)),
        isDisabled: (index) => !usable(entries[index]),
    });
    const take = (entry: ModelEntry | undefined) => {
        if (entry !== undefined && usable(entry)) onChoose(entry.choice);
    };
    const onKeyDown = (event: KeyboardEvent) => {
        if (event.nativeEvent.isComposing) return;
        if (box.moved(event) || event.key !== "Enter") return;
        take(entries[box.active]);
        event.preventDefault();
    };
    return (
        <>
            <input
                {...box.field}
                aria-label="Find a model"
                aria-autocomplete="list"
                autoComplete="off"
                spellCheck={false}
                placeholder="Find a model"
                value={query}
                onChange={(event) => {
                    setQuery(event.target.value);
                    box.setActive(0);
                }}
                onKeyDown={onKeyDown}
                className="mb-1 h-7 w-full border-b border-hairline bg-transparent px-2 text-ui outline-none focus-visible:outline-none"
            />
            <div {...box.list} aria-label="Connections and models" className="max-h-72 overflow-y-auto">
                {entries.length === 0 && (
                    <p className="px-2 py-2 text-ink-2">
                        No matching model. To use an unlisted model id, enter it in the connection.
                    </p>
                )}
                {entries.map((entry, index) => (
                    <div key={entry.id} role="presentation">
                        {entry.heading !== undefined && entry.heading !== entries[index - 1]?.heading && (
                            <p
                                role="presentation"
                                className="flex items-baseline gap-2 px-2 pt-2 pb-0.5 text-small text-ink-3"
                            >
                                <span className="min-w-0 truncate">{entry.heading}</span>
                                {entry.missing !== undefined && (
                                    <span className="min-w-0 truncate text-needs">{entry.missing}</span>
                                )}
                            </p>
                        )}
                        <div {...box.option(index, isChosen(entry), () => take(entry), "items-center gap-2")}>
                            <span className={cx("min-w-0 flex-1 truncate", entry.code && "font-mono text-code")}>
                                {entry.label}
                            </span>
                            {entry.note !== undefined && (
                                <span className="shrink-0 text-small text-ink-3">{entry.note}</span>
                            )}
                            {isChosen(entry) && <Check size={14} strokeWidth={1.5} aria-hidden className="shrink-0" />}
                        </div>
                    </div>
                ))}
            </div>
            <p className="mt-1 border-t border-hairline px-2 pt-1.5 pb-1 text-small">
                <a
                    href={hrefOf({
                        page: "settings",
                        section: "connections",
                        ...(connections.some((row) => !row.builtIn) ? {} : { add: "" }),
                    })}
                    className="text-accent underline-offset-2 hover:underline"
                >
                    {connections.some((row) => !row.builtIn) ? "Connections…" : "Connect a model…"}
                </a>
            </p>
        </>
    );
}
