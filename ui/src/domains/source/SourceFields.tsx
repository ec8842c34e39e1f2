// The fields of a source's configuration, by its type. What has no field here is in the configuration below them.

import { Plus, X } from "lucide-react";
import { useState } from "react";

import { Button, Checkbox, IconButton, Select, TextArea, TextField } from "@/shared";

import type { Config } from "./config";

export interface SourceFieldsProps {
    config: Config;
    isNew: boolean;
    onChange: (path: readonly string[], value: unknown) => void;
}

const MCP_AUTH = [
    { value: "none", label: "Nothing" },
    { value: "bearer", label: "A token or API key" },
    { value: "oauth", label: "A sign-in in the browser" },
];

const API_AUTH = [
    { value: "none", label: "Nothing" },
    { value: "bearer", label: "A token or API key (bearer)" },
    { value: "header", label: "An API key in a header" },
    { value: "query", label: "An API key in the address" },
    { value: "headers", label: "Several secret headers" },
    { value: "basic", label: "User and password" },
    { value: "oauth", label: "A sign-in in the browser, with your own client" },
];

/** A list as one line each; no empty lines. */
const linesOf = (text: string) => text.split("\n").filter((line) => line !== "");

export function SourceFields({ config, isNew, onChange }: SourceFieldsProps) {
    const { mcp, api, local } = config;
    const text = (path: readonly string[]) => (value: string) => onChange(path, value);
    const optional = (path: readonly string[]) => (value: string) => onChange(path, value === "" ? undefined : value);
    return (
        <div className="flex flex-col gap-3">
            <TextField label="Name" value={config.name ?? ""} onChange={text(["name"])} />
            {isNew && (
                <TextField
                    label="Folder name"
                    value={config.slug ?? ""}
                    onChange={text(["slug"])}
                    mono
                    hint="Lower-case letters, digits and hyphens. Tools are named after it."
                />
            )}
            <TextField label="Description" value={config.description ?? ""} onChange={text(["description"])} />
            {config.type === "local" && (
                <TextField label="Folder" value={local?.path ?? ""} onChange={text(["local", "path"])} mono />
            )}
            {config.type === "mcp" && mcp?.transport !== "http" && (
                <>
                    <TextField label="Command" value={mcp?.command ?? ""} onChange={text(["mcp", "command"])} mono />
                    <Lines
                        label="Arguments"
                        value={mcp?.args ?? []}
                        onChange={(args) => onChange(["mcp", "args"], args)}
                        hint="One per line; no quotes, there is no shell."
                    />
                    <Pairs
                        label="Environment variables"
                        value={mcp?.env ?? {}}
                        onChange={(env) => onChange(["mcp", "env"], env)}
                    />
                </>
            )}
            {config.type === "mcp" && mcp?.transport === "http" && (
                <>
                    <TextField label="Address" value={mcp.url ?? ""} onChange={text(["mcp", "url"])} mono />
                    <Select
                        label="Authentication"
                        showLabel
                        value={mcp.authType ?? "none"}
                        options={MCP_AUTH}
                        onChange={(auth) => {
                            onChange(["mcp"], {
                                ...mcp,
                                authType: auth,
                                ...(auth === "oauth" ? {} : { clientId: undefined, scopes: undefined }),
                            });
                        }}
                    />
                    {mcp.authType === "oauth" && (
                        <TextField
                            label="Client ID"
                            value={mcp.clientId ?? ""}
                            onChange={optional(["mcp", "clientId"])}
                            mono
                            hint="Only if the server’s operator gave you one; otherwise the program registers itself."
                        />
                    )}
                    <Pairs
                        label="Headers"
                        value={mcp.headers ?? {}}
                        onChange={(headers) => onChange(["mcp", "headers"], headers)}
                    />
                </>
            )}
            {config.type === "api" && (
                <>
                    <TextField
                        label="Base address"
                        value={api?.baseUrl ?? ""}
                        onChange={text(["api", "baseUrl"])}
                        mono
                        hint="Requests go only to this address and to addresses below it."
                    />
                    <Select
                        label="Authentication"
                        showLabel
                        value={api?.authType ?? "none"}
                        options={API_AUTH}
                        onChange={(auth) =>
                            onChange(["api"], {
                                ...api,
                                authType: auth,
                                headerName: auth === "header" ? (api?.headerName ?? "X-API-Key") : undefined,
                                headerNames: auth === "headers" ? (api?.headerNames ?? []) : undefined,
                                queryParam: auth === "query" ? (api?.queryParam ?? "api_key") : undefined,
                                username: auth === "basic" ? api?.username : undefined,
                                authScheme: auth === "bearer" || auth === "header" ? api?.authScheme : undefined,
                                oauth: auth === "oauth" ? (api?.oauth ?? { tokenUrl: "", clientId: "" }) : undefined,
                            })
                        }
                    />
                    {api?.authType === "header" && (
                        <TextField
                            label="Header"
                            value={api.headerName ?? ""}
                            onChange={text(["api", "headerName"])}
                            mono
                        />
                    )}
                    {api?.authType === "query" && (
                        <TextField
                            label="Parameter"
                            value={api.queryParam ?? ""}
                            onChange={text(["api", "queryParam"])}
                            mono
                        />
                    )}
                    {api?.authType === "headers" && (
                        <Lines
                            label="Names of the secret headers"
                            value={api.headerNames ?? []}
                            onChange={(names) => onChange(["api", "headerNames"], names)}
                            hint="One per line. A field for each appears below."
                        />
                    )}
                    {api?.authType === "basic" && (
                        <TextField
                            label="User"
                            value={api.username ?? ""}
                            onChange={optional(["api", "username"])}
                            hint="Leave empty to store user and password together."
                        />
                    )}
                    {api?.authType === "oauth" && (
                        <>
                            <TextField
                                label="Client ID"
                                value={api.oauth?.clientId ?? ""}
                                onChange={text(["api", "oauth", "clientId"])}
                                mono
                            />
                            <TextField
                                label="Address of the sign-in page"
                                value={api.oauth?.authorizeUrl ?? ""}
                                onChange={optional(["api", "oauth", "authorizeUrl"])}
                                mono
                            />
                            <TextField
                                label="Address for tokens"
                                value={api.oauth?.tokenUrl ?? ""}
                                onChange={text(["api", "oauth", "tokenUrl"])}
                                mono
                            />
                            <Lines
                                label="Scopes"
                                value={api.oauth?.scopes ?? []}
                                onChange={(scopes) => onChange(["api", "oauth", "scopes"], scopes)}
                                hint="One per line: what the sign-in asks for."
                            />
                            <TextField
                                label="Address to come back to (optional)"
                                value={api.oauth?.redirectUrl ?? ""}
                                onChange={optional(["api", "oauth", "redirectUrl"])}
                                hint="Only for a service that takes one registered address: http://localhost:47821/callback"
                                mono
                            />
                        </>
                    )}
                    <Pairs
                        label="Headers of every request"
                        value={api?.defaultHeaders ?? {}}
                        onChange={(headers) => onChange(["api", "defaultHeaders"], headers)}
                    />
                </>
            )}
        </div>
    );
}

interface Listed<T> {
    label: string;
    value: T;
    onChange: (value: T) => void;
    hint?: string;
}

/** A list, a line each. An empty line is typed before it holds anything, so that the text is kept apart. */
function Lines({ label, value, onChange, hint }: Listed<string[]>) {
    const [text, setText] = useState(value.join("\n"));
    const same = JSON.stringify(linesOf(text)) === JSON.stringify(value);
    return (
        <TextArea
            label={label}
            value={same ? text : value.join("\n")}
            onChange={(next) => {
                setText(next);
                onChange(linesOf(next));
            }}
            minRows={1}
            maxRows={10}
            mono
            hint={hint}
        />
    );
}

const reference = (name: string) => `\${secret:${name}}`;

/** Names with values. A secret value is only referred to: it is asked for with the other secrets. */
function Pairs({ label, value, onChange }: Listed<Record<string, string>>) {
    const [name, setName] = useState("");
    const put = (changed: string, next: string | undefined) =>
        onChange(
            Object.fromEntries(
                Object.entries(value).flatMap(([each, old]) =>
                    each !== changed ? [[each, old]] : next === undefined ? [] : [[each, next]],
                ),
            ),
        );
    const add = () => {
        if (name.trim() === "" || name.trim() in value) return;
        onChange({ ...value, [name.trim()]: "" });
        setName("");
    };
    return (
        <fieldset>
            <legend className="mb-1 text-small text-ink-2">{label}</legend>
            <div className="flex flex-col gap-2">
                {Object.entries(value).map(([each, text]) => {
                    const secret = text.includes("${secret:");
                    return (
                        <div key={each} className="flex flex-wrap items-center gap-x-3 gap-y-1">
                            <code className="min-w-32 font-mono text-code break-all">{each}</code>
                            <TextField
                                label={`Value of ${each}`}
                                hideLabel
                                value={text}
                                onChange={(next) => put(each, next)}
                                disabled={secret}
                                mono
                                className="flex-1"
                            />
                            <Checkbox
                                label="Secret"
                                checked={secret}
                                onChange={(checked) => put(each, checked ? reference(each) : "")}
                            />
                            <IconButton
                                label={`Remove ${each}`}
                                size="small"
                                icon={<X size={14} strokeWidth={1.5} />}
                                onClick={() => put(each, undefined)}
                            />
                        </div>
                    );
                })}
                <div className="flex items-center gap-2">
                    <TextField
                        label={`New name: ${label}`}
                        hideLabel
                        placeholder="Name"
                        value={name}
                        onChange={setName}
                        onKeyDown={(event) => {
                            if (event.key !== "Enter") return;
                            // Enter adds the row; it does not save the source.
                            event.preventDefault();
                            add();
                        }}
                        mono
                        className="max-w-60 flex-1"
                    />
                    <Button
                        size="small"
                        icon={<Plus size={14} strokeWidth={1.5} />}
                        disabled={name.trim() === "" || name.trim() in value}
                        onClick={add}
                    >
                        Add
                    </Button>
                </div>
            </div>
        </fieldset>
    );
}
