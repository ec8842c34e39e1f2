import { useRef, useState, type KeyboardEvent } from "react";

import { useCommand, useEvents, useQuery, type ImportDone, type ImportView, type JobState } from "@/backend";
import { Button, Checkbox, Dialog, ErrorCard, ProgressBar, TextField, count, navigate } from "@/shared";

import { ReportView } from "./ReportView";

export default function ImportDialog({ onClose }: { onClose: () => void }) {
    const [path, setPath] = useState("");
    const [seen, setSeen] = useState<ImportView | undefined>();
    const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
    const [secrets, setSecrets] = useState(false);
    const [replace, setReplace] = useState(false);
    const [job, setJob] = useState<JobState | undefined>();
    const [done, setDone] = useState<ImportDone | undefined>();
    const places = useQuery("import_places", null);
    const inspect = useCommand("import_inspect");
    const begin = useCommand("import_run");
    const show = useCommand("import_show");
    const cancel = useCommand("job_cancel");
    /** What was told of jobs: a short one may be over before its beginning is answered. */
    const told = useRef(new Map<string, JobState>());
    const ended = async (state: JobState) => {
        setJob(state);
        if (state.status === "running") return;
        const { value } = await show.run({ job: state.job });
        if (value !== undefined) setDone(value);
    };
    useEvents((events) => {
        for (const event of events) {
            if (event.event !== "job") continue;
            told.current.set(event.value.job, event.value);
            if (event.value.job === job?.job) void ended(event.value);
        }
    });
    const look = async (at: string) => {
        setReplace(false);
        const { value } = await inspect.run({ path: at });
        setSeen(value);
        setChosen(new Set(value?.workspaces.map((workspace) => workspace.slug)));
    };
    /** What is chosen stays; the report is that of the other choice. */
    const lookAgain = async (replacing: boolean) => {
        setReplace(replacing);
        const { value } = await inspect.run({ path: path.trim(), ...(replacing && { replaceBuiltIn: true }) });
        if (value !== undefined) setSeen(value);
    };
    const bring = async () => {
        const { value } = await begin.run({
            path: path.trim(),
            workspaces: seen !== undefined && chosen.size < seen.workspaces.length ? [...chosen] : [],
            takeSecrets: secrets,
            ...(replace && { replaceBuiltIn: true }),
        });
        if (value !== undefined) void ended(told.current.get(value.job) ?? value);
    };
    const taken =
        seen === undefined
            ? 0
            : seen.workspaces.length === 0
              ? seen.sessions
              : seen.workspaces.reduce(
                    (sum, workspace) => sum + (chosen.has(workspace.slug) ? workspace.sessions : 0),
                    0,
                );
    /** Agents, sources and themes may come without any session. */
    const nothing =
        taken === 0 &&
        (seen === undefined ||
            seen.workspaces.length === 0 ||
            chosen.size === 0 ||
            Object.values(seen.report.counts).every((counts) => counts.kept + counts.changed === 0));
    const sameNames = seen?.sameAsBuiltIn ?? [];
    const onKeyDown = (event: KeyboardEvent) => {
        if (
            event.key !== "Enter" ||
            event.nativeEvent.isComposing ||
            path.trim() === "" ||
            inspect.pending ||
            seen !== undefined
        )
            return;
        event.preventDefault();
        void look(path.trim());
    };
    const running = job?.status === "running";
    const problem = inspect.problem ?? begin.problem ?? show.problem ?? done?.problem ?? undefined;
    return (
        <Dialog
            open
            width="large"
            onOpenChange={(open) => !open && onClose()}
            title="Import sessions"
            description="Import a bundle, a session exported as JSON Lines, Craft Agent’s folder, an export of ChatGPT or Claude, or the folder of Claude Code or Codex. You see a preview before anything is written."
            footer={
                done !== undefined ? (
                    <>
                        {done.sessions[0] !== undefined && (
                            <Button
                                onClick={() => {
                                    navigate(`/session/${done.sessions[0] ?? ""}`);
                                    onClose();
                                }}
                            >
                                Open first session
                            </Button>
                        )}
                        <Button variant="primary" onClick={onClose}>
                            Done
                        </Button>
                    </>
                ) : running ? (
                    <Button onClick={() => void cancel.run({ job: job.job })}>Stop</Button>
                ) : (
                    <>
                        <Button onClick={onClose}>Cancel</Button>
                        {seen === undefined ? (
                            <Button
                                variant="primary"
                                disabled={path.trim() === "" || inspect.pending}
                                onClick={() => void look(path.trim())}
                            >
                                {inspect.pending ? "Loading…" : "Preview"}
                            </Button>
                        ) : (
                            <Button
                                variant="primary"
                                disabled={begin.pending || inspect.pending || nothing}
                                onClick={() => void bring()}
                            >
                                {taken > 0 || nothing ? `Import ${count(taken, "session")}` : "Import"}
                            </Button>
                        )}
                    </>
                )
            }
        >
            <TextField
                label="File or folder"
                hint="An absolute path, such as /home/eva/.craft-agent"
                value={path}
                disabled={running || done !== undefined}
                onChange={(text) => {
                    setPath(text);
                    setSeen(undefined);
                }}
                onKeyDown={onKeyDown}
                mono
            />
            {seen === undefined && done === undefined && !running && (places.data ?? []).length > 0 && (
                <ul className="mt-2 flex flex-wrap gap-2" aria-label="Found on this machine">
                    {places.data?.map((place) => (
                        <li key={place.path}>
                            <Button
                                disabled={inspect.pending}
                                title={place.path}
                                onClick={() => {
                                    setPath(place.path);
                                    void look(place.path);
                                }}
                            >
                                {place.program}: {count(place.sessions, "session")}
                            </Button>
                        </li>
                    ))}
                </ul>
            )}
            {problem !== undefined && problem !== null && (
                <ErrorCard className="mt-3" title="The import failed" advice={problem.action ?? undefined}>
                    {problem.message}
                </ErrorCard>
            )}
            {seen !== undefined && done === undefined && !running && (
                <>
                    <p className="mt-3 text-ui">
                        {count(seen.sessions, "session")} with {count(seen.messages, "message")}
                        {seen.known > 0 && `, ${seen.known} already imported`}
                        {seen.program !== undefined && seen.program !== null && ` (${seen.program})`}
                    </p>
                    {seen.workspaces.map((workspace) => (
                        <Checkbox
                            key={workspace.slug}
                            className="mt-1"
                            label={`${workspace.name}: ${count(workspace.sessions, "session")}`}
                            checked={chosen.has(workspace.slug)}
                            onChange={(checked) => {
                                const next = new Set(chosen);
                                if (checked) next.add(workspace.slug);
                                else next.delete(workspace.slug);
                                setChosen(next);
                            }}
                        />
                    ))}
                    {seen.secrets.length > 0 && (
                        <Checkbox
                            className="mt-2"
                            label={`Move ${count(seen.secrets.length, "plain-text secret")} to the vault`}
                            hint={seen.secrets.join(", ")}
                            checked={secrets}
                            onChange={setSecrets}
                        />
                    )}
                    {sameNames.length > 0 && (
                        <Checkbox
                            className="mt-2"
                            label="Replace built-in agents, sources and skills of the same name"
                            hint={`${sameNames.join(", ")}. Otherwise both are kept, the imported ones under another name.`}
                            checked={replace}
                            onChange={(replacing) => void lookAgain(replacing)}
                        />
                    )}
                    <ReportView report={seen.report} />
                </>
            )}
            {running && (
                <div className="mt-3">
                    <p className="mb-2 text-small text-ink-2">
                        The import continues if you close this dialog. Imported sessions appear in the lists.
                    </p>
                    <ProgressBar
                        label={job.text}
                        value={job.total > 0 ? job.done / job.total : undefined}
                        text={job.total > 0 ? `${job.done} of ${job.total}` : undefined}
                    />
                </div>
            )}
            {done !== undefined && (
                <>
                    <p className="mt-3 text-ui" role="status">
                        {count(done.imported, "session")} with {count(done.messages, "message")} imported
                        {done.known > 0 && `, ${done.known} were already imported`}
                        {(done.renewed ?? 0) > 0 && `, ${done.renewed} of them renewed`}.
                    </p>
                    {done.imported + done.known === 0 && (done.report.counts.session?.leftOut ?? 0) > 0 && (
                        <ErrorCard className="mt-3" title="Every session was left out">
                            The report says why for each.
                        </ErrorCard>
                    )}
                    <ReportView report={done.report} />
                </>
            )}
        </Dialog>
    );
}
