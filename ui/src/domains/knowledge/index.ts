// What the window needs of knowledge at its start. The pages are loaded by their views.

export { JobNews } from "./JobNews";
export { useJobs } from "./jobs";
