import { Tabs as Radix } from "radix-ui";
import type { ReactNode } from "react";

import { cx } from "./cx";

export interface Tab {
    id: string;
    label: string;
    /** A number or a mark beside the words. */
    note?: ReactNode;
    content: ReactNode;
}

export interface TabsProps {
    label: string;
    tabs: Tab[];
    value?: string;
    onChange?: (id: string) => void;
    /** Whether the content goes on with the page, instead of in a box that scrolls by itself. */
    inPage?: boolean;
    className?: string;
}

export function Tabs({ label, tabs, value, onChange, inPage = false, className }: TabsProps) {
    return (
        <Radix.Root
            value={value}
            defaultValue={tabs[0]?.id}
            onValueChange={onChange}
            className={cx("flex min-h-0 flex-col", className)}
        >
            <Radix.List
                aria-label={label}
                className="-ml-1.5 flex shrink-0 gap-1 overflow-x-auto border-b border-hairline"
            >
                {tabs.map((tab) => (
                    <Radix.Trigger
                        key={tab.id}
                        value={tab.id}
                        className="ring-inside flex h-8 shrink-0 items-center gap-1.5 rounded-t-[4px] border-b-2 px-1.5 border-transparent text-ui text-ink-2 hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink"
                    >
                        {tab.label}
                        {tab.note !== undefined && <span className="tabular text-small text-ink-3">{tab.note}</span>}
                    </Radix.Trigger>
                ))}
            </Radix.List>
            {tabs.map((tab) => (
                <Radix.Content
                    key={tab.id}
                    value={tab.id}
                    className={cx("ring-inside pt-3", !inPage && "min-h-0 flex-1 overflow-y-auto")}
                >
                    {tab.content}
                </Radix.Content>
            ))}
        </Radix.Root>
    );
}
