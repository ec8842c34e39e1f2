// What the window needs of knowledge at its start. The pages are loaded by their views.

export { FilePlace } from "./FilePlace";
export { JobNews } from "./JobNews";
export { carry, ingestDropped, takeCarried } from "./dropped";
export { useJobs } from "./jobs";
export { useDroppedFiles } from "./useDroppedFiles";
