// An exported graph, opened as a mission that rests: others go on with it, or its report is written without research.

import { FileUp } from "lucide-react";
import { useState } from "react";

import { call, shell, toProblem, useCommand } from "@/backend";
import { go } from "@/routes";
import { Button, ErrorCard, TextField } from "@/shared";

/** The profile that an opened graph has until a mission goes on with it. */
const PROFILE = "general-research";

export function OpenGraph() {
    const desktop = shell();
    const importing = useCommand("graph_import");
    const [path, setPath] = useState("");
    const [wrong, setWrong] = useState<string>();
    const open = async (file: string) => {
        if (file.trim() === "" || importing.pending) return;
        setWrong(undefined);
        const { value } = await importing.run({ path: file.trim(), profile: PROFILE });
        if (value === undefined) return;
        try {
            const { session } = await call("mission_show", { mission: value });
            go({ page: "session", session, run: value });
        } catch {
            // It is there all the same: the list shows it.
            setPath("");
        }
    };
    const pick = async () => {
        try {
            const [first] = (await desktop?.pickPaths("files")) ?? [];
            if (first === undefined) return;
            setPath(first);
            await open(first);
        } catch (thrown) {
            setWrong(`The file dialog could not be opened: ${toProblem(thrown).message}`);
        }
    };
    return (
        <form
            className="flex flex-col gap-2"
            onSubmit={(event) => {
                event.preventDefault();
                void open(path);
            }}
        >
            <div className="flex flex-wrap items-end gap-2">
                <TextField
                    label="Graph file"
                    mono
                    placeholder="/home/eva/graph.jsonl"
                    value={path}
                    onChange={(next) => {
                        setPath(next);
                        setWrong(undefined);
                    }}
                    error={wrong}
                    className="min-w-0 flex-1 basis-72"
                />
                {desktop !== undefined && (
                    <Button icon={<FileUp size={14} strokeWidth={1.5} />} onClick={() => void pick()}>
                        Choose a file…
                    </Button>
                )}
                <Button type="submit" disabled={path.trim() === "" || importing.pending}>
                    Open graph
                </Button>
            </div>
            {importing.problem !== undefined && (
                <ErrorCard title="The graph was not opened." advice={importing.problem.action ?? undefined}>
                    {importing.problem.message}
                </ErrorCard>
            )}
        </form>
    );
}
