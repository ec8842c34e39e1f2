// How much the agent may do unasked: one quiet button that opens to all three, and Shift+Tab where the text is written.

import { Eye, PencilLine, Zap } from "lucide-react";

import type { Mode } from "@/backend";
import { Menu, confirm, cx, type MenuEntry } from "@/shared";

import { AUTO_ASKS, MODES, modeWord } from "./modes";

const ICONS = { safe: Eye, ask: PencilLine, "allow-all": Zap } as const;
const TONES = { safe: "text-done", ask: "text-accent", "allow-all": "text-needs" } as const;

/** Sessions in which Auto was confirmed, for as long as the window lives. */
const confirmed = new Set<string>();

/** Auto is asked about once a session. */
export async function mayBecome(mode: Mode, session: string): Promise<boolean> {
    if (mode !== "allow-all" || confirmed.has(session)) return true;
    const sure = await confirm({
        title: "Let the agent work without asking?",
        body: `In Auto the agent changes files in this session’s folders, runs commands and sends requests without asking first. ${AUTO_ASKS} You can switch back at any time.`,
        confirmLabel: "Turn Auto on",
    });
    if (sure) confirmed.add(session);
    return sure;
}

export function ModeIcon({ mode, size = 14 }: { mode: Mode; size?: 12 | 14 }) {
    const Icon = ICONS[mode];
    return <Icon size={size} strokeWidth={1.5} aria-hidden className={cx("shrink-0", TONES[mode])} />;
}

export function ModeSwitch({
    mode,
    onChange,
    disabled = false,
}: {
    mode: Mode;
    onChange: (mode: Mode) => void;
    disabled?: boolean;
}) {
    const entries: MenuEntry[] = [
        ...MODES.map((each): MenuEntry => ({
            id: each.mode,
            label: each.word,
            hint: each.hint,
            icon: <ModeIcon mode={each.mode} />,
            checked: each.mode === mode,
            onSelect: () => onChange(each.mode),
        })),
    ];
    return (
        <Menu
            side="top"
            entries={entries}
            trigger={
                <button
                    type="button"
                    disabled={disabled}
                    aria-label={`Mode: ${modeWord(mode)}`}
                    title={`${MODES.find((each) => each.mode === mode)?.hint ?? ""} Shift+Tab in the message field changes the mode.`}
                    className={cx(
                        "flex h-7 shrink-0 items-center gap-1.5 rounded-control px-2 font-medium hover:bg-hover disabled:opacity-50",
                        TONES[mode],
                    )}
                >
                    <ModeIcon mode={mode} />
                    {modeWord(mode)}
                </button>
            }
        />
    );
}
