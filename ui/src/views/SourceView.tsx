import { SourcePage } from "@/domains/source";
import { useRoute } from "@/routes";

export default function SourceView() {
    const route = useRoute();
    return route.page === "source" ? <SourcePage key={route.slug} slug={route.slug} edit={route.edit} /> : null;
}
