// A connection as a person fills it in: one field a line of text, and back again. Pure.

import type { Auth, ConnectionSave, ModelConnection } from "@/backend";

export type AuthKind = Auth["kind"];

export interface Form {
    name: string;
    /** Undefined: made from the name. */
    slug: string | undefined;
    address: string;
    model: string;
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
    caFile: string;
    proxy: string;
    silence: string;
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
        caFile: connection.caFile ?? "",
        proxy: connection.proxy ?? "",
        silence: connection.silenceSeconds === null || connection.silenceSeconds === undefined ? "" : String(connection.silenceSeconds),
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
                    ...(form.authorizeUrl.trim() === "" ? { authorizeUrl: null } : { authorizeUrl: form.authorizeUrl.trim() }),
                    tokenUrl: form.tokenUrl.trim(),
                    clientId: form.clientId.trim(),
                    scopes,
                },
            };
        }
        case "workload_identity":
            return { kind: "workload_identity", tokenFile: form.tokenFile.trim(), tokenUrl: form.tokenUrl.trim(), fields: pairsOf(form.tokenFields).pairs };
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
        headers: pairsOf(form.headers).pairs,
        flatRate: form.flatRate,
        caFile: text(form.caFile),
        proxy: text(form.proxy),
        silenceSeconds: form.silence.trim() === "" ? null : Number(form.silence),
    };
    // Keys are pasted with blanks and line ends around them.
    const secret = form.secret.trim();
    return { connection, ...(secret === "" || !takesSecret(form) ? {} : { secret }), ...(was === undefined ? {} : { was }) };
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
    if (form.name.trim() === "" && form.slug === undefined) found.name = "Give it a name.";
    else if (!/^[a-z0-9][a-z0-9-]*$/.test(slug)) found[form.slug === undefined ? "name" : "slug"] = "Use lower-case letters, digits and dashes.";
    else if (asks.taken.includes(slug)) found[form.slug === undefined ? "name" : "slug"] = `There is a connection “${slug}” already.`;
    const address = addressProblem(form.address);
    if (form.address.trim() === "") {
        if (asks.address) found.address = "Give the address: the provider can’t know it.";
    } else if (address !== undefined) found.address = address;
    if (asks.model && form.model.trim() === "") found.model = "Name a model: this host can’t list them reliably.";
    if (takesSecret(form)) {
        if (asks.key && !asks.stored && form.secret.trim() === "") found.secret = "Paste the key, or name a variable that holds it.";
        else if (/\s/.test(form.secret.trim())) found.secret = "A key has no blanks inside: it may have been copied with other text.";
    } else if (form.env !== undefined && (form.auth === "key" || form.auth === "bearer") && !/^[A-Za-z_][A-Za-z0-9_]*$/.test(form.env.trim())) found.env = "Name the variable, such as ANTHROPIC_API_KEY.";
    if (form.auth === "oauth" || form.auth === "workload_identity") {
        const token = form.tokenUrl.trim() === "" ? "Give the address." : addressProblem(form.tokenUrl);
        if (token !== undefined) found.tokenUrl = token;
    }
    if (form.auth === "oauth") {
        if (form.clientId.trim() === "") found.clientId = "Give the client id that the service knows you by.";
        const authorize = form.authorizeUrl.trim() === "" ? undefined : addressProblem(form.authorizeUrl);
        if (authorize !== undefined) found.authorizeUrl = authorize;
    }
    if (form.auth === "workload_identity") {
        if (form.tokenFile.trim() === "") found.tokenFile = "Give the file that the platform keeps fresh.";
        const { wrong } = pairsOf(form.tokenFields);
        if (wrong !== undefined) found.tokenFields = `“${wrong}” is no “name: value”.`;
    }
    const { wrong } = pairsOf(form.headers);
    if (wrong !== undefined) found.headers = `“${wrong}” is no “Name: value”.`;
    if (form.silence.trim() !== "" && !(/^\d+$/.test(form.silence.trim()) && Number(form.silence) >= 1 && Number(form.silence) <= 3_600)) found.silence = "Give whole seconds, 1 to 3600.";
    if (form.proxy.trim() !== "" && form.proxy.trim() !== "none" && !/^(https?|socks5h?):\/\/\S+$/i.test(form.proxy.trim())) found.proxy = "An address such as http://proxy.example:8080, or “none”.";
    return found;
}

function addressProblem(text: string): string | undefined {
    const address = text.trim();
    if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) return "This is no address: it begins with https://.";
    const { username, password } = new URL(address);
    return username !== "" || password !== "" ? "An address with a password in it is not taken: put the secret into the key." : undefined;
}

/** Whether what is sent to an address could be read on the way. */
export function isOpen(address: string): boolean {
    const text = address.trim();
    if (!URL.canParse(text)) return false;
    const { protocol, hostname } = new URL(text);
    return protocol === "http:" && !loopback.test(hostname);
}

/** Fields that stand in the folded part: it opens where one of them is wrong. */
export const ADVANCED: readonly (keyof Form)[] = ["slug", "headers", "caFile", "proxy", "silence"];
