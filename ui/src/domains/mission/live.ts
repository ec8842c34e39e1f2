// A mission as it stands now: read again when the core tells of it.

import { useState } from "react";

import { useEvents, useQuery, type MissionView } from "@/backend";

export interface LiveMission {
    mission: MissionView;
    /** Changes with everything that lists of it depend on. */
    stamp: string;
    /** What it said last of its work. */
    said: string | undefined;
}

export function useMission(known: MissionView): LiveMission {
    const { data, reload } = useQuery("mission_show", { mission: known.mission });
    const [said, setSaid] = useState<string>();
    const mission = data ?? known;
    useEvents((events) => {
        let isTold = false;
        for (const event of events) {
            if (event.event !== "run" || event.value.run !== known.mission) continue;
            isTold = true;
            if (event.value.kind === "progress") setSaid(event.value.text);
        }
        if (isTold) reload();
    });
    return { mission, stamp: stampOf(mission), said: mission.status === "running" ? said : undefined };
}

function stampOf({ status, iteration, facts, graphVersion, phase, report, invocations }: MissionView): string {
    const standing = invocations.map((one) => one.status.charAt(0)).join("");
    return [status, phase, iteration, facts.version, graphVersion, report ?? "", standing].join("/");
}
