// A word at 80 % of a limit on money.

import { useEvents } from "@/backend";
import { go } from "@/routes";
import { toast } from "@/shared";

/** Tells of limits that are nearly reached. */
export function useLimitWarnings(): void {
    useEvents((events) => {
        for (const event of events) {
            if (event.event !== "limit") continue;
            const onSelect = () => go({ page: "settings", section: "limits" });
            toast({ text: event.value, action: { label: "Limits", onSelect } });
        }
    });
}
