import { ExternalLink as ExternalLinkIcon } from "lucide-react";
import { useContext, type ReactNode } from "react";

import { OpenLinkContext } from "./markdown/links";

/** A web address, opened in the person's browser. */
export function ExternalLink({ href, children }: { href: string; children: ReactNode }) {
    const open = useContext(OpenLinkContext);
    return (
        <a
            href={href}
            rel="noreferrer noopener"
            target="_blank"
            onClick={(event) => {
                event.preventDefault();
                open(href);
            }}
            className="rounded-[4px] text-accent underline decoration-accent/35 underline-offset-2 [overflow-wrap:anywhere] hover:decoration-accent"
        >
            {children}
            <ExternalLinkIcon size={12} strokeWidth={1.5} aria-hidden className="mb-0.5 ml-1 inline" />
            <span className="sr-only"> (opens in the browser)</span>
        </a>
    );
}
