// A mission on what an ended one found: a further objective, or the same findings in another report.

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
            "A new mission goes on with what this one found: its claims, sources, open gaps and your decisions. Profile, knowledge base and limits are the same.",
        label: "Objective",
        placeholder: "What else is to be found out",
        confirmLabel: "Start mission",
    },
    report: {
        title: "Another report",
        description: "A new report on the same objective is written from what is known. Nothing is researched.",
        label: "Form of the report",
        placeholder: "For example: a table of levels and who sets them",
        confirmLabel: "Write report",
    },
};

export function NextMission({ mission, kind, onClose }: { mission: MissionView; kind: NextKind; onClose: () => void }) {
    const starting = useCommand("mission_start");
    const start = async (request: string) => {
        const { value } = await starting.run({ request, previous: mission.mission, reportOnly: kind === "report" });
        if (value !== undefined) go({ page: "session", session: mission.session, run: value });
        return value !== undefined;
    };
    return <TextDialog {...WORDING[kind]} command={starting} onText={start} onClose={onClose} />;
}
