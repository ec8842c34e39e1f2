// The SKILL.md of a skill, checked while it is typed.

import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";

import { send, skip, toProblem, useCommand, useQuery, type FileEdit, type SkillView, useKeptEdit } from "@/backend";
import { ProblemList } from "@/domains/agent";
import { go } from "@/routes";
import { Button, Dialog, ErrorCard, TextArea, TextField, confirm, toast, useDebounced, toastProblem } from "@/shared";

/** How long nothing is typed before it is checked, in milliseconds. */
const TRY_MS = 400;

/** A new skill, as it is before anybody has written it. */
function blank(name: string): string {
    return `---\nname: ${JSON.stringify(name)}\ndescription: Use it when …\n---\n# ${name}\n\n1. Say here, step by step, how the work is done.\n`;
}

/** A skill's folder name, from its name. */
export function skillSlug(name: string): string {
    return name
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, "-")
        .replace(/^-+|-+$/g, "")
        .slice(0, 60);
}

export function SkillEditor({ view }: { view: SkillView }) {
    const { slug, name } = view.skill;
    // The edit belongs to the text that it was made on, even when that changes on disk meanwhile.
    const [before, setBefore] = useState(view.source);
    const [text, setText] = useState(view.source);
    const settled = useDebounced(text, TRY_MS);
    const tried = useQuery("skill_try", settled === before ? skip : { slug, text: settled });
    const save = useCommand("skill_save");
    const changed = text !== before;
    const { restored, drop } = useKeptEdit(`skill/${slug}`, before, { value: text, changed, change: setText });
    const problems = changed ? (settled === text ? tried.data : undefined) : view.skill.problems;
    const may = changed && problems?.length === 0 && !save.pending;
    const submit = async (): Promise<boolean> => {
        const { value } = await save.run({ slug, file: { name: "SKILL.md", text, before } });
        if (value === undefined) return false;
        setBefore(text);
        const back: FileEdit = { name: "SKILL.md", text: before, before: text };
        toast({ text: "Skill saved.", onUndo: () => void putBack(slug, back) });
        return true;
    };
    const tryIt = async () => {
        if (!changed || (await submit())) go({ page: "new", agent: "", input: `/${slug} ` });
    };
    const remove = async () => {
        const sure = await confirm({
            title: `Delete the skill “${name}”?`,
            body: "Its folder with all files is deleted. A built-in skill of the same name is used again.",
            confirmLabel: "Delete",
            danger: true,
        });
        if (!sure) return;
        try {
            await send("skill_remove", { slug });
            go({ page: "skills" }, { replace: true });
            toast({ text: `${name} was deleted.` });
        } catch (thrown) {
            toastProblem(toProblem(thrown));
        }
    };
    return (
        <div className="flex flex-col gap-3">
            <TextArea
                label="SKILL.md"
                value={text}
                onChange={setText}
                minRows={14}
                maxRows={32}
                mono
                hint="Head: name, description, globs (files that it is for) and requiredSources. Below, the instructions."
            />
            <div role="status" aria-live="polite" className="text-small text-ink-3">
                {restored && "Unsaved changes were restored. "}
                {problems === undefined
                    ? "Checking…"
                    : problems.length > 0
                      ? "This can’t be used yet:"
                      : changed
                        ? "No problems found."
                        : "No changes."}
            </div>
            {problems !== undefined && <ProblemList problems={problems} />}
            {save.problem !== undefined && (
                <ErrorCard title="The skill was not saved" advice={save.problem.action ?? undefined}>
                    {save.problem.message}
                </ErrorCard>
            )}
            <div className="flex flex-wrap gap-2">
                <Button variant="primary" disabled={!may} onClick={() => void submit()}>
                    {save.pending ? "Saving…" : view.skill.origin === "workspace" ? "Save" : "Save as your version"}
                </Button>
                <Button disabled={changed ? !may : view.skill.problems.length > 0} onClick={() => void tryIt()}>
                    {changed ? "Save and try" : "Try"}
                </Button>
                <Button
                    variant="quiet"
                    onClick={() => {
                        drop();
                        go({ page: "skill", slug }, { replace: true });
                    }}
                >
                    {changed ? "Discard" : "Close"}
                </Button>
                {view.skill.origin === "workspace" && (
                    <Button
                        variant="quiet"
                        className="ml-auto"
                        icon={<Trash2 size={16} strokeWidth={1.5} />}
                        onClick={() => void remove()}
                    >
                        Delete
                    </Button>
                )}
            </div>
        </div>
    );
}

async function putBack(slug: string, file: FileEdit): Promise<void> {
    try {
        await send("skill_save", { slug, file });
        go({ page: "skill", slug }, { replace: true });
    } catch (thrown) {
        toastProblem(toProblem(thrown), "Not undone");
    }
}

/** A button that asks for a name and makes a skill, which is then edited. */
export function MakeSkill() {
    const [open, setOpen] = useState(false);
    const [name, setName] = useState("");
    const save = useCommand("skill_save");
    const slug = skillSlug(name);
    const submit = async () => {
        if (slug === "" || save.pending) return;
        const { value } = await save.run({ slug, file: { name: "SKILL.md", text: blank(name.trim()), before: null } });
        if (value === undefined) return;
        setOpen(false);
        setName("");
        go({ page: "skill", slug, edit: true });
    };
    return (
        <>
            <Button
                icon={<Plus size={16} strokeWidth={1.5} />}
                onClick={() => {
                    save.clear();
                    setOpen(true);
                }}
            >
                New skill
            </Button>
            <Dialog
                open={open}
                onOpenChange={setOpen}
                width="small"
                title="New skill"
                description="Instructions for a kind of work, named with “/” in a message."
                footer={
                    <>
                        <Button onClick={() => setOpen(false)}>Cancel</Button>
                        <Button variant="primary" disabled={slug === "" || save.pending} onClick={() => void submit()}>
                            {save.pending ? "Creating…" : "Create and edit"}
                        </Button>
                    </>
                }
            >
                <form
                    onSubmit={(event) => {
                        event.preventDefault();
                        void submit();
                    }}
                >
                    <TextField
                        label="Name"
                        value={name}
                        onChange={setName}
                        maxLength={60}
                        hint={slug === "" ? undefined : `Called with /${slug}`}
                        error={
                            save.problem?.code === "conflict"
                                ? `A skill /${slug} exists already. Choose another name.`
                                : save.problem?.message
                        }
                    />
                </form>
            </Dialog>
        </>
    );
}
