import { useCommand, useQuery, useWindowWorkspace, type BaseRow } from "@/backend";
import { Switch, problemText } from "@/shared";

/** Which workspaces read a base besides its own: what the person shares, and what is shared with this one. */
export function BaseSharing({ base }: { base: BaseRow }) {
    const { slug } = useWindowWorkspace();
    const workspaces = useQuery("workspace_list", null).data ?? [];
    const share = useCommand("base_share");
    const named = (id: string) => workspaces.find((each) => each.id === id)?.name ?? id;
    const heading = <h3 className="mb-1 text-ui font-medium">Sharing</h3>;
    if (base.published === true)
        return (
            <section className="mt-5">
                {heading}
                <p className="text-ui text-ink-2">A published text, which every workspace has.</p>
            </section>
        );
    const owner = base.sharedBy ?? null;
    if (owner !== null)
        return (
            <section className="mt-5">
                {heading}
                <p className="text-ui text-ink-2">
                    Shared by the workspace {named(owner)}, which alone can change it or end the sharing.
                </p>
            </section>
        );
    const shared = base.sharedWith ?? [];
    const others = workspaces.filter((each) => (slug === undefined ? !each.current : each.id !== slug));
    if (others.length === 0) return null;
    return (
        <section className="mt-5 space-y-3">
            {heading}
            <p className="text-ui text-ink-2">Only this workspace sees the base, unless you share it.</p>
            {others.map((each) => (
                <Switch
                    key={each.id}
                    label={`Share with ${each.name}`}
                    checked={shared.includes(each.id)}
                    disabled={share.pending}
                    onChange={(on) => void share.run({ base: base.name, workspace: each.id, on })}
                    className="max-w-xl"
                />
            ))}
            {share.problem !== undefined && (
                <p role="alert" className="text-ui text-failed">
                    {problemText(share.problem)}
                </p>
            )}
        </section>
    );
}
