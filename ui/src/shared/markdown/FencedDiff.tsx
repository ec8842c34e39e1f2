// A change that a text holds in a fence.

import type { ReactNode } from "react";

import { DiffView } from "../DiffView";
import { parseUnified } from "../diff";

export interface FencedDiffProps {
    source: string;
    /** In its place until this is loaded. */
    children: ReactNode;
}

export function FencedDiff({ source }: FencedDiffProps) {
    const { files, pieces } = parseUnified(source);
    return <DiffView path={files.join(", ")} pieces={pieces} className="my-2.5 font-ui" />;
}
