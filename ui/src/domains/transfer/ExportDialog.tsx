import { useState } from "react";

import { shell, skip, useCommand, useQuery, type TransferFormat } from "@/backend";
import { Button, Checkbox, Dialog, ErrorCard, Select, Switch, TextField, Waiting, count, toast } from "@/shared";

import { Findings } from "./Findings";

const FORMS: { value: TransferFormat; label: string; hint: string }[] = [
    { value: "html", label: "Page (HTML)", hint: "One file that opens anywhere and prints well" },
    { value: "markdown", label: "Markdown", hint: "Text for other programs" },
    { value: "jsonl", label: "Lines of JSON", hint: "Every message; can be imported again" },
    { value: "bundle", label: "Bundle", hint: "Exactly as stored, for this program on another machine" },
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
        const { value } = await write.run({ sessions: [...sessions], format, redact: cleans, keep: [...keep], unchecked, workspaceFiles: whole && files, path: path.trim() === "" ? null : path.trim() });
        if (value === undefined) return;
        const desktop = shell();
        const action = desktop === undefined ? undefined : { label: "Show", onSelect: () => void desktop.openPath(value.path) };
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
            <Select label="Form" showLabel value={format} options={FORMS} onChange={setFormat} />
            <div className="mt-3">
                <TextField label={sessions.length === 1 || whole ? "File" : "Folder"} hint="A full path; empty for the data folder. Nothing is written over." value={path} onChange={setPath} onKeyDown={(event) => event.key === "Enter" && !event.nativeEvent.isComposing && ready && void begin()} mono />
            </div>
            {whole ? (
                <>
                    <p className="mt-3 text-ui text-ink-2">A bundle holds everything as it is stored, so that it can be verified. Nothing is taken out of it.</p>
                    <Checkbox className="mt-2" label="With the workspace's agents, sources, skills, statuses, labels and views" checked={files} onChange={setFiles} />
                </>
            ) : (
                <>
                    <Switch className="mt-3" label="Take out what looks private" checked={redact} onChange={setRedact} />
                    <Checkbox className="mt-2" label="Do not check documents again" hint="They stand as they were checked when they were made; the file says so." checked={unchecked} onChange={setUnchecked} />
                </>
            )}
            {cleans && preview.data === undefined && preview.problem === undefined && <Waiting what="Looking through what was said" />}
            {cleans && preview.problem !== undefined && <ErrorCard className="mt-3" title="It was not exported" advice={preview.problem.action ?? undefined}>{preview.problem.message}</ErrorCard>}
            {cleans && preview.data !== undefined && <Findings preview={preview.data} keep={keep} onKeep={setKeep} />}
            {write.problem !== undefined && <ErrorCard className="mt-3" title="It was not exported" advice={write.problem.action ?? undefined}>{write.problem.message}</ErrorCard>}
        </Dialog>
    );
}
