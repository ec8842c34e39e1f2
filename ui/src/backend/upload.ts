// Files that are handed over by their bytes, where a browser does not say where they lie.

import { call } from "./client";

/** Bytes of a part: a command has at most 4 MiB, and base64 takes a third more. */
const PART_BYTES = 2 * 1_024 * 1_024;

/** A file with the path that it has below what was dropped or chosen. */
export interface NamedFile {
    name: string;
    file: File;
}

function base64Of(part: Blob): Promise<string> {
    return new Promise((resolve, reject) => {
        const reader = new FileReader();
        reader.onload = () => resolve(typeof reader.result === "string" ? reader.result.replace(/^[^,]*,/, "") : "");
        reader.onerror = () => reject(reader.error ?? new Error("the file could not be read"));
        reader.readAsDataURL(part);
    });
}

/** Hands files over; gives the folder on the core's machine that holds them. `told`: how many are there, after each. */
export async function upload(files: readonly NamedFile[], told?: (done: number) => void): Promise<string> {
    const id = `upload-${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`;
    let folder = "";
    for (const [index, { name, file }] of files.entries()) {
        let at = 0;
        do {
            const data = await base64Of(file.slice(at, at + PART_BYTES));
            const there = await call("upload_write", { upload: id, name, at, data });
            folder = there.folder;
            at = there.bytes;
        } while (at < file.size);
        told?.(index + 1);
    }
    return folder;
}
