import { rangeOf } from "@/domains/usage/range";
import { UsagePage } from "@/domains/usage/UsagePage";
import { go, useRoute } from "@/routes";

export default function UsageView() {
    const route = useRoute();
    if (route.page !== "usage") return null;
    return (
        <UsagePage range={rangeOf(route.range)} onRange={(range) => go({ page: "usage", range }, { replace: true })} />
    );
}
