// What is loaded when it is opened.

import { lazy } from "react";

export const CredentialSettings = lazy(() =>
    import("./CredentialSettings").then((module) => ({ default: module.CredentialSettings })),
);
