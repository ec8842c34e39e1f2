import { useState } from "react";

import { shell, skip, useCommand, useQuery, type TransferFormat } from "@/backend";
import { Button, Checkbox, Dialog, ErrorCard, Select, Switch, TextField, Waiting, count, toast } from "@/shared";

import { Findings } from "./Findings";

const FORMS: { value: TransferFormat; label: string; hint: string }[] = [
    { value: "html", label: "Web page (HTML)", hint: "One file that opens anywhere and prints well" },
    { value: "markdown", label: "Markdown", hint: "Text for other programs" },
    { value: "jsonl", label: "JSON Lines", hint: "All messages; can be imported again" },
    { value: "bundle", label: "Bundle", hint: "An exact copy, for this program on another machine" },
];

export default function ExportDialog({ sessions, onClose }: { sessions: readonly string[]; onClose: () => void }) {
    const [format, setFormat] = useState<TransferFormat>("html");
    const [redact, setRedact] = useState(true);
    const [unchecked, setUnchecked] = useState(false);
    const [files, setFiles] = useState(false);
    const [path, setPath] = useState("");
    const [keep, setKeep] = useState<ReadonlySet<string>>(new Set());
    const whole = format === "bundle";
    const cleans = redact && !whole;
    const preview = useQuery("export_preview", cleans ? { sessions: [...sessions], format: "html" } : skip);
    const write = useCommand("export_write");
    const ready = !write.pending && (!cleans || preview.data !== undefined);
    const begin = async () => {
        const { value } = await write.run({
            sessions: [...sessions],
            format,
            redact: cleans,
            keep: [...keep],
            unchecked,
            workspaceFiles: whole && files,
            path: path.trim() === "" ? null : path.trim(),
        });
        if (value === undefined) return;
        const desktop = shell();
        const action =
            desktop === undefined ? undefined : { label: "Show", onSelect: () => void desktop.openPath(value.path) };
        toast({ text: `Exported to ${value.path}`, action });
        onClose();
    };
    return (
        <Dialog
            open
            onOpenChange={(open) => !open && onClose()}
            title={sessions.length === 1 ? "Export session" : `Export ${count(sessions.length, "session")}`}
            footer={
                <>
                    <Button onClick={onClose}>Cancel</Button>
                    <Button variant="primary" disabled={!ready} onClick={() => void begin()}>
                        {write.pending ? "Exporting…" : "Export"}
                    </Button>
                </>
            }
        >
            <Select label="Format" showLabel value={format} options={FORMS} onChange={setFormat} />
            <div className="mt-3">
                <TextField
                    label={sessions.length === 1 || whole ? "File" : "Folder"}
                    hint="An absolute path. Leave empty for the data folder. Existing files are not overwritten."
                    value={path}
                    onChange={setPath}
                    onKeyDown={(event) =>
                        event.key === "Enter" && !event.nativeEvent.isComposing && ready && void begin()
                    }
                    mono
                />
            </div>
            {whole ? (
                <>
                    <p className="mt-3 text-ui text-ink-2">
                        A bundle contains all stored data, so that it can be verified. Nothing is redacted.
                    </p>
                    <Checkbox
                        className="mt-2"
                        label="Include the workspace’s agents, sources, skills, statuses, labels and views"
                        checked={files}
                        onChange={setFiles}
                    />
                </>
            ) : (
                <>
                    <Switch className="mt-3" label="Redact private data" checked={redact} onChange={setRedact} />
                    <Checkbox
                        className="mt-2"
                        label="Skip checking documents again"
                        hint="Documents keep their original check results; the file says so."
                        checked={unchecked}
                        onChange={setUnchecked}
                    />
                </>
            )}
            {cleans && preview.data === undefined && preview.problem === undefined && (
                <Waiting what="Looking for private data" />
            )}
            {cleans && preview.problem !== undefined && (
                <ErrorCard className="mt-3" title="The export failed" advice={preview.problem.action ?? undefined}>
                    {preview.problem.message}
                </ErrorCard>
            )}
            {cleans && preview.data !== undefined && <Findings preview={preview.data} keep={keep} onKeep={setKeep} />}
            {write.problem !== undefined && (
                <ErrorCard className="mt-3" title="The export failed" advice={write.problem.action ?? undefined}>
                    {write.problem.message}
                </ErrorCard>
            )}
        </Dialog>
    );
}
