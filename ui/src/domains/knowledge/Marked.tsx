import type { TextRange } from "@/backend";

import { pieces } from "@/shared";

/** A text with what was found in it marked. */
export function Marked({ text, ranges }: { text: string; ranges: readonly TextRange[] }) {
    return pieces(text, ranges).map((piece, index) =>
        piece.marked ? (
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
