// The shortcuts of a page under the headings of their groups.

import { Keys, type useShortcuts } from "@/shared";

export function ShortcutGroups({ all }: { all: ReturnType<typeof useShortcuts> }) {
    const groups = [...new Set(all.map((each) => each.group))];
    return (
        // So that the keyboard can scroll it.
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
    );
}
