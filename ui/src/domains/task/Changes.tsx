// The changes of an attempt, with comments on their lines.

import { MessageSquarePlus, Undo2 } from "lucide-react";
import { useState } from "react";

import {
    useCommand,
    useQuery,
    type Attempt,
    type DiffLine,
    type DiffScope,
    type FileDiff,
    type PlacedComment,
    type Side,
} from "@/backend";
import {
    AsyncBoundary,
    Badge,
    Button,
    Coloured,
    CopyButton,
    IconButton,
    Section,
    Select,
    TextArea,
    confirm,
    count,
    cx,
    languageOf,
    toastProblem,
} from "@/shared";

import { RunDialog } from "./RunDialog";
import { isThere } from "./labels";

type Scope = Extract<DiffScope, string>;

const SCOPES: { value: Scope; label: string }[] = [
    { value: "base", label: "Since the base" },
    { value: "uncommitted", label: "Not committed" },
    { value: "last", label: "Since the last save point" },
];

export interface ChangesProps {
    task: string;
    attempt: Attempt;
    open: boolean;
    /** Whether a run works on the attempt or waits in it. */
    busy: boolean;
}

export function Changes({ task, attempt, open, busy }: ChangesProps) {
    const [starting, setStarting] = useState(false);
    const [scope, setScope] = useState<Scope>("base");
    const of = { task, attempt: attempt.number };
    const diff = useQuery("task_diff", { ...of, scope, paths: [], no_hunks: false });
    const comments = useQuery("task_comments", of);
    const set = useCommand("task_comment_set");
    const placed = comments.data?.comments ?? [];
    const waiting = placed.filter((one) => one.state === "open");
    const mark = async (numbers: number[], state: "sent" | "resolved") => {
        const { problem } = await set.run({ attempt: of, numbers, state });
        if (problem !== undefined) toastProblem(problem, undefined, () => void mark(numbers, state));
    };
    return (
        <Section title="Changes">
            <div className="mb-3 flex flex-wrap items-center gap-2">
                <Select label="Changes shown" value={scope} options={SCOPES} onChange={setScope} />
                {open && attempt.state === "open" && (
                    <Button
                        size="small"
                        variant={waiting.length > 0 ? "primary" : undefined}
                        disabled={busy}
                        title={busy ? "A run works on this attempt: wait for its end, or stop it." : undefined}
                        onClick={() => setStarting(true)}
                    >
                        {waiting.length > 0
                            ? `Send ${count(waiting.length, "comment")} to the agent`
                            : "Go on with an agent"}
                    </Button>
                )}
                {starting && <RunDialog {...of} comments={waiting.length} onClose={() => setStarting(false)} />}
                {waiting.length > 0 && (
                    <>
                        <CopyButton text={comments.data?.message ?? ""} label="Copy all open comments as one message" />
                        <Button
                            size="small"
                            disabled={set.pending}
                            onClick={() =>
                                void mark(
                                    waiting.map(({ number }) => number),
                                    "sent",
                                )
                            }
                        >
                            Mark {waiting.length} as sent
                        </Button>
                    </>
                )}
            </div>
            <AsyncBoundary of={diff} what="the changes">
                {({ files, more_files }) => (
                    <>
                        {files.length === 0 && <p className="text-ui text-ink-2">Nothing has changed.</p>}
                        {files.map((file) => (
                            <File
                                key={file.path}
                                file={file}
                                of={of}
                                scope={scope}
                                open={open && attempt.state === "open"}
                                comments={placed.filter(({ place }) => place.path === file.path)}
                                onResolve={(number) => void mark([number], "resolved")}
                            />
                        ))}
                        {(more_files ?? 0) > 0 && <p className="text-ui text-ink-2">And {more_files} more files.</p>}
                        <Elsewhere
                            comments={placed.filter(
                                ({ place, state }) =>
                                    state !== "resolved" && !files.some(({ path }) => path === place.path),
                            )}
                            onResolve={(number) => void mark([number], "resolved")}
                        />
                    </>
                )}
            </AsyncBoundary>
        </Section>
    );
}

interface FileProps {
    file: FileDiff;
    of: { task: string; attempt: number };
    scope: Scope;
    open: boolean;
    comments: readonly PlacedComment[];
    onResolve: (number: number) => void;
}

function File({ file, of, scope, open, comments, onResolve }: FileProps) {
    const revert = useCommand("task_revert");
    const put = async () => {
        const sure = await confirm({
            title: `Put ${file.path} back?`,
            body: "Its present content is saved first. Undo restores it.",
            confirmLabel: "Put back",
        });
        if (!sure) return;
        const { problem } = await revert.run({ attempt: of, scope, paths: [file.path] });
        if (problem !== undefined) toastProblem(problem, `${file.path} was not put back`);
    };
    const mode = !isThere(file.new_mode) ? "" : `mode ${file.old_mode ?? ""} → ${file.new_mode}`;
    const remarks = [
        file.change === "modified" ? "" : file.change.replace("_", " "),
        !isThere(file.old_path) ? "" : `from ${file.old_path}`,
        mode,
        file.kind === "text" ? "" : file.kind,
        file.too_large === true ? "too large to show" : "",
    ].filter((word) => word !== "");
    return (
        <figure
            aria-label={`Changes of ${file.path}`}
            className="mb-4 min-w-0 overflow-hidden rounded-control border border-hairline bg-surface"
        >
            <figcaption className="flex min-h-8 items-center gap-2 border-b border-hairline bg-sunken py-0.5 pr-1 pl-3 text-small">
                <span className="min-w-0 flex-1 truncate font-mono text-code" title={file.path}>
                    {file.path}
                </span>
                {remarks.length > 0 && <span className="text-ink-3">{remarks.join(", ")}</span>}
                <span className="tabular shrink-0 text-done">+{file.additions}</span>
                <span className="tabular shrink-0 text-failed">−{file.deletions}</span>
                {open && (
                    <IconButton
                        size="small"
                        label={`Put ${file.path} back`}
                        icon={<Undo2 size={14} strokeWidth={1.5} />}
                        disabled={revert.pending}
                        onClick={() => void put()}
                    />
                )}
            </figcaption>
            <div
                tabIndex={0}
                role="group"
                aria-label="Changed lines"
                className="ring-inside max-h-[36rem] overflow-auto"
            >
                {file.hunks.map((hunk, index) => (
                    <div key={index}>
                        <div className="border-y border-hairline bg-sunken px-3 py-0.5 text-small text-ink-3">
                            Line {hunk.new_start} {hunk.heading ?? ""}
                        </div>
                        {hunk.lines.map((line, at) => (
                            <Line
                                key={at}
                                line={line}
                                path={file.path}
                                oldPath={file.old_path ?? file.path}
                                of={of}
                                comments={comments.filter((one) => isOn(one, line))}
                                canComment={scope === "base" || isThere(line.new)}
                                onResolve={onResolve}
                            />
                        ))}
                    </div>
                ))}
            </div>
        </figure>
    );
}

function isOn({ anchor, place }: PlacedComment, line: DiffLine): boolean {
    return anchor.side === "old"
        ? !isThere(line.new) && line.old === place.line
        : isThere(line.new) && line.new === place.line;
}

const TONES = { context: "", added: "bg-done-soft", removed: "bg-failed-soft" };
const SIGNS = { context: " ", added: "+", removed: "−" };

interface LineProps {
    line: DiffLine;
    path: string;
    oldPath: string;
    of: { task: string; attempt: number };
    comments: readonly PlacedComment[];
    canComment: boolean;
    onResolve: (number: number) => void;
}

function Line({ line, path, oldPath, of, comments, canComment, onResolve }: LineProps) {
    const [writing, setWriting] = useState(false);
    const number = line.new ?? line.old ?? 0;
    const side: Side = !isThere(line.new) ? "old" : "new";
    return (
        <>
            <div className={cx("group flex items-start font-mono text-code", TONES[line.kind])}>
                {canComment ? (
                    <button
                        type="button"
                        aria-label={`Comment on ${side === "old" ? "removed line" : "line"} ${number}`}
                        onClick={() => setWriting(true)}
                        className="ring-inside inline-flex w-14 shrink-0 items-center justify-end gap-1 pr-2 text-right text-ink-3 select-none"
                    >
                        <MessageSquarePlus
                            size={12}
                            strokeWidth={1.5}
                            aria-hidden
                            className="opacity-0 group-focus-within:opacity-100 group-hover:opacity-100"
                        />
                        {number}
                    </button>
                ) : (
                    <span className="w-14 shrink-0 pr-2 text-right text-ink-3 select-none">{number}</span>
                )}
                <span aria-hidden className="w-4 shrink-0 select-none">
                    {SIGNS[line.kind]}
                </span>
                <span className="min-w-0 flex-1 pr-3 break-all whitespace-pre-wrap">
                    <Coloured code={line.text} language={languageOf(path)} />
                </span>
            </div>
            {comments.map((one) => (
                <Remark key={one.number} one={one} onResolve={onResolve} />
            ))}
            {writing && (
                <NewComment
                    add={{ ...of, path: side === "old" ? oldPath : path, side, line: number }}
                    onDone={() => setWriting(false)}
                />
            )}
        </>
    );
}

function NewComment({
    add,
    onDone,
}: {
    add: { task: string; attempt: number; path: string; side: Side; line: number };
    onDone: () => void;
}) {
    const comment = useCommand("task_comment");
    const [text, setText] = useState("");
    const send = async () => {
        if (text.trim() === "") return;
        const { problem } = await comment.run({ ...add, text });
        if (problem === undefined) onDone();
        // The text is still there, perhaps changed by then: its own button sends it again.
        else toastProblem(problem, "The comment was not added");
    };
    return (
        <div className="border-y border-hairline bg-surface p-2">
            <TextArea
                label={`Comment on line ${add.line}`}
                value={text}
                onChange={setText}
                autoFocus
                onKeyDown={(event) => {
                    if (event.key === "Escape") onDone();
                    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void send();
                }}
            />
            <div className="mt-2 flex gap-2">
                <Button
                    size="small"
                    variant="primary"
                    disabled={comment.pending || text.trim() === ""}
                    onClick={() => void send()}
                >
                    Comment
                </Button>
                <Button size="small" onClick={onDone}>
                    Cancel
                </Button>
            </div>
        </div>
    );
}

const PLACEMENTS = { same: "", moved: "", changed: "The line has changed since.", gone: "The line is gone." };

function Remark({ one, onResolve }: { one: PlacedComment; onResolve: (number: number) => void }) {
    return (
        <div className="flex items-start gap-2 border-y border-hairline bg-surface px-3 py-2 text-ui">
            <p className="min-w-0 flex-1 break-words whitespace-pre-wrap">
                {one.text} <span className="text-small text-ink-3">{PLACEMENTS[one.place.placement]}</span>
            </p>
            {one.state !== "open" && <Badge>{one.state === "sent" ? "Sent" : "Settled"}</Badge>}
            {one.state !== "resolved" && (
                <Button size="small" variant="quiet" onClick={() => onResolve(one.number)}>
                    Settle
                </Button>
            )}
        </div>
    );
}

/** Comments whose files are not among the changes that are shown. */
function Elsewhere({
    comments,
    onResolve,
}: {
    comments: readonly PlacedComment[];
    onResolve: (number: number) => void;
}) {
    if (comments.length === 0) return null;
    return (
        <section aria-label="Comments on other files" className="text-ui">
            {comments.map((one) => (
                <div key={one.number}>
                    <p className="font-mono text-code text-ink-3">
                        {one.place.path}:{one.place.line ?? one.anchor.line}
                    </p>
                    <Remark one={one} onResolve={onResolve} />
                </div>
            ))}
        </section>
    );
}
