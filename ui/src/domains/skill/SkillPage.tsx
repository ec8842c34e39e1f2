// Skills: instructions for special work that a message names with `/`.

import { Pencil, ScrollText } from "lucide-react";

import { shell, toProblem, useQuery } from "@/backend";
import { ProblemList } from "@/domains/agent";
import { go, hrefOf } from "@/routes";
import {
    Badge,
    Button,
    EmptyState,
    AsyncBoundary,
    Page,
    Properties,
    Row,
    Rows,
    Section,
    StateMark,
    toast,
} from "@/shared";
import { Markdown } from "@/shared/markdown";

import { SkillEditor } from "./SkillEditor";

const ORIGINS: Readonly<Record<string, string>> = {
    shipped: "built-in",
    workspace: "yours",
    user: "yours, everywhere",
    project: "project",
};

export function SkillRows() {
    const skills = useQuery("skill_list", {});
    return (
        <AsyncBoundary of={skills} what="the skills">
            {(rows) =>
                rows.length === 0 ? (
                    <EmptyState title="No skills" className="px-0">
                        A skill is a folder with a SKILL.md file. Skills are read from the workspace’s “skills” folder,
                        “.agents/skills” in your home folder, and your working folders.
                    </EmptyState>
                ) : (
                    <Rows label="Skills">
                        {rows.map((skill) => (
                            <Row
                                key={skill.slug}
                                href={hrefOf({ page: "skill", slug: skill.slug })}
                                icon={<ScrollText size={16} strokeWidth={1.5} aria-hidden />}
                                title={skill.name}
                                marks={
                                    <>
                                        <code className="font-mono text-code text-ink-3">/{skill.slug}</code>
                                        <Badge>{ORIGINS[skill.origin] ?? skill.origin}</Badge>
                                        {skill.problems.length > 0 && (
                                            <StateMark state="failed" word="Can’t be used" size={14} />
                                        )}
                                    </>
                                }
                                line={skill.description}
                                below={<ProblemList problems={skill.problems} />}
                            />
                        ))}
                    </Rows>
                )
            }
        </AsyncBoundary>
    );
}

export function SkillPage({ slug, edit = false }: { slug: string; edit?: boolean }) {
    const query = useQuery("skill_show", { slug });
    const desktop = shell();
    if (edit && query.data !== undefined)
        return (
            <Page
                title={`Edit ${query.data.skill.name}`}
                back={{ label: query.data.skill.name, href: hrefOf({ page: "skill", slug }) }}
                width="reading"
            >
                <SkillEditor view={query.data} />
            </Page>
        );
    return (
        <Page
            title={query.data?.skill.name ?? slug}
            lead={query.data?.skill.description}
            back={{ label: "Skills", href: hrefOf({ page: "skills" }) }}
            width="reading"
            marks={<code className="font-mono text-code text-ink-3">/{slug}</code>}
            actions={
                query.data !== undefined && (
                    <Button
                        icon={<Pencil size={16} strokeWidth={1.5} />}
                        onClick={() => go({ page: "skill", slug, edit: true })}
                    >
                        {query.data.skill.origin === "workspace" ? "Edit" : "Edit as your version"}
                    </Button>
                )
            }
        >
            <AsyncBoundary of={query} what={`the skill ${slug}`}>
                {(view) => (
                    <>
                        <ProblemList problems={view.skill.problems} />
                        {view.text !== "" && (
                            <Section
                                title="Instructions"
                                note="Read by the model when you mention the skill, or when the model finds it useful."
                            >
                                <Markdown text={view.text.replace(/^# .*\n+/, "")} />
                            </Section>
                        )}
                        <Section title="Details">
                            <Properties
                                items={[
                                    {
                                        name: "Needs",
                                        value:
                                            view.skill.requiredSources.length === 0
                                                ? "no sources"
                                                : view.skill.requiredSources.join(", "),
                                    },
                                    {
                                        name: "For files",
                                        value:
                                            view.skill.globs.length === 0 ? (
                                                "any"
                                            ) : (
                                                <code className="font-mono text-code">
                                                    {view.skill.globs.join(" ")}
                                                </code>
                                            ),
                                    },
                                    {
                                        name: "Other files",
                                        value: view.files.length === 0 ? "none" : view.files.join(", "),
                                    },
                                    {
                                        name: "Folder",
                                        value:
                                            view.folder === "" ? (
                                                "built in"
                                            ) : (
                                                <>
                                                    <code className="font-mono text-code break-all text-ink-2">
                                                        {view.folder}
                                                    </code>
                                                    {desktop !== undefined && (
                                                        <Button
                                                            size="small"
                                                            className="ml-2"
                                                            onClick={() =>
                                                                void desktop
                                                                    .openPath(view.folder)
                                                                    .catch((thrown: unknown) =>
                                                                        toast({
                                                                            text: toProblem(thrown).message,
                                                                            tone: "failed",
                                                                        }),
                                                                    )
                                                            }
                                                        >
                                                            Open
                                                        </Button>
                                                    )}
                                                </>
                                            ),
                                    },
                                ]}
                            />
                        </Section>
                    </>
                )}
            </AsyncBoundary>
        </Page>
    );
}
