// One automation: when, what it may do, the switch, what it did.

import { useState } from "react";

import { useCommand, useQuery, type AutomationDone, type AutomationView } from "@/backend";
import { go, hrefOf } from "@/routes";
import {
    Button,
    ErrorCard,
    Fold,
    JsonView,
    AsyncBoundary,
    Page,
    Properties,
    RelativeTime,
    Section,
    StateMark,
    confirm,
    toastProblem,
} from "@/shared";

import { STATES, faultText, outcomeOf, timeIn } from "./labels";

const BACK = { label: "Automations", href: hrefOf({ page: "schedule" }) };

export function AutomationPage({ id }: { id: string }) {
    const query = useQuery("automation_show", { id });
    const remove = useCommand("automation_remove");
    const view = query.data;
    const title = view?.row.title ?? id;
    const removed = async () => {
        const sure = await confirm({
            title: `Remove “${title}”?`,
            body: "The automation is removed from its file. Its history is kept for a while.",
            confirmLabel: "Remove",
            danger: true,
        });
        if (!sure) return;
        const { problem } = await remove.run({ id });
        if (problem === undefined) go({ page: "schedule" });
        else toastProblem(problem, "Not removed");
    };
    return (
        <Page
            title={title}
            lead={view?.row.when}
            back={BACK}
            width="reading"
            marks={
                view === undefined ? undefined : (
                    <StateMark state={STATES[view.row.state].state} word={STATES[view.row.state].word} show="badge" />
                )
            }
            actions={
                <>
                    <Button onClick={() => go({ page: "schedule", id, edit: true })}>Edit</Button>
                    <Button onClick={() => void removed()}>Remove</Button>
                </>
            }
        >
            <AsyncBoundary of={query} what={`the automation ${id}`}>
                {(known) => (
                    <>
                        <AutomationStatus view={known} />
                        <Times view={known} />
                        <History rows={known.history} zone={known.row.zone} />
                        <Fold label="JSON in the file" className="mt-8">
                            <JsonView label="Automation" value={known.entry} />
                        </Fold>
                    </>
                )}
            </AsyncBoundary>
        </Page>
    );
}

/** What it may do comes before the switch: who enables it has read it. */
function AutomationStatus({ view }: { view: AutomationView }) {
    const { row } = view;
    const enable = useCommand("automation_enable");
    const fire = useCommand("automation_fire");
    const [did, setDid] = useState<readonly AutomationDone[]>([]);
    const set = async (on: boolean) => {
        const { problem } = await enable.run({ id: row.id, on, digest: view.digest });
        if (problem !== undefined) toastProblem(problem, on ? "Not enabled" : "Not disabled", () => void set(on));
    };
    const test = async (dry: boolean) => {
        if (!dry && row.state !== "enabled") {
            const sure = await confirm({
                title: "Run this automation once now?",
                body: row.may.join("\n"),
                confirmLabel: "Run",
            });
            if (!sure) return;
        }
        const { value, problem } = await fire.run({ id: row.id, dry, digest: view.digest, session: null });
        if (problem === undefined) setDid(value);
        else toastProblem(problem, dry ? "Not tried" : "Not run", () => void test(dry));
    };
    const broken = row.state === "broken";
    return (
        <Section title="Permissions">
            {row.faults.length > 0 && (
                <ErrorCard
                    title={broken ? "This automation can’t be used" : "This automation never runs"}
                    className="mb-3"
                >
                    {row.faults.map((fault) => faultText(fault)).join("\n")}
                </ErrorCard>
            )}
            <ul className="list-disc pl-5 text-ui">
                {row.may.map((may, index) => (
                    <li key={index} className="py-0.5 break-words">
                        {may}
                    </li>
                ))}
            </ul>
            <div className="mt-3 flex flex-wrap items-center gap-2">
                {row.state === "enabled" ? (
                    <Button onClick={() => void set(false)} disabled={enable.pending}>
                        Disable
                    </Button>
                ) : (
                    <Button
                        variant="primary"
                        onClick={() => void set(true)}
                        disabled={broken || row.state === "off" || enable.pending}
                    >
                        {row.state === "changed" ? "Enable this version" : "Enable"}
                    </Button>
                )}
                <Button onClick={() => void test(true)} disabled={broken || fire.pending}>
                    Dry run
                </Button>
                <Button onClick={() => void test(false)} disabled={broken || fire.pending}>
                    Run now
                </Button>
            </div>
            {did.length > 0 && (
                <ul aria-live="polite" className="mt-3 border-y border-hairline">
                    {did.map((done, index) => (
                        <Done key={index} done={done} />
                    ))}
                </ul>
            )}
        </Section>
    );
}

function Times({ view }: { view: AutomationView }) {
    const { row, times } = view;
    const items = [
        ...(times.length > 0
            ? [
                  {
                      name: row.state === "enabled" ? "Next" : "Next if enabled",
                      value: times.map((at) => (
                          <span key={at} className="tabular block">
                              {timeIn(at, row.zone)}
                          </span>
                      )),
                  },
              ]
            : []),
        ...(row.event === "tick"
            ? [
                  { name: "Time zone", value: row.zone },
                  {
                      name: "Missed times",
                      value: view.missed === "once" ? "run once when the program opens again" : "skipped",
                  },
              ]
            : []),
        ...(row.event !== "tick" && view.subject !== "nothing"
            ? [{ name: "Matcher", value: `matched against ${view.subject}` }]
            : []),
    ];
    if (items.length === 0) return null;
    return (
        <Section title="When">
            <Properties items={items} />
        </Section>
    );
}

function History({ rows }: { rows: readonly AutomationDone[]; zone: string }) {
    return (
        <Section title="History" note="The last 20 executions.">
            {rows.length === 0 ? (
                <p className="text-ui text-ink-2">Nothing yet.</p>
            ) : (
                <ul className="border-y border-hairline">
                    {rows.map((done, index) => (
                        <Done key={`${done.at}-${index}`} done={done} />
                    ))}
                </ul>
            )}
        </Section>
    );
}

function Done({ done }: { done: AutomationDone }) {
    const outcome = outcomeOf(done);
    return (
        <li className="flex items-start gap-3 border-b border-hairline py-2 text-ui last:border-b-0">
            <StateMark state={outcome.state} word={outcome.word} size={14} className="w-28 shrink-0" />
            <span className="min-w-0 flex-1 break-words">
                {done.detail}
                {done.session !== null && done.outcome !== "would" && (
                    <a
                        href={hrefOf({ page: "session", session: done.session })}
                        className="ml-2 text-accent hover:underline"
                    >
                        Open session
                    </a>
                )}
            </span>
            <RelativeTime at={done.at} className="shrink-0 text-small text-ink-3" />
        </li>
    );
}
