// A new question: room to write, and what the agent can do.

import { FilePlus2 } from "lucide-react";
import { useEffect } from "react";

import { useDraft, useOfWorkspace, useQuery } from "@/backend";
import { Composer, depthMeaning, useOptions } from "@/domains/composer";
import { takeCarried } from "@/domains/knowledge";
import { titled } from "@/domains/run";
import { hrefOf, useRoute } from "@/routes";
import { ErrorCard, Examples, Section, count } from "@/shared";

export default function NewView() {
    const route = useRoute();
    const asked = route.page === "new" ? route : undefined;
    const options = useOptions(asked?.agent, undefined, undefined, undefined, asked?.base);
    const draft = useDraft(useOfWorkspace("new"));
    const { problem } = useQuery("agent_list", null);
    const { agent, agents, bases, base, addPaths } = options;
    useEffect(() => {
        // Which agent asks a base is known with the agents.
        const paths = agents.length > 0 ? takeCarried() : [];
        if (paths.length > 0) void addPaths(paths);
    }, [agents, addPaths]);
    const used = bases.find((each) => each.name === (base === "" ? agent?.defaultCorpus : base));
    // The files alone are asked, where nobody chose a base.
    const alone = options.attached && options.isPreset && (agent?.defaultCorpus ?? null) === null;
    const fill = (text: string) => {
        draft.setText(text);
        document.querySelector<HTMLElement>("[data-composer]")?.focus();
    };
    return (
        <div className="min-h-0 flex-1 overflow-y-auto">
            <div className="mx-auto w-full max-w-[47.5rem] px-6 pt-[9vh] pb-12">
                <h1 className="mb-1 text-page font-semibold tracking-[-0.01em]">
                    {agent?.inputSchema !== undefined && !options.chat
                        ? agent.name
                        : options.chat
                          ? "What do you want to do?"
                          : "What do you want to know?"}
                </h1>
                <p className="mb-4 text-ui text-ink-2">
                    {agent?.description ??
                        (options.chat
                            ? "A conversation with a model that can use tools. It asks before changing anything, unless you choose otherwise."
                            : "Every answer cites its paragraphs, and every citation is checked.")}
                </p>
                <Composer
                    big
                    focus={asked !== undefined}
                    prefill={asked?.input}
                    agent={asked?.agent}
                    options={options}
                    draft={draft}
                />
                {problem !== undefined && (
                    <ErrorCard
                        className="mt-4"
                        title="Could not load the agents."
                        advice={problem.action ?? undefined}
                        details={problem.message}
                    />
                )}
                {used !== undefined && !options.chat && !alone && (
                    <p className="mt-1 px-1 text-small text-ink-2">
                        Answers are based on {used.title}, {count(used.paragraphs, "paragraph")}.{" "}
                        {used.tier === "primer" &&
                            "This is an explanatory text, not a standard, and has no authority of its own. "}
                        <a
                            href={hrefOf({ page: "knowledge" })}
                            className="rounded-[4px] text-accent underline decoration-accent/35 underline-offset-2 hover:decoration-accent"
                        >
                            <FilePlus2 size={12} strokeWidth={1.5} aria-hidden className="mr-1 inline align-[-0.1em]" />
                            Add your own documents
                        </a>{" "}
                        or drop a folder here.
                    </p>
                )}
                {agent !== undefined && <Examples examples={agent.examples} onChoose={fill} className="mt-8" />}
                {agent !== undefined && agent.depths.length > 1 && (
                    <Section title="Depth" className="mt-8">
                        <dl className="grid grid-cols-[5rem_minmax(0,1fr)] gap-y-1 text-ui">
                            {agent.depths.map((depth) => (
                                <div key={depth} className="col-span-2 grid grid-cols-subgrid">
                                    <dt className="font-medium">{titled(depth)}</dt>
                                    <dd className="text-ink-2">
                                        {depthMeaning(depth) ?? ""}
                                        {depth === agent.defaultDepth && " Agent default."}
                                    </dd>
                                </div>
                            ))}
                        </dl>
                    </Section>
                )}
            </div>
        </div>
    );
}
