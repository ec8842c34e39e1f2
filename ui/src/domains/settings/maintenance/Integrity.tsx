import { useCommand } from "@/backend";
import { Button, Section, confirm, toastProblem } from "@/shared";

import { Job, useJobOf } from "./Job";

/** Whether what is stored is sound, and a repair where it is not. */
export function Integrity() {
    const check = useCommand("data_check");
    const job = useJobOf("data");
    const busy = check.pending || job?.status === "running";
    async function run(full: boolean, repair: boolean): Promise<void> {
        if (
            repair &&
            !(await confirm({
                title: "Repair the database?",
                body: "Readable data is copied into a new database, which replaces the current one at the next start. The damaged database is kept.",
                confirmLabel: "Repair",
            }))
        )
            return;
        const { problem } = await check.run({ full, repair });
        if (problem !== undefined) toastProblem(problem);
    }
    return (
        <Section title="Data integrity">
            <p className="max-w-[38rem] text-ui text-ink-2">
                A check reads the stored data and reports problems. Nothing is changed.
            </p>
            <div className="mt-3 flex flex-wrap gap-2">
                <Button disabled={busy} onClick={() => void run(false, false)}>
                    Check
                </Button>
                <Button disabled={busy} onClick={() => void run(true, false)}>
                    Full check
                </Button>
                <Button disabled={busy} onClick={() => void run(false, true)}>
                    Repair…
                </Button>
            </div>
            <Job job={job} failed="The data could not be checked" findings="finding" />
        </Section>
    );
}
