// What is loaded once something has to be allowed.

import { createElement } from "react";

import { Skeleton, lazyPart } from "@/shared";

export const ApprovalCard = lazyPart(
    () => import("./ApprovalCard").then((part) => part.ApprovalCard),
    createElement(Skeleton, { lines: 6 }),
);
