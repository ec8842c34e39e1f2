import { FilePlus } from "lucide-react";
import { useState } from "react";

import { Button, Page, toast, useShortcut } from "@/shared";

import { BaseRows } from "./BaseRows";
import { IngestDialog, type IngestSeed } from "./IngestDialog";
import { JobRows } from "./JobRows";
import { useDroppedFiles } from "./useDroppedFiles";

/** All bases, and the way to add one. `adding`: with the dialog open. */
export function KnowledgePage({ adding, onAdding }: { adding: boolean; onAdding: (adding: boolean) => void }) {
    const [seed, setSeed] = useState<IngestSeed | undefined>();
    const shown = seed ?? (adding ? {} : undefined);
    const over = useDroppedFiles((paths) => {
        setSeed({ paths });
        if (paths.length === 0) toast({ text: "A browser does not tell where a file lies. Type its path, or use the desktop window.", ms: 8_000 });
    });
    const add = () => setSeed({});
    useShortcut("knowledge-add", "a", "Add documents", add, { group: "Knowledge" });
    return (
        <Page
            title="Knowledge"
            lead="Collections of paragraphs that agents search, cite and check against. Drop files here to add some."
            width="reading"
            actions={
                <Button variant="primary" icon={<FilePlus size={16} strokeWidth={1.5} />} onClick={add}>
                    Add documents…
                </Button>
            }
        >
            {over && (
                <div aria-hidden className="pointer-events-none fixed inset-3 z-30 flex items-center justify-center rounded-card border-2 border-dashed border-accent bg-accent-soft/80 text-title text-accent">
                    Drop to add these files
                </div>
            )}
            <JobRows />
            <BaseRows onAdd={add} />
            <IngestDialog
                seed={shown}
                onClose={() => {
                    setSeed(undefined);
                    onAdding(false);
                }}
            />
        </Page>
    );
}
