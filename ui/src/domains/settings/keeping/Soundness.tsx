import { useCommand } from "@/backend";
import { Button, Section, confirm, toast } from "@/shared";

import { Job, useJobOf } from "./Job";

/** Whether what is stored is sound, and a repair where it is not. */
export function Soundness() {
    const check = useCommand("data_check");
    const job = useJobOf("data");
    const busy = check.pending || job?.status === "running";
    async function run(full: boolean, repair: boolean): Promise<void> {
        if (repair && !(await confirm({ title: "Repair the database?", body: "All that can be read of it goes into a fresh one, which takes its place when the program starts next. The damaged one is kept.", confirmLabel: "Repair" }))) return;
        const { problem } = await check.run({ full, repair });
        if (problem !== undefined) toast({ text: problem.message, tone: "failed" });
    }
    return (
        <Section title="Stored data">
            <p className="max-w-[38rem] text-ui text-ink-2">A check reads what is stored and says what is wrong with it. It changes nothing.</p>
            <div className="mt-3 flex flex-wrap gap-2">
                <Button disabled={busy} onClick={() => void run(false, false)}>
                    Check
                </Button>
                <Button disabled={busy} onClick={() => void run(true, false)}>
                    Check every text
                </Button>
                <Button disabled={busy} onClick={() => void run(false, true)}>
                    Repair…
                </Button>
            </div>
            <Job job={job} failed="The data could not be checked" findings="finding" />
        </Section>
    );
}
