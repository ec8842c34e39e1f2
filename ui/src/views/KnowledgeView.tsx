import { KnowledgePage } from "@/domains/knowledge/KnowledgePage";
import { go, useRoute } from "@/routes";

export default function KnowledgeView() {
    const route = useRoute();
    return <KnowledgePage adding={route.page === "knowledge" && route.adding === true} onAdding={(adding) => go({ page: "knowledge", adding: adding || undefined }, { replace: true })} />;
}
