import { Plus } from "lucide-react";
import { useState } from "react";

import type { Category, Colour, Icon, StatusRow } from "@/backend";
import { Badge, Button, Dialog, Kbd, Section, Select, TextField, cx, useReorder } from "@/shared";

import { ColourField } from "./ColourField";
import { EditRow, Form, change, sessionsWord, useSaving } from "./edits";
import { STATUS_ICONS, StatusIcon, iconText } from "./marks";
import type { OrganisationUse } from "./organisation";

export interface EditorProps {
    organisation: OrganisationUse;
    /** The id that is open, or that is added. */
    open: string | undefined;
    onOpen: (id: string | undefined) => void;
}

/** In place of an id: a new one. */
export const NEW = "+";

export function StatusEditor({ organisation, open, onOpen }: EditorProps) {
    const { statuses, data } = organisation;
    const order = useReorder(
        "edit-status",
        statuses.map((each) => each.id),
        (id, place) => change("status_edit", { edit: "move", id, place }),
    );
    return (
        <Section title="Statuses" note="Every session has one status. Drag or use Alt+arrow keys to reorder.">
            <ul aria-label="Statuses" className="border-y border-hairline">
                {statuses.map((status) => (
                    <EditRow
                        key={status.id}
                        id={status.id}
                        icon={<StatusIcon status={status} />}
                        name={status.label}
                        marks={
                            <>
                                {status.category === "closed" && <Badge>closed</Badge>}
                                {status.id === data?.defaultStatus && <Badge tone="accent">default</Badge>}
                                {status.shortcut !== null && <Kbd>{status.shortcut}</Kbd>}
                            </>
                        }
                        end={sessionsWord(status.sessions)}
                        open={open === status.id}
                        onOpen={(shown) => onOpen(shown ? status.id : undefined)}
                        order={order}
                    >
                        <StatusForm status={status} organisation={organisation} onDone={() => onOpen(undefined)} />
                    </EditRow>
                ))}
            </ul>
            {open === NEW ? (
                <div className="px-3 pt-4">
                    <StatusForm status={undefined} organisation={organisation} onDone={() => onOpen(undefined)} />
                </div>
            ) : (
                <Button className="mt-3" icon={<Plus size={16} strokeWidth={1.5} />} onClick={() => onOpen(NEW)}>
                    Add status
                </Button>
            )}
        </Section>
    );
}

const CATEGORIES: { value: Category; label: string; hint: string }[] = [
    { value: "open", label: "Open", hint: "Work remains." },
    { value: "closed", label: "Closed", hint: "Work is finished." },
];

function StatusForm({
    status,
    organisation,
    onDone,
}: {
    status: StatusRow | undefined;
    organisation: OrganisationUse;
    onDone: () => void;
}) {
    const [label, setLabel] = useState(status?.label ?? "");
    const [category, setCategory] = useState<Category>(status?.category ?? "open");
    const [icon, setIcon] = useState<Icon | null>(status?.icon ?? null);
    const [color, setColor] = useState<Colour | null>(status?.color ?? null);
    const [shortcut, setShortcut] = useState(status?.shortcut ?? "");
    const [removing, setRemoving] = useState(false);
    const { save, pending, wrong } = useSaving("status_edit");
    const isDefault = status !== undefined && status.id === organisation.data?.defaultStatus;
    const store = async () => {
        const after =
            status === undefined
                ? await save({ edit: "add", label: label.trim(), category, color, icon })
                : await save({
                      edit: "change",
                      id: status.id,
                      label: label.trim(),
                      ...(category === status.category ? {} : { category }),
                      color,
                      icon,
                      shortcut: shortcut === "" ? null : shortcut,
                  });
        if (after === undefined) return;
        const made =
            status === undefined && shortcut !== ""
                ? after.statuses.find((each) => !organisation.statuses.some((old) => old.id === each.id))
                : undefined;
        if (made === undefined || (await save({ edit: "change", id: made.id, shortcut })) !== undefined) onDone();
    };
    return (
        <Form
            word={status === undefined ? "Add" : "Save"}
            ready={label.trim() !== ""}
            pending={pending}
            wrong={wrong}
            onSave={() => void store()}
            onCancel={onDone}
            extra={
                status !== undefined && (
                    <>
                        {!isDefault && (
                            <Button
                                variant="quiet"
                                onClick={() => void change("status_edit", { edit: "default", id: status.id })}
                            >
                                Set as default
                            </Button>
                        )}
                        {!status.fixed && (
                            <Button variant="quiet" onClick={() => setRemoving(true)}>
                                Remove…
                            </Button>
                        )}
                    </>
                )
            }
        >
            <div className="grid grid-cols-1 gap-3 @md:grid-cols-[minmax(0,1fr)_9rem_5rem]">
                <TextField label="Name" value={label} onChange={setLabel} maxLength={100} autoFocus />
                <Select
                    label="Category"
                    showLabel
                    value={category}
                    options={CATEGORIES}
                    onChange={(value) => setCategory(value)}
                    disabled={status?.fixed === true}
                />
                <TextField
                    label="Key"
                    value={shortcut}
                    onChange={(text) => setShortcut([...text].slice(-1).join("").trim())}
                    mono
                />
            </div>
            <IconField value={icon} onChange={setIcon} of={{ id: status?.id ?? "", color, category }} />
            <ColourField label="Colour" value={color} onChange={setColor} />
            {status?.fixed === true && (
                <p className="text-small text-ink-3">
                    Built-in status: it can’t be removed, and its category can’t change.
                </p>
            )}
            {removing && status !== undefined && (
                <Remove status={status} organisation={organisation} onClose={() => setRemoving(false)} />
            )}
        </Form>
    );
}

function IconField({
    value,
    onChange,
    of,
}: {
    value: Icon | null;
    onChange: (icon: Icon | null) => void;
    of: Pick<StatusRow, "id" | "color" | "category">;
}) {
    const text = iconText(value);
    return (
        <fieldset className="min-w-0">
            <legend className="mb-1 text-small text-ink-2">Icon</legend>
            <div className="flex flex-wrap items-center gap-1">
                {Object.entries(STATUS_ICONS).map(([sign, { word }]) => (
                    <button
                        key={sign}
                        type="button"
                        aria-pressed={text === sign}
                        aria-label={word}
                        title={word}
                        onClick={() => onChange(text === sign ? null : sign)}
                        className={cx(
                            "flex size-7 items-center justify-center rounded-control border",
                            text === sign ? "border-accent bg-accent-soft" : "border-transparent hover:bg-hover",
                        )}
                    >
                        <StatusIcon status={{ ...of, icon: sign }} />
                    </button>
                ))}
                <TextField
                    label="Other character or emoji"
                    hideLabel
                    placeholder="or emoji"
                    value={STATUS_ICONS[text] === undefined ? text : ""}
                    onChange={(sign) => onChange(sign.trim() === "" ? null : sign.trim())}
                    className="w-24"
                />
            </div>
        </fieldset>
    );
}

function Remove({
    status,
    organisation,
    onClose,
}: {
    status: StatusRow;
    organisation: OrganisationUse;
    onClose: () => void;
}) {
    const others = organisation.statuses.filter((each) => each.id !== status.id);
    const [instead, setInstead] = useState(
        others.some((each) => each.id === organisation.data?.defaultStatus)
            ? (organisation.data?.defaultStatus ?? "")
            : (others[0]?.id ?? ""),
    );
    const { save, pending, wrong } = useSaving("status_edit");
    return (
        <Dialog
            open
            onOpenChange={(open) => !open && onClose()}
            title={`Remove “${status.label}”?`}
            description={
                status.sessions === 0
                    ? "No session has this status."
                    : `${sessionsWord(status.sessions)} will get another status.`
            }
            width="small"
            footer={
                <>
                    <Button onClick={onClose}>Cancel</Button>
                    <Button
                        variant="danger"
                        disabled={pending}
                        onClick={() =>
                            void save({ edit: "remove", id: status.id, instead }).then(
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
                options={others.map((each) => ({
                    value: each.id,
                    label: each.label,
                    icon: <StatusIcon status={each} />,
                }))}
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
