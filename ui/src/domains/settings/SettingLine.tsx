import type { ReactNode } from "react";

/** One setting: its name and what it does at the left, the control at the right. */
export function SettingLine({ name, hint, children }: { name: string; hint?: ReactNode; children: ReactNode }) {
    return (
        <div className="flex flex-wrap items-start gap-x-6 gap-y-2 border-b border-hairline py-3 last:border-b-0">
            <div className="min-w-48 flex-1">
                <div>{name}</div>
                {hint !== undefined && <div className="mt-0.5 text-small text-ink-3">{hint}</div>}
            </div>
            <div className="max-w-full shrink-0">{children}</div>
        </div>
    );
}
