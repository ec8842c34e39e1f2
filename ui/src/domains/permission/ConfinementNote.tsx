// A line in the head of a conversation where commands can't be confined: less runs unasked then.

import { ShieldOff } from "lucide-react";

import { useQuery } from "@/backend";
import { hrefOf } from "@/routes";
import { Tooltip } from "@/shared";

export function ConfinementNote() {
    const { data } = useQuery("permission_show", null);
    if (data === undefined || data.canConfine) return null;
    return (
        <Tooltip label={data.confinement}>
            <a
                href={hrefOf({ page: "settings", section: "permissions" })}
                className="flex shrink-0 items-center gap-1 text-needs underline-offset-2 hover:underline"
            >
                <ShieldOff size={12} strokeWidth={1.5} aria-hidden />
                Commands not confined
            </a>
        </Tooltip>
    );
}
