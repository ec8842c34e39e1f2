// The form of an agent that is given more than a question.

import { FolderOpen, Plus, X } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";

import { shell, skip, useQuery } from "@/backend";
import {
    Button,
    Checkbox,
    IconButton,
    Select,
    SuggestField,
    TextArea,
    TextField,
    sentence,
    useDebounced,
} from "@/shared";

import { useRecentFolders } from "./folders";
import { optionOf, type InputField, type Typed } from "./inputs";
import type { InputsUse } from "./useInputs";

export interface InputFormProps {
    agent: string;
    use: InputsUse;
    disabled: boolean;
    /** Whether its first field takes the focus when it appears. */
    focus: boolean;
}

export function InputForm({ agent, use, disabled, focus }: InputFormProps) {
    const frame = useRef<HTMLDivElement>(null);
    const { fields, typed, faults } = use;
    useEffect(() => {
        if (focus) frame.current?.querySelector<HTMLElement>("input, textarea, button")?.focus();
    }, [focus]);
    // What is wrong is where the person goes on, also after a second try.
    const wrong = fields.find((field) => faults[field.name] !== undefined)?.name;
    const [seen, setSeen] = useState<string | undefined>();
    useEffect(() => {
        if (wrong === seen) return;
        setSeen(wrong);
        if (wrong === undefined || seen !== undefined) return;
        const places = [...(frame.current?.querySelectorAll<HTMLElement>("[data-input]") ?? [])];
        const place = places.find((each) => each.dataset["input"] === wrong);
        place?.querySelector<HTMLElement>("input, textarea, button")?.focus();
    }, [wrong, seen]);
    return (
        <div ref={frame} role="group" aria-label={`Inputs of ${agent}`} className="flex flex-col gap-3 px-3 pt-3 pb-1">
            {fields.map((field) => (
                <div key={field.name} data-input={field.name} className="min-w-0">
                    <Control
                        field={field}
                        value={typed[field.name]}
                        onChange={(value) => use.set(field.name, value)}
                        error={faults[field.name]}
                        disabled={disabled}
                    />
                </div>
            ))}
            {fields.some((field) => field.required) && <p className="text-small text-ink-3">* required</p>}
        </div>
    );
}

interface ControlProps<T extends Typed = Typed> {
    field: InputField;
    value: T | undefined;
    onChange: (value: Typed) => void;
    error: string | undefined;
    disabled: boolean;
}

function Control({ value, ...props }: ControlProps) {
    if (typeof value === "object") return <Texts {...props} value={value} />;
    if (typeof value === "boolean") return <Yes {...props} value={value} />;
    return props.field.kind === "choice" ? (
        <Choice {...props} value={value} />
    ) : props.field.kind === "folder" ? (
        <FolderField {...props} value={value} />
    ) : (
        <Line {...props} value={value} />
    );
}

const labelOf = (field: InputField) => (field.required ? `${field.label} *` : field.label);

function Line({ field, value = "", onChange, error, disabled }: ControlProps<string>) {
    const shared = {
        label: labelOf(field),
        hint: field.hint,
        error,
        value,
        onChange,
        disabled,
        "aria-required": field.required,
    };
    if (field.kind === "text") return <TextArea {...shared} minRows={3} maxRows={14} />;
    if (field.kind === "json")
        return <TextArea {...shared} hint={field.hint ?? "JSON"} mono spellCheck={false} minRows={2} maxRows={14} />;
    const numeric = field.kind === "number" || field.kind === "integer";
    return <TextField {...shared} {...(numeric ? { inputMode: "decimal" } : {})} className={numeric ? "w-40" : ""} />;
}

/** Under a control of several parts: what is wrong with it, and what it is for. */
function Below({ error, hint }: { error: string | undefined; hint: string | undefined }) {
    return (
        <>
            {error !== undefined && (
                <p role="alert" className="mt-1 text-small text-failed">
                    {error}
                </p>
            )}
            {hint !== undefined && <p className="mt-1 text-small text-ink-3">{hint}</p>}
        </>
    );
}

function Yes({ field, value = false, onChange, error, disabled }: ControlProps<boolean>) {
    return (
        <>
            <Checkbox label={field.label} hint={field.hint} checked={value} onChange={onChange} disabled={disabled} />
            <Below error={error} hint={undefined} />
        </>
    );
}

function Choice({ field, value = "", onChange, error, disabled }: ControlProps<string>) {
    const options = field.options.map(optionOf).map((option) => ({ value: option, label: option }));
    return (
        <>
            <Select
                label={labelOf(field)}
                showLabel
                value={value}
                options={field.required ? options : [{ value: "", label: "None" }, ...options]}
                onChange={onChange}
                disabled={disabled}
                className="max-w-56"
            />
            <Below error={error} hint={field.hint} />
        </>
    );
}

function Texts({ field, value = [], onChange, error, disabled }: ControlProps<readonly string[]>) {
    const id = useId();
    const rows = useRef<HTMLUListElement>(null);
    const [wanted, setWanted] = useState<number | undefined>();
    useEffect(() => {
        if (wanted === undefined) return;
        setWanted(undefined);
        const inputs = rows.current?.querySelectorAll<HTMLElement>("input");
        inputs?.[Math.min(wanted, inputs.length - 1)]?.focus();
    }, [wanted, value]);
    const add = (at: number) => {
        onChange([...value.slice(0, at), "", ...value.slice(at)]);
        setWanted(at);
    };
    return (
        <div role="group" aria-labelledby={id}>
            <p id={id} className="mb-1 text-small text-ink-2">
                {labelOf(field)}
            </p>
            <ul ref={rows} className="flex flex-col gap-1">
                {value.map((text, index) => (
                    // Entries have no name but their place.
                    <li key={index} className="flex items-center gap-1">
                        <TextField
                            label={`${field.label}, entry ${index + 1}`}
                            hideLabel
                            value={text}
                            disabled={disabled}
                            onChange={(next) => onChange(value.map((each, at) => (at === index ? next : each)))}
                            onKeyDown={(event) => {
                                if (event.key !== "Enter" || event.ctrlKey || event.nativeEvent.isComposing) return;
                                event.preventDefault();
                                add(index + 1);
                            }}
                            className="flex-1"
                        />
                        <IconButton
                            size="small"
                            label={`Remove entry ${index + 1} of ${field.label}`}
                            disabled={disabled}
                            icon={<X size={14} strokeWidth={1.5} />}
                            onClick={() => {
                                onChange(value.filter((_, at) => at !== index));
                                setWanted(Math.max(0, index - 1));
                            }}
                        />
                    </li>
                ))}
            </ul>
            <Button
                size="small"
                variant="quiet"
                disabled={disabled}
                icon={<Plus size={14} strokeWidth={1.5} />}
                onClick={() => add(value.length)}
                aria-label={`Add an entry to ${field.label}`}
            >
                Add
            </Button>
            <Below error={error} hint={field.hint} />
        </div>
    );
}

/** A folder on the core's machine: typed, chosen from those used lately, or picked in the window. */
function FolderField({ field, value = "", onChange, error, disabled }: ControlProps<string>) {
    const { recent, remember } = useRecentFolders();
    const desktop = shell();
    const typed = value.trim();
    const looked = useDebounced(typed, 200);
    const { data: seen } = useQuery("folder_look", looked.length < 2 ? skip : { path: looked });
    const [left, setLeft] = useState(false);
    const unknown =
        left && typed !== "" && looked === typed && seen?.folder === null
            ? sentence(seen.problem ?? "Not a folder.")
            : undefined;
    const below = (seen?.below ?? []).filter((each) => each !== typed);
    const offered = typed === "" || below.length === 0 ? recent : below;
    const pick = async () => {
        const picked = await desktop?.pickPaths("folder");
        const [first] = picked ?? [];
        if (first === undefined) return;
        remember([first]);
        onChange(first);
    };
    return (
        <div
            className="flex items-start gap-2"
            onBlur={() => {
                setLeft(true);
                const folder = looked === typed ? seen?.folder : undefined;
                if (typeof folder !== "string") return;
                remember([folder]);
                if (folder !== value) onChange(folder);
            }}
        >
            <SuggestField
                label={labelOf(field)}
                hint={field.hint}
                error={error ?? unknown}
                mono
                placeholder="/home/eva/project"
                value={value}
                onChange={(next) => {
                    setLeft(false);
                    onChange(next);
                }}
                suggestions={offered.map((each) => ({ value: each }))}
                disabled={disabled}
                aria-required={field.required}
                className="flex-1"
            />
            {desktop !== undefined && (
                <Button
                    className="mt-5"
                    disabled={disabled}
                    icon={<FolderOpen size={14} strokeWidth={1.5} />}
                    onClick={() => void pick()}
                >
                    Choose…
                </Button>
            )}
        </div>
    );
}
