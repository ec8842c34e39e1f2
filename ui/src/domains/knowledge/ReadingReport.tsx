import { CircleAlert } from "lucide-react";

import type { BaseReading } from "@/backend";
import { Fold, count } from "@/shared";

/** The most files and notes that are listed. */
const SHOWN = 100;

/** How many files of a base were read; which were not, why, and what helps; what is doubtful in the others. */
export function ReadingReport({ of }: { of: BaseReading }) {
    const { found, unread, notes, more } = of;
    if (unread.length === 0 && notes.length === 0) return null;
    const rest = notes.length + more;
    const beyond = rest - Math.min(notes.length, SHOWN);
    return (
        <section aria-label="How the files were read" className="mb-3 max-w-3xl shrink-0 text-ui">
            {unread.length > 0 && (
                <div className="flex items-start gap-2 rounded-control bg-needs-soft px-3 py-2">
                    <CircleAlert size={16} strokeWidth={1.5} aria-hidden className="mt-0.5 shrink-0 text-needs" />
                    <div className="min-w-0">
                        <p className="font-medium">
                            {found - unread.length} of {count(found, "file")} read. Not read:
                        </p>
                        <ul className="max-h-40 overflow-y-auto">
                            {unread.slice(0, SHOWN).map((file) => (
                                <li key={file.name} className="[overflow-wrap:anywhere]">
                                    {file.name}: <span className="text-ink-2">{file.why}</span>
                                    {file.remedy !== "" && <span className="text-ink-2"> ({file.remedy})</span>}
                                </li>
                            ))}
                            {unread.length > SHOWN && <li>{count(unread.length - SHOWN, "more file")}</li>}
                        </ul>
                    </div>
                </div>
            )}
            {notes.length > 0 && (
                <Fold label={count(rest, "note") + " on what was read"}>
                    <ul className="max-h-48 overflow-y-auto text-ink-2">
                        {notes.slice(0, SHOWN).map((note, index) => (
                            <li key={index} className="[overflow-wrap:anywhere]">
                                <span className="text-ink">{note.file}</span>
                                {note.place !== "" && `, ${note.place}`}: {note.what}
                            </li>
                        ))}
                        {beyond > 0 && <li>{count(beyond, "more note")}</li>}
                    </ul>
                </Fold>
            )}
        </section>
    );
}
