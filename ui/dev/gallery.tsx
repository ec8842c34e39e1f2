// Every shared component on one page, for looking at them while developing: `npm run ui:dev`, then /gallery.html. Not part of the build.

import { Archive, FileText, Flag, MoreHorizontal, Plus, Search, Trash2 } from "lucide-react";
import { useState, type ReactNode } from "react";
import { createRoot } from "react-dom/client";

import {
    Badge,
    Button,
    Checkbox,
    CodeBlock,
    CommandPalette,
    ConfirmHost,
    ContextMenu,
    Dialog,
    Duration,
    EmptyState,
    ErrorCard,
    IconButton,
    JsonView,
    Keys,
    Menu,
    Meter,
    Popover,
    ProgressBar,
    RadioGroup,
    RelativeTime,
    Select,
    Sheet,
    Skeleton,
    SplitPane,
    StateMark,
    Switch,
    THEMES,
    Table,
    Tabs,
    TextArea,
    TextField,
    Toasts,
    TooltipProvider,
    VirtualList,
    Waiting,
    WordDiff,
    applyAppearance,
    confirm,
    cx,
    toast,
    useAppearance,
    type MenuEntry,
    type State,
} from "@/shared";
import { Markdown } from "@/shared/markdown";

import { SAMPLE } from "./sample";

import "@/shared/theme/theme.css";

const icon = (Icon: typeof Plus) => <Icon size={16} strokeWidth={1.5} aria-hidden />;
const STATES: State[] = ["running", "needs-you", "done", "failed", "skipped", "idle", "queued"];
const ROWS = Array.from({ length: 5_000 }, (_, index) => ({
    id: `r${index}`,
    title: `Question ${index} about materiality`,
    state: STATES[index % STATES.length] ?? "idle",
}));
const ENTRIES: MenuEntry[] = [
    { id: "open", label: "Open", shortcut: "Enter", icon: icon(FileText), onSelect: () => {} },
    { id: "flag", label: "Flagged", checked: true, shortcut: "s", icon: icon(Flag), onSelect: () => {} },
    {
        kind: "submenu",
        id: "status",
        label: "Status",
        entries: [{ id: "a", label: "In progress", onSelect: () => {} }],
    },
    { kind: "separator", id: "line" },
    { id: "delete", label: "Delete", shortcut: "#", danger: true, icon: icon(Trash2), onSelect: () => {} },
];

function Part({ title, wide = false, children }: { title: string; wide?: boolean; children: ReactNode }) {
    return (
        <section
            className={cx(
                "break-inside-avoid rounded-card border border-hairline bg-surface p-4",
                wide && "col-span-full",
            )}
        >
            <h2 className="mb-3 text-small font-medium text-ink-3">{title}</h2>
            <div className="flex flex-col gap-3">{children}</div>
        </section>
    );
}

function Gallery() {
    const [appearance, setAppearance] = useAppearance();
    const [text, setText] = useState("Two lines\nof text");
    const [on, setOn] = useState(true);
    const [choice, setChoice] = useState("balanced");
    const [open, setOpen] = useState<"dialog" | "sheet" | "palette" | undefined>();
    const [active, setActive] = useState("r1");
    const [since] = useState(() => Date.now() - 72_000);
    return (
        <div className="h-full overflow-y-auto p-6">
            <header className="mb-4 flex items-center gap-3">
                <h1 className="flex-1 text-page font-semibold">Components</h1>
                <Select
                    label="Theme"
                    value={appearance.theme}
                    options={THEMES.map(({ id, name }) => ({ value: id, label: name }))}
                    onChange={(theme) => setAppearance({ theme })}
                    className="w-40"
                />
                <RadioGroup
                    label="Mode"
                    direction="row"
                    value={appearance.mode}
                    options={(["light", "dark", "system"] as const).map((value) => ({ value, label: value }))}
                    onChange={(mode) => setAppearance({ mode })}
                />
            </header>
            <div className="grid grid-cols-[repeat(auto-fill,minmax(22rem,1fr))] items-start gap-4">
                <Part title="Buttons">
                    <div className="flex flex-wrap gap-2">
                        <Button variant="primary" shortcut="Enter">
                            Proceed
                        </Button>
                        <Button icon={icon(Search)}>Search the web</Button>
                        <Button variant="quiet">Amend…</Button>
                        <Button variant="danger">Delete</Button>
                        <Button disabled>Not now</Button>
                    </div>
                    <div className="flex flex-wrap items-center gap-2">
                        <Button size="small">Small</Button>
                        <Button size="small" variant="quiet">
                            Quiet
                        </Button>
                        <IconButton label="New question" shortcut="c" icon={icon(Plus)} />
                        <IconButton label="Archive" shortcut="e" icon={icon(Archive)} variant="secondary" />
                        <Menu trigger={<IconButton label="More" icon={icon(MoreHorizontal)} />} entries={ENTRIES} />
                        <Popover label="More on it" trigger={<Button size="small">Popover</Button>}>
                            Words in a floating layer.
                        </Popover>
                    </div>
                </Part>
                <Part title="States">
                    <div className="flex flex-wrap gap-x-4 gap-y-2">
                        {STATES.map((state) => (
                            <StateMark key={state} state={state} />
                        ))}
                    </div>
                    <div className="flex flex-wrap gap-2">
                        {STATES.map((state) => (
                            <StateMark key={state} state={state} show="badge" />
                        ))}
                    </div>
                    <div className="flex flex-wrap gap-2">
                        <Badge>plain</Badge>
                        <Badge tone="accent">accent</Badge>
                        <Badge tone="needs">64 %</Badge>
                        <Badge tone="done">verified</Badge>
                        <Badge tone="failed">missing</Badge>
                    </div>
                </Part>
                <Part title="Measures and waits">
                    <Meter label="Clarity" value={0.64} threshold={0.7} />
                    <Meter label="Clarity" value={0.82} threshold={0.7} />
                    <ProgressBar label="Reading handbook.pdf" value={0.42} text="420 of 1,000" />
                    <Waiting what="Searching 3 of 5: materiality for groups" since={since} onStop={() => {}} />
                    <Skeleton />
                    <p className="text-ui text-ink-2">
                        <Duration ms={72_400} /> · <RelativeTime at={since - 3_600_000} /> · <Keys keys="Ctrl+K" /> ·{" "}
                        <Keys keys="g then i" />
                    </p>
                </Part>
                <Part title="Fields">
                    <TextField
                        label="Name"
                        value="International standards"
                        onChange={() => {}}
                        hint="As people say it."
                    />
                    <TextField
                        label="Folder"
                        value="/nowhere"
                        onChange={() => {}}
                        error="This folder does not exist. Choose another one."
                    />
                    <TextField
                        label="Search"
                        hideLabel
                        type="search"
                        placeholder="Search…"
                        value=""
                        onChange={() => {}}
                        icon={<Search size={14} strokeWidth={1.5} />}
                        after={<Keys keys="/" />}
                    />
                    <TextArea label="Question" value={text} onChange={setText} minRows={2} />
                </Part>
                <Part title="Choices">
                    <Switch
                        label="Notify me when a run pauses"
                        hint="Only while the window is in the background."
                        checked={on}
                        onChange={setOn}
                    />
                    <Switch label="Close to the tray" checked={!on} onChange={() => setOn(!on)} />
                    <Checkbox label="Include the guide" checked={on} onChange={setOn} />
                    <Checkbox label="Some of them" checked={false} mixed onChange={() => {}} />
                    <RadioGroup
                        label="Depth"
                        value={choice}
                        onChange={setChoice}
                        options={[
                            { value: "quick", label: "Quick", hint: "5 queries" },
                            { value: "balanced", label: "Balanced", hint: "9 queries" },
                        ]}
                    />
                    <Select
                        label="Depth"
                        showLabel
                        value={choice}
                        onChange={setChoice}
                        options={[
                            { value: "quick", label: "Quick", hint: "5 queries" },
                            { value: "balanced", label: "Balanced", hint: "9 queries" },
                        ]}
                    />
                </Part>
                <Part title="Layers">
                    <div className="flex flex-wrap gap-2">
                        <Button onClick={() => setOpen("dialog")}>Dialog</Button>
                        <Button onClick={() => setOpen("sheet")}>Sheet</Button>
                        <Button onClick={() => setOpen("palette")}>Palette</Button>
                        <Button
                            onClick={() =>
                                void confirm({
                                    title: "Delete 3 sessions for good?",
                                    body: "Their runs and files go too. This can't be undone.",
                                    confirmLabel: "Delete",
                                    danger: true,
                                })
                            }
                        >
                            Confirm
                        </Button>
                        <Button onClick={() => toast({ text: "3 sessions archived", onUndo: () => {} })}>Toast</Button>
                        <Button
                            onClick={() =>
                                toast({ text: "The draft could not be kept: the disk is full", tone: "failed" })
                            }
                        >
                            Failure
                        </Button>
                    </div>
                    <ContextMenu entries={ENTRIES}>
                        <div className="rounded-control border border-dashed border-hairline-strong p-4 text-ink-2">
                            Right mouse button here
                        </div>
                    </ContextMenu>
                </Part>
                <Part title="Error">
                    <ErrorCard
                        title="The model did not answer"
                        kept="Everything up to stage 4 is kept."
                        advice="Check the connection, then try the stage again."
                        actions={
                            <>
                                <Button variant="primary">Try again</Button>
                                <Button>Choose another model</Button>
                            </>
                        }
                        details={"deadline: POST /v1/messages took longer than 120 s\nattempt 3 of 3"}
                    />
                </Part>
                <Part title="Empty">
                    <EmptyState
                        title="No sessions yet"
                        actions={<Button variant="primary">Ask a question</Button>}
                        className="p-0"
                    >
                        Ask something: it runs offline and needs no key.
                    </EmptyState>
                </Part>
                <Part title="JSON">
                    <JsonView
                        label="Plan"
                        value={{
                            queries: [
                                { text: "going concern", k: 8 },
                                { text: "ISA 570", k: 8 },
                            ],
                            clarity: 0.64,
                            depth: "balanced",
                            web: false,
                            note: null,
                        }}
                        open={2}
                        height="max-h-60"
                    />
                </Part>
                <Part title="Code">
                    <CodeBlock
                        language="python"
                        code={
                            'def clarity(score: float) -> str:\n    """How clear a question is."""\n    return f"{score:.0%}"  # as a share'
                        }
                    />
                    <p>
                        <WordDiff
                            before="How should an auditor respond?"
                            after="How should a group auditor respond to risks?"
                        />
                    </p>
                </Part>
                <Part title="Table">
                    <Table
                        label="Stages"
                        columns={[
                            {
                                id: "name",
                                heading: "Stage",
                                render: (row: { name: string; ms: number; cost: string }) => row.name,
                                sortable: true,
                            },
                            {
                                id: "ms",
                                heading: "Time",
                                numeric: true,
                                render: (row) => <Duration ms={row.ms} />,
                                sortable: true,
                            },
                            { id: "cost", heading: "Cost", numeric: true, render: (row) => row.cost },
                        ]}
                        rows={[
                            { name: "Analyze", ms: 4_100, cost: "$0.0012" },
                            { name: "Retrieve", ms: 12_800, cost: "$0.0000" },
                        ]}
                        keyOf={(row) => row.name}
                        sort={{ column: "ms", down: true }}
                        onSort={() => {}}
                        onOpen={() => {}}
                    />
                    <Tabs
                        label="Parts"
                        tabs={[
                            { id: "a", label: "Output", content: "What came out." },
                            { id: "b", label: "Calls", note: 12, content: "What was called." },
                        ]}
                    />
                </Part>
                <Part title="A list of 5,000, and panes" wide>
                    <div className="h-64 overflow-hidden rounded-control border border-hairline">
                        <SplitPane
                            id="gallery"
                            label="the list"
                            initial={320}
                            min={200}
                            max={520}
                            start={
                                <div className="flex h-full flex-col">
                                    <VirtualList
                                        label="Questions"
                                        items={ROWS}
                                        keyOf={(row) => row.id}
                                        estimate={() => 32}
                                        active={active}
                                        onActive={setActive}
                                        selected="r2"
                                        render={(row, state) => (
                                            <div
                                                className={cx(
                                                    "flex h-8 items-center gap-2 px-3",
                                                    state.selected ? "bg-accent-soft" : state.active && "bg-hover",
                                                )}
                                            >
                                                <StateMark state={row.state} show="icon" />
                                                <span className="min-w-0 flex-1 truncate">{row.title}</span>
                                            </div>
                                        )}
                                    />
                                </div>
                            }
                            end={<div className="p-4 text-ink-2">Move the line with the mouse or the arrow keys.</div>}
                        />
                    </div>
                </Part>
                <Part title="Markdown, voice of the answer" wide>
                    <Markdown
                        text={SAMPLE}
                        voice="answer"
                        renderLink={(href, children) =>
                            href.startsWith("#cite-") ? (
                                <button className="rounded-[4px] bg-accent-soft px-1 font-ui text-small text-accent">
                                    {children}
                                </button>
                            ) : undefined
                        }
                    />
                </Part>
            </div>
            <Dialog
                open={open === "dialog"}
                onOpenChange={(shown) => setOpen(shown ? "dialog" : undefined)}
                title="Make a knowledge base"
                description="Files are read here, on this machine."
                footer={
                    <>
                        <Button onClick={() => setOpen(undefined)}>Cancel</Button>
                        <Button variant="primary">Read the files</Button>
                    </>
                }
            >
                <TextField label="Name" value="handbook" onChange={() => {}} />
            </Dialog>
            <Sheet
                open={open === "sheet"}
                onOpenChange={(shown) => setOpen(shown ? "sheet" : undefined)}
                title="Stage 3: Retrieve"
            >
                <p className="p-4">What it was given, and what came out.</p>
            </Sheet>
            <CommandPalette
                open={open === "palette"}
                onOpenChange={(shown) => setOpen(shown ? "palette" : undefined)}
                items={[
                    {
                        id: "new",
                        group: "Do",
                        label: "Ask a question",
                        shortcut: "c",
                        icon: icon(Plus),
                        onSelect: () => {},
                    },
                    {
                        id: "archive",
                        group: "Do",
                        label: "Archive this session",
                        shortcut: "e",
                        icon: icon(Archive),
                        onSelect: () => {},
                    },
                    {
                        id: "s1",
                        group: "Sessions",
                        label: "Going concern of a subsidiary",
                        hint: "Done, 42 of 42 verified",
                        icon: icon(FileText),
                        onSelect: () => {},
                    },
                ]}
            />
            <ConfirmHost />
            <Toasts />
        </div>
    );
}

applyAppearance();
const place = document.getElementById("app");
if (place !== null) {
    createRoot(place).render(
        <TooltipProvider>
            <Gallery />
        </TooltipProvider>,
    );
}
