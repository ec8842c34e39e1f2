// What is loaded when it is opened.

import { lazyPart } from "@/shared";

export const CallLine = lazyPart(() => import("./CallLine").then((part) => part.CallLine));
export const StageInspector = lazyPart(() => import("./StageInspector").then((part) => part.StageInspector));
export const StageGroups = lazyPart(() => import("./StageGroups").then((part) => part.StageGroups));
export const RunProblem = lazyPart(() => import("./RunProblem").then((part) => part.RunProblem));
