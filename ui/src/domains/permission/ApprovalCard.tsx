// The question whether a call may run: exactly what would happen, why it is asked, and what can be granted.

import { ShieldQuestion } from "lucide-react";
import { useId, useRef, useState } from "react";

import { useCommand, type Approval, type ApprovalVerdict } from "@/backend";
import {
    Button,
    TextField,
    InlineCode,
    cx,
    sentence,
    useFocusWhen,
    useLetters,
    useShortcut,
    writtenOut,
    problemText,
} from "@/shared";

import { keyOf, offerOf } from "./offers";
import { PreviewView } from "./PreviewView";

export interface ApprovalCardProps {
    run: string;
    /** The call's step. */
    call: string;
    /** The tool, as a person reads it, and its source. */
    title: string;
    source: string;
    intent: string;
    approval: Approval;
    /** Whether the keys are its own: the first one that waits. */
    first: boolean;
}

export function ApprovalCard({ run, call, title, source, intent, approval, first }: ApprovalCardProps) {
    const answer = useCommand("approval_answer");
    const [refusing, setRefusing] = useState(false);
    const [reason, setReason] = useState("");
    const [said, setSaid] = useState<number | "no">();
    const card = useRef<HTMLElement>(null);
    const field = useRef<HTMLInputElement>(null);
    const heading = useId();
    const { offers } = approval;
    const [narrowest, ...wider] = offers;
    const sending = answer.pending || said !== undefined;

    // A letter decides only in the card; while something is written elsewhere it takes a key with Alt.
    const { inside, meant } = useLetters(card, first);
    useFocusWhen(field, refusing);

    const tell = async (verdict: ApprovalVerdict) => {
        if (sending) return;
        setSaid(verdict.verdict === "allow" ? verdict.offer : "no");
        const { problem } = await answer.run({ run, call, verdict });
        if (problem !== undefined) setSaid(undefined);
    };
    const allow = (offer: number) => offer >= 0 && void tell({ verdict: "allow", offer });
    const deny = () => void tell({ verdict: "deny", reason: reason.trim() });
    const group = "Permission";
    const letters = first && !refusing && inside;
    const yes = meant(() => allow(offerOf(offers, "y")));
    const no = meant(() => setRefusing(true));
    useShortcut("approval-yes", "y", "Allow once", yes, { group, enabled: letters });
    useShortcut(
        "approval-session",
        "s",
        "Allow for this session",
        meant(() => allow(offerOf(offers, "s"))),
        { group, enabled: letters && offerOf(offers, "s") >= 0 },
    );
    useShortcut("approval-no", "n", "Deny with a reason", no, { group, enabled: letters });
    useShortcut("approval-yes-anywhere", "Alt+Y", "Allow once, from anywhere", yes, {
        group,
        enabled: first && !refusing,
    });
    useShortcut("approval-no-anywhere", "Alt+N", "Deny with a reason, from anywhere", no, {
        group,
        enabled: first && !refusing,
    });
    const shown = (letter: "y" | "s" | "n" | undefined) =>
        !first || letter === undefined
            ? undefined
            : inside
              ? letter
              : letter === "s"
                ? undefined
                : `Alt+${letter.toUpperCase()}`;

    return (
        <section
            ref={card}
            tabIndex={-1}
            aria-labelledby={heading}
            data-approval={call}
            className="my-2 rounded-card border border-l-[3px] border-hairline border-l-needs-rule bg-surface px-4 pt-3 pb-3.5 outline-none focus-visible:outline-2"
        >
            <header className="flex items-start gap-2">
                <ShieldQuestion size={16} strokeWidth={1.5} aria-hidden className="mt-0.5 shrink-0 text-needs" />
                <div className="min-w-0 flex-1">
                    <h3 id={heading} className="text-ui font-semibold break-words">
                        <span className="text-needs">Allow this?</span> {writtenOut(title)}
                        {source !== "" && ` (${source})`}
                        {intent !== "" && `: ${writtenOut(intent)}`}
                    </h3>
                    <p className="text-small wrap-anywhere text-ink-2">
                        <InlineCode text={sentence(writtenOut(approval.why))} />
                    </p>
                </div>
            </header>
            <div className="mt-2.5">
                <PreviewView preview={approval.preview} arguments={approval.arguments} />
            </div>
            {answer.problem !== undefined && (
                <p role="alert" className="mt-2 text-ui text-failed">
                    {problemText(
                        answer.problem,
                        answer.problem.code === "conflict" ? "This was already decided elsewhere" : "Not sent",
                    )}
                </p>
            )}
            {refusing ? (
                <form
                    className="mt-3 flex flex-wrap items-end gap-2"
                    onSubmit={(event) => {
                        event.preventDefault();
                        deny();
                    }}
                    onKeyDown={(event) => {
                        if (event.key !== "Escape") return;
                        event.preventDefault();
                        event.stopPropagation();
                        setRefusing(false);
                        card.current?.focus({ preventScroll: true });
                    }}
                >
                    <TextField
                        ref={field}
                        label="Reason for the agent"
                        placeholder="Why not, or what to do instead (optional)"
                        value={reason}
                        onChange={setReason}
                        className="min-w-60 flex-1"
                        disabled={sending}
                    />
                    <Button type="submit" variant="primary" shortcut="Enter" disabled={sending}>
                        Deny
                    </Button>
                    <Button variant="quiet" onClick={() => setRefusing(false)} disabled={sending}>
                        Back
                    </Button>
                </form>
            ) : (
                <>
                    <div className="mt-3 flex flex-wrap gap-2">
                        {narrowest !== undefined && (
                            <Button
                                variant="primary"
                                shortcut={shown("y")}
                                disabled={sending}
                                onClick={() => allow(0)}
                                className={WRAPS}
                            >
                                <span className="min-w-0 whitespace-normal wrap-anywhere">
                                    {said === 0 ? "Sending…" : <Words text={narrowest.words} />}
                                </span>
                            </Button>
                        )}
                        <Button shortcut={shown("n")} disabled={sending} onClick={() => setRefusing(true)}>
                            Deny…
                        </Button>
                    </div>
                    {wider.length > 0 && (
                        <div
                            role="group"
                            aria-label="Allow more than this call"
                            className="mt-3 border-t border-hairline pt-2"
                        >
                            <p className="text-small text-ink-3">Or allow more, to be asked less often</p>
                            <ul className="-mx-3 mt-0.5">
                                {wider.map((offer, index) => (
                                    <li key={index}>
                                        <Button
                                            variant="quiet"
                                            shortcut={shown(keyOf(offers, index + 1))}
                                            disabled={sending}
                                            onClick={() => allow(index + 1)}
                                            className={cx(WRAPS, "w-full justify-start font-normal")}
                                        >
                                            <span className="min-w-0 whitespace-normal wrap-anywhere">
                                                {said === index + 1 ? "Sending…" : <Words text={offer.words} />}
                                            </span>
                                        </Button>
                                    </li>
                                ))}
                            </ul>
                        </div>
                    )}
                </>
            )}
        </section>
    );
}

/** Offers name paths: a button is as high as its words. */
const WRAPS = "h-auto min-h-7 max-w-full shrink py-0.5 text-left";

/** Words with code in them, on a button: the code keeps the button's colours. */
function Words({ text }: { text: string }) {
    return writtenOut(text)
        .split("`")
        .map((part, index, all) =>
            index % 2 === 1 && index < all.length - 1 ? (
                <code key={index} className="font-mono text-code font-normal">
                    {part}
                </code>
            ) : (
                part
            ),
        );
}
