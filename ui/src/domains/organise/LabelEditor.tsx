import { Plus, Trash2 } from "lucide-react";
import { useState, type KeyboardEvent } from "react";

import { skip, useQuery, type AutoRule, type Colour, type ValueType } from "@/backend";
import {
    Badge,
    Button,
    Dialog,
    IconButton,
    Section,
    Select,
    TextArea,
    TextField,
    cx,
    useReorder,
    useDebounced,
} from "@/shared";

import { TYPES } from "./Choose";
import { ColourField } from "./ColourField";
import { EditRow, Form, change, sessionsWord, useSaving } from "./edits";
import { cutAt } from "./line";
import { ColourDot } from "./marks";
import type { FlatLabel, OrganisationUse } from "./organisation";
import { NEW, type EditorProps } from "./StatusEditor";

/** The deepest that a label may stand, from 0. */
const MAX_DEPTH = 4;
/** Behind all others: no label has as many below it. */
const LAST = 10_000;

export function LabelEditor({ organisation, open, onOpen }: EditorProps) {
    const { labels } = organisation;
    const adding = open === NEW || open?.startsWith(`${NEW}:`) === true ? open : undefined;
    return (
        <Section
            title="Labels"
            note="A session can have any number of labels. Alt+arrow keys move a label; Alt+→ nests it under the one above."
        >
            <ul aria-label="Labels" className="border-y border-hairline">
                {labels.map((label) => (
                    <LabelLine
                        key={label.id}
                        label={label}
                        organisation={organisation}
                        open={open === label.id}
                        onOpen={onOpen}
                    />
                ))}
                {labels.length === 0 && <li className="py-2 text-ui text-ink-2">No labels yet.</li>}
            </ul>
            {adding !== undefined ? (
                <div className="px-3 pt-4">
                    <LabelForm
                        label={undefined}
                        parent={adding.slice(NEW.length + 1) || undefined}
                        organisation={organisation}
                        onDone={() => onOpen(undefined)}
                    />
                </div>
            ) : (
                <Button className="mt-3" icon={<Plus size={16} strokeWidth={1.5} />} onClick={() => onOpen(NEW)}>
                    Add label
                </Button>
            )}
        </Section>
    );
}

function LabelLine({
    label,
    organisation,
    open,
    onOpen,
}: {
    label: FlatLabel;
    organisation: OrganisationUse;
    open: boolean;
    onOpen: EditorProps["onOpen"];
}) {
    const { labels, labelOf } = organisation;
    const neighbours = labels.filter((each) => each.parent === label.parent);
    const move = (id: string, place: number, parent: string | undefined) =>
        change("label_edit", { edit: "move", id, place, ...(parent === undefined ? {} : { parent }) });
    const order = useReorder(
        `edit-label-${label.parent ?? ""}`,
        neighbours.map((each) => each.id),
        (id, place) => move(id, place, label.parent),
    );
    const onKeyDown = (event: KeyboardEvent) => {
        if (!event.altKey || event.ctrlKey || event.metaKey) return;
        if (event.key === "ArrowRight") {
            const before = neighbours[label.place - 1];
            if (before !== undefined && label.depth < MAX_DEPTH)
                void move(label.id, before.row.children.length, before.id);
        } else if (event.key === "ArrowLeft") {
            const above = label.parent === undefined ? undefined : labelOf(label.parent);
            if (above !== undefined) void move(label.id, above.place + 1, above.parent);
        } else return;
        event.preventDefault();
    };
    return (
        <EditRow
            id={label.id}
            depth={label.depth}
            icon={<ColourDot colour={label.color} />}
            name={label.name}
            marks={
                <>
                    {label.valueType !== null && <Badge>{TYPES[label.valueType].word}</Badge>}
                    {label.row.autoRules.length > 0 && (
                        <Badge>
                            {label.row.autoRules.length === 1 ? "1 rule" : `${label.row.autoRules.length} rules`}
                        </Badge>
                    )}
                </>
            }
            end={sessionsWord(label.sessions)}
            open={open}
            onOpen={(shown) => onOpen(shown ? label.id : undefined)}
            order={order}
            onKeyDown={onKeyDown}
        >
            <LabelForm
                label={label}
                parent={label.parent}
                organisation={organisation}
                onDone={() => onOpen(undefined)}
                onAddBelow={label.depth < MAX_DEPTH ? () => onOpen(`${NEW}:${label.id}`) : undefined}
            />
        </EditRow>
    );
}

const VALUES: { value: ValueType | ""; label: string }[] = [
    { value: "", label: "None" },
    { value: "string", label: "Text" },
    { value: "number", label: "Number" },
    { value: "date", label: "Date" },
];

function LabelForm({
    label,
    parent: above,
    organisation,
    onDone,
    onAddBelow,
}: {
    label: FlatLabel | undefined;
    parent: string | undefined;
    organisation: OrganisationUse;
    onDone: () => void;
    onAddBelow?: () => void;
}) {
    const { labels } = organisation;
    const [name, setName] = useState(label?.name ?? "");
    const [color, setColor] = useState<Colour | null>(label?.color ?? null);
    const [valueType, setValueType] = useState<ValueType | "">(label?.valueType ?? "");
    const [parent, setParent] = useState(above ?? "");
    const [rules, setRules] = useState<readonly AutoRule[]>(label?.row.autoRules ?? []);
    const [removing, setRemoving] = useState(false);
    const { save, pending, wrong } = useSaving("label_edit");
    const below = (each: FlatLabel): boolean =>
        each.id === label?.id || (each.parent !== undefined && below(organisation.labelOf(each.parent) as FlatLabel));
    const places = labels.filter((each) => each.depth < MAX_DEPTH && !below(each));
    const store = async () => {
        const type = valueType === "" ? null : valueType;
        if (label === undefined) {
            const after = await save({
                edit: "add",
                name: name.trim(),
                color,
                valueType: type,
                ...(parent === "" ? {} : { parent }),
            });
            if (after !== undefined) onDone();
            return;
        }
        const after = await save({
            edit: "change",
            id: label.id,
            name: name.trim(),
            color,
            valueType: type,
            autoRules: [...rules],
        });
        if (after === undefined) return;
        const moved =
            parent === (above ?? "")
                ? after
                : await save({ edit: "move", id: label.id, place: LAST, ...(parent === "" ? {} : { parent }) });
        if (moved !== undefined) onDone();
    };
    return (
        <Form
            word={label === undefined ? "Add" : "Save"}
            ready={name.trim() !== ""}
            pending={pending}
            wrong={wrong}
            onSave={() => void store()}
            onCancel={onDone}
            extra={
                label !== undefined && (
                    <>
                        {onAddBelow !== undefined && (
                            <Button variant="quiet" onClick={onAddBelow}>
                                Add nested label
                            </Button>
                        )}
                        <Button variant="quiet" onClick={() => setRemoving(true)}>
                            Remove…
                        </Button>
                    </>
                )
            }
        >
            <div className="grid grid-cols-1 gap-3 @md:grid-cols-[minmax(0,1fr)_10rem_8rem]">
                <TextField label="Name" value={name} onChange={setName} maxLength={100} autoFocus />
                <Select
                    label="Parent"
                    showLabel
                    value={parent}
                    options={[
                        { value: "", label: "None (top level)" },
                        ...places.map((each) => ({ value: each.id, label: each.path })),
                    ]}
                    onChange={setParent}
                />
                <Select label="Value" showLabel value={valueType} options={VALUES} onChange={setValueType} />
            </div>
            <ColourField label="Colour" value={color} onChange={setColor} />
            {label !== undefined && (
                <Rules
                    label={label.id}
                    valueType={valueType === "" ? null : valueType}
                    rules={rules}
                    onChange={setRules}
                />
            )}
            {removing && label !== undefined && (
                <Remove label={label} organisation={organisation} onClose={() => setRemoving(false)} />
            )}
        </Form>
    );
}

function Rules({
    label,
    valueType,
    rules,
    onChange,
}: {
    label: string;
    valueType: ValueType | null;
    rules: readonly AutoRule[];
    onChange: (rules: readonly AutoRule[]) => void;
}) {
    const [text, setText] = useState("");
    return (
        <fieldset className="min-w-0">
            <legend className="mb-1 text-small text-ink-2">
                Rules that add this label automatically, based on your messages
            </legend>
            {rules.map((rule, index) => (
                <Rule
                    key={index}
                    number={index + 1}
                    label={label}
                    valueType={valueType}
                    rule={rule}
                    text={text}
                    onChange={(next) => onChange(rules.map((each, at) => (at === index ? next : each)))}
                    onRemove={() => onChange(rules.filter((_, at) => at !== index))}
                />
            ))}
            <Button
                size="small"
                icon={<Plus size={14} strokeWidth={1.5} />}
                onClick={() => onChange([...rules, { pattern: "" }])}
            >
                Add rule
            </Button>
            {rules.length > 0 && (
                <TextArea
                    className="mt-3"
                    label="Try the rules on a message"
                    value={text}
                    onChange={setText}
                    minRows={2}
                    maxRows={6}
                    placeholder="Type or paste a message. Matches are shown above."
                />
            )}
        </fieldset>
    );
}

const TRY_MS = 150;

function Rule({
    number,
    label,
    valueType,
    rule,
    text,
    onChange,
    onRemove,
}: {
    number: number;
    label: string;
    valueType: ValueType | null;
    rule: AutoRule;
    text: string;
    onChange: (rule: AutoRule) => void;
    onRemove: () => void;
}) {
    const asked = useDebounced(JSON.stringify({ label, valueType, rule, text }), TRY_MS);
    const { data, problem } = useQuery(
        "rule_try",
        rule.pattern === ""
            ? skip
            : (JSON.parse(asked) as { label: string; valueType: ValueType | null; rule: AutoRule; text: string }),
    );
    const found = data?.found;
    const marks = [
        ...(found?.matches ?? []).map((match) => ({ at: match.at, tone: "found" as const })),
        ...(found?.refused ?? []).map((at) => ({ at, tone: "refused" as const })),
    ];
    const set = (part: Partial<AutoRule>) => onChange({ ...rule, ...part });
    return (
        <div role="group" aria-label={`Rule ${number}`} className="mb-3 rounded-control border border-hairline p-3">
            <div className="flex items-start gap-2">
                <TextField
                    label="Pattern"
                    className="min-w-0 flex-1"
                    mono
                    value={rule.pattern}
                    onChange={(pattern) => set({ pattern })}
                    placeholder="\b(PAY-\d+)\b"
                    error={rule.pattern === "" ? undefined : (data?.fault ?? problem?.message)}
                />
                <IconButton
                    label={`Remove rule ${number}`}
                    icon={<Trash2 size={16} strokeWidth={1.5} />}
                    onClick={onRemove}
                    className="mt-5"
                />
            </div>
            <div className="mt-2 grid grid-cols-1 gap-3 @md:grid-cols-[5rem_8rem_minmax(0,1fr)]">
                <TextField
                    label="Flags"
                    mono
                    value={rule.flags ?? ""}
                    placeholder="gi"
                    onChange={(flags) => set({ flags: flags === "" ? null : flags })}
                />
                <TextField
                    label="Value"
                    mono
                    value={rule.valueTemplate ?? ""}
                    placeholder="$1"
                    onChange={(valueTemplate) => set({ valueTemplate: valueTemplate === "" ? null : valueTemplate })}
                />
                <TextField
                    label="Description"
                    value={rule.description ?? ""}
                    onChange={(description) => set({ description: description === "" ? null : description })}
                />
            </div>
            {text !== "" && found !== undefined && data?.fault === null && (
                <div className="mt-3" role="status">
                    <p className="text-ui break-words whitespace-pre-wrap">
                        {cutAt(text, marks).map((piece, index) =>
                            piece.tone === undefined ? (
                                piece.text
                            ) : (
                                <mark
                                    key={index}
                                    className={cx(
                                        "rounded-[3px] px-px text-ink",
                                        piece.tone === "found" ? "bg-accent-soft" : "bg-needs-soft line-through",
                                    )}
                                >
                                    {piece.text}
                                </mark>
                            ),
                        )}
                    </p>
                    <p className="mt-1 text-small text-ink-3">
                        {found.matches.length === 0
                            ? "No matches."
                            : `Adds ${[...new Set(found.matches.map((match) => match.entry))].join(", ")}.`}
                        {found.refused.length > 0 &&
                            ` ${found.refused.length === 1 ? "1 match has" : `${found.refused.length} matches have`} a value of the wrong type.`}
                    </p>
                </div>
            )}
        </div>
    );
}

function Remove({
    label,
    organisation,
    onClose,
}: {
    label: FlatLabel;
    organisation: OrganisationUse;
    onClose: () => void;
}) {
    const [instead, setInstead] = useState("");
    const { save, pending, wrong } = useSaving("label_edit");
    const below = label.row.children.length;
    return (
        <Dialog
            open
            onOpenChange={(open) => !open && onClose()}
            title={`Remove “${label.name}”?`}
            description={`${below === 0 ? "" : `${below === 1 ? "1 nested label is" : `${below} nested labels are`} removed, too. `}${label.sessions === 0 ? "No session has this label." : `Removed from ${sessionsWord(label.sessions)}.`}`}
            width="small"
            footer={
                <>
                    <Button onClick={onClose}>Cancel</Button>
                    <Button
                        variant="danger"
                        disabled={pending}
                        onClick={() =>
                            void save({ edit: "remove", id: label.id, ...(instead === "" ? {} : { instead }) }).then(
                                (after) => after !== undefined && onClose(),
                            )
                        }
                    >
                        Remove
                    </Button>
                </>
            }
        >
            <Select
                label="Replace with"
                showLabel
                value={instead}
                options={[
                    { value: "", label: "No label" },
                    ...organisation.labels
                        .filter((each) => each.id !== label.id)
                        .map((each) => ({ value: each.id, label: each.path })),
                ]}
                onChange={setInstead}
            />
            {wrong !== undefined && (
                <p role="alert" className="mt-2 text-small text-failed">
                    {wrong}
                </p>
            )}
        </Dialog>
    );
}
