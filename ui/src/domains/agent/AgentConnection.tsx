import { useQuery } from "@/backend";
import { lacks } from "@/domains/connection";
import { useSettings } from "@/domains/settings";
import { Select } from "@/shared";

const OWN = "own";

/** Over which connection an agent asks, unless a question or a session says otherwise. */
export function AgentConnection({ slug }: { slug: string }) {
    const { settings, change } = useSettings();
    const { data: rows = [] } = useQuery("connection_list", null);
    if (settings === undefined) return null;
    const chosen = settings.agentConnections[slug] ?? "";
    const choose = (connection: string) => {
        const others = Object.fromEntries(
            Object.entries(settings.agentConnections).filter(([agent]) => agent !== slug),
        );
        void change({ agentConnections: connection === OWN ? others : { ...others, [slug]: connection } });
    };
    const gone = chosen !== "" && rows.length > 0 && !rows.some((row) => row.slug === chosen);
    return (
        <>
            <Select
                label="Connection of this agent"
                className="-my-1 max-w-60"
                value={chosen === "" ? OWN : chosen}
                placeholder={chosen}
                options={[
                    { value: OWN, label: "Default (agent files, then settings)" },
                    ...rows.map((row) => ({ value: row.slug, label: row.name, hint: lacks(row) })),
                ]}
                onChange={choose}
            />
            {gone && (
                <span className="mt-1.5 block text-small text-needs">
                    “{chosen}” no longer exists: another connection is used.
                </span>
            )}
        </>
    );
}
