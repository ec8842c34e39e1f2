// What an agent's run on a task is started with: at another attempt, or on with one and the open comments on it.

import { useState } from "react";

import { call, toProblem, useCommand, useQuery, type Problem } from "@/backend";
import { lacks } from "@/domains/connection";
import { go } from "@/routes";
import { Button, Dialog, ErrorCard, Select, count } from "@/shared";

import { AGENT } from "./labels";

/** The usual one. */
const USUAL = "";

export interface RunDialogProps {
    task: string;
    /** The attempt to go on with; 0 for another one. */
    attempt: number;
    /** Open comments on that attempt. */
    comments: number;
    onClose: () => void;
}

export function RunDialog({ task, attempt, comments, onClose }: RunDialogProps) {
    const starting = useCommand("run_start");
    const { data: connections = [] } = useQuery("connection_list", null);
    const agent = useQuery("agent_list", null).data?.find(({ slug }) => slug === AGENT);
    const [connection, setConnection] = useState(USUAL);
    const [depth, setDepth] = useState(USUAL);
    const [unread, setUnread] = useState<Problem>();
    const ready = connections.filter((row) => lacks(row) === undefined);
    const start = async () => {
        setUnread(undefined);
        try {
            const { agent, inputs, session } = await call("task_start", { task, attempt });
            const label = connection === USUAL ? {} : { label: connection };
            const { value } = await starting.run({
                ...{ agent, session },
                inputs: { ...(inputs as object), ...label },
                connection: connection === USUAL ? null : connection,
                depth: depth === USUAL ? null : depth,
            });
            if (value !== undefined) go({ page: "run", run: value });
        } catch (thrown) {
            setUnread(toProblem(thrown));
        }
    };
    const problem = unread ?? starting.problem;
    return (
        <Dialog
            open
            onOpenChange={(open) => {
                if (!open) onClose();
            }}
            title={titleOf(attempt, comments)}
            description={
                attempt === 0
                    ? "The agent begins from the same base, in a worktree of its own. You choose between the attempts when they are done."
                    : "The agent continues in the same worktree. Open comments are sent as one message."
            }
            footer={
                <>
                    <Button onClick={onClose}>Cancel</Button>
                    <Button variant="primary" disabled={starting.pending} onClick={() => void start()}>
                        {starting.pending ? "Starting…" : "Start"}
                    </Button>
                </>
            }
        >
            <div className="flex flex-wrap gap-3">
                <Select
                    label="Connection"
                    showLabel
                    value={connection}
                    options={[
                        { value: USUAL, label: "The usual one" },
                        ...ready.map(({ slug, name }) => ({ value: slug, label: name })),
                    ]}
                    onChange={setConnection}
                    className="w-56"
                />
                <Select
                    label="Depth"
                    showLabel
                    value={depth}
                    options={[
                        { value: USUAL, label: agent?.defaultDepth ?? "The usual one" },
                        ...(agent?.depths ?? [])
                            .filter((name) => name !== agent?.defaultDepth)
                            .map((name) => ({ value: name, label: name })),
                    ]}
                    onChange={setDepth}
                    className="w-56"
                />
            </div>
            {problem !== undefined && (
                <ErrorCard
                    title="The run can’t be started"
                    advice={problem.action ?? undefined}
                    details={problem.message}
                    className="mt-3"
                />
            )}
        </Dialog>
    );
}

function titleOf(attempt: number, comments: number): string {
    if (attempt === 0) return "Start another attempt";
    return comments === 0 ? "Go on with this attempt" : `Send ${count(comments, "comment")}`;
}
