// How far a mission is: each criterion against its target, and what is used of each limit.

import { useId, useState } from "react";

import type { LimitUse, MissionPauseForm, MissionView } from "@/backend";
import { formatMoney, tokensWord } from "@/domains/run";
import { Button, Meter, StateMark, cx, formatDuration, useNow } from "@/shared";

import { RaiseDialog } from "./RaiseForm";
import type { Steering } from "./Steering";
import { activeMsAt, amount, limitLabel, measureOf } from "./labels";

const HEADING = "mb-1.5 text-small font-medium text-ink-3";

export function Criteria({ mission }: { mission: MissionView }) {
    const id = useId();
    const measures = Object.entries(mission.criteria).map(([name, criterion]) => measureOf(name, criterion));
    if (measures.length === 0) return null;
    const met = measures.filter((measure) => measure.met).length;
    return (
        <section aria-labelledby={id}>
            <h3 id={id} className={HEADING}>
                Done when
                <span className="font-normal">
                    : {met} of {measures.length} met
                </span>
            </h3>
            <ul className="flex flex-col gap-1">
                {measures.map(({ label, share, tick, text, met: isMet }) => (
                    <li key={label} className="flex min-w-0 items-center gap-2 text-small">
                        <StateMark
                            state={isMet ? "done" : "idle"}
                            word={isMet ? "Met" : "Not met yet"}
                            show="icon"
                            size={14}
                        />
                        <span aria-hidden={share !== undefined} className="w-32 shrink-0 truncate text-ink-2">
                            {label}
                        </span>
                        {share === undefined ? (
                            <span className="text-ink">{text}</span>
                        ) : (
                            <Meter
                                label={label}
                                hideLabel
                                value={share}
                                threshold={tick}
                                valueText={text}
                                className="min-w-0 flex-1 whitespace-nowrap"
                            />
                        )}
                    </li>
                ))}
            </ul>
        </section>
    );
}

const asksToRaise = ({ choices }: MissionPauseForm) => choices.includes("raise");

/** A limit from which on its line asks for attention. */
const NEAR = 0.8;

export function Spend({ mission, steering }: { mission: MissionView; steering: Steering }) {
    const [raising, setRaising] = useState(false);
    const id = useId();
    const isWorking = mission.workingSince !== null;
    const activeMs = activeMsAt(mission, useNow(isWorking));
    // While it ticks whole seconds are enough: tenths would flicker.
    const activeWord = isWorking && activeMs < 60_000 ? `${Math.floor(activeMs / 1_000)} s` : formatDuration(activeMs);
    const limits = mission.limits.map((use) => (use.dimension === "minutes" ? { ...use, used: activeMs } : use));
    const limited = limits.filter((use): use is LimitUse & { limit: number } => typeof use.limit === "number");
    return (
        <section aria-labelledby={id}>
            <h3 id={id} className={HEADING}>
                Used
                <span className="tabular font-normal">
                    : {formatMoney(mission.cost)}, {tokensWord(mission)}, {activeWord}
                </span>
            </h3>
            <ul className="flex flex-col gap-1.5">
                {limited.map((use) => {
                    const share = use.limit === 0 ? 1 : Math.min(1, use.used / use.limit);
                    const used = use.dimension === "minutes" ? activeWord : amount(use.dimension, use.used);
                    const text = `${used} of ${amount(use.dimension, use.limit)}`;
                    return (
                        <li key={use.dimension} className="text-small">
                            <span className="flex justify-between gap-3">
                                <span className="truncate text-ink-2">{limitLabel(use)}</span>
                                <span className="tabular shrink-0 text-ink-2">{text}</span>
                            </span>
                            <span
                                role="meter"
                                aria-label={limitLabel(use)}
                                aria-valuemin={0}
                                aria-valuemax={100}
                                aria-valuenow={Math.round(share * 100)}
                                aria-valuetext={text}
                                className="mt-0.5 block h-0.5 rounded-full bg-hairline"
                            >
                                <span
                                    className={cx(
                                        "block h-full rounded-full",
                                        share >= NEAR ? "bg-needs-rule" : "bg-ink-3",
                                    )}
                                    style={{ width: `${share * 100}%` }}
                                />
                            </span>
                        </li>
                    );
                })}
            </ul>
            {limited.length === 0 && <p className="text-small text-ink-3">This mission has no limits.</p>}
            {/* At a limit the pause has the choice itself. */}
            {limited.length > 0 && steering.closed === undefined && !mission.pauses.some(asksToRaise) && (
                <Button
                    size="small"
                    variant="quiet"
                    className="mt-1 -ml-2"
                    onClick={() => {
                        steering.clear();
                        setRaising(true);
                    }}
                >
                    Raise limits…
                </Button>
            )}
            {raising && <RaiseDialog mission={mission} steering={steering} onClose={() => setRaising(false)} />}
        </section>
    );
}
