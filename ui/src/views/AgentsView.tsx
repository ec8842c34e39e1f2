import { AgentRows } from "@/domains/agent";
import { Page } from "@/shared";

export default function AgentsView() {
    return (
        <Page title="Agents" lead="Each is a folder of stages, prompts and schemas that says how a question is researched. They come with the program, or are yours." width="reading">
            <AgentRows />
        </Page>
    );
}
