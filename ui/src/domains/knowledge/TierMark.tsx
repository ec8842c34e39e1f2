import { Globe, GraduationCap, Landmark, Map, type LucideIcon } from "lucide-react";

import { Badge, Tooltip } from "@/shared";

import { DEFAULT_TIER, TIERS, isBackground, tierWord } from "./tiers";

const ICONS: Record<string, LucideIcon> = { standard: Landmark, guide: Map, web: Globe, primer: GraduationCap };

/** How much weight a text carries: what is no standard says so. A document of any kind has no mark. */
export function TierMark({ tier, full = false }: { tier: string; full?: boolean }) {
    if (tier === DEFAULT_TIER) return null;
    const Icon = ICONS[tier];
    const background = isBackground(tier);
    return (
        <Tooltip label={TIERS.find((each) => each.id === tier)?.means ?? tier}>
            <span className="inline-flex">
                <Badge
                    tone={background ? "needs" : "plain"}
                    icon={Icon !== undefined && <Icon size={12} strokeWidth={1.5} aria-hidden />}
                >
                    {tierWord(tier)}
                    {full && background && ", not a standard"}
                </Badge>
            </span>
        </Tooltip>
    );
}
