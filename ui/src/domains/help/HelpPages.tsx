// Help that comes with the program.

import { CircleHelp } from "lucide-react";

import { useQuery } from "@/backend";
import { hrefOf } from "@/routes";
import { AsyncBoundary, Page, Row, Rows } from "@/shared";
import { Markdown } from "@/shared/markdown";

export function HelpRows() {
    const pages = useQuery("help_list", null);
    return (
        <AsyncBoundary of={pages} what="the help pages">
            {(rows) => (
                <Rows label="Help pages">
                    {rows.map((page) => (
                        <Row
                            key={page.slug}
                            href={hrefOf({ page: "help", slug: page.slug })}
                            icon={<CircleHelp size={16} strokeWidth={1.5} aria-hidden />}
                            title={page.title}
                        />
                    ))}
                </Rows>
            )}
        </AsyncBoundary>
    );
}

export function HelpText({ slug }: { slug: string }) {
    const page = useQuery("help_show", { slug });
    return (
        <Page
            title={page.data?.title ?? "Help"}
            back={{ label: "Help", href: hrefOf({ page: "help" }) }}
            width="reading"
        >
            <AsyncBoundary of={page} what="this page">
                {(known) => <Markdown text={known.text.replace(/^# .*\n+/, "")} />}
            </AsyncBoundary>
        </Page>
    );
}
