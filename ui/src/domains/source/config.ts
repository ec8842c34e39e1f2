// What a source's configuration says about itself, for the form that edits it.

import { own } from "@/shared";

/** A configuration as far as the form looks into it. */
export interface Config {
    slug?: string;
    name?: string;
    description?: string;
    type?: string;
    mcp?: {
        transport?: string;
        command?: string;
        args?: string[];
        env?: Record<string, string>;
        url?: string;
        headers?: Record<string, string>;
        authType?: string;
        clientId?: string;
        scopes?: string[];
    };
    api?: {
        baseUrl?: string;
        authType?: string;
        authScheme?: string;
        headerName?: string;
        headerNames?: string[];
        queryParam?: string;
        username?: string;
        oauth?: {
            clientId?: string;
            authorizeUrl?: string;
            tokenUrl?: string;
            scopes?: string[];
            redirectUrl?: string;
        };
        defaultHeaders?: Record<string, string>;
    };
    local?: { path?: string };
}

/** The text as a configuration; why not, where it is none. */
export function readConfig(text: string): { config?: Config; fault?: string } {
    try {
        const value: unknown = JSON.parse(text);
        if (typeof value !== "object" || value === null || Array.isArray(value))
            return { fault: "The configuration must be a JSON object." };
        const fault = shapeFault(value);
        return fault === undefined ? { config: value } : { fault };
    } catch (thrown) {
        return { fault: thrown instanceof Error ? thrown.message : "The configuration is not valid JSON." };
    }
}

/** What the form's fields can show, by their place. */
const SHAPES: readonly (readonly [shape: "text" | "texts" | "pairs" | "object", ...places: string[]])[] = [
    ["object", "mcp", "api", "api.oauth", "local"],
    ["text", "slug", "name", "description", "type", "local.path"],
    ["text", "mcp.transport", "mcp.command", "mcp.url", "mcp.authType", "mcp.clientId"],
    ["text", "api.baseUrl", "api.authType", "api.authScheme", "api.headerName", "api.queryParam", "api.username"],
    ["text", "api.oauth.clientId", "api.oauth.authorizeUrl", "api.oauth.tokenUrl", "api.oauth.redirectUrl"],
    ["texts", "mcp.args", "mcp.scopes", "api.headerNames", "api.oauth.scopes"],
    ["pairs", "mcp.env", "mcp.headers", "api.defaultHeaders"],
];

const isObject = (value: unknown): value is { readonly [field: string]: unknown } =>
    typeof value === "object" && value !== null && !Array.isArray(value);
const areTexts = (values: readonly unknown[]) => values.every((each) => typeof each === "string");

const SHAPE_WORDS = {
    text: "a text",
    texts: "a list of texts",
    pairs: "an object of names with texts",
    object: "an object",
} as const;

/** The first field that holds something that the form can't show: typed by hand, or taken from elsewhere. */
function shapeFault(config: object): string | undefined {
    for (const [shape, ...places] of SHAPES) {
        for (const place of places) {
            let value: unknown = config;
            for (const name of place.split(".")) value = isObject(value) ? value[name] : undefined;
            const fits =
                value === undefined ||
                (shape === "text" && typeof value === "string") ||
                (shape === "texts" && Array.isArray(value) && areTexts(value)) ||
                (shape === "pairs" && isObject(value) && areTexts(Object.values(value))) ||
                (shape === "object" && isObject(value));
            if (!fits) return `“${place}” must be ${SHAPE_WORDS[shape]}.`;
        }
    }
    return undefined;
}

/** A configuration with one value replaced; `undefined` removes it. Fields that the form does not know stay. */
export function withValue(config: Config, path: readonly string[], value: unknown): Config {
    const [first, ...rest] = path;
    if (first === undefined) return config;
    const fields = config as Record<string, unknown>;
    if (rest.length === 0) return { ...fields, [first]: value };
    const inner = fields[first];
    const object = typeof inner === "object" && inner !== null ? (inner as Config) : {};
    return { ...fields, [first]: withValue(object, rest, value) };
}

const PLACES: Readonly<Record<string, string>> = {
    "/slug": "Folder name",
    "/name": "Name",
    "/description": "Description",
    "/mcp/command": "Command",
    "/mcp/url": "Address",
    "/mcp/clientId": "Client ID",
    "/api/baseUrl": "Base address",
    "/api/headerName": "Header",
    "/api/headerNames": "Names of the secret headers",
    "/api/queryParam": "Parameter",
    "/api/oauth/clientId": "Client ID",
    "/api/oauth/authorizeUrl": "Address of the sign-in page",
    "/api/oauth/tokenUrl": "Address for tokens",
    "/api/oauth/redirectUrl": "Address to come back to",
    "/local/path": "Folder",
};

/** What is wrong with a configuration, by the field that a person sees. */
export function problemWords({ place, message }: { place: string; message: string }): string {
    const field = own(PLACES, place) ?? place;
    return field === "" ? message : `${field}: ${message}`;
}

/** What the source will run or reach: untruncated, as it stands in the configuration. */
export function reachOf(config: Config): { kind: "program" | "address" | "folder"; what: string } | undefined {
    const { mcp, api, local } = config;
    if (mcp?.command !== undefined && mcp.command !== "")
        return { kind: "program", what: [mcp.command, ...(mcp.args ?? [])].map(quoted).join(" ") };
    if (mcp?.url !== undefined) return { kind: "address", what: mcp.url };
    if (api?.baseUrl !== undefined) return { kind: "address", what: api.baseUrl };
    if (local?.path !== undefined) return { kind: "folder", what: local.path };
    return undefined;
}

/** Whether a configuration, of whatever shape, is that of a program. */
export function isProgram(config: unknown): boolean {
    const mcp = isObject(config) ? config["mcp"] : undefined;
    return isObject(mcp) && typeof mcp["command"] === "string" && mcp["command"] !== "";
}

function quoted(word: string): string {
    return /^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word);
}

const SIGNS: readonly { pattern: RegExp; says: string }[] = [
    { pattern: /(^|[\s"'/])sudo([\s"']|$)/, says: "The command requests administrator rights." },
    {
        pattern: /(^|[\s"'/])(sh|bash|zsh|dash|cmd|powershell)["']?\s+-?\/?c\b/i,
        says: "The command runs a shell, which can run anything.",
    },
    { pattern: /\brm\s+-/, says: "The command deletes files." },
    { pattern: /(~|\$HOME|\/home\/|\/Users\/)/, says: "The command refers to your home folder." },
    { pattern: /\.(ssh|gnupg|aws|kube)\b/, says: "The command refers to a folder with keys." },
    {
        pattern: /\b(npx|uvx|pipx)\b(?!.*@\d)/,
        says: "The command downloads a package without a fixed version, so the code can change at any time.",
    },
    { pattern: /\b(curl|wget)\b/, says: "The command downloads data from the network." },
];

/** What is worth a second look in a command. */
export function warningsOf(command: string): string[] {
    return SIGNS.filter(({ pattern }) => pattern.test(command)).map(({ says }) => says);
}
