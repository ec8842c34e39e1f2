export { CapsuleCheck } from "./CapsuleCheck";
export { CostMeter } from "./CostMeter";
export { EventTable } from "./EventTable";
export { StageInspector } from "./parts";
export { ReplayCheck } from "./ReplayCheck";
export { replayLine } from "./replay";
export { RunProblem } from "./RunProblem";
export { StageTabs } from "./StageTabs";
export { StageStrip } from "./StageStrip";
export { StageCosts, Timeline } from "./Timeline";
export { WorkLine } from "./WorkLine";
export {
    baseName,
    canGoOn,
    formatMoney,
    formatNumber,
    formatTokens,
    isOver,
    runStanding,
    shortTokens,
    spentWord,
    stageStanding,
    titled,
    tokensOf,
} from "./words";
