import { useQuery } from "@/backend";
import { hrefOf } from "@/routes";
import { CopyButton, AsyncBoundary, Properties, Section } from "@/shared";

export function AboutSettings() {
    const info = useQuery("app_info", null);
    return (
        <>
            <Section title="AgentNative">
                <p className="mb-3 max-w-[38rem] text-ui text-ink-2">
                    A local-first workbench for research agents whose citations are checked.
                </p>
                <AsyncBoundary of={info} what="the version">
                    {(app) => (
                        <Properties
                            items={[
                                {
                                    name: "Version",
                                    value: (
                                        <span className="flex items-center gap-1">
                                            <span className="tabular">{app.version}</span>
                                            <CopyButton
                                                text={`AgentNative ${app.version}, ${app.platform}`}
                                                label="Copy version details"
                                            />
                                        </span>
                                    ),
                                },
                                { name: "Platform", value: app.platform },
                                { name: "Licence", value: "Apache License 2.0" },
                            ]}
                        />
                    )}
                </AsyncBoundary>
            </Section>
            <Section title="Documents">
                <Properties
                    items={[
                        { name: "README.md", value: "Overview, first steps, commands." },
                        { name: "ARCHITECTURE.md", value: "Design, and what is deliberately left out." },
                        { name: "SECURITY.md", value: "Threat model, and how to report a vulnerability." },
                        { name: "CHANGELOG.md", value: "Changes by version." },
                    ]}
                />
                <p className="mt-3 text-ui">
                    <a href={hrefOf({ page: "welcome" })} className="text-accent hover:underline">
                        Show the welcome page
                    </a>
                </p>
            </Section>
        </>
    );
}
