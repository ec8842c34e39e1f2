// Files and folders that become a knowledge base while the person writes: where they were dropped, a question waits for them.

import { call, send, type IngestRequest, type JobState } from "@/backend";

import { nameFrom, stemOf } from "./name";

/** The folder that all the paths lie in, or the only path: what a base made from them is called after. */
export function calledAfter(paths: readonly string[]): string {
    const [first = ""] = paths;
    const trimmed = first.replace(/[\\/]+$/, "");
    const called = paths.length <= 1 ? stemOf(trimmed) : stemOf(trimmed.replace(/[\\/][^\\/]*$/, ""));
    // Files that a browser sent lie in a folder that nobody named.
    return /^upload-[a-z0-9]+-[a-z0-9]+$/.test(called) ? "Documents" : called;
}

/** A name that no other base has: the title's, with a number where it is taken. */
export function freeName(title: string, taken: readonly string[]): string {
    const wanted = nameFrom(title) || "documents";
    if (!taken.includes(wanted)) return wanted;
    for (let number = 2; ; number += 1) {
        const next = nameFrom(`${wanted.slice(0, 56)}-${number}`);
        if (!taken.includes(next)) return next;
    }
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
export async function ingestDropped(paths: readonly string[]): Promise<JobState> {
    const bases = await call("base_list", null);
    const title = calledAfter(paths);
    const wanted = nameFrom(title) || "documents";
    const alike = bases.find((base) => base.name === wanted && !base.shipped);
    const recipe = alike === undefined ? null : (await call("base_show", { base: alike.name })).recipe;
    const again = recipe !== null && recipe !== undefined && samePaths(recipe.paths, paths);
    const request: IngestRequest = again
        ? { ...recipe, base: wanted }
        : {
              base: freeName(
                  title,
                  bases.map((base) => base.name),
              ),
              title,
              tier: "guide",
              citation: "",
              paths: [...paths],
              rules: "",
              model: "",
              watch: false,
          };
    return send("base_ingest", request);
}

function samePaths(one: readonly string[], other: readonly string[]): boolean {
    const bare = (paths: readonly string[]) => paths.map((path) => path.replace(/[\\/]+$/, "")).sort();
    return bare(one).join("\n") === bare(other).join("\n");
}
