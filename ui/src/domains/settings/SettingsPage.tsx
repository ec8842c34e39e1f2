import { Suspense, type ReactNode } from "react";

import { ConnectionSettings } from "@/domains/connection";
import { CredentialSettings } from "@/domains/credential";
import { PermissionSettings } from "@/domains/permission";
import { OrganiseSettings } from "@/domains/organise";
import { hrefOf } from "@/routes";
import { AsyncBoundary, Page, Skeleton, cx } from "@/shared";

import { AboutSettings } from "./AboutSettings";
import { AppearanceSettings } from "./AppearanceSettings";
import { DataSettings } from "./DataSettings";
import { HealthSettings } from "./HealthSettings";
import { LimitSettings } from "./LimitSettings";
import { NotificationSettings } from "./NotificationSettings";
import { SECTIONS, type SectionId } from "./sections";
import { ShortcutSettings } from "./ShortcutSettings";
import { useSettings, type SettingsUse } from "./useSettings";
import { WritingSettings } from "./WritingSettings";

export interface SettingsPageProps {
    section: string;
    /** One thing of the section, where it has some. */
    open?: string;
    /** A new thing of the section. */
    add?: string;
}

/** All settings, a part at a time. They apply at once. */
export function SettingsPage({ section, open, add }: SettingsPageProps) {
    const use = useSettings();
    const current = SECTIONS.find((each) => each.id === section) ?? SECTIONS[0];
    return (
        <Page title="Settings">
            <div className="grid grid-cols-1 gap-x-10 gap-y-5 min-[56rem]:grid-cols-[9.5rem_minmax(0,44rem)]">
                <nav aria-label="Settings" className="-mx-2 min-[56rem]:mt-0">
                    <ul className="flex flex-wrap gap-0.5 min-[56rem]:flex-col">
                        {SECTIONS.map(({ id, word }) => (
                            <li key={id}>
                                <a
                                    href={hrefOf({ page: "settings", section: id })}
                                    aria-current={id === current.id ? "page" : undefined}
                                    className={cx(
                                        "ring-inside block rounded-control px-2 py-1 text-ui",
                                        id === current.id
                                            ? "bg-accent-soft font-medium text-accent"
                                            : "text-ink-2 hover:bg-hover hover:text-ink",
                                    )}
                                >
                                    {word}
                                </a>
                            </li>
                        ))}
                    </ul>
                </nav>
                <div className="@container min-w-0">
                    <Suspense fallback={<Skeleton lines={5} className="max-w-xl" />}>
                        {content(current.id, use, { open, add })}
                    </Suspense>
                </div>
            </div>
        </Page>
    );
}

function content(section: SectionId, use: SettingsUse, at: { open?: string; add?: string }): ReactNode {
    const { settings, problem, reload, change } = use;
    const withSettings = (draw: (settings: NonNullable<SettingsUse["settings"]>) => ReactNode) => (
        <AsyncBoundary of={{ data: settings, problem, reload }} what="the settings">
            {draw}
        </AsyncBoundary>
    );
    switch (section) {
        case "appearance":
            return withSettings((known) => <AppearanceSettings settings={known} change={change} />);
        case "notifications":
            return withSettings((known) => <NotificationSettings settings={known} change={change} />);
        case "writing":
            return withSettings((known) => <WritingSettings settings={known} change={change} />);
        case "organisation":
            return <OrganiseSettings {...at} />;
        case "connections":
            return <ConnectionSettings {...at} />;
        case "limits":
            return withSettings((known) => <LimitSettings settings={known} change={change} />);
        case "credentials":
            return <CredentialSettings />;
        case "permissions":
            return <PermissionSettings />;
        case "shortcuts":
            return <ShortcutSettings />;
        case "data":
            return <DataSettings />;
        case "health":
            return <HealthSettings />;
        case "about":
            return <AboutSettings />;
    }
}
