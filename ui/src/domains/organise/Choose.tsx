// Choosing a status or labels for sessions.

import { useState } from "react";

import type { ValueType } from "@/backend";
import { Button, TextField } from "@/shared";
import { Popover } from "radix-ui";

import { ColourDot, StatusIcon } from "./marks";
import { entryParts, useOrganisation, type FlatLabel } from "./organisation";
import { Picker } from "./Picker";

/** What a choice is for: how the sessions stand now. */
export interface Chosen {
    status: string;
    labels: readonly string[];
}

export interface ChooseStatusProps {
    at: DOMRect;
    sessions: readonly Chosen[];
    onPick: (status: string) => void;
    onClose: () => void;
}

export function ChooseStatus({ at, sessions, onPick, onClose }: ChooseStatusProps) {
    const { statuses, statusOf } = useOrganisation();
    const having = (id: string) => sessions.filter((session) => statusOf(session.status)?.id === id).length;
    return (
        <Picker
            at={at}
            label="Status"
            placeholder="Set the status…"
            empty="No matching status."
            options={statuses.map((status) => {
                const count = having(status.id);
                return {
                    id: status.id,
                    label: status.label,
                    icon: <StatusIcon status={status} />,
                    shortcut: status.shortcut ?? undefined,
                    checked: count > 0 && count === sessions.length ? true : count > 0 ? "some" : false,
                };
            })}
            onPick={onPick}
            onClose={onClose}
        />
    );
}

export interface ChooseLabelsProps {
    at: DOMRect;
    sessions: readonly Chosen[];
    /** Entries that all get, and ids that all lose. */
    onChange: (add: readonly string[], remove: readonly string[]) => void;
    onCreate?: (name: string) => void;
    onClose: () => void;
}

/** How many of the sessions have a label, and the value that all of them share. */
export function stateOf(
    id: string,
    sessions: readonly Chosen[],
): { checked: boolean | "some"; value: string | undefined } {
    const entries = sessions.map((session) => session.labels.map(entryParts).find((entry) => entry.id === id));
    const having = entries.filter((entry) => entry !== undefined);
    const values = new Set(having.map((entry) => entry.value));
    return {
        checked: having.length === 0 ? false : having.length === sessions.length ? true : "some",
        value: values.size === 1 ? [...values][0] : undefined,
    };
}

export function ChooseLabels({ at, sessions, onChange, onCreate, onClose }: ChooseLabelsProps) {
    const { labels, labelOf } = useOrganisation();
    const [asking, setAsking] = useState<FlatLabel | undefined>();
    const pick = (id: string) => {
        const label = labelOf(id);
        if (label === undefined) return;
        const { checked } = stateOf(id, sessions);
        if (label.valueType !== null) setAsking(label);
        else if (checked === true) onChange([], [id]);
        else onChange([id], []);
    };
    if (asking !== undefined)
        return <AskValue at={at} label={asking} sessions={sessions} onChange={onChange} onClose={onClose} />;
    return (
        <Picker
            at={at}
            label="Labels"
            placeholder="Add or remove labels…"
            empty="No labels yet. Type a name to create one."
            multiple
            create={onCreate === undefined ? undefined : { word: (text) => `Create label “${text}”`, onCreate }}
            options={labels.map((label) => {
                const { checked, value } = stateOf(label.id, sessions);
                return {
                    id: label.id,
                    label: label.name,
                    keywords: `${label.path} ${label.id}`,
                    depth: label.depth,
                    icon: <ColourDot colour={label.color} />,
                    hint: value ?? (label.valueType === null ? undefined : TYPES[label.valueType].word),
                    checked,
                };
            })}
            onPick={pick}
            onClose={onClose}
        />
    );
}

export const TYPES: { readonly [T in ValueType]: { word: string; hint: string; input: string } } = {
    string: { word: "text", hint: "Any short text.", input: "text" },
    number: { word: "number", hint: "A number, such as 3 or 1.5.", input: "text" },
    date: { word: "day", hint: "A day, such as 2026-05-01.", input: "date" },
};

/** The value of a label: an empty one is the label alone. */
function AskValue({
    at,
    label,
    sessions,
    onChange,
    onClose,
}: Omit<ChooseLabelsProps, "onCreate"> & { label: FlatLabel }) {
    const { checked, value } = stateOf(label.id, sessions);
    const [text, setText] = useState(value ?? "");
    const kind = TYPES[label.valueType ?? "string"];
    const anchor = { current: { getBoundingClientRect: () => at } };
    const wrong =
        label.valueType === "number" && text.trim() !== "" && !/^-?\d+(\.\d+)?$/.test(text.trim())
            ? "Enter a number."
            : undefined;
    const done = () => {
        if (wrong !== undefined) return;
        const given = text.trim();
        onChange([given === "" ? label.id : `${label.id}::${given}`], []);
        onClose();
    };
    return (
        <Popover.Root open onOpenChange={(open) => !open && onClose()}>
            <Popover.Anchor virtualRef={anchor} />
            <Popover.Portal>
                <Popover.Content
                    aria-label={`Value of ${label.name}`}
                    align="start"
                    sideOffset={4}
                    collisionPadding={8}
                    onCloseAutoFocus={(event) => event.preventDefault()}
                    className="float-in z-50 w-64 rounded-card border border-hairline bg-raised p-3 text-ui text-ink shadow-float outline-none"
                >
                    <form
                        onSubmit={(event) => {
                            event.preventDefault();
                            done();
                        }}
                    >
                        <TextField
                            label={label.name}
                            type={kind.input}
                            autoFocus
                            value={text}
                            onChange={setText}
                            hint={kind.hint}
                            error={wrong}
                        />
                        <div className="mt-3 flex justify-end gap-2">
                            {checked !== false && (
                                <Button
                                    variant="quiet"
                                    onClick={() => {
                                        onChange([], [label.id]);
                                        onClose();
                                    }}
                                >
                                    Remove
                                </Button>
                            )}
                            <Button type="submit" variant="primary" disabled={wrong !== undefined}>
                                Set
                            </Button>
                        </div>
                    </form>
                </Popover.Content>
            </Popover.Portal>
        </Popover.Root>
    );
}
