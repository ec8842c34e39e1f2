import type { StruckWords, TextRange } from "@/backend";

import { pieces } from "@/shared";

export interface MarkedProps {
    text: string;
    ranges: readonly TextRange[];
    struck?: readonly StruckWords[];
}

/** A text with what was found in it marked, and what its file strikes out shown so. */
export function Marked({ text, ranges, struck }: MarkedProps) {
    return pieces(text, ranges, struck).map((piece, index) =>
        piece.struck ? (
            <del key={index} className="text-ink-3" title="Struck out in the file: no part of the text">
                {piece.text}
            </del>
        ) : piece.marked ? (
            <mark
                key={index}
                className="rounded-[3px] bg-needs-soft px-px text-ink underline decoration-needs-rule decoration-1 underline-offset-2"
            >
                {piece.text}
            </mark>
        ) : (
            piece.text
        ),
    );
}
