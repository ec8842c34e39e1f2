import type { FileProblem } from "@/backend";
import { Button, ErrorCard } from "@/shared";

/** What is wrong with the files of something, each with its place. */
export function Problems({ problems, what, folder, onReload }: { problems: FileProblem[]; what: string; folder: string; onReload: () => void }) {
    if (problems.length === 0) return null;
    const details = problems.map((problem) => `${problem.file} ${problem.place}: ${problem.message}`).join("\n");
    return (
        <ErrorCard
            title={problems.length === 1 ? `This ${what} can't be used: one thing is wrong` : `This ${what} can't be used: ${problems.length} things are wrong`}
            kept="Its files are as you left them."
            advice={<>Mend the files below <code className="font-mono text-code break-all">{folder}</code>, then read them again.</>}
            actions={<Button onClick={onReload}>Read again</Button>}
            details={details}
        >
            <ProblemList problems={problems} />
        </ErrorCard>
    );
}

/** The same as lines without a frame, for a row of a list. */
export function ProblemList({ problems }: { problems: FileProblem[] }) {
    return (
        <ul className="space-y-1">
            {problems.map((problem) => (
                <li key={`${problem.file} ${problem.place} ${problem.message}`} className="text-ui">
                    <code className="font-mono text-code break-all text-ink">
                        {problem.file} {problem.place}
                    </code>
                    <span className="block text-ink-2">{problem.message}</span>
                </li>
            ))}
        </ul>
    );
}
