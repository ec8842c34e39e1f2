import { NewSource } from "@/domains/source";
import { useRoute } from "@/routes";

export default function NewSourceView() {
    const route = useRoute();
    return route.page === "new_source" ? <NewSource key={route.preset ?? ""} preset={route.preset} /> : null;
}
