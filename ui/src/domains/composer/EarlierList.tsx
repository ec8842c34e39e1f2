import { useQuery } from "@/backend";
import { ErrorCard, RelativeTime, Skeleton } from "@/shared";

export interface EarlierListProps {
    draftKey: string;
    /** What stands in the field: it is not offered again. */
    now: string;
    onTake: (text: string) => void;
}

export function EarlierList({ draftKey, now, onTake }: EarlierListProps) {
    const { data, problem } = useQuery("draft_earlier", { key: draftKey });
    if (data === undefined)
        return problem === undefined ? (
            <Skeleton lines={3} className="p-2" />
        ) : (
            <ErrorCard title="Could not load earlier drafts" advice={problem.action ?? undefined}>
                {problem.message}
            </ErrorCard>
        );
    const others = data.filter((each) => each.text.trim() !== "" && each.text !== now);
    if (others.length === 0)
        return <p className="p-2 text-ink-2">No earlier drafts. Replaced text is kept here for a while.</p>;
    return (
        <ul aria-label="Earlier drafts">
            {others.map((each, index) => (
                <li key={index}>
                    <button
                        type="button"
                        onClick={() => onTake(each.text)}
                        title={each.text.length > 120 ? each.text.slice(0, 1_000) : undefined}
                        className="ring-inside flex w-full items-start gap-3 rounded-control px-2 py-1.5 text-left hover:bg-hover"
                    >
                        <span className="line-clamp-2 min-w-0 flex-1 break-words">{each.text}</span>
                        <RelativeTime at={each.updatedAt} className="shrink-0 text-small text-ink-3" />
                    </button>
                </li>
            ))}
        </ul>
    );
}
