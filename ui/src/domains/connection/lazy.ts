// What is loaded when it is opened.

import { lazy } from "react";

export const ConnectionSettings = lazy(() =>
    import("./ConnectionSettings").then((module) => ({ default: module.ConnectionSettings })),
);
