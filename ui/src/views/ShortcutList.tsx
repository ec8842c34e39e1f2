import { useState } from "react";

import { Dialog, Keys, useShortcut, useShortcuts } from "@/shared";

/** All shortcuts that hold now, behind Ctrl+/ and ?. */
export function ShortcutList() {
    const [open, setOpen] = useState(false);
    const all = useShortcuts().filter((each) => each.keys !== "");
    useShortcut("shortcuts", "Ctrl+/", "Show keyboard shortcuts", () => setOpen(true), { group: "Window" });
    useShortcut("shortcuts-sign", "?", "Show keyboard shortcuts", () => setOpen(true), { group: "Window" });
    const groups = [...new Set(all.map((each) => each.group))];
    return (
        <Dialog
            open={open}
            onOpenChange={setOpen}
            title="Keyboard shortcuts"
            description="Shortcuts available on this page."
            width="medium"
        >
            {/* So that the keyboard can scroll it. */}
            <div tabIndex={0} role="group" aria-label="Shortcuts" className="columns-2 gap-8">
                {groups.map((group) => (
                    <section key={group} className="mb-4 break-inside-avoid">
                        <h3 className="mb-1 text-small text-ink-3">{group}</h3>
                        <dl>
                            {all
                                .filter((each) => each.group === group)
                                .map((each) => (
                                    <div
                                        key={each.id}
                                        className="flex items-center justify-between gap-3 border-b border-hairline py-1"
                                    >
                                        <dt>{each.label}</dt>
                                        <dd>
                                            <Keys keys={each.keys} />
                                        </dd>
                                    </div>
                                ))}
                        </dl>
                    </section>
                ))}
            </div>
        </Dialog>
    );
}
