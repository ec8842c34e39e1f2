import { Plus } from "lucide-react";

import { AutomationForm, AutomationPage, AutomationRows } from "@/domains/automation";
import { go, useRoute } from "@/routes";
import { Button, Page } from "@/shared";

export default function ScheduleView() {
    const route = useRoute();
    if (route.page !== "schedule") return null;
    if (route.adding !== undefined) return <AutomationForm key={route.adding} template={route.adding} />;
    if (route.id !== undefined)
        return route.edit === true ? (
            <AutomationForm key={route.id} id={route.id} />
        ) : (
            <AutomationPage key={route.id} id={route.id} />
        );
    return (
        <Page
            title="Automations"
            lead="Automations run on a schedule, when an event occurs, or before it does."
            width="reading"
            actions={
                <Button
                    icon={<Plus size={16} strokeWidth={1.5} />}
                    onClick={() => go({ page: "schedule", adding: "new" })}
                >
                    New automation
                </Button>
            }
        >
            <AutomationRows />
        </Page>
    );
}
