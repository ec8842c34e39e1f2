import { BasePage } from "@/domains/knowledge/BasePage";
import { useRoute } from "@/routes";

export default function BaseView() {
    const route = useRoute();
    return route.page === "base" ? (
        <BasePage key={route.base} base={route.base} query={route.query ?? ""} paragraph={route.paragraph} />
    ) : null;
}
