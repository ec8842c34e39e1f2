import type { InvocationView } from "@/backend";
import { hrefOf } from "@/routes";

/** An agent by its name, which leads to its run where it has one. */
export function AgentName({ of: { name, run } }: { of: InvocationView }) {
    if (run === null) return <span className="font-medium">{name}</span>;
    return (
        <a href={hrefOf({ page: "run", run })} className="font-medium text-accent hover:underline">
            {name}
        </a>
    );
}
