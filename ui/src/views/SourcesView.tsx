import { SourceRows } from "@/domains/source";
import { go } from "@/routes";
import { Button, Page } from "@/shared";

export default function SourcesView() {
    return (
        <Page
            title="Sources"
            lead="Sources provide tools for agents: local programs, servers, web APIs and folders."
            width="reading"
            actions={
                <>
                    <Button onClick={() => go({ page: "web" })}>Web library</Button>
                    <Button onClick={() => go({ page: "new_source" })}>New source</Button>
                </>
            }
        >
            <SourceRows />
        </Page>
    );
}
