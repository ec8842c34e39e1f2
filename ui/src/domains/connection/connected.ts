// What would miss a connection that is removed.

import { readOnce, type ConnectionRow } from "@/backend";

/** Names in a sentence each; what can't be read is left out. */
export async function usesOf(row: Pick<ConnectionRow, "slug" | "default" | "credential">): Promise<string[]> {
    const uses = row.default ? ["New questions use this connection by default."] : [];
    try {
        const own = (await readOnce("settings_show", null)).agentConnections;
        const agents = await readOnce("agent_list", null);
        const views = await Promise.all(
            agents.map(({ slug }) => readOnce("agent_show", { slug }).catch(() => undefined)),
        );
        const names = views.flatMap((view) =>
            view !== undefined && (own[view.agent.slug] === row.slug || namesConnection(view.config, row.slug))
                ? [view.agent.name || view.agent.slug]
                : [],
        );
        if (names.length > 0)
            uses.push(
                `${names.length === 1 ? "The agent" : "The agents"} ${names.map((name) => `“${name}”`).join(", ")} ${names.length === 1 ? "uses" : "use"} this connection.`,
            );
    } catch {
        // Without the agents the question is asked all the same.
    }
    if (["stored", "locked", "expired"].includes(row.credential))
        uses.push("The connection’s key is removed from the vault.");
    return uses;
}

/** Whether a configuration names the connection, at whatever depth. */
function namesConnection(config: unknown, slug: string): boolean {
    if (config === null || typeof config !== "object") return false;
    return Object.entries(config).some(
        ([field, value]) => (/connection/i.test(field) && value === slug) || namesConnection(value, slug),
    );
}
