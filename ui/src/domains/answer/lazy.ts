// What is loaded when it is opened.

import { lazyPart } from "@/shared";

export const ParagraphInspector = lazyPart(() =>
    import("./ParagraphInspector").then((part) => part.ParagraphInspector),
);
