import { FileKey } from "lucide-react";
import { useState, type FormEvent } from "react";

import { shell, toProblem, useCommand, type ImportedCredentials } from "@/backend";
import { hrefOf } from "@/routes";
import { Button, Section, TextField, count, toastProblem } from "@/shared";

import { entryWord } from "./labels";

/** Taking over what another program has stored. */
export function ImportCredentials({ locked }: { locked: boolean }) {
    const [path, setPath] = useState("");
    const [taken, setTaken] = useState<ImportedCredentials | undefined>();
    const take = useCommand("credentials_import");
    const desktop = shell();
    const pick = () => {
        desktop?.pickPaths("files").then(
            ([first]) => first !== undefined && setPath(first),
            (thrown: unknown) => toastProblem(toProblem(thrown)),
        );
    };
    const submit = async (event: FormEvent) => {
        event.preventDefault();
        if (path.trim() === "" || take.pending) return;
        setTaken(undefined);
        const { value } = await take.run({ path: path.trim() });
        if (value !== undefined) setTaken(value);
    };
    return (
        <Section title="Import from Craft Agent">
            <p className="mb-3 max-w-[38rem] text-ui text-ink-2">
                Imports keys from Craft Agent’s credential file into this vault and creates connections for model
                providers. The file is not changed.
            </p>
            <form onSubmit={(event) => void submit(event)} className="flex max-w-[34rem] items-start gap-2">
                <TextField
                    label="Credential file"
                    hideLabel
                    mono
                    value={path}
                    onChange={setPath}
                    placeholder="~/.craft-agent/credentials.enc"
                    className="flex-1"
                    disabled={locked}
                />
                {desktop !== undefined && (
                    <Button onClick={pick} disabled={locked}>
                        Choose…
                    </Button>
                )}
                <Button
                    type="submit"
                    icon={<FileKey size={16} strokeWidth={1.5} />}
                    disabled={locked || path.trim() === "" || take.pending}
                >
                    {take.pending ? "Importing…" : "Import"}
                </Button>
            </form>
            <div aria-live="polite" className="mt-2 min-h-5 text-ui">
                {locked && <p className="text-small text-ink-3">Unlock the vault first.</p>}
                {take.problem !== undefined && (
                    <p className="max-w-[38rem] text-failed">
                        Nothing was imported: {take.problem.message}{" "}
                        <span className="text-ink">{take.problem.action ?? ""}</span>
                    </p>
                )}
                {taken !== undefined && <Taken taken={taken} />}
            </div>
        </Section>
    );
}

function Taken({ taken }: { taken: ImportedCredentials }) {
    return (
        <div className="max-w-[38rem] space-y-1">
            <p>
                {taken.taken.length === 0
                    ? "Nothing was imported."
                    : `${count(taken.taken.length, "secret")} imported: ${taken.taken.map(entryWord).join(", ")}.`}
            </p>
            {taken.connections.length > 0 && (
                <p>
                    New connections:{" "}
                    {taken.connections.map((slug, index) => (
                        <span key={slug}>
                            {index > 0 && ", "}
                            <a
                                className="text-accent hover:underline"
                                href={hrefOf({ page: "settings", section: "connections", open: slug })}
                            >
                                {slug}
                            </a>
                        </span>
                    ))}
                    .
                </p>
            )}
            {taken.left.length > 0 && (
                <ul aria-label="Left out" className="list-disc pl-5 text-ink-2">
                    {taken.left.map((line) => (
                        <li key={line}>{line}</li>
                    ))}
                </ul>
            )}
        </div>
    );
}
