// What is loaded when it is opened.

import { later } from "@/shared";

export const ParagraphInspector = later(() => import("./ParagraphInspector").then((part) => part.ParagraphInspector));
