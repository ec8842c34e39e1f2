// Adds or changes a source: its configuration, its secrets, and the approval of what it will run or reach.

import { useState, type FormEvent } from "react";

import { call, toProblem, useCommand, useQuery, type OpenApiPreview, type SourcePreset } from "@/backend";
import { go, hrefOf } from "@/routes";
import {
    Button,
    Checkbox,
    ErrorCard,
    Fold,
    JsonView,
    Outcome,
    Page,
    SecretField,
    Section,
    TextArea,
    count,
    toast,
} from "@/shared";

import { reachOf, readConfig, secretsOf, warningsOf } from "./editing";

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
            <Outcome of={presets} what="the templates">
                {(all) => <Presets presets={all} />}
            </Outcome>
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
    typeof config === "object" && config !== null && "type" in config ? String(config.type) : "";

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

export interface SourceFormProps {
    /** Its `config.json`. */
    config: string;
    guide: string;
    /** Where credentials come from, in words. */
    credentials?: string;
    openapi?: string;
    isNew?: boolean;
    onDone?: () => void;
}

const REACHES = {
    program: {
        says: "This source runs a program with your user rights:",
        agreed: "I have read the command and trust it",
    },
    address: { says: "This source sends requests to:", agreed: "I have checked the address and trust it" },
    folder: {
        says: "This source reads the folder and all subfolders:",
        agreed: "I have checked the folder; all of it may be read",
    },
} as const;

/** The form. What it will run or reach is shown whole before it can be saved. */
export function SourceForm({
    config: first,
    guide: firstGuide,
    credentials = "",
    openapi,
    isNew = false,
    onDone,
}: SourceFormProps) {
    const [text, setText] = useState(first);
    const [guide, setGuide] = useState(firstGuide);
    const [secrets, setSecrets] = useState<Readonly<Record<string, string>>>({});
    const [approved, setApproved] = useState<string | undefined>();
    const save = useCommand("source_save");
    const { config, fault } = readConfig(text);
    const reach = config === undefined ? undefined : reachOf(config);
    const names = secretsOf(text);
    // An approval holds for what was seen, not for what is written afterwards.
    const isApproved = reach !== undefined && approved === reach.what;
    const submit = async (event: FormEvent) => {
        event.preventDefault();
        if (config === undefined || save.pending) return;
        const given = Object.fromEntries(
            names.filter((name) => (secrets[name] ?? "") !== "").map((name) => [name, secrets[name] ?? ""]),
        );
        const { value } = await save.run({
            config,
            guide,
            secrets: given,
            openapi: openapi ?? null,
            approved: isApproved,
        });
        setSecrets({});
        if (value === undefined) return;
        toast({ text: isNew ? "Source added. Test it, then approve its tools." : "Source saved." });
        onDone?.();
        go({ page: "source", slug: value.source.slug }, { replace: true });
    };
    return (
        <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
            <TextArea
                label="Configuration (config.json)"
                value={text}
                onChange={setText}
                minRows={8}
                maxRows={28}
                mono
                error={fault}
                hint="Refer to secrets as ${secret:NAME}; never enter them here."
            />
            {names.length > 0 && (
                <div className="flex flex-col gap-3">
                    {credentials !== "" && <p className="text-ui text-ink-2">{credentials}</p>}
                    {names.map((name) => (
                        <SecretField
                            key={name}
                            label={`Secret ${name}`}
                            value={secrets[name] ?? ""}
                            onChange={(value) => setSecrets({ ...secrets, [name]: value })}
                            hint={
                                isNew
                                    ? "Stored in the vault; used only for the target shown below."
                                    : "Leave empty to keep the stored value."
                            }
                        />
                    ))}
                </div>
            )}
            <TextArea
                label="Guide (guide.md)"
                value={guide}
                onChange={setGuide}
                minRows={4}
                maxRows={16}
                hint="How to use the tools well. Given to the model together with the tools."
            />
            {reach !== undefined && (
                <div className="rounded-card border border-hairline px-4 py-3">
                    <p className="text-ui font-medium">{REACHES[reach.kind].says}</p>
                    <pre className="mt-1.5 font-mono text-code break-all whitespace-pre-wrap">{reach.what}</pre>
                    {reach.kind === "program" &&
                        warningsOf(reach.what).map((warning) => (
                            <p key={warning} className="mt-1 text-small text-needs">
                                {warning}
                            </p>
                        ))}
                    <div className="mt-2">
                        <Checkbox
                            label={REACHES[reach.kind].agreed}
                            checked={isApproved}
                            onChange={(checked) => setApproved(checked ? reach.what : undefined)}
                        />
                    </div>
                </div>
            )}
            {save.problem !== undefined && (
                <ErrorCard title="The source was not saved" advice={save.problem.action ?? undefined}>
                    {save.problem.message}
                </ErrorCard>
            )}
            <div className="flex gap-2">
                <Button type="submit" variant="primary" disabled={config === undefined || !isApproved || save.pending}>
                    {save.pending ? "Saving…" : "Save"}
                </Button>
                {onDone !== undefined && (
                    <Button variant="quiet" onClick={onDone}>
                        Cancel
                    </Button>
                )}
            </div>
        </form>
    );
}
