import { FolderPlus } from "lucide-react";
import { useState } from "react";

import { send, shell, toProblem } from "@/backend";
import { Button, TextField, sentence } from "@/shared";

/** A folder of one's own, chosen in one step: the question is written while it becomes a base. */
export function AskFolder({ onPaths }: { onPaths: (paths: readonly string[]) => void }) {
    const desktop = shell();
    const [path, setPath] = useState("");
    const [wrong, setWrong] = useState<string | undefined>();
    const typed = path.trim();
    const pick = async () => {
        setWrong(undefined);
        try {
            const { chooseFiles, handOver } = await import("./handOver");
            const picked =
                desktop === undefined ? await handOver(await chooseFiles("folder")) : await desktop.pickPaths("folder");
            if (picked.length > 0) onPaths(picked);
        } catch (thrown) {
            setWrong(`The file dialog could not be opened: ${toProblem(thrown).message} Drop the folder here instead.`);
        }
    };
    // The core looks at it: the folder is on its machine, and what is typed may have a slip.
    const check = async () => {
        if (typed === "") return;
        try {
            const { folder, problem } = await send("folder_look", { path: typed });
            if (folder === null) setWrong(sentence(problem ?? "Not a folder."));
            else onPaths([folder]);
        } catch (thrown) {
            setWrong(toProblem(thrown).message);
        }
    };
    if (desktop !== undefined) {
        return (
            <>
                <Button icon={<FolderPlus size={14} strokeWidth={1.5} />} onClick={() => void pick()}>
                    Ask a folder…
                </Button>
                {wrong !== undefined && (
                    <p role="alert" className="w-full text-small text-failed">
                        {wrong}
                    </p>
                )}
            </>
        );
    }
    return (
        <form
            className="flex min-w-0 flex-1 basis-72 items-start gap-2"
            onSubmit={(event) => {
                event.preventDefault();
                void check();
            }}
        >
            <TextField
                label="Path of a folder"
                hideLabel
                mono
                placeholder="/home/eva/Documents"
                value={path}
                onChange={(next) => {
                    setPath(next);
                    setWrong(undefined);
                }}
                error={wrong}
                className="min-w-0 flex-1"
            />
            <Button type="submit" disabled={typed === ""}>
                Ask this folder
            </Button>
            <Button icon={<FolderPlus size={14} strokeWidth={1.5} />} onClick={() => void pick()}>
                Choose…
            </Button>
        </form>
    );
}
