import { useQuery, useWindowWorkspace, type WorkspaceRow } from "@/backend";

/** The workspace that the window shows; undefined until it was read. */
export function useWorkspace(): WorkspaceRow | undefined {
    const { data: rows } = useQuery("workspace_list", null);
    const { slug } = useWindowWorkspace();
    return rows?.find((row) => row.id === slug) ?? rows?.find((row) => row.current) ?? rows?.[0];
}
