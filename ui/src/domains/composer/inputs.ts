// What an agent is given besides a question, as a form: its fields from the JSON Schema, and what is typed into them as a JSON object.
// Pure.

export type FieldKind = "line" | "text" | "number" | "integer" | "boolean" | "choice" | "texts" | "folder" | "json";

export interface InputField {
    /** The property; empty for a schema without properties, whose object is written as a whole. */
    name: string;
    label: string;
    hint: string | undefined;
    required: boolean;
    kind: FieldKind;
    /** The values of a choice. */
    options: readonly unknown[];
    /** What stands there at first. */
    first: unknown;
    schema: Schema;
}

/** What is typed: texts as they stand, lists of texts line by line. */
export type Typed = string | boolean | readonly string[];
export type TypedInputs = { readonly [name: string]: Typed };
export type Faults = { readonly [name: string]: string };

type Schema = { readonly [key: string]: unknown };

/** A text that may be longer than this has more than one line. */
const MAX_LINE = 200;

const isObject = (value: unknown): value is Schema =>
    typeof value === "object" && value !== null && !Array.isArray(value);
const textOf = (value: unknown) => (typeof value === "string" && value.trim() !== "" ? value : undefined);
const numberOf = (value: unknown) => (typeof value === "number" ? value : undefined);

/** `base_branch` becomes “Base branch”. */
function named(name: string): string {
    const words = name
        .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
        .replace(/[_-]+/g, " ")
        .trim();
    return words.charAt(0).toUpperCase() + words.slice(1).toLowerCase();
}

function kindOf(schema: Schema): FieldKind {
    if (Array.isArray(schema["enum"]) && schema["enum"].length > 0) return "choice";
    switch (schema["type"]) {
        case "string": {
            if (schema["format"] === "folder" || schema["format"] === "documents") return "folder";
            const most = numberOf(schema["maxLength"]);
            const described = textOf(schema["description"]) ?? "";
            const long =
                most === undefined
                    ? schema["format"] === "multiline" || /multi-?line|several lines|paragraphs/i.test(described)
                    : most > MAX_LINE;
            return long ? "text" : "line";
        }
        case "number":
        case "integer":
        case "boolean":
            return schema["type"];
        case "array":
            return isObject(schema["items"]) &&
                schema["items"]["type"] === "string" &&
                schema["items"]["enum"] === undefined
                ? "texts"
                : "json";
        default:
            return "json";
    }
}

/** The fields of a form for a schema, in the schema's order. */
export function fieldsOf(schema: unknown): InputField[] {
    if (!isObject(schema)) return [];
    const required = Array.isArray(schema["required"]) ? schema["required"] : [];
    const properties = isObject(schema["properties"]) ? Object.entries(schema["properties"]) : [];
    if (properties.length === 0)
        return [
            {
                name: "",
                label: textOf(schema["title"]) ?? "Inputs",
                hint: textOf(schema["description"]) ?? "A JSON object.",
                required: true,
                kind: "json",
                options: [],
                first: schema["default"] ?? {},
                schema,
            },
        ];
    return properties.flatMap(([name, given]) => {
        const own = isObject(given) ? given : {};
        // What the program fills in is not asked of a person.
        if (own["readOnly"] === true) return [];
        return {
            name,
            label: textOf(own["title"]) ?? named(name),
            hint: textOf(own["description"]),
            required: required.includes(name),
            kind: kindOf(own),
            options: Array.isArray(own["enum"]) ? own["enum"] : [],
            first: own["default"],
            schema: own,
        };
    });
}

/** How a value of a choice is written. */
export const optionOf = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));

function typedOf(field: InputField, value: unknown): Typed {
    switch (field.kind) {
        case "boolean":
            return value === true;
        case "texts":
            return Array.isArray(value) ? value.map(optionOf) : [];
        case "json":
            return value === undefined ? "" : JSON.stringify(value, null, 2);
        case "choice":
            return value === undefined ? "" : optionOf(value);
        case "line":
        case "text":
        case "folder":
        case "number":
        case "integer":
            return value === undefined || value === null ? "" : optionOf(value);
    }
}

/** What stands in the form at first: what an earlier run was given, else the defaults. */
export function typedInputs(fields: readonly InputField[], given?: unknown): TypedInputs {
    const earlier = isObject(given) ? given : undefined;
    return Object.fromEntries(
        fields.map((field) => [
            field.name,
            typedOf(field, earlier === undefined ? field.first : field.name === "" ? earlier : earlier[field.name]),
        ]),
    );
}

/** Takes over what was kept, where it fits its field. */
export function restored(fields: readonly InputField[], kept: unknown): TypedInputs {
    const first = typedInputs(fields);
    if (!isObject(kept)) return first;
    const fits = (value: unknown, like: Typed | undefined): value is Typed =>
        Array.isArray(like)
            ? Array.isArray(value) && value.every((each) => typeof each === "string")
            : typeof value === typeof like;
    return Object.fromEntries(
        Object.entries(first).map(([name, like]) => {
            const value = kept[name];
            return [name, fits(value, like) ? value : like];
        }),
    );
}

interface Read {
    value?: unknown;
    fault?: string;
}

function readText(field: InputField, typed: string): Read {
    const { schema } = field;
    const least = numberOf(schema["minLength"]);
    const most = numberOf(schema["maxLength"]);
    const length = [...typed].length;
    if (least !== undefined && length < least) return { fault: `At least ${least} characters.` };
    if (most !== undefined && length > most) return { fault: `At most ${most} characters; it has ${length}.` };
    const pattern = textOf(schema["pattern"]);
    try {
        if (pattern !== undefined && !new RegExp(pattern, "u").test(typed))
            return { fault: `It has to match ${pattern}.` };
    } catch {
        // A pattern of another dialect: the core checks it.
    }
    return { value: typed };
}

function readNumber(field: InputField, typed: string): Read {
    const value = Number(typed);
    if (!Number.isFinite(value)) return { fault: "Not a number." };
    if (field.kind === "integer" && !Number.isInteger(value)) return { fault: "Not a whole number." };
    const least = numberOf(field.schema["minimum"]);
    const most = numberOf(field.schema["maximum"]);
    if (least !== undefined && value < least) return { fault: `At least ${least}.` };
    if (most !== undefined && value > most) return { fault: `At most ${most}.` };
    return { value };
}

function readField(field: InputField, typed: Typed | undefined): Read {
    const missing: Read = field.required ? { fault: "Required." } : {};
    if (typeof typed === "boolean") return { value: typed };
    if (typed === undefined) return missing;
    if (typeof typed !== "string") {
        const texts = typed.map((text) => text.trim()).filter((text) => text !== "");
        if (texts.length === 0 && !(field.required && field.schema["minItems"] === undefined)) return missing;
        const least = numberOf(field.schema["minItems"]);
        const most = numberOf(field.schema["maxItems"]);
        if (least !== undefined && texts.length < least) return { fault: `At least ${least} entries.` };
        if (most !== undefined && texts.length > most) return { fault: `At most ${most} entries.` };
        return { value: texts };
    }
    const text = field.kind === "text" ? typed.trimEnd() : typed.trim();
    if (text.trim() === "") return missing;
    switch (field.kind) {
        case "line":
        case "text":
        case "folder":
            return readText(field, text);
        case "number":
        case "integer":
            return readNumber(field, text);
        case "choice": {
            const value = field.options.find((option) => optionOf(option) === text);
            return value === undefined ? { fault: "Choose one of the values." } : { value };
        }
        case "json":
            try {
                const value: unknown = JSON.parse(text);
                return field.name === "" && !isObject(value) ? { fault: "Not a JSON object." } : { value };
            } catch (thrown) {
                return { fault: `Not JSON: ${thrown instanceof Error ? thrown.message : String(thrown)}` };
            }
        // They are no text.
        case "boolean":
        case "texts":
            return missing;
    }
}

/** The object that the form says, and what is wrong with which field. Empty fields that need not be there are left out. */
export function readInputs(
    fields: readonly InputField[],
    typed: TypedInputs,
): { inputs: { readonly [name: string]: unknown }; faults: Faults } {
    const faults: Record<string, string> = {};
    const inputs: Record<string, unknown> = {};
    for (const field of fields) {
        const { value, fault } = readField(field, typed[field.name]);
        if (fault !== undefined) faults[field.name] = fault;
        else if (field.name === "") Object.assign(inputs, value);
        else if (value !== undefined) inputs[field.name] = value;
    }
    return { inputs, faults };
}

/** What the core found wrong with fields, from the places in its message: `/priority: …; /checks/1: …`. */
export function faultsIn(message: string, fields: readonly InputField[]): Faults {
    const faults: Record<string, string> = {};
    for (const part of message.split(/; (?=\/)/)) {
        const found = /(?:^|: )\/([^/:]+)(?:\/[^:]*)?: (.*)$/s.exec(part);
        const name = found?.[1]?.replaceAll("~1", "/").replaceAll("~0", "~");
        if (name !== undefined && found?.[2] !== undefined && fields.some((field) => field.name === name))
            faults[name] ??= found[2];
    }
    return faults;
}
