import { Check, RotateCcw, TriangleAlert } from "lucide-react";
import { useState } from "react";

import {
    Button,
    IconButton,
    Tooltip,
    contrast,
    cx,
    hexOf,
    parseColour,
    weakest,
    type Checked,
    type ColourName,
    type Sides,
} from "@/shared";

import type { EditingEvent, Side } from "./edits";
import { groundOf } from "./grounds";
import { COLOURS, pairWords, ratioWords } from "./labels";

export interface ColourRowProps {
    colour: ColourName;
    sides: Sides;
    checked: Record<Side, readonly Checked[]>;
    happen: (event: EditingEvent) => void;
}

/** One colour of a theme, on light and on dark ground. */
export function ColourRow({ colour, sides, checked, happen }: ColourRowProps) {
    const { word, hint } = COLOURS[colour];
    return (
        <fieldset className="mt-3">
            <legend className="mb-1 flex w-full items-baseline gap-2">
                <span className="font-medium">{word}</span>
                <span className="truncate text-small text-ink-3">{hint}</span>
            </legend>
            <div className="grid grid-cols-2 gap-x-4">
                <ColourCell
                    side="light"
                    label={`${word}, light`}
                    colour={colour}
                    sides={sides}
                    checked={checked.light}
                    happen={happen}
                />
                <ColourCell
                    side="dark"
                    label={`${word}, dark`}
                    colour={colour}
                    sides={sides}
                    checked={checked.dark}
                    happen={happen}
                />
            </div>
        </fieldset>
    );
}

interface ColourCellProps {
    side: Side;
    label: string;
    colour: ColourName;
    sides: Sides;
    checked: readonly Checked[];
    happen: (event: EditingEvent) => void;
}

function ColourCell({ side, label, colour, sides, checked, happen }: ColourCellProps) {
    const own = sides[side][colour];
    const value = own ?? groundOf(sides[side], colour);
    const set = (next: string) => happen({ do: "colour", side, colour, value: next });
    const settle = () => happen({ do: "settle" });
    return (
        <div className="min-w-0">
            <div className="flex items-center gap-1.5">
                <input
                    type="color"
                    aria-label={`${label}: choose`}
                    value={value}
                    onChange={(event) => set(event.target.value)}
                    onBlur={settle}
                    className="size-7 shrink-0 appearance-none overflow-hidden rounded-control border border-hairline-strong bg-field p-0 [&::-moz-color-swatch]:border-0 [&::-webkit-color-swatch]:border-0 [&::-webkit-color-swatch-wrapper]:p-0"
                />
                <ColourText label={label} value={value} derived={own === undefined} onChange={set} onSettle={settle} />
                {colour === "background" ? (
                    <span className="w-14" />
                ) : (
                    <Verdict colour={colour} side={side} sides={sides} checked={checked} happen={happen} />
                )}
                {own !== undefined && isGround(colour) && (
                    <IconButton
                        label={`${label}: follow the background`}
                        size="small"
                        icon={<RotateCcw size={14} strokeWidth={1.5} />}
                        onClick={() => happen({ do: "colour", side, colour, value: undefined })}
                    />
                )}
            </div>
        </div>
    );
}

type Ground = "paper" | "navigator" | "input" | "popover";
const isGround = (colour: ColourName): colour is Ground =>
    colour === "paper" || colour === "navigator" || colour === "input" || colour === "popover";

/** The colour as text. What is no colour yet changes nothing and is marked. */
function ColourText({
    label,
    value,
    derived,
    onChange,
    onSettle,
}: {
    label: string;
    value: string;
    derived: boolean;
    onChange: (value: string) => void;
    onSettle: () => void;
}) {
    const [draft, setDraft] = useState<string>();
    const wrong = draft !== undefined && parseColour(draft) === undefined;
    const take = () => {
        setDraft(undefined);
        onSettle();
    };
    return (
        <input
            type="text"
            aria-label={label}
            aria-invalid={wrong}
            title={
                wrong
                    ? "Enter a colour such as #2b4c7e, rgb(43 76 126), hsl(216 49% 33%) or oklch(0.42 0.09 259)"
                    : undefined
            }
            data-typed={draft !== undefined}
            value={draft ?? value}
            spellCheck={false}
            onChange={(event) => {
                setDraft(event.target.value);
                const next = parseColour(event.target.value);
                if (next !== undefined && hexOf(next) !== value) onChange(hexOf(next));
            }}
            onBlur={take}
            onKeyDown={(event) => {
                if (event.key === "Enter") take();
                if (event.key === "Escape" && draft !== undefined) {
                    event.preventDefault();
                    event.stopPropagation();
                    setDraft(undefined);
                }
            }}
            className={cx(
                "h-7 w-full min-w-0 rounded-control border bg-field px-1.5 font-mono text-code focus-visible:outline-offset-0",
                wrong ? "border-failed" : "border-hairline-strong hover:border-ink-3",
                derived ? "text-ink-3" : "text-ink",
            )}
        />
    );
}

/** How well the colour reads at its weakest place, and the way to mend it. */
function Verdict({
    colour,
    side,
    sides,
    checked,
    happen,
}: {
    colour: Exclude<ColourName, "background">;
    side: Side;
    sides: Sides;
    checked: readonly Checked[];
    happen: (event: EditingEvent) => void;
}) {
    if (isGround(colour)) {
        const ratio = contrast(sides[side].foreground, sides[side][colour] ?? groundOf(sides[side], colour));
        return (
            <Ratio
                ratio={ratio}
                passes={ratio >= 4.5}
                words={`Contrast of text on it: ${ratioWords(ratio)} to 1, minimum 4.5.`}
            />
        );
    }
    const derivedInk = (pair: Checked) => colour === "foreground" && pair.passes && pair.front !== "ink";
    // The quieter inks are made so that they just read: they say nothing about the colour.
    const worst = weakest(
        checked.filter((pair) => !derivedInk(pair)),
        colour,
    );
    if (worst === undefined) return null;
    const words = `${pairWords(worst)}: ${ratioWords(worst.ratio)} to 1, minimum ${worst.least}.`;
    if (worst.passes) return <Ratio ratio={worst.ratio} passes words={words} />;
    return (
        <Tooltip label={words}>
            <Button
                size="small"
                className="w-14 px-0 text-needs"
                aria-label={`Fix ${COLOURS[colour].word}, ${side}. ${words}`}
                onClick={() => happen({ do: "fix", side, colour })}
            >
                {ratioWords(worst.ratio)} Fix
            </Button>
        </Tooltip>
    );
}

function Ratio({ ratio, passes, words }: { ratio: number; passes: boolean; words: string }) {
    const Sign = passes ? Check : TriangleAlert;
    return (
        <Tooltip label={words}>
            <span
                tabIndex={0}
                role="img"
                aria-label={words}
                className={cx(
                    "tabular flex w-14 shrink-0 items-center gap-1 rounded-[4px] text-small",
                    passes ? "text-done" : "text-needs",
                )}
            >
                <Sign size={14} strokeWidth={1.5} aria-hidden className="shrink-0" />
                {ratioWords(ratio)}
            </span>
        </Tooltip>
    );
}
