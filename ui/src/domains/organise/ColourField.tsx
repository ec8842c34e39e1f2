// Choosing a colour: one of the theme's, one of a palette, or one's own for light and for dark ground.

import { Check } from "lucide-react";
import { useId } from "react";

import type { Colour } from "@/backend";
import { cx } from "@/shared";

import { PALETTE, THEME_COLOURS, cssOf, hexFor, sameColour } from "./colours";

const WORDS: { readonly [name: string]: string } = {
    foreground: "Text",
    accent: "Accent",
    success: "Theme green",
    destructive: "Theme red",
};

const CHOICES: readonly { word: string; colour: Colour }[] = [
    ...THEME_COLOURS.map((name) => ({ word: WORDS[name] ?? name, colour: name })),
    ...PALETTE.map(({ name, colour }) => ({ word: name, colour })),
];

export function ColourField({
    label,
    value,
    onChange,
}: {
    label: string;
    value: Colour | null;
    onChange: (colour: Colour | null) => void;
}) {
    const id = useId();
    const own = value !== null && typeof value !== "string" ? value : undefined;
    const known = CHOICES.some((choice) => sameColour(choice.colour, value));
    const swatch = (word: string, colour: Colour | null, chosen: boolean) => (
        <label
            key={word}
            title={word}
            className={cx(
                "relative flex size-6 cursor-default items-center justify-center rounded-full border focus-within:outline-2 focus-within:outline-offset-1 focus-within:outline-accent",
                chosen ? "border-ink" : "border-transparent hover:border-hairline-strong",
            )}
        >
            <input
                type="radio"
                name={id}
                className="absolute inset-0 appearance-none outline-none focus-visible:outline-none"
                checked={chosen}
                onChange={() => onChange(colour)}
            />
            <span className="sr-only">{word}</span>
            <span
                aria-hidden
                style={{ background: cssOf(colour) }}
                className={cx(
                    "pointer-events-none flex size-4 items-center justify-center rounded-full",
                    colour === null && "border border-dashed border-hairline-strong",
                )}
            >
                {chosen && (
                    <Check size={12} strokeWidth={2.5} className={colour === null ? "text-ink-2" : "text-surface"} />
                )}
            </span>
        </label>
    );
    return (
        <fieldset className="min-w-0">
            <legend className="mb-1 text-small text-ink-2">{label}</legend>
            <div className="flex flex-wrap items-center gap-0.5">
                {swatch("None", null, value === null)}
                {CHOICES.map((choice) => swatch(choice.word, choice.colour, sameColour(choice.colour, value)))}
                {value !== null && !known && own === undefined && swatch("From the file", value, true)}
            </div>
            <div className="mt-1.5 flex flex-wrap items-center gap-x-4 gap-y-1 text-small text-ink-2">
                {(["light", "dark"] as const).map((ground) => (
                    <label key={ground} className="flex items-center gap-1.5">
                        <input
                            type="color"
                            value={hexFor(
                                own === undefined ? "" : ground === "light" ? own.light : (own.dark ?? own.light),
                            )}
                            onChange={(event) => {
                                // The other ground keeps its colour; the first one is for both.
                                const before = own ?? { light: event.target.value, dark: event.target.value };
                                onChange({
                                    light: before.light,
                                    dark: before.dark ?? before.light,
                                    [ground]: event.target.value,
                                });
                            }}
                            className="h-5 w-7 rounded-[4px] border border-hairline-strong bg-surface p-0"
                        />
                        on {ground} background
                    </label>
                ))}
            </div>
        </fieldset>
    );
}
