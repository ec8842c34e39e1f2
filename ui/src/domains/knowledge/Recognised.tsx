import { FileText } from "lucide-react";
import { useState } from "react";

import { useQuery, type FilePreview, type KnowledgeCatalog } from "@/backend";
import { Badge, Button, ErrorCard, Fold, Meter, ProgressBar, Select, Waiting, count, cx, sentence } from "@/shared";

import type { Previewing } from "./preview";
import { confidenceWord, formatWord, plain, progressOf, recognised, ruleOptions, rulesWord } from "./labels";

export interface RecognisedProps {
    preview: Previewing;
    rules: string;
    onRules: (rules: string) => void;
    onAgain: () => void;
}

/** What an ingest would make of the files. Nothing is stored yet. */
export function Recognised({ preview, rules, onRules, onAgain }: RecognisedProps) {
    const catalog = useQuery("knowledge_catalog", null).data;
    const { seen, problem, since, job } = preview;
    const busy = since !== undefined;
    return (
        <div className="space-y-4">
            <div className="flex flex-wrap items-end gap-x-4 gap-y-2">
                <Select
                    label="Paragraph rules"
                    showLabel
                    value={rules}
                    onChange={onRules}
                    options={ruleOptions(catalog)}
                    className="w-72 max-w-full"
                />
                {!busy && seen !== undefined && (
                    <p className="min-w-0 flex-1 basis-56 pb-1 text-small text-ink-3">
                        This is a preview; nothing is stored. If it looks wrong, choose another rule set.
                    </p>
                )}
            </div>
            {busy && (
                <div className="space-y-2">
                    <Waiting
                        what="Creating the preview"
                        since={since}
                        onStop={() => void preview.cancel()}
                        stopLabel="Cancel preview"
                    />
                    {job !== undefined && job.text !== "" && <ProgressBar label={job.text} {...progressOf(job)} />}
                </div>
            )}
            {problem !== undefined && (
                <ErrorCard
                    title="The preview failed"
                    kept="Nothing was stored."
                    advice={problem.action ?? "Go back, fix the problem and try again."}
                    actions={<Button onClick={onAgain}>Try again</Button>}
                >
                    {problem.message}
                </ErrorCard>
            )}
            {!busy && seen === undefined && problem === undefined && (
                <div>
                    <p className="text-ui text-ink-2">Preview cancelled. You can still ingest.</p>
                    <Button className="mt-2" onClick={onAgain}>
                        Try again
                    </Button>
                </div>
            )}
            {seen !== undefined && (
                <div className={cx(busy && "opacity-60")} aria-busy={busy}>
                    {seen.files.length === 0 ? (
                        <p className="text-ui text-ink-2">
                            None of these files can be read. Go back and choose others.
                        </p>
                    ) : (
                        <Files files={seen.files} more={seen.more} catalog={catalog} />
                    )}
                </div>
            )}
        </div>
    );
}

function Files({
    files,
    more,
    catalog,
}: {
    files: FilePreview[];
    more: number;
    catalog: KnowledgeCatalog | undefined;
}) {
    const [chosen, setChosen] = useState<string | undefined>();
    // First what can be judged: a file without paragraphs says only why it has none.
    const shown = files.find((file) => file.name === chosen) ?? files.find((file) => file.paragraphs > 0) ?? files[0];
    const paragraphs = files.reduce((sum, file) => sum + file.paragraphs, 0);
    const doubtful = files.filter((file) => file.problems.length > 0 || file.paragraphs === 0).length;
    if (shown === undefined) return null;
    return (
        <>
            <p role="status" className="mb-2 text-ui">
                <span className="font-medium">
                    {count(paragraphs, "paragraph")} in {count(files.length, "file")}
                </span>
                {doubtful > 0 && (
                    <span className="text-needs">
                        ; {doubtful === 1 ? "1 file needs" : `${doubtful} files need`} review
                    </span>
                )}
                {more > 0 && <span className="text-ink-2">; {count(more, "more file")} not previewed</span>}
            </p>
            <div className={cx("gap-5", files.length > 1 && "md:grid md:grid-cols-[15rem_minmax(0,1fr)]")}>
                {files.length > 1 && (
                    <ul
                        aria-label="Files"
                        className="mb-4 max-h-40 overflow-y-auto border-y border-hairline md:mb-0 md:max-h-[26rem] md:self-start"
                    >
                        {files.map((file) => (
                            <li key={file.name} className="border-b border-hairline last:border-b-0">
                                <button
                                    type="button"
                                    aria-pressed={file === shown}
                                    onClick={() => setChosen(file.name)}
                                    className={cx(
                                        "ring-inside block w-full px-2 py-1.5 text-left text-ui",
                                        file === shown ? "bg-accent-soft" : "hover:bg-hover",
                                    )}
                                >
                                    <span className="block truncate" title={file.name}>
                                        {file.name}
                                    </span>
                                    <span className="tabular block text-small text-ink-3">
                                        {formatWord(file.format)}, {count(file.paragraphs, "paragraph")}
                                        {file.problems.length > 0 && (
                                            <span className="text-needs">
                                                , {count(file.problems.length, "problem")}
                                            </span>
                                        )}
                                    </span>
                                </button>
                            </li>
                        ))}
                    </ul>
                )}
                <File key={shown.name} file={shown} catalog={catalog} />
            </div>
        </>
    );
}

function File({ file, catalog }: { file: FilePreview; catalog: KnowledgeCatalog | undefined }) {
    return (
        <section aria-label={file.name} className="min-w-0">
            <h3 className="flex items-start gap-2 font-medium">
                <FileText size={16} strokeWidth={1.5} aria-hidden className="mt-0.5 shrink-0 text-ink-3" />
                <span className="min-w-0 break-words">{file.name}</span>
            </h3>
            <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-small text-ink-2">
                <Badge>{formatWord(file.format)}</Badge>
                {file.rules !== "" && file.confidence === 0 && <span>Numbered by its headings</span>}
                {file.rules !== "" && file.confidence > 0 && (
                    <>
                        <span>{rulesWord(file.rules, catalog)}</span>
                        <Meter label={confidenceWord(file.confidence)} value={file.confidence} threshold={0.4} />
                    </>
                )}
            </div>
            {file.paragraphs > 0 && <p className="mt-2 text-ui text-ink-2">{recognised(file)}.</p>}
            {file.dangling > 0 && (
                <p className="mt-0.5 text-small text-ink-3">
                    Unresolved references name paragraphs outside these files, usually in another standard.
                </p>
            )}
            {file.problems.length > 0 && (
                <Fold
                    label={<span className="text-needs">{count(file.problems.length, "reading problem")}</span>}
                    open={file.paragraphs === 0 ? true : undefined}
                    className="mt-2"
                >
                    <ul className="mt-1 max-h-40 list-disc space-y-1 overflow-y-auto pl-8 text-small text-ink-2">
                        {file.problems.map((problem, index) => (
                            <li key={index} className="break-words">
                                {problem}
                            </li>
                        ))}
                    </ul>
                </Fold>
            )}
            {file.notes.length > 0 && <p className="mt-2 text-small text-ink-3">{sentence(file.notes.join("; "))}.</p>}
            {file.headings.length > 0 && (
                <Fold
                    label="Outline"
                    note={
                        <span className="tabular text-small text-ink-3">{count(file.headings.length, "heading")}</span>
                    }
                    className="mt-2"
                >
                    <ul aria-label="Outline" className="mt-1 max-h-56 overflow-y-auto text-small">
                        {file.headings.map((heading, index) => (
                            <li
                                key={index}
                                className="flex gap-3 py-0.5"
                                style={{ paddingLeft: `${Math.min(heading.level, 6) * 0.75 + 0.5}rem` }}
                            >
                                <span className="min-w-0 flex-1 break-words text-ink-2">
                                    {heading.title || "(untitled)"}
                                </span>
                                {heading.paragraphs > 0 && (
                                    <span className="tabular shrink-0 text-ink-3">
                                        <span className="sr-only">, paragraphs: </span>
                                        {heading.paragraphs.toLocaleString("en-GB")}
                                    </span>
                                )}
                            </li>
                        ))}
                    </ul>
                </Fold>
            )}
            {file.samples.length > 0 && (
                <>
                    <h4 className="mt-3 mb-1 text-small font-medium text-ink-2">
                        Sample paragraphs as they would be stored
                    </h4>
                    <ul aria-label="Sample paragraphs" className="border-y border-hairline">
                        {file.samples.map((sample) => (
                            <li key={sample.id} className="border-b border-hairline py-2 last:border-b-0">
                                <p className="flex flex-wrap items-baseline gap-x-2 text-small text-ink-3">
                                    <code className="font-mono text-code font-medium break-all text-ink">
                                        {sample.id}
                                    </code>
                                    {sample.kind !== "" && <span>{plain(sample.kind)}</span>}
                                    {sample.page !== null && <span>page {sample.page}</span>}
                                </p>
                                <p className="mt-0.5 line-clamp-3 font-serif text-[0.9375rem] leading-[1.5] break-words text-ink-2">
                                    {sample.text}
                                </p>
                                {sample.references.length > 0 && (
                                    <p className="mt-0.5 text-small text-ink-3">
                                        refers to{" "}
                                        <span className="font-mono text-ink-2">
                                            {sample.references.slice(0, 8).join(", ")}
                                        </span>
                                        {sample.references.length > 8 && ` and ${sample.references.length - 8} more`}
                                    </p>
                                )}
                            </li>
                        ))}
                    </ul>
                </>
            )}
        </section>
    );
}
