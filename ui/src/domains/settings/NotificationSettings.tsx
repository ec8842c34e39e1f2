import type { Settings } from "@/backend";
import { Section, Switch } from "@/shared";

import type { SettingsUse } from "./useSettings";

export function NotificationSettings({ settings, change }: { settings: Settings; change: SettingsUse["change"] }) {
    return (
        <>
            <Section title="Notifications">
                <Switch
                    label="Tell when a run needs you, finishes or fails"
                    hint="Only while this window is not in front. A click opens the session. They say which run it is, and nothing of its text beyond the title."
                    checked={settings.notifications}
                    onChange={(notifications) => void change({ notifications })}
                />
            </Section>
            <Section title="Window">
                <Switch
                    label="Closing the window leaves the program in the tray"
                    hint="Runs go on there. Otherwise closing ends the program; runs under way stop at their last step and go on when you resume them."
                    checked={settings.closeToTray}
                    onChange={(closeToTray) => void change({ closeToTray })}
                />
            </Section>
        </>
    );
}
