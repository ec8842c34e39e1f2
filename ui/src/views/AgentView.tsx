import { AgentPage } from "@/domains/agent";
import { useRoute } from "@/routes";

export default function AgentView() {
    const route = useRoute();
    return route.page === "agent" ? <AgentPage key={route.slug} slug={route.slug} edit={route.edit} /> : null;
}
