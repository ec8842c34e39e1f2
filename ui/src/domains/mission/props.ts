// What each tab of a mission is given.

import type { MissionView } from "@/backend";

import type { Steering } from "./Steering";

export interface PartProps {
    mission: MissionView;
    /** Changes with the mission. */
    stamp: string;
    steering: Steering;
    /** Shows where a claim comes from. */
    onClaim: (claim: string) => void;
}
