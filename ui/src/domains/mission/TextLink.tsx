/** Words that lead to something else of the mission. */
export function TextLink({ text, onOpen }: { text: string; onOpen: () => void }) {
    return (
        <button
            type="button"
            onClick={onOpen}
            className="rounded-[4px] text-left text-ui break-words text-accent hover:underline"
        >
            {text}
        </button>
    );
}
