// A pause that was answered: one line of what was decided, by whom, when; what was shown stands behind it.

import { CornerDownRight } from "lucide-react";
import type { ReactNode } from "react";

import type { AnsweredPause } from "@/backend";
import { Fold, RelativeTime } from "@/shared";
import { Markdown } from "@/shared/markdown";

import { decided, headed } from "./labels";

/** `again`: how a follow-up that went on by itself is started again with another plan. */
export function AnsweredLine({ answered, again }: { answered: AnsweredPause; again?: ReactNode }) {
    const { form, decision, at } = answered;
    const text = decision.text ?? "";
    const answers = Object.entries(decision.answers ?? {});
    const line = (
        <Fold
            label={
                <span className="flex min-w-0 items-center gap-1.5">
                    <CornerDownRight size={14} strokeWidth={1.5} aria-hidden className="shrink-0 text-ink-3" />
                    <span className="min-w-0 truncate">
                        <span className="text-ink-3">{headed(form).heading}: </span>
                        <span className="text-ink">{decided(answered)}</span>
                        {text !== "" && <span className="text-ink-2">{` “${text}”`}</span>}
                    </span>
                </span>
            }
            note={<RelativeTime at={at} className="shrink-0 pl-3 text-small text-ink-3" />}
        >
            <div className="mt-1 mb-2 ml-[7px] border-l border-hairline pl-4">
                {answers.length > 0 && (
                    <dl className="mb-3 text-ui">
                        {answers.map(([question, answer]) => (
                            <div key={question} className="mb-1.5">
                                <dt className="text-ink-2">{question}</dt>
                                <dd className="whitespace-pre-wrap">{answer}</dd>
                            </div>
                        ))}
                    </dl>
                )}
                {text !== "" && <p className="mb-3 text-ui whitespace-pre-wrap">{text}</p>}
                <Markdown text={form.markdown} className="text-ink-2" />
            </div>
        </Fold>
    );
    if (again === undefined) return line;
    return (
        <div>
            {line}
            <p className="pl-5 text-small text-ink-3">
                For another plan, {again}, or choose “Pause at the plan” under the next follow-up.
            </p>
        </div>
    );
}
