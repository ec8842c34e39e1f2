import { Bot } from "lucide-react";

import type { AgentRow } from "@/backend";
import { Picture } from "@/shared";

/** The picture in an agent's folder; without one the sign of all agents. */
export function AgentIcon({ agent: { icon } }: { agent: Pick<AgentRow, "icon"> }) {
    return typeof icon === "string" ? <Picture src={icon} /> : <Bot size={16} strokeWidth={1.5} aria-hidden />;
}
