import { cx } from "./cx";
import { diffWords } from "./diff";

export function WordDiff({ before, after, className }: { before: string; after: string; className?: string }) {
    return (
        <span className={cx("whitespace-pre-wrap", className)}>
            {diffWords(before, after).map((part, index) =>
                part.kind === "same" ? (
                    <span key={index}>{part.text}</span>
                ) : part.kind === "added" ? (
                    <ins key={index} className="rounded-[3px] bg-done-soft text-done no-underline">
                        {part.text}
                    </ins>
                ) : (
                    <del key={index} className="rounded-[3px] bg-failed-soft text-failed">
                        {part.text}
                    </del>
                ),
            )}
        </span>
    );
}
