import { AgentRows } from "@/domains/agent";
import { Page } from "@/shared";

export default function AgentsView() {
    return (
        <Page
            title="Agents"
            lead="An agent is a folder of stages, prompts and schemas that defines how a question is researched. Agents are built in or your own."
            width="reading"
        >
            <AgentRows />
        </Page>
    );
}
