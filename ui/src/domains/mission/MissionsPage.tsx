// All missions, and the profiles that new ones follow.

import { Compass } from "lucide-react";

import { useQuery, type ProfileRow } from "@/backend";
import { runStatus } from "@/domains/run";
import { WaitingNotice } from "@/domains/web";
import { go, hrefOf } from "@/routes";
import { AsyncBoundary, Button, EmptyState, ErrorCard, RelativeTime, Row, Rows, Section, StateMark } from "@/shared";

import { OpenGraph } from "./OpenGraph";
import { INTERRUPTED } from "./labels";

export function MissionsPage() {
    const list = useQuery("mission_list", null);
    const profiles = useQuery("profile_list", null);
    return (
        <>
            <WaitingNotice />
            <AsyncBoundary of={list} what="the missions">
                {(missions) =>
                    missions.length === 0 ? (
                        <EmptyState
                            title="No missions yet"
                            className="px-0"
                            icon={<Compass size={20} strokeWidth={1.5} />}
                        >
                            Start one with an objective. Its agents plan questions, look them up and check what they
                            found; every statement of the report names its sources.
                        </EmptyState>
                    ) : (
                        <Rows label="Missions">
                            {missions.map((mission) => {
                                const { state, word } = runStatus(mission.status);
                                return (
                                    <Row
                                        key={mission.mission}
                                        href={hrefOf({
                                            page: "session",
                                            session: mission.session,
                                            run: mission.mission,
                                        })}
                                        icon={<Compass size={16} strokeWidth={1.5} aria-hidden />}
                                        title={mission.title}
                                        marks={<StateMark state={state} word={word} show="badge" />}
                                        line={mission.status === "interrupted" ? INTERRUPTED : mission.line}
                                        end={<RelativeTime at={mission.updatedAt} />}
                                    />
                                );
                            })}
                        </Rows>
                    )
                }
            </AsyncBoundary>
            <Section title="Profiles" note="A mission’s goal, its criteria, and what it may use">
                <AsyncBoundary of={profiles} what="the profiles of missions">
                    {(rows) =>
                        rows.length === 0 ? (
                            <p className="text-ui text-ink-2">This workspace has no profile of missions.</p>
                        ) : (
                            <ul className="border-y border-hairline">
                                {rows.map((profile) => (
                                    <Profile key={profile.slug} profile={profile} />
                                ))}
                            </ul>
                        )
                    }
                </AsyncBoundary>
            </Section>
            <Section title="Open a graph" note="A file exported from a mission’s report, here or on another machine">
                <OpenGraph />
            </Section>
        </>
    );
}

function Profile({ profile }: { profile: ProfileRow }) {
    return (
        <li className="flex flex-wrap items-start gap-x-4 gap-y-2 border-b border-hairline py-3 last:border-b-0">
            <div className="min-w-0 flex-1 basis-72">
                <h3 className="text-ui font-medium">{profile.name}</h3>
                <p className="text-ui text-ink-2">{profile.description}</p>
                {profile.problems.length > 0 && (
                    <ErrorCard
                        className="mt-2"
                        title="This profile can’t be used."
                        advice="Correct its `mission.json`; it is read again then."
                    >
                        {profile.problems.join("\n")}
                    </ErrorCard>
                )}
            </div>
            {profile.problems.length === 0 && (
                <Button onClick={() => go({ page: "missions", add: profile.slug })}>
                    Start…<span className="sr-only"> {profile.name}</span>
                </Button>
            )}
        </li>
    );
}
