// A run once more: what did not change is taken over from it, and only what depends on a change is done again.

import { RotateCcw } from "lucide-react";
import { useRef, useState } from "react";

import { call, toProblem, useCommand, type Problem, type RunState } from "@/backend";
import { go, hrefOf } from "@/routes";
import { Button, ErrorCard, Select, TextArea } from "@/shared";

import { canBeEdited, reuseLine } from "./repeat";

/** No stage. */
const NONE = "";

export function RepeatRun({ run }: { run: RunState }) {
    const starting = useCommand("run_start");
    const [from, setFrom] = useState(NONE);
    const [edited, setEdited] = useState(NONE);
    const [text, setText] = useState("");
    const [fault, setFault] = useState<string>();
    const [unread, setUnread] = useState<Problem>();
    /** The stage that was chosen last: another's output that arrives later is not shown. */
    const chosen = useRef(NONE);
    const options = (none: string, stages: RunState["stages"]) => [
        { value: NONE, label: none },
        ...stages.map((stage) => ({ value: String(stage.id), label: stage.title })),
    ];

    const edit = async (id: string) => {
        chosen.current = id;
        setEdited(id);
        setFault(undefined);
        setUnread(undefined);
        setText("");
        const stage = run.stages.find((each) => String(each.id) === id);
        if (stage === undefined) return;
        try {
            const { output } = await call("run_stage", { run: run.run, stage: stage.id });
            if (chosen.current === id) setText(JSON.stringify(output ?? null, null, 2));
        } catch (thrown) {
            if (chosen.current === id) setUnread(toProblem(thrown));
        }
    };

    const start = async () => {
        const edits: Record<string, unknown> = {};
        if (edited !== NONE) {
            try {
                edits[edited] = JSON.parse(text);
            } catch (thrown) {
                setFault(`Not JSON: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
                return;
            }
        }
        setFault(undefined);
        const base = { run: run.run, edits, ...(from === NONE ? {} : { from }) };
        const { value } = await starting.run({ base });
        if (value !== undefined) go({ page: "run", run: value });
    };

    const shown = starting.problem ?? unread;
    return (
        <div className="flex flex-col items-start gap-3">
            {run.reuse !== undefined && run.reuse !== null && (
                <p className="text-ui">
                    {reuseLine(run.reuse)}{" "}
                    <a className="text-accent hover:underline" href={hrefOf({ page: "run", run: run.reuse.base })}>
                        Open that run
                    </a>
                </p>
            )}
            <div className="flex flex-wrap items-end gap-3">
                <Select
                    label="Rerun from"
                    showLabel
                    value={from}
                    options={options("Only what changed", run.stages)}
                    onChange={setFrom}
                    className="w-56"
                />
                <Select
                    label="Edit the output of"
                    showLabel
                    value={edited}
                    options={options("No stage", run.stages.filter(canBeEdited))}
                    onChange={(id) => void edit(id)}
                    className="w-56"
                />
                <Button
                    icon={<RotateCcw size={16} strokeWidth={1.5} />}
                    disabled={starting.pending || run.status === "running" || unread !== undefined}
                    onClick={() => void start()}
                    title={
                        run.status === "running"
                            ? "Wait for its end, or stop it."
                            : "Starts a new run with the agent, sources and knowledge base as they are now. Calls with unchanged requests reuse their results."
                    }
                >
                    {starting.pending ? "Starting…" : "Run again"}
                </Button>
            </div>
            {edited !== NONE && unread === undefined && (
                <TextArea
                    label="Its output, as JSON"
                    value={text}
                    onChange={setText}
                    error={fault}
                    minRows={6}
                    maxRows={20}
                    spellCheck={false}
                    className="w-full font-mono"
                />
            )}
            {shown !== undefined && (
                <ErrorCard
                    title={
                        shown === unread
                            ? "Could not load the output."
                            : "The run can’t be repeated with these settings."
                    }
                    advice={shown.action ?? undefined}
                    details={shown.message}
                />
            )}
        </div>
    );
}
