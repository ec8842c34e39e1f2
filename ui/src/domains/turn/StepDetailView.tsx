// What a list of steps leaves out: arguments, result, what a call changed or made.

import { useQuery, type Show } from "@/backend";
import {
    Button,
    CodeBlock,
    DiffView,
    Fold,
    JsonView,
    Skeleton,
    InlineCode,
    formatBytes,
    own,
    saveBytes,
    sentence,
    problemText,
} from "@/shared";
import { Markdown } from "@/shared/markdown";

import { isPicture } from "./kinds";
import { MediaView } from "./MediaView";
import type { ToolStep } from "./steps";
import { Tasks } from "./Tasks";

export function StepDetailView({ run, step, output }: { run: string; step: ToolStep; output: string }) {
    const over = step.status !== "running" && step.status !== "queued" && step.status !== "asking";
    const { data, problem, loading } = useQuery("turn_step", { run, step: step.id });
    return (
        <div className="flex flex-col gap-2 py-1.5">
            {step.ruled !== null && step.ruled !== undefined && step.ruled !== "" && (
                <p className="text-small text-ink-3">
                    <InlineCode text={sentence(step.ruled)} />
                </p>
            )}
            {(step.adapted ?? []).length > 0 && (
                <p className="text-small text-ink-3">
                    <InlineCode text={`Read as meant: ${(step.adapted ?? []).join("; ")}`} />
                </p>
            )}
            {data === undefined && (problem === undefined || loading) && <Skeleton lines={2} className="max-w-80" />}
            {data === undefined && problem !== undefined && (
                <p className="text-small text-failed">{problemText(problem)}</p>
            )}
            {data !== undefined && isSomething(data.arguments) && (
                <Fold label="Arguments" open={step.show.length === 0}>
                    <JsonView value={data.arguments} label="Arguments" open={2} className="mt-1" />
                </Fold>
            )}
            {step.show.map((show, index) => (
                <Shown key={index} show={show} blobs={data?.blobs ?? {}} known={data !== undefined} />
            ))}
            {!over && output !== "" && <CodeBlock code={output} wrap height="max-h-72" />}
            {over && data !== undefined && data.result !== "" && (
                <Fold
                    label={`Result, ${formatBytes(data.bytes)}`}
                    open={step.show.every((show) => show.show === "background")}
                >
                    <Result text={data.result} />
                    {data.bytes > data.result.length * 1.02 + 64 && (
                        <p className="mt-1 text-small text-ink-3">
                            Truncated: the full result has {formatBytes(data.bytes)}.
                        </p>
                    )}
                </Fold>
            )}
        </div>
    );
}

const isSomething = (value: unknown) =>
    value !== null && value !== undefined && !(typeof value === "object" && Object.keys(value).length === 0);

function Result({ text }: { text: string }) {
    if (/^\s*[[{]/.test(text) && text.length < 100_000) {
        try {
            return <JsonView value={JSON.parse(text) as unknown} label="Result" open={2} className="mt-1" />;
        } catch {
            // Something that only begins like JSON is text.
        }
    }
    return <CodeBlock code={text} wrap height="max-h-96" className="mt-1" />;
}

function Shown({ show, blobs, known }: { show: Show; blobs: { [digest: string]: string }; known: boolean }) {
    switch (show.show) {
        case "change": {
            const text = (digest: string | null) => (digest === null ? null : own(blobs, digest));
            const [before, after] = [text(show.before), text(show.after)];
            if (before === undefined || after === undefined) {
                return (
                    <p className="text-small text-ink-2">
                        {known
                            ? `${show.path}: ${show.added} lines added, ${show.removed} removed. The content is no longer stored.`
                            : show.path}
                    </p>
                );
            }
            return <DiffView path={show.path} before={before} after={after} />;
        }
        case "tasks":
            return <Tasks tasks={show.tasks} />;
        case "plan":
            return (
                <Fold label={`Plan: ${show.title}`}>
                    <Markdown text={show.text} />
                </Fold>
            );
        case "media": {
            const data = own(blobs, show.data);
            return data === undefined ? (
                <p className="text-small text-ink-2">{show.name}</p>
            ) : (
                <div className="flex flex-col items-start gap-1.5">
                    <MediaView name={show.name} mediaType={show.mediaType} base64={data} />
                    {!isPicture(show.mediaType) && (
                        <Button onClick={() => saveBytes(show.name, data, show.mediaType)}>Save a copy</Button>
                    )}
                </div>
            );
        }
        case "background":
            return <p className="text-small text-ink-2">Running in the background: see above the message field.</p>;
        case "value":
            return <JsonView value={show.value} label="Result" open={2} />;
    }
}
