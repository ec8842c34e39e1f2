import { SettingsPage } from "@/domains/settings/SettingsPage";
import { useRoute } from "@/routes";

export default function SettingsView() {
    const route = useRoute();
    return route.page === "settings" ? (
        <SettingsPage section={route.section} open={route.open} add={route.add} />
    ) : null;
}
