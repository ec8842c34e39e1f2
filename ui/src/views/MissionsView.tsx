import { MissionsPage, NewMission } from "@/domains/mission";
import { go, hrefOf, useRoute } from "@/routes";
import { Button, Page } from "@/shared";

export default function MissionsView() {
    const route = useRoute();
    const adding = route.page === "missions" ? route.add : undefined;
    if (adding !== undefined)
        return (
            <Page title="New mission" width="reading" back={{ label: "Missions", href: hrefOf({ page: "missions" }) }}>
                <NewMission slug={adding} />
            </Page>
        );
    return (
        <Page
            title="Missions"
            lead="Research by several agents that continues until its criteria are met, a limit is reached, or you stop it."
            width="reading"
            actions={
                <Button variant="primary" onClick={() => go({ page: "missions", add: "" })}>
                    New mission
                </Button>
            }
        >
            <MissionsPage />
        </Page>
    );
}
