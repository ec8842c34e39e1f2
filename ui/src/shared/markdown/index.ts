// Markdown from models, documents and messages, safely: `import { Markdown } from "@/shared/markdown"`.

export { OpenLinkContext } from "./links";
export { Markdown, type MarkdownProps } from "./Markdown";
export { outline, slugOf, type OutlineEntry } from "./slug";
