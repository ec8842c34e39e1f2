// What is loaded when a run waits for the person.

import { Skeleton, later } from "@/shared";

export const PauseCard = later(
    () => import("./PauseCard").then((part) => part.PauseCard),
    <Skeleton lines={6} className="py-4" />,
);
