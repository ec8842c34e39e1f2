// Every screen of the window: how it is reached and how one knows that it is there. Tests look at each, and `npm run shots`
// takes its picture.

/**
 * @typedef {object} Step what a person does: a click on the first control of that role and name, or a key
 * @property {[string, RegExp]} [click]
 * @property {string} [press]
 * @property {string} [write]
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

/** @type {Screen[]} */
export const SCREENS = [
    { name: "welcome", path: () => "/welcome", shows: /Research you can put your name under/, needs: "empty" },
    { name: "inbox-empty", path: () => "/view/inbox", shows: /Inbox/, needs: "empty" },
    { name: "inbox", path: () => "/view/inbox", shows: /going concern/ },
    { name: "needs-you", path: () => "/view/needs_you", shows: /going concern/ },
    { name: "new", path: () => "/new", shows: /Ask|question/ },
    { name: "pause-1", path: ({ first }) => `/session/${first.session}`, shows: /Query Analysis Complete/ },
    { name: "pause-2", path: ({ second }) => `/session/${second.session}`, shows: /Web Search Calibration/ },
    { name: "running", path: () => "", shows: /Synthesize|Analyze/, needs: "running" },
    { name: "document", path: ({ finished }) => `/session/${finished.session}`, shows: /citations? verified/ },
    { name: "paragraph", path: ({ finished }) => `/session/${finished.session}`, shows: /citations? verified/, steps: [{ click: ["button", /, verified$/] }], then: /Cited for/ },
    { name: "stage", path: ({ finished }) => `/session/${finished.session}`, shows: /citations? verified/, steps: [{ click: ["button", /^Synthesize/] }], then: /Output|Input|Calls/ },
    { name: "run", path: ({ finished }) => `/run/${finished.run}`, shows: /Timeline|Events|Stages/i },
    { name: "agents", path: () => "/agents", shows: /ISA Deep Research/ },
    { name: "agent", path: () => "/agent/isa-deep-research", shows: /Synthesize/ },
    { name: "knowledge", path: () => "/knowledge", shows: /Firm manual/ },
    { name: "base", path: ({ paragraph }) => `/knowledge/manual?paragraph=${encodeURIComponent(paragraph)}`, shows: /Firm manual/ },
    { name: "search", path: () => "/knowledge/isa-primer?q=going+concern", shows: /going concern/i },
    { name: "sources", path: () => "/sources", shows: /knowledge/i },
    { name: "source", path: () => "/source/isa-knowledge-base", shows: /knowledge/i },
    ...["appearance", "notifications", "writing", "connections", "shortcuts", "data", "about"].map((page) => ({ name: `settings-${page}`, path: () => `/settings/${page}`, shows: /Settings/ })),
    { name: "palette", path: () => "/view/inbox", shows: /going concern/, steps: [{ press: "Ctrl+K" }], then: /./ },
    { name: "shortcut-list", path: () => "/view/inbox", shows: /going concern/, steps: [{ press: "Ctrl+/" }], then: /Keyboard shortcuts/ },
];
