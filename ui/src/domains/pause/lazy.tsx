// What is loaded when a run waits for the person.

import { Skeleton, lazyPart } from "@/shared";

export const PauseCard = lazyPart(
    () => import("./PauseCard").then((part) => part.PauseCard),
    <Skeleton lines={6} className="py-4" />,
);
