import { FilePlus, FolderPlus } from "lucide-react";
import { useId, useState, type FormEvent } from "react";

import { shell, toProblem, useCommand, useQuery } from "@/backend";
import { Button, Dialog, Select, TextArea, TextField } from "@/shared";

import { citationProblem, exampleCitation, nameFrom, nameProblem, pathsIn, pathsProblem, stemOf } from "./name";
import { TIERS } from "./tiers";

export interface IngestSeed {
    /** Files and folders that are known already: dropped ones. */
    paths?: string[];
    /** A base that gets a new generation. */
    base?: { name: string; title: string; tier: string; citation: string };
}

/** Asks which files become a base, and as what. */
export function IngestDialog({ seed, onClose }: { seed: IngestSeed | undefined; onClose: () => void }) {
    if (seed === undefined) return null;
    return <Form key={(seed.paths ?? []).join("\n") + (seed.base?.name ?? "")} seed={seed} onClose={onClose} />;
}

function Form({ seed, onClose }: { seed: IngestSeed; onClose: () => void }) {
    const form = useId();
    const desktop = shell();
    const known = useQuery("base_list", null).data ?? [];
    const ingest = useCommand("base_ingest");
    const [paths, setPaths] = useState((seed.paths ?? []).join("\n"));
    const [title, setTitle] = useState(seed.base?.title ?? "");
    const [ownName, setOwnName] = useState<string | undefined>(seed.base?.name);
    const [tier, setTier] = useState(seed.base?.tier ?? "guide");
    const [citation, setCitation] = useState(seed.base?.citation ?? "");
    const [tried, setTried] = useState(false);
    const [picking, setPicking] = useState<string | undefined>();

    const list = pathsIn(paths);
    const name = ownName ?? nameFrom(title === "" ? stemOf(list[0] ?? "") : title);
    const existing = known.find((base) => base.name === name);
    const wrong = {
        paths: pathsProblem(list),
        name: nameProblem(name) ?? (existing?.shipped === true ? "A base that ships with the program has this name. Choose another one." : undefined),
        citation: citationProblem(citation),
    };
    const error = (what: keyof typeof wrong) => (tried || (what === "name" && ownName !== undefined) || (what === "citation" && citation !== "") ? wrong[what] : undefined);

    const pick = async (what: "files" | "folder") => {
        setPicking(undefined);
        try {
            const chosen = (await desktop?.pickPaths(what)) ?? [];
            if (chosen.length > 0) setPaths([...new Set([...list, ...chosen])].join("\n"));
        } catch (thrown) {
            setPicking(`The desktop's file dialog did not open: ${toProblem(thrown).message} Type or paste the path instead.`);
        }
    };
    const submit = async (event: FormEvent) => {
        event.preventDefault();
        setTried(true);
        if (Object.values(wrong).some((each) => each !== undefined)) return;
        const { problem } = await ingest.run({ base: name, title: title.trim(), tier, citation: citation.trim(), paths: list });
        if (problem === undefined) onClose();
    };
    return (
        <Dialog
            open
            onOpenChange={(open) => !open && onClose()}
            title={seed.base === undefined ? "Add documents" : `Read “${seed.base.title || seed.base.name}” again`}
            description="Markdown, plain text and JSONL files are cut into paragraphs with numbers of their own, so that answers can cite them and checks can compare. Your files are only read; nothing leaves this machine."
            footer={
                <>
                    <Button onClick={onClose}>Cancel</Button>
                    <Button type="submit" form={form} variant="primary" disabled={ingest.pending}>
                        {ingest.pending ? "Starting…" : existing === undefined ? "Read the files" : "Make a new generation"}
                    </Button>
                </>
            }
        >
            <form id={form} onSubmit={(event) => void submit(event)} className="space-y-4">
                <div>
                    <TextArea
                        label="Files and folders, one path a line"
                        value={paths}
                        onChange={setPaths}
                        minRows={2}
                        maxRows={8}
                        mono
                        autoFocus
                        placeholder="/home/eva/Documents/manual"
                        error={error("paths")}
                        hint="Folders are read with everything below them."
                    />
                    {desktop !== undefined && (
                        <div className="mt-2 flex gap-2">
                            <Button size="small" icon={<FilePlus size={14} strokeWidth={1.5} />} onClick={() => void pick("files")}>
                                Choose files…
                            </Button>
                            <Button size="small" icon={<FolderPlus size={14} strokeWidth={1.5} />} onClick={() => void pick("folder")}>
                                Choose a folder…
                            </Button>
                        </div>
                    )}
                    {picking !== undefined && <p role="alert" className="mt-1 text-small text-failed">{picking}</p>}
                </div>
                <div className="grid gap-4 sm:grid-cols-2">
                    <TextField label="Title" value={title} onChange={setTitle} placeholder={stemOf(list[0] ?? "") || "Audit manual"} hint="What people see." />
                    <TextField
                        label="Name"
                        value={name}
                        onChange={setOwnName}
                        mono
                        readOnly={seed.base !== undefined}
                        error={error("name")}
                        hint={existing !== undefined && wrong.name === undefined ? "This base exists: it gets a new generation in place of the present one." : "What files and commands call it."}
                    />
                </div>
                <div className="grid gap-4 sm:grid-cols-2">
                    <div>
                        <Select label="What kind of text it is" showLabel value={tier} onChange={setTier} options={TIERS.map((each) => ({ value: each.id, label: each.word, hint: each.means }))} />
                        <p className="mt-1 text-small text-ink-3">{TIERS.find((each) => each.id === tier)?.means}</p>
                    </div>
                    <TextField
                        label="How a paragraph is cited"
                        value={citation}
                        onChange={setCitation}
                        mono
                        placeholder="({id})"
                        error={error("citation")}
                        hint={<>The 12th of chapter 4 becomes <code className="font-mono text-code">{exampleCitation(citation)}</code></>}
                    />
                </div>
                {ingest.problem !== undefined && (
                    <p role="alert" className="text-ui text-failed">
                        The files were not read: {ingest.problem.message} {ingest.problem.action ?? ""}
                    </p>
                )}
            </form>
        </Dialog>
    );
}
