import { HelpRows, HelpText } from "@/domains/help";
import { useRoute } from "@/routes";
import { Page } from "@/shared";

export default function HelpView() {
    const route = useRoute();
    if (route.page === "help" && route.slug !== undefined) return <HelpText key={route.slug} slug={route.slug} />;
    return (
        <Page title="Help" lead="How AgentNative works. Agents can read these pages, too." width="reading">
            <HelpRows />
        </Page>
    );
}
