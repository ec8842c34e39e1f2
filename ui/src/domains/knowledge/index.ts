// What the window needs of knowledge at its start. The pages are loaded by their views.

export { AskFolder } from "./AskFolder";
export { FilePlace } from "./FilePlace";
export { JobNews } from "./JobNews";
export { Marked } from "./Marked";
export { carry, hasCarried, ingestDropped, takeCarried } from "./dropped";
export { useJobs } from "./jobs";
export { baseLabel } from "./labels";
export { useDroppedFiles } from "./useDroppedFiles";
