import { useQuery, type AgentRow } from "@/backend";
import { hrefOf } from "@/routes";
import { Badge, AsyncBoundary, Row, Rows, StateMark, count } from "@/shared";

import { AgentIcon } from "./AgentIcon";
import { ProblemList } from "./Problems";

/** All agents, those that can't run included. */
export function AgentRows() {
    const agents = useQuery("agent_list", null);
    return (
        <AsyncBoundary of={agents} what="the agents">
            {(rows) => (
                <Rows label="Agents">
                    {rows.map((agent) => (
                        <AgentLine key={agent.slug} agent={agent} />
                    ))}
                </Rows>
            )}
        </AsyncBoundary>
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
