// Missions: how one stands, what it found and what is said to it; their list; and the form that starts one.

export { MissionCard, MissionComposer } from "./lazy";
export { MissionsPage } from "./MissionsPage";
export { NewMission } from "./NewMission";
