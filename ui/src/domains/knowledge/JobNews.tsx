import { useRef } from "react";

import { useEvents } from "@/backend";
import { go } from "@/routes";
import { count, toast } from "@/shared";

/** Tells of ingests that end, wherever the person looks. */
export function JobNews() {
    const told = useRef(new Set<string>());
    useEvents((events) => {
        for (const event of events) {
            if (event.event !== "job" || event.value.status === "running") continue;
            const { job, subject, status, warnings, problem } = event.value;
            if (told.current.has(job)) continue;
            told.current.add(job);
            const action = { label: "Show", onSelect: () => go({ page: "base", base: subject }) };
            if (status === "done") toast({ text: warnings.length === 0 ? `The base “${subject}” is ready.` : `The base “${subject}” is ready, with ${count(warnings.length, "warning")}.`, action, ms: 8_000 });
            if (status === "cancelled") toast({ text: `Reading files into “${subject}” was stopped. What it held before is as it was.` });
            // On the pages of knowledge a failure stands on the page.
            if (status === "failed" && !/^#\/knowledge([/?]|$)/.test(location.hash)) toast({ text: `Reading files into “${subject}” failed. ${problem?.message ?? ""}`, tone: "failed", action: { label: "Show", onSelect: () => go({ page: "knowledge" }) } });
        }
    });
    return null;
}
