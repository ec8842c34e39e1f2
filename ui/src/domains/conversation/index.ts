import { lazyPart } from "@/shared";

export const FindBar = lazyPart(() => import("./FindBar").then((part) => part.FindBar));
export { useFind } from "./Find";
export { anchorOf, useFlash } from "./flash";
export { Header, type HeaderProps } from "./Header";
export { UNSEEN, placeOf, useColumn } from "./scroll";
export { Turn, type TurnEvents } from "./Turn";
export { useTurns, type Entry, type Turns } from "./turns";
