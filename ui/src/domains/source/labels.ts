import type { SourceRowKind, SourceStatus } from "@/backend";
import type { State } from "@/shared";

const KINDS: { readonly [kind in SourceRowKind]: string } = {
    "": "",
    mcp: "MCP server",
    api: "Web API",
    local: "Local folder",
};

export function kindWord(kind: SourceRowKind): string {
    return KINDS[kind];
}

const STATUSES: { readonly [status in SourceStatus]: { state: State; word: string } } = {
    ready: { state: "done", word: "Ready" },
    idle: { state: "done", word: "Ready, starts on demand" },
    starting: { state: "running", word: "Starting" },
    failed: { state: "failed", word: "Failed" },
    needs_auth: { state: "needs-you", word: "Secret or sign-in required" },
    needs_approval: { state: "needs-you", word: "Approval required" },
    off: { state: "skipped", word: "Off" },
    broken: { state: "failed", word: "Can’t be used" },
};

/** A source's status for a person. */
export function statusOf(status: SourceStatus): { state: State; word: string } {
    return STATUSES[status];
}

export interface Argument {
    name: string;
    type: string;
    required: boolean;
    description: string;
}

/** The arguments of a tool as a table can show them; nothing for a schema of another kind. */
export function argumentsOf(schema: unknown): Argument[] {
    if (!isObject(schema) || !isObject(schema.properties)) return [];
    const required = Array.isArray(schema.required) ? schema.required : [];
    return Object.entries(schema.properties).map(([name, value]) => ({
        name,
        type: typeOf(value),
        required: required.includes(name),
        description: isObject(value) && typeof value.description === "string" ? value.description : "",
    }));
}

function typeOf(schema: unknown): string {
    if (!isObject(schema)) return "anything";
    if (Array.isArray(schema.enum)) return schema.enum.map((each) => JSON.stringify(each)).join(" or ");
    // A shape that the schema names elsewhere: its name says more than "object".
    if (typeof schema.$ref === "string") return schema.$ref.split("/").pop() ?? "object";
    if (schema.type === "array") return `list of ${typeOf(schema.items)}`;
    if (Array.isArray(schema.type)) return schema.type.filter((each) => each !== "null").join(" or ");
    const either = schema.anyOf ?? schema.oneOf;
    if (Array.isArray(either)) return [...new Set(either.map(typeOf))].filter((each) => each !== "null").join(" or ");
    return typeof schema.type === "string" ? schema.type : "anything";
}

function isObject(value: unknown): value is Record<string, unknown> {
    return typeof value === "object" && value !== null && !Array.isArray(value);
}

const HALF_A_YEAR_MS = 182 * 86_400_000;

/** Whether a secret was stored so long ago that the person is reminded of it. */
export function isOld(storedAt: number | null, now: number): boolean {
    return storedAt !== null && now - storedAt > HALF_A_YEAR_MS;
}
