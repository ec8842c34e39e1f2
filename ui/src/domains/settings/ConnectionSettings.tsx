import { Cpu } from "lucide-react";

import { useQuery } from "@/backend";
import { Badge, Outcome, Section } from "@/shared";

export function ConnectionSettings() {
    const connections = useQuery("connection_list", null);
    return (
        <>
            <Section title="Connections">
                <Outcome of={connections} what="the connections">
                    {(rows) => (
                        <ul aria-label="Connections" className="border-y border-hairline">
                            {rows.map((connection) => (
                                <li key={connection.slug} className="flex items-start gap-3 border-b border-hairline py-3 last:border-b-0">
                                    <Cpu size={16} strokeWidth={1.5} aria-hidden className="mt-0.5 shrink-0 text-ink-3" />
                                    <div className="min-w-0 flex-1">
                                        <div className="flex flex-wrap items-center gap-2">
                                            <span className="font-medium">{connection.name}</span>
                                            <code className="font-mono text-code text-ink-3">{connection.slug}</code>
                                        </div>
                                        <p className="mt-0.5 text-ink-2">{connection.description}</p>
                                        {connection.models.length > 0 && (
                                            <p className="mt-1.5 flex flex-wrap gap-1.5">
                                                {connection.models.map((model) => (
                                                    <Badge key={model}>{model}</Badge>
                                                ))}
                                            </p>
                                        )}
                                    </div>
                                </li>
                            ))}
                        </ul>
                    )}
                </Outcome>
            </Section>
            <Section title="Model providers">
                <p className="max-w-[38rem] text-ui text-ink-2">
                    Connections to model providers come with a later version. Until then the offline engine answers: it selects and quotes paragraphs instead of writing freely, needs no key and no
                    network, and sends nothing anywhere. Its citations are checked in the same way.
                </p>
            </Section>
        </>
    );
}
