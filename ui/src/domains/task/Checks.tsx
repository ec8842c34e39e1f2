// Set-up and checks of an attempt: what ran, and with which exit code.

import { useCommand, type Attempt, type CommandResult, type TaskView } from "@/backend";
import { Button, Fold, Section, StateMark, confirm, formatDuration, toastProblem } from "@/shared";
import { isThere } from "./labels";

export function Checks({ view, attempt, open }: { view: TaskView; attempt: Attempt; open: boolean }) {
    const { task } = view;
    const check = useCommand("task_check");
    const setup = useCommand("task_setup");
    const approve = useCommand("task_approve");
    const commands = task.commands ?? { checks: [] };
    const declared = commands.checks ?? [];
    if (declared.length === 0 && !isThere(commands.setup)) return null;
    const of = { task: task.id, attempt: attempt.number };
    const accepted = async () => {
        const setupLine = !isThere(commands.setup) ? [] : [`set-up: ${commands.setup.command}`];
        const lines = [...setupLine, ...declared.map((one) => `${one.name}: ${one.command}`)];
        const sure = await confirm({
            title: "Accept the project’s commands?",
            body: `They run as you, in the task’s worktrees.\n${lines.join("\n")}`,
            confirmLabel: "Accept",
        });
        if (!sure) return;
        const { problem } = await approve.run({ folder: task.repository, commands });
        if (problem !== undefined) toastProblem(problem, "The commands were not accepted");
    };
    const ran = async (command: typeof check | typeof setup) => {
        const { problem } = await command.run(of);
        if (problem !== undefined) toastProblem(problem, undefined, () => void ran(command));
    };
    const last = attempt.checks?.at(-1);
    return (
        <Section title="Checks">
            {isThere(attempt.setup) && <Result name="Set-up" result={attempt.setup} />}
            {last?.results.map((one) => (
                <Result key={one.name} name={one.name} result={one} />
            ))}
            {last === undefined && declared.length > 0 && <p className="text-ui text-ink-2">No check was run yet.</p>}
            {open && (
                <div className="mt-2 flex flex-wrap gap-2">
                    {!view.approved && <Button onClick={() => void accepted()}>Review and accept the commands</Button>}
                    {view.approved && declared.length > 0 && (
                        <Button disabled={check.pending} onClick={() => void ran(check)}>
                            {check.pending ? "Checking…" : "Run the checks"}
                        </Button>
                    )}
                    {view.approved && isThere(commands.setup) && (
                        <Button disabled={setup.pending} onClick={() => void ran(setup)}>
                            {setup.pending ? "Setting up…" : "Run the set-up"}
                        </Button>
                    )}
                </div>
            )}
        </Section>
    );
}

function Result({ name, result }: { name: string; result: CommandResult }) {
    const code = !isThere(result.exit_code)
        ? result.timed_out
            ? "took too long"
            : "no exit code"
        : `exit code ${result.exit_code}`;
    return (
        <Fold
            label={
                <span className="inline-flex flex-wrap items-center gap-2">
                    <StateMark state={result.exit_code === 0 ? "done" : "failed"} word={name} />
                    <span className="text-small text-ink-3">
                        {code}, {formatDuration(result.ms)}
                    </span>
                </span>
            }
        >
            <code className="block font-mono text-code break-all">{result.command}</code>
            <pre className="mt-1 max-h-96 overflow-auto rounded-control bg-sunken p-2 font-mono text-code">
                {result.output === "" ? "No output." : result.output}
            </pre>
        </Fold>
    );
}
