// The parts of the work, of a run with many stages: one of them is open, and its stages stand below.

import { cx } from "@/shared";

import { BOX, COLUMNS, StageCell, columnsStyle } from "./StageCell";
import { stageStatus } from "./labels";
import type { StageGroup } from "./strip";

export function StageGroups({
    groups,
    shown,
    rest,
    onChoose,
}: {
    groups: readonly StageGroup[];
    shown: string | undefined;
    rest: string;
    onChoose: (group: StageGroup) => void;
}) {
    return (
        <div
            role="group"
            aria-label="Parts of the work"
            style={columnsStyle(groups.length)}
            className={cx(COLUMNS, "@max-md:gap-y-2")}
        >
            {groups.map((group) => {
                const ended = group.stages.filter(({ phase }) => phase === "completed" || phase === "skipped").length;
                return (
                    <button
                        key={group.title}
                        type="button"
                        aria-pressed={group.title === shown}
                        onClick={() => onChoose(group)}
                        className={BOX}
                    >
                        <StageCell phase={group.phase} title={group.title} open={group.title === shown}>
                            <span className="sr-only">{stageStatus(group.phase).word}, </span>
                            {group.phase === "paused" ? rest : `${ended} of ${group.stages.length}`}
                        </StageCell>
                    </button>
                );
            })}
        </div>
    );
}
