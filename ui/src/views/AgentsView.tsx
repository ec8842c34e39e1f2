import { Plus } from "lucide-react";

import { AgentRows, MakeAgent } from "@/domains/agent";
import { Page } from "@/shared";

export default function AgentsView() {
    return (
        <Page
            title="Agents"
            lead="An agent is a folder of instructions and, for research, of stages, prompts and schemas. Agents are built in or your own; copy a built-in one to edit it."
            width="reading"
            actions={<MakeAgent label="New agent" icon={<Plus size={16} strokeWidth={1.5} />} />}
        >
            <AgentRows />
        </Page>
    );
}
