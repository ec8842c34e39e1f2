// Files and folders that become a knowledge base while the person writes: where they were dropped, a question waits for them.

import { send, type JobState } from "@/backend";

import { stemOf } from "./name";
import { DEFAULT_TIER } from "./tiers";

/** The folder that all the paths lie in, or the only path: what a base made from them is called after. */
export function calledAfter(paths: readonly string[]): string {
    const [first = ""] = paths;
    const trimmed = first.replace(/[\\/]+$/, "");
    const called = paths.length <= 1 ? stemOf(trimmed) : stemOf(trimmed.replace(/[\\/][^\\/]*$/, ""));
    // Files that a browser sent lie in a folder that nobody named.
    return /^upload-[a-z0-9]+-[a-z0-9]+$/.test(called) ? "Documents" : called;
}

let carried: readonly string[] = [];

/** Keeps paths that were dropped elsewhere for the page of the next question. */
export function carry(paths: readonly string[]): void {
    carried = paths;
}

/** Whether something was dropped elsewhere that no page took yet. */
export function hasCarried(): boolean {
    return carried.length > 0;
}

/** What was dropped elsewhere; once. */
export function takeCarried(): readonly string[] {
    const paths = carried;
    carried = [];
    return paths;
}

/** Begins to make the paths a base, and gives the job. The base of just these paths gets a new generation. */
export function ingestDropped(paths: readonly string[]): Promise<JobState> {
    return send("base_ingest", {
        // Which base that is, the core knows: the same files are one base, wherever they were added.
        base: "",
        title: calledAfter(paths),
        tier: DEFAULT_TIER,
        citation: "",
        paths: [...paths],
        rules: "",
        model: "",
        watch: false,
    });
}
