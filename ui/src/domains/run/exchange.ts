// What went over the wire for one call, taken apart for reading. Pure.

export interface Sent {
    /** Method and address, where they are known. */
    line: string;
    /** Names with their values; a secret stands as `(secret)`. */
    headers: [string, string][];
    /** The body as JSON, or its text where it is none. */
    body: unknown;
}

const isObject = (value: unknown): value is { readonly [field: string]: unknown } =>
    value !== null && typeof value === "object" && !Array.isArray(value);
const textOf = (value: unknown) => (typeof value === "string" ? value : "");
/** A value in words: what a provider sent may be an object whose own `toString` is none. */
const wordOf = (value: unknown) =>
    value === null || value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);

/** Headers as an object or a list of pairs. */
function headersOf(value: unknown): [string, string][] {
    const pairs = Array.isArray(value) ? value : isObject(value) ? Object.entries(value) : [];
    return pairs.flatMap((pair: unknown): [string, string][] => {
        if (Array.isArray(pair) && typeof pair[0] === "string") return [[pair[0], wordOf(pair[1])]];
        return isObject(pair) && typeof pair["name"] === "string" ? [[pair["name"], textOf(pair["value"])]] : [];
    });
}

/** The object or list that a text is; undefined for any other text. */
export function jsonOf(text: string): object | undefined {
    if (!/^\s*[[{]/.test(text)) return undefined;
    try {
        const value: unknown = JSON.parse(text);
        return typeof value === "object" && value !== null ? value : undefined;
    } catch {
        return undefined;
    }
}

/** A text that is JSON is shown as such. */
function parsed(body: unknown): unknown {
    return typeof body === "string" ? (jsonOf(body) ?? body) : body;
}

/** The request as it was sent; undefined where it was not kept. */
export function sentOf(wire: unknown): Sent | undefined {
    if (wire === null || wire === undefined) return undefined;
    if (!isObject(wire) || !("body" in wire)) return { line: "", headers: [], body: parsed(wire) };
    const line = [textOf(wire["method"]), textOf(wire["url"]) || textOf(wire["address"])]
        .filter((part) => part !== "")
        .join(" ");
    return { line, headers: headersOf(wire["headers"]), body: parsed(wire["body"]) };
}

export interface Received {
    thinking: string;
    /** Pieces of thinking that the provider hid. */
    hidden: number;
    text: string;
    /** Everything in order, where it is more than text. */
    parts: unknown[];
    stop: string;
    /** What is none of these. */
    rest: unknown;
}

/** An answer as it came; undefined where it was not kept. */
export function receivedOf(received: unknown): Received | undefined {
    if (received === null || received === undefined) return undefined;
    if (!isObject(received))
        return {
            thinking: "",
            hidden: 0,
            text: typeof received === "string" ? received : "",
            parts: Array.isArray(received) ? received : [],
            stop: "",
            rest: undefined,
        };
    const { thinking, redactedThinking, text, parts, stop, ...others } = received;
    // The model and the request's id stand beside the answer; a zero tells nothing.
    const rest = Object.fromEntries(
        Object.entries(others).filter(([name, value]) => name !== "model" && name !== "requestId" && value !== 0),
    );
    return {
        thinking: textOf(thinking),
        hidden: typeof redactedThinking === "number" ? redactedThinking : 0,
        text: textOf(text),
        parts: Array.isArray(parts) ? parts : [],
        stop: textOf(stop),
        rest: Object.keys(rest).length > 0 ? rest : undefined,
    };
}
