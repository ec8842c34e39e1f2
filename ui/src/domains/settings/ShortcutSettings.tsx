import { Search } from "lucide-react";
import { useState } from "react";

import { Keys, Section, TextField } from "@/shared";

import { useKnownShortcuts } from "./knownShortcuts";

export function ShortcutSettings() {
    const all = useKnownShortcuts();
    const [text, setText] = useState("");
    const wanted = text.trim().toLowerCase();
    const found = all.filter((each) => wanted === "" || `${each.label} ${each.keys} ${each.group}`.toLowerCase().includes(wanted));
    const groups = [...new Set(found.map((each) => each.group))];
    return (
        <Section title="Shortcuts" note="Ctrl is Cmd on a Mac.">
            <TextField
                type="search"
                label="Search the shortcuts"
                hideLabel
                value={text}
                onChange={setText}
                placeholder="Search by what it does or by its keys…"
                icon={<Search size={14} strokeWidth={1.5} />}
                className="mb-4 max-w-sm"
            />
            <p role="status" className="sr-only">
                {found.length} shown
            </p>
            {found.length === 0 && <p className="text-ui text-ink-2">No shortcut fits “{text}”.</p>}
            {groups.map((group) => (
                <section key={group} className="mb-5 max-w-xl">
                    <h3 className="mb-1 text-small font-medium text-ink-2">{group}</h3>
                    <dl className="border-t border-hairline">
                        {found
                            .filter((each) => each.group === group)
                            .map((each) => (
                                <div key={each.id} className="flex min-h-8 items-center justify-between gap-4 border-b border-hairline">
                                    <dt>{each.label}</dt>
                                    <dd className="shrink-0">
                                        <Keys keys={each.keys} />
                                    </dd>
                                </div>
                            ))}
                    </dl>
                </section>
            ))}
            <p className="max-w-xl text-small text-ink-3">Shortcuts of a page are listed once that page was open in this window. Ctrl+/ lists those that hold where you are.</p>
        </Section>
    );
}
