// One call from the inside: what was sent and what came back, as it went over the wire where that was kept.

import type { CallRow } from "@/backend";
import { CodeBlock, CopyButton, Fold, JsonView, count } from "@/shared";

import { jsonOf, receivedOf, sentOf, type Received, type Sent } from "./exchange";

export function Exchange({ call }: { call: CallRow }) {
    const { requestId } = call;
    const sent = sentOf(call.wire);
    const received = receivedOf(call.received);
    const stop = call.stop ?? received?.stop ?? "";
    return (
        <>
            {sent === undefined ? (
                call.request !== null && call.request !== undefined && <Json label="Sent" value={call.request} />
            ) : (
                <SentPart sent={sent} />
            )}
            {received !== undefined && <ReceivedPart received={received} />}
            {call.output !== null && call.output !== undefined && (
                <Json label={received === undefined ? "Result" : "Parsed output"} value={call.output} />
            )}
            {typeof call.continuedFrom === "number" && (
                <p className="text-small text-ink-3">
                    Continued from a draft of {count(call.continuedFrom, "word")}: the answer broke off there.
                </p>
            )}
            {(stop !== "" || typeof requestId === "string" || typeof call.answeredBy === "string") && (
                <p className="flex flex-wrap items-center gap-x-4 gap-y-1 text-small text-ink-3">
                    {typeof call.answeredBy === "string" && (
                        <span className="font-mono text-code">{call.answeredBy}</span>
                    )}
                    {stop !== "" && <span>Ended: {stop.replace(/_/g, " ")}</span>}
                    {typeof requestId === "string" && (
                        <span className="flex min-w-0 items-center gap-1">
                            Request <code className="min-w-0 truncate font-mono text-code">{requestId}</code>
                            <CopyButton text={requestId} label="Copy request id" />
                        </span>
                    )}
                </p>
            )}
        </>
    );
}

function SentPart({ sent }: { sent: Sent }) {
    return (
        <div className="min-w-0">
            <p className="mb-1 text-small text-ink-3">Sent</p>
            {sent.line !== "" && <p className="mb-1 font-mono text-code break-all text-ink-2">{sent.line}</p>}
            {sent.headers.length > 0 && (
                <Fold
                    label="Headers"
                    note={<span className="tabular text-small text-ink-3">{sent.headers.length}</span>}
                    className="mb-1"
                >
                    <dl className="mb-1 grid grid-cols-[max-content_minmax(0,1fr)] gap-x-3 pl-5 font-mono text-code">
                        {sent.headers.map(([name, value], index) => (
                            <div key={`${name}.${index}`} className="col-span-2 grid grid-cols-subgrid">
                                <dt className="text-code-name">{name}</dt>
                                <dd className="break-all text-ink-2">{value}</dd>
                            </div>
                        ))}
                    </dl>
                </Fold>
            )}
            {typeof sent.body === "string" ? (
                <CodeBlock code={sent.body} wrap height="max-h-72" />
            ) : (
                <JsonView value={sent.body} label="Sent" open={1} height="max-h-72" />
            )}
        </div>
    );
}

function ReceivedPart({ received }: { received: Received }) {
    const { thinking, hidden, text, parts, rest } = received;
    const value = jsonOf(text);
    const nothing = thinking === "" && hidden === 0 && text === "" && parts.length === 0 && rest === undefined;
    return (
        <div className="min-w-0">
            <p className="mb-1 text-small text-ink-3">Received</p>
            {nothing && <p className="text-ui text-ink-2">Response without text.</p>}
            {thinking !== "" && (
                <Fold label="Thinking" className="mb-1">
                    <p className="max-h-72 overflow-y-auto pl-5 text-ui whitespace-pre-wrap text-ink-2">{thinking}</p>
                </Fold>
            )}
            {hidden > 0 && (
                <p className="mb-1 text-small text-ink-3">
                    {hidden === 1 ? "A piece" : `${hidden} pieces`} of thinking that the provider encrypted: nobody here
                    can read {hidden === 1 ? "it" : "them"}, and the next request returns {hidden === 1 ? "it" : "them"}
                    .
                </p>
            )}
            {text !== "" &&
                (value === undefined ? (
                    <CodeBlock code={text} wrap height="max-h-72" />
                ) : (
                    <JsonView value={value} label="Received" open={1} height="max-h-72" />
                ))}
            {parts.length > 0 && (
                <Fold
                    label="Parts in order"
                    note={<span className="tabular text-small text-ink-3">{parts.length}</span>}
                    className="mt-1"
                >
                    <JsonView value={parts} label="Parts in order" open={1} height="max-h-72" className="mt-1" />
                </Fold>
            )}
            {rest !== undefined && (
                <JsonView value={rest} label="Other data" open={0} height="max-h-72" className="mt-1" />
            )}
        </div>
    );
}

function Json({ label, value }: { label: string; value: unknown }) {
    return (
        <div>
            <p className="mb-1 text-small text-ink-3">{label}</p>
            <JsonView value={value} label={label} open={1} height="max-h-72" />
        </div>
    );
}
