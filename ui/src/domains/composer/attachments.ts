// Files that are to go with a message: where they come from, how large they may be, how each stands.

import { useCallback, useState } from "react";

import { call, toProblem, upload, type Attachment } from "@/backend";
import { formatBytes, toast, toastProblem } from "@/shared";

/** The most bytes of a file that is handed over by its content. */
export const MAX_FILE_BYTES = 20 * 1_024 * 1_024;
/** The most bytes that go with the command itself; a larger file is handed over in parts. */
const MAX_DATA_BYTES = 2 * 1_024 * 1_024;
/** The most files of a message. */
export const MAX_FILES = 20;

export interface Attaching {
    files: readonly Attachment[];
    /** The names of those that are being read. */
    reading: readonly string[];
    add: (files: readonly File[]) => Promise<void>;
    addPaths: (paths: readonly string[]) => Promise<void>;
    remove: (id: string) => void;
    clear: () => void;
    set: (files: readonly Attachment[]) => void;
}

function base64Of(file: File): Promise<string> {
    return new Promise((resolve, reject) => {
        const reader = new FileReader();
        reader.onload = () => resolve(typeof reader.result === "string" ? reader.result.replace(/^[^,]*,/, "") : "");
        reader.onerror = () => reject(reader.error ?? new Error("the file could not be read"));
        reader.readAsDataURL(file);
    });
}

/** Why a file can't go with a message that has so many; undefined: it can. */
export function refusal(name: string, bytes: number, have: number): string | undefined {
    if (have >= MAX_FILES) return `“${name}” was left out: a message can have at most ${MAX_FILES} files.`;
    if (bytes > MAX_FILE_BYTES)
        return `“${name}” was left out: the file has ${formatBytes(bytes)}, the limit is ${formatBytes(MAX_FILE_BYTES)}. Mention its path in the message instead.`;
    if (bytes === 0) return `“${name}” was left out: the file is empty.`;
    return undefined;
}

/** Whether a file is a document of pages, paragraphs or rows, which a run asks as it asks a knowledge base, and no plain text. */
export function isDocument({ mediaType }: Attachment): boolean {
    return !["text/plain", "text/markdown", "text/json"].includes(mediaType);
}

/** `use`: what the files go with. A run reads text, so each document is read at once, and one that can't be is left out. */
export function useAttaching(session: string | undefined, use: "message" | "run"): Attaching {
    const [files, setFiles] = useState<readonly Attachment[]>([]);
    const [reading, setReading] = useState<readonly string[]>([]);
    const one = useCallback(
        async (name: string, source: () => Promise<{ path: string } | { data: string }>) => {
            setReading((names) => [...names, name]);
            try {
                const added = await call("attachment_add", {
                    session: session ?? null,
                    name,
                    ...(await source()),
                    ...(use === "run" ? { read: true } : {}),
                });
                setFiles((before) => (before.some((each) => each.id === added.id) ? before : [...before, added]));
                if (added.note !== null && added.note !== undefined && added.note !== "")
                    toast({ text: `${added.name}: ${added.note}` });
            } catch (thrown) {
                toastProblem(toProblem(thrown), `“${name}” was left out`);
            } finally {
                setReading((names) => names.toSpliced(names.indexOf(name), 1));
            }
        },
        [session, use],
    );
    const have = files.length + reading.length;
    const add = useCallback(
        async (given: readonly File[]) => {
            let count = have;
            for (const file of given) {
                const why = refusal(file.name, file.size, count);
                if (why !== undefined) {
                    toast({ text: why, tone: "failed" });
                    continue;
                }
                count += 1;
                await one(file.name, async () =>
                    // A command carries only so much.
                    file.size > MAX_DATA_BYTES
                        ? { path: `${await upload([{ name: "file", file }])}/file` }
                        : { data: await base64Of(file) },
                );
            }
        },
        [have, one],
    );
    const addPaths = useCallback(
        async (paths: readonly string[]) => {
            let count = have;
            for (const path of paths) {
                const name = path.split(/[/\\]/).pop() ?? path;
                const why = refusal(name, 1, count);
                if (why !== undefined) toast({ text: why, tone: "failed" });
                else await one(name, () => Promise.resolve({ path }));
                count += 1;
            }
        },
        [have, one],
    );
    const remove = useCallback((id: string) => setFiles((before) => before.filter((each) => each.id !== id)), []);
    const clear = useCallback(() => setFiles([]), []);
    return { files, reading, add, addPaths, remove, clear, set: setFiles };
}
