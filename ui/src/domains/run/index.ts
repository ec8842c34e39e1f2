export { CostMeter } from "./CostMeter";
export { EventTable } from "./EventTable";
export { StageInspector } from "./lazy";
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
    runStatus,
    shortTokens,
    spentWord,
    stageStatus,
    titled,
    tokensOf,
} from "./labels";
