import { useRef } from "react";

import { useEvents, type JobState } from "@/backend";
import { go } from "@/routes";
import { count, toast } from "@/shared";

/** Tells of jobs that end, wherever the person looks. A look at files is told where it was asked for. */
export function JobNews() {
    const told = useRef(new Set<string>());
    useEvents((events) => {
        for (const event of events) {
            if (event.event !== "job" || event.value.status === "running" || event.value.kind === "preview") continue;
            if (told.current.has(event.value.job)) continue;
            told.current.add(event.value.job);
            tell(event.value);
        }
    });
    return null;
}

function tell({ kind, subject, status, warnings, problem }: JobState): void {
    const ingest = kind === "ingest";
    if (status === "done") {
        const what = ingest ? `Knowledge base “${subject}” is ready` : `“${subject}” is downloaded and ready`;
        // What was downloaded may be a model.
        const action = {
            label: ingest ? "Ask this base" : "Show",
            onSelect: () => go(ingest ? { page: "new", base: subject } : { page: "knowledge" }),
        };
        toast({
            text: warnings.length === 0 ? `${what}.` : `${what}, with ${count(warnings.length, "warning")}.`,
            action,
            ms: 8_000,
        });
    }
    if (status === "cancelled")
        toast({
            text: ingest
                ? `Ingest into “${subject}” stopped. Its earlier content is unchanged.`
                : `Download of “${subject}” stopped. The partial download is kept.`,
        });
    // On the pages of knowledge a failure stands on the page.
    if (status === "failed" && !/^#\/knowledge([/?]|$)/.test(location.hash)) {
        toast({
            text: `${ingest ? `Ingest into “${subject}”` : `Download of “${subject}”`} failed. ${problem?.message ?? ""}`,
            tone: "failed",
            action: { label: "Show", onSelect: () => go({ page: "knowledge" }) },
        });
    }
}
