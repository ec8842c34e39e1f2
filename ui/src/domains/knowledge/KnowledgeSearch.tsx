import { ChevronDown, Search } from "lucide-react";
import { useRef } from "react";

import type { BaseRow } from "@/backend";
import { Button, Checkbox, Keys, Popover, TextField, useShortcut } from "@/shared";

import { baseLabel } from "./labels";
import { tierWord } from "./tiers";

export interface KnowledgeSearchProps {
    label: string;
    text: string;
    onText: (text: string) => void;
    /** Whether cross-references are followed; undefined where there are none. */
    follow: boolean | undefined;
    onFollow: (follow: boolean) => void;
    /** Bases to choose from; fewer than two are no choice. */
    bases?: readonly BaseRow[];
    /** Those that are searched; empty for all. */
    chosen?: readonly string[];
    onChosen?: (bases: string[]) => void;
}

/** The field of a search, and what it goes through. */
export function KnowledgeSearch({
    label,
    text,
    onText,
    follow,
    onFollow,
    bases = [],
    chosen = [],
    onChosen,
}: KnowledgeSearchProps) {
    const field = useRef<HTMLInputElement>(null);
    useShortcut("knowledge-search", "/", label, () => field.current?.focus(), { group: "Knowledge" });
    return (
        <div className="mb-3 flex shrink-0 flex-wrap items-center gap-x-4 gap-y-2">
            <TextField
                ref={field}
                type="search"
                label={label}
                hideLabel
                value={text}
                onChange={onText}
                placeholder={`${label}…`}
                icon={<Search size={14} strokeWidth={1.5} />}
                after={text === "" && <Keys keys="/" quiet />}
                className="min-w-56 flex-1"
                onKeyDown={(event) => {
                    if (event.key !== "Escape" || text === "") return;
                    event.preventDefault();
                    onText("");
                }}
            />
            {bases.length > 1 && onChosen !== undefined && <Bases bases={bases} chosen={chosen} onChosen={onChosen} />}
            {follow !== undefined && <Checkbox label="Follow cross-references" checked={follow} onChange={onFollow} />}
        </div>
    );
}

function Bases({
    bases,
    chosen,
    onChosen,
}: {
    bases: readonly BaseRow[];
    chosen: readonly string[];
    onChosen: (bases: string[]) => void;
}) {
    const all = chosen.length === 0;
    const set = (name: string, on: boolean) => {
        const next = bases
            .map((base) => base.name)
            .filter((each) => (each === name ? on : all || chosen.includes(each)));
        // None would be a search in nothing, and every one is all.
        onChosen(next.length === bases.length ? [] : next);
    };
    return (
        <Popover
            label="Knowledge bases to search"
            align="end"
            trigger={
                <Button icon={<ChevronDown size={14} strokeWidth={1.5} aria-hidden />} className="flex-row-reverse">
                    {all ? "All knowledge bases" : `${chosen.length} of ${bases.length} knowledge bases`}
                </Button>
            }
        >
            <div role="group" aria-label="Knowledge bases to search" className="w-72 max-w-full space-y-2">
                <Checkbox label="All knowledge bases" checked={all} mixed={!all} onChange={() => onChosen([])} />
                <div className="space-y-2 border-t border-hairline pt-2">
                    {bases.map((base) => (
                        <Checkbox
                            key={base.name}
                            label={baseLabel(base, bases)}
                            hint={tierWord(base.tier)}
                            checked={all || chosen.includes(base.name)}
                            disabled={chosen.length === 1 && chosen[0] === base.name}
                            onChange={(on) => set(base.name, on)}
                        />
                    ))}
                </div>
            </div>
        </Popover>
    );
}
