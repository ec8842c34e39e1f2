import { ListFilter, Plus, Trash2 } from "lucide-react";
import { useState } from "react";

import { skip, useQuery, type Colour, type Group, type SortKey, type ViewRow } from "@/backend";
import { hrefOf } from "@/routes";
import { Button, IconButton, Section, Select, TextField, confirm, useReorder, useDebounced } from "@/shared";

import { ColourField } from "./ColourField";
import { cssOf } from "./colours";
import { EditRow, Faulty, Form, change, sessionsWord, useSaving } from "./edits";
import { LineField } from "./LineField";
import { NEW, type EditorProps } from "./StatusEditor";

export function ViewEditor({ organisation, open, onOpen }: EditorProps) {
    const { views } = organisation;
    const order = useReorder(
        "edit-view",
        views.map((each) => each.id),
        (id, place) => change("view_edit", { edit: "move", id, place }),
    );
    return (
        <Section
            title="Views"
            note={
                <>
                    A view shows the sessions that match its expression.{" "}
                    <a
                        className="text-accent underline underline-offset-2"
                        href={hrefOf({ page: "help", slug: "views" })}
                    >
                        Help on expressions
                    </a>
                </>
            }
        >
            <ul aria-label="Views" className="border-y border-hairline">
                {views.map((view) => {
                    const faults = view.mistakes.length + view.faults.length;
                    return (
                        <EditRow
                            key={view.id}
                            id={view.id}
                            icon={
                                <ListFilter
                                    size={16}
                                    strokeWidth={1.5}
                                    aria-hidden
                                    style={{ color: cssOf(view.color) }}
                                    className="shrink-0 text-ink-3"
                                />
                            }
                            name={view.name}
                            marks={faults > 0 && <Faulty count={faults} />}
                            line={<code className="font-mono">{view.expression}</code>}
                            end={view.sessions === null ? undefined : sessionsWord(view.sessions)}
                            open={open === view.id}
                            onOpen={(shown) => onOpen(shown ? view.id : undefined)}
                            order={order}
                        >
                            <ViewForm view={view} onDone={() => onOpen(undefined)} />
                        </EditRow>
                    );
                })}
                {views.length === 0 && <li className="py-2 text-ui text-ink-2">No views yet.</li>}
            </ul>
            {open === NEW ? (
                <div className="px-3 pt-4">
                    <ViewForm view={undefined} onDone={() => onOpen(undefined)} />
                </div>
            ) : (
                <Button className="mt-3" icon={<Plus size={16} strokeWidth={1.5} />} onClick={() => onOpen(NEW)}>
                    Add view
                </Button>
            )}
        </Section>
    );
}

const GROUPS: { value: Group | ""; label: string }[] = [
    { value: "", label: "List default" },
    { value: "date", label: "Date" },
    { value: "status", label: "Status" },
    { value: "label", label: "Label" },
    { value: "agent", label: "Agent" },
    { value: "model", label: "Model" },
    { value: "mode", label: "Permission mode" },
    { value: "unread", label: "Unread" },
];

/** Fields that a list is sorted by, and their words. */
const FIELDS: { value: string; label: string }[] = [
    { value: "lastUsedAt", label: "Last used" },
    { value: "lastMessageAt", label: "Last message" },
    { value: "createdAt", label: "Created" },
    { value: "name", label: "Title" },
    { value: "sessionStatus", label: "Status" },
    { value: "messageCount", label: "Messages" },
    { value: "isFlagged", label: "Flagged" },
    { value: "hasUnread", label: "Unread" },
    { value: "costUsd", label: "Cost" },
    { value: "tokenUsage.totalTokens", label: "Tokens" },
];

const DIRECTIONS = [
    { value: "desc" as const, label: "Descending" },
    { value: "asc" as const, label: "Ascending" },
];

const TRY_MS = 120;
const MAX_SORTS = 5;

function ViewForm({ view, onDone }: { view: ViewRow | undefined; onDone: () => void }) {
    const [name, setName] = useState(view?.name ?? "");
    const [description, setDescription] = useState(view?.description ?? "");
    const [expression, setExpression] = useState(view?.expression ?? "");
    const [caret, setCaret] = useState(0);
    const [color, setColor] = useState<Colour | null>(view?.color ?? null);
    const [groupBy, setGroupBy] = useState<Group | "">(view?.groupBy ?? "");
    const [sort, setSort] = useState<readonly SortKey[]>(view?.sort ?? []);
    const { save, pending, wrong } = useSaving("view_edit");
    const asked = useDebounced(JSON.stringify({ expression, caret }), TRY_MS);
    const at = JSON.parse(asked) as { expression: string; caret: number };
    const tried = useQuery("view_try", asked === "" ? skip : at);
    // What was read belongs to a text: to another one it says nothing.
    const current = at.expression === expression ? tried.data : undefined;
    const store = async () => {
        const after =
            view === undefined
                ? await save({
                      edit: "add",
                      name: name.trim(),
                      expression,
                      color,
                      description: description.trim() === "" ? null : description.trim(),
                      groupBy: groupBy === "" ? null : groupBy,
                      sort: [...sort],
                  })
                : await save({
                      edit: "change",
                      id: view.id,
                      name: name.trim(),
                      expression,
                      color,
                      description: description.trim() === "" ? null : description.trim(),
                      groupBy: groupBy === "" ? null : groupBy,
                      sort: [...sort],
                  });
        if (after !== undefined) onDone();
    };
    const remove = async () => {
        if (view === undefined) return;
        const sure = await confirm({
            title: `Remove the view “${view.name}”?`,
            body: "Sessions are not affected.",
            confirmLabel: "Remove",
            danger: true,
        });
        if (sure && (await change("view_edit", { edit: "remove", id: view.id })) !== undefined) onDone();
    };
    const wrongHere = (current?.mistakes.length ?? 0) > 0;
    return (
        <Form
            word={view === undefined ? "Add" : "Save"}
            ready={name.trim() !== "" && expression.trim() !== "" && !wrongHere}
            pending={pending}
            wrong={wrong}
            onSave={() => void store()}
            onCancel={onDone}
            extra={
                view !== undefined && (
                    <Button variant="quiet" onClick={() => void remove()}>
                        Remove…
                    </Button>
                )
            }
        >
            {view !== undefined && view.faults.length > 0 && (
                <ul className="text-small text-needs">
                    {view.faults.map((fault) => (
                        <li key={fault}>{fault}</li>
                    ))}
                </ul>
            )}
            <div className="grid grid-cols-1 gap-3 @md:grid-cols-2">
                <TextField label="Name" value={name} onChange={setName} maxLength={100} autoFocus />
                <TextField label="Description" value={description} onChange={setDescription} maxLength={1_000} />
            </div>
            <LineField
                label="Expression"
                value={expression}
                onChange={setExpression}
                onCaret={setCaret}
                mistakes={current?.mistakes ?? []}
                notes={current?.notes}
                completed={current?.completions}
                placeholder='hasUnread and contains(labels, "bug")'
                hint={
                    <span role="status" className="tabular">
                        {expression.trim() === ""
                            ? "Ctrl+Space shows suggestions."
                            : current === undefined
                              ? "…"
                              : current.sessions === null
                                ? "The expression is not valid yet."
                                : `Shows ${sessionsWord(current.sessions)} now.`}
                    </span>
                }
            />
            <div className="grid grid-cols-1 gap-3 @md:grid-cols-2">
                <Select label="Group by" showLabel value={groupBy} options={GROUPS} onChange={setGroupBy} />
                <fieldset className="min-w-0">
                    <legend className="mb-1 text-small text-ink-2">Sort by</legend>
                    {sort.map((key, index) => (
                        <div key={index} className="mb-1 flex items-center gap-1">
                            <Select
                                label={`Field ${index + 1}`}
                                className="flex-1"
                                value={key.field}
                                options={
                                    FIELDS.some((field) => field.value === key.field)
                                        ? FIELDS
                                        : [...FIELDS, { value: key.field, label: key.field }]
                                }
                                onChange={(field) =>
                                    setSort(sort.map((each, at) => (at === index ? { ...each, field } : each)))
                                }
                            />
                            <Select
                                label={`Direction ${index + 1}`}
                                className="w-36"
                                value={key.direction ?? "asc"}
                                options={DIRECTIONS}
                                onChange={(direction) =>
                                    setSort(sort.map((each, at) => (at === index ? { ...each, direction } : each)))
                                }
                            />
                            <IconButton
                                label={`Remove sort field`}
                                size="small"
                                icon={<Trash2 size={14} strokeWidth={1.5} />}
                                onClick={() => setSort(sort.filter((_, at) => at !== index))}
                            />
                        </div>
                    ))}
                    {sort.length < MAX_SORTS && (
                        <Button
                            size="small"
                            icon={<Plus size={14} strokeWidth={1.5} />}
                            onClick={() =>
                                setSort([
                                    ...sort,
                                    {
                                        field:
                                            FIELDS.find((field) => !sort.some((key) => key.field === field.value))
                                                ?.value ?? "lastUsedAt",
                                        direction: "desc",
                                    },
                                ])
                            }
                        >
                            {sort.length === 0 ? "Change the sort order" : "Then by"}
                        </Button>
                    )}
                </fieldset>
            </div>
            <ColourField label="Colour" value={color} onChange={setColor} />
        </Form>
    );
}
