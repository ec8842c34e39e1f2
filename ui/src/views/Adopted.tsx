// The files of an earlier run that a run was given: what it took over of them, and why the rest is done anew.

import { Section, count } from "@/shared";

interface AdoptedFile {
    file: string;
    taken: boolean;
    why?: string | null;
}

const isFile = (value: unknown): value is AdoptedFile =>
    typeof value === "object" &&
    value !== null &&
    "file" in value &&
    typeof value.file === "string" &&
    "taken" in value;

function filesIn(inputs: unknown): AdoptedFile[] {
    if (typeof inputs !== "object" || inputs === null || !("adoption" in inputs)) return [];
    return Array.isArray(inputs.adoption) ? inputs.adoption.filter(isFile) : [];
}

export function Adopted({ inputs }: { inputs: unknown }) {
    const files = filesIn(inputs);
    if (files.length === 0) return null;
    const taken = files.filter((each) => each.taken).length;
    return (
        <Section title="Files of an earlier run" note={`${count(taken, "file")} of ${files.length} taken over`}>
            <ul className="flex flex-col gap-1 text-small">
                {files.map(({ file, taken, why }) => (
                    <li key={file} className="break-words">
                        <code>{file}</code>{" "}
                        <span className="text-ink-3">{taken ? "taken over" : `run again: ${why ?? "incomplete"}`}</span>
                    </li>
                ))}
            </ul>
        </Section>
    );
}
