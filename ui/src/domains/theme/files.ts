import { send, toProblem, type Theme, type ThemePlace } from "@/backend";
import { THEMES, toast } from "@/shared";

/** Keeps a theme; gives its id, or undefined where it could not be kept: then the person was told. */
export async function keepTheme(place: ThemePlace, theme: Theme): Promise<string | undefined> {
    try {
        return (await send("theme_save", { place, theme, taken: THEMES.map(({ id }) => id) })).id;
    } catch (thrown) {
        toast({ text: `The theme could not be saved: ${wordsOf(thrown)}`, tone: "failed" });
        return undefined;
    }
}

/** Removes a theme's file, with a way back. */
export async function dropTheme(place: ThemePlace, theme: Theme | null, words: string): Promise<boolean> {
    try {
        await send("theme_remove", { place });
        toast({ text: words, ...(theme === null ? {} : { onUndo: () => void keepTheme(place, theme) }) });
        return true;
    } catch (thrown) {
        toast({ text: `The theme could not be removed: ${wordsOf(thrown)}`, tone: "failed" });
        return false;
    }
}

export function wordsOf(thrown: unknown): string {
    const { message, action } = toProblem(thrown);
    return [message, action].filter(Boolean).join(" ");
}
