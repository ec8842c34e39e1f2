// A mission that waits: its message, and what can be chosen.

import { useState } from "react";

import type { MissionPauseForm } from "@/backend";
import { HostsToDecide } from "@/domains/web";
import { hrefOf } from "@/routes";
import { Button } from "@/shared";
import { Markdown } from "@/shared/markdown";

import { Plan } from "./Plan";
import { RaiseForm } from "./RaiseForm";
import { choiceWord, PLAN } from "./labels";
import type { PartProps } from "./props";

export interface PauseFormProps extends Pick<PartProps, "mission" | "stamp" | "steering"> {
    form: MissionPauseForm;
}

export function PauseForm({ form, mission, stamp, steering }: PauseFormProps) {
    const [raising, setRaising] = useState(false);
    const choose = (choice: string) => {
        if (choice === "raise") setRaising(true);
        else if (choice === "cancel") void steering.end();
        else if (choice === "write" || choice === "proceed" || choice === "again") void steering.say({ say: choice });
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
                <div className="mt-3">
                    <RaiseForm
                        mission={mission}
                        steering={steering}
                        confirmLabel="Raise and go on"
                        backLabel="Back"
                        onClose={() => setRaising(false)}
                    />
                </div>
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
