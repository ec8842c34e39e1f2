import type { FileProblem } from "@/backend";
import { Button, ErrorCard, InlineCode } from "@/shared";

/** What is wrong with the files of something, each with its place. */
export function Problems({
    problems,
    what,
    folder,
    onReload,
}: {
    problems: FileProblem[];
    what: string;
    folder: string;
    onReload: () => void;
}) {
    if (problems.length === 0) return null;
    const details = problems.map((problem) => `${problem.file} ${problem.place}: ${problem.message}`).join("\n");
    return (
        <ErrorCard
            title={
                problems.length === 1
                    ? `This ${what} can’t be used: 1 problem`
                    : `This ${what} can’t be used: ${problems.length} problems`
            }
            kept="The files were not changed."
            advice={
                <>
                    Fix the files in <code className="font-mono text-code break-all">{folder}</code>, then reload them.
                </>
            }
            actions={<Button onClick={onReload}>Reload</Button>}
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
                    <span className="flex flex-wrap gap-x-2 font-mono text-code" title={problem.file}>
                        <span className="break-all">{fileName(problem.file)}</span>
                        <span className="break-all text-ink-2">{problem.place}</span>
                    </span>
                    <span className="block text-ink-2">
                        <InlineCode text={problem.message} />
                    </span>
                </li>
            ))}
        </ul>
    );
}

/** A file as a person looks for it in the folder that is named anyway: with one folder, where it lies in one. */
export function fileName(path: string): string {
    const parts = path.split(/[\\/]/);
    const last = parts.slice(-2);
    return ["prompts", "schemas"].includes(last[0] ?? "") ? last.join("/") : (last[last.length - 1] ?? path);
}
