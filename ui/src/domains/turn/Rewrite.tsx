// A message that is changed and sent again.

import { useEffect, useRef, useState } from "react";

import { useCommand, useDraft, type TurnView } from "@/backend";
import { Button, TextArea, problemText } from "@/shared";

export function Rewrite({ view, onDone }: { view: TurnView; onDone: () => void }) {
    const draft = useDraft(`rewrite/${view.head.run}`);
    const { setText } = draft;
    // What was changed and not sent comes back; until something is changed, it is the message.
    const [touched, setTouched] = useState(false);
    const text = touched || draft.text !== "" ? draft.text : view.message.text;
    const send = useCommand("turn_send");
    const area = useRef<HTMLTextAreaElement>(null);
    useEffect(() => {
        area.current?.focus();
        area.current?.setSelectionRange(area.current.value.length, area.current.value.length);
    }, []);
    const go = async () => {
        if (text.trim() === "" || send.pending) return;
        // What it named keeps its badge where the text stayed as it was.
        const mentions = (view.message.mentions ?? []).filter(
            (each) =>
                text.slice(Number(each.range[0]), Number(each.range[1])) ===
                view.message.text.slice(Number(each.range[0]), Number(each.range[1])),
        );
        const { problem } = await send.run({
            session: view.head.session,
            message: { ...view.message, text, mentions },
            replaces: view.head.run,
        });
        if (problem === undefined) leave();
    };
    const leave = () => {
        draft.clear();
        onDone();
    };
    return (
        <div
            className="mt-1"
            onKeyDown={(event) => {
                if (event.key === "Escape") {
                    event.preventDefault();
                    leave();
                } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
                    event.preventDefault();
                    void go();
                }
            }}
        >
            <TextArea
                ref={area}
                label="Message"
                hideLabel
                value={text}
                onChange={(next) => {
                    setTouched(true);
                    setText(next);
                }}
                minRows={2}
                maxRows={16}
                disabled={send.pending}
            />
            <div className="mt-1.5 flex flex-wrap items-center gap-2">
                <Button
                    variant="primary"
                    shortcut="Ctrl+Enter"
                    disabled={send.pending || text.trim() === ""}
                    onClick={() => void go()}
                >
                    Resend
                </Button>
                <Button variant="quiet" onClick={leave}>
                    Cancel
                </Button>
                <span className="text-small text-ink-3">Later messages leave the conversation but stay stored.</span>
            </div>
            {send.problem !== undefined && (
                <p role="alert" className="mt-1 text-small text-failed">
                    {problemText(send.problem, "Not sent")}
                </p>
            )}
        </div>
    );
}
