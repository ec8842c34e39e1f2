// A mission on what an ended one found: a further objective, or the same findings in another report.

import { useState } from "react";

import { useCommand, type MissionView } from "@/backend";
import { go } from "@/routes";
import { Button, Dialog, ErrorCard, TextArea } from "@/shared";

export type NextKind = "follow-up" | "report";

interface Wording {
    title: string;
    description: string;
    label: string;
    placeholder: string;
    start: string;
}

const WORDING: { readonly [kind in NextKind]: Wording } = {
    "follow-up": {
        title: "Follow-up mission",
        description:
            "A new mission goes on with what this one found: its claims, sources, open gaps and your decisions. Profile, knowledge base and limits are the same.",
        label: "Objective",
        placeholder: "What else is to be found out",
        start: "Start mission",
    },
    report: {
        title: "Another report",
        description: "A new report on the same objective is written from what is known. Nothing is researched.",
        label: "Form of the report",
        placeholder: "For example: a table of levels and who sets them",
        start: "Write report",
    },
};

export function NextMission({ mission, kind, onClose }: { mission: MissionView; kind: NextKind; onClose: () => void }) {
    const [text, setText] = useState("");
    const starting = useCommand("mission_start");
    const words = WORDING[kind];
    const start = async () => {
        if (text.trim() === "" || starting.pending) return;
        const { value } = await starting.run({
            request: text.trim(),
            previous: mission.mission,
            reportOnly: kind === "report",
        });
        if (value === undefined) return;
        onClose();
        go({ page: "session", session: mission.session, run: value });
    };
    return (
        <Dialog
            open
            onOpenChange={(open) => !open && onClose()}
            title={words.title}
            description={words.description}
            footer={
                <>
                    <Button onClick={onClose}>Cancel</Button>
                    <Button
                        variant="primary"
                        shortcut="Ctrl+Enter"
                        disabled={text.trim() === "" || starting.pending}
                        onClick={() => void start()}
                    >
                        {starting.pending ? "Starting…" : words.start}
                    </Button>
                </>
            }
        >
            <TextArea
                label={words.label}
                placeholder={words.placeholder}
                value={text}
                onChange={setText}
                minRows={2}
                maxRows={10}
                data-autofocus
                onKeyDown={(event) => {
                    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void start();
                }}
            />
            {starting.problem !== undefined && (
                <ErrorCard
                    className="mt-3"
                    title="It did not start."
                    kept="What you wrote is kept."
                    advice={starting.problem.action ?? undefined}
                >
                    {starting.problem.message}
                </ErrorCard>
            )}
        </Dialog>
    );
}
