//! One stage of an agent.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Conversation, Display, Effort};
use crate::StageId;

/// What a stage does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StageKind {
    /// One streamed model call (for each instance), after its tool steps if it has any.
    Model,
    /// Tool calls made by code.
    Tools,
    /// Tool calls and a rule that decides whether the work must be repaired.
    Verify,
    /// The answer document.
    Render,
    /// A tool-using chat turn as a child run.
    Dialogue,
    /// A run of another agent for each instance.
    Agent,
}

/// One stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Stage {
    /// Unique within the agent; a string or an integer.
    pub id: StageId,
    /// The name under which expressions read its output: `outputs.<name>`.
    pub name: String,
    /// What a person sees.
    pub title: String,
    /// The part of the work that it belongs to, of an agent with many stages: they are shown by these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// What it does.
    pub kind: StageKind,
    /// Stages that must have ended first; without it the stage before it in the list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depends_on: Option<Vec<StageId>>,
    /// Expression: the stage runs only when it is true; else it is skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// What is shown as the reason when `when` is false; empty: the document need not say that the stage did not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when_not: Option<String>,
    /// Expression: a list; a model stage makes one call for each `item` and its output is the list of answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub for_each: Option<String>,
    /// Tool calls, in order; each step is one wave.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
    /// The prompt file of a model or dialogue stage, or of the judge in a verify stage, relative to the agent's prompt folder; a
    /// template. Of an agent stage: what the child run is asked (default: what the run was asked).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Expression: the model is called only when it is true (default: always).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_when: Option<String>,
    /// What the model is shown, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub context: Vec<ContextSection>,
    /// What the model of a dialogue stage may call: names of built-in tools, `source/tool`, or `source/*` for all tools of a
    /// source. Calls are judged by the session's mode and rules.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// Folders that a dialogue stage, or a step with a built-in tool, works in, in place of the session's: templates of
    /// absolute paths. A folder of the session, or the worktree of a task that a run of the session began.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<String>,
    /// The agent whose runs an agent stage starts: a slug, or a template over `item` that gives one of `agents`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The slugs that the template in `agent` may give. A run keeps all of them as they are when it starts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<String>,
    /// What a child run begins with, as templates over `item`: its expressions read it as `inputs`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inputs: Option<Map<String, Value>>,
    /// The name of the child's stage whose output is the result; default: its last stage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// Expression over `item`: names each child run. The stage's answer is then an object by these names instead of a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item_key: Option<String>,
    /// Whether a child run that fails is a warning instead of the stage's failure.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub item_optional: bool,
    /// The most that one child run may use, below a fair share of what the run has left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub child_budget: Option<ChildBudget>,
    /// Whether a dialogue stage continues the conversation of the stages before it, over the agent's setting. A stage that has to
    /// judge for itself says `fresh`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<Conversation>,
    /// Of a stage that continues: the tokens that it is taken to need. Where the conversation has less left, the run asks whether
    /// to hand over to a fresh one. Default: the agent's `minOutputBudget`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_budget: Option<u64>,
    /// What the model's answer must satisfy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<SchemaRef>,
    /// Expression: the paragraphs whose sentences the answer cites by their keys. The program puts the references and the
    /// verbatim quotes in their place, in `synthesis` and `citations` of the answer. With `forEach` each item is a part of one
    /// text, and the stage's answer is that text: the parts below one another, their lists together, the least confidence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cites: Option<String>,
    /// The stage's output, as templates over `answer`, `collected`, `telemetry` and what other expressions see.
    /// Default: the answer of a model stage, else everything collected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Map<String, Value>>,
    /// The output when the stage is skipped, as templates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped_output: Option<Map<String, Value>>,
    /// What is asked for in a repair; default: the whole answer once more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repair: Option<RepairForm>,
    /// The rule of a verify stage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass: Option<PassRule>,
    /// What a render stage builds the document from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<DocumentSpec>,
    /// Output tokens wanted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub desired_tokens: Option<u64>,
    /// The most output tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u64>,
    /// Effort, over the depth mode's and the agent's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    /// Model, over the agent's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The pause after it, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pause: Option<PauseSpec>,
    /// How its output is shown to a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display: Option<Display>,
    /// Whether its failure, or a lack of budget for it, skips it instead of stopping the run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub skippable: bool,
    /// Whether budget for one call of it stays reserved until it has run, so that the run can end with an answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub essential: bool,
    /// Each time that so many words of an answer have been streamed, they are kept in the log: a long text that is
    /// interrupted can be read as far as it came, and goes on from there. Each time the whole text is kept, so fewer than 100 count
    /// as 100. 0: they are not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draft_words: Option<u32>,
    /// Bounds.
    #[serde(default)]
    pub limits: Limits,
}

impl Stage {
    /// Whether it asks a model or an agent: a verify stage does where it has a prompt.
    pub fn asks_model(&self) -> bool {
        match self.kind {
            StageKind::Model | StageKind::Dialogue | StageKind::Agent => true,
            StageKind::Verify => self.prompt.is_some(),
            StageKind::Tools | StageKind::Render => false,
        }
    }
}

impl Stage {
    /// The slugs of the agents whose runs it may start.
    pub fn child_agents(&self) -> impl Iterator<Item = &str> {
        let one = self.agent.as_deref().filter(|_| self.agents.is_empty());
        one.into_iter().chain(self.agents.iter().map(String::as_str))
    }
}

/// The most that one child run may use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ChildBudget {
    /// US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd: Option<f64>,
    /// Tokens, input and output together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Minutes of work; waiting for the person does not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minutes: Option<f64>,
}

/// What a model stage asks for in a repair, in place of the whole answer: replacements of the statements that did not hold.
/// The answer is `{ replacements: [{ n, text }] }`; the program puts them into the attempt before it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RepairForm {
    /// The prompt file.
    pub prompt: String,
    /// What the model is shown, in order.
    pub context: Vec<ContextSection>,
    /// What its answer must satisfy.
    pub output_schema: SchemaRef,
    /// Expression: the paragraphs whose sentences the replacements cite by their keys.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cites: Option<String>,
}

/// A JSON Schema: a file relative to the agent's folder, or written in place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum SchemaRef {
    /// A file's path.
    File(String),
    /// The schema.
    Inline(Map<String, Value>),
}

/// One section of what a model is shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ContextSection {
    /// The section's name: upper-case letters, digits and underscores.
    pub section: String,
    /// Expression: its value. Absent or empty: no section.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub value: String,
    /// Instead of a value: a prompt file, relative to the agent's prompt folder; a template. Blank text: no section.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// How the value is written.
    #[serde(default)]
    pub form: ContextForm,
}

/// How a context section's value is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContextForm {
    /// Text as it is, anything else as compact JSON.
    #[default]
    Auto,
    /// Knowledge-base paragraphs, by descending score; cut to fit by relevance.
    Paragraphs,
    /// The same as numbered sentences: the model cites the keys, such as `[@3.2]`. See [`Stage::cites`].
    Sentences,
    /// A numbered `[W1]` list of web pages.
    WebReferences,
    /// Lines of a list.
    Lines,
}

/// One wave of tool calls.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Step {
    /// `source/tool`, or the name of a built-in tool, whose calls are judged by the session's mode and rules.
    pub tool: String,
    /// What the person sees while it runs; a template over `item`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Expression: a list; one call for each `item`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub for_each: Option<String>,
    /// Expression: the step runs only when it is true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// The tool's arguments, as templates.
    #[serde(default)]
    pub args: Map<String, Value>,
    /// The field of each result that is collected (dots go deeper); default: the whole result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pick: Option<String>,
    /// The name under which results are collected: lists are joined, anything else is kept as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collect: Option<String>,
    /// The field by which collected items are unique; the one with the highest score stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dedupe_by: Option<String>,
    /// The field by which collected items are sorted; `-` before it: descending. Ties keep the order by id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sort_by: Option<String>,
    /// The most collected items that stay: a number or a template.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Value>,
    /// Whether a failing call is a warning instead of the stage's failure.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
    /// Whether calling it twice with the same arguments does no harm (default: yes, it only reads).
    #[serde(default = "yes")]
    pub idempotent: bool,
}

fn yes() -> bool {
    true
}

/// The rule of a verify stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PassRule {
    /// Expression: true when the work passes.
    pub when: String,
    /// Expressions by axis: scores from 0 to 1, readable as `scores.<axis>` in `when`.
    #[serde(default)]
    pub scores: BTreeMap<String, String>,
    /// Expression: what is not supported, readable as `unsupported` in `when`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsupported: Option<String>,
    /// The prompt file (a template) that says what to mend.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<String>,
    /// Expression: true when replacing statements can't be enough, so that a stage with a `repair` form works anew. Readable as
    /// `rewrite` in the stage's output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rewrite_when: Option<String>,
}

/// What a render stage builds the document from; every field is an expression.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DocumentSpec {
    /// `{ synthesis, citations, confidence, gaps, out_of_scope }`.
    pub answer: String,
    /// The query plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// The verify stage's output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verification: Option<String>,
    /// The name of a model stage that judged sentences: its answer is `{ judgements: [{ n, finding, reason }] }`, where `n` is a
    /// sentence record's and `finding` is `entailed`, `contradicted` or `unknown`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<String>,
    /// Web references, in the order of their labels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub web_references: Option<String>,
    /// Paragraphs that were retrieved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paragraphs: Option<String>,
    /// A short notice about the corpus, shown under the title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// Whether the output has the body once more as `part`, with each citation as a footnote: `{ markdown, footnotes }`. For a
    /// document that becomes a part of a longer one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub part: bool,
    /// Whether its statements are expected to name sources (default: yes). A report on work that was done names none.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub citations: bool,
}

fn is_true(value: &bool) -> bool {
    *value
}

/// Bounds of a stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Limits {
    /// Calls of this stage under way at once.
    pub parallel: u32,
    /// The most seconds of one call; of a dialogue stage, of work between two words of the person.
    pub deadline_seconds: u64,
    /// The most calls of one step; of a dialogue stage, of tools between two words of the person.
    pub max_calls: u32,
    /// The most attempts of one call, first included, when it fails in a way that may pass.
    pub attempts: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { parallel: 4, deadline_seconds: 600, max_calls: 50, attempts: 3 }
    }
}

/// The pause after a stage.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct PauseSpec {
    /// What the person can choose; default: proceed, amend, cancel.
    pub choices: Vec<Choice>,
    /// Expression: the questions asked, a list of texts; each gets its own answer field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub questions: Option<String>,
    /// Whether the person may edit the stage's output in place.
    pub editable: bool,
    /// Whether answers to the questions make the stage run once more before it goes on. It does not where the person
    /// edited its output: the edit stands, and the words guide the stages after it.
    pub replan_on_answers: bool,
    /// Whether only the person can answer it: a follow-up does not go past it by itself.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub needs_person: bool,
    /// What an item that the person adds to a list has in fields that must be there and were left empty.
    #[serde(skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    pub defaults: std::collections::BTreeMap<String, String>,
}

/// One choice of a pause.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Choice {
    /// Names it in answers and scripts.
    pub id: String,
    /// What its button says.
    pub label: String,
    /// What it does.
    pub action: ChoiceAction,
    /// The stage that `skip` skips.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skips: Option<StageId>,
    /// What happens next, in a sentence.
    #[serde(default)]
    pub next: String,
    /// Expression: it is offered only when true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// When it can't do what it says. It is then offered after the other ways to go on, and the reason is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unavailable: Option<Unavailable>,
    /// What it does outside of the run. Words that forbid it never take the choice, and words that name no choice don't
    /// either. Empty: what its label says counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub acts: Vec<OutsideAct>,
    /// Words that name it beside its label and what it does outside, such as `sign*`; `*` stands for any ending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
    /// Regular expressions (case-insensitive): free text that names this choice where its words decide nothing else.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub matches: Vec<String>,
    /// Regular expressions (case-insensitive): free text that does not, whatever `matches` says.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub never: Vec<String>,
}

impl Choice {
    /// Whether the run goes on with it.
    pub fn goes_on(&self) -> bool {
        matches!(self.action, ChoiceAction::Proceed | ChoiceAction::Skip)
    }
}

crate::words! {
    /// What a choice does outside of the run.
    pub enum OutsideAct {
        /// Asks the web.
        Web = "web",
        /// Spends money.
        Money = "money",
        /// Changes files of the person.
        Files = "files",
    }
}

/// When a choice can't do what it says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Unavailable {
    /// Expression: whether that is so.
    pub when: String,
    /// Why, and what would change it, in a sentence; a template.
    pub why: String,
}

/// What a choice does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChoiceAction {
    /// Goes on.
    Proceed,
    /// Goes on without the stage named in `skips`.
    Skip,
    /// Runs the stage again with the person's text, then pauses again.
    Amend,
    /// Ends the run.
    Cancel,
}
