import { call, send } from "@/backend";
import { confirm } from "@/shared";

/**
 * Asks the person to allow what the stages of an agent call of their sources, and keeps the answer.
 * @returns whether it is allowed now
 */
export async function allowStages(agent: string): Promise<boolean> {
    const wanted = (await call("permission_stages", { agent })).filter((each) => !each.granted);
    if (wanted.length === 0) return false;
    const agreed = await confirm({
        title: "Allow this agent to call your sources?",
        body: (
            <>
                The stages of <code className="font-mono text-code">{agent}</code> call these tools by themselves,
                without asking each time:
                <ul className="mt-2 list-disc space-y-1 pl-5">
                    {wanted.map((each) => (
                        <li key={each.source}>
                            {each.name === "" ? each.source : each.name}:{" "}
                            <span className="font-mono text-code break-words">{each.tools.join(", ")}</span>
                        </li>
                    ))}
                </ul>
                <p className="mt-2">
                    It holds in this workspace until you take it back in Settings &gt; Permissions. Deny rules apply.
                </p>
            </>
        ),
        confirmLabel: "Allow and start",
    });
    if (agreed) await send("permission_allow", { agent });
    return agreed;
}
