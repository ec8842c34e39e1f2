// The question at the first connection that is paid by use: which limits on money hold.

import { useCommand, useQuery, type ModelConnection } from "@/backend";
import { hrefOf } from "@/routes";
import { Button, Section } from "@/shared";

const amount = (usd: number | undefined | null) => (usd === undefined || usd === null ? "no limit" : `$${usd}`);

/** Asked once: until it is answered the defaults hold. */
export function FirstLimits({ connection }: { connection: ModelConnection }) {
    const { data: settings, reload } = useQuery("settings_show", null);
    const update = useCommand("settings_update");
    const free = connection.flatRate === true || connection.auth?.kind === "none" || connection.provider === "ollama";
    if (settings === undefined || settings.limits.asked || free) return null;
    const { all } = settings.limits;
    const keep = () => update.run({ limits: { ...settings.limits, asked: true } }).then(reload);
    return (
        <Section title="Limits on money">
            <p className="mb-3 max-w-[38rem]">
                Over all connections: {amount(all.run)} for a run, {amount(all.day)} for a day, {amount(all.month)} for
                a month. At 80 % you are told; at 100 % a run pauses and asks.
            </p>
            <div className="flex flex-wrap gap-2">
                <Button variant="primary" onClick={() => void keep()}>
                    Keep these limits
                </Button>
                <a
                    href={hrefOf({ page: "settings", section: "limits" })}
                    className="self-center text-accent hover:underline"
                >
                    Change them
                </a>
            </div>
        </Section>
    );
}
