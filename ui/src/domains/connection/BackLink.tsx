import { ChevronLeft } from "lucide-react";

import { hrefOf } from "@/routes";

/** The way up inside of the section. */
export function BackLink({ to = {}, label = "Connections" }: { to?: { add?: string }; label?: string }) {
    return (
        <a
            href={hrefOf({ page: "settings", section: "connections", ...to })}
            className="-ml-1 mb-2 inline-flex items-center gap-0.5 rounded-[4px] pr-1 text-small text-ink-2 hover:text-ink"
        >
            <ChevronLeft size={14} strokeWidth={1.5} aria-hidden />
            {label}
        </a>
    );
}
