import { Section } from "./Page";

/** Questions to begin with: one is taken over when it is chosen. */
export function Examples({
    examples,
    onChoose,
    className,
}: {
    examples: readonly string[];
    onChoose: (example: string) => void;
    className?: string;
}) {
    if (examples.length === 0) return null;
    return (
        <Section title="Examples" className={className}>
            <ul className="border-y border-hairline">
                {examples.map((example) => (
                    <li key={example} className="border-b border-hairline last:border-b-0">
                        <button
                            type="button"
                            onClick={() => onChoose(example)}
                            className="ring-inside w-full rounded-control px-1 py-2 text-left text-ui text-ink-2 hover:bg-hover hover:text-ink"
                        >
                            {example}
                        </button>
                    </li>
                ))}
            </ul>
        </Section>
    );
}
