// What a mission's claims are about, and what each is connected with.

import { ArrowLeft, Search } from "lucide-react";
import { useState } from "react";

import { useQuery } from "@/backend";
import { titled } from "@/domains/run";
import { AsyncBoundary, Badge, Button, EmptyState, Section, TextField, count, useDebounced } from "@/shared";

import { ListFoot } from "./ListFoot";
import { NeighbourhoodPicture } from "./NeighbourhoodPicture";
import { TextLink } from "./TextLink";
import { useFresh, useItems } from "./graph";
import { relationWord } from "./labels";
import type { Neighbourhood } from "./neighbourhood";
import type { PartProps } from "./props";

export function Entities({ mission, stamp, onClaim }: PartProps) {
    const [text, setText] = useState("");
    const [entity, setEntity] = useState<string>();
    const items = useItems(mission.mission, "entity", stamp, { text: useDebounced(text.trim(), 200) });
    if (entity !== undefined)
        return (
            <>
                <Button
                    size="small"
                    variant="quiet"
                    icon={<ArrowLeft size={14} strokeWidth={1.5} />}
                    onClick={() => setEntity(undefined)}
                >
                    All entities
                </Button>
                <Surroundings
                    mission={mission.mission}
                    entity={entity}
                    stamp={stamp}
                    onEntity={setEntity}
                    onClaim={onClaim}
                />
            </>
        );
    return (
        <AsyncBoundary of={items.list} what="the entities">
            {({ items: all, total }) =>
                all.length === 0 && text.trim() === "" ? (
                    <EmptyState title="No entities yet" className="px-0">
                        People, organisations, standards and terms that claims are about appear here, with what connects
                        them.
                    </EmptyState>
                ) : (
                    <>
                        <TextField
                            label="Find entities"
                            hideLabel
                            placeholder="Find entities"
                            icon={<Search size={14} strokeWidth={1.5} />}
                            value={text}
                            onChange={setText}
                            className="mb-2 max-w-72"
                        />
                        {all.length === 0 && <p className="text-ui text-ink-2">No entity has these words.</p>}
                        <ul aria-label="Entities" className="border-y border-hairline">
                            {all.map((one) => (
                                <li key={one.id} className="border-b border-hairline last:border-b-0">
                                    <button
                                        type="button"
                                        onClick={() => setEntity(one.id)}
                                        className="ring-inside w-full rounded-control px-1 py-2 text-left hover:bg-hover"
                                    >
                                        <span className="flex flex-wrap items-center gap-x-2 gap-y-1 text-ui">
                                            <span className="min-w-0 font-medium break-words">{one.name}</span>
                                            {(one.kind ?? "") !== "" && <Badge>{titled(one.kind ?? "")}</Badge>}
                                        </span>
                                        {(one.description ?? "") !== "" && (
                                            <span className="block text-small break-words text-ink-2">
                                                {one.description}
                                            </span>
                                        )}
                                    </button>
                                </li>
                            ))}
                        </ul>
                        <ListFoot items={all.length} total={total} of={items} />
                    </>
                )
            }
        </AsyncBoundary>
    );
}

interface SurroundingsProps {
    mission: string;
    entity: string;
    stamp: string;
    onEntity: (entity: string) => void;
    onClaim: (claim: string) => void;
}

function Surroundings({ mission, entity, stamp, onEntity, onClaim }: SurroundingsProps) {
    const shown = useFresh(useQuery("entity_show", { mission, entity }), stamp);
    return (
        <AsyncBoundary of={shown} what="the entity">
            {(around) => <Around around={around} onEntity={onEntity} onClaim={onClaim} />}
        </AsyncBoundary>
    );
}

interface AroundProps {
    around: Neighbourhood;
    onEntity: (entity: string) => void;
    onClaim: (claim: string) => void;
}

function Around({ around, onEntity, onClaim }: AroundProps) {
    const [centre] = around.entities;
    if (centre === undefined) return null;
    const names = new Map(around.entities.map((entity) => [entity.id, entity.name]));
    const aliases = centre.aliases ?? [];
    return (
        <>
            <h3 className="mt-2 text-title font-medium break-words">
                {centre.name} {(centre.kind ?? "") !== "" && <Badge>{titled(centre.kind ?? "")}</Badge>}
            </h3>
            {(centre.description ?? "") !== "" && <p className="text-ui text-ink-2">{centre.description}</p>}
            {aliases.length > 0 && <p className="text-small text-ink-3">Also: {aliases.join(", ")}</p>}
            {around.relations.length > 0 && <NeighbourhoodPicture around={around} onEntity={onEntity} />}
            <Section title="Connections" note={around.relations.length === 0 ? "None" : around.relations.length}>
                <ul>
                    {around.relations.map((relation) => (
                        <li key={relation.id} className="border-b border-hairline py-2 text-ui last:border-b-0">
                            <EntityName id={relation.from} names={names} of={centre.id} onEntity={onEntity} />{" "}
                            <span className="text-ink-3">{relationWord(relation.kind)}</span>{" "}
                            <EntityName id={relation.to} names={names} of={centre.id} onEntity={onEntity} />
                            {(relation.note ?? "") !== "" && (
                                <span className="block text-small break-words text-ink-2">{relation.note}</span>
                            )}
                        </li>
                    ))}
                </ul>
            </Section>
            <Section title="Claims" note={around.claims.length === 0 ? "None" : around.claims.length}>
                <ul>
                    {around.claims.map((claim) => (
                        <li key={claim.id} className="flex gap-2 border-b border-hairline py-2 last:border-b-0">
                            <span className="tabular w-8 shrink-0 text-ui text-ink-3">{claim.id}</span>
                            <TextLink text={claim.text} onOpen={() => onClaim(claim.id)} />
                        </li>
                    ))}
                </ul>
            </Section>
            {around.is_cut && (
                <p className="mt-2 text-small text-ink-3">
                    Only the nearest {count(around.entities.length, "entity", "entities")} are shown.
                </p>
            )}
        </>
    );
}

interface EntityNameProps {
    id: string;
    names: ReadonlyMap<string, string>;
    /** The entity in the middle: it leads nowhere. */
    of: string;
    onEntity: (entity: string) => void;
}

function EntityName({ id, names, of, onEntity }: EntityNameProps) {
    const name = names.get(id) ?? id;
    if (id === of) return <span className="font-medium">{name}</span>;
    return <TextLink text={name} onOpen={() => onEntity(id)} />;
}
