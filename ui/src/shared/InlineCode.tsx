/** A sentence in which words between backticks are code, as the core writes its messages. */
export function InlineCode({ text }: { text: string }) {
    return text.split("`").map((part, index, all) =>
        // An odd backtick at the end opens nothing.
        index % 2 === 1 && index < all.length - 1 ? (
            <code key={index} className="rounded-[4px] bg-sunken px-1 font-mono text-code text-ink">
                {part}
            </code>
        ) : index % 2 === 1 ? (
            `\`${part}`
        ) : (
            part
        ),
    );
}
