// Whether everything is in order: the program's checks, the sources and the ages of their keys.

import { CircleCheck, CircleX, Info } from "lucide-react";
import type { ReactNode } from "react";

import { useQuery, type Check, type Query } from "@/backend";
import { KeyAges } from "@/domains/credential";
import { SourceChecks } from "@/domains/source";
import { AsyncBoundary, Button, InlineCode, Section, Waiting, sentence } from "@/shared";

export function HealthSettings() {
    const checks = useQuery("app_check", null);
    return (
        <>
            <Checks checks={checks} />
            <SourceChecks onChecked={checks.reload} />
            <KeyAges />
        </>
    );
}

const STATES: Record<Check["state"], { word: string; icon: ReactNode }> = {
    ok: { word: "OK", icon: <CircleCheck size={16} strokeWidth={1.5} aria-hidden className="text-done" /> },
    note: { word: "Note", icon: <Info size={16} strokeWidth={1.5} aria-hidden className="text-needs" /> },
    broken: { word: "Broken", icon: <CircleX size={16} strokeWidth={1.5} aria-hidden className="text-failed" /> },
};
const ORDER: Check["state"][] = ["broken", "note", "ok"];

function Checks({ checks }: { checks: Query<Check[]> }) {
    return (
        <Section
            title="Checks"
            note={
                checks.data !== undefined &&
                `${checks.data.filter((check) => check.state === "ok").length} of ${checks.data.length} OK`
            }
        >
            <AsyncBoundary of={checks} what="the checks" waiting={<Waiting what="Running the checks" />}>
                {(all) => (
                    <>
                        <ul aria-label="Checks" className="border-y border-hairline">
                            {[...all]
                                // Keys have a list of their own below.
                                .filter((check) => check.name !== "secret" || check.state !== "ok")
                                .sort((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state))
                                .map((check) => (
                                    <li
                                        key={`${check.name} ${check.message}`}
                                        className="flex items-start gap-3 border-b border-hairline py-2 last:border-b-0"
                                    >
                                        <span className="mt-0.5 shrink-0">{STATES[check.state].icon}</span>
                                        <div className="min-w-0 flex-1">
                                            <div className="flex flex-wrap items-baseline gap-x-2">
                                                <span className="inline-block font-medium first-letter:uppercase">
                                                    {check.name}
                                                </span>
                                                <span className="text-small text-ink-3">
                                                    {STATES[check.state].word}
                                                </span>
                                            </div>
                                            <p className="break-words text-ink-2">
                                                <InlineCode text={check.message} />
                                            </p>
                                            {check.action !== null && (
                                                <p className="mt-0.5 break-words">
                                                    <InlineCode text={sentence(check.action)} />
                                                </p>
                                            )}
                                        </div>
                                    </li>
                                ))}
                        </ul>
                        <Button size="small" className="mt-3" disabled={checks.loading} onClick={checks.reload}>
                            {checks.loading ? "Running…" : "Run again"}
                        </Button>
                    </>
                )}
            </AsyncBoundary>
        </Section>
    );
}
