import { SourceRows } from "@/domains/source";
import { go } from "@/routes";
import { Button, Page } from "@/shared";

export default function SourcesView() {
    return (
        <Page title="Sources" lead="Where agents get their tools from: programs on this machine, servers, web interfaces, folders." width="reading" actions={<Button onClick={() => go({ page: "new_source" })}>New source</Button>}>
            <SourceRows />
        </Page>
    );
}
