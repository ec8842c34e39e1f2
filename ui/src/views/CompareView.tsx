// Two runs beside each other; without a second one, the choice of it.

import { ComparePage } from "@/domains/compare";
import { go, useRoute } from "@/routes";

export default function CompareView() {
    const route = useRoute();
    if (route.page !== "compare") return null;
    const { left, right } = route;
    return (
        <ComparePage
            left={left}
            right={right}
            onSwap={() => right !== undefined && go({ page: "compare", left: right, right: left }, { replace: true })}
            onAgain={() => go({ page: "compare", left })}
        />
    );
}
