import { WebLibrary } from "@/domains/web";
import { hrefOf } from "@/routes";
import { Page } from "@/shared";

export default function WebView() {
    return (
        <Page
            title="Web library"
            lead="Pages and files that missions and conversations fetched, and the hosts they may reach."
            width="reading"
            back={{ label: "Sources", href: hrefOf({ page: "sources" }) }}
        >
            <WebLibrary />
        </Page>
    );
}
