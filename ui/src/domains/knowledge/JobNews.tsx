import { useRef } from "react";

import { useEvents, windowWorkspace, type JobState } from "@/backend";
import { go, type Route } from "@/routes";
import { count, toast, problemText } from "@/shared";

import { isJobOf } from "./jobs";

/** Tells of jobs that end, wherever the person looks. A look at files is told where it was asked for. */
export function JobNews() {
    const told = useRef(new Set<string>());
    useEvents((events) => {
        for (const event of events) {
            if (event.event !== "job" || event.value.status === "running" || event.value.kind === "preview") continue;
            if (!isJobOf(event.value, windowWorkspace())) continue;
            if (told.current.has(event.value.job)) continue;
            told.current.add(event.value.job);
            tell(event.value);
        }
    });
    return null;
}

/** What is said of a job: when it is done, what it is called when it ended otherwise, what then stays, and where it is seen. */
function wordsOf({ kind, subject }: JobState): { done: string; noun: string; kept: string; show: Route } {
    const data: Route = { page: "settings", section: "data" };
    switch (kind) {
        case "ingest":
            return {
                done: `Knowledge base “${subject}” is ready`,
                noun: `Ingest into “${subject}”`,
                kept: "Its earlier content is unchanged.",
                show: { page: "base", base: subject },
            };
        case "backup":
            return {
                done: "The backup is complete",
                noun: "The backup",
                kept: "Earlier backups are kept.",
                show: data,
            };
        case "restore":
            return {
                done: "The restore is prepared and takes effect at the next start",
                noun: "The restore",
                kept: "Nothing was changed.",
                show: data,
            };
        case "check":
            return { done: "The check is complete", noun: "The check", kept: "Nothing was changed.", show: data };
        case "import":
            return {
                done: "The import is complete",
                noun: "The import",
                kept: "What was imported is kept.",
                show: { page: "inbox", view: "inbox" },
            };
        case "download":
        case "preview":
            return {
                // What was downloaded may be a model.
                done: `“${subject}” is downloaded and ready`,
                noun: `Download of “${subject}”`,
                kept: "The partial download is kept.",
                show: { page: "knowledge" },
            };
    }
}

function tell(job: JobState): void {
    const { status, warnings, problem } = job;
    const { done, noun, kept, show } = wordsOf(job);
    const action =
        job.kind === "ingest"
            ? { label: "Ask this base", onSelect: () => go({ page: "new", base: job.subject }) }
            : { label: "Show", onSelect: () => go(show) };
    if (status === "done") {
        toast({
            text: warnings.length === 0 ? `${done}.` : `${done}, with ${count(warnings.length, "warning")}.`,
            action,
            ms: 8_000,
        });
    }
    if (status === "cancelled") toast({ text: `${noun} stopped. ${kept}` });
    // On the pages of knowledge a failure stands on the page.
    if (status === "failed" && !/^#\/knowledge([/?]|$)/.test(location.hash)) {
        toast({
            text:
                problem === null || problem === undefined ? `${noun} failed.` : problemText(problem, `${noun} failed`),
            tone: "failed",
            action: show.page === "base" ? { label: "Show", onSelect: () => go({ page: "knowledge" }) } : action,
        });
    }
}
