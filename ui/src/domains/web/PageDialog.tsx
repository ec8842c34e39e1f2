// One page of the library: its text in numbered blocks, fetched again or forgotten.

import { RefreshCw, Trash2 } from "lucide-react";

import { useCommand, useQuery, type WebPage } from "@/backend";
import { AsyncBoundary, Button, Dialog, ErrorCard, ExternalLink, confirm, toast } from "@/shared";

import { PageText } from "./PageText";

const icon = { size: 14, strokeWidth: 1.5 } as const;

export function PageDialog({ page, onClose }: { page: WebPage; onClose: () => void }) {
    const text = useQuery("web_show", { url: page.url });
    const refreshing = useCommand("web_refresh");
    const forgetting = useCommand("web_forget");
    const problem = refreshing.problem ?? forgetting.problem;
    const refresh = async () => {
        forgetting.clear();
        const { value } = await refreshing.run({ url: page.url });
        if (value !== undefined)
            toast({
                text: value.sha256 === page.sha256 ? "Nothing has changed there." : "A newer version was fetched.",
            });
    };
    const forget = async () => {
        const sure = await confirm({
            title: "Forget this page?",
            body: "Answers and reports may cite it: their quotes can’t be checked against its bytes any more.",
            confirmLabel: "Forget",
            danger: true,
        });
        if (!sure) return;
        refreshing.clear();
        const { problem: refused } = await forgetting.run({ url: page.url });
        if (refused === undefined) onClose();
    };
    return (
        <Dialog
            open
            onOpenChange={(open) => !open && onClose()}
            title={page.title ?? page.url}
            width="large"
            footer={
                <>
                    <Button icon={<Trash2 {...icon} />} disabled={forgetting.pending} onClick={() => void forget()}>
                        Forget…
                    </Button>
                    <Button icon={<RefreshCw {...icon} />} disabled={refreshing.pending} onClick={() => void refresh()}>
                        {refreshing.pending ? "Fetching…" : "Fetch again"}
                    </Button>
                    <Button variant="primary" onClick={onClose}>
                        Close
                    </Button>
                </>
            }
        >
            {problem !== undefined && (
                <ErrorCard
                    className="mb-3"
                    title="The action failed."
                    kept="The page is as it was."
                    advice={problem.action ?? undefined}
                >
                    {problem.message}
                </ErrorCard>
            )}
            <p className="text-ui break-all">
                <ExternalLink href={page.finalUrl}>{page.finalUrl}</ExternalLink>
            </p>
            <p className="mb-3 text-small break-all text-ink-3">
                Fetched {page.retrieved}, confirmed {page.checked}. SHA-256 {page.sha256}
            </p>
            <AsyncBoundary of={text} what="the text">
                {(shown) => <PageText text={shown} />}
            </AsyncBoundary>
        </Dialog>
    );
}
