// Where the entities around one are drawn: it in the middle, what it is connected with on a ring around it, what that is connected with on another.

import type { Result } from "@/backend";

export type Neighbourhood = Result<"entity_show">;
type Entity = Neighbourhood["entities"][number];

/** The most entities on each ring; a picture with more can't be read. */
const PLACES = [1, 12, 20] as const;
/** The radius of each ring, in the units of the picture. */
const RADII = [0, 125, 235] as const;
export const WIDTH = 720;
export const HEIGHT = 560;

export interface PlacedEntity {
    entity: Entity;
    ring: 0 | 1 | 2;
    x: number;
    y: number;
}

export interface Line {
    id: string;
    kind: string;
    from: PlacedEntity;
    to: PlacedEntity;
}

export interface Drawing {
    places: PlacedEntity[];
    lines: Line[];
    /** Entities that found no place. */
    left: number;
}

export function drawingOf({ entities, relations }: Neighbourhood): Drawing {
    const [centre, ...others] = entities;
    if (centre === undefined) return { places: [], lines: [], left: 0 };
    const near = (id: string) =>
        new Set(relations.flatMap(({ from, to }) => (from === id ? [to] : to === id ? [from] : [])));
    const direct = near(centre.id);
    const first = others.filter((entity) => direct.has(entity.id)).slice(0, PLACES[1]);
    // Whoever is connected with several stands beside the first of them.
    const taken = new Set([centre, ...first].map((entity) => entity.id));
    const beside = first.map((parent) => {
        const ids = near(parent.id);
        const own = others.filter((entity) => ids.has(entity.id) && !direct.has(entity.id) && !taken.has(entity.id));
        own.forEach((entity) => taken.add(entity.id));
        return own;
    });
    let room: number = PLACES[2];
    const second = beside.map((own) => {
        const shown = own.slice(0, room);
        room -= shown.length;
        return shown;
    });
    const shares = second.map((own) => Math.max(1, own.length));
    const whole = shares.reduce((sum, share) => sum + share, 0);
    const places: PlacedEntity[] = [{ entity: centre, ring: 0, x: WIDTH / 2, y: HEIGHT / 2 }];
    let begun = 0;
    first.forEach((entity, index) => {
        const share = shares[index] ?? 1;
        const turn = (at: number) => ((begun + at) / whole) * 2 * Math.PI - Math.PI / 2;
        places.push(placed(entity, 1, turn(share / 2)));
        const own = second[index] ?? [];
        own.forEach((other, at) => places.push(placed(other, 2, turn(((at + 0.5) / own.length) * share))));
        begun += share;
    });
    const byId = new Map(places.map((place) => [place.entity.id, place]));
    const lines = relations.flatMap(({ id, kind, from, to }) => {
        const [start, end] = [byId.get(from), byId.get(to)];
        return start === undefined || end === undefined ? [] : [{ id, kind, from: start, to: end }];
    });
    return { places, lines, left: entities.length - places.length };
}

function placed(entity: Entity, ring: 1 | 2, angle: number): PlacedEntity {
    const radius = RADII[ring];
    // Names are wider than high: the rings are, too.
    const x = WIDTH / 2 + Math.cos(angle) * radius * 1.2;
    return { entity, ring, x, y: HEIGHT / 2 + Math.sin(angle) * radius };
}
