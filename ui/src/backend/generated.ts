// Generated from the table of commands: `npm run types` writes it again. Do not edit.

/** What an answer does. */
export type Action = {
    do: "proceed";
} | {
    do: "skip";
    /** The stage. */
    stage: StageId;
} | {
    do: "amend";
} | {
    do: "retry";
} | {
    do: "raise";
    /** The new budget. */
    budget: Budget;
} | {
    do: "again";
} | {
    do: "certify";
} | {
    do: "permit";
} | {
    do: "refuse";
} | {
    do: "hand_over";
} | {
    do: "go_on";
} | {
    do: "cancel";
};

/** One thing to do. */
export type AgendaItem = {
    /** The gap, contradiction, lead or question. */
    id: ItemId;
    /** Where it comes from. */
    kind: AgendaKind;
    /** 1 (nice to have) to 10 (a contradiction); 0 for what a mission before left open. */
    priority: number;
    /** The capability that it needs. */
    capability: string;
    /** SHA-256 of its question as it is compared, and of the ids of what it is about with their versions: equal where nothing that touches it has changed. */
    fingerprint: Digest;
    /** Items that have to be done first. */
    depends_on?: ItemId[];
    /** How far it is. */
    status: AgendaStatus;
};

/** Where an item of the agenda comes from. */
export type AgendaKind = "question" | "gap" | "contradiction" | "lead";

/** How far an item of the agenda is. */
export type AgendaStatus = "pending" | "tried" | "done" | "dropped";

/** The files of an agent that can be edited as text. */
export type AgentFiles = {
    /** Whether they are the user's own; shipped ones are copied before they are edited. */
    own: boolean;
    /** The files by their paths in the agent's folder: `AGENT.md`, `config.json`, `prompts/…`, `schemas/…`. */
    files: PromptText[];
};

/** How well an agent's runs were foreseen. */
export type AgentForecasts = {
    /** The agent's slug. */
    agent: string;
    /** Its name for people. */
    title: string;
    /** Finished runs that had a forecast. */
    runs: number;
    /** How many of them were forecast from earlier runs. */
    from_history: number;
    /** The part of those that used what lies between low and high. */
    coverage: number | null;
    /** The median of what was used over what was likely. */
    median_ratio: number | null;
};

/** Makes an agent in the workspace. */
export type AgentMake = {
    /** Its name; its folder name follows from it. */
    name?: string;
    /** The agent that is copied; without one the new agent has instructions alone. */
    from?: string | null;
};

/** An agent in a list. */
export type AgentRow = {
    /** Its folder name. */
    slug: string;
    /** Its name. */
    name: string;
    /** What it does. */
    description: string;
    /** The slug of the agent that it is a part of. */
    partOf?: string | null;
    /** How many stages it has. */
    stages: number;
    /** Its default depth. */
    defaultDepth: string | null;
    /** Depths that it knows, the shallowest first. */
    depths: string[];
    /** Its default knowledge base. */
    defaultCorpus: string | null;
    /** Whether it needs a knowledge base. */
    needsCorpus: boolean;
    /** Questions that show what it can do. */
    examples: string[];
    /** The JSON Schema of what its runs are given besides the question, where they are given anything. */
    inputSchema?: unknown;
    /** Whether its runs can take over results from the files of an earlier run. */
    adopts?: boolean;
    /** Whether the shipped one is used; otherwise the person's. */
    shipped: boolean;
    /** Its `icon.svg` or `icon.png` as a data URL. */
    icon?: string | null;
    /** What is wrong with it; it can run when this is empty. */
    problems: FileProblem[];
};

/** An agent's folder name. */
export type AgentSlug = string;

/** A stage of an agent. */
export type AgentStage = {
    /** Its id. */
    id: string;
    /** Its name. */
    name: string;
    /** Its title. */
    title: string;
    /** What it does. */
    kind: StageKind;
    /** Stages that it waits for. */
    dependsOn: string[];
    /** Whether it pauses for the person. */
    pauses: boolean;
    /** When it runs, where it does not always. */
    when: string | null;
    /** Tools that it calls. */
    tools: string[];
    /** The most repairs of the unit it belongs to; 0 for none. */
    maxIterations: number;
};

/** An agent. */
export type AgentView = {
    /** The agent. */
    agent: AgentRow;
    /** Its introduction for people, Markdown. */
    about: string;
    /** Its stages, in order. */
    stages: AgentStage[];
    /** Sources that it uses, and whether it needs them. */
    sources: string[];
    /** Depth settings by name. */
    depthModes: unknown;
    /** Thresholds of verification by axis. */
    thresholds: unknown;
    /** Its prompts. */
    prompts: PromptText[];
    /** Its configuration as it stands. */
    config: unknown;
    /** The folder where the person's own version would stand or stands. */
    folder: string;
};

/** A line, told by its own text and that around it. */
export type Anchor = {
    /** The file, below the checkout. */
    path: string;
    /** Which file. */
    side: Side;
    /** The line's number when it was commented, from 1. */
    line: number;
    /** Its text, without spaces around it. */
    text: string;
    /** The lines before it, the nearest last. */
    before: string[];
    /** The lines after it. */
    after: string[];
};

/** What a model call gave. */
export type Answer = {
    verdict: "valid";
    /** The value, as a blob. */
    output: Digest;
    /** Names of fields that the schema does not know; the value is without them. */
    left_out?: string[];
} | {
    verdict: "invalid";
    /** The raw text, as a blob. */
    text: Digest;
    /** What the validator found. */
    errors: string[];
};

/** What became of a reply. */
export type Answered = {
    result: "accepted";
    /** The choice it was taken for. */
    choice: string;
} | {
    result: "still_open";
    /** What each choice would do. */
    message: string;
    /** Words of the reply that would go along with a choice. */
    words?: string | null;
};

/** A pause with what was decided. */
export type AnsweredPause = {
    /** What was shown and asked. */
    form: Form;
    /** What was decided. */
    decision: Decision;
    /** The label of the choice. */
    label: string;
    /** When, in milliseconds since 1970. */
    at: number;
    /** Whether the stage's output was edited. */
    edited: boolean;
};

/** What comparing the newest answers of all sessions with the knowledge bases gave. */
export type AnswersCheck = {
    /** Answers that were compared: those that cite a base which has another generation than when it was compared last. */
    compared: number;
    /** Sessions whose newest answer rests on text that was changed or withdrawn. */
    stale: number;
};

/** What the program is and where it keeps things. */
export type AppInfo = {
    /** Its version. */
    version: string;
    /** The data directory. */
    home: string;
    /** The folder of log files. */
    logs: string;
    /** The operating system and machine. */
    platform: string;
    /** Bytes of the database. */
    databaseBytes: number;
    /** Bytes of all knowledge bases. */
    knowledgeBytes: number;
    /** Sessions, deleted ones left out. */
    sessions: number;
    /** Runs being driven now. */
    liveRuns: number;
    /** Milliseconds since the core was opened. */
    upMs: number;
};

/** A request for permission. */
export type Approval = {
    /** Why it is asked. */
    why: string;
    /** What would happen. */
    preview: Preview;
    /** Its arguments. */
    arguments: unknown;
    /** What may be granted, the narrowest first. */
    offers: Offer[];
};

/** What the person says to a request for permission. */
export type ApprovalVerdict = {
    verdict: "allow";
    /** Which of the offers, from 0. */
    offer: number;
} | {
    verdict: "deny";
    /** What the agent is told. */
    reason?: string;
};

/** A file that goes with a message, kept in the session's folder. */
export type Attachment = {
    /** Its file's name in the session's `attachments`. */
    id: string;
    /** The name that it had. */
    name: string;
    /** `image/png`, `application/pdf`, `text/plain`, … */
    mediaType: string;
    /** Bytes. */
    bytes: number;
    /** Told to the person: that it was cut or made smaller. */
    note?: string | null;
    /** Its pages, where it was read as a document that has them. */
    pages?: number | null;
};

/** A file to attach: of a path, or its bytes. */
export type AttachmentAdd = {
    /** The session; absent: a new one is begun with the message. */
    session?: string | null;
    /** Its name. */
    name?: string;
    /** Its path on this machine. */
    path?: string | null;
    /** Its bytes in base64; at most 20 MiB of bytes. */
    data?: string | null;
    /** Whether it goes with a question that a run answers: then it has to be text or a document that can be read. */
    read?: boolean;
};

/** An attachment's content for a preview. */
export type AttachmentView = {
    /** It. */
    attachment: Attachment;
    /** Its bytes in base64. */
    data: string;
};

/** One attempt at a task: a worktree with a branch. */
export type Attempt = {
    /** Its number, from 1. */
    number: number;
    /** What it is for, in a word. */
    label: string;
    /** Its branch. */
    branch: string;
    /** Its folder. */
    folder: string;
    /** Whether it goes on, or how it ended. */
    state: AttemptState;
    /** Whether its worktree is still being made; where nobody does that any more, [`crate::Worktrees::finish`] does. */
    unfinished?: boolean;
    /** The runs that have worked on it, oldest first. */
    runs?: TaskRun[];
    /** Files of the person's checkout that were copied. */
    included: IncludeResult;
    /** The set-up, if it was run. */
    setup: CommandResult | null;
    /** Save points, oldest first. */
    savepoints: Savepoint[];
    /** Runs of the checks, oldest first. */
    checks: CheckRun[];
    /** Comments on its changes. */
    comments: Comment[];
    /** What it held when its worktree was removed. */
    kept: KeptRef | null;
    /** Where it was merged. */
    merged: MergeRecord | null;
};

/** Another attempt at a task. */
export type AttemptAdd = {
    /** The task. */
    task: TaskId;
    /** What it is for, in a word. */
    label?: string;
    /** Whether the set-up is left for later. */
    no_setup?: boolean;
};

/** The end of an attempt without a merge. */
export type AttemptEnd = {
    /** The attempt. */
    attempt: AttemptId;
    /** How. */
    ending: Ending;
};

/** An attempt of a task. */
export type AttemptId = {
    /** The task. */
    task: TaskId;
    /** The attempt's number, from 1. 0 is the chosen one, or the only one that is open. */
    attempt?: number;
};

/** Whether an attempt goes on, or how it ended. */
export type AttemptState = "open" | "merged" | "kept" | "discarded";

/** An attempt as it is now. */
export type AttemptView = {
    /** Its number. */
    number: number;
    /** Whether its folder is there as a worktree. */
    folder_there: boolean;
    /** Changes since the base. */
    stat: DiffStat;
    /** Files that are not committed. */
    uncommitted: number;
    /** What the checks say. */
    verdict: TaskVerdict;
    /** What could not be read. */
    problem?: string | null;
};

/** A decision that was made. */
export type AuditRow = {
    /** Continues a list. */
    cursor: number;
    /** When, in milliseconds since 1970. */
    at: number;
    /** The session. */
    session: string;
    /** The turn or run. */
    run: string;
    /** The source's slug; empty for what is built in. */
    source: string;
    /** The tool. */
    tool: string;
    /** The mode. */
    mode: Mode;
    /** `allowed`, `asked`, `granted`, `denied` or `refused`. */
    decision: string;
    /** By what. */
    by: string;
    /** What it was about: a command, a path, an address. */
    subject: string;
};

/** As whom a connection asks. */
export type Auth = {
    kind: "none";
} | {
    kind: "key";
    /** The environment variable to read it from, at every request anew. */
    env?: string | null;
} | {
    kind: "bearer";
    /** The environment variable to read it from. */
    env?: string | null;
} | {
    kind: "oauth";
    /** How tokens are fetched and renewed. */
    service: OauthService;
} | {
    kind: "workload_identity";
    /** The file that the platform keeps fresh. */
    tokenFile: string;
    /** Where it is exchanged (RFC 7523 jwt-bearer grant). */
    tokenUrl: string;
    /** Further fields of the exchange, as the provider names them. */
    fields?: { [key: string]: string };
};

/** A label that a rule found. */
export type AutoMatch = {
    /** What the session gets: `bug`, `due::2026-05-01`. */
    entry: string;
    /** Where it was found, in bytes. */
    at: Span;
    /** What was found there. */
    text: string;
};

/** A rule of a label. */
export type AutoRule = {
    /** A regular expression; its groups are what the value is made of. */
    pattern: string;
    /** `i`: whatever the case; `m`: `^` and `$` at every line; `s`: a dot is a line break, too; `g` and `u` are always on. Without flags: `gi`. */
    flags?: string | null;
    /** The value, with `$1` for the first group and so on. Without it: the first group, else all that was found. */
    valueTemplate?: string | null;
    /** What the rule finds, for people. */
    description?: string | null;
};

/** Something that an automation did. */
export type AutomationDone = {
    /** The automation. */
    id: string;
    /** When, in milliseconds since 1970. */
    at: number;
    /** How long it took, in milliseconds. */
    ms: number;
    /** What it waited for. */
    event: string;
    /** `done`, `failed`, `vetoed`, `refused`, `waiting` (another attempt), `missed` or `would` (nothing was done). */
    outcome: string;
    /** The same in a sentence. */
    detail: string;
    /** The session that it began or wrote to. */
    session: string | null;
    /** The turn or run that it began. */
    run: string | null;
};

/** Enables an automation, or takes that back. */
export type AutomationEnable = {
    /** Its id. */
    id: string;
    /** Whether it may do what it says. */
    on: boolean;
    /** Of what the person saw; needed to enable it. Another one by now is refused. */
    digest?: string;
};

/** Fires an automation now. */
export type AutomationFire = {
    /** Its id. */
    id: string;
    /** Whether it is only said what would happen. */
    dry?: boolean;
    /** Of what the person saw: needed to fire one that is not enabled. */
    digest?: string;
    /** The session that it happens in. */
    session?: string | null;
};

/** Asks for what automations did. */
export type AutomationHistory = {
    /** Only of this one. */
    id?: string | null;
    /** The most rows; at most 1,000, 0 for 100. */
    limit?: number;
};

/** The automations of a workspace. */
export type AutomationPage = {
    /** They, in the file's order. */
    automations: AutomationRow[];
    /** The file. */
    path: string;
    /** What is wrong with the file as a whole; then what it last said holds. */
    problems: string[];
    /** The time zone of those that name none. */
    zone: string;
    /** Whether schedules are looked at now: as long as a window or a server is open. */
    awake: boolean;
};

/** An automation. */
export type AutomationRef = {
    /** Its id. */
    id: string;
};

/** An automation in a list. */
export type AutomationRow = {
    /** Its id. */
    id: string;
    /** Its name for people. */
    title: string;
    /** What it waits for; absent where this program has no such event. */
    event: Event | null;
    /** The same as the file has it. */
    eventName: string;
    /** When it fires, in words. */
    when: string;
    /** What it may do, a sentence for each action. */
    may: string[];
    /** How it stands. */
    state: AutomationState;
    /** When it is due next, in milliseconds since 1970; absent where it is not enabled or waits for something else. */
    next: number | null;
    /** Its time zone. */
    zone: string;
    /** What is wrong with it. */
    faults: Fault[];
    /** What it did last. */
    last: AutomationDone | null;
};

/** An automation to keep. */
export type AutomationSave = {
    /** Which one it takes the place of; without it a new one. */
    id?: string | null;
    /** What it waits for. */
    event: Event;
    /** What it says, as the file has it. */
    entry: unknown;
};

/** How an automation stands. */
export type AutomationState = "enabled" | "disabled" | "changed" | "off" | "broken";

/** An automation with all that it says. */
export type AutomationView = {
    /** As in the list. */
    row: AutomationRow;
    /** As the file has it. */
    entry: unknown;
    /** Of what it says; enabling it needs it. */
    digest: string;
    /** The mode of what it begins. */
    mode: Mode;
    /** What becomes of times that came while the program was not open. */
    missed: MissedPolicy;
    /** When it would be due next, in milliseconds since 1970; at most five. */
    times: number[];
    /** What its matcher is held against. */
    subject: string;
    /** What it did, newest first; at most 20. */
    history: AutomationDone[];
};

/** One axis of verification. */
export type AxisRow = {
    /** `citation`, `entity`, `relation` or `contradiction`. */
    axis: string;
    /** Checks that held, where they were counted. */
    held: number | null;
    /** Checks made, where they were counted. */
    checked: number | null;
    /** 0 to 1. */
    score: number;
    /** The least score, where one is set. */
    threshold: number | null;
};

/** How a session of a backup stands to the present. */
export type BackupDifference = "same" | "newer" | "gone" | "added";

/** How often a backup is made by itself. */
export type BackupEvery = "off" | "daily" | "weekly";

/** Why a backup was made. */
export type BackupKind = "manual" | "scheduled" | "replaced";

/** All backups. */
export type BackupList = {
    /** The folder of new ones. */
    folder: string;
    /** The backups, newest first. */
    backups: BackupRow[];
    /** What takes the place of the data when the program starts next, in words. */
    due: string | null;
    /** When the next one is made by itself, in milliseconds since 1970. */
    next: number | null;
};

/** How a backup is made. */
export type BackupNow = {
    /** The folder that it goes below; without it the one that is set. */
    folder?: string | null;
    /** Whether knowledge bases go into it; without it as it is set. */
    bases?: boolean | null;
};

/** A backup by its name in the list, or its folder; empty for the newest. */
export type BackupRef = {
    /** The name or folder. */
    backup?: string;
};

/** How a backup is restored. */
export type BackupRestore = {
    /** Its name in the list, or its folder; empty for the newest. */
    backup?: string;
    /** Only these sessions; each gets an id of its own where one of that id is there. Empty: everything. */
    sessions?: string[];
    /** Whether the vault is restored, too. Otherwise the present one stays. */
    vault?: boolean;
    /** Gives up what is due at the next start, and nothing else. */
    giveUp?: boolean;
};

/** A backup in the list. */
export type BackupRow = {
    /** Its name. */
    name: string;
    /** Its folder. */
    path: string;
    /** Why it was made. */
    kind: BackupKind;
    /** Milliseconds since 1970. */
    at: number;
    /** The program's version that made it; may be empty. */
    version: string;
    /** The database's schema. */
    schema: number;
    /** Sessions in it. */
    sessions: number;
    /** Runs in it. */
    runs: number;
    /** Files in it, the database among them. */
    files: number;
    /** Bytes of its files. */
    bytes: number;
    /** Bytes that it shares with other backups. */
    shared: number;
    /** Why it can't be used. */
    problem: Problem | null;
};

/** A session as a backup and the present have it. */
export type BackupSession = {
    /** Its id. */
    session: string;
    /** Its title. */
    title: string;
    /** How it stands. */
    difference: BackupDifference;
    /** Milliseconds since 1970 of its last change in the backup; now, where only the present has it. */
    updatedAt: number;
    /** Runs in the backup. */
    runs: number;
    /** Runs now. */
    runsNow: number;
};

/** Backups that are made by themselves, in `settings.json`. */
export type BackupSettings = {
    /** How often. */
    every: BackupEvery;
    /** The folder, absolute; empty for `backups/snapshots` in the data directory. */
    folder: string;
    /** How many of those made by themselves are kept, 1 to 100. Others stay until they are removed. */
    keep: number;
    /** Whether knowledge bases go into them. What is unchanged since the backup before takes no room again. */
    bases: boolean;
};

/** What restoring a backup would change. */
export type BackupView = {
    /** The backup. */
    row: BackupRow;
    /** Sessions that differ, those gone first; at most 500. */
    differing: BackupSession[];
    /** Sessions that both have, unchanged. */
    same: number;
    /** Sessions that went on since. */
    newer: number;
    /** Sessions that only the backup has. */
    gone: number;
    /** Sessions that only the present has. */
    added: number;
    /** Files and folders that would be replaced. */
    replaces: string[];
    /** Whether it has a vault. */
    vault: boolean;
};

/** What to download as a base. */
export type BaseAdd = {
    /** A name of the catalog, or an address that begins with `https://`. */
    name: string;
    /** The base's name; needed for an address. */
    base?: string;
    /** Whether the person has accepted its licence. */
    accepted: boolean;
    /** The model for vectors; empty for none. */
    model?: string;
};

/** A paragraph's surroundings along cross-references. */
export type BaseGraph = {
    /** Paragraphs, the one in the middle first. */
    nodes: GraphNode[];
    /** Links between them. */
    edges: GraphEdge[];
    /** Whether there are more than are shown. */
    more: boolean;
};

/** Which paragraphs of a base to list. */
export type BaseParagraphs = {
    /** Its name. */
    base: string;
    /** Only of this document. */
    document?: string | null;
    /** How many are passed over. */
    after?: number;
    /** The most paragraphs; at most 200, 0 for 50. */
    limit?: number;
};

/** How the files of a base were read. */
export type BaseReading = {
    /** Files that were found. */
    found: number;
    /** Files of which nothing is in the base. */
    unread: UnreadFile[];
    /** What is doubtful or missing in the files that were read, at most 500. */
    notes: ReadingNote[];
    /** Notes beyond those. */
    more: number;
};

/** A knowledge base in a list. */
export type BaseRow = {
    /** Its name. */
    name: string;
    /** Its title. */
    title: string;
    /** `standard`, `guide`, `document`, `web` or `primer`. */
    tier: string;
    /** How its paragraphs are cited. */
    citation: string;
    /** Documents. */
    documents: number;
    /** Paragraphs. */
    paragraphs: number;
    /** Cross-references between paragraphs. */
    references: number;
    /** The generation that is current. */
    generation: string;
    /** When it was made, in milliseconds since 1970. */
    createdAt: number;
    /** Whether it ships with the program. */
    shipped: boolean;
    /** Its size on disk. */
    bytes: number;
    /** The model that made its vectors; none where it is searched by words alone. */
    vectors: string | null;
    /** Where it was downloaded from, where it was. */
    origin: string | null;
    /** Whether it is ingested again when its files change. */
    watched: boolean;
    /** Whether it is a published text, which every workspace has. */
    published?: boolean;
    /** The file or folder that it is made of, where it is one. */
    folder?: string | null;
    /** The slug of the workspace that shares it with this one; none for a base of its own and for published texts. */
    sharedBy?: string | null;
    /** The slugs of the workspaces that it is shared with. */
    sharedWith?: string[];
};

/** The run that another one repeats: what did not change is taken from it. */
export type BaseRun = {
    /** That run. */
    run: RunId;
    /** The cache key of its requests: where nothing changed, this run asks the same. */
    cache_key: string;
    /** A stage that runs again with all that depends on it, whether anything changed or not. */
    from?: StageId | null;
    /** What stands in place of stages' outputs, as blobs. */
    edits?: { [key: string]: Digest };
};

/** A search of one base. */
export type BaseSearch = {
    /** Its name. */
    base: string;
    /** The query. */
    text: string;
    /** The most hits; at most 100, 0 for 20. */
    limit?: number;
    /** How far references are followed, at most 2. */
    hops?: number;
};

/** What a workspace gives another one to read, or no longer. */
export type BaseShare = {
    /** The base's name. */
    base: string;
    /** The slug of the other workspace. */
    workspace: string;
    /** Whether it is shared from now on. */
    on: boolean;
};

/** A file or a document of a base. */
export type BaseSource = {
    /** Its name or title. */
    name: string;
    /** Paragraphs. */
    paragraphs: number;
    /** Bytes, for files. */
    bytes: number;
    /** The format, for files. */
    format: string;
    /** The rule set that was used, for files. */
    rules: string;
};

/** A knowledge base. */
export type BaseView = {
    /** The base. */
    base: BaseRow;
    /** The files it was made from. */
    sources: BaseSource[];
    /** Its documents with their numbers of paragraphs. */
    documents: BaseSource[];
    /** What it was made with the last time, to make it so again; none for one that ships with the program. */
    recipe: IngestRequest | null;
    /** Runs that have not ended and rest on it: without it they can't go on. */
    unfinished?: string[];
    /** What the last ingest could not read, or read with loss. */
    reading: BaseReading;
};

/** The most a run may spend. `None` is no limit. */
export type Budget = {
    /** Money. */
    cost?: NanoUsd | null;
    /** Tokens, input and output together. */
    tokens?: number | null;
    /** Active time in milliseconds; waiting for the person is not counted. */
    activeMs?: number | null;
};

/** A call's place: stage, attempt of the stage, wave, item. Results are keyed by it, never by arrival. */
export type CallKey = {
    /** The stage. */
    stage: StageId;
    /** Which attempt of the stage, from 1. */
    attempt: number;
    /** Which wave: tool steps from 0, then the model's. */
    wave: number;
    /** Which item of the wave, from 0. */
    item: number;
};

/** A call of a stage. */
export type CallRow = {
    /** `stage#attempt.wave.item`. */
    key: string;
    /** What it does, for a person. */
    title: string;
    /** Whether it asks a model. */
    model: boolean;
    /** How it stands. */
    status: CallState;
    /** Attempts. */
    tries: number;
    /** Milliseconds of the attempt that succeeded. */
    ms: number;
    /** Tokens used. */
    usage: Usage;
    /** Money used. */
    cost: NanoUsd;
    /** What was sent. */
    request: unknown;
    /** What came back. */
    output: unknown;
    /** Why it failed. */
    problem: Problem | null;
    /** What a flat rate paid for, as it would have cost by use. */
    equivalent?: NanoUsd;
    /** What went over the wire: method, address, headers without secrets, body. Absent where nothing left the machine. */
    wire?: unknown;
    /** The answer as the provider gave it: text, thinking, parts, usage, ids. */
    received?: unknown;
    /** The id under which the provider's support finds the request. */
    requestId?: string | null;
    /** The model that answered. */
    answeredBy?: string | null;
    /** Why the answer ended: `end_turn`, `max_tokens`, `refusal`, …. */
    stop?: string | null;
    /** Words of the draft that its answer goes on from, after it broke off. */
    continuedFrom?: number | null;
};

/** How a call of a stage stands. */
export type CallState = "planned" | "running" | "waiting" | "paused" | "unknown" | "completed" | "failed";

/** An entry that is not what it must be. */
export type CapsuleFault = {
    /** The entry's name; the archive's own directory or end where no entry is meant. */
    entry: string;
    /** What is wrong. */
    why: string;
};

/** A capsule to write: one run or turn with its evidence. */
export type CapsuleOptions = {
    /** The run or turn. */
    run: RunRef;
    /** The file, absolute; without it one in the session's folder. */
    path?: string | null;
    /** Whether the texts of cited paragraphs stay behind: their digests alone go along as evidence. */
    withoutTexts?: boolean;
    /** Whether the source documents of the cited paragraphs, and the files that went with its messages, go along. */
    withSources?: boolean;
};

/** What checking a capsule gave. */
export type CapsuleReport = {
    /** Whether everything holds. */
    holds: boolean;
    /** The run or turn. */
    run: string;
    /** The head of its chain, to be compared with the one in `answer.json`. */
    head: string;
    /** Runs and turns in it. */
    runs: number;
    /** Events that were folded and compared. */
    events: number;
    /** Steps that were computed again. */
    recomputed: number;
    /** Whether the engine ran again over the recorded answers and gave the same events; turns, and runs whose minutes ran out, are computed again only. */
    redriven: boolean;
    /** Documents whose bytes came out the same. */
    documents: number;
    /** Sentences whose citations were compared with the cited paragraphs. */
    sentences: number;
    /** Cited paragraphs in it. */
    paragraphs: number;
    /** Source documents and attachments in it. */
    sources: number;
    /** What does not hold, with the entry. */
    faults?: CapsuleFault[];
    /** Steps that could not be computed again, and why. */
    gaps?: string[];
};

/** A capsule that was written. */
export type CapsuleWritten = {
    /** The file. */
    path: string;
    /** The run or turn. */
    run: RunId;
    /** The head of its chain of hashes; `answer.json` has the same. */
    head: string;
    /** Bytes of the file. */
    bytes: number;
    /** Cited paragraphs in it. */
    paragraphs: number;
    /** Source documents and attachments in it. */
    sources: number;
    /** Values in it that look private. */
    private: number;
    /** What the person should know. */
    notes: string[];
};

/** Something that can be downloaded. */
export type CatalogEntry = {
    /** Its name. */
    name: string;
    /** Its title. */
    title: string;
    /** Who publishes it. */
    publisher: string;
    /** Its licence's name. */
    license: string;
    /** Where the licence is written. */
    licenseAddress: string;
    /** What the licence means, in a sentence. */
    licenseSummary: string;
    /** Its official addresses. */
    addresses: string[];
    /** Megabytes to download, where known. */
    megabytes: number | null;
    /** Whether it is here already. */
    installed: boolean;
};

/** Where sessions of a status are found. */
export type Category = "open" | "closed";

/** What became of a file. */
export type Change = "added" | "deleted" | "modified" | "renamed" | "type_changed";

/** A file that a turn changed. */
export type ChangedFile = {
    /** The file, absolute. */
    path: string;
    /** As people read it: relative to the session's first folder where it is in that. */
    shown: string;
    /** What the turn did, all in all. */
    did: FileChangeKind;
    /** Whether that was undone. */
    undone: boolean;
    /** Whether it can be undone, or done again. */
    standing: FileUndoState;
    /** The turn of the same session whose change stands in the way. */
    by: RunId | null;
    /** Why it can't be put back, or was not, in words; may be empty. */
    note: string;
    /** Its texts, where this file was asked for. */
    texts: FileTexts | null;
    /** Whether the command that this answers put it back; absent: it did not try. */
    done: boolean | null;
};

/** What a session has besides its runs and turns. */
export type ChatState = {
    /** What it is set to. */
    setup: SessionSetup;
    /** Messages that wait, the next one first. */
    queue: QueuedMessage[];
    /** Commands that go on in the background. */
    shells: ShellRow[];
};

/** What `doctor` finds. */
export type Check = {
    /** What was looked at. */
    name: string;
    /** How it is. */
    state: CheckState;
    /** What was found. */
    message: string;
    /** What to do. */
    action: string | null;
};

/** A command whose exit code 0 says that something is right. */
export type CheckCommand = {
    /** Its name, one of its kind. */
    name: string;
    /** A command line for the shell. */
    command: string;
    /** How long it may take. */
    timeoutSeconds: number;
};

/** How a check ended. */
export type CheckResult = {
    /** The check's name. */
    name: string;
    /** The command line. */
    command: string;
    /** Its exit code; 128 + n for signal n, nothing when it was ended for taking too long. */
    exit_code: number | null;
    /** Whether it was ended for taking too long. */
    timed_out: boolean;
    /** Its first and last words, output and errors together. */
    output: string;
    /** When it began, in milliseconds since 1970. */
    at: number;
    /** How long it took, in milliseconds. */
    ms: number;
};

/** All checks, run one after the other on one state of a worktree. */
export type CheckRun = {
    /** The tree that they were run on: tracked and untracked files, without ignored ones. */
    tree: string;
    /** The commit that was checked out. */
    head: string;
    /** When they began, in milliseconds since 1970. */
    at: number;
    /** Each check, in the order of the declaration. */
    results: CheckResult[];
};

/** How something is. */
export type CheckState = "ok" | "note" | "broken";

/** What makes a checkpoint. */
export type CheckpointCause = "run_started" | "stage_started" | "item_complete" | "words_written" | "stage_complete" | "stage_skipped" | "check_passed" | "check_failed" | "repair_started" | "repair_ended" | "error" | "paused" | "decided" | "suspended" | "continued" | "run_complete" | "run_failed";

/** How work is gone on with from a checkpoint. */
export type CheckpointResume = {
    how: "run";
} | {
    how: "stage";
    /** The stage. */
    stage: StageId;
};

/** A moment of a run whose state is kept: what is done by then is not done again. */
export type CheckpointRow = {
    /** The number of its event in the log. */
    seq: number;
    /** When, in milliseconds since 1970. */
    at: number;
    /** What made it. */
    trigger: CheckpointCause;
    /** The stage, or the gate, by its title. */
    title?: string | null;
    /** The item of the stage. */
    item?: string | null;
    /** How many words of an answer had been written, where that made it. */
    words?: number | null;
    /** The digest of the log up to there, which the state is computed from. */
    digest: Digest;
    /** How the work can be gone on with from there. */
    resume?: CheckpointResume | null;
};

/** How a child run ended, for the stage that it works for. */
export type ChildEnd = {
    ended: "gated";
    /** The value, as a blob. */
    output: Digest;
} | {
    ended: "asks";
    /** What it said, as a blob. */
    said: Digest;
} | {
    ended: "waits";
    /** The pause's form, as a blob. */
    form: Digest;
} | {
    ended: "interrupted";
} | {
    ended: "short";
    /** What its next call needs. */
    needed: Reserve;
    /** Whether it is the time that is used up. */
    out_of_time?: boolean;
} | {
    ended: "failed";
    /** Why. */
    problem: Problem;
};

/** A run of another agent that carries out a call of a stage. */
export type ChildRow = {
    /** Its id; absent while it has not begun. */
    run?: RunId | null;
    /** Its agent's name, and its item's where the stage names them. */
    title: string;
    /** How the call stands. */
    status: CallState;
};

/** What a choice does. */
export type ChoiceAction = "proceed" | "skip" | "amend" | "cancel";

/** A quote that a claim or a relation rests on. */
export type Citation = {
    /** Its id. */
    id: ItemId;
    /** The claim or relation. */
    of: ItemId;
    /** The source. */
    source: ItemId;
    /** The words of the source. */
    quote: string;
    /** The paragraph that holds them. */
    paragraph?: string | null;
    /** The page that holds them, from 1. */
    page?: number | null;
    /** What checking found. */
    verdict: SentenceVerdict;
    /** How far code alone could carry it. */
    proof: Proof;
    /** The invocation that cited it. */
    by: string;
};

/** One citation of a sentence. */
export type CitationRecord = {
    /** The citation as the answer wrote it. */
    source_ref: string;
    /** The base that it was looked up in. */
    base: string;
    /** That base's generation. */
    generation: string;
    /** The paragraph, where it exists. */
    paragraph_id?: string | null;
    /** The file that holds it. */
    document?: SourceDocument | null;
    /** SHA-256 of the paragraph's text. */
    paragraph_sha256?: Digest | null;
    /** The quote's first character in the paragraph's text and the one after its last, counted from 0. */
    range?: unknown[] | null;
    /** The page on which the quote begins, where the file has pages. */
    page?: number | null;
    /** How a reader finds the quote, where the citation says less: its file, the item that holds it, its pages. */
    label?: string | null;
    /** The words that were compared: the quote given for the sentence, else the sentence's own where they stand there. */
    quote: string;
    /** What comparing found. */
    verdict: Verdict;
    /** How. */
    method: Method;
    /** Why, in a sentence. */
    reason: string;
};

/** A cited paragraph. */
export type CitationRow = {
    /** Its number in the document, from 1. */
    number: number;
    /** What the text calls it: `ISA 320.10`, or its file and the place in it (`retention.pdf, page 3`). */
    label: string;
    /** The paragraph's id in the knowledge base; empty when it is unknown. */
    paragraph: string;
    /** What the document quotes from it. */
    quotes: string[];
    /** What it was cited for. */
    claims: string[];
    /** The weakest verdict on it. */
    verdict: Verdict;
    /** Why, in words. */
    reason: string;
    /** Its text as it was cited. */
    text: string;
};

/** A citation with its source. */
export type CitedSource = {
    /** The citation. */
    citation: Citation;
    /** The source. */
    source: Source;
};

/** A statement with its citations. */
export type Claim = {
    /** Its id. */
    id: ItemId;
    /** The statement as it is compared. */
    key: string;
    /** The statement. */
    text: string;
    /** Other wordings of it. */
    wordings: string[];
    /** What it says of the world. */
    kind: ClaimKind;
    /** Whether it is true as of a time. */
    dated: boolean;
    /** The entities that it is about. */
    entities: ItemId[];
    /** The questions and gaps that it answers. */
    answers: ItemId[];
    /** What it rests on. */
    citations: ItemId[];
    /** How far it is. */
    status: ClaimStatus;
    /** Whether the user keeps it: it is neither replaced nor disputed. */
    pinned: boolean;
    /** Why the user rejected it. */
    rejected?: string | null;
    /** How sure it is, in millionths. */
    confidence: number;
    /** What the confidence is made of. */
    parts: ConfidenceParts;
    /** The invocation that found it first. */
    by: string;
    /** How often its text, citations or status changed. */
    revision: number;
};

/** What a claim says of the world. */
export type ClaimKind = "fact" | "estimate" | "definition" | "opinion";

/** A claim that the user rejects. */
export type ClaimRejection = {
    /** The claim. */
    claim: ItemId;
    /** Why, in the user's words. */
    why: string;
};

/** How far a claim is. */
export type ClaimStatus = "unsupported" | "supported" | "disputed" | "rejected" | "superseded";

/** What can be cleaned up. */
export type CleanKind = "free" | "trash" | "undo" | "orphans" | "attachments" | "exports" | "cache" | "copies" | "rewrite";

/** What was cleaned up, or would be. */
export type Cleaned = {
    /** What. */
    what: CleanKind;
    /** How many things. */
    count: number;
    /** Bytes that it freed, or is likely to. */
    bytes: number;
    /** What could not be done, in words; may be empty. */
    note: string;
};

/** Why a gap is closed. There is no other way to close one. */
export type Closing = {
    by: "evidence";
    /** The claims; at least one. */
    claims: ItemId[];
} | {
    by: "person";
    /** In the user's words. */
    reason: string;
} | {
    by: "superseded";
    /** That gap. */
    other: ItemId;
} | {
    by: "moot";
    /** That question or claim. */
    of: ItemId;
};

/** A task. */
export type CodingTask = {
    /** Its id. */
    id: TaskId;
    /** What it is about. */
    title: string;
    /** The slug of the workspace that it is of; records of earlier versions name none. */
    workspace?: string | null;
    /** What is to be true when it is done. */
    description?: string;
    /** The person's checkout that it was begun in, or the bare repository. */
    repository: string;
    /** The folder that all worktrees of the repository share. */
    common: string;
    /** The base as it was named. */
    base: string;
    /** The commit that the base was at the start. It never changes. */
    base_commit: string;
    /** The branch that the task is to be merged into; `None` when it began on no branch. */
    target: string | null;
    /** When it began, in milliseconds since 1970. */
    created: number;
    /** Set-up and checks as they were at the base. */
    commands: TaskCommands;
    /** The run that began it, where one did. */
    origin?: TaskRun | null;
    /** The attempts. */
    attempts: Attempt[];
    /** The attempt that was chosen. */
    chosen: number | null;
    /** What can be undone, the last one first to go. */
    undo: UndoEntry[];
};

/** Light, dark, or as the desktop has it. */
export type ColorMode = "system" | "light" | "dark";

/** A colour: one of the theme's by name, with an opacity in percent or without (`info`, `foreground/50`), or two of one's own (hex, `rgb()`, `hsl()`, `oklch()`). */
export type Colour = string | {
    /** On light ground. */
    light: string;
    /** On dark ground. */
    dark?: string | null;
};

/** How a command ended. */
export type CommandResult = {
    /** The command line. */
    command: string;
    /** Its exit code; 128 + n for signal n, nothing when it was ended for taking too long. */
    exit_code: number | null;
    /** Whether it was ended for taking too long. */
    timed_out: boolean;
    /** Its first and last words, output and errors together. */
    output: string;
    /** When it began, in milliseconds since 1970. */
    at: number;
    /** How long it took, in milliseconds. */
    ms: number;
};

/** Acceptance of a project's set-up and checks. */
export type CommandsApprove = {
    /** A folder of the repository, absolute. */
    folder: string;
    /** What is accepted, as it was shown. */
    commands: TaskCommands;
};

/** A comment on a line. */
export type Comment = {
    /** Its number in the attempt, from 1. */
    number: number;
    /** The line. */
    anchor: Anchor;
    /** What is said about it. */
    text: string;
    /** Whether something is still to be done. */
    state: CommentState;
    /** When it was made, in milliseconds since 1970. */
    at: number;
    /** The run that it was sent to. */
    run?: string | null;
};

/** What a new comment is made of. */
export type CommentAdd = {
    /** The task. */
    task: TaskId;
    /** The attempt's number, from 1. 0 is the chosen one, or the only one that is open. */
    attempt?: number;
    /** The file, below the checkout. */
    path: string;
    /** Which file. */
    side?: Side;
    /** The line, from 1. */
    line: number;
    /** What is said about it. */
    text: string;
};

/** Where a commented line is now. */
export type CommentPlace = {
    /** What became of it. */
    placement: Placement;
    /** The file. */
    path: string;
    /** The line, from 1; `None` when it is gone. */
    line: number | null;
};

/** Whether something is still to be done about a comment. */
export type CommentState = "open" | "sent" | "resolved";

/** What is to be said of comments. */
export type CommentsSet = {
    /** The attempt. */
    attempt: AttemptId;
    /** Their numbers. */
    numbers: number[];
    /** Whether something is still to be done about them. */
    state: CommentState;
};

/** One of two runs. */
export type ComparedRun = {
    /** Its id. */
    run: RunId;
    /** Its session. */
    session: string;
    /** Its agent. */
    agent: string;
    /** The question. */
    request: string;
    /** The depth it ran with; absent where its agent has none. */
    depth: string | null;
    /** The connection. */
    connection: string;
    /** The model. */
    model: string;
    /** The knowledge base it read, with its generation. */
    corpus: string | null;
    /** How it ended. */
    status: RunStatus;
    /** Milliseconds since 1970. */
    createdAt: number;
    /** Money used. */
    cost: NanoUsd;
    /** What a flat rate paid for. */
    equivalent: NanoUsd;
    /** Tokens used. */
    usage: Usage;
    /** Active milliseconds. */
    activeMs: number;
    /** The title of its document, where it has one. */
    document: string | null;
    /** What is known of the document's statements. */
    headline: Headline | null;
};

/** A statement of one of two documents. */
export type ComparedStatement = {
    /** Its number in its document. */
    n: number;
    /** Its words, without citations. */
    text: string;
    /** Its state; absent where the run kept no records. */
    state: StatementState | null;
    /** The state in words. */
    word: string;
    /** What it cites: ids of paragraphs, or the citation as it is written. */
    sources: string[];
    /** The same as its document shows it to a reader, such as a file and a page. */
    names: string[];
};

/** What fits at a caret. */
export type Completed = {
    /** What a completion replaces, in UTF-16 units. */
    replace: Span;
    /** The likeliest first. */
    items: Completion2[];
};

/** What completes a mention. */
export type Completion = {
    /** What it is. */
    kind: MentionKind;
    /** A slug, a label's id or a path relative to the first folder. */
    name: string;
    /** What a person reads. */
    title: string;
    /** One line on it. */
    detail: string;
};

/** Something that fits. */
export type Completion2 = {
    /** What it is. */
    kind: CompletionKind;
    /** What is put in place of [`Completions::replace`]. */
    insert: string;
    /** What it is called in the list. */
    label: string;
    /** One line about it. */
    about: string;
};

/** What a completion is. */
export type CompletionKind = "value" | "field" | "function" | "operator" | "word";

/** The parts of a confidence, in millionths. */
export type ConfidenceParts = {
    /** What the citations carry together. */
    support: number;
    /** What open contradictions take. */
    penalty: number;
    /** How many independent origins support it. */
    origins: number;
};

/** A file that is broken: what it last said when it was right is in use. */
export type ConfigProblemRow = {
    /** The workspace's slug; absent for files of the whole program. */
    workspace: string | null;
    /** What the file is part of: `settings`, `workspace`, `permissions`, `statuses`, `labels`, `views`, `automations`, `themes`, `agents`, `sources` or `skills`. */
    part: string;
    /** The file. */
    file: string;
    /** The line, from 1. */
    line: number | null;
    /** What is wrong. */
    message: string;
    /** What to do. */
    remedy: string | null;
    /** Whether an earlier version of it is in use. */
    kept: boolean;
};

/** What two claims differ in. */
export type ConflictKind = "number" | "unit" | "date" | "bound" | "modal" | "negation" | "name" | "stated";

/** A sentence of a paragraph that may say the opposite; for a reader, never a verdict. */
export type ConflictRecord = {
    /** `number`, `unit`, `date`, `bound`, `modal` or `negation`. */
    kind: string;
    /** The paragraph. */
    paragraph_id: string;
    /** Its sentence. */
    stated_in: string;
    /** The answer's side of the difference. */
    claimed: string;
    /** The paragraph's side. */
    stated: string;
};

/** A connection: where a model is asked, as whom, and which models. */
export type Connection = {
    /** Its name in commands and files: lower-case letters, digits and dashes. */
    slug: string;
    /** Its name for people; empty: the slug. */
    name?: string;
    /** The protocol it speaks. */
    provider: ProviderKind;
    /** The address below which the provider's paths stand; without it the provider's own. */
    baseUrl?: string | null;
    /** As whom it asks. */
    auth: Auth;
    /** The model that is used when nothing else is asked for. */
    defaultModel?: string | null;
    /** The model that judges whether sources support the statements of an answer. Without it a small one of the provider where the shipped table names one, else the run's own. */
    judgeModel?: string | null;
    /** Models that are known of it, the person's own words over what the provider's list says. */
    models?: ModelOverride[];
    /** Further headers of every request. Values may not be secrets: those belong into `auth`. */
    headers?: { [key: string]: string };
    /** Whether it is paid by a flat rate: costs are shown as an equivalent and count in no budget of money. */
    flatRate?: boolean;
    /** A file with certificates (PEM) that are trusted besides the system's, for companies that inspect traffic. */
    caFile?: string | null;
    /** A proxy's address; without it the environment's (`HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY`), `"none"` for none. */
    proxy?: string | null;
    /** The longest silence in a stream, in seconds; without it 120, and 600 for a machine of one's own. */
    silenceSeconds?: number | null;
    /** OpenAI Responses only: answers are made in the background (`background`), so that one that a crash or a broken line interrupted is fetched by its id instead of being paid twice. The provider stores requests and answers for it (`store`): leave it off where they may not be kept. */
    background?: boolean;
    /** Calls of this connection that are under way at once, over all runs and conversations; the others wait in their order. Without it 8, 2 for a server on this machine or in a private network, and 1 for an Ollama there. */
    maxParallelCalls?: number | null;
    /** The slugs of the workspaces that have it, its own first; empty for every one. In the others it does not exist. */
    workspaces?: string[];
};

/** A form for a new connection: which fields to ask for, and what to fill in. */
export type ConnectionPreset = {
    /** Its name: `anthropic`, `openai`, `openrouter`, `azure`, `ollama`, … */
    preset: string;
    /** Its name for people. */
    name: string;
    /** One line on it. */
    description: string;
    /** Where a key is made, as words and an address for people; empty where none is needed. */
    keyHint: string;
    /** The connection that it begins with. */
    connection: Connection;
    /** Whether the address must be filled in. */
    asksAddress: boolean;
    /** Whether a model must be named, because the host can't list them reliably. */
    asksModel: boolean;
    /** Whether a key is needed. */
    asksKey: boolean;
    /** An example of the address, where it must be filled in. */
    addressExample: string;
};

/** A connection in a list. */
export type ConnectionRow = {
    /** Its slug. */
    slug: string;
    /** Its name. */
    name: string;
    /** One line on it. */
    description: string;
    /** The protocol. */
    provider: ProviderKind;
    /** Where it asks: scheme, host and path; empty for the offline engine. */
    address: string;
    /** Whether it has what it presents itself with. */
    credential: CredentialState;
    /** The model that is used when nothing else is asked for. */
    defaultModel: string | null;
    /** Ids of its models, as last listed, else as the table and the person know them. */
    models: string[];
    /** Whether it is the workspace's default. */
    default: boolean;
    /** Whether it is part of the program and can't be changed or removed. */
    builtIn: boolean;
    /** Whether it is paid by a flat rate. */
    flatRate: boolean;
    /** What the last test said. */
    tested: ConnectionTest | null;
    /** Why it can't be used, where it can't. */
    problem: Problem | null;
    /** What is wrong with its entry in the file, where the last valid version of that is in use. */
    outdated?: Problem | null;
    /** The slugs of the workspaces that have it, its own first; empty for every one. */
    workspaces?: string[];
};

/** A connection to be kept, and what it presents itself with. */
export type ConnectionSave = {
    /** The connection. */
    connection: Connection;
    /** Its secret, to be put into the vault; without it the one there stays. */
    secret?: string | null;
    /** The slug it had before; without it a connection of this slug must be new or is replaced. */
    was?: string | null;
    /** Whether a connection of the same slug may be replaced. */
    replace?: boolean;
    /** Whether a new one is this workspace's alone. One that is there stays with those that have it. */
    private?: boolean;
};

/** Which workspaces have a connection. */
export type ConnectionShare = {
    /** Its slug. */
    slug: string;
    /** The slugs of the workspaces, this one among them; empty for every one. */
    workspaces: string[];
};

/** The verdict of a real request over a connection. */
export type ConnectionTest = {
    /** How it went. */
    verdict: TestVerdict;
    /** What happened, in words for a person. */
    message: string;
    /** What to do; empty when all is well. */
    action: string;
    /** The model that was asked. */
    model: string;
    /** Milliseconds until the first piece of the answer; 0 where none came. */
    firstMs: number;
    /** Milliseconds in all. */
    ms: number;
    /** Tokens that it used. */
    usage: Usage;
    /** The id under which the provider's support finds it. */
    requestId: string | null;
    /** When, in milliseconds since 1970. */
    at: number;
    /** Models that the provider listed; 0 where it has no list. */
    models: number;
};

/** A connection with everything about it. */
export type ConnectionView = {
    /** Its row. */
    row: ConnectionRow;
    /** Its configuration; `None` for a built-in one. */
    config: Connection | null;
    /** Its models. */
    models: ModelRow[];
    /** When its models were last listed, in milliseconds since 1970; `None`: the shipped table is shown. */
    listedAt: number | null;
    /** The day of the shipped table. */
    tableDate: string;
};

/** What a search found. */
export type ContentHits = {
    /** Sessions, the best first. */
    sessions: SessionHit[];
    /** Whether there are more. */
    more: boolean;
    /** What is wrong with the line; places are UTF-16 units. */
    mistakes: Mistake[];
    /** The line with words that exist, where one of its words does not. */
    meant: string | null;
    /** The line with words in place of those that hardly a text has, where far more is found with it. Shown is what the line itself finds. */
    suggested?: string | null;
    /** What fits at the caret. */
    completions: Completed;
};

/** A search over everything that was said. */
export type ContentQuery = {
    /** Words and filters, as in `label:bug "exact words" -not before:7d`. */
    line?: string;
    /** Only in this session. */
    session?: string | null;
    /** Only in this workspace. */
    workspace?: string | null;
    /** How many sessions are passed over. */
    after?: number;
    /** The most sessions; at most 100, 0 for 20. */
    limit?: number;
    /** The time zone's offset from UTC in minutes, for days; east is positive. */
    offsetMinutes?: number;
    /** Where the caret stands in the line, in UTF-16 units; with it, completions are given, and words of texts are not corrected. */
    caret?: number | null;
};

/** Two claims that can't both be true, as far as can be seen. */
export type Contradiction = {
    /** Its id. */
    id: ItemId;
    /** The claims, the older one first. */
    claims: ItemId[];
    /** What they differ in. */
    kind: ConflictKind;
    /** Each side's words of the difference, or what the finder says of it. */
    about: string;
    /** How far it is. */
    status: ContradictionStatus;
    /** The invocation that stated it, or `analysis`. */
    by: string;
};

/** How far a contradiction is. */
export type ContradictionStatus = {
    state: "open";
} | {
    state: "settled";
    /** How. */
    settlement: Settlement;
};

/** How full a turn left its conversation. */
export type ConversationFill = {
    /** Tokens of its last answer, input and output, as the provider counted them. */
    tokens: number;
    /** Whether what was said before the turn now stands in a summary. */
    summarised?: boolean;
};

/** A file that was copied into a worktree. */
export type CopiedFile = {
    /** The file, below the checkout. */
    path: string;
    /** The SHA-256 of what was copied. */
    sha256: string;
};

/** How many things of a kind met each fate. */
export type Counts = {
    /** As they were. */
    kept: number;
    /** Not as they were. */
    changed: number;
    /** Not there. */
    leftOut: number;
};

/** What of a tool's calls a grant covers. */
export type Covers = {
    covers: "any";
} | {
    covers: "arguments";
    value: Digest;
} | {
    covers: "command";
    value: string[];
} | {
    covers: "path";
    value: string;
} | {
    covers: "host";
    value: string;
} | {
    covers: "request";
    value: unknown[];
} | {
    covers: "stages";
    value: {
        /** The agent's slug. */
        agent: string;
        /** Tools by their names at the source. */
        tools: string[];
        /** What the stages did when it was given: as `agent::stages_digest` names it. Absent in grants of earlier versions, which say by name alone whose they are and cover nothing any more. */
        digest?: Digest | null;
    };
};

/** Whether a secret is there. Never the secret. */
export type CredentialState = "not_needed" | "stored" | "environment" | "missing" | "locked" | "expired";

/** How far a criterion is met. */
export type Criterion = {
    /** How it stands. */
    value: number;
    /** What it has to reach; of what may be left open, what it may not exceed. */
    target: number;
    /** Whether it does. */
    met: boolean;
};

/** What a wave did without: nothing, in most. */
export type Cut = {
    /** Items beyond the stage's `maxCalls`: no call was planned for them. */
    items?: number;
    /** Optional calls for which the budget left no room. */
    unaffordable?: number;
    /** Calls whose context did not fit, in their order. */
    contexts?: CutContext[];
};

/** A context that did not fit. */
export type CutContext = {
    /** Which call of the wave, from 0. */
    item: number;
    /** What was left out or cut, in words. */
    left_out: string[];
};

/** A check of the stored data, as a job whose warnings are the findings. */
export type DataCheck = {
    /** Whether every payload is read and compared with its digest; otherwise a sample. */
    full?: boolean;
    /** Whether a repaired database is prepared. It takes its place when the program starts next; the damaged one is kept. */
    repair?: boolean;
};

/** What is to be cleaned up. */
export type DataClean = {
    /** What. */
    what: CleanKind[];
    /** Whether it is only looked at what that would free. */
    preview?: boolean;
    /** Of folders without a session only these; empty: all. */
    names?: string[];
};

/** A part of the data with its size. */
export type DataPart = {
    /** What it is, in words. */
    name: string;
    /** Bytes on the disk. */
    bytes: number;
    /** What can make it smaller, where something can. */
    clean: CleanKind | null;
};

/** What takes space. */
export type DataSizes = {
    /** Bytes of the whole data directory; backups elsewhere are not counted. */
    total: number;
    /** Parts of the database. */
    database: DataPart[];
    /** Files beside it. */
    files: DataPart[];
    /** The largest sessions; at most 20. */
    largest: LargeSession[];
    /** Folders whose session is gone; at most 200. */
    orphans: OrphanFolder[];
};

/** The person's answer to a pause. */
export type Decision = {
    /** The choice's id. */
    choice: string;
    /** What it does. */
    action: Action;
    /** Free text. */
    text?: string | null;
    /** Answers by question. */
    answers?: { [key: string]: string };
    /** Whether the program answered for the person, as told beforehand. */
    unattended?: boolean;
    /** Whether the stage's output was edited with it: then the edit stands, and what was said guides later stages alone. */
    edited?: boolean;
    /** Why the program answered, where an automation did not let the run wait. */
    because?: string | null;
    /** Whether the run took it by itself because it is a follow-up: that goes on past a pause which only confirms a plan. */
    followUp?: boolean;
    /** When it was taken (ISO 8601). It is part of the answer: a run that is driven again has the same. */
    at?: string | null;
};

/** What a project declares for its tasks. */
export type DeclaredCommands = {
    /** Set-up and checks. */
    commands: TaskCommands;
    /** Whether you have accepted them. */
    approved: boolean;
};

/** A diagram to check. */
export type DiagramCheck = {
    /** Of this check. */
    id: string;
    /** The diagram's source. */
    text: string;
};

/** What checking a diagram found. */
export type DiagramVerdict = {
    /** Whether a page checked it; only pages can. */
    checked: boolean;
    /** Why it can't be drawn, where it can't. */
    problem: string | null;
};

/** Changes between two trees. */
export type Diff = {
    /** The commit or tree that is compared with. */
    from: string;
    /** The tree of the worktree. */
    to: string;
    /** The files, by path. */
    files: FileDiff[];
    /** Lines added in all files. */
    additions: number;
    /** Lines removed in all files. */
    deletions: number;
    /** Files beyond the most that are listed. */
    more_files: number;
};

/** A line of a hunk. */
export type DiffLine = {
    /** Whether it was changed. */
    kind: LineKind;
    /** Its number in the earlier file. */
    old?: number | null;
    /** Its number in the file. */
    new?: number | null;
    /** Its text without the line end; at most 2,000 bytes. */
    text: string;
    /** Whether it is the last one and has no line end. */
    no_newline?: boolean;
};

/** Which changes are asked for. */
export type DiffQuery = {
    /** The task. */
    task: TaskId;
    /** The attempt's number, from 1. 0 is the chosen one, or the only one that is open. */
    attempt?: number;
    /** Since when. */
    scope?: DiffScope;
    /** Only these files or folders; empty for all. */
    paths?: string[];
    /** Whether names and numbers are enough. */
    no_hunks?: boolean;
};

/** What is compared with the worktree as it is now. */
export type DiffScope = "base" | "uncommitted" | "last" | {
    savepoint: number;
};

/** How much an attempt changes. */
export type DiffStat = {
    /** Changed files. */
    files: number;
    /** Lines added. */
    additions: number;
    /** Lines removed. */
    deletions: number;
};

/** A place where something came out differently. */
export type Difference = {
    /** The run or turn whose log it is in. */
    run: RunId;
    /** The event's number; 0 for what concerns the whole log. */
    seq: number;
    /** Where: `analyze / call S1#1.0.0`, `pause p1`. */
    place: string;
    /** What: `request`, `output`, `verdict`, `form`, `decision`, … */
    what: string;
    /** As it is recorded. */
    recorded: string;
    /** As it comes out now. */
    recomputed: string;
};

/** A SHA-256 digest (FIPS 180-4), printed and serialised as 64 lower-case hexadecimal digits. */
export type Digest = string;

/** Which comes first. */
export type Direction = "asc" | "desc";

/** A document in a list of messages. */
export type DocumentCard = {
    /** Its title. */
    title: string;
    /** Verified citations. */
    verified: number;
    /** All citations. */
    total: number;
    /** Statements without support, and sentences without a source. */
    unsupported: number;
    /** Warnings. */
    warnings: string[];
    /** What is known of its statements; absent where the run kept no records. */
    headline: Headline | null;
};

/** That a person reviewed a document and stands by it as it is. */
export type DocumentLock = {
    /** Counted from 1 for each run; a lock that is taken back keeps its number. */
    version: number;
    /** Who reviewed it. */
    reviewer: string;
    /** A remark of theirs. */
    note?: string | null;
    /** When, in milliseconds since 1970. */
    at: number;
    /** SHA-256 of the document's text, in hexadecimal. */
    sha256: string;
    /** Whether the text is another one than was locked: this version of the program writes the document differently. */
    differs?: boolean;
    /** Sentences, by number, whose sources had changed already and that the reviewer accepted so. */
    accepted?: number[];
    /** When it was taken back. */
    removed?: number | null;
};

/** A document. */
export type DocumentText = {
    /** Markdown. Citations are links to `#cite-<number>`, where the number is that of [`CitationRow`]. */
    markdown: string;
    /** Self-contained HTML. */
    html: string;
    /** Its title. */
    title: string;
    /** Cited paragraphs by number. */
    citations: CitationRow[];
    /** Verified citations. */
    verified: number;
    /** All citations. */
    total: number;
    /** Sentences that checking found unsupported or that have no source. */
    unsupported: SentenceProblem[];
    /** What is known about each sentence, in order; empty where the run kept no records. */
    sentences: SentenceRecord[];
    /** Sentences by verdict, only those that occur. */
    sentenceCounts: SentenceCount[];
    /** The four axes of verification with their counts. */
    axes: AxisRow[];
    /** The statements of the answer, each with its state; empty where the run kept no records. */
    statements: StatementRow[];
    /** What is known of them in one line. */
    headline: Headline | null;
    /** What the run put together itself, where its agent names such a file: that is its document then, and the text above is the record of its statements. */
    main: MainDocument | null;
    /** Where the Markdown file is. */
    path: string | null;
};

/** Something typed and not sent. */
export type Draft = {
    /** Where it was typed: a session's id, `new`, or `<run>/<pause>`. */
    key: string;
    /** The text, or a form's fields as JSON. */
    text: string;
    /** Milliseconds since 1970. */
    updatedAt: number;
};

/** Whose earlier drafts. */
export type DraftKey = {
    /** Where it was typed. */
    key: string;
};

/** Where the text of a draft stands in its answer. */
export type DraftPlace = {
    place: "answer";
} | {
    place: "field";
    /** The field's name. */
    name: string;
};

/** An answer that is not there yet, as far as it was streamed. */
export type DraftRow = {
    /** The run that it is written in. */
    run: RunId;
    /** The stages and items that lead there, by their titles. */
    title: string;
    /** Its words. */
    words: number;
    /** Its text. */
    text: string;
};

/** How hard a model should think. */
export type Effort = "low" | "medium" | "high" | "max";

/** How an attempt ends without a merge. */
export type Ending = "keep" | "keep_branch" | "discard" | "discard_saved" | "choose" | "choose_saved";

/** An entity. */
export type Entity = {
    /** Its id. */
    id: ItemId;
    /** Its name as it is compared. */
    key: string;
    /** Its name. */
    name: string;
    /** Other names, in the order in which they were met. */
    aliases: string[];
    /** `person`, `organisation`, `standard` …; may be empty. */
    kind: string;
    /** One sentence about it; may be empty. */
    description: string;
    /** How often something about it changed. */
    revision: number;
};

/** A thing that a sentence names. */
export type EntityRecord = {
    /** `number`, `date`, `term`, `defined_term` or `standard`. */
    kind: string;
    /** As the sentence writes it. */
    text: string;
    /** The cited paragraph that holds it. */
    found_in?: string | null;
};

/** Every kind of failure that a surface (terminal, window, other program) can be told of. */
export type ErrorCode = "invalid_input" | "not_found" | "conflict" | "invalid_config" | "busy" | "newer_data" | "storage" | "corrupt" | "source" | "provider" | "invalid_answer" | "context_too_long" | "budget" | "deadline" | "permission" | "cancelled" | "internal";

/** Something that happens. Those named `before` may be vetoed. */
export type Event = "tick" | "app_started" | "session_before" | "session_created" | "session_archived" | "status_changed" | "label_added" | "label_removed" | "flag_changed" | "mode_changed" | "turn_before" | "turn_after" | "tool_before" | "tool_after" | "tool_failed" | "run_before" | "run_after" | "run_finished" | "run_failed" | "pause_before" | "run_paused" | "pause_after" | "stage_before" | "stage_after";

/** A piece of a text. */
export type Excerpt = {
    /** The piece. */
    text: string;
    /** Whether it is one of the words. */
    hit: boolean;
};

/** How a run left the engine. */
export type Exit = "completed" | "paused" | "failed" | "cancelled";

/** What a session or a run is exported as. */
export type ExportFormat = "markdown" | "html" | "docx" | "pdf" | "csv" | "xlsx" | "jsonl";

/** What leaves, and how. */
export type ExportOptions = {
    /** Ids of sessions. */
    sessions?: string[];
    /** All sessions of the workspace, those in the archive too. */
    all?: boolean;
    /** Sessions that fit this search line. */
    line?: string | null;
    /** In which form. */
    format?: TransferFormat;
    /** Whether what looks like a secret or names a person is taken out. Never in a bundle: it would not be verifiable. */
    redact?: boolean;
    /** Ids of findings that stay all the same. */
    keep?: string[];
    /** The file, or with several files the folder; absent: in the data directory. */
    path?: string | null;
    /** Whether documents are exported as they were checked when they were made. */
    unchecked?: boolean;
    /** With a bundle: whether the workspace's own files go with it. */
    workspaceFiles?: boolean;
};

/** What would leave. */
export type ExportPreview = {
    /** How many sessions. */
    sessions: number;
    /** How many messages. */
    messages: number;
    /** What would be taken out. */
    findings: Finding[];
    /** How many more occurrences there are than are listed. */
    more: number;
    /** What the person should know: that the vault is locked, for example. */
    notes: string[];
};

/** What left. */
export type ExportWritten = {
    /** The file, or the folder with several. */
    path: string;
    /** How many files. */
    files: number;
    /** How many sessions. */
    sessions: number;
    /** Bytes of all files. */
    bytes: number;
    /** How many values were taken out. */
    redacted: number;
    /** What the person should know. */
    notes: string[];
};

/** An export. */
export type Exported = {
    /** A name for the file. */
    name: string;
    /** Where it was written, below the data directory. */
    path: string;
    /** Its text, where it is one and has at most 4 MiB. */
    text: string | null;
    /** Its bytes in base64, where it is no text and has at most 4 MiB. */
    data: string | null;
};

/** What became of something. */
export type Fate = "kept" | "changed" | "left_out";

/** Something that is wrong in an entry. */
export type Fault = {
    /** Where: a JSON pointer into the entry. */
    place: string;
    /** What. */
    message: string;
};

/** What a turn did to a file. */
export type FileChangeKind = "created" | "changed" | "removed";

/** The changes of a file. */
export type FileDiff = {
    /** Its path below the checkout. */
    path: string;
    /** Its earlier path, where it was renamed. */
    old_path?: string | null;
    /** What became of it. */
    change: Change;
    /** What it is. */
    kind: FileKind;
    /** Its earlier mode in octal digits, where it changed. */
    old_mode?: string | null;
    /** Its mode in octal digits, where it changed. */
    new_mode?: string | null;
    /** Lines added. */
    additions: number;
    /** Lines removed. */
    deletions: number;
    /** The changed places, in order. */
    hunks: Hunk[];
    /** Whether hunks were left out because the file or the whole is too large. */
    too_large: boolean;
};

/** A file of an agent or a skill as it is to be. */
export type FileEdit = {
    /** Its path in the folder. */
    name: string;
    /** Its text; at most 1 MiB. */
    text: string;
    /** The text that the edit was made on; without it the file is new. A file that says something else by now is left as it is. */
    before?: string | null;
};

/** What a file is. */
export type FileKind = "text" | "binary" | "link" | "submodule";

/** What was recognised in a file. */
export type FilePreview = {
    /** Its name below the folder that was given. */
    name: string;
    /** Its format. */
    format: string;
    /** The rule set. */
    rules: string;
    /** How sure that is, 0 to 1. */
    confidence: number;
    /** Paragraphs. */
    paragraphs: number;
    /** Its headings in order, the first of them. */
    headings: PreviewHeading[];
    /** Some paragraphs with the ids they would get. */
    samples: PreviewParagraph[];
    /** Cross-references found. */
    references: number;
    /** Of those, how many name nothing in these files. */
    dangling: number;
    /** What could not be read, was lost or is doubtful. */
    problems: string[];
    /** What was left out and nobody misses, such as a table of contents. */
    notes: string[];
};

/** What is wrong with a file. */
export type FileProblem = {
    /** The file. */
    file: string;
    /** Where in it: a JSON pointer or a line. */
    place: string;
    /** What is wrong, and what was expected. */
    message: string;
};

/** The texts of a changed file, each cut at 1 MiB. */
export type FileTexts = {
    /** What it holds now; absent: it is not there, or no text. */
    now: string | null;
    /** What it would be put back to; absent: it would be gone, is no text or was not kept. */
    back: string | null;
    /** Whether either is no text, and left out. */
    binary: boolean;
};

/** Whether a file can be put back. */
export type FileUndoState = "ready" | "changed_since" | "not_kept" | "nothing" | "refused";

/** Files to be put back. */
export type FilesRevert = {
    /** The attempt. */
    attempt: AttemptId;
    /** To what they were then. */
    scope?: DiffScope;
    /** The files, below the repository. */
    paths: string[];
};

/** A value that was found, with every place where it stands. */
export type Finding = {
    /** The same for the same value: what is given back to keep it. */
    id: string;
    /** What it is. */
    kind: Kind;
    /** Enough of it to know it by; never all of a secret. */
    shown: string;
    /** What stands in its place. */
    replacement: string;
    /** How often it stands there. */
    count: number;
    /** The first places, in words. */
    places: string[];
};

/** A path that is typed for a folder. */
export type FolderSeen = {
    /** The folder, with links followed; absent where it can't be worked in. */
    folder: string | null;
    /** Why it can't; absent where it can. */
    problem: string | null;
    /** Folders whose paths begin with what was typed; at most 12. */
    below: string[];
};

/** What a run is likely to use. */
export type Forecast = {
    /** The connection it would use. */
    connection: string;
    /** The model it would use. */
    model: string;
    /** Its stages that ask a model. */
    stages: ForecastStage[];
    /** Likely money: told to nobody unless `range` comes from runs of the same agent, model and depth. */
    cost: NanoUsd;
    /** The most it can be: where the first limit on money or the budget stops it, or less where no stage can use so much. Absent where nothing would stop it. */
    most?: NanoUsd | null;
    /** The limit on money that would stop it first, with what is used of it. */
    limit?: LimitReached | null;
    /** Likely tokens, input and output. */
    tokens: number;
    /** Earlier runs that the likely figures come from; 0: they come from the agent's limits alone. */
    runs: number;
    /** Whether the money is only an equivalent. */
    equivalent: boolean;
    /** Whether no price of the model is known. */
    unpriced: boolean;
    /** Whether a stage is left out because no web search is set up. */
    noWebSearch?: boolean;
    /** The budget it would run under, in money. */
    budget: NanoUsd | null;
    /** The range that is stored with the run and scored when it is finished. */
    range: RunForecast;
};

/** An amount between two ends; an end that is absent is unknown. */
export type ForecastBounds = {
    /** The least that leads to a report. */
    low: number | null;
    /** The most within the limits. */
    high: number | null;
};

/** What a run is to be forecast for. */
export type ForecastQuery = {
    /** The agent. */
    agent?: string;
    /** The depth; without it the agent's default. */
    depth?: string | null;
    /** The connection; without it as a run would take. */
    connection?: string | null;
    /** The model; without it as a run would take. */
    model?: string | null;
    /** The question, where it is typed already. */
    request?: string;
};

/** A range that the outcome falls into four times of five. */
export type ForecastRange = {
    /** One run in ten used less. */
    low: number;
    /** Half of the runs used less. */
    likely: number;
    /** One run in ten used more. */
    high: number;
};

/** How well finished runs were foreseen. */
export type ForecastReport = {
    /** Finished runs that had a forecast, of the newest 1,000. */
    runs: number;
    /** How many of them were forecast from earlier runs, not from limits. */
    from_history: number;
    /** The part of those from history that used what lies between low and high, 0 to 1; 0.8 is aimed at. Absent without any. */
    coverage: number | null;
    /** The median of what was used over what was likely. Absent where nothing was expected. */
    median_ratio: number | null;
    /** The same by agent, most runs first. */
    agents: AgentForecasts[];
};

/** One stage of a forecast. */
export type ForecastStage = {
    /** The stage's id. */
    stage: string;
    /** Its title. */
    title: string;
    /** Likely requests. */
    calls: number;
    /** Likely tokens. */
    usage: Usage;
    /** Likely money. */
    cost: NanoUsd;
    /** The most it can be. */
    most: NanoUsd;
};

/** A pause as a surface shows it. */
export type Form = {
    /** Names the pause in the answer. */
    pause: PauseId;
    /** The stage it belongs to. */
    stage: StageId;
    /** The stage's title. */
    title: string;
    /** What it waits for. */
    kind: FormKind;
    /** The message, Markdown with `<details>`. */
    markdown: string;
    /** Questions, each with an answer field of its own. */
    questions: string[];
    /** What can be chosen; the first that proceeds is the default. */
    choices: FormChoice[];
    /** Whether the stage's output may be edited in place. */
    editable: boolean;
    /** The header alone, for surfaces that lay the message out themselves. */
    heading: string;
    /** A word beside the header, where a rule of the agent gave one. */
    status?: string | null;
    /** The meter beside the header. */
    meter?: FormMeter | null;
    /** The message's parts without questions and choices. */
    parts?: FormPart[];
    /** Lists of the output that can be edited in place, where it is editable. */
    lists?: FormList[];
    /** The output; an edit sends it back whole. */
    output?: unknown;
    /** The label of the folded output. */
    outputLabel?: string;
    /** The depth that the run goes on with, where the reply may change it. */
    depth?: string | null;
    /** The limit on money that the run reached, where it waits for that. */
    limit?: LimitReached | null;
};

/** One choice as a surface shows it. */
export type FormChoice = {
    /** Names it in the answer. */
    id: string;
    /** What its button says. */
    label: string;
    /** What it does. */
    action: ChoiceAction;
    /** What happens next. */
    next: string;
    /** Why it is not to be had, and what would change that. */
    unavailable?: string | null;
};

/** A field of an item. */
export type FormColumn = {
    /** The field. */
    field: string;
    /** Whether an item must have it. */
    required: boolean;
    /** What it may be. */
    kind: FormColumnKind;
    /** The values that it may have, for a choice. */
    options?: string[];
    /** What a new item has here when it is left empty. */
    default?: string | null;
};

/** What a field may be. */
export type FormColumnKind = "text" | "choice" | "texts";

/** What a pause waits for. */
export type FormKind = "stage" | "ambiguous" | "budget" | "dialogue" | "gate" | "permission" | "handoff";

/** A list of objects in the output. */
export type FormList = {
    /** The output's field that holds it. */
    field: string;
    /** The fewest items. */
    minItems: number;
    /** The most items. */
    maxItems: number;
    /** The fields of an item, in the order of the schema. */
    columns: FormColumn[];
};

/** A number with a threshold, both from 0 to 1. */
export type FormMeter = {
    /** Its name. */
    label: string;
    /** The value. */
    value: number;
    /** What it should reach. */
    threshold: number;
};

/** A part of the message. */
export type FormPart = {
    /** Its title, plain; empty for none. */
    title: string;
    /** Its text, Markdown. */
    markdown: string;
    /** The list of [`Form::lists`] that it shows, where it shows one. */
    list?: string | null;
};

/** A step that could not be computed again. */
export type Gap = {
    /** The run or turn whose log it is in. */
    run: RunId;
    /** The event's number. */
    seq: number;
    /** Where. */
    place: string;
    /** Why. */
    why: string;
};

/** How far a gap is. */
export type GapStatus = {
    state: "open";
} | {
    state: "closed";
    /** Why. */
    closing: Closing;
};

/** One attempt of a repair unit, as its check found it. */
export type GateAttempt = {
    /** Which repair; 0 for the first attempt. */
    iteration: number;
    /** Whether the check passed. */
    passed: boolean;
    /** Scores by axis, 0 to 1. */
    scores: { [key: string]: number };
    /** Whether it is the one that stands. */
    stands: boolean;
};

/** What a repair unit tried, and how its repairs ended. */
export type GateRow = {
    /** Its name, where it has one. */
    name: string | null;
    /** Its attempts, in order. */
    attempts: GateAttempt[];
    /** Why its repairs ended without passing; absent while they go on, and where the check passes. */
    ended: RepairEnd | null;
    /** What happens when they end so. */
    onExhausted: OnExhausted;
    /** Whether what stands was accepted although the check does not pass. */
    certified: boolean;
};

/** What the person granted, in a list. */
export type GrantRow = {
    /** Its id. */
    id: string;
    /** How long it holds. */
    scope: GrantScope;
    /** The session that it was given in. */
    session: string;
    /** That session's title. */
    sessionTitle: string;
    /** The source's slug; empty for what is built in. */
    source: string;
    /** The tool. */
    tool: string;
    /** What it covers, in words. */
    words: string;
    /** When it was given, in milliseconds since 1970. */
    createdAt: number;
    /** When it ends by itself. */
    expiresAt: number | null;
};

/** How long a grant holds. */
export type GrantScope = "once" | "session" | "workspace" | "always";

/** How many of each kind a graph holds. */
export type GraphCounts = {
    /** Entities. */
    entities: number;
    /** Relations between them. */
    relations: number;
    /** Sources. */
    sources: number;
    /** Citations. */
    citations: number;
    /** Claims that at least one checked citation supports. */
    supported_claims: number;
    /** Claims without one. */
    unsupported_claims: number;
    /** Claims that an open contradiction touches. */
    disputed_claims: number;
    /** Claims that the user rejected, or that another one replaced. */
    rejected_claims: number;
    /** Gaps that are open. */
    open_gaps: number;
    /** Of these, the critical ones. */
    open_critical_gaps: number;
    /** Gaps that were closed. */
    closed_gaps: number;
    /** Contradictions that are open. */
    open_contradictions: number;
    /** Leads that nobody followed. */
    open_leads: number;
};

/** A link in a graph. */
export type GraphEdge = {
    /** Where it begins. */
    from: string;
    /** Where it leads. */
    to: string;
    /** What it means. */
    kind: string;
};

/** Everything that decisions of a mission may depend on. */
export type GraphFacts = {
    /** The version of the graph. */
    version: number;
    /** What it holds. */
    counts: GraphCounts;
    /** The share of required topics that enough independent sources cover, in millionths. */
    coverage: number;
    /** The mean confidence of supported claims, in millionths. */
    confidence: number;
    /** The quality of what is known, 0 to 100 points in millionths of the whole. */
    quality: number;
    /** The fewest independent sources that a supported claim rests on. */
    sources_per_claim: number;
    /** The named conditions of the profile, and whether each holds. */
    validations: { [key: string]: boolean };
    /** What could be done next, the most urgent first. */
    agenda: AgendaItem[];
};

/** A paragraph in a graph. */
export type GraphNode = {
    /** Its id. */
    id: string;
    /** As it is cited. */
    citation: string;
    /** The heading above it. */
    heading: string;
    /** Hops from the middle. */
    depth: number;
    /** No longer in force. */
    withdrawn: boolean;
};

/** What a list is grouped by. */
export type Group = "date" | "status" | "label" | "agent" | "model" | "mode" | "unread";

/** What a list may further be narrowed to. */
export type GroupFilter = {
    /** What the list is grouped by. */
    by: Group;
    /** Which group. */
    key: string;
};

/** A list in groups. */
export type GroupQuery = {
    /** The list. */
    list: SessionQuery;
    /** What it is grouped by. */
    by: Group;
};

/** A group of a list. */
export type GroupRow = {
    /** Of what it is: a status' id, a label's id, an agent's slug, a model, a mode, `unread` or `read`; of dates `today`, `yesterday`, `week`, `month` or `older`. Empty: without one. */
    key: string;
    /** How many sessions. */
    sessions: number;
};

/** What is known of a document's statements, in one line. */
export type Headline = {
    /** How far it may be relied on. */
    level: HeadlineLevel;
    /** In words. */
    text: string;
};

/** How far a document may be relied on, by the worst that is known of it. */
export type HeadlineLevel = "good" | "open" | "doubt";

/** What a page of help is about. */
export type HelpPage = {
    /** Its file's name without ending. */
    slug: string;
    /** Its title. */
    title: string;
    /** Markdown; empty in a list. */
    text: string;
};

/** Text that is never printed: it goes inwards only. */
export type Hidden = string;

/** What the user decides about a source. */
export type HostDecision = "allow" | "block" | "withdraw";

/** A changed place with the lines around it. */
export type Hunk = {
    /** Its first line in the earlier file, from 1; 0 where that is empty. */
    old_start: number;
    /** Its first line in the file, from 1; 0 where that is empty. */
    new_start: number;
    /** What it lies in, such as the head of a function. */
    heading?: string;
    /** Its lines. */
    lines: DiffLine[];
};

/** An icon. */
export type Icon = string | {
    /** `emoji` or `file`. */
    type: string;
    /** The emoji, or the file's name. */
    value: string;
};

/** How an import ended. */
export type ImportDone = {
    /** Sessions that are new here: their ids, at most 200. */
    sessions: string[];
    /** How many sessions are new here. */
    imported: number;
    /** How many were here already. */
    known: number;
    /** Of those, how many went on there since and were taken along. */
    renewed?: number;
    /** How many messages came with them. */
    messages: number;
    /** What was kept, changed and left out. */
    report: Report;
    /** Why it ended early, where it did. Running it again goes on where it was. */
    problem: Problem | null;
};

/** What is to be read, as an import with the same choices would. */
export type ImportFrom = {
    /** A file or folder, absolute. */
    path: string;
    /** Only these of its workspaces; empty for all. */
    workspaces?: string[];
    /** Only sessions, none of the workspace's files. */
    sessionsOnly?: boolean;
    /** Whether what has the name of something built in would take its place. */
    replaceBuiltIn?: boolean;
};

/** An import that ended. */
export type ImportJob = {
    /** Its job's id. */
    job: string;
};

/** What was found at a place. */
export type ImportKind = "bundle" | "transcript" | "craft" | "craft_session" | "program";

/** What is to be brought over. */
export type ImportOptions = {
    /** A file or folder, absolute. */
    path?: string;
    /** Only these of its workspaces; empty for all. */
    workspaces?: string[];
    /** Only sessions, none of the workspace's files. */
    sessionsOnly?: boolean;
    /** Whether secrets that stand in plain text are put into the vault. */
    takeSecrets?: boolean;
    /** Whether agents, sources, skills and themes with the name of a built-in one take its place. Without it both are there, the imported one under another name. */
    replaceBuiltIn?: boolean;
};

/** A folder of another program on this machine. */
export type ImportPlace = {
    /** The program's name. */
    program: string;
    /** The folder. */
    path: string;
    /** How many sessions it has. */
    sessions: number;
};

/** What an import would do. Nothing has been written. */
export type ImportView = {
    /** What it is. */
    kind: ImportKind;
    /** The place. */
    path: string;
    /** The name of the other program; absent for this one and for Craft Agent. */
    program?: string | null;
    /** Workspaces in it, or projects of another program, by folder; empty where it has none. */
    workspaces: ImportWorkspace[];
    /** How many sessions. */
    sessions: number;
    /** Of these, how many are here already. */
    known: number;
    /** How many messages, as far as sessions were read. */
    messages: number;
    /** Secrets that stand in plain text, by the name that each would have in the vault. */
    secrets: string[];
    /** What has the name of something built in, as `agent isa-deep-research`. */
    sameAsBuiltIn: string[];
    /** What would be kept, changed and left out. */
    report: Report;
};

/** A workspace that can be brought over. */
export type ImportWorkspace = {
    /** Its folder's name. */
    slug: string;
    /** Its name. */
    name: string;
    /** How many sessions it has. */
    sessions: number;
};

/** What was taken from another program's credential file. */
export type ImportedCredentials = {
    /** What is now in the vault, by its new name. */
    taken: string[];
    /** Connections that were made for keys of model providers. */
    connections: string[];
    /** What was left out, and why. */
    left: string[];
};

/** What became of the files that `.worktreeinclude` names. */
export type IncludeResult = {
    /** Files that were copied. */
    copied: CopiedFile[];
    /** Files that were not, at most 100 of them. */
    skipped: SkippedFile[];
};

/** What an ingest would recognise. Nothing is stored. */
export type IngestPreview = {
    /** Each file that was looked at. */
    files: FilePreview[];
    /** Files beyond those, which were not looked at. */
    more: number;
};

/** What is to be ingested. */
export type IngestRequest = {
    /** The base's name: lower-case letters, digits and hyphens; empty for the base that was made of the same files before, else a new one that is called after them. */
    base: string;
    /** Its title; empty for the name. */
    title: string;
    /** `standard`, `guide`, `document`, `web` or `primer`; empty for `document`. */
    tier: string;
    /** How paragraphs are cited, such as `({id})`; empty for the default. */
    citation: string;
    /** Files and folders. */
    paths: string[];
    /** The rule set that recognises paragraphs; empty to find it by looking. */
    rules: string;
    /** The model for vectors, such as `local:all-MiniLM-L6-v2`; empty for none. */
    model: string;
    /** Whether it is ingested again when the files change. */
    watch: boolean;
};

/** What the invocations of a mission are likely to use. */
export type InvocationForecast = {
    /** The fewest invocations that lead to a report. */
    fewest: number;
    /** The most within the limits. */
    most: number;
    /** Money, in billionths of a dollar. */
    cost: ForecastBounds;
    /** Tokens, input and output together. */
    tokens: ForecastBounds;
    /** Agents of which no run is known. */
    unknown: AgentSlug[];
};

/** How an invocation stands. */
export type InvocationState = "waiting" | "running" | "asking" | "done" | "failed" | "dropped";

/** An invocation of an agent. */
export type InvocationView = {
    /** Its place: iteration and slot. */
    key: string;
    /** What for. */
    role: Role;
    /** The agent's folder. */
    agent: string;
    /** The agent's name. */
    name: string;
    /** The item of the agenda, in words. */
    task: string | null;
    /** How it stands. */
    status: InvocationState;
    /** Why it failed. */
    problem: Problem | null;
    /** The run that carries it out. */
    run: RunId | null;
    /** The mission that its result was taken over from. */
    reused: RunId | null;
    /** Milliseconds that it ran. */
    ms: number;
    /** Tokens that it used. */
    tokens: number;
};

/** An item of any kind. */
export type Item = {
    item: "source";
    /** Its id. */
    id: ItemId;
    /** Its title. */
    title: string;
    /** Its address, as it was given. */
    address: string;
    /** What kind it is. */
    kind: SourceKind;
    /** SHA-256 of the bytes that were read. */
    object?: Digest | null;
    /** The generation of the knowledge base that holds it, where one does. */
    generation?: string | null;
    /** The day it was published, `YYYY-MM-DD`. */
    published?: string | null;
    /** The day it was read, `YYYY-MM-DD`. */
    retrieved?: string | null;
    /** Who speaks: a host, a knowledge base, a published work. Sources of one origin are not independent. */
    origin: string;
} | {
    item: "entity";
    /** Its id. */
    id: ItemId;
    /** Its name as it is compared. */
    key: string;
    /** Its name. */
    name: string;
    /** Other names, in the order in which they were met. */
    aliases: string[];
    /** `person`, `organisation`, `standard` …; may be empty. */
    kind: string;
    /** One sentence about it; may be empty. */
    description: string;
    /** How often something about it changed. */
    revision: number;
} | {
    item: "relation";
    /** Its id. */
    id: ItemId;
    /** One entity. */
    from: ItemId;
    /** The other. */
    to: ItemId;
    /** What connects them. */
    kind: string;
    /** One sentence about it; may be empty. */
    note: string;
    /** What it rests on. */
    citations: ItemId[];
} | {
    item: "question";
    /** Its id. */
    id: ItemId;
    /** The question as it is compared. */
    key: string;
    /** The question. */
    text: string;
    /** The section of the report that its answer belongs to. */
    section?: string | null;
    /** Whether the objective can't be met without an answer. */
    required: boolean;
    /** The capability that it needs. */
    capability?: string | null;
    /** Questions that have to be answered first. */
    depends_on: ItemId[];
    /** Why it is no longer asked. */
    dropped?: string | null;
} | {
    item: "claim";
    /** Its id. */
    id: ItemId;
    /** The statement as it is compared. */
    key: string;
    /** The statement. */
    text: string;
    /** Other wordings of it. */
    wordings: string[];
    /** What it says of the world. */
    kind: ClaimKind;
    /** Whether it is true as of a time. */
    dated: boolean;
    /** The entities that it is about. */
    entities: ItemId[];
    /** The questions and gaps that it answers. */
    answers: ItemId[];
    /** What it rests on. */
    citations: ItemId[];
    /** How far it is. */
    status: ClaimStatus;
    /** Whether the user keeps it: it is neither replaced nor disputed. */
    pinned: boolean;
    /** Why the user rejected it. */
    rejected?: string | null;
    /** How sure it is, in millionths. */
    confidence: number;
    /** What the confidence is made of. */
    parts: ConfidenceParts;
    /** The invocation that found it first. */
    by: string;
    /** How often its text, citations or status changed. */
    revision: number;
} | {
    item: "citation";
    /** Its id. */
    id: ItemId;
    /** The claim or relation. */
    of: ItemId;
    /** The source. */
    source: ItemId;
    /** The words of the source. */
    quote: string;
    /** The paragraph that holds them. */
    paragraph?: string | null;
    /** The page that holds them, from 1. */
    page?: number | null;
    /** What checking found. */
    verdict: SentenceVerdict;
    /** How far code alone could carry it. */
    proof: Proof;
    /** The invocation that cited it. */
    by: string;
} | {
    item: "gap";
    /** Its id. */
    id: ItemId;
    /** The question as it is compared. */
    key: string;
    /** The question. */
    question: string;
    /** Whether the objective can't be met without an answer. */
    critical: boolean;
    /** The capability that could answer it. */
    capability?: string | null;
    /** The entities that it is about. */
    entities: ItemId[];
    /** The question of the plan, or the claim with too few sources, that it was opened for. */
    of?: ItemId | null;
    /** The section of the report that it was opened for. */
    section?: string | null;
    /** How far it is. */
    status: GapStatus;
    /** The invocations that raised it, or `analysis`. */
    raised_by: string[];
} | {
    item: "contradiction";
    /** Its id. */
    id: ItemId;
    /** The claims, the older one first. */
    claims: ItemId[];
    /** What they differ in. */
    kind: ConflictKind;
    /** Each side's words of the difference, or what the finder says of it. */
    about: string;
    /** How far it is. */
    status: ContradictionStatus;
    /** The invocation that stated it, or `analysis`. */
    by: string;
} | {
    item: "lead";
    /** Its id. */
    id: ItemId;
    /** The text as it is compared. */
    key: string;
    /** What to look at. */
    text: string;
    /** How much it would bring, 0 to 100. */
    value: number;
    /** How much work it would be, 0 to 100. */
    effort: number;
    /** The capability that it needs. */
    capability?: string | null;
    /** The entities that it is about. */
    entities: ItemId[];
    /** How much of it no claim says yet, in millionths. */
    novelty: number;
    /** Value times novelty over effort, in millionths. */
    score: number;
    /** How far it is. */
    status: LeadStatus;
    /** The invocation that suggested it. */
    by: string;
};

/** The id of something in a graph: a letter for its kind and a number, `c12`. */
export type ItemId = string;

/** The kinds of items. */
export type ItemKind = "source" | "entity" | "relation" | "question" | "claim" | "citation" | "gap" | "contradiction" | "lead";

/** What a job is. */
export type JobKind = "ingest" | "preview" | "download" | "backup" | "restore" | "check" | "import";

/** Long work outside of runs. */
export type JobState = {
    /** Its id. */
    job: string;
    /** What it is. */
    kind: JobKind;
    /** The slug of the workspace that it is of. */
    workspace?: string;
    /** What it works on: a base's name. */
    subject: string;
    /** How it stands. */
    status: JobStatus;
    /** What it is doing, in words. */
    text: string;
    /** Steps done. */
    done: number;
    /** Steps in all; 0 when not known. */
    total: number;
    /** What could not be read, and why. */
    warnings: string[];
    /** Why it failed. */
    problem: Problem | null;
    /** When it began, in milliseconds since 1970. */
    startedAt: number;
};

/** How a job stands. */
export type JobStatus = "running" | "done" | "cancelled" | "failed";

/** A line of a mission's journal. */
export type JournalLine = {
    /** The event's number. */
    seq: number;
    /** When, in milliseconds since 1970. */
    at: number;
    /** What happened, in a sentence. */
    text: string;
    /** Why, where that was said. */
    why: string | null;
    /** What the coordinator saw besides and did not choose. */
    alternatives: string[];
    /** The version of the graph that was looked at. */
    saw: number | null;
};

/** What a judge finds when it reads a sentence beside the paragraphs that it cites. */
export type JudgeFinding = "entailed" | "partial" | "unsupported" | "contradicted" | "unknown";

/** What an attempt held when its worktree was removed. */
export type KeptRef = {
    /** The ref that holds it. */
    reference: string;
    /** The commit that was checked out. */
    head: string;
    /** The branch that was checked out; `None` for none. */
    branch: string | null;
    /** The tip of the attempt's own branch, where it had one. */
    tip: string | null;
    /** The commit with what was not committed, where something was not. */
    uncommitted: string | null;
};

/** What kind of thing was found. */
export type Kind = "vault" | "private_key" | "api_key" | "bearer" | "named" | "email" | "home_path" | "random" | "file";

/** What can be had for knowledge bases. */
export type KnowledgeCatalog = {
    /** Openly licensed texts that can be downloaded. */
    corpora: CatalogEntry[];
    /** Models for vectors, those on this machine included. */
    models: CatalogEntry[];
    /** Rule sets. */
    rules: RuleSetRow[];
    /** The formats that can be read, by ending. */
    endings: string[];
};

/** A search of several bases at once. */
export type KnowledgeSearch = {
    /** The query. */
    text: string;
    /** Their names; empty for all. */
    bases?: string[];
    /** How many hits are passed over. */
    after?: number;
    /** The most hits; at most 100, 0 for 20. */
    limit?: number;
    /** How far references are followed, at most 2. */
    hops?: number;
};

/** A change of the tree of labels. */
export type LabelEdit = {
    edit: "add";
    /** The label above it. */
    parent?: string | null;
    /** What people call it. */
    name: string;
    /** Its colour. */
    color?: Colour | null;
    /** What its values are. */
    valueType?: ValueType | null;
} | {
    edit: "change";
    /** Which. */
    id: string;
    /** What people call it. */
    name?: string | null;
    /** Its colour; null takes it away. */
    color?: Colour | null;
    /** What its values are; null: it has none. */
    valueType?: ValueType | null;
    /** Its rules. */
    autoRules?: AutoRule[] | null;
} | {
    edit: "move";
    /** Which. */
    id: string;
    /** Below which; without it to the top. */
    parent?: string | null;
    /** The place among its new neighbours, from 0. */
    place: number;
} | {
    edit: "remove";
    /** Which. */
    id: string;
    /** What its sessions get; without it nothing. */
    instead?: string | null;
};

/** A label with those below it. */
export type LabelRow = {
    /** Its id. */
    id: string;
    /** What people call it. */
    name: string;
    /** Its colour. */
    color: Colour | null;
    /** What its values are; absent: it has none. */
    valueType: ValueType | null;
    /** Rules that give it to sessions. */
    autoRules: AutoRule[];
    /** Labels below it. */
    children: LabelRow[];
    /** Sessions that are neither archived nor deleted, with it or one below it. */
    sessions: number;
};

/** A session with what it takes. */
export type LargeSession = {
    /** Its id. */
    session: string;
    /** Its title. */
    title: string;
    /** Bytes in the database; payloads that several sessions share count for each. */
    stored: number;
    /** Bytes of its files. */
    files: number;
};

/** The newest run of a session, in a list. */
export type LatestRun = {
    /** Its id. */
    run: string;
    /** Its agent; empty for a turn without one. */
    agent: string;
    /** What it is. */
    kind: RunKind;
    /** How it stands; interrupted where its log says that it runs, and nobody drives it. */
    status: RunStatus;
    /** One useful line, such as `Clarity 64%: 2 questions` or `42 of 42 citations verified`. */
    line: string;
};

/** How far a lead is. */
export type LeadStatus = {
    state: "open";
} | {
    state: "followed";
} | {
    state: "duplicate";
    /** The older one. */
    of: ItemId;
} | {
    state: "dropped";
    /** Why. */
    reason: string;
};

/** A limit, with what is used of it. */
export type LimitReached = {
    /** What the limit is for. */
    span: LimitSpan;
    /** The run's id, the day or the month. */
    of: string;
    /** The connection whose limit it is; absent: that of all connections together. */
    connection?: string | null;
    /** The limit. */
    limit: NanoUsd;
    /** Money spent. */
    spent: NanoUsd;
    /** Money set aside for other calls under way. */
    held?: NanoUsd;
};

/** The limits on money, and what is used of them. */
export type LimitReport = {
    /** As the user set them. */
    settings: LimitSettings;
    /** What is used today and this month: over all connections, then over each that has limits of its own. */
    uses: LimitSpending[];
};

/** All limits on money, as the user set them. */
export type LimitSettings = {
    /** For all connections together. */
    all: SpendLimits;
    /** Beside those, for single connections, by slug. */
    connections?: { [key: string]: SpendLimits };
    /** Limits that were raised for one run, day or month, the newest last. */
    raised?: RaisedLimit[];
    /** Whether the user was asked, or set them. */
    asked: boolean;
};

/** What a limit is for. */
export type LimitSpan = "run" | "day" | "month";

/** What is used of a limit. */
export type LimitSpending = {
    /** What the limit is for. */
    span: LimitSpan;
    /** The day (`2026-11-28`) or the month (`2026-11`). */
    of: string;
    /** The connection; absent: all together. */
    connection: string | null;
    /** The limit that holds, raises included; absent: none. */
    limit: NanoUsd | null;
    /** Money spent. */
    spent: NanoUsd;
    /** Money set aside for calls under way. */
    held: NanoUsd;
};

/** How much of a limit is used. */
export type LimitUse = {
    /** In words: `money`, `tokens`, `minutes`, `invocations`, `iterations`, or an agent's folder. */
    dimension: string;
    /** What is used: nano-dollars, tokens, milliseconds, or a count. */
    used: number;
    /** The limit in the same unit; absent for none. */
    limit: number | null;
};

/** Whether a line was changed. */
export type LineKind = "context" | "added" | "removed";

/** A piece of a list as edited; the list is its pieces in order. */
export type ListPiece = {
    piece: "kept";
    /** The number of the first, from 0. */
    first: number;
    /** How many. */
    count: number;
} | {
    piece: "row";
    /** The row. */
    row: unknown;
};

/** What happened. */
export type LogKind = "fetched" | "confirmed" | "cached" | "outdated" | "refused" | "allowed" | "blocked" | "withdrawn" | "searched" | "forgotten";

/** A document that a run put together itself. */
export type MainDocument = {
    /** Its title. */
    title: string;
    /** Markdown. Marks of footnotes are links to `#note-<number>`. */
    markdown: string;
    /** Its footnotes in order. */
    footnotes: NoteRow[];
};

/** Something that a message names. */
export type Mention = {
    /** What it is. */
    kind: MentionKind;
    /** A slug, a label's id or a path. */
    name: string;
    /** What a person reads. */
    title: string;
    /** Its place in the text, in UTF-16 units: the first and the one after the last. */
    range: unknown[];
};

/** What a mention names. */
export type MentionKind = "agent" | "source" | "skill" | "file" | "folder" | "label";

/** How an attempt is to be merged. */
export type MergeOptions = {
    /** The task. */
    task: TaskId;
    /** The attempt's number, from 1. 0 is the chosen one, or the only one that is open. */
    attempt?: number;
    /** What the target's history gets. */
    style?: MergeStyle;
    /** The message of the commit; `None` is the task's title. */
    message?: string | null;
    /** The branch to merge into; `None` is the task's target. */
    target?: string | null;
    /** Whether it is merged although its checks have not passed on what is merged. */
    unchecked?: boolean;
    /** Whether the worktree stays. */
    keep_folder?: boolean;
};

/** What a merge did. */
export type MergeOutcome = {
    /** The branch. */
    target: string;
    /** The target's new commit, or the one that it had where there was nothing to merge. */
    commit: string;
    /** Whether the target had everything already. */
    nothing_to_merge: boolean;
    /** What the checks say of the attempt. */
    verdict: TaskVerdict;
    /** Whether the checks ran on exactly the files that the target has now: others may have been merged since. */
    tested: boolean;
    /** The checkout whose files were updated with the branch. */
    checkout?: string | null;
    /** What became of the attempt's worktree. */
    removal: Removal;
};

/** Where an attempt was merged. */
export type MergeRecord = {
    /** The branch. */
    target: string;
    /** The commit that was merged. */
    tip: string;
    /** The target before. */
    before: string;
    /** The target after. */
    commit: string;
    /** How. */
    style: MergeStyle;
};

/** What a merge leaves in the target's history. */
export type MergeStyle = "merge" | "squash";

/** A message with the words. */
export type MessageHit = {
    /** Its run or turn. */
    run: string;
    /** Its step in that; empty for what the person wrote and for the whole document. */
    step: string;
    /** `user`, `assistant`, `tool` or `document`. */
    role: string;
    /** Milliseconds since 1970. */
    at: number;
    /** What stands around the words. */
    text: Excerpt[];
};

/** How a verdict was reached. Written as a word; a judge's as `judge:<name>`. */
export type Method = string;

/** What becomes of times that came while the program was not open. */
export type MissedPolicy = "skip" | "once";

/** A file that a mission made, in its session's folder. */
export type MissionFile = {
    /** `findings` or `report`. */
    kind: string;
    /** Its name. */
    name: string;
    /** Where it is in the session's folder. */
    path: string;
    /** SHA-256 of what was recorded. */
    sha256: Digest;
    /** The invocation that made it. */
    by: string | null;
};

/** What a mission would begin with, and what it is likely to use. */
export type MissionForecast = {
    /** What it would begin with. */
    outline: MissionOutline;
    /** How often agents may be invoked, and what that is likely to use. */
    forecast: InvocationForecast;
    /** Whether the money is only an equivalent. */
    equivalent: boolean;
};

/** Which items of a mission's graph are wanted. */
export type MissionGraphQuery = {
    /** The mission. */
    mission: RunId;
    /** The kind. */
    kind: ItemKind;
    /** Only with this status, as `supported`, `open` or `rejected`. */
    status?: string | null;
    /** Only with these words. */
    text?: string;
    /** What is looked at; everything where nothing is said. It hides, and deletes nothing. */
    scope?: Scope;
    /** In which order. */
    sort?: Sorting;
    /** After this item. */
    after?: ItemId | null;
    /** At most so many; 100 where it is 0. */
    limit?: number;
};

/** Limits of a mission; what is absent stays as it is. */
export type MissionLimits = {
    /** US dollars. */
    usd?: number | null;
    /** Tokens, input and output together. */
    tokens?: number | null;
    /** Active minutes. */
    minutes?: number | null;
    /** Invocations of agents. */
    invocations?: number | null;
    /** Iterations. */
    iterations?: number | null;
};

/** What a mission would begin with. */
export type MissionOutline = {
    /** The profile's folder. */
    profile: string;
    /** The profile's name. */
    profileName: string;
    /** The connection. */
    connection: string;
    /** The model. */
    model: string;
    /** Whether there is no model: rules take its place, and nothing is paid. */
    offline: boolean;
    /** The agents, each as it would be pinned. */
    agents: OutlinedAgent[];
    /** Agents of the profile that it would do without, each with why. */
    leftOut: string[];
    /** What each criterion has to reach. */
    criteria: { [key: string]: Criterion };
    /** The limits. */
    limits: LimitUse[];
};

/** A pause of a mission as a surface shows it. */
export type MissionPauseForm = {
    /** The pause. */
    pause: PauseId;
    /** What it is about, in a line. */
    title: string;
    /** The message, Markdown. */
    markdown: string;
    /** What can be chosen: `proceed`, `again`, `write`, `raise`, `cancel`; the first is the default. */
    choices: string[];
    /** Hosts that it is about. */
    hosts?: string[];
    /** The run of an agent that asks: it is answered there. */
    run?: RunId | null;
};

/** What a mission is doing. */
export type MissionPhase = "split" | "plan" | "research" | "report";

/** A mission in a list. */
export type MissionRow = {
    /** The mission. */
    mission: RunId;
    /** Its session. */
    session: string;
    /** What it is after. */
    title: string;
    /** The profile's folder. */
    profile: string;
    /** How it stands; interrupted where its log says that it runs, and nobody drives it. */
    status: RunStatus;
    /** How it stands, in a line. */
    line: string;
    /** Milliseconds since 1970. */
    createdAt: number;
    /** Milliseconds since 1970. */
    updatedAt: number;
};

/** What a new mission needs. */
export type MissionStart = {
    /** The profile's folder; empty: that of the mission that it goes on with or repeats. */
    profile?: string;
    /** What is to be found out; what it says of the report's form is kept from researchers. With `report_only`: the form of the report alone; empty with `without`: the form that it had. */
    request?: string;
    /** The mission whose graph it goes on with. What is not named here is as it was there. */
    previous?: RunId | null;
    /** A mission that this one repeats: what an agent gave there is taken over where it is given the same. What is not named here is as it was there. */
    base?: RunId | null;
    /** Whether nothing is researched: a report on the objective of `previous` is written from what is known. */
    reportOnly?: boolean;
    /** Claims that are rejected before the report is written, with `report_only`: the report does not rest on them. */
    without?: ClaimRejection[];
    /** The session; without it a new one. */
    session?: string | null;
    /** A mode of the profile. */
    mode?: string | null;
    /** The knowledge bases that are searched, each for every question; without one the agents' own. */
    corpora?: string[];
    /** The connection; without it the session's or the default one. */
    connection?: string | null;
    /** The model; without it the connection's default. */
    model?: string | null;
    /** Limits in place of the profile's. */
    limits?: MissionLimits;
    /** Whether default answers are taken at pauses. */
    unattended?: boolean;
};

/** What is said to a mission. */
export type MissionSteer = {
    say: "guide";
    /** The words. */
    text: string;
} | {
    say: "pin";
    /** The claim. */
    claim: ItemId;
} | {
    say: "reject";
    /** The claim. */
    claim: ItemId;
    /** Why. */
    why: string;
} | {
    say: "closeGap";
    /** The gap. */
    gap: ItemId;
    /** Why. */
    why: string;
} | {
    say: "settle";
    /** The contradiction. */
    contradiction: ItemId;
    /** The claim that stands; without it both do. */
    claim?: ItemId | null;
    /** Why. */
    why: string;
} | {
    say: "plan";
    /** The edits, in order. */
    edits: PlanEdit[];
} | {
    say: "raise";
    /** The new ones. */
    limits: MissionLimits;
} | {
    say: "write";
} | {
    say: "proceed";
} | {
    say: "again";
} | {
    say: "suspend";
} | {
    say: "cancel";
};

/** A mission. */
export type MissionView = {
    /** The mission's id. */
    mission: RunId;
    /** Its session. */
    session: SessionId;
    /** The mission whose graph it goes on with. */
    previous: RunId | null;
    /** The mission that it repeats. */
    base: RunId | null;
    /** The profile's folder. */
    profile: string;
    /** The profile's name. */
    profileName: string;
    /** How it stands; interrupted where its log says that it runs, and nobody drives it. */
    status: RunStatus;
    /** What it is doing. */
    phase: MissionPhase;
    /** What the user wrote. */
    request: string;
    /** What researchers are after; empty until it is known. */
    objective: string;
    /** What the report is to look like; empty where nothing is said of it. */
    outputSpecification: string;
    /** The iteration; 0 before the first. */
    iteration: number;
    /** How far each criterion is met. */
    criteria: { [key: string]: Criterion };
    /** What is known. */
    facts: GraphFacts;
    /** Changes with everything that is known, and with what you say of it. */
    graphVersion: number;
    /** What was found last, the newest first. */
    newestClaims: NewestClaim[];
    /** How much of each limit is used. */
    limits: LimitUse[];
    /** Its invocations in order. */
    invocations: InvocationView[];
    /** Agents of the profile that it does without, each with why. */
    leftOut: string[];
    /** What waits for the user. */
    pauses: MissionPauseForm[];
    /** Whether every criterion was met; absent while it goes on. */
    outcome: Outcome | null;
    /** Criteria that are not met and what the report lacks; empty while it goes on. */
    unmet: string[];
    /** Why research ended, in words. */
    ended: string | null;
    /** What stayed open so far: questions that nothing is supported for, and gaps. */
    open: string[];
    /** Why it failed. */
    problem: Problem | null;
    /** The report's file. */
    report: string | null;
    /** The files that it made, by the names that they have. */
    files: MissionFile[];
    /** Tokens. */
    usage: Usage;
    /** Whether only the offline engine answers: the usage counts texts that no model was given. */
    noModel?: boolean;
    /** Money. */
    cost: NanoUsd;
    /** Active milliseconds, as far as the log knows. */
    activeMs: number;
    /** From when on it is at work without the log knowing of it yet, in milliseconds since 1970; absent while it rests. */
    workingSince: number | null;
};

/** Something that is wrong in a line: where, what, and what was probably meant. */
export type Mistake = {
    /** Where, in bytes. */
    at: Span;
    /** What is wrong, in words. */
    message: string;
    /** What to write instead, where there is something to say. */
    hint?: string | null;
};

/** How much a session's agent may do unasked. */
export type Mode = "safe" | "ask" | "allow-all";

/** What a person says of a model; absent fields stay as the provider's list or the shipped table has them. */
export type ModelOverride = {
    /** The model's id at the provider. */
    id: string;
    /** Input and output tokens that fit together. */
    contextWindow?: number | null;
    /** The most output tokens of one answer. */
    maxOutput?: number | null;
    /** Whether it takes a JSON Schema for its answer. */
    structured?: boolean | null;
    /** Whether it can think. */
    thinking?: boolean | null;
    /** Whether it can call tools. */
    tools?: boolean | null;
    /** Whether it reads images. */
    images?: boolean | null;
    /** Whether it reads PDF documents. */
    documents?: boolean | null;
    /** US dollars per million tokens. */
    price?: PriceOverride | null;
};

/** A change of what is known of one model of a connection. */
export type ModelPatch = {
    /** The connection. */
    connection: string;
    /** What the person says of the model; only its id: back to what is known otherwise. */
    model: ModelOverride;
};

/** A model. */
export type ModelRow = {
    /** Its id at the provider. */
    id: string;
    /** The connection. */
    connection: string;
    /** Input and output tokens that fit together. */
    contextWindow: number;
    /** The most output tokens of one answer. */
    maxOutput: number;
    /** Whether it takes a JSON Schema for its answer. */
    structured: boolean;
    /** Whether it can think. */
    thinking: boolean;
    /** Whether it calls tools. */
    tools: boolean;
    /** Whether it reads images. */
    images: boolean;
    /** Whether it reads PDF documents. */
    documents: boolean;
    /** US dollars per million input tokens; `None` where no price is known. */
    inputPrice: number | null;
    /** US dollars per million output tokens. */
    outputPrice: number | null;
    /** US dollars per million tokens read from the cache. */
    cacheReadPrice: number | null;
    /** US dollars per million tokens written to the cache. */
    cacheWritePrice: number | null;
    /** Whether the prices are the person's own. */
    ownPrice: boolean;
    /** Where this is known from: `provider`, `table`, `person` or `assumed`. */
    knownFrom: string;
};

/** Money in billionths of a US dollar: one token at 1 USD per million tokens costs 1,000. */
export type NanoUsd = number;

/** A paragraph near another. */
export type NeighbourText = {
    /** Its id. */
    id: string;
    /** As it is cited. */
    citation: string;
    /** Its text; for linked ones the beginning. */
    text: string;
};

/** What is around an entity, the nearest first. */
export type Neighbourhood = {
    /** Entities, the one asked for first. */
    entities: Entity[];
    /** The relations between them. */
    relations: Relation[];
    /** Claims about the entity asked for, in order of creation. */
    claims: Claim[];
    /** Whether there is more than is shown. */
    is_cut: boolean;
};

/** A claim in short: what it says, how sure it is and where it comes from. */
export type NewestClaim = {
    /** The claim. */
    claim: ItemId;
    /** What it says. */
    text: string;
    /** How far it is. */
    status: ClaimStatus;
    /** How sure it is, in millionths; absent until that was computed. */
    confidence: number | null;
    /** The titles of the sources that it cites, each once. */
    sources: string[];
    /** Whether the user keeps it. */
    pinned: boolean;
};

/** A footnote. */
export type NoteRow = {
    /** Its number, from 1. */
    number: number;
    /** Markdown; a mention of another footnote is a link as in the text. */
    text: string;
    /** The number of the citation that it names: that of [`CitationRow`]. */
    citation: number | null;
};

/** An OAuth 2.0 service for native applications (RFC 8252, PKCE S256). */
export type OauthService = {
    /** Where the person signs in; absent for tokens that are only pasted or imported. */
    authorizeUrl?: string | null;
    /** Where codes and refresh tokens are exchanged. */
    tokenUrl: string;
    /** The person's own client id. */
    clientId: string;
    /** What is asked for. */
    scopes?: string[];
    /** Further parameters of the authorization request. */
    extra?: { [key: string]: string };
    /** The registered address that the browser comes back to, `http://localhost:<port>/callback`; else any free port. */
    redirectUrl?: string | null;
};

/** A scope that the person may choose when asked. */
export type Offer = {
    /** How long. */
    scope: GrantScope;
    /** Which calls. */
    covers: Covers;
    /** In words, honest about both. */
    words: string;
};

/** A tool that a server lists and nobody can use. */
export type OmittedTool = {
    /** Its name as far as it has one, with invisible characters written out; else its place in the list. */
    tool: string;
    /** What is wrong with it. */
    reason: string;
};

/** What happens when a unit's repairs have ended and its check still does not pass. */
export type OnExhausted = "best" | "pause" | "fail" | "certify";

/** What an OpenAPI document would make. */
export type OpenApiPreview = {
    /** The interface's title. */
    title: string;
    /** Its base address. */
    baseUrl: string;
    /** Tools. */
    tools: ToolRow[];
    /** What could not be used, and why. */
    warnings: string[];
    /** A `config.json` to begin with. */
    config: unknown;
};

/** All that orders a workspace's sessions. */
export type Organisation = {
    /** Statuses, in their order. */
    statuses: StatusRow[];
    /** The status of a session that has none of its own. */
    defaultStatus: string;
    /** The tree of labels. */
    labels: LabelRow[];
    /** Views, broken ones included. */
    views: ViewRow[];
    /** What is wrong with the files: the last good version of each is in use. */
    problems: FileProblem[];
};

/** A session's folder without its session. */
export type OrphanFolder = {
    /** Its name. */
    name: string;
    /** Bytes in it. */
    bytes: number;
    /** Files in it. */
    files: number;
};

/** How a mission was completed. */
export type Outcome = "satisfied" | "partial";

/** An agent as a mission would pin it. */
export type OutlinedAgent = {
    /** Its folder. */
    agent: string;
    /** Its name. */
    name: string;
    /** What it can do. */
    capabilities: string[];
    /** The knowledge base that it would read, at the generation that it has now. */
    base: string | null;
};

/** A page of a list. */
export type Page = {
    /** The version of the graph. */
    version: number;
    /** The items, in the order that was asked for. */
    items: Item[];
    /** How many items there are on all pages. */
    total: number;
    /** What to ask for `after`, where there are more. */
    next: ItemId | null;
};

/** A mark, in shares of the page's width and height from its upper left corner. */
export type PageMark = {
    /** Its left edge. */
    x: number;
    /** Its upper edge. */
    y: number;
    /** Its width. */
    width: number;
    /** Its height. */
    height: number;
};

/** A page of a file as a picture. */
export type PagePicture = {
    /** The file, below the folder that was ingested. */
    file: string;
    /** Its path. */
    path: string;
    /** The page, from 1. */
    page: number;
    /** How many pages the file has. */
    pages: number;
    /** The picture's width in pixels. */
    width: number;
    /** The picture's height in pixels. */
    height: number;
    /** Where passages are marked. */
    marks: PageMark[];
    /** The picture as PNG, in base64, with the marks. */
    png: string;
};

/** A page to show. */
export type PagePictureQuery = {
    /** The paragraph's base; with `run` that run's. */
    base?: string | null;
    /** Reads the base and generation that this run read. */
    run?: RunId | null;
    /** The paragraph's id, or a reference such as `ISA 320.10`. */
    id: string;
    /** Quotes to mark; where none is found, the paragraph is marked. */
    quotes?: string[];
    /** The page, from 1; without one the page on which the quotes, or the paragraph, begin. */
    page?: number | null;
    /** The picture's width in pixels, at most 2,400. */
    width: number;
};

/** How two statements belong together. */
export type PairKind = "same" | "reworded" | "left_only" | "right_only";

/** Some paragraphs of a base, in its order. */
export type ParagraphPage = {
    /** The paragraphs. */
    paragraphs: ParagraphRow[];
    /** How many there are. */
    total: number;
    /** Where the next page begins. */
    next: number | null;
};

/** A paragraph in a list. */
export type ParagraphRow = {
    /** Its id. */
    id: string;
    /** As it is cited. */
    citation: string;
    /** Its document's title. */
    document: string;
    /** The heading above it. */
    heading: string;
    /** Its text. */
    text: string;
};

/** What became of a cited paragraph. */
export type ParagraphState = "same" | "moved" | "changed" | "withdrawn" | "missing" | "no_base";

/** A citation of a sentence with what became of its paragraph. */
export type ParagraphStateRow = {
    /** The sentence's number. */
    n: number;
    /** The sentence. */
    sentence: string;
    /** The citation as the answer wrote it. */
    citation: string;
    /** The paragraph. */
    paragraph: string;
    /** The knowledge base. */
    base: string;
    /** The generation that was cited. */
    cited: string;
    /** The generation that stands now; empty where there is no such base any more. */
    current: string;
    /** What became of it. */
    kind: ParagraphState;
    /** Whether the sentence may rest on it as before. */
    holds: boolean;
    /** What became of it, in words that follow the citation. */
    words: string;
};

/** A paragraph with its surroundings. */
export type ParagraphView = {
    /** The base. */
    base: string;
    /** The base's title. */
    baseTitle: string;
    /** `standard`, `guide`, `document`, `web` or `primer`. */
    tier: string;
    /** Its id. */
    id: string;
    /** As it is cited. */
    citation: string;
    /** Its document's title. */
    document: string;
    /** The file it was taken from, below the folder that was ingested; empty when it is not known. */
    file: string;
    /** The file's path, while a file lies there with the same bytes. */
    path: string | null;
    /** Its page in that file, where the format has pages. */
    page: number | null;
    /** What is wrong with the file: changed, missing, or of an unknown place. */
    fileNote: string | null;
    /** Whether its page can be shown as a picture. */
    drawable: boolean;
    /** Headings above it, outermost first. */
    headings: string[];
    /** What its text needs to be understood alone, such as the title and the names of columns of a table; no part of it. */
    context: string;
    /** Its text. */
    text: string;
    /** Words that its file shows struck out of the text. */
    struck: StruckWords[];
    /** Where the quotes asked for stand in it; those that do not stand there are absent. */
    highlights: TextRange[];
    /** The paragraphs before it, nearest last. */
    before: NeighbourText[];
    /** The paragraphs after it, nearest first. */
    after: NeighbourText[];
    /** Paragraphs that it refers to or that refer to it. */
    linked: NeighbourText[];
};

/** The call of another run that a run carries out. */
export type ParentCall = {
    /** That run. */
    run: RunId;
    /** The call. */
    key: CallKey;
};

/** The kind of what lies at a path. */
export type PathKind = "file" | "folder" | "missing";

/** What lies at a path. */
export type PathRow = {
    /** The path as it was asked for. */
    path: string;
    /** What lies there. */
    kind: PathKind;
};

/** A pause of a run: unique within its run. */
export type PauseId = string;

/** How pauses are answered without the person. */
export type PausePolicy = {
    /** Replies given beforehand, in order. */
    replies?: Reply[];
    /** Whether the default choice is taken when there are none left. */
    unattended?: boolean;
};

/** Permissions as they stand. */
export type PermissionState = {
    /** Rules by layer, the widest first. */
    layers: RuleLayer[];
    /** What the person granted, newest first. */
    grants: GrantRow[];
    /** Whether commands can be confined on this machine, and how or why not. */
    confinement: string;
    /** Whether they can. */
    canConfine: boolean;
};

/** Something that the runs pinned differently. */
export type PinDifference = {
    /** What: `question`, `agent`, `depth`, `connection`, `model`, `judge`, `knowledge base`, `prompt …`, `schema of …`, `stage …`, `settings`, `source …`, `inputs`, `data …`, `material`, `web search`, `earlier answer`. */
    what: string;
    /** In the first run; empty where it has none or the text is long. */
    left: string;
    /** In the second. */
    right: string;
};

/** A comment with the place of its line now. */
export type PlacedComment = {
    /** Its number in the attempt, from 1. */
    number: number;
    /** The line. */
    anchor: Anchor;
    /** What is said about it. */
    text: string;
    /** Whether something is still to be done. */
    state: CommentState;
    /** When it was made, in milliseconds since 1970. */
    at: number;
    /** The run that it was sent to. */
    run?: string | null;
    /** Where its line is. */
    place: CommentPlace;
};

/** What became of a commented line. */
export type Placement = "same" | "moved" | "changed" | "gone";

/** A change of the plan by the user. What answers a question that is no longer asked stays in the graph. */
export type PlanEdit = {
    edit: "add";
    /** The question. */
    text: string;
    /** Whether the objective can't be met without an answer. */
    required: boolean;
} | {
    edit: "reword";
    /** The question. */
    question: ItemId;
    /** The words. */
    text: string;
} | {
    edit: "drop";
    /** The question. */
    question: ItemId;
};

/** What the person did with a plan. */
export type PlanState = "waiting" | "accepted" | "refined";

/** What the person says to a plan. */
export type PlanVerdict = {
    verdict: "accept";
    /** The mode: `ask` or `allow-all`. */
    mode: Mode;
    /** Whether what was said before is first put into fewer words. */
    compact?: boolean;
} | {
    verdict: "refine";
    /** How. */
    text: string;
};

/** A plan that the agent handed over. */
export type PlanView = {
    /** Its title. */
    title: string;
    /** Markdown. */
    text: string;
    /** Its file. */
    path: string;
    /** What the person did with it. */
    state: PlanState;
};

/** A call that a wave consists of. */
export type PlannedCall = {
    /** Hash of what will be sent. */
    request: Digest;
    /** The most it can cost; zero for tools. */
    reserve?: Reserve;
    /** What a child run can begin with: it does with what is left, where that is less than `reserve`. Zero for others. */
    least?: Reserve;
    /** Whether issuing it twice does no harm and costs nothing. */
    repeatable?: boolean;
    /** Whether its failure is a warning. */
    optional?: boolean;
    /** What it does, for a person. */
    title?: string;
    /** The name of its item, where the stage names them. */
    name?: string;
};

/** What the person is shown of a call before they decide on it. */
export type Preview = {
    preview: "none";
} | {
    preview: "command";
    /** The command. */
    command: string;
    /** Where it runs. */
    cwd: string;
} | {
    preview: "diff";
    /** The file. */
    path: string;
    /** What it holds now; absent: it does not exist. */
    before: string | null;
    /** What it will hold. */
    after: string;
} | {
    preview: "request";
    /** `GET`, `POST`, … */
    method: string;
    /** The whole address. */
    url: string;
    /** Its headers, a line each; values that are secret are left out. */
    headers?: string[];
    /** What is sent. */
    body: string | null;
};

/** A heading that was recognised. */
export type PreviewHeading = {
    /** 1 is the outermost. */
    level: number;
    /** Its words. */
    title: string;
    /** Paragraphs directly below it. */
    paragraphs: number;
};

/** A paragraph as it would be stored. */
export type PreviewParagraph = {
    /** Its id. */
    id: string;
    /** What it is: requirement, application, definition, recital … */
    kind: string;
    /** The beginning of its text. */
    text: string;
    /** What it refers to. */
    references: string[];
    /** Its page, where the format has pages. */
    page: number | null;
};

/** US dollars per million tokens, as a person agreed on them. */
export type PriceOverride = {
    /** Uncached input. */
    input: number;
    /** Output, thinking included. */
    output: number;
    /** Input read from the cache; without it as input. */
    cacheRead?: number | null;
    /** Input written to the cache; without it as input. */
    cacheWrite?: number | null;
};

/** A failure as it is shown and sent: what happened, whether trying again may help, what to do. */
export type Problem = {
    /** From the closed list. */
    code: ErrorCode;
    /** What happened, with the place, in words for a person. */
    message: string;
    /** Whether the same request may succeed later, unchanged. */
    retryable: boolean;
    /** What the person can do. */
    action?: string | null;
};

/** How careful it is. */
export type Profile = "strict" | "permissive" | "max_automation";

/** A mode of a profile. */
export type ProfileMode = {
    /** Its name. */
    name: string;
    /** When to choose it. */
    description: string;
};

/** A profile of missions. */
export type ProfileRow = {
    /** Its folder. */
    slug: string;
    /** Its name. */
    name: string;
    /** What it is for. */
    description: string;
    /** Requests that show what it can do. */
    examples: string[];
    /** Its modes with their descriptions. */
    modes: ProfileMode[];
    /** What each criterion has to reach. */
    criteria: { [key: string]: Criterion };
    /** Its limits. */
    limits: LimitUse[];
    /** The agents that it allows; empty: every one. */
    agents: string[];
    /** The sections that its report has to have. */
    sections: string[];
    /** Whether it is shipped with the program. */
    shipped: boolean;
    /** What is wrong with it; it can't be used then. */
    problems: string[];
};

/** A prompt. */
export type PromptText = {
    /** Its file name. */
    name: string;
    /** Its text. */
    text: string;
};

/** What a model would be sent. */
export type PromptView = {
    /** The system prompt. */
    system: string;
    /** Its tools: names and descriptions. */
    tools: ToolRow[];
    /** Estimated tokens of both. */
    tokens: number;
};

/** How far code alone could carry a sentence. */
export type Proof = "quoted" | "named_things" | "none";

/** From a claim to what was read. */
export type Provenance = {
    /** The claim. */
    claim: Claim;
    /** Its citations, each with its source. */
    citations: CitedSource[];
    /** The contradictions that it is part of. */
    contradictions: Contradiction[];
};

/** The protocols. */
export type ProviderKind = "offline" | "anthropic" | "openai" | "openai-chat" | "gemini" | "ollama";

/** A question of the agent to the person. */
export type Question = {
    /** The question. */
    text: string;
    /** Answers to choose from; any text may be given besides. */
    options?: QuestionOption[];
    /** Whether several may be chosen. */
    several?: boolean;
};

/** An answer to choose. */
export type QuestionOption = {
    /** The answer. */
    label: string;
    /** What it means. */
    description?: string;
};

/** A message that waits for the turn before it. */
export type QueuedMessage = {
    /** Its id. */
    id: string;
    /** The message. */
    message: UserMessage;
    /** When it was sent, in milliseconds since 1970. */
    at: number;
};

/** A limit that was raised for one run, day or month. */
export type RaisedLimit = {
    /** What it is for. */
    span: LimitSpan;
    /** The run's id, the day (`2026-11-28`) or the month (`2026-11`). */
    of: string;
    /** The connection whose limit it is; absent: that of all connections together. */
    connection?: string | null;
    /** The limit that holds instead, in US dollars. */
    usd: number;
};

/** What a person should know about the reading of a file. */
export type ReadingNote = {
    /** Its path below the folder that was ingested, or its name. */
    file: string;
    /** The page or line, as in `page 4`; empty for the whole file. */
    place: string;
    /** What was found. */
    what: string;
};

/** What else is kept of a call to a model that has ended. */
export type Receipt = {
    /** The answer as the provider gave it, as a blob; of a failed call, what had come. */
    received?: Digest | null;
    /** The id under which the provider's support finds the request. */
    request_id?: string | null;
    /** What it would have cost by use, where a flat rate pays. It counts in no budget. */
    equivalent?: NanoUsd;
    /** Of a failed call that the provider goes on with: the id of its response. The next try fetches that answer and asks nothing new, and what it costs is booked then. */
    response_id?: string | null;
    /** Of a failed call: whether the next try goes on from the draft that was kept of its answer. */
    continues?: boolean;
};

/** An event with its place in the log. */
export type Record = {
    /** Position in the run's log, from 1 without gaps. */
    seq: number;
    /** When, in milliseconds since 1970 (UTC): for display only, never for logic. */
    at: number;
    /** The version of the event's form. */
    v: number;
    /** Active milliseconds since the previous record, by a monotonic clock. */
    active_ms?: number;
} & ({
    type: "run_started";
    session: SessionId;
    agent: AgentSlug;
    request: string;
    /** The depth that the person chose. */
    depth: string | null;
    /** Everything the run pins: configuration, prompts, schemas, prices, corpus, as one blob. */
    pinned: Digest;
    previous: RunId | null;
    budget: Budget;
    /** What stays reserved for each essential stage that has not run. */
    essential: Reserve;
    /** Whether calls that a crash left unknown are issued again without asking. */
    retry_ambiguous?: boolean;
    /** What it was expected to use. */
    forecast?: RunForecast | null;
    /** What it was given besides the question, as a blob. */
    inputs?: Digest | null;
    /** The call that it carries out, where it is a child run. */
    parent?: ParentCall | null;
    /** The run that it repeats. */
    base?: BaseRun | null;
} | {
    type: "followup_context_loaded";
    number: number;
    context: Digest | null;
    warning: string | null;
} | {
    type: "stage_started";
    stage: StageId;
    attempt: number;
    /** 0, or which repair. */
    iteration?: number;
    /** The number of the conversation that it goes on in or begins; 0: one of its own, which no other stage goes on in. */
    conversation?: number;
} | {
    type: "stage_planned";
    stage: StageId;
    attempt: number;
    wave: number;
    calls: PlannedCall[];
    cut?: Cut;
} | {
    type: "call_reused";
    key: CallKey;
    output: Digest;
    from: ReusedCall;
} | {
    type: "call_prepared";
    key: CallKey;
    request: Digest;
    reserve: Reserve;
} | {
    type: "model_call_requested";
    key: CallKey;
    try: number;
    request: Digest;
    reserve: Reserve;
} | {
    type: "model_call_accepted";
    key: CallKey;
    try: number;
    response_id: string;
} | {
    type: "model_call_drafted";
    key: CallKey;
    try: number;
    words: number;
    /** The text, as a blob. */
    draft: Digest;
    /** Where it stands in the answer; absent where no answer can go on from it. */
    place?: DraftPlace | null;
} | {
    type: "model_call_completed";
    key: CallKey;
    try: number;
    answer: Answer;
    usage: Usage;
    cost: NanoUsd;
    stop: string;
    model: string;
    response_id?: string | null;
    truncated?: boolean;
    ms: number;
    receipt?: Receipt;
} | {
    type: "model_call_failed";
    key: CallKey;
    try: number;
    problem: Problem;
    /** Milliseconds to wait before the next attempt; `None`: no further attempt can help. */
    retry_in: number | null;
    usage: Usage;
    cost: NanoUsd;
    receipt?: Receipt;
} | {
    type: "tool_call_requested";
    key: CallKey;
    try: number;
    request: Digest;
} | {
    type: "tool_call_completed";
    key: CallKey;
    try: number;
    output: Digest;
    ms: number;
} | {
    type: "tool_call_failed";
    key: CallKey;
    try: number;
    problem: Problem;
    retry_in: number | null;
} | {
    type: "call_needs_permission";
    key: CallKey;
    try: number;
    /** What it would do and why it is asked about, as a blob. */
    asks: Digest;
} | {
    type: "timer_set";
    key: CallKey;
    ms: number;
} | {
    type: "timer_fired";
    key: CallKey;
} | {
    type: "outcome_unknown";
    key: CallKey;
    try: number;
    /** Whether the next try goes on from the draft that was kept of its answer. */
    continues?: boolean;
} | {
    type: "stage_completed";
    stage: StageId;
    attempt: number;
    output: Digest;
    summary?: string;
    /** A verify stage's verdict. */
    passed?: boolean | null;
    /** Scores by axis in millionths. */
    scores?: { [key: string]: number };
    warnings?: string[];
    /** Of a repair's check that does not pass: whether it made enough progress, where its unit has a rule for it. */
    progress?: boolean | null;
} | {
    type: "stage_failed";
    stage: StageId;
    attempt: number;
    problem: Problem;
} | {
    type: "stage_skipped";
    stage: StageId;
    by: SkippedBy;
    why: string;
    output?: Digest | null;
} | {
    type: "pause_requested";
    pause: PauseId;
    stage: StageId;
} & ({
    kind: "stage";
} | {
    kind: "ambiguous";
    /** The call. */
    key: CallKey;
} | {
    kind: "budget";
} | {
    kind: "dialogue";
    /** The call that the child carries out. */
    key: CallKey;
} | {
    kind: "child";
    /** The call that the child carries out. */
    key: CallKey;
} | {
    kind: "gate";
    /** The unit's index. */
    unit: number;
} | {
    kind: "permission";
    /** The wave. */
    wave: number;
} | {
    kind: "handoff";
}) | {
    type: "pause_formatted";
    pause: PauseId;
    shape: string;
    length: number;
    /** The form: message, choices, questions; as a blob. */
    form: Digest;
} | {
    type: "resumed";
    pause: PauseId;
    decision: Decision;
    /** The whole reply, as a blob, where it goes on to a child run. */
    reply?: Digest | null;
} | {
    type: "budget_set";
    budget: Budget;
} | {
    type: "edited";
    stage: StageId;
    output: Digest;
    /** A depth that the edit chose. */
    depth?: string | null;
} | {
    type: "amended";
    stage: StageId;
    feedback: string;
} | {
    type: "guidance_queued";
    text: string;
} | {
    type: "repinned";
    /** Everything that the run pins from now on. */
    pinned: Digest;
    /** What stays reserved for each essential stage that has not run, at the new prices. */
    essential: Reserve;
} | {
    type: "repair_started";
    unit: number;
    iteration: number;
    scores?: { [key: string]: number };
} | {
    type: "repair_ended";
    unit: number;
    reason: RepairEnd;
    /** The iteration whose outputs stand. */
    chosen: number;
} | {
    type: "budget_exceeded";
    stage: StageId;
    needed: Reserve;
    left: Budget;
} | {
    type: "model_call_withheld";
    key: CallKey;
    try: number;
    limit: LimitReached;
} | {
    type: "cancel_requested";
} | {
    type: "suspended";
} | {
    type: "continued";
} | {
    type: "context_handoff_requested";
    stage: StageId;
    /** The share of the window that is used, from 0 to 1. */
    fill: number;
    /** Tokens that the conversation holds. */
    used?: number;
    /** Tokens that fit into the model's window. */
    window?: number;
    /** Tokens that the stage is taken to need. */
    needed?: number;
} | {
    type: "context_handoff_approved";
    stage: StageId;
    /** The handoff document, as a blob. */
    handoff: Digest;
} | {
    type: "child_run_started";
    key: CallKey;
    child: RunId;
} | {
    type: "child_run_finished";
    key: CallKey;
    try: number;
    child: RunId;
    end: ChildEnd;
    usage: Usage;
    cost: NanoUsd;
    equivalent?: NanoUsd;
    /** The most that its interrupted calls may have cost besides. */
    doubtful?: Reserve;
    ms: number;
    /** Of a turn of a conversation that stages share: what it left the conversation with. */
    fill?: ConversationFill;
} | {
    type: "run_completed";
} | {
    type: "run_failed";
    stage: StageId;
    problem: Problem;
} | {
    type: "run_retried";
    stage: StageId;
} | {
    type: "run_cancelled";
});

/** A connection of two entities. */
export type Relation = {
    /** Its id. */
    id: ItemId;
    /** One entity. */
    from: ItemId;
    /** The other. */
    to: ItemId;
    /** What connects them. */
    kind: string;
    /** One sentence about it; may be empty. */
    note: string;
    /** What it rests on. */
    citations: ItemId[];
};

/** A link between two paragraphs that a sentence claims. */
export type RelationRecord = {
    /** One end. */
    from: string;
    /** The other end. */
    to: string;
    /** The words that claim it. */
    claimed: string;
    /** Whether the graph has it. */
    exists: boolean;
    /** The kinds of the links that the graph has between them. */
    kinds?: string[];
};

/** What became of an attempt's worktree. */
export type Removal = {
    /** The attempt. */
    attempt: number;
    /** The folder. */
    folder: string;
    /** Whether it was removed. */
    removed: boolean;
    /** Why nothing is lost without its branch; `None` when it was saved on a ref first, or stays. */
    proof?: RemovalProof | null;
    /** Why it was not removed. */
    reasons: string[];
};

/** Why nothing is lost without an attempt's branch. */
export type RemovalProof = {
    kind: "no_commits";
} | {
    kind: "reachable";
    /** The ref. */
    reference: string;
} | {
    kind: "contained";
    /** The ref. */
    reference: string;
} | {
    kind: "in_history";
    /** The ref. */
    reference: string;
    /** The commit. */
    commit: string;
};

/** Why a repair unit ended without passing. */
export type RepairEnd = "exhausted" | "budget" | "failed" | "no_gain";

/** The run that a new one repeats: what did not change is taken from it. */
export type RepeatedRun = {
    /** That run. */
    run: RunId;
    /** The id or name of a stage that runs again with all that depends on it, whether anything changed or not. */
    from?: string | null;
    /** What stands in place of stages' outputs, by the stage's id or name. */
    edits?: { [key: string]: unknown };
};

/** What recomputing a stored run or turn gave. */
export type Replay = {
    /** The run or turn. */
    run: RunId;
    /** Events that were read, those of the turns of its stages included. */
    events: number;
    /** Local steps that were computed again and compared: decisions, gates, requests, verdicts, outputs, forms. */
    recomputed: number;
    /** Documents whose bytes came out the same. */
    documents: number;
    /** Whether everything that was computed again came out as it is recorded. */
    identical: boolean;
    /** Where something came out differently; the first 100. */
    differences?: Difference[];
    /** How many more differences there are. */
    more?: number;
    /** Steps that could not be computed again, because what they read is not stored; the first 100. */
    gaps?: Gap[];
};

/** What the person sent. */
export type Reply = {
    /** A choice's id: a button. With it the text is content, whatever it says. */
    choice?: string | null;
    /** Free text. */
    text?: string | null;
    /** Answers by question. */
    answers?: { [key: string]: string };
    /** The stage's output as edited. */
    edit?: unknown;
    /** Lists of it as edited, by field, in place of `edit`: of a long one only what changed is sent. */
    lists?: { [key: string]: ListPiece[] };
    /** A depth chosen with the edit. */
    depth?: string | null;
    /** The connection that the run goes on with. */
    connection?: string | null;
    /** Its model; without it the connection's default. */
    model?: string | null;
    /** Whether the program answers as it was told beforehand. */
    unattended?: boolean;
};

/** What became of everything. */
export type Report = {
    /** By kind. */
    counts: { [key: string]: Counts };
    /** What was changed or left out, and what is new and should be known by name, in the order in which it was met; at most 2,000. */
    lines: ReportLine[];
    /** How many more there are. */
    more: number;
};

/** What became of one thing. */
export type ReportLine = {
    /** What kind of thing: `session`, `message`, `source`, … */
    kind: string;
    /** Its name. */
    what: string;
    /** What became of it. */
    fate: Fate;
    /** Why, and what the person may do. */
    why: string;
    /** Its file, with a line or a field. */
    place: string;
};

/** A folder of a repository, at a base. */
export type RepositoryRef = {
    /** The folder, absolute. */
    folder: string;
    /** The branch, tag or commit; without it what is checked out. */
    base?: string | null;
};

/** One model request. */
export type RequestTokens = {
    /** The run that sent it. */
    run: RunId;
    /** Its agent. */
    agent: string;
    /** The stage. */
    stage: StageId;
    /** The stage's title. */
    title: string;
    /** `stage#attempt.wave.item`; for a stage that calls tools with the number of the request behind it: `… m2`. */
    key: string;
    /** The model. */
    model: string;
    /** How often it was sent; the provider's figures are of all attempts, the sections of the last one. */
    tries: number;
    /** What it was made of, in order. */
    sections: SectionTokens[];
    /** Estimated input tokens: the sum of its sections. */
    estimated: number;
    /** What the provider reported. */
    measured: Usage;
    /** What that cost, a flat rate as it would have cost by use. */
    cost: NanoUsd;
};

/** What one call may cost at most, set aside before it starts and released when it ends. */
export type Reserve = {
    /** Money. */
    cost: NanoUsd;
    /** Input and output tokens together. */
    tokens: number;
};

/** What came of it. */
export type Restored = {
    /** The sessions that are there now, in the order asked for. */
    sessions: string[];
    /** Whether it takes effect when the program starts next. */
    atNextStart: boolean;
    /** What happened, in words. */
    text: string;
};

/** What the rules of age are asked. */
export type RetentionQuery = {
    /** Rules to try instead of those in force; nothing is changed. */
    rules?: RetentionSettings | null;
    /** Whether those in force are applied now. */
    apply?: boolean;
    /** What was done at a time is taken back first, by its number. */
    undo?: number | null;
};

/** What the rules of age did at a time. */
export type RetentionRun = {
    /** Its number. */
    number: number;
    /** Milliseconds since 1970. */
    at: number;
    /** Sessions that were archived. */
    archived: number;
    /** Sessions that went into the trash. */
    trashed: number;
    /** Sessions that went for good. */
    purged: number;
    /** Whether it was taken back. */
    undone: boolean;
};

/** What happens to sessions as they grow old, in `settings.json`. Zero days: nothing. */
export type RetentionSettings = {
    /** Days after which a session that is done and read is archived. */
    archiveDoneDays: number;
    /** Days after which an archived session goes into the trash. */
    trashArchivedDays: number;
    /** Days after which what is in the trash goes for good. */
    emptyTrashDays: number;
    /** Whether flagged sessions stay where they are. */
    keepFlagged: boolean;
    /** Sessions with one of these labels stay where they are. */
    keepLabels: string[];
};

/** Which sessions the rules of age concern now. */
export type RetentionState = {
    /** Sessions that would be archived. */
    archive: number;
    /** Sessions that would go into the trash. */
    trash: number;
    /** Sessions that would go for good. */
    purge: number;
    /** What the rules did before, newest first; at most 50. */
    past: RetentionRun[];
};

/** What a run took over from the run that it repeats. */
export type ReuseRow = {
    /** The run that it repeats. */
    base: RunId;
    /** Calls whose result was taken over. */
    callsReused: number;
    /** Calls that were made. */
    callsMade: number;
    /** What the calls taken over had cost. */
    costSaved: NanoUsd;
    /** The tokens that they had used, input and output together. */
    tokensSaved: number;
    /** Names of the stages whose output was edited beforehand. */
    edited: string[];
};

/** A call of an earlier run whose result was taken over. */
export type ReusedCall = {
    /** The run that made it. */
    run: RunId;
    /** The call there. */
    key: CallKey;
    /** The tokens that it used there. */
    usage: Usage;
    /** What it cost there. */
    cost?: NanoUsd;
};

/** What an agent is invoked for. */
export type Role = "split" | "plan" | "coordinate" | "research" | "check" | "synthesise" | "review";

/** Rules of one file. */
export type RuleLayer = {
    /** `app`, `workspace`, `source` or `session`. */
    layer: string;
    /** The source's slug, of a source's file. */
    source: string;
    /** The file; empty for what comes with the program. */
    file: string;
    /** Its rules. */
    rules: RuleRow[];
    /** What is wrong with it. Its last good rules hold meanwhile. */
    problems: FileProblem[];
};

/** A rule. */
export type RuleRow = {
    /** `allow`, `ask` or `deny`. */
    effect: string;
    /** What it matches, in words. */
    matches: string;
    /** Why it is there. */
    reason: string;
};

/** A rule set. */
export type RuleSetRow = {
    /** Its name. */
    name: string;
    /** Its title. */
    title: string;
    /** Whether the person added it. */
    own: boolean;
    /** Why it can't be used, where it can't. */
    fault: string | null;
};

/** What a rule is. */
export type RuleTried = {
    /** What is wrong with it. */
    fault: string | null;
    /** What it would do; places are UTF-16 units. */
    found: TryOut;
};

/** A rule that is being written. */
export type RuleTry = {
    /** Its label. */
    label: string;
    /** What the label's values are. */
    valueType?: ValueType | null;
    /** The rule. */
    rule: AutoRule;
    /** A message to try it on. */
    text: string;
};

/** What became of the paragraphs that a document cites. */
export type RunCheck = {
    /** The run. */
    run: RunId;
    /** Sentences of which the run kept records. */
    sentences: number;
    /** Sentences that no longer hold as they were checked: a paragraph that they cite has other words, is withdrawn, or is not there. */
    stale: number;
    /** Citations whose paragraph is not what and where it was, in the order of the text. */
    citations: ParagraphStateRow[];
    /** The newest lock of the document, where it is locked. */
    lock?: DocumentLock | null;
    /** Sentences, by number, that the lock no longer covers: their sources changed after it. */
    reopened?: number[];
};

/** What two runs have in common and what they do not. */
export type RunComparison = {
    /** Whether nothing differs but when they ran, how long they took and what they cost. */
    same: boolean;
    /** The first run. */
    left: ComparedRun;
    /** The second. */
    right: ComparedRun;
    /** What they pinned, where that differs. */
    pins: PinDifference[];
    /** Every stage of both, in order. */
    stages: StageComparison[];
    /** The statements of their documents, matched, in the order of the text. */
    statements: StatementPair[];
    /** The paragraphs that one of the documents or both cite. */
    sources: SourcePair[];
    /** The documents, block by block. */
    rows: WordRow[];
};

/** What a run is expected to use, as it was known when it began. */
export type RunForecast = {
    /** Money, in billionths of a dollar; where a flat rate pays, what it would cost by use. */
    cost: ForecastRange;
    /** Tokens, input and output. */
    tokens: ForecastRange;
    /** Earlier runs of the same agent, model and depth that it comes from; 0: from the agent's limits alone. */
    runs: number;
    /** Whether no price of the model is known: then only the tokens count. */
    unpriced?: boolean;
};

/** What an id names. */
export type RunFound = {
    /** The whole id. */
    run: RunId;
    /** Its session. */
    session: string;
    /** What it is. */
    kind: RunKind;
};

/** A run of an agent: `run-` and 26 characters that sort by time of creation. */
export type RunId = string;

/** What a link of a session is. */
export type RunKind = "run" | "turn" | "mission";

/** Some runs. */
export type RunPage = {
    /** The runs, newest first. */
    runs: RunRow[];
    /** Where the next page begins. */
    next: number | null;
};

/** The runs to compare. */
export type RunPair = {
    /** The first. */
    left: RunRef;
    /** The second. */
    right: RunRef;
};

/** A run's checkpoints and the tables of its outputs. */
export type RunProgress = {
    /** The run. */
    run: RunId;
    /** The file with its state, in the folder of its session, where its agent has one. */
    stateFile?: string | null;
    /** Its checkpoints, the oldest first; of more than 2,000 the newest. */
    checkpoints: CheckpointRow[];
    /** The tables of what it has put out, as its agent declares them. */
    tables: TableView[];
    /** What is being written, or was when the run was interrupted, as far as it was streamed: its own, and that of the runs that work for it. */
    drafts?: DraftRow[];
};

/** Names a run: its id, or the newest. */
export type RunRef = {
    id: string;
} | "last" | "last_open";

/** A run in a list. */
export type RunRow = {
    /** Its id. */
    run: RunId;
    /** Its session. */
    session: string;
    /** Its agent. */
    agent: string;
    /** How its log says that it stands. */
    status: RunStatus;
    /** The question's first line. */
    title: string;
    /** Milliseconds since 1970. */
    createdAt: number;
    /** Milliseconds since 1970. */
    updatedAt: number;
};

/** A run's state. */
export type RunState = {
    /** Its id. */
    run: RunId;
    /** Its session. */
    session: string;
    /** Its agent. */
    agent: string;
    /** The agent's name for people. */
    agentName: string;
    /** The question. */
    request: string;
    /** What it was given besides, where its agent takes inputs. */
    inputs?: unknown;
    /** How it stands; interrupted where its log says that it runs, and nobody drives it. */
    status: RunStatus;
    /** The last event's number. */
    seq: number;
    /** Milliseconds since 1970. */
    createdAt: number;
    /** Milliseconds since 1970. */
    updatedAt: number;
    /** The depth it runs with. */
    depth: string | null;
    /** The depths that its agent knows. */
    depths: string[];
    /** The knowledge base it reads, with its generation. */
    corpus: string | null;
    /** The documents that went with the question or one before it, and are asked as well. */
    attached?: Attachment[];
    /** The connection. */
    connection: string;
    /** The model. */
    model: string;
    /** The run that it follows up. */
    previous: RunId | null;
    /** The run that it works for. */
    parent?: RunId | null;
    /** What it took over from the run that it repeats, where it repeats one. */
    reuse?: ReuseRow | null;
    /** Whether the agent takes follow-up questions. */
    followUp: boolean;
    /** Its stages, in order. */
    stages: StageRow[];
    /** Open pauses. */
    pauses: Form[];
    /** Pauses that were answered, in order. */
    answered: AnsweredPause[];
    /** Text queued for the next pause or stage. */
    guidance: string[];
    /** The document, where it has been written. */
    document: DocumentCard | null;
    /** Tokens used. */
    usage: Usage;
    /** Money used. */
    cost: NanoUsd;
    /** What a flat rate paid for, as it would have cost by use. It counts in no budget. */
    equivalent?: NanoUsd;
    /** Whether no price of its model is known: then `cost` says nothing. */
    unpriced?: boolean;
    /** Whether only the offline engine answered: its usage counts texts that no model was given. */
    noModel?: boolean;
    /** What it was expected to use when it began; absent for runs of earlier versions. */
    forecast?: RunForecast | null;
    /** What it may use. */
    budget: Budget;
    /** The most that interrupted calls may have cost besides. */
    doubtful: NanoUsd;
    /** How many calls may have been paid twice. */
    maybePaidTwice: number;
    /** Active milliseconds. */
    activeMs: number;
    /** Why it failed. */
    problem: Problem | null;
    /** Events, where asked for. */
    events?: Record[];
    /** Outputs by stage name, where asked for. */
    outputs?: unknown;
};

/** How a run stands, as the lists of runs and sessions say it. */
export type RunStatus = "running" | "waiting" | "planned" | "paused" | "suspended" | "interrupted" | "completed" | "stopped" | "failed" | "cancelled";

/** The model requests of a run and of its child runs, by section. Tokens of sections are estimates, computed again from the log; usage and cost are what the provider reported. */
export type RunTokens = {
    /** The run. */
    run: RunId;
    /** Its requests in the order in which they were first sent, child runs after the requests of their parent. */
    requests: RequestTokens[];
    /** Sums by stage: of the agent and its stage. */
    stages: TokenSum[];
    /** Sums by section. */
    sections: TokenSum[];
    /** Estimated input tokens of all requests that could be computed again. */
    estimated: number;
    /** What the provider reported for all requests, repeated attempts included. */
    measured: Usage;
    /** What the provider's figures cost, flat rates as they would have cost by use. */
    cost: NanoUsd;
    /** Requests that could not be computed again, in words. */
    leftOut: string[];
    /** The requests under other strategies, where that was asked for. */
    strategies?: StrategyTokens[];
};

/** The whole content of a worktree at one time, except ignored files, as a commit on a ref of its own. */
export type Savepoint = {
    /** Its number in the attempt, from 1. */
    number: number;
    /** The ref that holds it. */
    reference: string;
    /** Its commit; the parent is what was checked out. */
    commit: string;
    /** Its tree. */
    tree: string;
    /** What it is for. */
    label: string;
    /** When it was made, in milliseconds since 1970. */
    at: number;
};

/** A save point to be made. */
export type SavepointMake = {
    /** The attempt. */
    attempt: AttemptId;
    /** What it is for. */
    label?: string;
};

/** What is looked at. It hides, and never deletes: a wider scope shows everything again. */
export type Scope = {
    /** Only what is about one of these entities; everything where there are none. */
    entities?: ItemId[];
    /** Only what rests on sources of these kinds; on any where there are none. */
    kinds?: SourceKind[];
    /** Only what rests on sources of these origins; on any where there are none. */
    origins?: string[];
};

/** What a search found. */
export type SearchExplained = {
    /** The query's words as they were searched for. */
    terms: string[];
    /** The hits, best first. */
    hits: SearchRow[];
    /** Milliseconds. */
    ms: number;
    /** What the meaning was compared with: the model of the vectors, `corpus` for what was learned from the texts themselves, none for words alone. */
    meaning: string | null;
    /** What the question says of documents, where that chooses among them: a name, a period, a kind. They come first. */
    scope?: string[];
};

/** What a search over everything found. */
export type SearchHit = {
    /** What it is. */
    kind: SearchKind;
    /** A session's id, a run's id, an agent's or source's slug, or a base's name. */
    id: string;
    /** Its title. */
    title: string;
    /** One line of where the text was found. */
    line: string;
};

/** What a search hit is. */
export type SearchKind = "session" | "agent" | "source" | "base";

/** A hit, and why it is one. */
export type SearchRow = {
    /** The paragraph. */
    paragraph: ParagraphRow;
    /** Its score. */
    score: number;
    /** Its score by words alone. */
    words: number;
    /** The query's words that it contains. */
    matched: string[];
    /** The paragraphs over which it was reached by a reference, where it was. */
    path: string[];
    /** Where matched words stand in the text. */
    highlights: TextRange[];
    /** The base it stands in. */
    base: string;
    /** That base's tier. */
    tier: string;
    /** How near its meaning is to the query's, -1 to 1, where that was compared. */
    similarity: number | null;
    /** The words that brought its score, with their shares, largest first. */
    shares: TermShare[];
    /** Paragraphs that say the same and are left out. */
    duplicates: string[];
};

/** A secret that a configuration names. */
export type SecretUse = {
    /** Its name in the vault. */
    name: string;
    /** Whether it is there. */
    present: boolean;
    /** What it is, in words. */
    label: string;
    /** Whether the source can do without it. */
    optional: boolean;
    /** Whether it is there but was not given for what the source reaches now: it is not used. */
    unbound: boolean;
    /** When it was stored, in milliseconds since 1970. */
    storedAt: number | null;
};

/** A section of a prompt. */
export type SectionRow = {
    /** `system`, or the section's name. */
    name: string;
    /** Its text; at most 200,000 characters. */
    text: string;
    /** Estimated tokens. */
    tokens: number;
};

/** A section of a request. */
export type SectionTokens = {
    /** `system`, `tools`, `schema`, a section's name, `text` for what stands in none, `format` for what messages cost besides; of a stage that calls tools `answers` and `results`, and `conversation` for what was said before the stage. */
    name: string;
    /** Estimated tokens. */
    tokens: number;
    /** Thousandths of the request. */
    share: number;
    /** Estimated tokens of it that the provider read from its cache: what it reported, laid over the request's beginning. */
    cached: number;
};

/** What became of a message. */
export type Sent = {
    /** Its session. */
    session: string;
    /** The turn that it began. */
    turn: RunId | null;
    /** The staged run that it began, because it names an agent with stages. */
    run: RunId | null;
    /** Its place in the queue, where it waits. */
    queued: string | null;
    /** The turn under way that it was given to. */
    steered: RunId | null;
    /** What else happened: sources that a mention enabled. */
    notes: string[];
};

/** How many sentences got a verdict. */
export type SentenceCount = {
    /** The verdict. */
    verdict: SentenceVerdict;
    /** How many. */
    count: number;
};

/** A sentence with a problem. */
export type SentenceProblem = {
    /** The sentence. */
    text: string;
    /** What is wrong with it. */
    problem: string;
};

/** One sentence of an answer. */
export type SentenceRecord = {
    /** Its place among the answer's sentences, from 1. */
    n: number;
    /** The sentence, citations included. */
    sentence: string;
    /** The sentence without its citations: what was compared. */
    claim: string;
    /** Its citations. */
    citations: CitationRecord[];
    /** The things it names. */
    entities: EntityRecord[];
    /** The links it claims. */
    relations: RelationRecord[];
    /** Sentences that may contradict it. */
    conflicts: ConflictRecord[];
    /** What came of it. */
    verdict: SentenceVerdict;
    /** How far code alone could carry it. */
    proof: Proof;
    /** How the verdict was reached. */
    method: Method;
    /** Why, in a sentence. */
    reason: string;
    /** What a judge found, where one read it. */
    finding?: JudgeFinding | null;
};

/** What checking one sentence found. */
export type SentenceVerdict = "verified" | "judged_supported" | "unverified" | "mismatch" | "withdrawn" | "missing" | "uncited";

/** The automation that began a session. */
export type SessionAutomation = {
    /** Its id. */
    id: string;
    /** Its name for people, where it is still there. */
    title: string | null;
};

/** A session that is copied as a whole. */
export type SessionCopy = {
    /** The session. */
    session: string;
};

/** How many sessions each view has. */
export type SessionCounts = {
    inbox: number;
    running: number;
    needsYou: number;
    done: number;
    flagged: number;
    archived: number;
    trash: number;
};

/** A session with what was found in it. */
export type SessionHit = {
    /** The session. */
    session: SessionRow;
    /** Its title in pieces, where a word was found there. */
    title: Excerpt[];
    /** The best messages, at most three. */
    messages: MessageHit[];
    /** How many messages have the words; at most 1,000 are counted. */
    found: number;
};

/** A session: `YYMMDD-adjective-noun`. */
export type SessionId = string;

/** Sessions that move to another workspace. */
export type SessionMove = {
    /** The sessions. */
    sessions: string[];
    /** Where to. */
    workspace: string;
};

/** Some sessions, the one changed last first. */
export type SessionPage = {
    /** The sessions. */
    sessions: SessionRow[];
    /** Where the next page begins. */
    next: number | null;
    /** What is wrong with the view's expression or the line; then nothing is listed. Places are UTF-16 units. */
    mistakes?: Mistake[];
};

/** What changes in a session; what is absent stays. */
export type SessionPatch = {
    /** A new title; not empty. */
    title?: string | null;
    /** Flagged or not. */
    flagged?: boolean | null;
    /** Unread or not. */
    unread?: boolean | null;
    /** Archived or not. */
    archived?: boolean | null;
    /** Deleted or restored. What is deleted goes for good a week later, or with `session_purge`. */
    deleted?: boolean | null;
    /** Its status' id. */
    status?: string | null;
    /** Labels that it gets: ids, or `id::value`, in place of another value of the same label. */
    addLabels?: string[];
    /** Labels that it loses: ids, whatever their value, or `id::value`. */
    removeLabels?: string[];
    /** The connection that its next run takes; empty for none of its own. Its model is then the connection's default, unless one is given, too. */
    connection?: string | null;
    /** The model that its next run takes; empty for the connection's default. */
    model?: string | null;
};

/** What a list of sessions asks for. */
export type SessionQuery = {
    /** Which ones. */
    view?: SessionView;
    /** Only with this text in their title or in a question. */
    text?: string | null;
    /** Only those that this view of the workspace shows. */
    saved?: string | null;
    /** Only with this status. */
    status?: string | null;
    /** Only with this label, or one below it. */
    label?: string | null;
    /** Only those that fit a search line: filters, and words of the title. */
    line?: string | null;
    /** Only those of this group. */
    group?: GroupFilter | null;
    /** Only of this workspace. */
    workspace?: string | null;
    /** The time zone's offset from UTC in minutes, for days; east is positive. */
    offsetMinutes?: number;
    /** Only with a run of this agent. */
    agent?: string | null;
    /** What it is sorted by, instead of by what the view says or by the order of change. */
    sort?: SessionSort | null;
    /** The most rows; at most 200, 0 for 100. */
    limit?: number;
    /** Continues a list: the `next` of the page before. */
    before?: number | null;
};

/** A session in a list. */
export type SessionRow = {
    /** Its id. */
    session: string;
    /** Its title. */
    title: string;
    /** Milliseconds since 1970. */
    createdAt: number;
    /** Milliseconds since 1970: the last thing that happened in it. */
    updatedAt: number;
    /** How many runs it has. */
    runs: number;
    /** Its newest run. */
    latest: LatestRun | null;
    /** Flagged by the person. */
    flagged: boolean;
    /** Something happened that the person has not seen. */
    unread: boolean;
    /** Archived. */
    archived: boolean;
    /** Deleted, and not yet gone for good. */
    deleted: boolean;
    /** Whether something typed waits in it. */
    hasDraft: boolean;
    /** The connection that its next run takes; empty for none of its own: then the agent's or the default one. */
    connection: string;
    /** The model that its next run takes; empty for the connection's default. */
    model: string;
    /** Whether that connection is gone: its next run takes another one. */
    connectionGone: boolean;
    /** Its workspace. */
    workspace: string;
    /** Its status' id. */
    status: string;
    /** Its labels: ids, or `id::value`. */
    labels: string[];
    /** The beginning of its first message. */
    preview: string;
    /** How many messages it has. */
    messages: number;
    /** Its permission mode. */
    mode: Mode;
    /** Sentences of its newest answer that rest on text which a knowledge base has changed or withdrawn since; 0 where none is known. */
    stale: number;
};

/** What a session is set to. Its own: nothing of it reaches another session. */
export type SessionSetup = {
    /** How much its agent may do unasked. */
    mode: Mode;
    /** Folders that its tools may work in, absolute; the first is where commands run. Empty: none. */
    folders: string[];
    /** Slugs of the sources whose tools it has. */
    sources: string[];
    /** The agent that it talks to; empty for none. */
    agent: string;
    /** How hard to think. */
    effort?: Effort | null;
    /** What happens to a message that is sent while a turn is under way. */
    whenBusy: WhenBusy;
    /** Whether it has no tools at all and is told nothing but its messages. */
    bare?: boolean;
};

/** What a list of sessions is sorted by. */
export type SessionSort = "changed" | "created" | "title";

/** A session with its newest runs. */
export type SessionState = {
    /** The session. */
    session: SessionRow;
    /** Its runs, oldest first: the newest page, or the one asked for. */
    runs: RunState[];
    /** Its turns of the same page, oldest first, with those of its runs' stages. */
    turns: TurnView[];
    /** Its missions of the same page, oldest first. */
    missions: MissionView[];
    /** The runs, turns and missions of the page in the order in which they are shown, oldest first. */
    order: RunId[];
    /** All turns of the session that others replaced: they are stored, shown nowhere and on no page. */
    replaced: RunId[];
    /** What it has besides. */
    chat: ChatState;
    /** Where the page of older runs begins, where there is one. */
    earlier: number | null;
    /** The automation that began it. */
    begunBy?: SessionAutomation | null;
};

/** Which sessions a list shows. */
export type SessionView = "inbox" | "running" | "needs_you" | "done" | "flagged" | "archived" | "trash";

/** What a person sets, kept in `settings.json`. */
export type Settings = {
    /** Light, dark, or as the desktop has it. */
    mode: ColorMode;
    /** The theme's name. */
    theme: string;
    /** Zoom of everything, 0.7 to 1.6. */
    zoom: number;
    /** Whether a native notification tells that a run paused, finished or failed. */
    notifications: boolean;
    /** Whether closing the window leaves the program in the tray. */
    closeToTray: boolean;
    /** The agent that a new question goes to. */
    defaultAgent: string;
    /** The depth of a new question; empty for the agent's. */
    defaultDepth: string;
    /** The connection of a new question; empty for the agent's, else the offline engine. */
    defaultConnection: string;
    /** Connections of single agents, by the agent's slug: before what the agent itself names. */
    agentConnections: { [key: string]: string };
    /** Whether Enter sends; otherwise Ctrl+Enter does. */
    enterSends: boolean;
    /** Whether follow-ups of runs pause at their plan; otherwise they go on by themselves. */
    pauseFollowUps: boolean;
    /** Whether the model titles a conversation after its first answer. */
    modelTitles: boolean;
    /** Whether the first-run page was left. */
    welcomed: boolean;
    /** Backups that are made by themselves. */
    backup: BackupSettings;
    /** What happens to sessions as they grow old. */
    retention: RetentionSettings;
    /** The slug of the person's current workspace. */
    workspace: string;
    /** Limits on money. */
    limits: LimitSettings;
};

/** New values for some settings; what is absent stays. */
export type SettingsPatch = {
    mode?: ColorMode | null;
    theme?: string | null;
    zoom?: number | null;
    notifications?: boolean | null;
    closeToTray?: boolean | null;
    defaultAgent?: string | null;
    defaultDepth?: string | null;
    defaultConnection?: string | null;
    agentConnections?: { [key: string]: string } | null;
    enterSends?: boolean | null;
    pauseFollowUps?: boolean | null;
    modelTitles?: boolean | null;
    welcomed?: boolean | null;
    backup?: BackupSettings | null;
    retention?: RetentionSettings | null;
    workspace?: string | null;
    limits?: LimitSettings | null;
};

/** How a contradiction was settled. There is no other way to settle one. */
export type Settlement = {
    by: "preferred";
    /** The claim that stands. */
    claim: ItemId;
    /** The claims or citations that decide it; at least one. */
    evidence: ItemId[];
} | {
    by: "compatible";
    /** The claims or citations that show it; at least one. */
    evidence: ItemId[];
} | {
    by: "person";
    /** The claim that stands, where one does. */
    claim?: ItemId | null;
    /** In the user's words. */
    reason: string;
};

/** What makes a new worktree ready to work in. */
export type SetupCommand = {
    /** A command line for the shell. */
    command: string;
    /** How long it may take. */
    timeoutSeconds: number;
};

/** Changes of what a session is set to; what is absent stays. */
export type SetupPatch = {
    /** The mode. */
    mode?: Mode | null;
    /** Folders, absolute; the first is where commands run. */
    folders?: string[] | null;
    /** Sources. */
    sources?: string[] | null;
    /** The agent; empty for none. */
    agent?: string | null;
    /** How hard to think; null: as the model has it. */
    effort?: Effort | null;
    /** What happens to messages that are sent while a turn is under way. */
    whenBusy?: WhenBusy | null;
    /** Whether it has no tools at all and is told nothing but its messages. */
    bare?: boolean | null;
};

/** What is to be shared. */
export type SharePageOptions = {
    /** The session. */
    session?: string;
    /** Ids of findings that stay in the page all the same. */
    keep?: string[];
    /** Days until nobody can read it any more; 0 for seven, at most 365. */
    days?: number;
    /** The share whose page is replaced; absent for a new one. */
    replace?: string | null;
    /** The owner's token of the share that is replaced, where it was made elsewhere. */
    token?: Hidden | null;
};

/** A share that ends. */
export type ShareRevoke = {
    /** Its public id. */
    id: string;
};

/** A page that others may read while `serve --share` runs. */
export type ShareRow = {
    /** Its public id: whoever knows it can read the page. */
    id: string;
    /** The session. */
    session: string;
    /** Its title when it was shared. */
    title: string;
    /** When it was made, in milliseconds since 1970. */
    createdAt: number;
    /** When its page was made last. */
    updatedAt: number;
    /** When nobody can read it any more. */
    expiresAt: number;
    /** Bytes of its page. */
    bytes: number;
    /** The path below the server's address. */
    path: string;
    /** The owner's token, told once: with the answer that makes the share. */
    token?: string | null;
};

/** A background command's output. */
export type ShellOutput = {
    /** The command. */
    shell: ShellRow;
    /** The last 100,000 bytes of its output. */
    text: string;
    /** Bytes of output in all. */
    bytes: number;
};

/** A command that goes on in the background. */
export type ShellRow = {
    /** Its id. */
    id: string;
    /** Its session. */
    session: string;
    /** The command. */
    command: string;
    /** When it began, in milliseconds since 1970. */
    startedAt: number;
    /** Its exit code, when it has ended. */
    exit: number | null;
    /** Whether it goes on. */
    running: boolean;
};

/** Something that a tool made for the person to see beside its result. */
export type Show = {
    show: "change";
    /** The file, absolute. */
    path: string;
    /** Before; absent: it did not exist. */
    before: Digest | null;
    /** After; absent: it is gone. */
    after: Digest | null;
    /** Lines added. */
    added: number;
    /** Lines removed. */
    removed: number;
} | {
    show: "tasks";
    /** All of them, in order. */
    tasks: Task[];
} | {
    show: "plan";
    /** Its title. */
    title: string;
    /** Markdown. */
    text: string;
    /** Its file, absolute. */
    path: string;
} | {
    show: "media";
    /** `image/png`, … */
    mediaType: string;
    /** Its bytes as a blob. */
    data: Digest;
    /** A name. */
    name: string;
} | {
    show: "background";
    /** Its id. */
    shell: string;
} | {
    show: "value";
    /** The value. */
    value: unknown;
};

/** Which of the two compared files a line is in. */
export type Side = "new" | "old";

/** A sign-in under way in the browser. */
export type SignIn = {
    /** Its id. */
    id: string;
    /** The address to open in the browser. */
    url: string;
    /** How it stands. */
    state: SignInState;
    /** Why it failed, or whom it signed in as. */
    message: string;
};

/** How a sign-in stands. */
export type SignInState = "waiting" | "done" | "failed";

/** A skill in a list. */
export type SkillRow = {
    /** Its folder's name: what `/name` calls it. */
    slug: string;
    /** Its name. */
    name: string;
    /** When it is of use. */
    description: string;
    /** `shipped`, `workspace`, `user` or `project`. */
    origin: string;
    /** Files that it is for. */
    globs: string[];
    /** Sources that it needs. */
    requiredSources: string[];
    /** What is wrong with it. */
    problems: FileProblem[];
};

/** A skill. */
export type SkillView = {
    /** The skill. */
    skill: SkillRow;
    /** Its instructions, Markdown. */
    text: string;
    /** Its SKILL.md as it stands. */
    source: string;
    /** Its folder. */
    folder: string;
    /** Files beside its instructions. */
    files: string[];
};

/** Why a stage did not run. */
export type SkippedBy = "config" | "person" | "failure" | "budget";

/** A file that was not copied. */
export type SkippedFile = {
    /** The file, below the checkout. */
    path: string;
    /** Why. */
    reason: string;
};

/** A field to sort by. */
export type SortKey = {
    /** The field's name, as in expressions. */
    field: string;
    /** Which comes first. */
    direction: Direction;
};

/** In which order items are listed. */
export type Sorting = "found" | "newest" | "confidence";

/** A document or page that was read. */
export type Source = {
    /** Its id. */
    id: ItemId;
    /** Its title. */
    title: string;
    /** Its address, as it was given. */
    address: string;
    /** What kind it is. */
    kind: SourceKind;
    /** SHA-256 of the bytes that were read. */
    object?: Digest | null;
    /** The generation of the knowledge base that holds it, where one does. */
    generation?: string | null;
    /** The day it was published, `YYYY-MM-DD`. */
    published?: string | null;
    /** The day it was read, `YYYY-MM-DD`. */
    retrieved?: string | null;
    /** Who speaks: a host, a knowledge base, a published work. Sources of one origin are not independent. */
    origin: string;
};

/** What a single call of a tool gave. */
export type SourceCalled = {
    /** Whether it succeeded. */
    ok: boolean;
    /** What it gave, cut at 100,000 bytes. */
    text: string;
    /** Milliseconds. */
    ms: number;
    /** Why it failed. */
    problem: Problem | null;
};

/** A check of a source. */
export type SourceCheck = {
    /** When, in milliseconds since 1970. */
    at: number;
    /** Whether it worked. */
    ok: boolean;
    /** Milliseconds. */
    ms: number;
    /** Why not. */
    detail: string;
};

/** The document that a paragraph was taken from. */
export type SourceDocument = {
    /** The file's name in the base. */
    name: string;
    /** SHA-256 of the file. */
    sha256: Digest;
};

/** A source that was read from the configuration of another program. */
export type SourceDraft = {
    /** A `config.json` that refers to its secrets by name. */
    config: unknown;
    /** The secrets that stood in the text. */
    secrets: { [key: string]: Hidden };
    /** What of the text has no counterpart here. */
    leftOut: string[];
    /** What the person should know: that it is switched off in the other program, where a value comes from. */
    notes?: string[];
    /** Why it can't be a source here; `config` then has its slug and name alone. */
    problem?: string | null;
};

/** What kind of source it is. It decides how much a claim that rests on it is worth. */
export type SourceKind = "standard" | "law" | "peer_reviewed" | "official" | "primary" | "news" | "trade" | "blog" | "person" | "unknown";

/** What is known of a source over time. */
export type SourceLog = {
    /** The last lines that it wrote to standard error, of an `api` source its last requests. */
    log: string;
    /** Checks, newest first; at most 100. */
    checks: SourceCheck[];
};

/** What a configuration asks for that is not saved yet. */
export type SourceNeeds = {
    /** What it would run or reach; empty where the configuration is not complete. */
    reaches: string;
    /** Secrets that it would use. */
    secrets: SecretUse[];
    /** Whether a person would sign in for it in a browser. */
    signsIn: boolean;
    /** Why it can't be saved. */
    problems: FileProblem[];
};

/** A paragraph that one of two documents or both cite. */
export type SourcePair = {
    /** The paragraph; where there is none, the citation as it is written. */
    id: string;
    /** The citation as first written. */
    reference: string;
    /** What checking found in the first document; absent: it does not cite the paragraph. */
    left: string | null;
    /** The same of the second. */
    right: string | null;
    /** Whether both cite it and have other words of it. */
    textDiffers: boolean;
    /** Whether both cite it, with the same verdict and the same words. */
    same: boolean;
};

/** A form for a new source. */
export type SourcePreset = {
    /** Its name. */
    name: string;
    /** One line on it. */
    description: string;
    /** Where credentials come from, in words; may have an address. */
    credentials: string;
    /** A `config.json` to begin with. */
    config: unknown;
    /** A `guide.md` to begin with. */
    guide: string;
};

/** A source in a list. */
export type SourceRow = {
    /** Its folder name. */
    slug: string;
    /** Its name. */
    name: string;
    /** One line on it. */
    description: string;
    /** What it is. */
    kind: SourceRowKind;
    /** An emoji or a letter to know it by. */
    icon?: string | null;
    /** Agents that use it. */
    usedBy: string[];
    /** Whether the shipped one is used. */
    shipped: boolean;
    /** Whether it may be used. */
    enabled: boolean;
    /** Whether it can be used. */
    status: SourceStatus;
    /** Why, where it needs a word. */
    statusDetail: string;
    /** How many of its tools were approved as they are; 0 when they are not known yet. */
    tools: number;
    /** Tools that changed since they were approved. */
    changedTools: string[];
    /** What is wrong with it. */
    problems: FileProblem[];
};

/** What a listed source is. */
export type SourceRowKind = "" | "mcp" | "api" | "local";

/** A source to add or change. */
export type SourceSave = {
    /** Its `config.json`. */
    config: unknown;
    /** Its `guide.md`; absent: as it is. */
    guide?: string | null;
    /** Secrets to put into the vault, by the name that the configuration gives them. */
    secrets?: { [key: string]: Hidden };
    /** An OpenAPI document that typed tools are made of; absent: as it is. */
    openapi?: string | null;
    /** Whether the person saw and approved the whole command or address that it will reach. */
    approved: boolean;
    /** Whether it is a new one: a source that has its name already is not replaced. */
    isNew?: boolean;
};

/** Whether a source can be used. */
export type SourceStatus = "ready" | "idle" | "starting" | "failed" | "needs_auth" | "needs_approval" | "off" | "broken";

/** What a trial start of a source gave. */
export type SourceTest = {
    /** Whether it started and listed its tools. */
    ok: boolean;
    /** Milliseconds until its tools were listed. */
    ms: number;
    /** The server's name and version. */
    server: string;
    /** Its tools. */
    tools: ToolRow[];
    /** Tools that its server lists and that can't be used. */
    leftOut: OmittedTool[];
    /** Why it could not be used. */
    problem: Problem | null;
    /** The last lines that it wrote to standard error. */
    log: string;
};

/** A source. */
export type SourceView = {
    /** The source. */
    source: SourceRow;
    /** How to use it, Markdown. */
    guide: string;
    /** Its configuration with secrets left out. */
    config: unknown;
    /** The folder where the person's own version would stand or stands. */
    folder: string;
    /** Its tools as they were last listed. */
    tools: ToolRow[];
    /** Tools that its server lists and that can't be used. */
    leftOut: OmittedTool[];
    /** Secrets that its configuration names, and whether the vault has them. */
    secrets: SecretUse[];
    /** What it runs or reaches, as a person approves it. */
    reaches: string;
    /** The digest of all that decides it: whoever saw this view approves exactly that with it. */
    reach: string;
    /** Whether that is approved as it is now. */
    approved: boolean;
    /** Whether a person signs in for it in a browser. */
    signsIn: boolean;
    /** Whether somebody is signed in for it. */
    signedIn: boolean;
};

/** A range of a text in bytes, on character boundaries; the end is excluded. */
export type Span = {
    /** Where it begins. */
    start: number;
    /** Where it ends. */
    end: number;
};

/** Limits in US dollars; absent: no limit. */
export type SpendLimits = {
    /** For a run, turn or mission. */
    run?: number | null;
    /** For a day. */
    day?: number | null;
    /** For a month. */
    month?: number | null;
};

/** What the stages of an agent call of a source that has to be allowed. */
export type StageAccess = {
    /** The source's slug. */
    source: string;
    /** Its name. */
    name: string;
    /** The tools, by their names at the source. */
    tools: string[];
    /** Whether the person allowed them. */
    granted: boolean;
};

/** A stage of both runs, or of one. */
export type StageComparison = {
    /** Its name in the agent's configuration. */
    name: string;
    /** Its title. */
    title: string;
    /** Whether both asked the same and got the same. */
    same: boolean;
    /** Whether both asked the same. */
    sameRequests: boolean;
    /** Whether both put out the same. */
    sameOutput: boolean;
    /** How it ended in the first run: `completed`, `skipped`, …; empty where that run has no such stage. */
    left: string;
    /** How it ended in the second. */
    right: string;
    /** Because of what it differs, in words, the first cause first. */
    because: string[];
    /** Parts of the first request that differs: `system`, names of sections, `schema`, `arguments`, …. */
    parts: string[];
};

/** Everything about one stage of a run. */
export type StageDetail = {
    /** The stage. */
    stage: StageRow;
    /** What its model call was shown, section by section, where it has one. */
    sections: SectionRow[];
    /** Its calls, in order of their keys. */
    calls: CallRow[];
    /** Its output. */
    output: unknown;
    /** Its events. */
    events: Record[];
};

/** A stage's id within its agent. Written as a string or an integer in a config; always text here. */
export type StageId = number | string;

/** What a stage does. */
export type StageKind = "model" | "tools" | "verify" | "render" | "dialogue" | "agent";

/** Where a stage stands. */
export type StagePhase = "pending" | "running" | "paused" | "completed" | "skipped" | "failed";

/** A stage of a run. */
export type StageRef = {
    /** The run. */
    run: RunId;
    /** The stage's id. */
    stage: string;
};

/** A stage's state. */
export type StageRow = {
    /** Its id. */
    id: StageId;
    /** Its name in the agent's configuration. */
    name: string;
    /** Its title. */
    title: string;
    /** The part of the work that it belongs to, where its agent has such parts. */
    group?: string | null;
    /** What it does. */
    kind: StageKind;
    /** Stages that it waits for. */
    dependsOn: StageId[];
    /** Where it stands. */
    phase: StagePhase;
    /** Attempts begun. */
    attempt: number;
    /** Which repair; 0 for none. */
    iteration: number;
    /** The most repairs of the unit it belongs to; 0 for none. */
    maxIterations: number;
    /** When it began, in milliseconds since 1970. */
    startedAt: number | null;
    /** When it ended, in milliseconds since 1970. */
    endedAt: number | null;
    /** Active milliseconds, all attempts together. */
    activeMs: number;
    /** Calls finished and planned of the wave under way. */
    done: number;
    /** Calls planned of the wave under way. */
    total: number;
    /** One line on its output, or why it was skipped. */
    summary: string;
    /** Scores by axis, 0 to 1. */
    scores: { [key: string]: number };
    /** Tokens used. */
    usage: Usage;
    /** Money used. */
    cost: NanoUsd;
    /** Warnings. */
    warnings: string[];
    /** The runs of other agents that carry out its calls. */
    children?: ChildRow[];
    /** Of the last stage of a repair unit: what was tried, once it was checked. */
    gate?: GateRow | null;
};

/** What a new run needs to know. */
export type StartRun = {
    /** The agent's slug. */
    agent?: string;
    /** The question; with inputs it may be empty. */
    request?: string;
    /** What is given besides, as the agent's `inputSchema` has it. */
    inputs?: unknown;
    /** The depth; without it the agent's default. */
    depth?: string | null;
    /** The knowledge base; without it the agent's default. */
    corpus?: string | null;
    /** The session; without it a new one. */
    session?: string | null;
    /** What a new session may do unasked; without it what is usual. */
    mode?: Mode | null;
    /** The run that this one follows up. */
    previous?: RunId | null;
    /** The connection; without it the agent's, else `offline`. */
    connection?: string | null;
    /** The model; without it the agent's, else the connection's default. */
    model?: string | null;
    /** The most it may cost in US dollars, over the agent's own limit. */
    budgetUsd?: number | null;
    /** The most tokens it may use, over the agent's own limit. */
    budgetTokens?: number | null;
    /** The most minutes it may work, over the agent's own limit; waiting for a person does not count. */
    budgetMinutes?: number | null;
    /** Files that go with the question: texts, and documents, which are asked as a knowledge base is. */
    attachments?: Attachment[];
    /** How pauses are answered. */
    attend?: PausePolicy;
    /** Whether a follow-up pauses at its plan, past which it goes on by itself otherwise; without it as the settings have it. */
    pauseAtPlan?: boolean | null;
    /** The run that it repeats, where it repeats one: what is not given is as there. */
    base?: RepeatedRun | null;
    /** A folder with the files of an earlier run, whose results are taken over where they are whole. */
    adopt?: string | null;
};

/** A statement of both documents, or of one. */
export type StatementPair = {
    /** How they belong together. */
    kind: PairKind;
    /** Whether words, state and sources are the same. */
    same: boolean;
    /** In the first document. */
    left: ComparedStatement | null;
    /** In the second. */
    right: ComparedStatement | null;
    /** The words of the first, where they are reworded, with those marked that differ. */
    leftWords?: WordSpan[];
    /** The words of the second. */
    rightWords?: WordSpan[];
};

/** A statement of a document. In the Markdown a link to `#statement-<n>` stands behind it. */
export type StatementRow = {
    /** Its number, which is its record's. */
    n: number;
    /** Its words, without citations. */
    text: string;
    /** Its state. */
    state: StatementState;
    /** The state in words. */
    word: string;
    /** Why, in a sentence. */
    reason: string;
    /** Sentences of the sources that may say otherwise. */
    against: ConflictRecord[];
};

/** What is known about a statement, from the best to the worst. */
export type StatementState = "quoted" | "supported" | "partly" | "unverified" | "no_source" | "doubtful" | "refused";

/** A change of the list of statuses. */
export type StatusEdit = {
    edit: "add";
    /** What people call it. */
    label: string;
    /** Open or closed. */
    category: Category;
    /** Its colour. */
    color?: Colour | null;
    /** Its icon. */
    icon?: Icon | null;
} | {
    edit: "change";
    /** Which. */
    id: string;
    /** What people call it. */
    label?: string | null;
    /** Open or closed. */
    category?: Category | null;
    /** Its colour; null takes it away. */
    color?: Colour | null;
    /** Its icon; null takes it away. */
    icon?: Icon | null;
    /** Its key; null takes it away. */
    shortcut?: string | null;
} | {
    edit: "move";
    /** Which. */
    id: string;
    /** Where to. */
    place: number;
} | {
    edit: "default";
    /** Which. */
    id: string;
} | {
    edit: "remove";
    /** Which. */
    id: string;
    /** What its sessions get; without it the default. */
    instead?: string | null;
};

/** A status. */
export type StatusRow = {
    /** Its id. */
    id: string;
    /** What people call it. */
    label: string;
    /** Whether sessions with it are open or closed. */
    category: Category;
    /** Its icon. */
    icon: Icon | null;
    /** The file that the icon names, as a data URL. */
    picture?: string | null;
    /** Its colour. */
    color: Colour | null;
    /** The key that sets it. */
    shortcut: string | null;
    /** Whether it can't be removed. */
    fixed: boolean;
    /** Sessions that are neither archived nor deleted. */
    sessions: number;
};

/** Everything of a step that a list of steps leaves out. */
export type StepDetail = {
    /** Its id. */
    id: string;
    /** The call's arguments. */
    arguments: unknown;
    /** What the model reads of its result, cut at 200,000 bytes. */
    result: string;
    /** Bytes of the whole result. */
    bytes: number;
    /** Texts of changed files and data of media, by digest; images and documents in base64. */
    blobs: { [key: string]: string };
};

/** How a step stands. */
export type StepStatus = "queued" | "asking" | "running" | "ok" | "failed" | "denied" | "stopped" | "unknown";

/** The same requests under a strategy; every figure is recomputed. */
export type StrategyTokens = {
    /** The strategy. */
    strategy: TokenStrategy;
    /** Estimated input tokens that are not read from a cache. */
    input: number;
    /** Estimated input tokens that a cache could hold: the beginning of an earlier request. */
    cached: number;
    /** Output tokens, as the provider reported them; the same under each strategy. */
    output: number;
    /** What that would cost by the run's prices. */
    cost: NanoUsd;
};

/** Words that a file shows struck out: no part of the text, neither searched nor quoted. */
export type StruckWords = {
    /** Before which UTF-16 code unit of the text they stand. */
    at: number;
    /** The words. */
    text: string;
};

/** A cell of a table. */
export type TableCell = {
    /** A text, a number, yes or no, or a list of texts. */
    value: unknown;
    /** The most that the number can be, where there is such a limit. */
    max?: number | null;
};

/** A table of a run's outputs. */
export type TableView = {
    /** Its title. */
    title: string;
    /** The heads of its columns. */
    columns: string[];
    /** Its rows: a cell for each column. */
    rows: TableCell[][];
};

/** Cached data that a change makes stale. A surface that shows it reads it again. */
export type Tag = "sessions" | "runs" | "drafts" | "agents" | "sources" | "bases" | "settings" | "connections" | "usage" | "jobs" | "permissions" | "skills" | "backups" | "workspaces" | "problems" | "organisation" | "themes" | "automations" | "tasks" | "web";

/** One of the things that an agent set out to do. */
export type Task = {
    /** What. */
    text: string;
    /** `pending`, `doing` or `done`. */
    status: TaskStatus;
};

/** What a project declares: `{"setup": {"command": "npm ci"}, "checks": [{"name": "tests", "command": "npm test"}]}`. */
export type TaskCommands = {
    /** Run once in a new worktree. */
    setup?: SetupCommand | null;
    /** Run whenever somebody wants to know whether the task is done, in their order. */
    checks: CheckCommand[];
};

/** Comments on an attempt. */
export type TaskComments = {
    /** Each with the place of its line now. */
    comments: PlacedComment[];
    /** One message made of those that are open; empty when none is. */
    message: string;
};

/** What a new task is made of. */
export type TaskCreate = {
    /** What it is about, in a line. Its id is made of it. */
    title: string;
    /** A folder of the person's repository. */
    repository: string;
    /** The branch, tag or commit to start from; `None` is what the repository has checked out. */
    base?: string | null;
    /** The branch to merge into; `None` is the base where it is a branch, else the branch that is checked out. */
    target?: string | null;
    /** How many attempts are begun at once; 0 for one. */
    attempts?: number;
    /** What each attempt is for, in a word (a connection, a model), in their order. */
    labels?: string[];
    /** Set-up and checks that the person gives; they are accepted by being given. `None` is what the project declares. */
    commands?: TaskCommands | null;
    /** Whether the set-up is left for later. */
    no_setup?: boolean;
    /** The slug of the workspace that it is of; without one the default one's. */
    workspace?: string | null;
    /** What is to be true when it is done. */
    description?: string;
};

/** A task's id: small letters, digits and hyphens. It names the record, the folder, the branches and the refs. */
export type TaskId = string;

/** All tasks of a data directory. */
export type TaskList = {
    /** The tasks, newest first. */
    tasks: CodingTask[];
    /** Records that can't be read. */
    unreadable: UnreadableTask[];
};

/** A task. */
export type TaskRef = {
    /** Its id. */
    task: TaskId;
};

/** A run that works on an attempt. */
export type TaskRun = {
    /** Its session. */
    session: string;
    /** The run. */
    run: string;
};

/** A run that works on an attempt at a task, as it is now. */
export type TaskRunState = {
    /** The task. */
    task: TaskId;
    /** The attempt. */
    attempt: number;
    /** The run. */
    run: RunId;
    /** Its session. */
    session: string;
    /** How it stands. */
    status: RunStatus;
    /** The stage that it is in, by its title; absent when it has ended. */
    stage?: string | null;
    /** What it waits for the person with. */
    waitsFor?: string | null;
};

/** What `run_start` takes of a task, besides connection and depth. */
export type TaskStart = {
    /** The agent that works on tasks. */
    agent: string;
    /** Its inputs. */
    inputs: unknown;
    /** The session of the last run on the attempt, where there is one. */
    session: string | null;
};

/** How a task stands. */
export type TaskStatus = "pending" | "doing" | "done";

/** What the recorded exit codes say about an attempt. Nothing else makes it done. */
export type TaskVerdict = "not_declared" | "not_run" | "failed" | "stale" | "passed";

/** A task with what its attempts hold now. */
export type TaskView = {
    /** The record. */
    task: CodingTask;
    /** Whether a person has accepted the task's commands. */
    approved: boolean;
    /** Each attempt, in the record's order. */
    attempts: AttemptView[];
};

/** What a word brought to a score. */
export type TermShare = {
    /** The word, as the query wrote it. */
    term: string;
    /** Its share of the score by words, 0 to 1. */
    share: number;
};

/** How a test went. */
export type TestVerdict = "works" | "key_missing" | "key_wrong" | "not_allowed" | "model_unknown" | "no_credit" | "busy" | "unreachable" | "tls" | "clock" | "wrong_protocol" | "refused";

/** A range of a text in UTF-16 code units, as browsers count. */
export type TextRange = {
    /** First. */
    start: number;
    /** One past the last. */
    end: number;
};

/** A theme: colours for light and for dark. Everything else that is seen is derived from them.  A colour that is left out is that of `base`. Where there is no `base`, a side that gives neither background nor foreground is made from the other side. */
export type Theme = {
    /** Names the JSON Schema of this file, so that editors complete and check it. */
    $schema?: string | null;
    /** What it is called, at most 80 characters. */
    name?: string;
    /** Who made it. */
    author?: string | null;
    /** Its licence. */
    license?: string | null;
    /** The id of the theme whose colours count where this one gives none. */
    base?: string | null;
    /** On light ground. */
    light?: ThemeColours;
    /** On dark ground. */
    dark?: ThemeColours;
};

/** Colours of one side of a theme: CSS colours (hex, `rgb()`, `hsl()`, `oklab()`, `oklch()`), or one of the first six by name with an opacity in percent (`foreground/50`). */
export type ThemeColours = {
    /** The page. */
    background?: string | null;
    /** Text. */
    foreground?: string | null;
    /** Focus, selection, the primary button, what is running. */
    accent?: string | null;
    /** What waits for the person. */
    info?: string | null;
    /** What is done or verified. */
    success?: string | null;
    /** What failed or takes something away. */
    destructive?: string | null;
    /** Cards and documents, instead of the derived colour. */
    paper?: string | null;
    /** The sidebar, instead of the derived colour. */
    navigator?: string | null;
    /** Fields to type in, instead of the derived colour. */
    input?: string | null;
    /** Menus and dialogs, instead of the derived colour. */
    popover?: string | null;
};

/** A theme that was read and not yet kept. */
export type ThemeImported = {
    /** It. */
    theme: Theme;
    /** What was left out or changed. */
    notes: ThemeRemark[];
};

/** The themes that are files. Those of the program are the surface's own. */
export type ThemeList = {
    /** The person's, sorted by id. */
    own: ThemeRow[];
    /** What the workspace changes, where it changes something. */
    workspace: ThemeRow | null;
    /** The theme that the workspace's settings name in place of the program's. */
    workspaceBase: string | null;
};

/** Where a theme is kept. */
export type ThemePlace = "new" | {
    own: string;
} | "workspace";

/** One thing of a theme that was left out or changed. */
export type ThemeRemark = {
    /** Where: a JSON pointer. */
    place: string;
    /** What became of it, and why. */
    text: string;
};

/** A theme to remove. */
export type ThemeRemove = {
    /** Where it is kept. */
    place: ThemePlace;
};

/** A theme that is a file. */
export type ThemeRow = {
    /** The file's name without `.json`; empty for a workspace's. */
    id: string;
    /** The file. */
    file: string;
    /** The theme, as it was when it was last right; absent when it never was. */
    theme: Theme | null;
    /** What is wrong with the file now. */
    problems: FileProblem[];
    /** Of the file's text, for saving. */
    digest: string | null;
};

/** A theme to keep. */
export type ThemeSave = {
    /** Where. */
    place: ThemePlace;
    /** It. */
    theme: Theme;
    /** The digest of the text that was changed: what was changed outside meanwhile is not written over. */
    seen?: string | null;
    /** Ids that a new one must not take: those of the surface's own themes. */
    taken?: string[];
};

/** The text of a theme, of this program or another. */
export type ThemeText = {
    /** JSON, at most 64 KiB. */
    text: string;
    /** What it is called where it does not say so itself: its file's name. */
    name?: string;
};

/** How the requests of a run are made. */
export type TokenStrategy = "naive" | "fresh" | "handoff" | "continue";

/** A sum. */
export type TokenSum = {
    /** Of what. */
    name: string;
    /** Requests. */
    requests: number;
    /** Estimated tokens. */
    tokens: number;
    /** Thousandths of the whole. */
    share: number;
};

/** A tool. */
export type ToolRow = {
    /** Its name. */
    name: string;
    /** What it does, as its server says. */
    description: string;
    /** Whether its server says that it changes nothing. */
    readOnly: boolean;
    /** The schema of its arguments. */
    input: unknown;
    /** How it stands to what was approved: empty, `new` or `changed`. */
    approval?: string;
    /** What was approved, where it changed: its definition as JSON. */
    approved?: unknown;
};

/** In which form sessions leave. */
export type TransferFormat = "jsonl" | "markdown" | "html" | "bundle";

/** What a rule would do with a text. */
export type TryOut = {
    /** What it finds. */
    matches: AutoMatch[];
    /** Places where it matches and the value is not of the label's type; there nothing happens. */
    refused: Span[];
};

/** What a turn did to files. */
export type TurnChanges = {
    /** The turn. */
    run: RunId;
    /** Files, in the order in which they were first changed. */
    files: ChangedFile[];
    /** What is to be known besides: commands, of which nobody knows what they changed. */
    notes: string[];
};

/** Events of a turn. */
export type TurnEvents = {
    /** Records of the log, in order. */
    events: unknown[];
    /** The last committed event's number. */
    seq: number;
};

/** Everything of a turn but its steps. */
export type TurnHead = {
    /** Its id. */
    run: RunId;
    /** Its session. */
    session: SessionId;
    /** The turn or run that it follows in its conversation. */
    previous: RunId | null;
    /** The stage that it works for; its run shows it. */
    of?: StageRef | null;
    /** The last committed event's number. */
    seq: number;
    /** When it began, in milliseconds since 1970. */
    startedAt: number;
    /** How it stands. */
    status: TurnStatus;
    /** Whether it completed with an answer that is none: its provider broke it off, or ended it for an unknown reason. */
    incomplete?: boolean;
    /** What it waits for or does, in words, while it is not over: `Asking the model`, `Waiting for your permission`. */
    doing: string;
    /** Since when, in milliseconds since 1970. */
    since: number;
    /** The agent that is talked to; empty for none. */
    agent: string;
    /** The mode now. */
    mode: Mode;
    /** The connection. */
    connection: string;
    /** The model. */
    model: string;
    /** The answer, Markdown; with the bound that ended it said in `note`. */
    answer: string | null;
    /** What is to be known besides: a bound that ended it, sources that did not work. */
    notes: string[];
    /** A plan that waits for the person. */
    plan: PlanView | null;
    /** Why it failed. */
    problem: Problem | null;
    /** Tokens. */
    usage: Usage;
    /** Money. */
    cost: NanoUsd;
    /** What flat rates paid for. */
    equivalent: NanoUsd;
    /** The most that interrupted calls may have cost besides. */
    doubtful: NanoUsd;
    /** Active milliseconds. */
    activeMs: number;
    /** Estimated tokens of the last request. */
    context: number;
    /** The model's window. */
    window: number;
    /** Calls of tools. */
    toolCalls: number;
};

/** A message to send. */
export type TurnSend = {
    /** The session; without it a new one. */
    session?: string | null;
    /** The message. */
    message?: UserMessage;
    /** The turn that it replaces: that one and all after it leave the conversation, and stay stored. */
    replaces?: RunId | null;
    /** The connection; without it the session's, else the default one. */
    connection?: string | null;
    /** The model; without it the session's, else the connection's. */
    model?: string | null;
    /** What a new session is set to, or changes of it. */
    setup?: SetupPatch;
    /** What happens when a turn is under way; without it as the session is set. */
    whenBusy?: WhenBusy | null;
    /** The depth of the run that it begins, where it names an agent with stages. */
    depth?: string | null;
    /** The knowledge base of that run. */
    corpus?: string | null;
    /** The most it may cost in US dollars. */
    budgetUsd?: number | null;
    /** The most tokens it may use. */
    budgetTokens?: number | null;
    /** The most minutes it may work. */
    budgetMinutes?: number | null;
};

/** How a turn stands. */
export type TurnStatus = "running" | "waiting" | "interrupted" | "completed" | "stopped" | "failed";

/** A step of a turn. */
export type TurnStep = {
    /** Unique within the turn and stable. */
    id: string;
    /** The step that it belongs below; steps of a child turn below the call that began it. */
    parent?: string | null;
    /** How it stands. */
    status: StepStatus;
    /** When it began, in milliseconds since 1970. */
    at: number;
    /** Milliseconds that it took. */
    ms: number;
} & ({
    kind: "model";
    /** What it thought, cut at 20,000 bytes. */
    thinking: string;
    /** What it wrote along with calls of tools or before it failed, Markdown. The answer's text is in the head alone. */
    text: string;
} | {
    kind: "tool";
    /** The tool's name as the model knows it. */
    tool: string;
    /** What a person reads. */
    title: string;
    /** The source's slug; empty for what is built in. */
    source: string;
    /** What the call does, in one line. */
    intent: string;
    /** What came of it, in one line. */
    summary: string;
    /** The person is asked for permission. */
    approval?: Approval | null;
    /** The person is asked something. */
    question?: Question | null;
    /** What they answered. */
    answer?: string | null;
    /** By what it was allowed or denied. */
    ruled?: string | null;
    /** What of its name and arguments was read otherwise than the model wrote it, in words. */
    adapted?: string[];
    /** What may be seen besides its result. */
    show: Show[];
} | {
    kind: "steering";
    /** What. */
    message: UserMessage;
} | {
    kind: "compaction";
    /** The words. */
    summary: string;
    /** Estimated tokens before. */
    before: number;
    /** And after. */
    after: number;
    /** Whether a model wrote them, or code. */
    byModel: boolean;
} | {
    kind: "notice";
    /** What. */
    text: string;
});

/** Something that a surface may show. */
export type TurnUi = {
    /** The turn. */
    run: RunId;
    /** Its session. */
    session: SessionId;
    /** The last committed event's number. */
    seq: number;
    /** What. */
    kind: TurnUiKind;
};

/** What a surface is told. */
export type TurnUiKind = {
    kind: "changed";
    /** The head. */
    head: TurnHead;
    /** Steps. */
    steps: TurnStep[];
    /** What the person wrote, with the first one. */
    message: UserMessage | null;
    /** With the first one of an edited message: turns of the session that were replaced and are no longer shown. */
    replaced?: RunId[];
} | {
    kind: "delta";
    /** The step. */
    step: string;
    /** The text. */
    text: string;
    /** Whether it is thinking. */
    thinking?: boolean;
    /** Where it stands in all that the step wrote (or thought) so far, in UTF-16 units: a view that was read meanwhile may hold it already. */
    at?: number;
} | {
    kind: "output";
    /** The step. */
    step: string;
    /** A piece of its output. */
    text: string;
};

/** Takes back what a turn did to files, or takes that back. */
export type TurnUndo = {
    /** The turn. */
    run: RunId;
    /** Its files, absolute or as they are shown; empty: all of them. */
    paths?: string[];
    /** Whether what was undone is done again. */
    redo?: boolean;
    /** Whether files are put back, too, that something else changed since; what they hold is kept first. */
    force?: boolean;
};

/** A turn: what was asked, every step, and the answer. */
export type TurnView = {
    /** What changes as a whole. */
    head: TurnHead;
    /** What the person wrote. */
    message: UserMessage;
    /** Its steps, in order. */
    steps: TurnStep[];
};

/** Something that a surface may show. */
export type UiEvent = {
    /** The run. */
    run: RunId;
    /** The last committed event's number. */
    seq: number;
} & ({
    kind: "event";
    /** The event with its number. */
    record: Record;
} | {
    kind: "delta";
    /** The stage. */
    stage: StageId;
    /** The item, for stages with several calls. */
    item: number;
    /** The text. */
    text: string;
    /** Whether it is thinking. */
    thinking?: boolean;
} | {
    kind: "progress";
    /** The stage. */
    stage: StageId;
    /** In words. */
    text: string;
    /** Calls of the wave that have ended. */
    done: number;
    /** Calls of the wave. */
    total: number;
} | {
    kind: "waiting";
    /** The stage. */
    stage: StageId;
    /** Milliseconds. */
    ms: number;
    /** Why. */
    problem: Problem;
} | {
    kind: "pause";
    /** What to show and ask. */
    form: Form;
} | {
    kind: "meter";
    /** Tokens. */
    usage: Usage;
    /** Money. */
    cost: NanoUsd;
    /** What a flat rate paid for, as it would have cost by use. */
    equivalent?: NanoUsd;
    /** The most that interrupted calls may have cost besides. */
    doubtful: NanoUsd;
    /** Active milliseconds. */
    active_ms: number;
} | {
    kind: "done";
    /** How. */
    exit: Exit;
    /** What went wrong, when it failed or could not go on. */
    problem: Problem | null;
});

/** Something that can be undone. */
export type UndoEntry = {
    kind: "reverted";
    /** The attempt. */
    attempt: number;
    /** The save point made before. */
    savepoint: number;
    /** The files. */
    paths: string[];
} | {
    kind: "ended";
    /** The attempt. */
    attempt: number;
    /** How. */
    state: AttemptState;
    /** Whether its worktree was removed. */
    removed: boolean;
};

/** What was undone. */
export type UndoOutcome = {
    /** What was taken back. */
    entry: UndoEntry;
    /** The attempt's folder, where it was restored. */
    folder?: string | null;
};

/** A file that could not be read. */
export type UnreadFile = {
    /** Its path below the folder that was ingested, or its name. */
    name: string;
    /** Why. */
    why: string;
    /** What helps; empty where nothing is known to. */
    remedy: string;
};

/** A record that can't be read. */
export type UnreadableTask = {
    /** The file. */
    path: string;
    /** What is wrong. */
    message: string;
};

/** A part of a file that a page hands over by its bytes. */
export type UploadPart = {
    /** What was handed over together: an id of the page's choice, letters, digits, `-`, `_` and `.`. */
    upload: string;
    /** The file: a relative path with `/` between its parts. */
    name: string;
    /** Where the part begins: 0 for the first, then as many bytes as are there. */
    at: number;
    /** Its bytes in base64. */
    data: string;
};

/** What is there of a file that was handed over. */
export type Uploaded = {
    /** The folder of what was handed over together. */
    folder: string;
    /** How many bytes of the file are there. */
    bytes: number;
};

/** Tokens of one call or a sum of calls, as the provider reported them. Input excludes cached tokens. */
export type Usage = {
    /** Uncached input tokens. */
    input: number;
    /** Output tokens, thinking included. */
    output: number;
    /** The part of `output` that was thinking, where the provider says. */
    thinking?: number;
    /** Input tokens read from the provider's cache. */
    cacheRead?: number;
    /** Input tokens written to the provider's cache. */
    cacheWrite?: number;
    /** The part of `cache_write` that is kept for an hour, which costs more. */
    cacheWriteLong?: number;
};

/** Which usage is asked for. */
export type UsageQuery = {
    /** From this moment on, in milliseconds since 1970. */
    from?: number | null;
    /** Up to this moment. */
    to?: number | null;
    /** Only of this session. */
    session?: string | null;
    /** Only of this run. */
    run?: string | null;
    /** Only of this agent. */
    agent?: string | null;
    /** Only over this connection. */
    connection?: string | null;
    /** Only of this model. */
    model?: string | null;
    /** Minutes east of UTC, by which days are cut. */
    utcOffsetMinutes?: number;
};

/** One request to a model. */
export type UsageRow = {
    /** When it ended, in milliseconds since 1970. */
    at: number;
    /** The session. */
    session: string;
    /** The run. */
    run: string;
    /** The agent. */
    agent: string;
    /** The stage's id. */
    stage: string;
    /** The call's key. */
    call: string;
    /** Which attempt of it. */
    try: number;
    /** The connection. */
    connection: string;
    /** The model that answered. */
    model: string;
    /** Tokens. */
    usage: Usage;
    /** Its cost, or what it would have cost. */
    cost: NanoUsd;
    /** Whether the cost is only an equivalent: a flat rate pays. */
    equivalent: boolean;
    /** Whether no price of the model is known. */
    unpriced: boolean;
    /** Whether it failed. */
    failed: boolean;
    /** Milliseconds it took. */
    ms: number;
    /** The id under which the provider's support finds it. */
    requestId: string | null;
};

/** One sum. */
export type UsageSum = {
    /** The day, slug or id that it is of. */
    key: string;
    /** Its name for people. */
    title: string;
    /** Requests that were answered. */
    calls: number;
    /** Requests that failed. */
    failed: number;
    /** Tokens. */
    usage: Usage;
    /** Money that is billed by use. */
    cost: NanoUsd;
    /** What flat-rate connections would have cost by use. */
    equivalent: NanoUsd;
    /** Requests whose model has no known price: their cost counts as nothing. */
    unpriced: number;
};

/** Usage added up. */
export type UsageSummary = {
    /** All of it. */
    total: UsageSum;
    /** By day, oldest first: `YYYY-MM-DD`. Days without usage are left out. */
    days: UsageSum[];
    /** By agent, dearest first. */
    agents: UsageSum[];
    /** By model, dearest first. */
    models: UsageSum[];
    /** By connection, dearest first. */
    connections: UsageSum[];
    /** By session, dearest first; at most 50. `title` is the session's. */
    sessions: UsageSum[];
    /** By stage (`agent/stage`), dearest first. */
    stages: UsageSum[];
};

/** What the person wrote. */
export type UserMessage = {
    /** The text as it was typed, mentions included: `@slug`, `@path`, `/skill`, `#label`. */
    text: string;
    /** What it mentions. */
    mentions?: Mention[];
    /** Files that go with it. */
    attachments?: Attachment[];
};

/** What a label's value is. */
export type ValueType = "string" | "number" | "date";

/** A name in the vault. */
export type VaultEntry = {
    /** Its name: `connection/<slug>/key`, `source/<slug>/<name>`, … */
    name: string;
    /** What uses it, for people; empty where nothing does. */
    usedBy: string;
    /** When it was written, in milliseconds since 1970. */
    at: number;
    /** When it expires, where it does. */
    expiresAt: number | null;
};

/** What opens the vault. */
export type VaultProtection = "keychain" | "passphrase" | "key_file";

/** The vault. */
export type VaultStatus = {
    /** Whether there is one yet. It is made with the first secret. */
    exists: boolean;
    /** Whether it is locked: a passphrase is needed. */
    locked: boolean;
    /** What opens it. */
    protection: VaultProtection;
    /** One sentence on what that protects from, and what it does not. */
    explained: string;
    /** Whether this machine has a keychain that keeps what it is given. */
    keychain: boolean;
    /** The names of what it holds, with when each was written. Empty while it is locked. */
    entries: VaultEntry[];
    /** When its key was last changed, in milliseconds since 1970. */
    rotatedAt: number | null;
    /** Why it can't be opened, where it can't. */
    problem: Problem | null;
};

/** What checking one citation found. */
export type Verdict = "verified" | "missing" | "withdrawn" | "quote_mismatch" | "unverified";

/** A change of the list of views. */
export type ViewEdit = {
    edit: "add";
    /** What people call it. */
    name: string;
    /** What it shows, in words. */
    description?: string | null;
    /** Its colour. */
    color?: Colour | null;
    /** Which sessions it shows. */
    expression: string;
    /** What its list is grouped by. */
    groupBy?: Group | null;
    /** What its list is sorted by. */
    sort?: SortKey[];
} | {
    edit: "change";
    /** Which. */
    id: string;
    /** What people call it. */
    name?: string | null;
    /** What it shows, in words; null takes it away. */
    description?: string | null;
    /** Its colour; null takes it away. */
    color?: Colour | null;
    /** Which sessions it shows. */
    expression?: string | null;
    /** What its list is grouped by; null: by nothing. */
    groupBy?: Group | null;
    /** What its list is sorted by. */
    sort?: SortKey[] | null;
} | {
    edit: "move";
    /** Which. */
    id: string;
    /** Where to. */
    place: number;
} | {
    edit: "remove";
    /** Which. */
    id: string;
};

/** A view. */
export type ViewRow = {
    /** Its id. */
    id: string;
    /** What people call it; of a broken one that has no name, its id. */
    name: string;
    /** What it shows, in words. */
    description: string | null;
    /** Its colour. */
    color: Colour | null;
    /** Which sessions it shows. */
    expression: string;
    /** What its list is grouped by. */
    groupBy: Group | null;
    /** What its list is sorted by. */
    sort: SortKey[];
    /** How many sessions it shows; absent for a broken one. */
    sessions: number | null;
    /** What is wrong with its expression; places are UTF-16 units. */
    mistakes: Mistake[];
    /** What is wrong with the rest of it. */
    faults: string[];
};

/** What an expression is. */
export type ViewTried = {
    /** What is wrong with it; places are UTF-16 units. */
    mistakes: Mistake[];
    /** What is allowed and hardly meant. */
    notes: Mistake[];
    /** How many sessions it shows, where it is right. */
    sessions: number | null;
    /** What fits at the caret. */
    completions: Completed;
};

/** An expression that is being written. */
export type ViewTry = {
    /** It. */
    expression?: string;
    /** Where the caret stands, in UTF-16 units; with it, completions are given. */
    caret?: number | null;
};

/** A host about which nobody has decided. */
export type WaitingHost = {
    /** The host. */
    host: string;
    /** How often it was refused. */
    times: number;
    /** The address that was asked for last. */
    url: string;
    /** When, in milliseconds since 1970. */
    at: number;
};

/** A block of a text. */
export type WebBlock = {
    /** Its number, from 1. */
    number: number;
    /** The page that it is on, where the format has pages. */
    page: number | null;
    /** What it says. */
    text: string;
};

/** What is decided about hosts. */
export type WebDecision = {
    /** The hosts or folders of them, as `example.org` or `example.org/reports`. */
    sources: string[];
    /** What. */
    decision: HostDecision;
};

/** A fetch, a refusal or a decision. */
export type WebLogLine = {
    /** When, in milliseconds since 1970. */
    at: number;
    /** What. */
    kind: LogKind;
    /** The address, host or question. */
    place: string;
    /** The reason of a refusal, as one word; of what was fetched, why it has no text. */
    code: string | null;
    /** The reason in words. */
    why: string | null;
};

/** An address that was fetched. */
export type WebPage = {
    /** The address. */
    url: string;
    /** The one that answered. */
    finalUrl: string;
    /** Its title. */
    title: string | null;
    /** What it is, in words. */
    kind: string;
    /** How many bytes. */
    bytes: number;
    /** Pages, where the format has them. */
    pages: number | null;
    /** The day on which its bytes came, `YYYY-MM-DD`. */
    retrieved: string;
    /** The day on which the server last said that they are the newest. */
    checked: string;
    /** SHA-256 of its bytes, in hexadecimal. */
    sha256: string;
    /** Why it has no text. */
    unreadable: string | null;
};

/** Addresses that were fetched, the newest first. */
export type WebPages = {
    /** Those that were asked for. */
    pages: WebPage[];
    /** How many fit. */
    total: number;
};

/** From where may be fetched. */
export type WebPolicy = {
    /** How careful it is. */
    profile: Profile;
    /** Hosts and folders that are known. */
    allow: string[];
    /** Hosts and folders from which nothing is fetched; stands over `allow`. */
    block: string[];
    /** If there are any: nothing else is fetched. */
    only: string[];
    /** Hosts that were refused because nobody has decided about them, the one refused last first. */
    waiting: WaitingHost[];
};

/** The web search that agents and conversations share. */
export type WebSearchState = {
    /** `brave`, `searxng`, or empty where there is none. */
    service: string;
    /** The address of the SearXNG instance, where the vault has it. */
    address: string;
    /** Whether it is set in the environment of the program. */
    environment: boolean;
    /** When the key was stored, in milliseconds since 1970. */
    storedAt: number | null;
    /** Whether the vault is locked: what it may hold for the web search is not used. */
    locked: boolean;
};

/** The text of an address. */
export type WebText = {
    /** The address. */
    page: WebPage;
    /** Whether the address has a newer version: these are the bytes that were asked for. */
    earlier: boolean;
    /** Its text in numbered blocks; empty where it has none. */
    blocks: WebBlock[];
    /** How many blocks there are besides. */
    left: number;
};

/** What happens to a message that is sent while a turn is under way. */
export type WhenBusy = "queue" | "steer";

/** A block of both documents, or of one. Where both are the same, `right` is absent. */
export type WordRow = {
    /** Whether both have it with the same words. */
    same: boolean;
    /** The block of the first. */
    left: WordSpan[] | null;
    /** The block of the second. */
    right: WordSpan[] | null;
};

/** Some words of a text. */
export type WordSpan = {
    /** The words. */
    text: string;
    /** Whether the other side does not have them. */
    changed?: boolean;
};

/** A new workspace. */
export type WorkspaceCreate = {
    /** Its name. */
    name?: string;
    /** Its slug; without it one made of the name. */
    slug?: string | null;
    /** What a new session in it begins with. */
    defaults?: WorkspaceDefaultsView | null;
};

/** What a new session in a workspace begins with; what is absent is as everywhere. */
export type WorkspaceDefaultsView = {
    /** The connection's slug. */
    connection: string | null;
    /** The model. */
    model: string | null;
    /** How much may be done unasked. */
    mode: Mode | null;
    /** Slugs of the sources that are on. */
    sources: string[] | null;
    /** The folder to work in: absolute, or below the person's own with `~/`. */
    folder: string | null;
    /** How hard to think. */
    effort: Effort | null;
};

/** A folder of the person's that is to be a workspace. */
export type WorkspaceFolder = {
    /** The folder, by its whole path. */
    folder?: string;
    /** Its name; without it the one in its `config.json`, else the folder's. */
    name?: string | null;
};

/** A workspace that is to go. */
export type WorkspaceRemove = {
    /** Its slug. */
    workspace?: string;
    /** The workspace that its sessions and knowledge bases move to; without it one with sessions is not removed, and its bases wait in the trash with its files. */
    moveTo?: string | null;
};

/** A workspace that was removed. */
export type WorkspaceRemoved = {
    /** What brings it back, what was moved left out. */
    trash: string;
    /** How many sessions were moved. */
    moved: number;
    /** How many knowledge bases went with them, or wait in the trash with its files where it had no sessions. */
    bases: number;
};

/** A removed workspace that is to come back. */
export type WorkspaceRestore = {
    /** As removing it said. */
    trash: string;
};

/** A workspace. */
export type WorkspaceRow = {
    /** Its slug. */
    id: string;
    /** Its name. */
    name: string;
    /** The folder with its files. */
    folder: string;
    /** Whether the folder is one that the person chose, outside the data directory. */
    elsewhere: boolean;
    /** Whether the folder is there now. */
    there: boolean;
    /** Whether it is the person's current one. */
    current: boolean;
    /** Its sessions, archived ones included, deleted ones left out. */
    sessions: number;
    /** What a new session in it begins with, as its file says. */
    defaults: WorkspaceDefaultsView;
    /** What a new session in it is set to by that. */
    setup: SessionSetup;
    /** How many of its files are broken. */
    problems: number;
};

/** New values for a workspace; what is absent stays. */
export type WorkspaceUpdate = {
    /** Its slug. */
    workspace?: string;
    /** Its name. */
    name?: string | null;
    /** Its place in lists, from 0. */
    place?: number | null;
    /** What a new session in it begins with, as a whole. */
    defaults?: WorkspaceDefaultsView | null;
};

/** Something that a surface may show. */
export type ApiEvent = {
    event: "run";
    value: UiEvent;
} | {
    event: "turn";
    value: TurnUi;
} | {
    event: "changed";
    value: Tag[];
} | {
    event: "job";
    value: JobState;
} | {
    event: "diagram";
    value: DiagramCheck;
} | {
    event: "limit";
    value: string;
} | {
    event: "lagged";
};

/** Every command with what it takes and gives. */
export interface Commands {
    run_start: { params: StartRun; result: RunId };
    run_resume: { params: {
        /** The run. */
        run: RunRef;
        /** How pauses are answered. */
        attend?: PausePolicy;
    }; result: RunId };
    run_answer: { params: {
        /** The run. */
        run: RunId;
        /** The pause; without it the one that is open. */
        pause?: PauseId | null;
        /** The reply. */
        reply: Reply;
        /** How further pauses are answered. */
        attend?: PausePolicy;
    }; result: Answered };
    run_guide: { params: {
        /** The run. */
        run: RunId;
        /** The text. */
        text: string;
    }; result: null };
    run_cancel: { params: {
        /** The run. */
        run: RunRef;
    }; result: null };
    run_suspend: { params: {
        /** The run. */
        run: RunId;
    }; result: null };
    run_list: { params: {
        /** The most runs; at most 1,000. */
        limit: number;
        /** Only of this agent. */
        agent?: string | null;
        /** Only with this status. */
        status?: RunStatus | null;
        /** Continues a list: the `next` of the page before. */
        before?: number | null;
        /** Whether turns of conversations are listed too. */
        turns?: boolean;
    }; result: RunPage };
    run_show: { params: {
        /** The run. */
        run: RunRef;
        /** Events after this number, at most 1,000; without it none. */
        events_after?: number | null;
        /** Whether outputs are given too. */
        outputs?: boolean;
    }; result: RunState };
    run_find: { params: {
        /** The id, the first characters of it, or a session, which names its newest. */
        run: RunRef;
    }; result: RunFound };
    run_stage: { params: {
        /** The run. */
        run: RunId;
        /** The stage. */
        stage: StageId;
    }; result: StageDetail };
    run_progress: { params: {
        /** The run. */
        run: RunRef;
    }; result: RunProgress };
    run_replay: { params: {
        /** The run or turn. */
        run: RunRef;
        /** Whether a staged run is driven again besides: by the engine itself, with what is recorded in place of models, tools and you. */
        redrive?: boolean;
    }; result: Replay };
    run_export: { params: {
        /** The run. */
        run: RunRef;
        /** Whether the records are left unchecked; then the files say so. */
        unchecked?: boolean;
    }; result: string | null };
    run_document: { params: {
        /** The run. */
        run: RunRef;
    }; result: DocumentText | null };
    run_compare: { params: RunPair; result: RunComparison };
    run_tokens: { params: {
        /** The run. */
        run: RunRef;
        /** Strategies. */
        compare?: TokenStrategy[];
    }; result: RunTokens };
    run_check: { params: {
        /** The run. */
        run: RunRef;
    }; result: RunCheck };
    profile_list: { params: null; result: ProfileRow[] };
    mission_forecast: { params: MissionStart; result: MissionForecast };
    mission_start: { params: MissionStart; result: RunId };
    graph_import: { params: {
        /** The file, JSON lines. */
        path: string;
        /** The profile that it is opened for. */
        profile: string;
    }; result: RunId };
    mission_list: { params: null; result: MissionRow[] };
    mission_show: { params: {
        /** The mission, or the first characters of its id; `last` for the newest. */
        mission: string;
    }; result: MissionView };
    mission_steer: { params: {
        /** The mission. */
        mission: RunId;
        /** What. */
        steer: MissionSteer;
        /** Whether default answers are taken at pauses from now on, where nobody drives it yet. */
        unattended?: boolean;
    }; result: null };
    mission_resume: { params: {
        /** The mission. */
        mission: RunId;
        /** Whether default answers are taken at pauses. */
        unattended?: boolean;
    }; result: null };
    mission_journal: { params: {
        /** The mission. */
        mission: RunId;
    }; result: JournalLine[] };
    mission_graph: { params: MissionGraphQuery; result: Page };
    claim_show: { params: {
        /** The mission. */
        mission: RunId;
        /** The claim. */
        claim: ItemId;
    }; result: Provenance };
    entity_show: { params: {
        /** The mission. */
        mission: RunId;
        /** The entity. */
        entity: ItemId;
    }; result: Neighbourhood };
    mission_export: { params: {
        /** The mission. */
        mission: RunId;
        /** The form. */
        format: ExportFormat;
    }; result: Exported };
    mission_report: { params: {
        /** The mission. */
        mission: RunId;
    }; result: string | null };
    run_lock: { params: {
        /** The run. */
        run: RunRef;
        /** Who reviewed it; at most 120 characters. */
        reviewer: string;
        /** A remark; at most 2,000 characters. */
        note?: string | null;
    }; result: RunCheck };
    run_unlock: { params: {
        /** The run. */
        run: RunRef;
    }; result: RunCheck };
    answers_check: { params: null; result: AnswersCheck };
    session_list: { params: SessionQuery; result: SessionPage };
    session_counts: { params: null; result: SessionCounts };
    session_show: { params: {
        /** The session. */
        session: string;
        /** Older runs: the `earlier` of the page before. */
        before?: number | null;
        /** The most runs; at most 50, 0 for 10. */
        limit?: number;
    }; result: SessionState };
    session_update: { params: {
        /** The sessions; at most 1,000. */
        sessions: string[];
        /** The new values. */
        patch: SessionPatch;
    }; result: null };
    session_purge: { params: {
        /** The sessions. */
        sessions: string[];
    }; result: number };
    session_export: { params: {
        /** The session. */
        session: string;
        /** The run whose document alone is exported; without it the whole session. */
        run?: RunId | null;
        /** As what. */
        format: ExportFormat;
        /** Whether the records are left unchecked; then the documents say so. */
        unchecked?: boolean;
        /** With a run, for Word: the run with the version before, from which it differs by tracked changes. */
        changes_from?: RunId | null;
    }; result: Exported };
    draft_save: { params: {
        /** Where it was typed. */
        key: string;
        /** The text; at most 200,000 bytes. */
        text: string;
    }; result: null };
    draft_show: { params: {
        /** Where it was typed. */
        key: string;
    }; result: Draft | null };
    paragraph_show: { params: {
        /** Its base; with `run` that run's. */
        base?: string | null;
        /** Reads the base and generation that this run read. */
        run?: RunId | null;
        /** Its id, or a reference such as `ISA 320.10`. */
        id: string;
        /** Quotes to find in it. */
        quotes?: string[];
    }; result: ParagraphView };
    page_picture: { params: PagePictureQuery; result: PagePicture };
    agent_list: { params: null; result: AgentRow[] };
    agent_show: { params: {
        /** Its folder name. */
        slug: string;
    }; result: AgentView };
    agent_make: { params: AgentMake; result: AgentView };
    agent_files: { params: {
        /** Its folder name. */
        slug: string;
    }; result: AgentFiles };
    agent_try: { params: {
        /** Its folder name. */
        slug: string;
        /** The files that are edited. */
        files: FileEdit[];
    }; result: FileProblem[] };
    agent_save: { params: {
        /** Its folder name. */
        slug: string;
        /** The files that are edited. */
        files: FileEdit[];
    }; result: AgentView };
    agent_remove: { params: {
        /** Its folder name. */
        slug: string;
    }; result: null };
    source_list: { params: null; result: SourceRow[] };
    source_show: { params: {
        /** Its folder name. */
        slug: string;
    }; result: SourceView };
    source_test: { params: {
        /** Its folder name. */
        slug: string;
        /** The digest of what it runs or reaches (`reach` of its view): the person approves that first. Refused where it is something else by now. */
        approve?: string | null;
    }; result: SourceTest };
    base_list: { params: null; result: BaseRow[] };
    base_show: { params: {
        /** Its name. */
        base: string;
    }; result: BaseView };
    base_paragraphs: { params: BaseParagraphs; result: ParagraphPage };
    base_search: { params: BaseSearch; result: SearchExplained };
    knowledge_search: { params: KnowledgeSearch; result: SearchExplained };
    base_graph: { params: {
        /** The base's name. */
        base: string;
        /** The paragraph. */
        id: string;
        /** How far references are followed, 1 to 3. */
        depth?: number;
    }; result: BaseGraph };
    knowledge_catalog: { params: null; result: KnowledgeCatalog };
    base_preview: { params: IngestRequest; result: IngestPreview };
    upload_write: { params: UploadPart; result: Uploaded };
    paths_check: { params: {
        /** Absolute paths, at most 1,000. */
        paths: string[];
    }; result: PathRow[] };
    base_ingest: { params: IngestRequest; result: JobState };
    base_add: { params: BaseAdd; result: JobState };
    model_add: { params: {
        /** Its name in the catalog. */
        name: string;
        /** Whether the person has accepted its licence. */
        accepted: boolean;
    }; result: JobState };
    base_watch: { params: {
        /** Its name. */
        base: string;
        /** Whether it is watched. */
        on: boolean;
    }; result: null };
    base_share: { params: BaseShare; result: BaseView };
    base_remove: { params: {
        /** Its name. */
        base: string;
    }; result: null };
    job_list: { params: null; result: JobState[] };
    job_cancel: { params: {
        /** The job. */
        job: string;
    }; result: null };
    settings_show: { params: null; result: Settings };
    settings_update: { params: SettingsPatch; result: Settings };
    workspace_list: { params: null; result: WorkspaceRow[] };
    workspace_create: { params: WorkspaceCreate; result: WorkspaceRow };
    workspace_update: { params: WorkspaceUpdate; result: WorkspaceRow };
    workspace_remove: { params: WorkspaceRemove; result: WorkspaceRemoved };
    workspace_restore: { params: WorkspaceRestore; result: WorkspaceRow };
    workspace_open_folder: { params: WorkspaceFolder; result: WorkspaceRow };
    session_move: { params: SessionMove; result: null };
    config_problems: { params: null; result: ConfigProblemRow[] };
    connection_list: { params: null; result: ConnectionRow[] };
    connection_show: { params: {
        /** Its slug. */
        slug: string;
    }; result: ConnectionView };
    connection_presets: { params: null; result: ConnectionPreset[] };
    connection_save: { params: ConnectionSave; result: ConnectionView };
    connection_share: { params: ConnectionShare; result: ConnectionView };
    connection_remove: { params: {
        /** Its slug. */
        slug: string;
    }; result: null };
    connection_test: { params: {
        /** Its slug. */
        slug: string;
        /** The model; without it the connection's default, else one that it lists. */
        model?: string | null;
    }; result: ConnectionTest };
    connection_try: { params: ConnectionSave; result: ConnectionTest };
    connection_models: { params: {
        /** Its slug. */
        slug: string;
    }; result: ConnectionView };
    model_update: { params: ModelPatch; result: ConnectionView };
    sign_in_begin: { params: {
        /** The connection. */
        slug: string;
    }; result: SignIn };
    sign_in_show: { params: {
        /** Its id. */
        id: string;
    }; result: SignIn };
    sign_in_cancel: { params: {
        /** Its id. */
        id: string;
    }; result: null };
    vault_show: { params: null; result: VaultStatus };
    vault_unlock: { params: {
        /** The passphrase. */
        passphrase: Hidden;
    }; result: VaultStatus };
    vault_lock: { params: null; result: VaultStatus };
    vault_protect: { params: {
        /** What is to open it. */
        protection: VaultProtection;
        /** The new passphrase, where that is it. */
        passphrase?: Hidden | null;
    }; result: VaultStatus };
    secret_put: { params: {
        /** Its name. */
        name: string;
        /** The secret. */
        value: Hidden;
    }; result: null };
    secret_remove: { params: {
        /** Its name. */
        name: string;
    }; result: null };
    credentials_import: { params: {
        /** The file. */
        path: string;
    }; result: ImportedCredentials };
    usage_show: { params: UsageQuery; result: UsageSummary };
    usage_list: { params: {
        /** Which. */
        query: UsageQuery;
        /** The most rows; 0 for 200. */
        limit?: number;
    }; result: UsageRow[] };
    usage_forecasts: { params: {
        /** Only of this agent. */
        agent?: string | null;
    }; result: ForecastReport };
    usage_limits: { params: null; result: LimitReport };
    usage_export: { params: UsageQuery; result: Exported };
    run_forecast: { params: ForecastQuery; result: Forecast };
    turn_send: { params: TurnSend; result: Sent };
    turn_show: { params: {
        /** The turn. */
        run: RunId;
    }; result: TurnView };
    turn_events: { params: {
        /** The turn. */
        run: RunId;
        /** Events after this number. */
        after?: number;
    }; result: TurnEvents };
    turn_step: { params: {
        /** The turn. */
        run: RunId;
        /** The step. */
        step: string;
    }; result: StepDetail };
    turn_stop: { params: {
        /** The turn. */
        run: RunId;
    }; result: null };
    turn_resume: { params: {
        /** The turn. */
        run: RunId;
    }; result: null };
    approval_answer: { params: {
        /** The turn. */
        run: RunId;
        /** The call: its step's id. */
        call: string;
        /** What the person says. */
        verdict: ApprovalVerdict;
    }; result: null };
    question_answer: { params: {
        /** The turn. */
        run: RunId;
        /** The call: its step's id. */
        call: string;
        /** The answer. */
        answer: string;
    }; result: null };
    plan_answer: { params: {
        /** The turn that handed it over. */
        run: RunId;
        /** What the person says. */
        verdict: PlanVerdict;
    }; result: Sent };
    session_setup: { params: {
        /** The session. */
        session: string;
        /** The changes. */
        patch: SetupPatch;
    }; result: null };
    session_branch: { params: {
        /** The last turn of the copy. */
        run: RunId;
    }; result: string };
    session_compact: { params: {
        /** The session. */
        session: string;
    }; result: Sent };
    queue_change: { params: {
        /** The session. */
        session: string;
        /** The message. */
        id: string;
        /** Its new text; empty removes it. */
        text?: string | null;
        /** Whether it becomes the next one. */
        first?: boolean;
    }; result: null };
    mention_complete: { params: {
        /** The session; its folders are looked through. */
        session?: string | null;
        /** `@`, `/` or `#`. */
        sigil: string;
        /** What was typed after it. */
        text: string;
        /** The folders that are looked through where there is no session yet. */
        folders?: string[];
    }; result: Completion[] };
    folder_look: { params: {
        /** The path, or its beginning. */
        path: string;
    }; result: FolderSeen };
    attachment_add: { params: AttachmentAdd; result: Attachment };
    attachment_show: { params: {
        /** Its session; absent while the message is not sent. */
        session?: string | null;
        /** It. */
        id: string;
    }; result: AttachmentView };
    shell_show: { params: {
        /** The command. */
        id: string;
    }; result: ShellOutput };
    shell_kill: { params: {
        /** The command. */
        id: string;
    }; result: null };
    skill_list: { params: {
        /** The session whose first folder's skills are listed, too. */
        session?: string | null;
    }; result: SkillRow[] };
    skill_show: { params: {
        /** Its folder name. */
        slug: string;
        /** As in the list. */
        session?: string | null;
    }; result: SkillView };
    skill_try: { params: {
        /** Its folder name. */
        slug: string;
        /** The text. */
        text: string;
    }; result: FileProblem[] };
    skill_save: { params: {
        /** Its folder name: letters, digits, `-`, `_` and `.`. */
        slug: string;
        /** Its SKILL.md; the name of the edit is not looked at. */
        file: FileEdit;
    }; result: SkillView };
    skill_remove: { params: {
        /** Its folder name. */
        slug: string;
    }; result: null };
    help_list: { params: null; result: HelpPage[] };
    help_show: { params: {
        /** Its name. */
        slug: string;
    }; result: HelpPage };
    prompt_show: { params: {
        /** The session; without it a new one. */
        session?: string | null;
        /** An agent. */
        agent?: string | null;
        /** A stage of it. */
        stage?: string | null;
    }; result: PromptView };
    permission_show: { params: null; result: PermissionState };
    permission_stages: { params: {
        /** The agent's slug. */
        agent: string;
    }; result: StageAccess[] };
    permission_allow: { params: {
        /** The agent's slug. */
        agent: string;
    }; result: StageAccess[] };
    grant_revoke: { params: {
        /** The grants; empty: all of them. */
        ids: string[];
    }; result: null };
    audit_list: { params: {
        /** Continues a list: the `cursor` of the last row. */
        before?: number | null;
        /** The most rows; at most 500, 0 for 100. */
        limit?: number;
        /** Only of this session. */
        session?: string | null;
    }; result: AuditRow[] };
    source_save: { params: SourceSave; result: SourceView };
    web_list: { params: {
        /** Only addresses and titles in which these words stand. */
        words?: string;
        /** At most so many. */
        limit: number;
    }; result: WebPages };
    web_show: { params: {
        /** The address, or the SHA-256 of its bytes. */
        url: string;
        /** A block that has to be shown. */
        block?: number | null;
    }; result: WebText };
    web_refresh: { params: {
        /** The address. */
        url: string;
    }; result: WebPage };
    web_forget: { params: {
        /** The address. */
        url: string;
    }; result: null };
    web_policy: { params: null; result: WebPolicy };
    web_profile_set: { params: {
        /** The profile. */
        profile: Profile;
    }; result: WebPolicy };
    web_decide: { params: WebDecision; result: WebPolicy };
    web_log: { params: {
        /** At most so many. */
        limit: number;
    }; result: WebLogLine[] };
    source_remove: { params: {
        /** Its folder name. */
        slug: string;
    }; result: null };
    source_enable: { params: {
        /** Its folder name. */
        slug: string;
        /** Whether it may be used. */
        on: boolean;
    }; result: null };
    source_presets: { params: null; result: SourcePreset[] };
    source_needs: { params: {
        /** The `config.json`. */
        config: unknown;
    }; result: SourceNeeds };
    source_read: { params: {
        /** The text. */
        text: Hidden;
    }; result: SourceDraft[] };
    source_secrets: { params: {
        /** The source. */
        slug: string;
        /** Secrets by the name that its configuration gives them. */
        secrets?: { [key: string]: Hidden };
        /** Whether those that are stored already may go where the source leads now. */
        stored?: boolean;
    }; result: SourceView };
    web_search_show: { params: null; result: WebSearchState };
    web_search_save: { params: {
        /** The key of Brave Search. */
        key?: Hidden | null;
        /** The address of a SearXNG instance. */
        address?: string | null;
    }; result: WebSearchState };
    source_call: { params: {
        /** The source. */
        slug: string;
        /** The tool. */
        tool: string;
        /** Its arguments. */
        arguments: unknown;
    }; result: SourceCalled };
    source_trust: { params: {
        /** The source. */
        slug: string;
        /** Whether what they say of themselves is believed. */
        believe: boolean;
    }; result: SourceView };
    source_log: { params: {
        /** The source. */
        slug: string;
    }; result: SourceLog };
    source_import: { params: {
        /** The document, JSON or YAML; or an address that begins with `https://`. */
        text: string;
    }; result: OpenApiPreview };
    source_sign_in: { params: {
        /** The source. */
        slug: string;
    }; result: SignIn };
    search: { params: {
        /** The text. */
        text: string;
        /** The most hits; at most 100, 0 for 20. */
        limit?: number;
    }; result: SearchHit[] };
    app_info: { params: null; result: AppInfo };
    app_check: { params: null; result: Check[] };
    diagram_check: { params: {
        /** The diagram's source. */
        text: string;
    }; result: DiagramVerdict };
    diagram_offer: { params: null; result: null };
    diagram_answer: { params: {
        /** The check. */
        id: string;
        /** Why it can't be drawn, where it can't. */
        problem?: string | null;
    }; result: null };
    plan_submit: { params: {
        /** The session. */
        session: string;
        /** What it is for, on one line. */
        title: string;
        /** The plan, Markdown; at most 200,000 characters. */
        text: string;
    }; result: Sent };
    turn_changes: { params: {
        /** The turn. */
        run: RunId;
        /** Only this file of it, with its texts. */
        path?: string | null;
    }; result: TurnChanges };
    turn_undo: { params: TurnUndo; result: TurnChanges };
    organise_show: { params: null; result: Organisation };
    status_edit: { params: StatusEdit; result: Organisation };
    label_edit: { params: LabelEdit; result: Organisation };
    view_edit: { params: ViewEdit; result: Organisation };
    view_try: { params: ViewTry; result: ViewTried };
    rule_try: { params: RuleTry; result: RuleTried };
    session_groups: { params: GroupQuery; result: GroupRow[] };
    content_search: { params: ContentQuery; result: ContentHits };
    theme_list: { params: null; result: ThemeList };
    theme_save: { params: ThemeSave; result: ThemeRow };
    theme_remove: { params: ThemeRemove; result: null };
    theme_import: { params: ThemeText; result: ThemeImported };
    automation_list: { params: null; result: AutomationPage };
    automation_show: { params: AutomationRef; result: AutomationView };
    automation_save: { params: AutomationSave; result: AutomationView };
    automation_try: { params: AutomationSave; result: AutomationView };
    automation_remove: { params: AutomationRef; result: null };
    automation_enable: { params: AutomationEnable; result: AutomationView };
    automation_fire: { params: AutomationFire; result: AutomationDone[] };
    automation_history: { params: AutomationHistory; result: AutomationDone[] };
    backup_now: { params: BackupNow; result: JobState };
    backup_list: { params: null; result: BackupList };
    backup_inspect: { params: BackupRef; result: BackupView };
    backup_verify: { params: BackupRef; result: JobState };
    backup_restore: { params: BackupRestore; result: Restored };
    backup_remove: { params: BackupRef; result: null };
    data_show: { params: null; result: DataSizes };
    data_clean: { params: DataClean; result: Cleaned[] };
    data_check: { params: DataCheck; result: JobState };
    retention: { params: RetentionQuery; result: RetentionState };
    session_duplicate: { params: SessionCopy; result: string };
    session_title: { params: SessionCopy; result: string };
    draft_earlier: { params: DraftKey; result: Draft[] };
    export_preview: { params: ExportOptions; result: ExportPreview };
    export_write: { params: ExportOptions; result: ExportWritten };
    capsule_make: { params: CapsuleOptions; result: CapsuleWritten };
    capsule_verify: { params: {
        /** The file, absolute. */
        path: string;
    }; result: CapsuleReport };
    import_places: { params: null; result: ImportPlace[] };
    import_inspect: { params: ImportFrom; result: ImportView };
    import_run: { params: ImportOptions; result: JobState };
    import_show: { params: ImportJob; result: ImportDone };
    share_add: { params: SharePageOptions; result: ShareRow[] };
    share_list: { params: null; result: ShareRow[] };
    share_revoke: { params: ShareRevoke; result: null };
    task_list: { params: null; result: TaskList };
    task_show: { params: TaskRef; result: TaskView };
    task_runs: { params: {
        /** The task. */
        task?: TaskId | null;
    }; result: TaskRunState[] };
    task_start: { params: AttemptId; result: TaskStart };
    task_create: { params: TaskCreate; result: TaskView };
    task_commands: { params: RepositoryRef; result: DeclaredCommands };
    task_approve: { params: CommandsApprove; result: null };
    task_attempt: { params: AttemptAdd; result: TaskView };
    task_setup: { params: AttemptId; result: CommandResult };
    task_check: { params: AttemptId; result: CheckRun };
    task_diff: { params: DiffQuery; result: Diff };
    task_save: { params: SavepointMake; result: Savepoint };
    task_revert: { params: FilesRevert; result: Savepoint };
    task_comments: { params: AttemptId; result: TaskComments };
    task_comment: { params: CommentAdd; result: Comment };
    task_comment_set: { params: CommentsSet; result: null };
    task_merge: { params: MergeOptions; result: MergeOutcome };
    task_end: { params: AttemptEnd; result: Removal[] };
    task_undo: { params: TaskRef; result: UndoOutcome };
    task_forget: { params: TaskRef; result: null };
}

/** Cached data that each command makes stale; empty for those that only read. */
export const CHANGES: { readonly [N in keyof Commands]: readonly Tag[] } = {
    run_start: ["sessions", "runs"],
    run_resume: ["sessions", "runs"],
    run_answer: ["sessions", "runs"],
    run_guide: ["runs"],
    run_cancel: ["sessions", "runs"],
    run_suspend: ["sessions", "runs"],
    run_list: [],
    run_show: [],
    run_find: [],
    run_stage: [],
    run_progress: [],
    run_replay: [],
    run_export: [],
    run_document: [],
    run_compare: [],
    run_tokens: [],
    run_check: [],
    profile_list: [],
    mission_forecast: [],
    mission_start: ["sessions", "runs"],
    graph_import: ["sessions", "runs"],
    mission_list: [],
    mission_show: [],
    mission_steer: ["sessions", "runs"],
    mission_resume: ["sessions", "runs"],
    mission_journal: [],
    mission_graph: [],
    claim_show: [],
    entity_show: [],
    mission_export: [],
    mission_report: [],
    run_lock: ["runs"],
    run_unlock: ["runs"],
    answers_check: ["sessions"],
    session_list: [],
    session_counts: [],
    session_show: [],
    session_update: ["sessions"],
    session_purge: ["sessions", "runs", "drafts"],
    session_export: [],
    draft_save: ["drafts"],
    draft_show: [],
    paragraph_show: [],
    page_picture: [],
    agent_list: [],
    agent_show: [],
    agent_make: ["agents"],
    agent_files: [],
    agent_try: [],
    agent_save: ["agents"],
    agent_remove: ["agents"],
    source_list: [],
    source_show: [],
    source_test: [],
    base_list: [],
    base_show: [],
    base_paragraphs: [],
    base_search: [],
    knowledge_search: [],
    base_graph: [],
    knowledge_catalog: [],
    base_preview: [],
    upload_write: [],
    paths_check: [],
    base_ingest: ["jobs"],
    base_add: ["jobs"],
    model_add: ["jobs"],
    base_watch: ["bases"],
    base_share: ["bases"],
    base_remove: ["bases"],
    job_list: [],
    job_cancel: ["jobs"],
    settings_show: [],
    settings_update: ["settings"],
    workspace_list: [],
    workspace_create: ["workspaces"],
    workspace_update: ["workspaces"],
    workspace_remove: ["workspaces", "sessions", "problems"],
    workspace_restore: ["workspaces", "sessions", "problems"],
    workspace_open_folder: ["workspaces", "sessions", "problems"],
    session_move: ["sessions", "workspaces"],
    config_problems: [],
    connection_list: [],
    connection_show: [],
    connection_presets: [],
    connection_save: ["connections"],
    connection_share: ["connections"],
    connection_remove: ["connections", "settings"],
    connection_test: ["connections"],
    connection_try: [],
    connection_models: ["connections"],
    model_update: ["connections"],
    sign_in_begin: [],
    sign_in_show: [],
    sign_in_cancel: [],
    vault_show: [],
    vault_unlock: ["connections"],
    vault_lock: ["connections"],
    vault_protect: ["connections"],
    secret_put: ["connections", "sources"],
    secret_remove: ["connections", "sources"],
    credentials_import: ["connections"],
    usage_show: [],
    usage_list: [],
    usage_forecasts: [],
    usage_limits: [],
    usage_export: [],
    run_forecast: [],
    turn_send: ["sessions", "runs", "drafts"],
    turn_show: [],
    turn_events: [],
    turn_step: [],
    turn_stop: ["sessions", "runs"],
    turn_resume: ["sessions", "runs"],
    approval_answer: ["sessions", "permissions"],
    question_answer: ["sessions"],
    plan_answer: ["sessions", "runs"],
    session_setup: ["sessions"],
    session_branch: ["sessions", "runs"],
    session_compact: ["sessions", "runs"],
    queue_change: ["sessions", "runs"],
    mention_complete: [],
    folder_look: [],
    attachment_add: [],
    attachment_show: [],
    shell_show: [],
    shell_kill: ["sessions"],
    skill_list: [],
    skill_show: [],
    skill_try: [],
    skill_save: ["skills"],
    skill_remove: ["skills"],
    help_list: [],
    help_show: [],
    prompt_show: [],
    permission_show: [],
    permission_stages: [],
    permission_allow: ["permissions"],
    grant_revoke: ["permissions"],
    audit_list: [],
    source_save: ["sources"],
    web_list: [],
    web_show: [],
    web_refresh: ["web"],
    web_forget: ["web"],
    web_policy: [],
    web_profile_set: ["web"],
    web_decide: ["web"],
    web_log: [],
    source_remove: ["sources"],
    source_enable: ["sources"],
    source_presets: [],
    source_needs: [],
    source_read: [],
    source_secrets: ["sources", "connections"],
    web_search_show: [],
    web_search_save: ["connections"],
    source_call: [],
    source_trust: ["sources"],
    source_log: [],
    source_import: [],
    source_sign_in: [],
    search: [],
    app_info: [],
    app_check: [],
    diagram_check: [],
    diagram_offer: [],
    diagram_answer: [],
    plan_submit: ["sessions", "runs"],
    turn_changes: [],
    turn_undo: ["sessions", "permissions"],
    organise_show: [],
    status_edit: ["sessions", "organisation"],
    label_edit: ["sessions", "organisation"],
    view_edit: ["organisation"],
    view_try: [],
    rule_try: [],
    session_groups: [],
    content_search: [],
    theme_list: [],
    theme_save: ["themes"],
    theme_remove: ["themes"],
    theme_import: [],
    automation_list: [],
    automation_show: [],
    automation_save: ["automations"],
    automation_try: [],
    automation_remove: ["automations"],
    automation_enable: ["automations"],
    automation_fire: ["automations", "sessions", "runs"],
    automation_history: [],
    backup_now: ["jobs"],
    backup_list: [],
    backup_inspect: [],
    backup_verify: ["jobs"],
    backup_restore: ["sessions", "runs", "backups"],
    backup_remove: ["backups"],
    data_show: [],
    data_clean: ["sessions", "runs", "drafts", "backups"],
    data_check: ["jobs"],
    retention: [],
    session_duplicate: ["sessions", "runs"],
    session_title: ["sessions"],
    draft_earlier: [],
    export_preview: [],
    export_write: [],
    capsule_make: [],
    capsule_verify: [],
    import_places: [],
    import_inspect: [],
    import_run: ["jobs"],
    import_show: [],
    share_add: [],
    share_list: [],
    share_revoke: [],
    task_list: [],
    task_show: [],
    task_runs: [],
    task_start: [],
    task_create: ["tasks"],
    task_commands: [],
    task_approve: ["tasks"],
    task_attempt: ["tasks"],
    task_setup: ["tasks"],
    task_check: ["tasks"],
    task_diff: [],
    task_save: ["tasks"],
    task_revert: ["tasks"],
    task_comments: [],
    task_comment: ["tasks"],
    task_comment_set: ["tasks"],
    task_merge: ["tasks"],
    task_end: ["tasks"],
    task_undo: ["tasks"],
    task_forget: ["tasks"],
};

/** Cached data that each command's answer shows. */
export const READS: { readonly [N in keyof Commands]: readonly Tag[] } = {
    run_start: [],
    run_resume: [],
    run_answer: [],
    run_guide: [],
    run_cancel: [],
    run_suspend: [],
    run_list: ["runs"],
    run_show: ["runs"],
    run_find: ["runs"],
    run_stage: ["runs"],
    run_progress: ["runs"],
    run_replay: ["runs"],
    run_export: [],
    run_document: ["runs"],
    run_compare: ["runs"],
    run_tokens: ["runs"],
    run_check: ["runs", "bases"],
    profile_list: ["agents"],
    mission_forecast: ["agents", "bases", "connections", "settings", "usage"],
    mission_start: [],
    graph_import: [],
    mission_list: ["runs"],
    mission_show: ["runs"],
    mission_steer: [],
    mission_resume: [],
    mission_journal: ["runs"],
    mission_graph: ["runs"],
    claim_show: ["runs"],
    entity_show: ["runs"],
    mission_export: [],
    mission_report: ["runs"],
    run_lock: [],
    run_unlock: [],
    answers_check: [],
    session_list: ["sessions", "runs", "organisation"],
    session_counts: ["sessions", "runs", "organisation"],
    session_show: ["sessions", "runs", "organisation"],
    session_update: [],
    session_purge: [],
    session_export: [],
    draft_save: [],
    draft_show: ["drafts"],
    paragraph_show: [],
    page_picture: [],
    agent_list: ["agents"],
    agent_show: ["agents"],
    agent_make: [],
    agent_files: ["agents"],
    agent_try: ["agents"],
    agent_save: [],
    agent_remove: [],
    source_list: ["sources"],
    source_show: ["sources"],
    source_test: [],
    base_list: ["bases"],
    base_show: ["bases"],
    base_paragraphs: ["bases"],
    base_search: ["bases"],
    knowledge_search: ["bases"],
    base_graph: ["bases"],
    knowledge_catalog: ["bases"],
    base_preview: ["bases"],
    upload_write: [],
    paths_check: [],
    base_ingest: [],
    base_add: [],
    model_add: [],
    base_watch: [],
    base_share: [],
    base_remove: [],
    job_list: ["jobs"],
    job_cancel: [],
    settings_show: ["settings"],
    settings_update: [],
    workspace_list: ["workspaces", "sessions", "settings"],
    workspace_create: [],
    workspace_update: [],
    workspace_remove: [],
    workspace_restore: [],
    workspace_open_folder: [],
    session_move: [],
    config_problems: ["problems"],
    connection_list: ["connections", "settings"],
    connection_show: ["connections", "settings"],
    connection_presets: ["connections", "settings"],
    connection_save: [],
    connection_share: [],
    connection_remove: [],
    connection_test: [],
    connection_try: [],
    connection_models: [],
    model_update: [],
    sign_in_begin: [],
    sign_in_show: [],
    sign_in_cancel: [],
    vault_show: ["connections"],
    vault_unlock: [],
    vault_lock: [],
    vault_protect: [],
    secret_put: [],
    secret_remove: [],
    credentials_import: [],
    usage_show: ["usage", "sessions"],
    usage_list: ["usage", "sessions"],
    usage_forecasts: ["usage", "runs"],
    usage_limits: ["usage", "settings", "connections"],
    usage_export: [],
    run_forecast: ["usage", "connections", "settings"],
    turn_send: [],
    turn_show: [],
    turn_events: [],
    turn_step: [],
    turn_stop: [],
    turn_resume: [],
    approval_answer: [],
    question_answer: [],
    plan_answer: [],
    session_setup: [],
    session_branch: [],
    session_compact: [],
    queue_change: [],
    mention_complete: [],
    folder_look: [],
    attachment_add: [],
    attachment_show: [],
    shell_show: ["sessions"],
    shell_kill: [],
    skill_list: ["skills"],
    skill_show: ["skills"],
    skill_try: [],
    skill_save: [],
    skill_remove: [],
    help_list: [],
    help_show: [],
    prompt_show: [],
    permission_show: ["permissions"],
    permission_stages: ["permissions"],
    permission_allow: [],
    grant_revoke: [],
    audit_list: ["permissions"],
    source_save: [],
    web_list: ["web"],
    web_show: ["web"],
    web_refresh: [],
    web_forget: [],
    web_policy: ["web"],
    web_profile_set: [],
    web_decide: [],
    web_log: ["web"],
    source_remove: [],
    source_enable: [],
    source_presets: ["sources"],
    source_needs: ["sources", "connections"],
    source_read: [],
    source_secrets: [],
    web_search_show: ["connections"],
    web_search_save: [],
    source_call: [],
    source_trust: [],
    source_log: ["sources"],
    source_import: ["sources"],
    source_sign_in: [],
    search: ["sessions", "agents", "sources", "bases"],
    app_info: ["sessions", "runs", "bases"],
    app_check: ["sessions", "runs", "bases"],
    diagram_check: [],
    diagram_offer: [],
    diagram_answer: [],
    plan_submit: [],
    turn_changes: ["sessions"],
    turn_undo: [],
    organise_show: ["organisation", "sessions"],
    status_edit: [],
    label_edit: [],
    view_edit: [],
    view_try: ["organisation", "sessions"],
    rule_try: [],
    session_groups: ["sessions", "runs", "organisation"],
    content_search: ["sessions"],
    theme_list: ["themes", "workspaces"],
    theme_save: [],
    theme_remove: [],
    theme_import: ["themes", "workspaces"],
    automation_list: ["automations"],
    automation_show: ["automations"],
    automation_save: [],
    automation_try: ["automations"],
    automation_remove: [],
    automation_enable: [],
    automation_fire: [],
    automation_history: ["automations"],
    backup_now: [],
    backup_list: ["backups", "settings"],
    backup_inspect: ["backups", "settings"],
    backup_verify: [],
    backup_restore: [],
    backup_remove: [],
    data_show: [],
    data_clean: [],
    data_check: [],
    retention: ["sessions", "settings"],
    session_duplicate: [],
    session_title: [],
    draft_earlier: ["drafts"],
    export_preview: [],
    export_write: [],
    capsule_make: [],
    capsule_verify: [],
    import_places: [],
    import_inspect: [],
    import_run: [],
    import_show: [],
    share_add: [],
    share_list: [],
    share_revoke: [],
    task_list: ["tasks", "runs"],
    task_show: ["tasks", "runs"],
    task_runs: ["tasks", "runs"],
    task_start: ["tasks"],
    task_create: [],
    task_commands: [],
    task_approve: [],
    task_attempt: [],
    task_setup: [],
    task_check: [],
    task_diff: ["tasks", "runs"],
    task_save: [],
    task_revert: [],
    task_comments: ["tasks", "runs"],
    task_comment: [],
    task_comment_set: [],
    task_merge: [],
    task_end: [],
    task_undo: [],
    task_forget: [],
};
