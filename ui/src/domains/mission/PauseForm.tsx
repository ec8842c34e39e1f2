// A mission that waits: its message, and what can be chosen.

import { useState } from "react";

import type { MissionPauseForm } from "@/backend";
import { Button } from "@/shared";
import { Markdown } from "@/shared/markdown";

import { LimitFields, limitsOf, NO_LIMITS } from "./LimitFields";
import type { Steering } from "./Steering";
import { choiceWord } from "./labels";

export function PauseForm({ form, steering }: { form: MissionPauseForm; steering: Steering }) {
    const [raising, setRaising] = useState(false);
    const [limits, setLimits] = useState(NO_LIMITS);
    const read = limitsOf(limits);
    const choose = (choice: string) => {
        if (choice === "raise") setRaising(true);
        else if (choice === "cancel") void steering.end();
        else if (choice === "write" || choice === "proceed") void steering.say({ say: choice });
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
                <Markdown text={form.markdown} />
            </div>
            {raising ? (
                <form
                    className="mt-3 flex flex-col gap-3"
                    onSubmit={(event) => {
                        event.preventDefault();
                        void raise();
                    }}
                >
                    <LimitFields values={limits} onChange={setLimits} />
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
