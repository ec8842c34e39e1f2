import { Play } from "lucide-react";
import { useRef, useState } from "react";

import { call, toProblem, type Problem, type SourceTest, type ToolRow } from "@/backend";
import { Badge, Button, CodeBlock, Duration, ErrorCard, Fold, JsonView, StateMark, Waiting, count } from "@/shared";

import { LeftOut } from "./SourceHealth";
import { argumentsOf } from "./labels";

interface Trial {
    since?: number;
    outcome?: SourceTest;
    problem?: Problem;
}

/** Starts the source once, to see whether it works and what it offers. `listed`: its tools stand elsewhere on the page. */
export function SourceTrial({
    slug,
    listed = false,
    onTested,
}: {
    slug: string;
    listed?: boolean;
    onTested?: () => void;
}) {
    const [trial, setTrial] = useState<Trial>({});
    const turn = useRef(0);
    const start = async () => {
        turn.current += 1;
        const own = turn.current;
        setTrial({ since: Date.now() });
        try {
            const outcome = await call("source_test", { slug });
            if (own === turn.current) setTrial({ outcome });
            onTested?.();
        } catch (thrown) {
            if (own === turn.current) setTrial({ problem: toProblem(thrown) });
        }
    };
    const leave = () => {
        turn.current += 1;
        setTrial({});
    };
    const { since, outcome, problem } = trial;
    return (
        <div>
            <div className="flex min-h-8 flex-wrap items-center gap-3" aria-live="polite">
                <Button
                    icon={<Play size={16} strokeWidth={1.5} />}
                    disabled={since !== undefined}
                    onClick={() => void start()}
                >
                    {outcome === undefined && problem === undefined ? "Test" : "Test again"}
                </Button>
                {since !== undefined && (
                    <Waiting
                        what="Starting the source and listing its tools"
                        since={since}
                        onStop={leave}
                        stopLabel="Stop waiting"
                    />
                )}
                {outcome?.ok === true && (
                    <>
                        <StateMark state="done" word="Works" />
                        <span className="text-small text-ink-2">
                            {outcome.server}, {count(outcome.tools.length, "tool")} listed after{" "}
                            <Duration ms={outcome.ms} />
                        </span>
                    </>
                )}
                {outcome?.ok === false && <StateMark state="failed" word="Does not work" />}
                {since === undefined && outcome === undefined && problem === undefined && (
                    <span className="text-small text-ink-3">Starts the source, lists its tools and stops it.</span>
                )}
            </div>
            {(outcome?.ok === false || problem !== undefined) && (
                <ErrorCard
                    className="mt-3"
                    title="The test failed"
                    advice={(outcome?.problem ?? problem)?.action ?? "Check the configuration and the log."}
                    details={outcome?.log}
                >
                    {(outcome?.problem ?? problem)?.message}
                </ErrorCard>
            )}
            {outcome?.ok === true && !listed && (
                <div className="mt-3 border-y border-hairline">
                    {outcome.tools.map((tool) => (
                        <Tool key={tool.name} tool={tool} />
                    ))}
                </div>
            )}
            {outcome?.ok === true && !listed && <LeftOut tools={outcome.leftOut} />}
            {outcome?.ok === true && outcome.log.trim() !== "" && (
                <Fold label="Log" className="mt-3">
                    <CodeBlock code={outcome.log} wrap height="max-h-60" className="mt-1" />
                </Fold>
            )}
        </div>
    );
}

function Tool({ tool }: { tool: ToolRow }) {
    const known = argumentsOf(tool.input);
    return (
        <Fold
            className="border-b border-hairline py-1.5 last:border-b-0"
            label={
                <span className="flex min-w-0 flex-wrap items-center gap-2">
                    <code className="font-mono text-code text-ink">{tool.name}</code>
                    {tool.readOnly && <Badge>read-only</Badge>}
                </span>
            }
            note={<span className="text-small text-ink-3">{count(known.length, "argument")}</span>}
        >
            <div className="pt-1 pb-2 pl-5">
                <p className="max-w-[42rem] text-ui whitespace-pre-line text-ink-2">{tool.description}</p>
                {known.length > 0 && (
                    <dl className="mt-2 grid grid-cols-[minmax(6rem,max-content)_minmax(0,1fr)] gap-x-4 gap-y-1 text-small">
                        {known.map((argument) => (
                            <div key={argument.name} className="col-span-2 grid grid-cols-subgrid">
                                <dt className="font-mono text-code">{argument.name}</dt>
                                <dd className="text-ink-2">
                                    <span className="text-ink-3">
                                        {argument.type}
                                        {argument.required && ", required"}
                                    </span>
                                    {argument.description !== "" && (
                                        <span className="block">{argument.description}</span>
                                    )}
                                </dd>
                            </div>
                        ))}
                    </dl>
                )}
                <Fold label="Schema" className="mt-2">
                    <JsonView value={tool.input} label={`Schema of ${tool.name}`} open={2} className="mt-1" />
                </Fold>
            </div>
        </Fold>
    );
}
