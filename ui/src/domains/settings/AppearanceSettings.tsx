import { Minus, Plus } from "lucide-react";

import type { Settings } from "@/backend";
import { ThemeGallery } from "@/domains/theme";
import { Button, IconButton, Keys, RadioGroup, Section } from "@/shared";

import { SettingLine } from "./SettingLine";
import { ZOOM, zoomed } from "./state";
import type { SettingsUse } from "./useSettings";

const MODES: { value: Settings["mode"]; label: string }[] = [
    { value: "system", label: "System" },
    { value: "light", label: "Light" },
    { value: "dark", label: "Dark" },
];

export function AppearanceSettings({ settings, change }: { settings: Settings; change: SettingsUse["change"] }) {
    return (
        <>
            <Section title="Colour mode">
                <RadioGroup
                    label="Colour mode"
                    direction="row"
                    value={settings.mode}
                    options={MODES}
                    onChange={(mode) => void change({ mode })}
                />
                <p className="mt-2 text-small text-ink-3">
                    <Keys keys="Ctrl+Shift+A" /> toggles light and dark.
                </p>
            </Section>
            <Section title="Theme" className="@container">
                <ThemeGallery theme={settings.theme} onChange={(theme) => void change({ theme })} />
            </Section>
            <Section title="Zoom">
                <SettingLine name="Zoom" hint="Scales text, controls and documents.">
                    <div className="flex items-center gap-1">
                        <IconButton
                            label="Zoom out"
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
                            label="Zoom in"
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
