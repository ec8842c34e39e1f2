// A connection as a person fills it in: one field a line of text, and back again. Pure.

import type { Auth, ConnectionSave, ModelConnection } from "@/backend";

export type AuthKind = Auth["kind"];

export interface Form {
    name: string;
    /** Undefined: made from the name. */
    slug: string | undefined;
    address: string;
    model: string;
    judgeModel: string;
    auth: AuthKind;
    /** Typed now; never filled in. */
    secret: string;
    /** The variable that a key is read from; undefined: the vault. */
    env: string | undefined;
    tokenFile: string;
    tokenUrl: string;
    /** A line each: `name: value`. */
    tokenFields: string;
    authorizeUrl: string;
    clientId: string;
    scopes: string;
    headers: string;
    flatRate: boolean;
    background: boolean;
    caFile: string;
    proxy: string;
    silence: string;
    /** Calls at once; empty: the default of its kind. */
    parallel: string;
}

/** "Our Gateway (EU)" as "our-gateway-eu". */
export function slugFrom(name: string): string {
    return name
        .normalize("NFKD")
        .replace(/[\u0300-\u036f]/g, "")
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, "-")
        .replace(/^-+|-+$/g, "")
        .slice(0, 40);
}

export function slugOf(form: Form): string {
    return form.slug ?? slugFrom(form.name);
}

/** A slug that none of the others has. */
export function freeSlug(wanted: string, taken: readonly string[]): string {
    if (!taken.includes(wanted)) return wanted;
    for (let number = 2; ; number += 1) if (!taken.includes(`${wanted}-${number}`)) return `${wanted}-${number}`;
}

const lines = (values: { [name: string]: string } | undefined) =>
    Object.entries(values ?? {})
        .map(([name, value]) => `${name}: ${value}`)
        .join("\n");

export function formOf(connection: ModelConnection): Form {
    const { auth } = connection;
    const oauth = auth.kind === "oauth" ? auth.service : undefined;
    const identity = auth.kind === "workload_identity" ? auth : undefined;
    return {
        name: connection.name ?? "",
        slug: connection.slug === "" ? undefined : connection.slug,
        address: connection.baseUrl ?? "",
        model: connection.defaultModel ?? "",
        judgeModel: connection.judgeModel ?? "",
        auth: auth.kind,
        secret: "",
        env: auth.kind === "key" || auth.kind === "bearer" ? (auth.env ?? undefined) : undefined,
        tokenFile: identity?.tokenFile ?? "",
        tokenUrl: identity?.tokenUrl ?? oauth?.tokenUrl ?? "",
        tokenFields: lines(identity?.fields),
        authorizeUrl: oauth?.authorizeUrl ?? "",
        clientId: oauth?.clientId ?? "",
        scopes: oauth?.scopes?.join(" ") ?? "",
        headers: lines(connection.headers),
        flatRate: connection.flatRate === true,
        background: connection.background === true,
        caFile: connection.caFile ?? "",
        proxy: connection.proxy ?? "",
        silence:
            connection.silenceSeconds === null || connection.silenceSeconds === undefined
                ? ""
                : String(connection.silenceSeconds),
        parallel: typeof connection.maxParallelCalls === "number" ? String(connection.maxParallelCalls) : "",
    };
}

/** `name: value` lines; those that are none are in `wrong`. */
export function pairsOf(text: string): { pairs: { [name: string]: string }; wrong: string | undefined } {
    const pairs: { [name: string]: string } = {};
    let wrong: string | undefined;
    for (const line of text.split("\n").map((each) => each.trim())) {
        if (line === "") continue;
        const at = line.indexOf(":");
        const name = line.slice(0, Math.max(0, at)).trim();
        if (at < 1 || /\s/.test(name)) wrong ??= line;
        else pairs[name] = line.slice(at + 1).trim();
    }
    return { pairs, wrong };
}

function authOf(form: Form, before: Auth): Auth {
    const env = form.env?.trim();
    switch (form.auth) {
        case "none":
            return { kind: "none" };
        case "key":
        case "bearer":
            return env === undefined || env === "" ? { kind: form.auth } : { kind: form.auth, env };
        case "oauth": {
            const scopes = form.scopes.split(/\s+/).filter(Boolean);
            return {
                kind: "oauth",
                service: {
                    ...(before.kind === "oauth" ? before.service : {}),
                    ...(form.authorizeUrl.trim() === ""
                        ? { authorizeUrl: null }
                        : { authorizeUrl: form.authorizeUrl.trim() }),
                    tokenUrl: form.tokenUrl.trim(),
                    clientId: form.clientId.trim(),
                    scopes,
                },
            };
        }
        case "workload_identity":
            return {
                kind: "workload_identity",
                tokenFile: form.tokenFile.trim(),
                tokenUrl: form.tokenUrl.trim(),
                fields: pairsOf(form.tokenFields).pairs,
            };
    }
}

/** What is sent. `before`: the connection that the form began with; `was`: its slug where it was saved already. */
export function saveOf(form: Form, before: ModelConnection, was: string | undefined): ConnectionSave {
    const text = (value: string) => (value.trim() === "" ? null : value.trim());
    const connection: ModelConnection = {
        ...before,
        slug: slugOf(form),
        name: form.name.trim(),
        baseUrl: text(form.address),
        auth: authOf(form, before.auth),
        defaultModel: text(form.model),
        judgeModel: text(form.judgeModel),
        headers: pairsOf(form.headers).pairs,
        flatRate: form.flatRate,
        background: form.background,
        caFile: text(form.caFile),
        proxy: text(form.proxy),
        silenceSeconds: form.silence.trim() === "" ? null : Number(form.silence),
        maxParallelCalls: form.parallel.trim() === "" ? null : Number(form.parallel),
    };
    // Keys are pasted with blanks and line ends around them.
    const secret = form.secret.trim();
    return {
        connection,
        ...(secret === "" || !takesSecret(form) ? {} : { secret }),
        ...(was === undefined ? {} : { was }),
    };
}

/** Whether a secret can be typed for it. */
export function takesSecret(form: Form): boolean {
    return (form.auth === "key" || form.auth === "bearer") && form.env === undefined;
}

export interface Asks {
    address: boolean;
    model: boolean;
    key: boolean;
    /** Whether a secret is in the vault already. */
    stored: boolean;
    /** Slugs of the others. */
    taken: readonly string[];
}

export type FormProblems = { [F in keyof Form]?: string };

const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** What keeps it from being saved, by field. */
export function problemsOf(form: Form, asks: Asks): FormProblems {
    const found: FormProblems = {};
    const slug = slugOf(form);
    if (form.name.trim() === "" && form.slug === undefined) found.name = "Enter a name.";
    else if (!/^[a-z0-9][a-z0-9-]*$/.test(slug))
        found[form.slug === undefined ? "name" : "slug"] = "Use lower-case letters, digits and dashes.";
    else if (asks.taken.includes(slug))
        found[form.slug === undefined ? "name" : "slug"] = `A connection “${slug}” already exists.`;
    const address = addressProblem(form.address);
    if (form.address.trim() === "") {
        if (asks.address) found.address = "Enter the address: this provider has no default.";
    } else if (address !== undefined) found.address = address;
    if (asks.model && form.model.trim() === "") found.model = "Enter a model id: this host can’t list models reliably.";
    if (takesSecret(form)) {
        if (asks.key && !asks.stored && form.secret.trim() === "")
            found.secret = "Enter the key, or the name of an environment variable.";
        else if (/\s/.test(form.secret.trim()))
            found.secret = "A key contains no spaces. Check that no other text was copied.";
    } else if (
        form.env !== undefined &&
        (form.auth === "key" || form.auth === "bearer") &&
        !/^[A-Za-z_][A-Za-z0-9_]*$/.test(form.env.trim())
    )
        found.env = "Enter the variable name, such as ANTHROPIC_API_KEY.";
    if (form.auth === "oauth" || form.auth === "workload_identity") {
        const token = form.tokenUrl.trim() === "" ? "Enter the address." : addressProblem(form.tokenUrl);
        if (token !== undefined) found.tokenUrl = token;
    }
    if (form.auth === "oauth") {
        if (form.clientId.trim() === "") found.clientId = "Enter the Client ID registered with the service.";
        const authorize = form.authorizeUrl.trim() === "" ? undefined : addressProblem(form.authorizeUrl);
        if (authorize !== undefined) found.authorizeUrl = authorize;
    }
    if (form.auth === "workload_identity") {
        if (form.tokenFile.trim() === "") found.tokenFile = "Enter the path of the token file.";
        const { wrong } = pairsOf(form.tokenFields);
        if (wrong !== undefined) found.tokenFields = `“${wrong}” does not have the form “name: value”.`;
    }
    const { wrong } = pairsOf(form.headers);
    if (wrong !== undefined) found.headers = `“${wrong}” does not have the form “Name: value”.`;
    if (
        form.silence.trim() !== "" &&
        !(/^\d+$/.test(form.silence.trim()) && Number(form.silence) >= 1 && Number(form.silence) <= 3_600)
    )
        found.silence = "Enter whole seconds, 1 to 3600.";
    const parallel = form.parallel.trim();
    if (parallel !== "" && !(/^\d+$/.test(parallel) && Number(parallel) >= 1 && Number(parallel) <= 256))
        found.parallel = "Enter a whole number, 1 to 256.";
    if (
        form.proxy.trim() !== "" &&
        form.proxy.trim() !== "none" &&
        !/^(https?|socks5h?):\/\/\S+$/i.test(form.proxy.trim())
    )
        found.proxy = "Enter an address such as http://proxy.example:8080, or “none”.";
    return found;
}

function addressProblem(text: string): string | undefined {
    const address = text.trim();
    if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
        return "Enter an address that starts with https://.";
    const { username, password } = new URL(address);
    return username !== "" || password !== ""
        ? "The address must not contain a password: put the secret in the key."
        : undefined;
}

/** Whether what is sent to an address could be read on the way. */
export function isOpen(address: string): boolean {
    const text = address.trim();
    if (!URL.canParse(text)) return false;
    const { protocol, hostname } = new URL(text);
    return protocol === "http:" && !loopback.test(hostname);
}

/** Fields that stand in the folded part: it opens where one of them is wrong. */
export const ADVANCED: readonly (keyof Form)[] = [
    "slug",
    "judgeModel",
    "headers",
    "caFile",
    "proxy",
    "silence",
    "parallel",
];
