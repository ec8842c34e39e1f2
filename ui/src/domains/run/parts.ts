// What is loaded when it is opened.

import { later } from "@/shared";

export const CallLine = later(() => import("./CallLine").then((part) => part.CallLine));
export const StageInspector = later(() => import("./StageInspector").then((part) => part.StageInspector));
