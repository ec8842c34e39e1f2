// What a turn did to files: each change, and taking it back. What something else changed since is only put back on purpose.

import { useState } from "react";

import {
    skip,
    useCommand,
    useQuery,
    type ChangedFile,
    type FileTexts,
    type TurnChanges,
    type TurnStep,
} from "@/backend";
import { Button, DiffView, Fold, Skeleton, InlineCode, count, cx, sentence, problemText } from "@/shared";

/** The files that a turn's steps tell of. */
export function changedIn(steps: readonly TurnStep[]): string[] {
    const paths = steps.flatMap((step) =>
        step.kind === "tool" ? step.show.flatMap((show) => (show.show === "change" ? [show.path] : [])) : [],
    );
    return [...new Set(paths)];
}

/** Whether it can be put back without a word more. */
const isReady = (file: ChangedFile) => file.standing === "ready";

export function ChangedFiles({ run, steps }: { run: string; steps: readonly TurnStep[] }) {
    const told = changedIn(steps).length;
    const [open, setOpen] = useState(false);
    const { data, problem } = useQuery("turn_changes", open ? { run } : skip);
    const undo = useCommand("turn_undo");
    const [result, setResult] = useState<{ text: string; undone: boolean } | undefined>();
    if (told === 0) return null;
    const put = async (redo: boolean, paths: string[], force: boolean) => {
        setResult(undefined);
        const { value } = await undo.run({ run, paths, redo, force });
        if (value !== undefined)
            setResult({
                text: resultOf(value, redo),
                undone: value.files.every((file) => file.undone || file.standing === "nothing"),
            });
    };
    const files = data?.files ?? [];
    const back = files.filter((file) => isReady(file) && !file.undone);
    const again = files.filter((file) => isReady(file) && file.undone);
    const undone =
        data === undefined ? result?.undone === true : files.length > 0 && files.every((file) => file.undone);
    return (
        <Fold
            open={open}
            onToggle={setOpen}
            label={<span className="tabular">{`${count(told, "file")} changed${undone ? ", undone" : ""}`}</span>}
            className="max-w-[47.5rem]"
        >
            {open && (
                <section aria-label="Changed files" className="flex flex-col gap-1 pt-1 pb-1 pl-[18px]">
                    {data === undefined && problem === undefined && <Skeleton lines={2} className="max-w-80" />}
                    {data === undefined && problem !== undefined && (
                        <p className="text-small text-failed">{problemText(problem)}</p>
                    )}
                    <ul className="flex flex-col">
                        {files.map((file) => (
                            <FileRow
                                key={file.path}
                                run={run}
                                file={file}
                                pending={undo.pending}
                                onPut={(force) => void put(file.undone, [file.path], force)}
                            />
                        ))}
                    </ul>
                    {data?.notes.map((note, index) => (
                        <p key={index} className="text-small text-ink-2">
                            <InlineCode text={note} />
                        </p>
                    ))}
                    <div className="flex flex-wrap items-center gap-2">
                        {back.length > 0 && (
                            <Button
                                size="small"
                                disabled={undo.pending}
                                onClick={() =>
                                    void put(
                                        false,
                                        back.map((file) => file.path),
                                        false,
                                    )
                                }
                            >
                                Undo changes
                            </Button>
                        )}
                        {again.length > 0 && (
                            <Button
                                size="small"
                                disabled={undo.pending}
                                onClick={() =>
                                    void put(
                                        true,
                                        again.map((file) => file.path),
                                        false,
                                    )
                                }
                            >
                                Redo
                            </Button>
                        )}
                        {result !== undefined && (
                            <p role="status" className="text-small text-ink-2">
                                {result.text}
                            </p>
                        )}
                        {undo.problem !== undefined && (
                            <p role="alert" className="text-small text-failed">
                                {problemText(undo.problem)}
                            </p>
                        )}
                    </div>
                </section>
            )}
        </Fold>
    );
}

const CHANGES = { created: "created", changed: "changed", removed: "removed" } as const;

/** "3 files are as they were. 1 was left as it is." */
export function resultOf(changes: TurnChanges, redo: boolean): string {
    const done = changes.files.filter((file) => file.done === true).length;
    const left = changes.files.filter((file) => file.done === false);
    const said =
        done === 0
            ? "Nothing was changed."
            : `${count(done, "file")} ${done === 1 ? "is" : "are"} ${redo ? "as the turn left" : "as before the turn"}${redo ? (done === 1 ? " it." : " them.") : "."}`;
    if (left.length === 0) return said;
    const [first] = left;
    return `${said} ${count(left.length, "file")} ${left.length === 1 ? "was" : "were"} left${first !== undefined && first.note !== "" ? `: ${first.note}.` : "."}`;
}

function FileRow({
    run,
    file,
    pending,
    onPut,
}: {
    run: string;
    file: ChangedFile;
    pending: boolean;
    onPut: (force: boolean) => void;
}) {
    const [open, setOpen] = useState(false);
    const verb = file.undone ? "Redo" : "Undo";
    return (
        <li>
            <div className="flex min-h-7 min-w-0 items-start gap-2">
                <Fold
                    open={open}
                    onToggle={setOpen}
                    className="min-w-0 flex-1"
                    label={
                        <span className="flex min-w-0 items-baseline gap-2">
                            <span className="min-w-0 truncate font-mono text-code text-ink" title={file.path}>
                                {file.shown}
                            </span>
                            <span className="shrink-0 text-ink-3">{file.undone ? "undone" : CHANGES[file.did]}</span>
                        </span>
                    }
                >
                    {open && <Texts run={run} file={file} />}
                </Fold>
                {isReady(file) && (
                    <Button
                        size="small"
                        variant="quiet"
                        disabled={pending}
                        aria-label={`${verb}: ${file.shown}`}
                        onClick={() => onPut(false)}
                    >
                        {verb}
                    </Button>
                )}
            </div>
            {file.note !== "" && (
                <p
                    className={cx(
                        "pl-[18px] text-small break-words",
                        file.standing === "changed_since" ? "text-ink" : "text-ink-2",
                    )}
                >
                    {sentence(file.note)}.
                </p>
            )}
            {open && file.standing === "changed_since" && (
                <div className="flex flex-wrap items-center gap-2 pt-1 pb-1 pl-[18px]">
                    <Button size="small" disabled={pending} onClick={() => onPut(true)}>
                        {verb} anyway
                    </Button>
                    <span className="text-small text-ink-3">The current content is kept and can be restored.</span>
                </div>
            )}
        </li>
    );
}

function Texts({ run, file }: { run: string; file: ChangedFile }) {
    const { data, problem } = useQuery("turn_changes", file.standing === "not_kept" ? skip : { run, path: file.path });
    const texts = data?.files[0]?.texts;
    if (file.standing === "not_kept") return null;
    if (problem !== undefined && data === undefined)
        return <p className="pl-[18px] text-small text-failed">{problemText(problem)}</p>;
    if (texts === undefined || texts === null) return <Skeleton lines={2} className="max-w-80" />;
    if (texts.binary === true) return <p className="pl-[18px] text-small text-ink-2">Binary file: no preview.</p>;
    const [before, after] = sides(file, texts);
    return (
        <div className="pt-0.5 pb-1">
            {file.standing === "changed_since" && (
                <p className="pb-0.5 text-small text-ink-2">Changes if you {file.undone ? "redo" : "undo"} now:</p>
            )}
            <DiffView path={file.shown} before={before} after={after} />
        </div>
    );
}

/** The turn's own change reads forwards, whether it is undone or not; in the way of something else, what would be done. */
function sides(file: ChangedFile, texts: FileTexts): [string | null, string | null] {
    const [now, back] = [texts.now ?? null, texts.back ?? null];
    return file.undone || file.standing === "changed_since" ? [now, back] : [back, now];
}
