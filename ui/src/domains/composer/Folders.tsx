// Where a conversation works.

import { Folder, FolderPlus, X } from "lucide-react";
import { useState } from "react";

import { send, shell, skip, toProblem, useQuery } from "@/backend";
import { Button, IconButton, Popover, TextField, sentence, useDebounced } from "@/shared";

import { useRecentFolders } from "./folders";
import { QUIET } from "./quiet";

const folderName = (path: string) =>
    path
        .replace(/[/\\]+$/, "")
        .split(/[/\\]/)
        .pop() || path;

/** The folders that a conversation works in: those that are set, those used lately, and any by its path. */
export function Folders({
    folders,
    onChange,
    disabled,
}: {
    folders: readonly string[];
    onChange: (folders: string[]) => void;
    disabled: boolean;
}) {
    const [path, setPath] = useState("");
    const [wrong, setWrong] = useState<string | undefined>();
    const { recent, remember } = useRecentFolders();
    const desktop = shell();
    const typed = path.trim();
    const looked = useDebounced(typed, 200);
    const { data: seen } = useQuery("folder_look", looked.length < 2 ? skip : { path: looked });
    const offered = (seen?.below ?? []).filter((each) => each !== typed && !folders.includes(each));
    const unused = recent.filter((each) => !folders.includes(each));
    const add = (more: readonly string[]) => {
        onChange([...new Set([...folders, ...more])]);
        remember(more);
    };
    // The core looks at it: the folder is on its machine, and what is typed may have a slip.
    const check = async () => {
        if (typed === "") return;
        try {
            const { folder, problem } = await send("folder_look", { path: typed });
            if (folder === null) return setWrong(sentence(problem ?? "Not a folder."));
            add([folder]);
            setPath("");
        } catch (thrown) {
            setWrong(toProblem(thrown).message);
        }
    };
    const pick = async () => {
        const picked = await desktop?.pickPaths("folder");
        if (picked !== undefined && picked.length > 0) add(picked);
    };
    const [first] = folders;
    const words =
        first === undefined
            ? "No folder"
            : folders.length === 1
              ? folderName(first)
              : `${folderName(first)} +${folders.length - 1}`;
    return (
        <Popover
            label="Working folders"
            side="top"
            className="w-96"
            trigger={
                <button
                    type="button"
                    disabled={disabled}
                    aria-label={`Working folders: ${[words, ...folders].join(", ")}`}
                    title={
                        folders.length === 0
                            ? "Without a folder, the agent can’t use files or run commands"
                            : folders.join("\n")
                    }
                    className={QUIET}
                >
                    <Folder size={14} strokeWidth={1.5} aria-hidden className="shrink-0" />
                    <span className="truncate">{words}</span>
                </button>
            }
        >
            <p className="mb-2 text-small text-ink-3">
                File tools work in these folders only; commands start in the first. Commands that you allow can reach
                other files.
            </p>
            <ul className="mb-2 flex flex-col gap-1">
                {folders.map((folder, index) => (
                    <li key={folder} className="flex items-center gap-2 text-ui">
                        <Folder size={14} strokeWidth={1.5} aria-hidden className="shrink-0 text-ink-3" />
                        <span className="min-w-0 flex-1 truncate font-mono text-code" title={folder}>
                            {folder}
                        </span>
                        {index > 0 && (
                            <Button
                                size="small"
                                variant="quiet"
                                onClick={() => onChange([folder, ...folders.filter((each) => each !== folder)])}
                            >
                                Make first
                            </Button>
                        )}
                        <IconButton
                            size="small"
                            label={`Remove ${folder}`}
                            icon={<X size={14} strokeWidth={1.5} />}
                            onClick={() => onChange(folders.filter((each) => each !== folder))}
                        />
                    </li>
                ))}
            </ul>
            {desktop === undefined ? (
                <form
                    className="flex items-start gap-2"
                    onSubmit={(event) => {
                        event.preventDefault();
                        void check();
                    }}
                >
                    <TextField
                        label="Folder path"
                        mono
                        placeholder="/home/eva/project"
                        value={path}
                        onChange={(next) => {
                            setPath(next);
                            setWrong(undefined);
                        }}
                        error={wrong}
                        className="flex-1"
                    />
                    <Button type="submit" disabled={typed === ""} className="mt-5">
                        Add
                    </Button>
                </form>
            ) : (
                <Button icon={<FolderPlus size={14} strokeWidth={1.5} />} onClick={() => void pick()}>
                    Add folder…
                </Button>
            )}
            {typed !== "" && offered.length > 0 && (
                <Paths label="Matching folders" paths={offered} onChoose={(each) => setPath(`${each}/`)} />
            )}
            {typed === "" && unused.length > 0 && (
                <Paths label="Recent" paths={unused} onChoose={(each) => add([each])} />
            )}
        </Popover>
    );
}

function Paths({
    label,
    paths,
    onChoose,
}: {
    label: string;
    paths: readonly string[];
    onChoose: (path: string) => void;
}) {
    return (
        <div role="group" aria-label={label} className="mt-2 border-t border-hairline pt-2">
            <p className="mb-1 text-small text-ink-3">{label}</p>
            <ul className="max-h-40 overflow-y-auto">
                {paths.map((path) => (
                    <li key={path}>
                        <button
                            type="button"
                            title={path}
                            onClick={() => onChoose(path)}
                            className="ring-inside block h-6 w-full truncate rounded-[4px] px-1 text-left font-mono text-code text-ink-2 hover:bg-hover hover:text-ink"
                        >
                            {path}
                        </button>
                    </li>
                ))}
            </ul>
        </div>
    );
}
