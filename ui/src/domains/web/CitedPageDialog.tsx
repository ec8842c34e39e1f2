// What was read from the web and cited: its text as it stood then, at the block that holds the quote.

import { useQuery } from "@/backend";
import { AsyncBoundary, Button, Dialog, ExternalLink } from "@/shared";

import { PageText } from "./PageText";

export interface CitedPageDialogProps {
    /** SHA-256 of the bytes that were read. */
    object: string;
    title: string;
    /** The block that holds the quote. */
    block?: number;
    onClose: () => void;
}

export function CitedPageDialog({ object, title, block, onClose }: CitedPageDialogProps) {
    const text = useQuery("web_show", { url: object, ...(block === undefined ? {} : { block }) });
    return (
        <Dialog
            open
            onOpenChange={(open) => !open && onClose()}
            title={title}
            width="large"
            footer={
                <Button variant="primary" onClick={onClose}>
                    Close
                </Button>
            }
        >
            <AsyncBoundary of={text} what="the page">
                {(shown) => (
                    <>
                        <p className="text-ui break-all">
                            <ExternalLink href={shown.page.finalUrl}>{shown.page.finalUrl}</ExternalLink>
                        </p>
                        <p className="mb-3 text-small break-all text-ink-3">
                            Fetched {shown.page.retrieved}
                            {shown.earlier && "; the address has a newer version since"}. SHA-256 {shown.page.sha256}
                        </p>
                        <PageText text={shown} {...(block === undefined ? {} : { marked: block })} />
                    </>
                )}
            </AsyncBoundary>
        </Dialog>
    );
}
