// Adds a source: from a template, from the configuration of another program, or from an OpenAPI document.

import { useRef, useState, type FormEvent } from "react";

import { call, toProblem, useQuery, type OpenApiPreview, type SourceDraft, type SourcePreset } from "@/backend";
import { hrefOf } from "@/routes";
import { Button, Fold, JsonView, AsyncBoundary, Page, Section, TextArea, count } from "@/shared";

import { Pasted } from "./Pasted";
import { SourceForm } from "./SourceForm";

const BACK = { label: "Sources", href: hrefOf({ page: "sources" }) };

/** A choice of presets, or the form for one. */
export function NewSource({ preset }: { preset?: string }) {
    const presets = useQuery("source_presets", null);
    const chosen = presets.data?.find((each) => each.name === preset);
    if (preset !== undefined && chosen !== undefined) {
        return (
            <Page title={`New source: ${chosen.name}`} lead={chosen.description} back={BACK} width="reading">
                <SourceForm
                    config={JSON.stringify(chosen.config, null, 4)}
                    guide={chosen.guide}
                    credentials={chosen.credentials}
                    isNew
                />
            </Page>
        );
    }
    return (
        <Page
            title="New source"
            lead="Choose the closest template; you can edit everything before saving."
            back={BACK}
            width="reading"
        >
            <AsyncBoundary of={presets} what="the templates">
                {(all) => <Presets presets={all} />}
            </AsyncBoundary>
            <FromElsewhere />
            <OpenApi />
        </Page>
    );
}

/** The kinds of forms in the order in which most people need them. */
const KINDS = [
    { kind: "local", title: "On this machine" },
    { kind: "mcp", title: "MCP servers" },
    { kind: "api", title: "Web APIs" },
];

const kindOf = (config: unknown) =>
    typeof config === "object" && config !== null && "type" in config && typeof config.type === "string"
        ? config.type
        : "";

function Presets({ presets }: { presets: readonly SourcePreset[] }) {
    const kinds = KINDS.filter(({ kind }) => presets.some((preset) => kindOf(preset.config) === kind));
    return (
        <div className="@container flex flex-col gap-6">
            {kinds.map(({ kind, title }) => (
                <Section key={kind} title={title}>
                    <ul className="grid grid-cols-1 gap-2 @min-[30rem]:grid-cols-2" aria-label={title}>
                        {presets
                            .filter((preset) => kindOf(preset.config) === kind)
                            .map((preset) => (
                                <li key={preset.name}>
                                    <a
                                        href={hrefOf({ page: "new_source", preset: preset.name })}
                                        className="ring-inside block h-full rounded-card border border-hairline bg-surface px-3 py-2.5 text-ui hover:bg-hover"
                                    >
                                        <span className="block font-medium">{preset.name}</span>
                                        <span className="block text-small text-ink-2">{preset.description}</span>
                                    </a>
                                </li>
                            ))}
                    </ul>
                </Section>
            ))}
        </div>
    );
}

/** The largest file of another program’s settings. */
const MAX_FILE_BYTES = 8 << 20;

/** MCP servers as other programs write them down. */
function FromElsewhere() {
    const [text, setText] = useState("");
    const [fault, setFault] = useState("");
    const [draft, setDraft] = useState<SourceDraft | undefined>();
    const chooser = useRef<HTMLInputElement>(null);
    const replace = (next: string) => {
        setText(next);
        setFault("");
        setDraft(undefined);
    };
    const choose = async (file: File | undefined) => {
        if (file === undefined) return;
        if (file.size > MAX_FILE_BYTES)
            return setFault(`${file.name} has ${file.size} bytes; the limit is ${MAX_FILE_BYTES}.`);
        replace(await file.text());
    };
    return (
        <Section
            title="From another program’s configuration"
            note="Paste the settings in which another program keeps its MCP servers (JSON, TOML or YAML), or choose their file."
        >
            <input
                ref={chooser}
                type="file"
                hidden
                aria-label="Settings file"
                onChange={(event) => {
                    void choose(event.target.files?.[0]);
                    event.target.value = "";
                }}
            />
            <TextArea
                label="Settings with MCP servers"
                value={text}
                onChange={replace}
                minRows={4}
                maxRows={16}
                mono
                error={fault === "" ? undefined : fault}
            />
            <Button className="mt-2" onClick={() => chooser.current?.click()}>
                Choose a file…
            </Button>
            <Pasted text={text} onUse={setDraft} />
            {draft !== undefined && (
                <div className="mt-4">
                    <SourceForm
                        key={JSON.stringify(draft.config)}
                        config={JSON.stringify(draft.config, null, 4)}
                        given={draft.secrets}
                        guide=""
                        isNew
                    />
                </div>
            )}
        </Section>
    );
}

/** Tools from the description of a web interface. */
function OpenApi() {
    const [text, setText] = useState("");
    const [read, setRead] = useState<OpenApiPreview | undefined>();
    const [fault, setFault] = useState("");
    const [busy, setBusy] = useState(false);
    const look = async (event: FormEvent) => {
        event.preventDefault();
        setBusy(true);
        setFault("");
        try {
            setRead(await call("source_import", { text }));
        } catch (thrown) {
            setRead(undefined);
            setFault(toProblem(thrown).message);
        } finally {
            setBusy(false);
        }
    };
    return (
        <Section title="From an OpenAPI document" note="Each operation becomes a tool.">
            <form onSubmit={(event) => void look(event)}>
                <TextArea
                    label="OpenAPI document (JSON or YAML), or its https address"
                    value={text}
                    onChange={setText}
                    minRows={4}
                    maxRows={16}
                    mono
                    error={fault === "" ? undefined : fault}
                />
                <Button type="submit" className="mt-2" disabled={busy || text.trim() === ""}>
                    {busy ? "Reading…" : "Show tools"}
                </Button>
            </form>
            {read !== undefined && (
                <div className="mt-4">
                    <p className="text-ui">
                        <span className="font-medium">{read.title}</span>, {count(read.tools.length, "tool")} at{" "}
                        <code className="font-mono text-code">{read.baseUrl}</code>
                    </p>
                    {read.warnings.length > 0 && (
                        <ul className="mt-1 list-disc pl-5 text-small text-ink-2">
                            {read.warnings.map((warning) => (
                                <li key={warning}>{warning}</li>
                            ))}
                        </ul>
                    )}
                    <Fold label="Tools" className="mt-2">
                        <JsonView
                            value={read.tools.map((tool) => `${tool.name}: ${tool.description}`)}
                            label="Tools"
                            open={1}
                        />
                    </Fold>
                    <div className="mt-4">
                        <SourceForm
                            config={JSON.stringify(read.config, null, 4)}
                            guide=""
                            credentials=""
                            openapi={text}
                            isNew
                        />
                    </div>
                </div>
            )}
        </Section>
    );
}
