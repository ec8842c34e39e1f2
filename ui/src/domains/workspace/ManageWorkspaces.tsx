// Workspaces in a dialog: new ones, what new sessions in one begin with, their order, and away with them.

import { ChevronDown, ChevronUp, FolderOpen, Plus, Trash2 } from "lucide-react";
import { useState } from "react";

import {
    send,
    shell,
    toProblem,
    useCommand,
    useQuery,
    type Effort,
    type WorkspaceDefaultsView,
    type WorkspaceRow,
} from "@/backend";
import { MODES } from "@/domains/permission";
import {
    Button,
    Checkbox,
    Dialog,
    ErrorCard,
    IconButton,
    Select,
    TextField,
    confirm,
    cx,
    toast,
    toastProblem,
} from "@/shared";

import { show } from "./switch";

const ICON = { size: 16, strokeWidth: 1.5, "aria-hidden": true } as const;
const EFFORTS: readonly Effort[] = ["low", "medium", "high", "max"];

interface Props {
    rows: readonly WorkspaceRow[];
    /** The one that the window shows. */
    here: string | undefined;
    onClose: () => void;
    onOpenWindow: (slug: string) => void;
}

export default function ManageWorkspaces({ rows, here, onClose, onOpenWindow }: Props) {
    const [chosen, setChosen] = useState(here);
    const row = rows.find((each) => each.id === chosen) ?? rows[0];
    return (
        <Dialog
            open
            onOpenChange={(open) => !open && onClose()}
            title="Workspaces"
            description="Each workspace has its own agents, sources, skills, rules, statuses, labels and views. Connections, credentials and knowledge bases are shared."
            width="large"
        >
            <div className="grid grid-cols-1 gap-6 min-[46rem]:grid-cols-[15rem_minmax(0,1fr)]">
                <div className="min-w-0">
                    <ul aria-label="Workspaces" className="mb-4">
                        {rows.map((each) => (
                            <li key={each.id}>
                                <button
                                    type="button"
                                    aria-current={each.id === row?.id}
                                    onClick={() => setChosen(each.id)}
                                    className={cx(
                                        "ring-inside flex w-full min-w-0 flex-col rounded-control px-2 py-1 text-left text-ui",
                                        each.id === row?.id
                                            ? "bg-hover font-medium"
                                            : "text-ink-2 hover:bg-hover hover:text-ink",
                                    )}
                                >
                                    <span className="truncate">{each.name}</span>
                                    {!each.there && <span className="text-small text-needs">Folder not available</span>}
                                </button>
                            </li>
                        ))}
                    </ul>
                    <NewWorkspace onMade={setChosen} />
                </div>
                {row !== undefined && (
                    <Details
                        key={row.id}
                        row={row}
                        rows={rows}
                        here={row.id === here}
                        onClose={onClose}
                        onOpenWindow={onOpenWindow}
                    />
                )}
            </div>
        </Dialog>
    );
}

function NewWorkspace({ onMade }: { onMade: (slug: string) => void }) {
    const create = useCommand("workspace_create");
    const open = useCommand("workspace_open_folder");
    const [name, setName] = useState("");
    const [path, setPath] = useState<string | undefined>();
    const add = async () => {
        const { value } = await create.run({ name });
        if (value === undefined) return;
        setName("");
        onMade(value.id);
    };
    const addFolder = async (folder: string) => {
        const { value } = await open.run({ folder });
        if (value === undefined) return;
        setPath(undefined);
        onMade(value.id);
    };
    const pick = async () => {
        const own = shell();
        // A browser has no way to a folder's path: it is typed.
        if (own === undefined) return setPath(path ?? "");
        const [folder] = await own.pickPaths("folder");
        if (folder !== undefined) await addFolder(folder);
    };
    const problem = create.problem ?? open.problem;
    return (
        <form
            className="space-y-2"
            onSubmit={(event) => {
                event.preventDefault();
                void (path === undefined ? add() : addFolder(path));
            }}
        >
            {path === undefined ? (
                <TextField
                    label="New workspace"
                    placeholder="Workspace name"
                    value={name}
                    onChange={setName}
                    maxLength={120}
                />
            ) : (
                <TextField label="Absolute path of the folder" mono value={path} onChange={setPath} />
            )}
            <div className="flex flex-wrap gap-2">
                <Button
                    type="submit"
                    icon={<Plus {...ICON} />}
                    disabled={(path ?? name).trim() === "" || create.pending || open.pending}
                >
                    {path === undefined ? "Create" : "Open"}
                </Button>
                {path === undefined && (
                    <Button icon={<FolderOpen {...ICON} />} disabled={open.pending} onClick={() => void pick()}>
                        Open folder…
                    </Button>
                )}
            </div>
            {problem !== undefined && (
                <ErrorCard title="The workspace was not added" advice={problem.action ?? undefined}>
                    {problem.message}
                </ErrorCard>
            )}
        </form>
    );
}

function Details({
    row,
    rows,
    here,
    onClose,
    onOpenWindow,
}: {
    row: WorkspaceRow;
    rows: readonly WorkspaceRow[];
    here: boolean;
    onClose: () => void;
    onOpenWindow: (slug: string) => void;
}) {
    const update = useCommand("workspace_update");
    const { data: connections } = useQuery("connection_list", null);
    const [name, setName] = useState(row.name);
    const [defaults, setDefaults] = useState(row.defaults);
    const place = rows.findIndex((each) => each.id === row.id);
    const changed = name.trim() !== row.name || JSON.stringify(defaults) !== JSON.stringify(row.defaults);
    const change = (part: Partial<WorkspaceDefaultsView>) => setDefaults({ ...defaults, ...part });
    const move = (to: number) => void update.run({ workspace: row.id, place: to });
    return (
        <form
            aria-label={row.name}
            className="min-w-0 space-y-4"
            onSubmit={(event) => {
                event.preventDefault();
                void update.run({ workspace: row.id, name: name.trim() === row.name ? null : name, defaults });
            }}
        >
            <TextField label="Name" value={name} onChange={setName} maxLength={120} />
            <p className="text-small break-all text-ink-3">{row.folder}</p>
            <fieldset className="space-y-3">
                <legend className="mb-2 text-ui font-medium">Defaults for new sessions</legend>
                <Select
                    label="Connection"
                    showLabel
                    value={defaults.connection ?? ""}
                    options={[
                        { value: "", label: "Global default" },
                        ...(connections ?? []).map((each) => ({ value: each.slug, label: each.name })),
                    ]}
                    onChange={(connection) => change({ connection: connection === "" ? null : connection })}
                />
                <TextField
                    label="Model"
                    placeholder="Connection default"
                    value={defaults.model ?? ""}
                    onChange={(model) => change({ model: model === "" ? null : model })}
                />
                <Select
                    label="Permission mode"
                    showLabel
                    value={defaults.mode ?? ""}
                    options={[
                        { value: "", label: "Global default" },
                        ...MODES.map((each) => ({ value: each.mode, label: each.word, hint: each.hint })),
                    ]}
                    onChange={(mode) => change({ mode: mode === "" ? null : mode })}
                />
                <TextField
                    label="Working folder"
                    mono
                    placeholder="~/projects/app"
                    value={defaults.folder ?? ""}
                    onChange={(folder) => change({ folder: folder === "" ? null : folder })}
                />
                <Select
                    label="Effort"
                    showLabel
                    value={defaults.effort ?? ""}
                    options={[
                        { value: "", label: "Model default" },
                        ...EFFORTS.map((each) => ({ value: each, label: each[0]?.toUpperCase() + each.slice(1) })),
                    ]}
                    onChange={(effort) => change({ effort: effort === "" ? null : effort })}
                />
                {here && <Sources chosen={defaults.sources ?? []} onChange={(sources) => change({ sources })} />}
            </fieldset>
            {update.problem !== undefined && (
                <ErrorCard title="The workspace was not saved" advice={update.problem.action ?? undefined}>
                    {update.problem.message}
                </ErrorCard>
            )}
            <div className="flex flex-wrap items-center gap-2 border-t border-hairline pt-3">
                <IconButton
                    label="Move up"
                    size="small"
                    icon={<ChevronUp {...ICON} />}
                    disabled={place <= 0}
                    onClick={() => move(place - 1)}
                />
                <IconButton
                    label="Move down"
                    size="small"
                    icon={<ChevronDown {...ICON} />}
                    disabled={place >= rows.length - 1}
                    onClick={() => move(place + 1)}
                />
                {row.id !== "default" && (
                    <Button
                        variant="quiet"
                        icon={<Trash2 {...ICON} />}
                        onClick={() => void remove(row, rows, here, onClose)}
                    >
                        Remove…
                    </Button>
                )}
                <span className="flex-1" />
                {!here && <Button onClick={() => onOpenWindow(row.id)}>Open in new window</Button>}
                {!here && <Button onClick={() => show(row.id)}>Switch to it</Button>}
                <Button type="submit" variant="primary" disabled={!changed || name.trim() === "" || update.pending}>
                    Save
                </Button>
            </div>
        </form>
    );
}

function Sources({ chosen, onChange }: { chosen: readonly string[]; onChange: (sources: string[]) => void }) {
    const { data } = useQuery("source_list", null);
    if (data === undefined || data.length === 0) return null;
    return (
        <div role="group" aria-label="Enabled sources" className="space-y-1">
            <p className="text-small text-ink-2">Enabled sources</p>
            {data.map(({ slug, name }) => (
                <Checkbox
                    key={slug}
                    label={name}
                    checked={chosen.includes(slug)}
                    onChange={(on) => onChange(on ? [...chosen, slug] : chosen.filter((each) => each !== slug))}
                />
            ))}
        </div>
    );
}

/** Its sessions go to the default workspace; its files wait in the trash. */
async function remove(
    row: WorkspaceRow,
    rows: readonly WorkspaceRow[],
    here: boolean,
    onClose: () => void,
): Promise<void> {
    const home = rows.find((each) => each.id === "default")?.name ?? "Default";
    const sessions =
        row.sessions === 0
            ? "The workspace has no sessions."
            : `${row.sessions === 1 ? "1 session moves" : `${row.sessions} sessions move`} to ${home}.`;
    const bases =
        row.sessions === 0
            ? "Its knowledge bases wait in the trash with it."
            : `Its knowledge bases move to ${home}, too.`;
    const files = row.elsewhere
        ? "The folder is not changed."
        : "The files are moved to the trash and can be restored.";
    if (
        !(await confirm({
            title: `Remove ${row.name}?`,
            body: `${sessions} ${bases} ${files}`,
            confirmLabel: "Remove",
            danger: true,
        }))
    )
        return;
    try {
        const { trash } = await send("workspace_remove", {
            workspace: row.id,
            moveTo: row.sessions > 0 ? "default" : null,
        });
        // What undoes it stands behind the dialog.
        onClose();
        if (here) show("default");
        toast({ text: `${row.name} was removed.`, onUndo: () => void undo(trash) });
    } catch (thrown) {
        const problem = toProblem(thrown);
        toastProblem(problem, `${row.name} was not removed`);
    }
}

async function undo(trash: string): Promise<void> {
    try {
        await send("workspace_restore", { trash });
    } catch (thrown) {
        toastProblem(toProblem(thrown), "The workspace could not be restored");
    }
}
