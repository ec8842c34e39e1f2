export { CapsuleCheck } from "./CapsuleCheck";
export { ChildRuns } from "./ChildRuns";
export { Checkpoints } from "./Checkpoints";
export { CostMeter } from "./CostMeter";
export { Drafts } from "./Drafts";
export { EventTable } from "./EventTable";
export { GateAttempts, hasAttempts } from "./GateAttempts";
export { RunProblem, StageInspector } from "./lazy";
export { OutputTables } from "./OutputTables";
export { ReplayCheck } from "./ReplayCheck";
export { replayLine } from "./replay";
export { RepeatRun } from "./RepeatRun";
export { StageTabs } from "./StageTabs";
export { StageStrip } from "./StageStrip";
export { StageCosts, Timeline } from "./Timeline";
export { TokenLedger } from "./TokenLedger";
export { WorkLine } from "./WorkLine";
export {
    baseName,
    canGoOn,
    forecastWord,
    formatMoney,
    formatNumber,
    asksNone,
    formatTokens,
    isOver,
    runStatus,
    shortTokens,
    spentWord,
    stageStatus,
    titled,
    tokensOf,
    tokensWord,
    type StatusLabel,
} from "./labels";
