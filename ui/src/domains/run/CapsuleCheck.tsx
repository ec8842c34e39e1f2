// A capsule's file checked: every byte, the chain, the log computed again, the document, the sentences against the evidence.

import { useState } from "react";

import { useCommand, type CapsuleReport } from "@/backend";
import { Button, ErrorCard, StateMark, TextField, count } from "@/shared";

function line(report: CapsuleReport): string {
    if (!(report.holds ?? false)) return "The capsule failed the check.";
    const parts = [
        count(report.events ?? 0, "event"),
        count(report.recomputed ?? 0, "step"),
        count(report.documents ?? 0, "document"),
        `${count(report.sentences ?? 0, "statement")} over ${count(report.paragraphs ?? 0, "cited paragraph")}`,
        ...((report.sources ?? 0) > 0 ? [count(report.sources ?? 0, "source")] : []),
    ];
    return `The capsule passed the check: ${parts.join(", ")}.`;
}

export function CapsuleCheck() {
    const { run: verify, pending, problem } = useCommand("capsule_verify");
    const [path, setPath] = useState("");
    const [report, setReport] = useState<CapsuleReport>();
    const check = async () => setReport((await verify({ path: path.trim() })).value);
    return (
        <form
            className="mt-4 flex flex-col gap-3"
            onSubmit={(event) => {
                event.preventDefault();
                void check();
            }}
        >
            <TextField
                label="Check a capsule"
                hint="The full path of a .capsule file on the machine where AgentNative runs. Nothing else of the machine is read."
                value={path}
                onChange={setPath}
            />
            <div>
                <Button type="submit" disabled={pending || path.trim() === ""}>
                    {pending ? "Checking…" : "Check"}
                </Button>
            </div>
            {problem !== undefined && (
                <ErrorCard
                    title="The capsule can’t be checked."
                    advice={problem.action ?? undefined}
                    details={problem.message}
                />
            )}
            {report !== undefined && (
                <div role="status" className="flex flex-col gap-2 text-ui">
                    <StateMark
                        state={(report.holds ?? false) ? "done" : "failed"}
                        word={line(report)}
                        className="whitespace-normal"
                    />
                    {(report.holds ?? false) && (
                        <p className="text-small break-all text-ink-2">
                            {`Run ${report.run ?? ""}, head of the chain ${report.head ?? ""}`}
                        </p>
                    )}
                    {(report.faults ?? []).map((fault) => (
                        <p key={fault.entry + fault.why} className="text-small text-failed">
                            {`${fault.entry}: ${fault.why}`}
                        </p>
                    ))}
                    {(report.gaps ?? []).map((gap) => (
                        <p key={gap} className="text-small text-ink-2">
                            {`Not checked: ${gap}`}
                        </p>
                    ))}
                </div>
            )}
        </form>
    );
}
