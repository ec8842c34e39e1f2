// What is loaded once a session holds a mission.

import { createElement } from "react";

import { Skeleton, lazyPart } from "@/shared";

export const MissionComposer = lazyPart(() => import("./MissionComposer").then((part) => part.MissionComposer));

export const MissionCard = lazyPart(
    () => import("./MissionCard").then((part) => part.MissionCard),
    createElement(Skeleton, { lines: 8, className: "mx-auto w-full max-w-[47.5rem] p-6" }),
);
