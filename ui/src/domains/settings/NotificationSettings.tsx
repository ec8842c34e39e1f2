import type { Settings } from "@/backend";
import { Section, Switch } from "@/shared";

import type { SettingsUse } from "./useSettings";

export function NotificationSettings({ settings, change }: { settings: Settings; change: SettingsUse["change"] }) {
    return (
        <>
            <Section title="Notifications">
                <Switch
                    label="Notify when a run needs you, finishes or fails"
                    hint="Only while this window is in the background. A click opens the session. Notifications show the session title, no other text."
                    checked={settings.notifications}
                    onChange={(notifications) => void change({ notifications })}
                />
            </Section>
            <Section title="Window">
                <Switch
                    label="Keep running in the tray when the window is closed"
                    hint="Runs continue in the tray. If off, closing the window quits the program; active runs stop after their last step, and you can resume them."
                    checked={settings.closeToTray}
                    onChange={(closeToTray) => void change({ closeToTray })}
                />
            </Section>
        </>
    );
}
