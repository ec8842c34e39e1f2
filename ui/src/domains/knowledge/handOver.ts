// Files and folders from a browser, which tells their bytes and not where they lie: handed over to the core, they have paths there.

import { toProblem, upload, type NamedFile } from "@/backend";
import { count, toast, toastProblem } from "@/shared";

/** The most files that are handed over at once. */
const MAX_FILES = 2_000;

/** What was dropped, read below its folders. Hidden files are left out, as they are in a folder that the core reads. */
export async function droppedFiles(
    entries: readonly (FileSystemEntry | null)[],
    plain: readonly File[],
): Promise<NamedFile[]> {
    const found: NamedFile[] = [];
    if (entries.every((entry) => entry === null)) return plain.map((file) => ({ name: file.name, file }));
    for (const entry of entries) if (entry !== null) await below(entry, "", found);
    return found;
}

async function below(entry: FileSystemEntry, path: string, found: NamedFile[]): Promise<void> {
    if (entry.name.startsWith(".") || found.length > MAX_FILES) return;
    const name = `${path}${entry.name}`;
    if (isFile(entry)) {
        const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
        found.push({ name, file });
    } else if (isFolder(entry)) {
        const reader = entry.createReader();
        // A reader gives a hundred at a time, and none at the end.
        for (;;) {
            const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
            if (some.length === 0) return;
            for (const each of some) await below(each, `${name}/`, found);
        }
    }
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;

/** Asks for files or a folder in the browser's own dialog; nothing where it is left without a choice. */
export function chooseFiles(what: "files" | "folder"): Promise<NamedFile[]> {
    return new Promise((resolve) => {
        const field = document.createElement("input");
        field.type = "file";
        field.multiple = true;
        field.webkitdirectory = what === "folder";
        field.addEventListener("cancel", () => resolve([]));
        field.addEventListener("change", () =>
            resolve(
                [...(field.files ?? [])]
                    .map((file) => ({
                        name: file.webkitRelativePath === "" ? file.name : file.webkitRelativePath,
                        file,
                    }))
                    .filter(({ name }) => !name.split("/").some((part) => part.startsWith("."))),
            ),
        );
        field.click();
    });
}

/** Hands files over, and gives the paths that they have on the core's machine: of each folder and each file at the top. */
export async function handOver(files: readonly NamedFile[]): Promise<string[]> {
    if (files.length === 0) return [];
    if (files.length > MAX_FILES) {
        toast({
            text: `More than ${MAX_FILES.toLocaleString("en-GB")} files can’t be sent from a browser. Give the folder’s path, or use the desktop window.`,
            tone: "failed",
        });
        return [];
    }
    const what = count(files.length, "file");
    if (files.length > 1) toast({ text: `Sending ${what}…` });
    try {
        const folder = await upload(files);
        const tops = [...new Set(files.map(({ name }) => name.split("/")[0] ?? name))];
        return tops.map((top) => `${folder}/${top}`);
    } catch (thrown) {
        toastProblem(toProblem(thrown), "The files were not sent");
        return [];
    }
}
