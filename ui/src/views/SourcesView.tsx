import { SourceRows } from "@/domains/source";
import { Page } from "@/shared";

export default function SourcesView() {
    return (
        <Page title="Sources" lead="Where agents get their tools from: programs that run on this machine and answer over a fixed protocol." width="reading">
            <SourceRows />
        </Page>
    );
}
