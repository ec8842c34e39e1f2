// What others need of connections. Their pages are loaded when they are opened.

import { lazy } from "react";

export const ConnectionSettings = lazy(() => import("./ConnectionSettings").then((module) => ({ default: module.ConnectionSettings })));

export { PresetNames } from "./PresetGrid";
export { credentialStanding, isReady, lacks, providerWord, windowWord } from "./words";
