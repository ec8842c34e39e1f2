// The files of an agent of one's own, checked while they are typed.

import { FilePlus2, Trash2 } from "lucide-react";
import { useState } from "react";

import {
    send,
    skip,
    toProblem,
    useCommand,
    useQuery,
    type AgentFiles,
    type AgentRow,
    type FileEdit,
    useKeptEdit,
} from "@/backend";
import { go } from "@/routes";
import {
    Button,
    ErrorCard,
    AsyncBoundary,
    Select,
    TextArea,
    TextField,
    confirm,
    own,
    toast,
    useDebounced,
    toastProblem,
    problemText,
} from "@/shared";

import { backOf, editsOf, promptName, type Typed } from "./edits";
import { ProblemList, fileName } from "./Problems";

/** How long nothing is typed before it is checked, in milliseconds. */
const TRY_MS = 400;

/** What the files are for. */
const HINTS: Readonly<Record<string, string>> = {
    "AGENT.md":
        "Name and description; the sources and tools that its conversations are limited to; below, its instructions.",
    "config.json": "Stages, pauses, budgets and thresholds.",
};

export function AgentEditor({ agent }: { agent: AgentRow }) {
    const files = useQuery("agent_files", { slug: agent.slug });
    return (
        <AsyncBoundary of={files} what="the agent’s files">
            {(known) => <Files agent={agent} known={known} />}
        </AsyncBoundary>
    );
}

function Files({ agent, known }: { agent: AgentRow; known: AgentFiles }) {
    const { slug } = agent;
    // Edits belong to the texts that they were made on, even when those change on disk meanwhile.
    const [{ files }, setBase] = useState(known);
    const [typed, setTyped] = useState<Typed>({});
    const [shown, setShown] = useState("AGENT.md");
    const [adding, setAdding] = useState("");
    const save = useCommand("agent_save");
    const edits = editsOf(files, typed);
    const now = JSON.stringify(edits);
    const settled = useDebounced(now, TRY_MS);
    const tried = useQuery("agent_try", edits.length === 0 ? skip : { slug, files: JSON.parse(settled) as FileEdit[] });
    // What was found belongs to what was checked.
    const problems = edits.length === 0 ? agent.problems : settled === now ? tried.data : undefined;
    const { restored, drop } = useKeptEdit(`agent/${slug}`, JSON.stringify(files), {
        value: typed,
        changed: edits.length > 0,
        change: setTyped,
    });
    const names = [...new Set([...files.map((file) => file.name), ...Object.keys(typed)])];
    const text = typed[shown] ?? files.find((file) => file.name === shown)?.text ?? "";
    const may = edits.length > 0 && problems?.length === 0 && !save.pending;

    const submit = async (): Promise<boolean> => {
        const { value } = await save.run({ slug, files: edits });
        if (value === undefined) return false;
        setBase({ own: true, files: names.map((name) => ({ name, text: typed[name] ?? textOf(files, name) })) });
        setTyped({});
        const back = backOf(edits);
        toast({ text: "Agent saved.", onUndo: back.length === 0 ? undefined : () => void putBack(slug, back) });
        return true;
    };
    const tryIt = async () => {
        if (edits.length === 0 || (await submit())) go({ page: "new", agent: slug });
    };
    const remove = async () => {
        const sure = await confirm({
            title: `Delete the agent “${agent.name}”?`,
            body: "Its folder with all files is deleted. Its runs and conversations stay.",
            confirmLabel: "Delete",
            danger: true,
        });
        if (!sure) return;
        try {
            await send("agent_remove", { slug });
            go({ page: "agents" }, { replace: true });
            toast({ text: `${agent.name} was deleted.` });
        } catch (thrown) {
            toastProblem(toProblem(thrown));
        }
    };
    const added = promptName(adding);
    return (
        <div className="flex flex-col gap-3">
            <div className="flex flex-wrap items-end gap-x-4 gap-y-2">
                <Select
                    label="File"
                    value={shown}
                    options={names.map((name) => ({
                        value: name,
                        label: edits.some((edit) => edit.name === name) ? `${name} (edited)` : name,
                    }))}
                    onChange={setShown}
                />
                <form
                    className="flex items-end gap-2"
                    onSubmit={(event) => {
                        event.preventDefault();
                        if (added === undefined || names.includes(added)) return;
                        setTyped({ ...typed, [added]: "" });
                        setShown(added);
                        setAdding("");
                    }}
                >
                    <TextField
                        label="New prompt"
                        placeholder="file name"
                        value={adding}
                        onChange={setAdding}
                        className="w-40"
                    />
                    <Button
                        type="submit"
                        icon={<FilePlus2 size={16} strokeWidth={1.5} />}
                        disabled={added === undefined || names.includes(added)}
                    >
                        Add
                    </Button>
                </form>
            </div>
            <TextArea
                key={shown}
                label={shown}
                value={text}
                onChange={(value) => setTyped({ ...typed, [shown]: value })}
                minRows={14}
                maxRows={32}
                mono
                hint={
                    own(HINTS, shown) ?? (shown.startsWith("prompts/") ? "Used by the stages that name it." : undefined)
                }
            />
            <div role="status" aria-live="polite" className="text-small text-ink-3">
                {restored && "Unsaved changes were restored. "}
                {problems === undefined
                    ? "Checking…"
                    : problems.length === 0
                      ? edits.length === 0
                          ? "No changes."
                          : "No problems found."
                      : `${problems.length === 1 ? "1 problem" : `${problems.length} problems`}:`}
            </div>
            {problems !== undefined && problems.length > 0 && (
                <div className="border-l-2 border-failed pl-3">
                    <ProblemList problems={problems} />
                    <OpenFile
                        problems={problems.map((problem) => fileName(problem.file))}
                        names={names}
                        onOpen={setShown}
                    />
                </div>
            )}
            {tried.problem !== undefined && edits.length > 0 && (
                <p role="alert" className="text-small text-failed">
                    {problemText(tried.problem)}
                </p>
            )}
            {save.problem !== undefined && (
                <ErrorCard title="The agent was not saved" advice={save.problem.action ?? undefined}>
                    {save.problem.message}
                </ErrorCard>
            )}
            <div className="flex flex-wrap gap-2">
                <Button variant="primary" disabled={!may} onClick={() => void submit()}>
                    {save.pending ? "Saving…" : "Save"}
                </Button>
                <Button disabled={edits.length > 0 ? !may : agent.problems.length > 0} onClick={() => void tryIt()}>
                    {edits.length > 0 ? "Save and try" : "Try"}
                </Button>
                <Button
                    variant="quiet"
                    onClick={() => {
                        drop();
                        go({ page: "agent", slug }, { replace: true });
                    }}
                >
                    {edits.length > 0 ? "Discard" : "Close"}
                </Button>
                <Button
                    variant="quiet"
                    className="ml-auto"
                    icon={<Trash2 size={16} strokeWidth={1.5} />}
                    onClick={() => void remove()}
                >
                    Delete
                </Button>
            </div>
        </div>
    );
}

/** Leads to the first file with a problem. */
function OpenFile({
    problems,
    names,
    onOpen,
}: {
    problems: readonly string[];
    names: readonly string[];
    onOpen: (name: string) => void;
}) {
    const first = names.find((name) => problems.includes(name));
    if (first === undefined) return null;
    return (
        <Button size="small" className="mt-1" onClick={() => onOpen(first)}>
            Open {first}
        </Button>
    );
}

const textOf = (files: AgentFiles["files"], name: string) => files.find((file) => file.name === name)?.text ?? "";

async function putBack(slug: string, files: FileEdit[]): Promise<void> {
    try {
        await send("agent_save", { slug, files });
        go({ page: "agent", slug }, { replace: true });
    } catch (thrown) {
        toastProblem(toProblem(thrown), "Not undone");
    }
}
