import { Minus, Plus } from "lucide-react";
import { RadioGroup as Radio } from "radix-ui";
import { useMemo } from "react";

import type { Settings } from "@/backend";
import { Button, IconButton, Keys, RadioGroup, Section, THEMES, cx } from "@/shared";

import { SettingLine } from "./SettingLine";
import { ZOOM, zoomed } from "./state";
import { swatchOf } from "./swatches";
import type { SettingsUse } from "./useSettings";

const MODES: { value: Settings["mode"]; label: string }[] = [
    { value: "system", label: "As the desktop" },
    { value: "light", label: "Light" },
    { value: "dark", label: "Dark" },
];

export function AppearanceSettings({ settings, change }: { settings: Settings; change: SettingsUse["change"] }) {
    return (
        <>
            <Section title="Light and dark">
                <RadioGroup label="Light and dark" direction="row" value={settings.mode} options={MODES} onChange={(mode) => void change({ mode })} />
                <p className="mt-2 text-small text-ink-3"><Keys keys="Ctrl+Shift+A" /> swaps light and dark at any time.</p>
            </Section>
            <Section title="Theme" className="@container">
                <Themes theme={settings.theme} onChange={(theme) => void change({ theme })} />
            </Section>
            <Section title="Size">
                <SettingLine name="Zoom" hint="Of everything: text, controls, documents.">
                    <div className="flex items-center gap-1">
                        <IconButton
                            label="Smaller"
                            shortcut="Ctrl+-"
                            variant="secondary"
                            icon={<Minus size={14} strokeWidth={1.5} />}
                            disabled={settings.zoom <= ZOOM.least}
                            onClick={() => void change({ zoom: zoomed(settings.zoom, -1) })}
                        />
                        <output aria-label="Zoom" className="tabular w-14 text-center">
                            {Math.round(settings.zoom * 100)} %
                        </output>
                        <IconButton
                            label="Larger"
                            shortcut="Ctrl+="
                            variant="secondary"
                            icon={<Plus size={14} strokeWidth={1.5} />}
                            disabled={settings.zoom >= ZOOM.most}
                            onClick={() => void change({ zoom: zoomed(settings.zoom, 1) })}
                        />
                        <Button variant="quiet" disabled={settings.zoom === 1} onClick={() => void change({ zoom: 1 })}>
                            Reset
                        </Button>
                    </div>
                </SettingLine>
            </Section>
        </>
    );
}

function Themes({ theme, onChange }: { theme: string; onChange: (theme: string) => void }) {
    return (
        <Radio.Root aria-label="Theme" value={theme} onValueChange={onChange} className="grid grid-cols-2 items-start gap-3 @2xl:grid-cols-4">
            {THEMES.map((each) => (
                <Radio.Item key={each.id} value={each.id} className="group rounded-control text-left">
                    <Preview theme={each.id} chosen={each.id === theme} />
                    <span className="mt-1.5 flex items-center gap-1.5 px-0.5 text-ui">
                        <span aria-hidden className="size-3 shrink-0 rounded-full border border-hairline-strong group-data-[state=checked]:border-[4px] group-data-[state=checked]:border-accent" />
                        {each.name}
                    </span>
                </Radio.Item>
            ))}
        </Radio.Root>
    );
}

/** A page of the theme, very small, in the mode that holds now. */
function Preview({ theme, chosen }: { theme: string; chosen: boolean }) {
    const colour = useMemo(() => swatchOf(theme), [theme]);
    const bar = (name: "--ink" | "--ink-2" | "--hairline" | "--accent", className: string) => <span className={cx("block h-1 rounded-full", className)} style={{ background: colour[name] }} />;
    return (
        <span
            aria-hidden
            className={cx("flex h-20 overflow-hidden rounded-control border", chosen ? "border-accent outline-1 outline-accent" : "border-hairline-strong group-hover:border-ink-3")}
            style={{ background: colour["--page"] }}
        >
            <span className="flex w-1/4 flex-col gap-1.5 p-2" style={{ borderRight: `1px solid ${colour["--hairline"] ?? "transparent"}` }}>
                {bar("--ink-2", "w-full")}
                {bar("--hairline", "w-3/4")}
                {bar("--hairline", "w-full")}
            </span>
            <span className="flex flex-1 flex-col gap-1.5 p-2" style={{ background: colour["--surface"] }}>
                {bar("--ink", "w-2/3")}
                {bar("--ink-2", "w-full")}
                {bar("--ink-2", "w-5/6")}
                <span className="mt-auto h-2.5 w-7 rounded-[3px]" style={{ background: colour["--accent"] }} />
            </span>
        </span>
    );
}
