// A mission in its session: what it is after, how far it is, what was found, and what is said to it.

import { FileText, MessageCirclePlus, RotateCcw } from "lucide-react";
import { useRef, useState } from "react";

import { useCommand, type MissionView } from "@/backend";
import { isOver } from "@/domains/run";
import { go, hrefOf } from "@/routes";
import { Button, ErrorCard, Fold, StateMark, Tabs, Waiting, count, type Tab } from "@/shared";

import { Agents } from "./Agents";
import { AtWork } from "./AtWork";
import { Claims } from "./Claims";
import { Contradictions } from "./Contradictions";
import { Entities } from "./Entities";
import { Gaps } from "./Gaps";
import { Journal } from "./Journal";
import { Guidance } from "./Guidance";
import { NewestClaims } from "./NewestClaims";
import { NextMission, type NextKind } from "./NextMission";
import { PauseForm } from "./PauseForm";
import { Plan } from "./Plan";
import { ProvenanceDialog } from "./ProvenanceDialog";
import { Report } from "./Report";
import { Sources } from "./Sources";
import { Criteria, Spend } from "./Progress";
import { SteerButtons, useSteering } from "./Steering";
import { INTERRUPTED, missionStatus, phaseWord } from "./labels";
import { useMission } from "./live";

export interface MissionCardProps {
    mission: MissionView;
    /** The newest of its session is told things where the session is written to, any other one here. */
    newest: boolean;
}

export function MissionCard({ mission: known, newest }: MissionCardProps) {
    const { mission, stamp, said } = useMission(known);
    const steering = useSteering(mission);
    const [tab, setTab] = useState<string>();
    const [claim, setClaim] = useState<string>();
    const [next, setNext] = useState<NextKind>();
    const opener = useRef<HTMLElement | null>(null);
    const over = isOver(mission.status);
    const { state, word } = missionStatus(mission);
    const objective = mission.objective === "" ? mission.request : mission.objective;
    const showClaim = (id: string) => {
        opener.current = document.activeElement instanceof HTMLElement ? document.activeElement : null;
        setClaim(id);
    };
    const repeating = useCommand("mission_start");
    const repeat = async () => {
        const { value } = await repeating.run({ base: mission.mission });
        if (value !== undefined) go({ page: "session", session: mission.session, run: value });
    };
    const problem = steering.problem ?? repeating.problem;
    const { counts } = mission.facts;
    const claims =
        counts.supported_claims + counts.unsupported_claims + counts.disputed_claims + counts.rejected_claims;
    const parts = { mission, stamp, steering, onClaim: showClaim };
    const tabs: Tab[] = [
        { id: "report", label: "Report", content: <Report {...parts} /> },
        { id: "journal", label: "Journal", content: <Journal {...parts} /> },
        { id: "plan", label: "Plan", content: <Plan {...parts} /> },
        { id: "agents", label: "Agents", note: mission.invocations.length, content: <Agents {...parts} /> },
        { id: "claims", label: "Claims", note: claims, content: <Claims {...parts} /> },
        { id: "gaps", label: "Gaps", note: counts.open_gaps, content: <Gaps {...parts} /> },
        {
            id: "contradictions",
            label: "Contradictions",
            note: counts.open_contradictions,
            content: <Contradictions {...parts} />,
        },
        { id: "entities", label: "Entities", note: counts.entities, content: <Entities {...parts} /> },
        { id: "sources", label: "Sources", note: counts.sources, content: <Sources {...parts} /> },
    ];
    return (
        <article
            aria-label={`Mission: ${objective}`}
            className="mx-auto flex w-full max-w-[47.5rem] flex-col gap-4 px-6 pt-6 pb-6 @min-[54rem]:max-w-[58rem]"
        >
            <header>
                <p className="flex flex-wrap items-baseline gap-x-2 text-small text-ink-3">
                    <span className="font-medium">Mission</span>
                    <span>{mission.profileName}</span>
                    {mission.previous !== null && (
                        <a
                            className="text-accent hover:underline"
                            href={hrefOf({ page: "session", session: mission.session, run: mission.previous })}
                        >
                            Goes on with an earlier mission
                        </a>
                    )}
                    {mission.base !== null && (
                        <a
                            className="text-accent hover:underline"
                            href={hrefOf({ page: "session", session: mission.session, run: mission.base })}
                        >
                            Repeats an earlier mission
                        </a>
                    )}
                </p>
                <h2 className="mt-0.5 text-title font-medium break-words whitespace-pre-wrap">{objective}</h2>
                {mission.outputSpecification !== "" && (
                    <p className="mt-1 text-ui text-ink-2">
                        <span className="text-ink-3">Report: </span>
                        {mission.outputSpecification.replace(/^format:\s*/i, "")}
                    </p>
                )}
                {objective !== mission.request && (
                    <Fold label="What you wrote" className="mt-1">
                        <p className="border-l border-hairline pl-3 text-ui break-words whitespace-pre-wrap text-ink-2">
                            {mission.request}
                        </p>
                    </Fold>
                )}
            </header>
            <div className="flex min-h-7 flex-wrap items-center gap-x-3 gap-y-2">
                <StateMark state={state} word={word} show="badge" />
                {/* A low window has no line to give away. */}
                <span className="min-w-0 flex-1 basis-80 [@media(max-height:32rem)]:basis-40">
                    {mission.status === "running" ? (
                        <Waiting
                            what={steering.stopping ? "Stopping: agents end their step" : (said ?? phaseWord(mission))}
                        />
                    ) : (
                        <span className="text-small text-ink-2">{standing(mission)}</span>
                    )}
                </span>
                <SteerButtons mission={mission} steering={steering} />
                {(over || claims > 0) && (
                    <div className="flex flex-wrap gap-2">
                        <Button
                            icon={<MessageCirclePlus size={16} strokeWidth={1.5} />}
                            onClick={() => setNext("follow-up")}
                        >
                            Follow-up…
                        </Button>
                        <Button icon={<FileText size={16} strokeWidth={1.5} />} onClick={() => setNext("report")}>
                            Another report…
                        </Button>
                        {over && (
                            <Button
                                icon={<RotateCcw size={16} strokeWidth={1.5} />}
                                disabled={repeating.pending}
                                title="Start the mission again with agents and documents as they are now. Invocations with unchanged input reuse their results."
                                onClick={() => void repeat()}
                            >
                                Run again
                            </Button>
                        )}
                    </div>
                )}
            </div>
            {problem !== undefined && (
                <ErrorCard
                    title="The action failed."
                    advice={problem.action ?? undefined}
                    kept="The mission is as it was."
                >
                    {problem.message}
                </ErrorCard>
            )}
            {mission.pauses.map((form) => (
                <PauseForm key={form.pause} form={form} {...parts} />
            ))}
            {mission.status === "failed" && (
                <ErrorCard
                    title={mission.problem?.message ?? "The mission failed."}
                    kept="All findings are kept; finished work is not repeated."
                    advice={mission.problem?.action ?? undefined}
                    details={mission.problem === null ? undefined : JSON.stringify(mission.problem, null, 2)}
                />
            )}
            {over && mission.unmet.length > 0 && (mission.ended !== null || mission.open.length > 0) && (
                <p className="rounded-card border border-l-2 border-hairline border-l-needs-rule bg-surface px-4 py-2 text-ui text-ink-2">
                    {mission.ended !== null && `Research ended: ${mission.ended}.`}
                    {mission.open.map((question) => (
                        <span key={question} className="block break-words">
                            Open: {question}
                        </span>
                    ))}
                </p>
            )}
            <div className="grid grid-cols-1 gap-x-10 gap-y-4 @min-[40rem]:grid-cols-[3fr_2fr]">
                <Criteria mission={mission} />
                <Spend mission={mission} steering={steering} />
            </div>
            <AtWork mission={mission} />
            {/* Before its first iteration what is known is of a mission before. */}
            {!over && mission.iteration > 0 && <NewestClaims {...parts} />}
            {!over && !newest && <Guidance steering={steering} draft={`mission/${mission.mission}`} />}
            <Tabs
                label="Parts of the mission"
                inPage
                tabs={tabs}
                value={tab ?? (mission.report === null ? "journal" : "report")}
                onChange={setTab}
                className="mt-2"
            />
            {next !== undefined && <NextMission mission={mission} kind={next} onClose={() => setNext(undefined)} />}
            {claim !== undefined && (
                <ProvenanceDialog
                    mission={mission}
                    claim={claim}
                    steering={steering}
                    onClaim={setClaim}
                    onClose={() => {
                        setClaim(undefined);
                        requestAnimationFrame(() => opener.current?.focus({ preventScroll: true }));
                    }}
                />
            )}
        </article>
    );
}

/** One line on a mission that is not at work. */
function standing(mission: MissionView): string {
    if (mission.status === "interrupted") return INTERRUPTED;
    // The first analysis comes after the plan.
    if (mission.facts.version === 0 && mission.previous !== null) return "Begins with what the earlier mission found";
    const { supported_claims: supported, sources } = mission.facts.counts;
    if (sources === 0 && mission.iteration === 0) return "Nothing is known yet";
    const found = `${count(supported, "supported claim")} from ${count(sources, "source")}`;
    const known = mission.iteration === 0 ? found : `${found} in ${count(mission.iteration, "iteration")}`;
    if (!isOver(mission.status) || mission.unmet.length === 0) return known;
    return `${known}. Not met: ${mission.unmet.map((name) => name.replace(/_/g, " ")).join(", ")}`;
}
