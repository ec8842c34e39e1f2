// The window's side of the core: commands, what was read, events, live runs.

export { call, openOutside, reconnect, shell } from "./client";
export { useConnection } from "./connection";
export { useDraft, type DraftUse } from "./draft";
export { useKeptEdit } from "./kept-edit";
export { onEvents, startEvents, useEvents } from "./events";
export { Failure, toProblem } from "./problem";
export {
    invalidate,
    learn,
    readOnce,
    send,
    skip,
    useCommand,
    useQueries,
    useQuery,
    type CommandUse,
    type Query,
} from "./query";
export type { NamedFile } from "./upload";
export { useRun, useRunField, useStageText, type RunLive } from "./run-events";
export { learnTurn, useSessionTurns, useStepText, useTurn, type StepText } from "./turn-events";
export type { CommandName, Connection, Params, Result, Shell } from "./transport";
export type { Connection as ModelConnection } from "./generated";
export {
    ofWorkspace,
    openedFor,
    pinWorkspace,
    switchWorkspace,
    useOfWorkspace,
    useWindowWorkspace,
    windowWorkspace,
} from "./workspace";
export type * from "./generated";

/** Hands files over; gives the folder on the core's machine that holds them. */
export async function upload(...given: Parameters<typeof import("./upload").upload>): Promise<string> {
    return (await import("./upload")).upload(...given);
}
