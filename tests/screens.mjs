// Every screen of the window: how it is reached and how one knows that it is there. Tests look at each, and `npm run shots`
// takes its picture.

/**
 * @typedef {object} Step what a person does: a click on the first control of that role and name, or a key
 * @property {[string, RegExp]} [click]
 * @property {string} [press]
 * @property {string | ((world: import("./world.mjs").World) => string)} [write]
 */

/**
 * @typedef {object} Screen
 * @property {string} name
 * @property {(world: import("./world.mjs").World) => string} path
 * @property {RegExp} shows text that stands on it
 * @property {Step[]} [steps]
 * @property {RegExp} [then] text that stands on it after the steps
 * @property {"empty" | "running"} [needs] a data directory without anything; a run under way
 */

/** Files are named for an ingest. */
const NAMED = /** @type {Step[]} */ ([{ write: ({ folder }) => folder }, { click: ["button", /^Next$/] }]);
const GET = /** @type {Step} */ ({ click: ["button", /^Download texts/] });

/** @type {Screen[]} */
export const SCREENS = [
    { name: "welcome", path: () => "/welcome", shows: /Research you can sign your name under/, needs: "empty" },
    { name: "inbox-empty", path: () => "/view/inbox", shows: /Inbox/, needs: "empty" },
    { name: "inbox", path: () => "/view/inbox", shows: /going concern/ },
    { name: "needs-you", path: () => "/view/needs_you", shows: /going concern/ },
    { name: "running-list", path: () => "/view/running", shows: /Running/ },
    { name: "archived", path: () => "/view/archived", shows: /Archive/ },
    { name: "trash", path: () => "/view/trash", shows: /Trash/ },
    { name: "search-all", path: () => "/search?q=going+concern", shows: /going concern/i },
    { name: "organisation", path: () => "/settings/organisation", shows: /Needs Review/ },
    {
        name: "organisation-view",
        path: () => "/settings/organisation?open=view:left-lying",
        shows: /Inactive/,
        then: /Shows \d+ sessions? now/,
    },
    { name: "organisation-label", path: () => "/settings/organisation?open=label:due", shows: /Try the rules/ },
    { name: "new", path: () => "/new", shows: /Ask|question/ },
    { name: "pause-1", path: ({ first }) => `/session/${first.session}`, shows: /Research plan/ },
    { name: "pause-2", path: ({ second }) => `/session/${second.session}`, shows: /Plan after the web search/ },
    { name: "running", path: () => "", shows: /Synthesize|Analyze/, needs: "running" },
    { name: "document", path: ({ finished }) => `/session/${finished.session}`, shows: /\d+ statements?: / },
    {
        name: "paragraph",
        path: ({ finished }) => `/session/${finished.session}`,
        shows: /\d+ statements?: /,
        steps: [{ click: ["button", /, verified$/] }],
        then: /Cited for/,
    },
    {
        name: "stage",
        path: ({ finished }) => `/session/${finished.session}`,
        shows: /\d+ statements?: /,
        steps: [{ click: ["button", /^Synthesize/] }],
        then: /Output|Input|Calls/,
    },
    { name: "run", path: ({ finished }) => `/run/${finished.run}`, shows: /Timeline|Events|Stages/i },
    {
        name: "compare",
        path: ({ finished, first }) => `/compare/${finished.run}?with=${first.run}`,
        shows: /stages? of \d+ differ/,
    },
    { name: "tasks", path: () => "/tasks", shows: /No coding tasks yet/ },
    { name: "health", path: () => "/settings/health", shows: /Check all sources/ },
    { name: "agents", path: () => "/agents", shows: /ISA Deep Research/ },
    { name: "agent", path: () => "/agent/isa-deep-research", shows: /Synthesize/ },
    { name: "agent-edit", path: () => "/agent/clerk?edit", shows: /AGENT\.md/ },
    { name: "schedule", path: () => "/schedule", shows: /Standup/ },
    { name: "schedule-templates", path: () => "/schedule", shows: /Start from a template/, needs: "empty" },
    { name: "automation", path: () => "/schedule/standup", shows: /Standup/ },
    { name: "automation-edit", path: () => "/schedule/standup?edit", shows: /Edit automation/ },
    { name: "automation-new", path: () => "/schedule?add=", shows: /New automation/ },
    { name: "knowledge", path: () => "/knowledge", shows: /Firm manual/ },
    { name: "knowledge-search", path: () => "/knowledge?q=performance+materiality", shows: /not a standard/ },
    {
        name: "ingest-files",
        path: () => "/knowledge?add",
        shows: /Files and folders/,
        steps: [{ click: ["button", /^Next$/] }],
        then: /Enter at least one/,
    },
    {
        name: "ingest-options",
        path: () => "/knowledge?add",
        shows: /Files and folders/,
        steps: NAMED,
        then: /Citation format/,
    },
    {
        name: "ingest-preview",
        path: () => "/knowledge?add",
        shows: /Files and folders/,
        steps: [...NAMED, { click: ["button", /^Preview$/] }],
        then: /as they would be stored/,
    },
    {
        name: "registry",
        path: () => "/knowledge",
        shows: /Firm manual/,
        steps: [GET, { click: ["button", /^2 CFR Part 200/] }],
        then: /Accept the licence first/,
    },
    {
        name: "registry-address",
        path: () => "/knowledge",
        shows: /Firm manual/,
        steps: [GET, { click: ["tab", /address/] }, { click: ["button", /^Download$/] }],
        then: /Enter an address/,
    },
    {
        name: "registry-models",
        path: () => "/knowledge",
        shows: /Firm manual/,
        steps: [GET, { click: ["tab", /^Models/] }],
        then: /An embedding model turns paragraphs/,
    },
    {
        name: "base",
        path: ({ paragraph }) => `/knowledge/manual?paragraph=${encodeURIComponent(paragraph)}`,
        shows: /Firm manual/,
    },
    {
        name: "surroundings",
        path: ({ paragraph }) => `/knowledge/manual?paragraph=${encodeURIComponent(paragraph)}`,
        shows: /Firm manual/,
        steps: [{ click: ["button", /^Link graph/] }],
        then: /Links of/,
    },
    {
        name: "base-files",
        path: () => "/knowledge/manual",
        shows: /Firm manual/,
        steps: [{ click: ["tab", /^Files/] }],
        then: /Format/,
    },
    {
        name: "base-about",
        path: () => "/knowledge/manual",
        shows: /Firm manual/,
        steps: [{ click: ["tab", /^About/] }],
        then: /Ingest again when files change/,
    },
    { name: "search", path: () => "/knowledge/isa-primer?q=going+concern", shows: /going concern/i },
    { name: "sources", path: () => "/sources", shows: /knowledge/i },
    { name: "source", path: () => "/source/isa-knowledge-base", shows: /knowledge/i },
    { name: "new-source", path: () => "/new-source", shows: /Choose the closest template/ },
    {
        name: "new-source-form",
        path: () => "/new-source",
        shows: /Choose the closest template/,
        steps: [{ click: ["link", /^GitHub/] }],
        then: /This source (runs a program|sends requests|reads)/,
    },
    { name: "skills", path: () => "/skills", shows: /Plan first/ },
    { name: "skill", path: () => "/skill/plan-first", shows: /Write the plan for somebody/ },
    { name: "skill-edit", path: () => "/skill/minutes?edit", shows: /Minutes/ },
    { name: "help", path: () => "/help", shows: /Permissions/ },
    { name: "help-page", path: () => "/help/permissions", shows: /Rules of your own/ },
    { name: "missions", path: () => "/missions", shows: /General research/ },
    { name: "mission-new", path: () => "/missions?add=", shows: /Objective/ },
    { name: "usage", path: () => "/usage", shows: /Over time/ },
    { name: "connect", path: () => "/settings/connections?add=", shows: /Choose a provider/ },
    { name: "connect-anthropic", path: () => "/settings/connections?add=anthropic", shows: /Anthropic/ },
    { name: "connect-compatible", path: () => "/settings/connections?add=openai-compatible", shows: /Address/ },
    { name: "connection-offline", path: () => "/settings/connections?open=offline", shows: /Offline engine/ },
    ...[
        "appearance",
        "notifications",
        "writing",
        "connections",
        "credentials",
        "permissions",
        "shortcuts",
        "data",
        "about",
    ].map((page) => ({ name: `settings-${page}`, path: () => `/settings/${page}`, shows: /Settings/ })),
    {
        name: "palette",
        path: () => "/view/inbox",
        shows: /going concern/,
        steps: [{ press: "Ctrl+K" }],
        then: /Forward/,
    },
    {
        name: "shortcut-list",
        path: () => "/view/inbox",
        shows: /going concern/,
        steps: [{ press: "Ctrl+/" }],
        then: /Keyboard shortcuts/,
    },
];
