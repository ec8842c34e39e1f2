// What is said to a mission: stop, go on, write, end. Each is one command; what went wrong is kept for the card.

import { FileText, Play, Square, XCircle } from "lucide-react";

import { useState } from "react";

import { useCommand, type MissionSteer, type MissionView, type Problem } from "@/backend";
import { canGoOn, isOver } from "@/domains/run";
import { Button, confirm, toast } from "@/shared";

const icon = { size: 16, strokeWidth: 1.5 } as const;

export interface Steering {
    /** Says it; gives whether that was done. */
    say: (steer: MissionSteer) => Promise<boolean>;
    goOn: () => Promise<boolean>;
    /** Asks first. */
    end: () => Promise<void>;
    pending: boolean;
    /** Whether it was told to stop and has not yet: agents at work finish their step. */
    stopping: boolean;
    problem: Problem | undefined;
    clear: () => void;
    /** Why nothing can be changed any more; undefined while it can. */
    closed: string | undefined;
}

export function useSteering(mission: MissionView): Steering {
    const steer = useCommand("mission_steer");
    const resume = useCommand("mission_resume");
    const [stopped, setStopped] = useState(false);
    if (stopped && mission.status !== "running") setStopped(false);
    const say = async (what: MissionSteer) => {
        resume.clear();
        const { problem } = await steer.run({ mission: mission.mission, steer: what });
        if (what.say === "suspend" && problem === undefined) setStopped(true);
        return problem === undefined;
    };
    return {
        say,
        goOn: async () => {
            steer.clear();
            const { problem } = await resume.run({ mission: mission.mission });
            return problem === undefined;
        },
        end: async () => {
            const sure = await confirm({
                title: "End this mission?",
                body: "It can’t be resumed, and no report is written. Its findings stay readable. For a report on these findings, choose “Write the report now” instead.",
                confirmLabel: "End mission",
                cancelLabel: "Keep mission",
                danger: true,
            });
            if (sure) await say({ say: "cancel" });
        },
        pending: steer.pending || resume.pending,
        stopping: stopped && mission.status === "running",
        problem: steer.problem ?? resume.problem,
        clear: () => {
            steer.clear();
            resume.clear();
        },
        closed: !isOver(mission.status)
            ? undefined
            : `The mission ${mission.status === "completed" ? "is complete" : "was ended"}. What it found is fixed.`,
    };
}

export function SteerButtons({ mission, steering }: { mission: MissionView; steering: Steering }) {
    const { status, phase, pauses } = mission;
    if (isOver(mission.status)) return null;
    const running = status === "running";
    const rests = canGoOn(status);
    const write = async () => {
        if (await steering.say({ say: "write" })) toast({ text: "The report is written from what is known." });
    };
    return (
        <div className="flex flex-wrap gap-2">
            {running && (
                <Button
                    icon={<Square size={12} strokeWidth={1.5} />}
                    disabled={steering.pending || steering.stopping}
                    onClick={() => void steering.say({ say: "suspend" })}
                    title="Stop the mission. It can be resumed; finished work is not repeated."
                >
                    {steering.stopping ? "Stopping…" : "Stop"}
                </Button>
            )}
            {rests && (
                <Button
                    variant="primary"
                    icon={<Play {...icon} />}
                    disabled={steering.pending}
                    onClick={() => void steering.goOn()}
                >
                    {status === "failed" ? "Try again" : "Go on"}
                </Button>
            )}
            {/* A pause has the choice itself. */}
            {phase !== "report" && pauses.length === 0 && status !== "failed" && (
                <Button
                    icon={<FileText {...icon} />}
                    disabled={steering.pending}
                    onClick={() => void write()}
                    title="End research and write the report from what is known."
                >
                    Write the report now
                </Button>
            )}
            {rests && (
                <Button
                    variant="quiet"
                    icon={<XCircle {...icon} />}
                    disabled={steering.pending}
                    onClick={() => void steering.end()}
                >
                    End mission
                </Button>
            )}
        </div>
    );
}
