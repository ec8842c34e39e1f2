import { Check, ChevronRight, Download } from "lucide-react";
import { useId, useState, type FormEvent } from "react";

import { useCommand, useQuery, type CatalogEntry, type KnowledgeCatalog } from "@/backend";
import { hrefOf } from "@/routes";
import {
    Badge,
    Button,
    Checkbox,
    Dialog,
    AsyncBoundary,
    ExternalLink,
    Select,
    Tabs,
    TextField,
    cx,
    problemText,
} from "@/shared";

import { JobRows } from "./JobRows";
import { nameFrom, nameProblem } from "./name";
import { NO_MODEL, modelOptions } from "./labels";

export interface RegistryDialogProps {
    /** What is opened first: a name of the registry, or an address. */
    wanted?: { name: string; base: string };
    onClose: () => void;
}

/** Openly licensed texts, texts at an address, and models that compare meanings. */
export function RegistryDialog({ wanted, onClose }: RegistryDialogProps) {
    const catalog = useQuery("knowledge_catalog", null);
    const address = wanted !== undefined && /^https?:/.test(wanted.name) ? wanted : undefined;
    const [part, setPart] = useState(address === undefined ? "texts" : "address");
    return (
        <Dialog
            open
            onOpenChange={(open) => !open && onClose()}
            width="large"
            title="Download texts and models"
            description="Downloaded from the publisher once you accept the licence. Only the request for the file is sent."
            footer={<Button onClick={onClose}>Close</Button>}
        >
            <AsyncBoundary of={catalog} what="the registry">
                {(known) => (
                    <Tabs
                        label="Source"
                        value={part}
                        onChange={setPart}
                        tabs={[
                            {
                                id: "texts",
                                label: "Texts",
                                note: known.corpora.length,
                                content: (
                                    <Entries
                                        key="texts"
                                        label="Texts"
                                        entries={known.corpora}
                                        catalog={known}
                                        what="base"
                                        first={wanted?.name}
                                    />
                                ),
                            },
                            {
                                id: "address",
                                label: "From an address",
                                content: (
                                    <FromAddress catalog={known} address={address?.name ?? ""} base={address?.base} />
                                ),
                            },
                            {
                                id: "models",
                                label: "Models",
                                note: known.models.length,
                                content: (
                                    <>
                                        <p className="mb-3 max-w-[42rem] text-ui text-ink-2">
                                            An embedding model turns paragraphs into vectors on this machine, so that
                                            search also finds text in other words. Without one, search uses keywords, a
                                            similarity learned from the texts, and cross-references. A page reader reads
                                            scans: pages that are pictures of text.
                                        </p>
                                        <Entries
                                            key="models"
                                            label="Models"
                                            entries={known.models}
                                            catalog={known}
                                            what="model"
                                        />
                                    </>
                                ),
                            },
                        ]}
                    />
                )}
            </AsyncBoundary>
        </Dialog>
    );
}

function Entries({
    label,
    entries,
    catalog,
    what,
    first,
}: {
    label: string;
    entries: CatalogEntry[];
    catalog: KnowledgeCatalog;
    what: "base" | "model";
    first?: string;
}) {
    const [open, setOpen] = useState<string | undefined>(first);
    if (entries.length === 0) return <p className="text-ui text-ink-2">Nothing available.</p>;
    return (
        <ul aria-label={label} className="border-y border-hairline">
            {entries.map((entry) => (
                <Entry
                    key={entry.name}
                    entry={entry}
                    catalog={catalog}
                    what={what}
                    open={open === entry.name}
                    onToggle={() => setOpen(open === entry.name ? undefined : entry.name)}
                />
            ))}
        </ul>
    );
}

function Entry({
    entry,
    catalog,
    what,
    open,
    onToggle,
}: {
    entry: CatalogEntry;
    catalog: KnowledgeCatalog;
    what: "base" | "model";
    open: boolean;
    onToggle: () => void;
}) {
    const id = useId();
    const own = entry.addresses.length === 0;
    return (
        <li className="border-b border-hairline last:border-b-0">
            <button
                type="button"
                aria-expanded={open}
                aria-controls={open ? id : undefined}
                onClick={onToggle}
                className="ring-inside flex w-full items-start gap-2 rounded-control px-1 py-2.5 text-left text-ui hover:bg-hover"
            >
                <ChevronRight
                    size={16}
                    strokeWidth={1.5}
                    aria-hidden
                    className={cx("mt-0.5 shrink-0 text-ink-3 transition-transform", open && "rotate-90")}
                />
                <span className="min-w-0 flex-1">
                    <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
                        <span className="min-w-0 font-medium break-words">{entry.title || entry.name}</span>
                        {entry.installed && (
                            <Badge tone="done" icon={<Check size={12} strokeWidth={2} aria-hidden />}>
                                {what === "base" ? "in your knowledge bases" : "on this machine"}
                            </Badge>
                        )}
                    </span>
                    <span className="mt-0.5 block text-small text-ink-2">
                        {[entry.publisher, entry.license].filter((part) => part !== "").join(" · ") || "Added by you"}
                    </span>
                </span>
                {entry.megabytes !== null && (
                    <span className="tabular shrink-0 text-small text-ink-3">
                        {entry.megabytes.toLocaleString("en-GB")}&nbsp;MB
                    </span>
                )}
            </button>
            {open && (
                <div id={id} className="pt-2 pb-4 pl-7 text-ui">
                    {own ? (
                        <p className="text-ink-2">
                            This model is in your models folder. Its licence is not known to the registry.
                        </p>
                    ) : (
                        <DownloadPanel entry={entry} catalog={catalog} what={what} />
                    )}
                </div>
            )}
        </li>
    );
}

/** The licence, its acceptance, and the download. */
function DownloadPanel({
    entry,
    catalog,
    what,
}: {
    entry: CatalogEntry;
    catalog: KnowledgeCatalog;
    what: "base" | "model";
}) {
    const [accepted, setAccepted] = useState(false);
    const [model, setModel] = useState(NO_MODEL);
    const base = useCommand("base_add");
    const weights = useCommand("model_add");
    const { pending, problem } = what === "base" ? base : weights;
    const models = modelOptions(catalog);
    const start = () =>
        what === "base" ? base.run({ name: entry.name, accepted, model }) : weights.run({ name: entry.name, accepted });
    return (
        <div className="space-y-3">
            <JobRows of={entry.name} kinds={["download"]} done className="mb-0" />
            <div className="max-w-[42rem] border-l-2 border-hairline-strong pl-3">
                <p className="font-medium">{entry.license}</p>
                <p className="text-ink-2">{entry.licenseSummary}</p>
                <p className="mt-0.5 text-small">
                    <ExternalLink href={entry.licenseAddress}>{entry.licenseAddress}</ExternalLink>
                </p>
            </div>
            <div className="text-small text-ink-3">
                Comes from
                <ul>
                    {entry.addresses.map((address) => (
                        <li key={address} className="font-mono text-code [overflow-wrap:anywhere] text-ink-2">
                            {address}
                        </li>
                    ))}
                </ul>
            </div>
            {what === "base" && models.length > 1 && (
                <Select
                    label="Embedding model"
                    showLabel
                    value={model}
                    onChange={setModel}
                    options={models}
                    className="w-72 max-w-full"
                />
            )}
            <Checkbox
                label={`I have read the licence${entry.license === "" ? "" : ` “${entry.license}”`} and accept it`}
                checked={accepted}
                onChange={setAccepted}
            />
            <div className="flex flex-wrap items-center gap-3">
                <Button
                    variant="primary"
                    icon={<Download size={16} strokeWidth={1.5} />}
                    disabled={!accepted || pending}
                    onClick={() => void start()}
                >
                    {pending ? "Starting…" : entry.installed ? "Download again" : "Download"}
                </Button>
                {!accepted && <span className="text-small text-ink-3">Accept the licence first.</span>}
                {what === "base" && entry.installed && (
                    <a
                        href={hrefOf({ page: "base", base: entry.name })}
                        className="rounded-[4px] text-accent underline-offset-2 hover:underline"
                    >
                        Open knowledge base
                    </a>
                )}
            </div>
            {problem !== undefined && (
                <p role="alert" className="text-failed">
                    {problemText(problem, "The download did not start")}
                </p>
            )}
        </div>
    );
}

function FromAddress({
    catalog,
    address,
    base,
}: {
    catalog: KnowledgeCatalog;
    address: string;
    base: string | undefined;
}) {
    const [url, setUrl] = useState(address);
    const [ownName, setName] = useState(base);
    const [accepted, setAccepted] = useState(false);
    const [model, setModel] = useState(NO_MODEL);
    const [tried, setTried] = useState(false);
    const add = useCommand("base_add");
    const models = modelOptions(catalog);
    const name = ownName ?? nameFrom(stem(url));
    const wrong = {
        url: addressProblem(url),
        name: nameProblem(name),
        accepted: accepted ? undefined : "Read the publisher’s terms and confirm that you may keep a copy.",
    };
    const submit = (event: FormEvent) => {
        event.preventDefault();
        setTried(true);
        if (Object.values(wrong).every((each) => each === undefined))
            void add.run({ name: url.trim(), base: name, accepted, model });
    };
    return (
        <form onSubmit={submit} className="max-w-[42rem] space-y-4 pb-2">
            <p className="text-ui text-ink-2">
                A document or page at an https address. Its paragraphs have the authority “Web”: background, never a
                standard.
            </p>
            <TextField
                label="Address"
                value={url}
                onChange={setUrl}
                mono
                placeholder="https://example.org/manual.pdf"
                error={tried ? wrong.url : undefined}
            />
            <div className="grid gap-4 sm:grid-cols-2">
                <TextField
                    label="Knowledge base name"
                    value={name}
                    onChange={setName}
                    mono
                    error={tried || ownName !== undefined ? wrong.name : undefined}
                    hint="Used in files and commands."
                />
                {models.length > 1 && (
                    <Select label="Embedding model" showLabel value={model} onChange={setModel} options={models} />
                )}
            </div>
            <div>
                <Checkbox
                    label="I may keep a copy of this text"
                    hint="The licence is unknown; check the publisher’s terms."
                    checked={accepted}
                    onChange={setAccepted}
                />
                {tried && wrong.accepted !== undefined && (
                    <p role="alert" className="mt-1 text-small text-failed">
                        {wrong.accepted}
                    </p>
                )}
            </div>
            <Button
                type="submit"
                variant="primary"
                icon={<Download size={16} strokeWidth={1.5} />}
                disabled={add.pending}
            >
                {add.pending ? "Starting…" : "Download"}
            </Button>
            {add.problem !== undefined && (
                <p role="alert" className="text-ui text-failed">
                    {problemText(add.problem, "The download did not start")}
                </p>
            )}
            <JobRows of={name} kinds={["download"]} done className="mb-0" />
        </form>
    );
}

function addressProblem(url: string): string | undefined {
    if (url.trim() === "") return "Enter an address.";
    const parsed = URL.canParse(url.trim()) ? new URL(url.trim()) : undefined;
    if (parsed === undefined) return "Enter an address that starts with https://.";
    if (parsed.protocol !== "https:" && !/^(127\.0\.0\.1|localhost|\[::1\])$/.test(parsed.hostname))
        return "Only https:// addresses can be downloaded.";
    return parsed.username !== "" || parsed.password !== "" ? "The address must not contain a password." : undefined;
}

/** The last part of an address without its ending. */
function stem(url: string): string {
    const path = URL.canParse(url.trim()) ? new URL(url.trim()).pathname : "";
    return (path.split("/").filter(Boolean).pop() ?? "").replace(/\.[a-z0-9]{1,5}$/i, "");
}
