import { createContext } from "react";

/** Opens links of every Markdown below; set once in the window. In a file of its own: the window needs it before it needs any Markdown. */
export const OpenLinkContext = createContext<(url: string) => void>(() => {});
