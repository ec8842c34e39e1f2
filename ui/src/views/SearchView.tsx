import { SearchPage } from "@/domains/search";
import { useRoute } from "@/routes";

export default function SearchView() {
    const route = useRoute();
    return <SearchPage line={route.page === "search" ? route.line : undefined} />;
}
