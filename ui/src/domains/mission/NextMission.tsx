// A mission on what another one found: a further objective, or the same findings in another report.

import { useCommand, type MissionView } from "@/backend";
import { go } from "@/routes";

import { TextDialog, type TextDialogProps } from "./TextDialog";

export type NextKind = "follow-up" | "report";

const WORDING: {
    readonly [kind in NextKind]: Pick<
        TextDialogProps,
        "title" | "description" | "label" | "placeholder" | "confirmLabel"
    >;
} = {
    "follow-up": {
        title: "Follow-up mission",
        description:
            "A new mission continues from this one: its claims, sources, open gaps and your decisions. Profile, knowledge base and limits are the same.",
        label: "Objective",
        placeholder: "What else should be found out",
        confirmLabel: "Start mission",
    },
    report: {
        title: "Another report",
        description: "A new report on the same objective is written from what is known. No new research is done.",
        label: "Form of the report",
        placeholder: "For example: a table of levels and who sets them",
        confirmLabel: "Write report",
    },
};

/** Another report from what is known, which does not rest on a claim. */
export function ReportWithout({
    mission,
    claim,
    onStarted,
    onClose,
}: {
    mission: MissionView;
    claim: { id: string; text: string };
    onStarted?: () => void;
    onClose: () => void;
}) {
    const starting = useCommand("mission_start");
    const start = async (why: string) => {
        const without = [{ claim: claim.id, why }];
        const { value } = await starting.run({ previous: mission.mission, reportOnly: true, without });
        if (value === undefined) return false;
        onStarted?.();
        go({ page: "session", session: mission.session, run: value });
        return true;
    };
    return (
        <TextDialog
            title="Reject and write again"
            about={claim.text}
            description="The claim is rejected, and a new report in the same form is written from what is left. No new research is done; this report stays as it is."
            label="Why it is wrong"
            confirmLabel="Write report"
            command={starting}
            onText={start}
            onClose={onClose}
        />
    );
}

export function NextMission({ mission, kind, onClose }: { mission: MissionView; kind: NextKind; onClose: () => void }) {
    const starting = useCommand("mission_start");
    const start = async (request: string) => {
        const { value } = await starting.run({ request, previous: mission.mission, reportOnly: kind === "report" });
        if (value !== undefined) go({ page: "session", session: mission.session, run: value });
        return value !== undefined;
    };
    return <TextDialog {...WORDING[kind]} command={starting} onText={start} onClose={onClose} />;
}
