import { useQuery, type AgentRow } from "@/backend";
import { hrefOf } from "@/routes";
import { Badge, AsyncBoundary, Fold, Row, Rows, StateMark, count } from "@/shared";

import { AgentIcon } from "./AgentIcon";
import { ProblemList } from "./Problems";

/** All agents, those that can't run included. */
export function AgentRows() {
    const agents = useQuery("agent_list", null);
    return (
        <AsyncBoundary of={agents} what="the agents">
            {(rows) => {
                const wholes = rows.filter((agent) => !isPart(agent, rows));
                return (
                    <>
                        <Rows label="Agents">
                            {wholes.map((agent) => (
                                <AgentLine key={agent.slug} agent={agent} />
                            ))}
                        </Rows>
                        {wholes.map((whole) => (
                            <Parts
                                key={whole.slug}
                                whole={whole}
                                parts={rows.filter((each) => each.partOf === whole.slug)}
                            />
                        ))}
                    </>
                );
            }}
        </AsyncBoundary>
    );
}

/** Whether an agent is listed below another one. */
function isPart(agent: AgentRow, all: readonly AgentRow[]): boolean {
    return all.some((each) => each.slug === agent.partOf);
}

/** The agents that another one is made of. */
function Parts({ whole, parts }: { whole: AgentRow; parts: readonly AgentRow[] }) {
    if (parts.length === 0) return null;
    return (
        <Fold className="mt-3" label={`${count(parts.length, "part")} of ${whole.name}`}>
            <Rows label={`Parts of ${whole.name}`}>
                {parts.map((agent) => (
                    <AgentLine key={agent.slug} agent={agent} />
                ))}
            </Rows>
        </Fold>
    );
}

function AgentLine({ agent }: { agent: AgentRow }) {
    const broken = agent.problems.length > 0;
    return (
        <Row
            href={hrefOf({ page: "agent", slug: agent.slug })}
            icon={<AgentIcon agent={agent} />}
            title={agent.name || agent.slug}
            marks={
                <>
                    {broken && <StateMark state="failed" word="Can’t run" size={14} />}
                    {!agent.shipped && <Badge>yours</Badge>}
                </>
            }
            line={agent.description}
            end={
                agent.stages === 0 ? (
                    !broken && "conversations"
                ) : (
                    <>
                        <span className="block">{count(agent.stages, "stage")}</span>
                        {agent.depths.length > 0 && (
                            <span className="block">{count(agent.depths.length, "depth")}</span>
                        )}
                    </>
                )
            }
            below={
                broken && (
                    <div className="ml-7 border-l-2 border-failed pl-3">
                        <ProblemList problems={agent.problems} />
                    </div>
                )
            }
        />
    );
}
