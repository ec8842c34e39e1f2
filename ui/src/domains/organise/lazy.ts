// What is loaded when it is opened.

import { lazy } from "react";

export const OrganiseSettings = lazy(() =>
    import("./OrganiseSettings").then((module) => ({ default: module.OrganiseSettings })),
);
