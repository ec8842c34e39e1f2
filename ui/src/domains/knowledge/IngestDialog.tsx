import { useEffect, useRef, useState } from "react";

import { call, useCommand, useQuery, type IngestRequest } from "@/backend";
import { Button, Dialog, cx, problemText } from "@/shared";

import { IngestFiles } from "./IngestFiles";
import { IngestOptions } from "./IngestOptions";
import { citationProblem, nameFrom, nameProblem, pathsIn, pathsProblem, stemOf } from "./name";
import { usePreviewing } from "./preview";
import { Recognised } from "./Recognised";
import { BY_LOOKING, NO_MODEL, isRemote } from "./labels";
import { DEFAULT_TIER } from "./tiers";

export interface IngestSeed {
    /** Files and folders that are known already: dropped ones. */
    paths?: string[];
    /** A base that gets a new generation. */
    base?: {
        name: string;
        title: string;
        tier: string;
        citation: string;
        rules: string;
        model: string;
        watch: boolean;
    };
}

/** What is chosen for an ingest. */
export interface Choice {
    title: string;
    /** Undefined while it follows from the title and the files. */
    name: string | undefined;
    tier: string;
    citation: string;
    rules: string;
    model: string;
    watch: boolean;
}

/** What is wrong, by field; only what the person should see now. */
export interface Wrong {
    paths?: string;
    name?: string;
    citation?: string;
}

const STEPS = ["Files", "Options", "Preview"] as const;

/** Asks which files become a base, and as what; shows what is recognised in them before anything is stored. */
export function IngestDialog({ seed, onClose }: { seed: IngestSeed; onClose: () => void }) {
    const known = useQuery("base_list", null).data ?? [];
    const ingest = useCommand("base_ingest");
    const [step, setStep] = useState(0);
    const [paths, setPaths] = useState((seed.paths ?? []).join("\n"));
    const [choice, setChoice] = useState<Choice>({
        title: seed.base?.title ?? "",
        name: seed.base?.name,
        tier: seed.base?.tier ?? DEFAULT_TIER,
        citation: seed.base?.citation ?? "",
        rules: seed.base?.rules ?? BY_LOOKING,
        model: seed.base?.model ?? NO_MODEL,
        watch: seed.base?.watch ?? false,
    });
    const [tried, setTried] = useState<readonly number[]>([]);

    /** A path where nothing lies, as it was typed. */
    const [missing, setMissing] = useState<string | undefined>();
    const list = pathsIn(paths);
    const name = choice.name ?? nameFrom(choice.title === "" ? stemOf(list[0] ?? "") : choice.title);
    const existing = known.find((base) => base.name === name);
    const wrong: Wrong = {
        paths:
            pathsProblem(list) ??
            (missing !== undefined && list.includes(missing)
                ? `“${missing}” does not exist, or you may not read it.`
                : undefined),
        name:
            nameProblem(name) ??
            (existing?.shipped === true ? "A built-in knowledge base has this name. Choose another name." : undefined),
        citation: citationProblem(choice.citation),
    };
    const shown: Wrong = {
        paths: tried.includes(0) ? wrong.paths : undefined,
        name: tried.includes(1) || choice.name !== undefined ? wrong.name : undefined,
        citation: tried.includes(1) || choice.citation !== "" ? wrong.citation : undefined,
    };
    const request = (rules = choice.rules): IngestRequest => ({
        base: name,
        title: choice.title.trim(),
        tier: choice.tier,
        citation: choice.citation.trim(),
        paths: list,
        rules,
        model: choice.model,
        watch: choice.watch,
    });
    const [starting, setStarting] = useState(false);
    const preview = usePreviewing(name);
    const inside = useRef<HTMLDivElement>(null);
    const shownStep = useRef(0);
    // The button that led here is gone: who works with the keyboard goes on in the new step.
    useEffect(() => {
        if (shownStep.current === step) return;
        shownStep.current = step;
        (inside.current?.querySelector<HTMLElement>("[data-autofocus]") ?? inside.current)?.focus();
    }, [step]);

    /** The first step that something is wrong in, up to the one that is wanted. */
    const stopAt = (wanted: number) =>
        wrong.paths !== undefined ? 0 : wanted > 1 && (wrong.name ?? wrong.citation) !== undefined ? 1 : wanted;
    const next = async (wanted: number) => {
        if (step > 0 || wanted === 0 || pathsProblem(list) !== undefined) return go(wanted);
        // Where the paths can't be looked at, the ingest says what is wrong.
        const rows = await call("paths_check", { paths: list }).catch(() => []);
        const gone = rows.find((row) => row.kind === "missing")?.path;
        setMissing(gone);
        if (gone === undefined) go(wanted);
        else setTried([...tried, 0]);
    };
    const go = (wanted: number) => {
        if (wanted > step) setTried([...tried, ...Array.from({ length: wanted }, (_, index) => index)]);
        const next = wanted > step ? stopAt(wanted) : wanted;
        ingest.clear();
        if (step === 2 && next !== 2) void preview.cancel();
        if (next === 2 && step !== 2) preview.look(request());
        setStep(next);
    };
    const store = async () => {
        const stop = stopAt(2);
        if (stop < 2) {
            setTried([0, 1]);
            setStep(stop);
            return;
        }
        setStarting(true);
        // A base is worked on once at a time.
        await preview.cancel();
        const { problem } = await ingest.run(request());
        setStarting(false);
        if (problem === undefined) onClose();
    };
    return (
        <Dialog
            open
            onOpenChange={(open) => !open && onClose()}
            width={step === 2 ? "large" : "medium"}
            title={seed.base === undefined ? "Add documents" : `Ingest “${seed.base.title || seed.base.name}” again`}
            description={`Files are split into paragraphs with ids, so that answers can cite them and checks can compare against them. Your files are only read; ${isRemote(choice.model) ? `their text is sent to ${choice.model} to compute embeddings` : "nothing leaves this machine"}.`}
            footer={
                <div className="flex min-w-0 flex-1 flex-wrap items-center justify-end gap-2">
                    <Button variant="quiet" onClick={onClose} className="mr-auto">
                        Cancel
                    </Button>
                    {step > 0 && <Button onClick={() => go(step - 1)}>Back</Button>}
                    {step === 0 && (
                        <Button variant="primary" onClick={() => void next(1)}>
                            Next
                        </Button>
                    )}
                    {step === 1 && (
                        <>
                            <Button onClick={() => void store()} disabled={starting}>
                                {starting ? "Starting…" : "Ingest without a preview"}
                            </Button>
                            <Button variant="primary" onClick={() => go(2)}>
                                Preview
                            </Button>
                        </>
                    )}
                    {step === 2 && (
                        <Button
                            variant="primary"
                            onClick={() => void store()}
                            disabled={starting || (preview.seen === undefined && preview.problem !== undefined)}
                        >
                            {starting ? "Starting…" : existing === undefined ? "Ingest" : "Ingest as a new generation"}
                        </Button>
                    )}
                </div>
            }
        >
            <Steps at={step} onStep={(wanted) => void next(wanted)} />
            <div ref={inside} role="group" aria-label={STEPS[step]} tabIndex={-1} className="outline-none">
                {step === 0 && (
                    <IngestFiles paths={paths} onChange={setPaths} error={shown.paths} onNext={() => void next(1)} />
                )}
                {step === 1 && (
                    <IngestOptions
                        choice={choice}
                        onChange={(part) => setChoice({ ...choice, ...part })}
                        name={name}
                        again={seed.base !== undefined}
                        replaces={existing !== undefined && wrong.name === undefined}
                        example={stemOf(list[0] ?? "")}
                        wrong={shown}
                        onNext={() => go(2)}
                    />
                )}
                {step === 2 && (
                    <Recognised
                        preview={preview}
                        rules={choice.rules}
                        onRules={(rules) => {
                            setChoice({ ...choice, rules });
                            preview.look(request(rules));
                        }}
                        onAgain={() => preview.look(request())}
                    />
                )}
            </div>
            {ingest.problem !== undefined && (
                <p role="alert" className="mt-4 text-ui text-failed">
                    {problemText(ingest.problem, "The files were not ingested")}
                </p>
            )}
        </Dialog>
    );
}

function Steps({ at, onStep }: { at: number; onStep: (step: number) => void }) {
    return (
        <ol aria-label="Steps" className="mb-4 flex flex-wrap gap-x-1 gap-y-1 border-b border-hairline pb-2">
            {STEPS.map((step, index) => (
                <li key={step} className="flex items-center gap-1">
                    {index > 0 && (
                        <span aria-hidden className="text-ink-faint">
                            ›
                        </span>
                    )}
                    <button
                        type="button"
                        aria-current={index === at ? "step" : undefined}
                        onClick={() => index !== at && onStep(index)}
                        className={cx(
                            "rounded-control px-1.5 py-0.5 text-small",
                            index === at ? "font-medium text-ink" : "text-ink-3 hover:bg-hover hover:text-ink",
                        )}
                    >
                        <span className="tabular">{index + 1}</span> {step}
                    </button>
                </li>
            ))}
        </ol>
    );
}
