import { FilePlus, FolderPlus } from "lucide-react";
import { useState } from "react";

import { shell, toProblem, useQuery } from "@/backend";
import { Button, TextArea, cx } from "@/shared";

import { chooseFiles, handOver } from "./handOver";
import { pathsIn } from "./name";
import { useDroppedFiles } from "./useDroppedFiles";

export interface IngestFilesProps {
    /** One path a line. */
    paths: string;
    onChange: (paths: string) => void;
    error?: string;
    onNext: () => void;
}

/** Which files and folders are read. */
export function IngestFiles({ paths, onChange, error, onNext }: IngestFilesProps) {
    const desktop = shell();
    const endings = useQuery("knowledge_catalog", null).data?.endings ?? [];
    const [note, setNote] = useState<string | undefined>();
    const add = (more: readonly string[]) => onChange([...new Set([...pathsIn(paths), ...more])].join("\n"));
    const over = useDroppedFiles(add);
    const pick = async (what: "files" | "folder") => {
        setNote(undefined);
        try {
            const chosen =
                desktop === undefined ? await handOver(await chooseFiles(what)) : await desktop.pickPaths(what);
            if (chosen.length > 0) add(chosen);
        } catch (thrown) {
            setNote(
                `The file dialog could not be opened: ${toProblem(thrown).message} Type or paste the path instead.`,
            );
        }
    };
    return (
        <div className={cx("rounded-control", over && "outline-2 outline-offset-4 outline-accent outline-dashed")}>
            <TextArea
                label="Files and folders, one path per line"
                value={paths}
                onChange={onChange}
                minRows={3}
                maxRows={8}
                mono
                data-autofocus
                placeholder="/home/eva/Documents/manual"
                error={error}
                hint="Folders include all subfolders. You can also drop files here."
                onKeyDown={(event) => {
                    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
                    event.preventDefault();
                    onNext();
                }}
            />
            <div className="mt-2 flex flex-wrap gap-2">
                <Button size="small" icon={<FilePlus size={14} strokeWidth={1.5} />} onClick={() => void pick("files")}>
                    Choose files…
                </Button>
                <Button
                    size="small"
                    icon={<FolderPlus size={14} strokeWidth={1.5} />}
                    onClick={() => void pick("folder")}
                >
                    Choose a folder…
                </Button>
            </div>
            {note !== undefined && (
                <p role="alert" className="mt-2 text-small text-failed">
                    {note}
                </p>
            )}
            {endings.length > 0 && (
                <p className="mt-4 text-small text-ink-3">
                    Supported formats:{" "}
                    <span className="text-ink-2">
                        {endings.map((ending) => (ending.startsWith(".") ? ending : `.${ending}`)).join(" ")}
                    </span>
                    . Other files are skipped and listed in the report.
                </p>
            )}
        </div>
    );
}
