// Hosts that hold something up: decided about where it waits.

import { useQuery } from "@/backend";
import { ErrorCard } from "@/shared";

import { WaitingHosts } from "./WaitingHosts";
import { useDeciding } from "./decision";

export function HostsToDecide({ hosts }: { hosts: readonly string[] }) {
    const policy = useQuery("web_policy", null).data;
    const deciding = useDeciding();
    if (policy === undefined) return null;
    const waiting = policy.waiting.filter(({ host }) => hosts.includes(host));
    return (
        <>
            <p>
                Pages were left out because nobody has decided about their hosts. Allow or block the hosts, then repeat
                the research that needed their pages, or continue without them.
            </p>
            {waiting.length === 0 && <p className="mt-2 text-ui text-ink-2">All hosts are decided.</p>}
            <WaitingHosts waiting={waiting} deciding={deciding} />
            {deciding.problem !== undefined && (
                <ErrorCard
                    title="The decision was not saved."
                    kept="The rules are as they were."
                    advice={deciding.problem.action ?? undefined}
                >
                    {deciding.problem.message}
                </ErrorCard>
            )}
        </>
    );
}
