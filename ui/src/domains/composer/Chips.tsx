// Above the text: messages that wait for the turn before them, and commands that go on in the background.

import { ArrowUp, ListEnd, PencilLine, SquareTerminal, X } from "lucide-react";
import { useEffect, useState } from "react";

import { useCommand, useQuery, type QueuedMessage, type ShellRow } from "@/backend";
import {
    Button,
    CodeBlock,
    Duration,
    IconButton,
    Popover,
    Skeleton,
    StateMark,
    TextArea,
    cx,
    formatBytes,
    useElapsed,
    useNow,
    problemText,
} from "@/shared";

const icon = { size: 14, strokeWidth: 1.5 } as const;

/** `held`: nothing is under way that they would follow, so they wait for the person. */
export function QueueChips({
    session,
    queue,
    held,
}: {
    session: string;
    queue: readonly QueuedMessage[];
    held: boolean;
}) {
    const next = useCommand("queue_change");
    const [first] = queue;
    if (first === undefined) return null;
    return (
        <>
            {held && (
                <p className="mb-1.5 flex items-center gap-2 text-small text-ink-2">
                    <span className="min-w-0 flex-1">
                        Queued messages are paused because the previous turn did not complete.
                    </span>
                    <Button
                        size="small"
                        disabled={next.pending}
                        onClick={() => void next.run({ session, id: first.id, first: true })}
                    >
                        Send next
                    </Button>
                </p>
            )}
            <ul aria-label="Queued messages" className="mb-1.5 flex flex-col gap-1">
                {queue.map((each, index) => (
                    <Queued key={each.id} session={session} queued={each} first={index === 0} />
                ))}
            </ul>
        </>
    );
}

function Queued({ session, queued, first }: { session: string; queued: QueuedMessage; first: boolean }) {
    const [editing, setEditing] = useState(false);
    const [text, setText] = useState(queued.message.text);
    const change = useCommand("queue_change");
    const files = queued.message.attachments?.length ?? 0;
    const save = async () => {
        if (text.trim() === "") return;
        const { problem } = await change.run({ session, id: queued.id, text: text.trim() });
        if (problem === undefined) setEditing(false);
    };
    return (
        <li className="rounded-control border border-hairline bg-surface px-2 py-0.5 text-ui">
            {editing ? (
                <div className="py-1">
                    <TextArea
                        label="Queued message"
                        hideLabel
                        value={text}
                        onChange={setText}
                        minRows={1}
                        maxRows={8}
                        autoFocus
                        onKeyDown={(event) => {
                            if (event.nativeEvent.isComposing) return;
                            if (event.key === "Enter" && !event.shiftKey) void save();
                            else if (event.key === "Escape") setEditing(false);
                            else return;
                            event.preventDefault();
                        }}
                    />
                    <div className="mt-1 flex gap-2">
                        <Button
                            size="small"
                            variant="primary"
                            disabled={change.pending || text.trim() === ""}
                            onClick={() => void save()}
                        >
                            Keep
                        </Button>
                        <Button size="small" variant="quiet" onClick={() => setEditing(false)}>
                            Cancel
                        </Button>
                    </div>
                </div>
            ) : (
                <div className="flex min-w-0 items-center gap-1.5">
                    <ListEnd {...icon} aria-hidden className="shrink-0 text-ink-3" />
                    <span className="shrink-0 text-small text-ink-3">{first ? "Next" : "Then"}</span>
                    <span className="min-w-0 flex-1 truncate" title={queued.message.text}>
                        {queued.message.text}
                        {files > 0 && ` (${files} ${files === 1 ? "file" : "files"})`}
                    </span>
                    <IconButton
                        size="small"
                        label="Edit message"
                        icon={<PencilLine {...icon} />}
                        onClick={() => (setText(queued.message.text), setEditing(true))}
                    />
                    <IconButton
                        size="small"
                        label="Send now, before the others"
                        icon={<ArrowUp {...icon} />}
                        disabled={change.pending}
                        onClick={() => void change.run({ session, id: queued.id, first: true })}
                    />
                    <IconButton
                        size="small"
                        label="Remove message"
                        icon={<X {...icon} />}
                        disabled={change.pending}
                        onClick={() => void change.run({ session, id: queued.id, text: "" })}
                    />
                </div>
            )}
            {change.problem !== undefined && (
                <p role="alert" className="text-small text-failed">
                    {problemText(change.problem)}
                </p>
            )}
        </li>
    );
}

export function ShellChips({ shells }: { shells: readonly ShellRow[] }) {
    return (
        <ul aria-label="Background commands" className="mb-1.5 flex flex-wrap gap-1">
            {shells.map((each) => (
                <li key={each.id} className="max-w-full">
                    <ShellChip shell={each} />
                </li>
            ))}
        </ul>
    );
}

function ShellChip({ shell }: { shell: ShellRow }) {
    const [open, setOpen] = useState(false);
    const elapsed = useElapsed(shell.running ? shell.startedAt : undefined);
    const failed = !shell.running && shell.exit !== 0;
    return (
        <Popover
            label="Output"
            side="top"
            open={open}
            onOpenChange={setOpen}
            className="w-[min(40rem,92vw)] max-w-[min(40rem,92vw)]"
            trigger={
                <button
                    type="button"
                    title={shell.command}
                    className="inline-flex h-6 max-w-72 items-center gap-1.5 rounded-full border border-hairline bg-surface px-2 text-small hover:bg-hover"
                >
                    <SquareTerminal
                        {...icon}
                        aria-hidden
                        className={cx(
                            "shrink-0",
                            shell.running ? "text-running" : failed ? "text-failed" : "text-done",
                        )}
                    />
                    <span className="min-w-0 truncate font-mono">{shell.command}</span>
                    {shell.running ? (
                        <Duration ms={elapsed} className="shrink-0 text-ink-3" />
                    ) : (
                        <span className="shrink-0 text-ink-3">
                            {shell.exit === null ? "ended" : `exit ${shell.exit}`}
                        </span>
                    )}
                </button>
            }
        >
            <ShellOutput shell={shell} />
        </Popover>
    );
}

/** How often the output of a command that goes on is read, in seconds. */
const EVERY = 2;

function ShellOutput({ shell }: { shell: ShellRow }) {
    const { data, problem, reload } = useQuery("shell_show", { id: shell.id });
    const kill = useCommand("shell_kill");
    const running = data?.shell.running ?? shell.running;
    const second = Math.floor(useNow(running) / 1_000 / EVERY);
    useEffect(() => {
        if (running) reload();
    }, [second, running, reload]);
    return (
        <div className="flex flex-col gap-2">
            <div className="flex items-start gap-2">
                <code className="min-w-0 flex-1 font-mono text-code break-all">{shell.command}</code>
                {running ? (
                    <Button
                        size="small"
                        variant="danger"
                        disabled={kill.pending}
                        onClick={() => void kill.run({ id: shell.id })}
                    >
                        {kill.pending ? "Stopping…" : "Stop command"}
                    </Button>
                ) : (
                    <StateMark
                        state={data?.shell.exit === 0 ? "done" : "failed"}
                        word={data?.shell.exit === null || data === undefined ? "Ended" : `Exit ${data.shell.exit}`}
                        size={14}
                    />
                )}
            </div>
            {problem !== undefined && <p className="text-small text-failed">{problemText(problem)}</p>}
            {data === undefined ? (
                problem === undefined && <Skeleton lines={3} />
            ) : (
                <CodeBlock code={data.text === "" ? "No output yet." : data.text} wrap height="max-h-80" />
            )}
            {data !== undefined && data.bytes > 100_000 && (
                <p className="text-small text-ink-3">Last part of {formatBytes(data.bytes)}.</p>
            )}
            {kill.problem !== undefined && (
                <p role="alert" className="text-small text-failed">
                    {problemText(kill.problem)}
                </p>
            )}
        </div>
    );
}
