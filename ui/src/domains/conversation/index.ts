export { FindBar, useFind } from "./Find";
export { anchorOf, useFlash } from "./flash";
export { Header, type HeaderProps } from "./Header";
export { UNSEEN, placeOf, useColumn } from "./scroll";
export { Turn, type TurnEvents } from "./Turn";
export { useTurns, type Entry, type Turns } from "./turns";
