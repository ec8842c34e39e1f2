// Where a session is written to: words for its mission while that is under way, else what stands there otherwise.

import type { ReactNode } from "react";

import { useQuery, type MissionView } from "@/backend";
import { isOver } from "@/domains/run";
import { problemText } from "@/shared";

import { Guidance } from "./Guidance";
import { useSteering } from "./Steering";

export function MissionComposer({ mission: known, children }: { mission: MissionView; children: ReactNode }) {
    // The card reads it again while it runs.
    const mission = useQuery("mission_show", { mission: known.mission }).data ?? known;
    const steering = useSteering(mission);
    if (isOver(mission.status)) return children;
    return (
        <div className="pb-2">
            {/* What is typed when the mission ends stands in the field that takes this one's place. */}
            <Guidance steering={steering} draft={mission.session} />
            {steering.problem === undefined ? (
                <p className="mt-1 text-small text-ink-3">
                    Goes to the coordinator and to agents that begin from now on. Questions can be asked when the
                    mission has ended.
                </p>
            ) : (
                <p role="alert" className="mt-1 text-small text-failed">
                    {problemText(steering.problem, "Not told")}
                </p>
            )}
        </div>
    );
}
