// A mission that waits: its message, and what can be chosen.

import { useState } from "react";

import type { MissionPauseForm } from "@/backend";
import { HostsToDecide } from "@/domains/web";
import { hrefOf } from "@/routes";
import { Button } from "@/shared";
import { Markdown } from "@/shared/markdown";

import { LimitFields, limitsOf, NO_LIMITS } from "./LimitFields";
import { Plan } from "./Plan";
import { choiceWord, PLAN } from "./labels";
import type { PartProps } from "./props";

export interface PauseFormProps extends Pick<PartProps, "mission" | "stamp" | "steering"> {
    form: MissionPauseForm;
}

export function PauseForm({ form, mission, stamp, steering }: PauseFormProps) {
    const [raising, setRaising] = useState(false);
    const [limits, setLimits] = useState(NO_LIMITS);
    const read = limitsOf(limits);
    const choose = (choice: string) => {
        if (choice === "raise") setRaising(true);
        else if (choice === "cancel") void steering.end();
        else if (choice === "write" || choice === "proceed" || choice === "again") void steering.say({ say: choice });
    };
    const raise = async () => {
        if (read.problem === undefined && (await steering.say({ say: "raise", limits: read.limits })))
            setRaising(false);
    };
    return (
        <section
            aria-label={form.title}
            className="rounded-card border border-l-2 border-hairline border-l-needs-rule bg-surface p-4"
        >
            <h3 className="text-title font-semibold">{form.title}</h3>
            <div className="mt-1 text-ui">
                <Message form={form} mission={mission} stamp={stamp} steering={steering} />
            </div>
            {raising ? (
                <form
                    className="mt-3 flex flex-col gap-3"
                    onSubmit={(event) => {
                        event.preventDefault();
                        void raise();
                    }}
                >
                    <LimitFields values={limits} onChange={setLimits} now={mission.limits} />
                    {read.problem !== undefined && (
                        <p role="alert" className="text-small text-failed">
                            {read.problem}
                        </p>
                    )}
                    <div className="flex flex-wrap gap-2">
                        <Button
                            type="submit"
                            variant="primary"
                            disabled={steering.pending || read.problem !== undefined || read.isEmpty}
                        >
                            Raise and go on
                        </Button>
                        <Button variant="quiet" onClick={() => setRaising(false)}>
                            Back
                        </Button>
                    </div>
                </form>
            ) : (
                <div className="mt-3 flex flex-wrap gap-2">
                    {form.choices.map((choice, index) => (
                        <Button
                            key={choice}
                            variant={index === 0 ? "primary" : choice === "cancel" ? "quiet" : "secondary"}
                            disabled={steering.pending}
                            onClick={() => choose(choice)}
                        >
                            {choiceWord(choice, form.title)}
                        </Button>
                    ))}
                </div>
            )}
        </section>
    );
}

/** What is waited for: decided on here where that can be, else told. */
function Message({ form, ...parts }: PauseFormProps) {
    if (form.title === PLAN)
        return (
            <>
                <p className="text-ink-2">Research answers these questions. Change them here, or start.</p>
                <Plan {...parts} />
            </>
        );
    if (form.hosts !== undefined && form.hosts.length > 0) return <HostsToDecide hosts={form.hosts} />;
    return (
        <>
            <Markdown text={form.markdown} />
            {typeof form.run === "string" && (
                <p className="mt-2">
                    <a className="text-accent hover:underline" href={hrefOf({ page: "run", run: form.run })}>
                        Open the agent’s run to answer
                    </a>
                </p>
            )}
        </>
    );
}
