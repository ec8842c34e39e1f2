// The sign behind a statement: what is known of it, and why, where it stands.

import type { StatementRow, StatementState } from "@/backend";
import { Popover, cx } from "@/shared";

const TONES: Record<StatementState, string> = {
    quoted: "text-done",
    supported: "text-done",
    partly: "text-ink-2",
    unverified: "text-ink-3",
    no_source: "text-needs",
    doubtful: "text-needs",
    refused: "text-failed",
};

/** The sign is the text's own; a click says what it means here. */
export function StatementMark({ statement, sign }: { statement: StatementRow; sign: React.ReactNode }) {
    const word = statement.word.charAt(0).toUpperCase() + statement.word.slice(1);
    return (
        <Popover
            label={word}
            trigger={
                <button
                    type="button"
                    data-statement={statement.n}
                    data-state={statement.state}
                    aria-label={`Statement ${statement.n}: ${statement.word}`}
                    title={word}
                    className={cx(
                        "inline cursor-pointer rounded-[3px] px-0.5 align-super font-ui text-[0.68em] leading-none font-semibold select-none hover:bg-hover",
                        TONES[statement.state],
                    )}
                >
                    {sign}
                </button>
            }
        >
            <p className={cx("text-ui font-medium", TONES[statement.state])}>{word}</p>
            {statement.reason !== "" && <p className="mt-1 text-small text-ink-2">{statement.reason}</p>}
            {statement.against.map((one, index) => (
                <dl key={index} className="mt-2 grid grid-cols-[auto_1fr] gap-x-2 text-small">
                    <dt className="text-ink-3">This one</dt>
                    <dd>
                        “{statement.text}” <span className="text-needs">({one.claimed})</span>
                    </dd>
                    <dt className="text-ink-3">{one.paragraph_id}</dt>
                    <dd>
                        “{one.stated_in}” <span className="text-needs">({one.stated})</span>
                    </dd>
                </dl>
            ))}
        </Popover>
    );
}
