import { KnowledgePage } from "@/domains/knowledge/KnowledgePage";
import { go, useRoute } from "@/routes";

export default function KnowledgeView() {
    const route = useRoute();
    if (route.page !== "knowledge") return null;
    return (
        <KnowledgePage
            adding={route.adding === true}
            onAdding={(adding) =>
                go({ page: "knowledge", adding: adding || undefined, query: route.query }, { replace: true })
            }
            query={route.query ?? ""}
            onQuery={(query) => go({ page: "knowledge", query: query === "" ? undefined : query }, { replace: true })}
        />
    );
}
