// The window's side of the core: commands, what was read, events, live runs.

export { call, openOutside, reconnect, shell } from "./client";
export { useConnection } from "./connection";
export { useDraft, useKeptEdit, type DraftUse } from "./draft";
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
export { upload, type NamedFile } from "./upload";
export { useRun, useRunField, useStageText, type RunLive } from "./run-events";
export { learnTurn, useSessionTurns, useStepText, useTurn, type StepText } from "./turn-events";
export { replacedBy } from "./turn-state";
export type { CommandName, Connection, Params, Result, Shell } from "./transport";
export type { Connection as ModelConnection } from "./generated";
export { openedFor, pinWorkspace, switchWorkspace, useWindowWorkspace, windowWorkspace } from "./workspace";
export type * from "./generated";
