// Signing in for a connection, in the person's browser.

import { useEffect, useRef, useState } from "react";

import { call, invalidate, openOutside, toProblem, type Problem, type SignIn as SignInState } from "@/backend";
import { Button, CopyButton, StateMark, Waiting } from "@/shared";

/** How often it is asked whether the browser came back. */
const LOOK_MS = 1_000;

interface Under {
    sign: SignInState;
    since: number;
}

export function SignIn({ slug, expired }: { slug: string; expired: boolean }) {
    const [under, setUnder] = useState<Under | undefined>();
    const [problem, setProblem] = useState<Problem | undefined>();
    const [begun, setBegun] = useState(false);
    const waiting = under?.sign.state === "waiting" ? under.sign.id : undefined;

    useEffect(() => {
        if (waiting === undefined) return;
        const timer = setInterval(() => {
            call("sign_in_show", { id: waiting }).then(
                (sign) => {
                    setUnder((before) => (before?.sign.id === sign.id ? { ...before, sign } : before));
                    if (sign.state === "done") invalidate(["connections"]);
                },
                (thrown: unknown) => {
                    setProblem(toProblem(thrown));
                    setUnder(undefined);
                },
            );
        }, LOOK_MS);
        return () => clearInterval(timer);
    }, [waiting]);
    // Whoever leaves the page gives it up.
    const left = useRef<string>(undefined);
    useEffect(() => {
        left.current = waiting;
    }, [waiting]);
    useEffect(
        () => () => {
            if (left.current !== undefined) void call("sign_in_cancel", { id: left.current }).catch(() => undefined);
        },
        [],
    );

    const begin = async () => {
        setProblem(undefined);
        setUnder(undefined);
        setBegun(true);
        try {
            const sign = await call("sign_in_begin", { slug });
            setUnder({ sign, since: Date.now() });
            // Where the browser can't be opened, the address stands on the page.
            if (sign.state === "waiting" && /^https?:\/\//i.test(sign.url))
                await openOutside(sign.url).catch(() => undefined);
        } catch (thrown) {
            setProblem(toProblem(thrown));
        } finally {
            setBegun(false);
        }
    };
    const cancel = () => {
        if (waiting !== undefined) void call("sign_in_cancel", { id: waiting }).catch(() => undefined);
        setUnder(undefined);
    };
    return (
        <div aria-live="polite" className="min-h-12 text-ui">
            {waiting === undefined || under === undefined ? (
                <div className="flex flex-wrap items-center gap-3">
                    <Button variant={expired ? "primary" : "secondary"} disabled={begun} onClick={() => void begin()}>
                        {begun ? "Starting…" : expired ? "Sign in…" : "Sign in again…"}
                    </Button>
                    {under?.sign.state === "done" && (
                        <StateMark state="done" word={under.sign.message === "" ? "Signed in" : under.sign.message} />
                    )}
                    {under?.sign.state === "failed" && <StateMark state="failed" word="Not signed in" />}
                    {under === undefined && problem === undefined && (
                        <span className="text-small text-ink-3">
                            Opens the browser. Tokens are stored in the vault.
                        </span>
                    )}
                </div>
            ) : (
                <>
                    <Waiting what="Waiting for the browser" since={under.since} onStop={cancel} stopLabel="Cancel" />
                    <p className="mt-1 flex min-w-0 items-center gap-1 text-small text-ink-3">
                        <span className="min-w-0 truncate">If the browser did not open: {under.sign.url}</span>
                        <CopyButton text={under.sign.url} label="Copy the address" />
                    </p>
                </>
            )}
            {under?.sign.state === "failed" && <p className="mt-1 text-ink-2">{under.sign.message}</p>}
            {problem !== undefined && (
                <p role="alert" className="mt-1 text-failed">
                    {problem.message} <span className="text-ink">{problem.action ?? ""}</span>
                </p>
            )}
        </div>
    );
}
