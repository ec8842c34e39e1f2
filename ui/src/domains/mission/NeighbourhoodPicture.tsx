// A picture of what an entity is connected with. The list of connections below it says the same in words.

import { useLayoutEffect, useMemo, useRef } from "react";

import { cx } from "@/shared";

import { relationWord } from "./labels";
import { HEIGHT, WIDTH, drawingOf, type Neighbourhood, type PlacedEntity } from "./neighbourhood";

/** Letters of a name that fit. */
const LETTERS = 24;
/** Lines from the middle that can be named without covering each other. */
const NAMED = 8;
const NAMED_AT = 0.6;

export function NeighbourhoodPicture({
    around,
    onEntity,
}: {
    around: Neighbourhood;
    onEntity: (entity: string) => void;
}) {
    const { places, lines, left } = useMemo(() => drawingOf(around), [around]);
    const frame = useRef<HTMLElement>(null);
    const [centre] = places;
    const middle = centre?.entity.id;
    // Where there is no room for all of it, the middle is what is seen first.
    useLayoutEffect(() => {
        const { current } = frame;
        if (current !== null) current.scrollLeft = (current.scrollWidth - current.clientWidth) / 2;
    }, [middle]);
    if (centre === undefined) return null;
    const direct = lines.filter((line) => line.from === centre || line.to === centre);
    return (
        <figure ref={frame} className="my-3 overflow-x-auto rounded-card border border-hairline bg-surface">
            <svg
                viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
                className="mx-auto block w-full max-w-[45rem] min-w-[30rem]"
                role="group"
                aria-label={`What ${centre.entity.name} is connected with`}
            >
                {lines.map((line) => (
                    <line
                        key={line.id}
                        x1={line.from.x}
                        y1={line.from.y}
                        x2={line.to.x}
                        y2={line.to.y}
                        className={direct.includes(line) ? "stroke-ink-3" : "stroke-hairline-strong"}
                        strokeWidth={1}
                    >
                        <title>{`${line.from.entity.name} ${relationWord(line.kind)} ${line.to.entity.name}`}</title>
                    </line>
                ))}
                {direct.length <= NAMED &&
                    direct.map((line) => (
                        <text
                            key={line.id}
                            {...between(centre, line.from === centre ? line.to : line.from)}
                            textAnchor="middle"
                            dominantBaseline="middle"
                            className="pointer-events-none fill-ink-3 stroke-surface text-[11px]"
                            strokeWidth={4}
                            paintOrder="stroke"
                        >
                            {short(relationWord(line.kind))}
                        </text>
                    ))}
                {places.map((place) => (
                    <Name key={place.entity.id} place={place} onEntity={onEntity} />
                ))}
            </svg>
            {left > 0 && (
                <figcaption className="border-t border-hairline px-3 py-1.5 text-small text-ink-3">
                    {`${left} more in the list below`}
                </figcaption>
            )}
        </figure>
    );
}

function Name({ place, onEntity }: { place: PlacedEntity; onEntity: (entity: string) => void }) {
    const { entity, ring, x, y } = place;
    const choose = () => onEntity(entity.id);
    const name = (
        <>
            <title>{(entity.description ?? "") === "" ? entity.name : `${entity.name}: ${entity.description}`}</title>
            <circle cx={x} cy={y} r={ring === 0 ? 7 : ring === 1 ? 5 : 4} />
            <text
                x={x}
                y={y + (ring === 0 ? 22 : 17)}
                textAnchor="middle"
                className={cx("stroke-surface", ring === 0 ? "text-[14px] font-semibold" : "text-[12px]")}
                strokeWidth={4}
                paintOrder="stroke"
            >
                {short(entity.name)}
            </text>
        </>
    );
    if (ring === 0) return <g className="fill-accent">{name}</g>;
    return (
        <g
            role="button"
            tabIndex={0}
            aria-label={entity.name}
            className="cursor-pointer fill-ink-2 hover:fill-accent focus-visible:fill-accent"
            onClick={choose}
            onKeyDown={(event) => {
                if (event.key !== "Enter" && event.key !== " ") return;
                event.preventDefault();
                choose();
            }}
        >
            {name}
        </g>
    );
}

/** Where a line from the middle is named: nearer to its end, where there is room. */
function between(centre: PlacedEntity, end: PlacedEntity): { x: number; y: number } {
    return { x: centre.x + (end.x - centre.x) * NAMED_AT, y: centre.y + (end.y - centre.y) * NAMED_AT };
}

function short(text: string): string {
    return text.length > LETTERS ? `${text.slice(0, LETTERS - 1).trimEnd()}…` : text;
}
