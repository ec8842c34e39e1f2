//! An agent's `config.json`. The JSON Schema that editors use is generated from these types.
//!
//! Strings called *expression* are minijinja expressions without braces; strings called *template* may contain
//! `{{ … }}`. A template that is one whole expression gives that expression's native value, not its text.

mod display;
mod files;
mod stage;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use display::{Display, DisplaySection, DisplayStyle, Meter, Show, StatusRule};
pub use files::{AdoptSpec, Checkpoint, FileSpec, TableColumn, TableSpec};
pub use stage::{
    ChildBudget, Choice, ChoiceAction, ContextForm, ContextSection, DocumentSpec, Limits, OutsideAct,
    PassRule, PauseSpec, RepairForm, SchemaRef, Stage, StageKind, Step,
};

use crate::{AgentSlug, Digest, StageId};

/// The whole of an agent's `config.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentConfig {
    /// Names the JSON Schema of this file, so that editors complete and check it.
    #[serde(rename = "$schema", default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// The agent's folder name.
    pub slug: AgentSlug,
    /// The name a person sees.
    pub name: String,
    /// One sentence on what it does.
    pub description: String,
    /// The agent that it is a part of: lists show it below that one, and it is not offered for a question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part_of: Option<AgentSlug>,
    /// Questions that show what it can do, offered where a new one is asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
    /// The sources whose tools its stages call.
    #[serde(default)]
    pub sources: Vec<SourceUse>,
    /// The knowledge base used when the run names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_corpus: Option<String>,
    /// What a run is given besides the question, by the person or the agent that starts it; expressions read it as `inputs`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_schema: Option<SchemaRef>,
    /// JSON files of the agent's folder by name: lists, patterns, thresholds. Expressions read one as `data.<name>`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub data: BTreeMap<String, String>,
    /// Stages, pauses, repair.
    pub control_flow: ControlFlow,
    /// Depth modes by name: free settings that expressions read as `depth.<name>`.
    #[serde(default)]
    pub depth_modes: BTreeMap<String, BTreeMap<String, Value>>,
    /// The depth used when the person names none.
    #[serde(default = "standard")]
    pub default_depth: String,
    /// How models are called, and the budgets.
    #[serde(default)]
    pub orchestrator: Orchestrator,
    /// Follow-up runs.
    #[serde(default)]
    pub follow_up: FollowUp,
    /// Thresholds that expressions read as `verification.<axis>`.
    #[serde(default)]
    pub verification: Verification,
    /// The answer document.
    #[serde(default)]
    pub output: Output,
    /// The state of a run as a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<Checkpoint>,
    /// Files of a run's outputs, written besides the document.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileSpec>,
    /// Tables of a run's outputs, for a spreadsheet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<TableSpec>,
    /// What it can do for a mission, in words that its plans use: `research`, `fact_checking`, `planning`, `synthesis` and others.
    /// Missions invoke only agents that have some.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub capabilities: Vec<String>,
    /// What a run can take over from the files of an earlier one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub adopts: Vec<AdoptSpec>,
}

impl AgentConfig {
    /// Whether a stage takes part in the conversation that stages share.
    pub fn continues(&self, stage: &Stage) -> bool {
        let conversation = stage.conversation.unwrap_or(self.orchestrator.conversation);
        stage.kind == StageKind::Dialogue && conversation == Conversation::Continue
    }

    /// Whether a stage with a conversation of its own begins it as the shared one begins, so that a provider reads that from its
    /// cache.
    pub fn begins_alike(&self, stage: &Stage) -> bool {
        self.orchestrator.conversation == Conversation::Continue
            && stage.kind == StageKind::Dialogue
            && stage.model.is_none()
    }

    /// The stages that share a conversation, in their order.
    pub fn continuing(&self) -> impl DoubleEndedIterator<Item = &Stage> {
        self.control_flow.stages.iter().filter(|stage| self.continues(stage))
    }
}

/// What names the stages of an agent by what they do: their graph, what they tell a model and what they read. Another agent of the
/// same slug has another one, and so has the same agent after an edit; what a run settles for itself (a model, whether a step may
/// fail or be repeated) makes no difference.
pub fn stages_digest(
    config: &AgentConfig,
    prompts: &BTreeMap<String, String>,
    data: &BTreeMap<String, Value>,
) -> Digest {
    let mut stages = config.control_flow.stages.clone();
    for stage in &mut stages {
        stage.model = None;
        for step in &mut stage.steps {
            (step.optional, step.idempotent) = (false, true);
        }
    }
    Digest::of_json(&serde_json::json!({
        "stages": stages, "prompts": prompts, "data": data, "system": config.orchestrator.system,
    }))
}

fn standard() -> String {
    "standard".to_owned()
}

/// A source that an agent uses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SourceUse {
    /// The source's folder name.
    pub slug: String,
    /// Whether its failure stops the run before anything is paid (else it is a warning in the run and the document).
    #[serde(default = "yes")]
    pub required: bool,
}

fn yes() -> bool {
    true
}

/// The graph of stages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ControlFlow {
    /// The stages. Without `dependsOn` each waits for the one before it.
    pub stages: Vec<Stage>,
    /// Stages that are run again when the last of them asks for repair.
    #[serde(default)]
    pub repair_units: Vec<RepairUnit>,
    /// Stages after which the run pauses for the user.
    #[serde(default)]
    pub pause_after_stages: Vec<StageId>,
    /// How many calls may be under way at once, over all stages.
    #[serde(default = "four")]
    pub max_parallel: u32,
}

fn four() -> u32 {
    4
}

/// Stages that are run again together, at most so many times: with a name, a gate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RepairUnit {
    /// In order; the last one is of kind `verify` and decides.
    pub stages: Vec<StageId>,
    /// What the person reads where it is spoken of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What its pause is called, in place of the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The most repairs; what happens then says `onExhausted`.
    pub max_iterations: u32,
    /// Whether a repair that scores no better than an attempt before it is the last. The plain form of `progress`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stop_without_gain: bool,
    /// Whether a repair made enough progress: an expression over `scores.last` and `scores.before`, the scores of the
    /// repair's check and of the check before it, by axis from 0 to 1. Where it is false, the repair was the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<String>,
    /// What happens when the repairs have ended and the check still does not pass.
    #[serde(default, skip_serializing_if = "OnExhausted::is_best")]
    pub on_exhausted: OnExhausted,
}

/// What happens when a unit's repairs have ended and its check still does not pass.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnExhausted {
    /// The best attempt stands, with a visible warning.
    #[default]
    Best,
    /// The run stops: the person allows one more attempt, accepts the best one, or cancels.
    Pause,
    /// The unit's last stage fails, and with it the run; a retry allows one more attempt.
    Fail,
    /// The best attempt stands, and its last stage is marked "certified with limitations".
    Certify,
}

impl OnExhausted {
    fn is_best(&self) -> bool {
        *self == Self::Best
    }
}

/// How models are called, and the budgets of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Orchestrator {
    /// The connection to use; without it the workspace's default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connection: Option<String>,
    /// The model to use; without it the connection's default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Whether models that can think do.
    pub thinking: bool,
    /// Effort for all depth modes that name none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    /// Effort by depth mode.
    pub depth_mode_effort: BTreeMap<String, Effort>,
    /// The context window to plan for, in tokens, where the model doesn't say.
    pub context_window: u64,
    /// The least room for an answer, in tokens; below it the context is cut.
    pub min_output_budget: u64,
    /// The most tokens of one answer.
    pub max_output_tokens: u64,
    /// The most a run may cost, in US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_usd: Option<f64>,
    /// The most tokens a run may use, input and output together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_tokens: Option<u64>,
    /// The most active minutes of a run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_minutes: Option<f64>,
    /// Output tokens wanted, by stage id.
    pub per_stage_desired_tokens: BTreeMap<String, u64>,
    /// Whether dialogue stages share one conversation; a stage's own `conversation` comes before it.
    pub conversation: Conversation,
    /// The system prompt of the conversation that stages share: a file in the agent's prompt folder, a template over what is
    /// the same for the whole run. Needed where a stage continues.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// What to do with a model call whose outcome a crash left unknown.
    pub on_ambiguous: OnAmbiguous,
}

impl Default for Orchestrator {
    fn default() -> Self {
        Self {
            connection: None,
            model: None,
            thinking: true,
            effort: None,
            depth_mode_effort: BTreeMap::new(),
            context_window: 200_000,
            min_output_budget: 4_096,
            max_output_tokens: 64_000,
            budget_usd: None,
            budget_tokens: None,
            budget_minutes: None,
            per_stage_desired_tokens: BTreeMap::new(),
            conversation: Conversation::Fresh,
            system: None,
            on_ambiguous: OnAmbiguous::Ask,
        }
    }
}

/// How hard a model should think.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Effort {
    Low,
    Medium,
    High,
    Max,
}

/// Whether a stage starts a fresh conversation or continues the one of the stages before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Conversation {
    /// It starts one of its own: what it knows stands in its prompt and its context.
    Fresh,
    /// It goes on in the conversation of the last stage before it that continues, or begins one for those after it.
    Continue,
}

/// What to do with a model call that was under way when the program died.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnAmbiguous {
    /// Ask the person before it is issued (and perhaps paid) again.
    Ask,
    /// Issue it again at once; the possible double cost is shown and counted.
    Retry,
}

/// Follow-up runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct FollowUp {
    /// Whether a finished run may be continued by a question.
    pub enabled: bool,
    /// What happens to paragraphs that the earlier answer already used.
    pub delta_retrieval: DeltaRetrieval,
}

impl Default for FollowUp {
    fn default() -> Self {
        Self { enabled: true, delta_retrieval: DeltaRetrieval::Demote }
    }
}

/// What happens in a follow-up to paragraphs that the earlier answer already used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeltaRetrieval {
    /// They rank lower and are marked.
    Demote,
    /// They are left out.
    Exclude,
    /// Nothing.
    Off,
}

/// Verification settings.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Verification {
    /// The least score by axis, 0 to 1.
    pub thresholds: BTreeMap<String, f64>,
}

/// The answer document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Output {
    /// The document's title; a template.
    pub title_template: String,
    /// The title of a follow-up's document; a template that may use `followup_number`.
    pub followup_title_template: String,
    /// File names.
    pub files: OutputFiles,
    /// Web references.
    pub web_reference: WebReferenceOutput,
    /// How a reference names a section of a document in files for people, with `{section}` for its number, such as `s. {section}`;
    /// without it by the number alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section_reference: Option<String>,
}

impl Default for Output {
    fn default() -> Self {
        Self {
            title_template: "{{ request }}".to_owned(),
            followup_title_template: "{{ request }} (follow-up {{ followup_number }})".to_owned(),
            files: OutputFiles::default(),
            web_reference: WebReferenceOutput::default(),
            section_reference: None,
        }
    }
}

/// File names of the answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct OutputFiles {
    /// The Markdown file's name; the HTML file has the same stem.
    pub answer_file: String,
    /// The path of the file that is named when a run has ended, where it is one of the agent's `files` and not the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub main: Option<String>,
}

impl Default for OutputFiles {
    fn default() -> Self {
        Self { answer_file: "answer.md".to_owned(), main: None }
    }
}

/// How web references are written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct WebReferenceOutput {
    /// The label; `{num}` is the number.
    pub ref_format: String,
    /// Whether the label's entry links to the page.
    pub link_to_original: bool,
}

impl Default for WebReferenceOutput {
    fn default() -> Self {
        Self { ref_format: "[W{num}]".to_owned(), link_to_original: true }
    }
}
