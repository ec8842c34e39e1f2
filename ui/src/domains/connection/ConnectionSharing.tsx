import { useCommand, useQuery, useWindowWorkspace, type ConnectionRow } from "@/backend";
import { Section, Switch, problemText } from "@/shared";

/** Which workspaces have a connection: every one, or this one alone and those that the person gives it to. */
export function ConnectionSharing({ row }: { row: ConnectionRow }) {
    const { slug } = useWindowWorkspace();
    const workspaces = useQuery("workspace_list", null).data ?? [];
    const share = useCommand("connection_share");
    const here = slug ?? workspaces.find((each) => each.current)?.id ?? "default";
    const having = row.workspaces ?? [];
    const others = workspaces.filter((each) => each.id !== here);
    if (others.length === 0 && having.length === 0) return null;
    const [owner = here] = having;
    const set = (next: string[]) => void share.run({ slug: row.slug, workspaces: next });
    return (
        <Section title="Workspaces">
            {owner !== here ? (
                <p className="text-ui text-ink-2">
                    Shared by the workspace {workspaces.find((each) => each.id === owner)?.name ?? owner}.
                </p>
            ) : (
                <div className="max-w-xl space-y-3">
                    <Switch
                        label="Only in this workspace"
                        hint="In others the connection does not exist, unless you share it."
                        checked={having.length > 0}
                        disabled={share.pending}
                        onChange={(on) => set(on ? [here] : [])}
                    />
                    {having.length > 0 &&
                        others.map((each) => (
                            <Switch
                                key={each.id}
                                label={`Share with ${each.name}`}
                                checked={having.includes(each.id)}
                                disabled={share.pending}
                                onChange={(on) =>
                                    set(on ? [...having, each.id] : having.filter((one) => one !== each.id))
                                }
                            />
                        ))}
                </div>
            )}
            {share.problem !== undefined && (
                <p role="alert" className="mt-2 text-ui text-failed">
                    {problemText(share.problem)}
                </p>
            )}
        </Section>
    );
}
