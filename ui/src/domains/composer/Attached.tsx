// Files that go with a message: those that are there, and the button that picks more.

import { Paperclip } from "lucide-react";
import { useRef } from "react";

import { shell } from "@/backend";
import { Attachments } from "@/domains/turn";
import { IconButton } from "@/shared";

import type { Attaching } from "./attachments";

export function AttachedFiles({
    attaching,
    session,
    disabled,
}: {
    attaching: Attaching;
    session?: string;
    disabled: boolean;
}) {
    if (attaching.files.length === 0 && attaching.reading.length === 0) return null;
    return (
        <div className="flex flex-wrap items-center gap-2 px-3 pt-2.5">
            <Attachments
                attachments={attaching.files}
                session={session}
                onRemove={attaching.remove}
                disabled={disabled}
            />
            {attaching.reading.length > 0 && (
                <span role="status" className="min-w-0 truncate text-small text-ink-3">
                    Reading {attaching.reading.map((name) => `“${name}”`).join(", ")}…
                </span>
            )}
        </div>
    );
}

export function AttachButton({ attaching, label = "Attach files" }: { attaching: Attaching; label?: string }) {
    const picker = useRef<HTMLInputElement>(null);
    const desktop = shell();
    const pick = async () => {
        if (desktop === undefined) return picker.current?.click();
        await attaching.addPaths(await desktop.pickPaths("files"));
    };
    return (
        <>
            <IconButton label={label} icon={<Paperclip size={16} strokeWidth={1.5} />} onClick={() => void pick()} />
            <input
                ref={picker}
                type="file"
                multiple
                hidden
                aria-label="Files to attach"
                onChange={(event) => {
                    void attaching.add([...(event.target.files ?? [])]);
                    event.target.value = "";
                }}
            />
        </>
    );
}
