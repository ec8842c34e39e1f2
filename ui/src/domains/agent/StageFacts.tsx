import type { AgentStage } from "@/backend";
import { hrefOf } from "@/routes";
import { Properties, StateMark, count, type Property } from "@/shared";

import { predecessors } from "./diagram";
import { kindOf, sourceOf } from "./labels";

/** What one stage of an agent does, in a few lines. */
export function StageFacts({ stage, stages }: { stage: AgentStage; stages: AgentStage[] }) {
    const before = predecessors(stages).get(stage.id) ?? [];
    const title = (id: string) => stages.find((each) => each.id === id)?.title ?? id;
    const items: Property[] = [
        {
            name: "Kind",
            value: (
                <>
                    {kindOf(stage.kind).word}. <span className="text-ink-2">{kindOf(stage.kind).means}</span>
                </>
            ),
        },
        {
            name: "Waits for",
            value: before.length === 0 ? "Nothing: this stage starts the run." : before.map(title).join(", "),
        },
        ...(stage.when === null
            ? []
            : [{ name: "Runs when", value: <code className="font-mono text-code">{stage.when}</code> }]),
        ...(stage.tools.length === 0 ? [] : [{ name: "Tools", value: <Tools tools={stage.tools} /> }]),
        ...(stage.pauses
            ? [
                  {
                      name: "Stops",
                      value: (
                          <>
                              <StateMark state="needs-you" word="Waits for your decision" className="h-5" /> after it
                              finishes
                          </>
                      ),
                  },
              ]
            : []),
        ...(stage.maxIterations > 0
            ? [
                  {
                      name: "Repair",
                      value: `Repeated with the check’s findings, at most ${count(stage.maxIterations, "time")}.`,
                  },
              ]
            : []),
    ];
    return (
        <div className="rounded-control border border-hairline bg-surface px-4 py-2">
            <h3 className="border-b border-hairline py-1.5 text-ui font-semibold">
                {stage.title} <code className="ml-1 font-mono text-code font-normal text-ink-3">{stage.name}</code>
            </h3>
            <Properties items={items} />
        </div>
    );
}

function Tools({ tools }: { tools: string[] }) {
    return (
        <span className="flex flex-wrap gap-x-3 gap-y-1">
            {tools.map((tool) => {
                const source = sourceOf(tool);
                return source === undefined ? (
                    <code key={tool} className="font-mono text-code">
                        {tool}
                    </code>
                ) : (
                    <a
                        key={tool}
                        href={hrefOf({ page: "source", slug: source })}
                        className="font-mono text-code text-accent hover:underline"
                    >
                        {tool}
                    </a>
                );
            })}
        </span>
    );
}
