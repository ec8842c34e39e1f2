//! What a run is started with, and what becomes of replies to its pauses.

use std::collections::BTreeMap;

use domain::{Attachment, Digest, ListPiece, Mode, RunForecast, RunId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a new run needs to know.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct StartRun {
    /// The agent's slug.
    pub agent: String,
    /// The question; with inputs it may be empty.
    pub request: String,
    /// What is given besides, as the agent's `inputSchema` has it.
    pub inputs: Option<Value>,
    /// The depth; without it the agent's default.
    pub depth: Option<String>,
    /// The knowledge base; without it the agent's default.
    pub corpus: Option<String>,
    /// The session; without it a new one.
    pub session: Option<String>,
    /// What a new session may do unasked; without it what is usual.
    pub mode: Option<Mode>,
    /// The run that this one follows up.
    pub previous: Option<RunId>,
    /// The connection; without it the agent's, else `offline`.
    pub connection: Option<String>,
    /// The model; without it the agent's, else the connection's default.
    pub model: Option<String>,
    /// The most it may cost in US dollars, over the agent's own limit.
    pub budget_usd: Option<f64>,
    /// The most tokens it may use, over the agent's own limit.
    pub budget_tokens: Option<u64>,
    /// The most minutes it may work, over the agent's own limit; waiting for a person does not count.
    pub budget_minutes: Option<f64>,
    /// Files that go with the question: texts, and documents, which are asked as a knowledge base is.
    pub attachments: Vec<Attachment>,
    /// How pauses are answered.
    pub attend: PausePolicy,
    /// Whether a follow-up pauses at its plan, past which it goes on by itself otherwise; without it as the settings have it.
    pub pause_at_plan: Option<bool>,
    /// The run that it repeats, where it repeats one: what is not given is as there.
    pub base: Option<RepeatedRun>,
    /// A folder with the files of an earlier run, whose results are taken over where they are whole.
    pub adopt: Option<String>,
    /// The agents whose runs its stages may start, and theirs.
    #[serde(skip)]
    pub children: Vec<ResolvedAgent>,
    /// The texts of those files.
    #[serde(skip)]
    pub material: Vec<Material>,
    /// The documents among those files, and those of the runs before it.
    #[serde(skip)]
    pub attached: Option<AttachedDocuments>,
    /// The slug of the workspace that a new session belongs to; empty: the default one.
    #[serde(skip)]
    pub workspace: String,
    /// What it is expected to use.
    #[serde(skip)]
    pub forecast: Option<RunForecast>,
}

impl StartRun {
    /// The `title` among the inputs, where there is one.
    pub fn input_title(&self) -> Option<&str> {
        let title = self.inputs.as_ref()?.get("title")?.as_str()?.trim();
        Some(title).filter(|title| !title.is_empty())
    }
}

/// The run that a new one repeats: what did not change is taken from it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RepeatedRun {
    /// That run.
    pub run: RunId,
    /// The id or name of a stage that runs again with all that depends on it, whether anything changed or not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// What stands in place of stages' outputs, by the stage's id or name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub edits: BTreeMap<String, Value>,
}

/// An agent with all that a run of it pins.
#[derive(Debug, Clone, PartialEq)]
pub struct ResolvedAgent {
    /// The agent.
    pub agent: workspace::Agent,
    /// The sources that it lists.
    pub sources: Vec<workspace::SourceConfig>,
    /// The knowledge base, where it uses one.
    pub corpus: Option<Corpus>,
}

/// A file that the person gave along with the question, as text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Material {
    /// Its name.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// A knowledge base at one generation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Corpus {
    /// Its name.
    pub base: String,
    /// The generation that the run reads, whatever is ingested later.
    pub generation: String,
    /// The digest of that generation's paragraphs; runs of earlier versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
    /// Its title.
    pub title: String,
    /// `standard`, `guide`, `document`, `web` or `primer`.
    pub tier: String,
    /// How a paragraph is cited, with `{id}`.
    pub citation: String,
    /// Shown under a document's title.
    pub notice: Option<String>,
    /// Which of its files could not be read and why, a sentence; empty where all were.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unread: String,
}

/// Documents that go with a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AttachedDocuments {
    /// The base that holds them: asked beside the run's own, or as that.
    pub corpus: Corpus,
    /// The files.
    pub files: Vec<Attachment>,
}

/// How pauses are answered without the person.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct PausePolicy {
    /// Replies given beforehand, in order.
    pub replies: Vec<Reply>,
    /// Whether the default choice is taken when there are none left.
    pub unattended: bool,
}

/// What the person sent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Reply {
    /// A choice's id: a button. With it the text is content, whatever it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choice: Option<String>,
    /// Free text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Answers by question.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub answers: BTreeMap<String, String>,
    /// The stage's output as edited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edit: Option<Value>,
    /// Lists of it as edited, by field, in place of `edit`: of a long one only what changed is sent.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub lists: BTreeMap<String, Vec<ListPiece>>,
    /// A depth chosen with the edit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<String>,
    /// The connection that the run goes on with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connection: Option<String>,
    /// Its model; without it the connection's default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Whether the program answers as it was told beforehand.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unattended: bool,
    /// Why it does, where an automation wanted it. No client says so.
    #[serde(skip)]
    pub because: Option<String>,
    /// Whether a follow-up goes on by itself. No client says so.
    #[serde(skip)]
    pub follow_up: bool,
}

impl Reply {
    /// Whether it ends the run where only going on and ending are offered: by its choice, else by its one word.
    pub fn cancels(&self) -> bool {
        let word = self.choice.as_deref().or(self.text.as_deref());
        word.is_some_and(|word| word.trim().eq_ignore_ascii_case("cancel"))
    }
}

/// What became of a reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "result")]
pub enum Answered {
    /// It was taken.
    Accepted {
        /// The choice it was taken for.
        choice: String,
    },
    /// Nothing was decided; the pause is still open.
    StillOpen {
        /// What each choice would do.
        message: String,
        /// Words of the reply that would go along with a choice.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        words: Option<String>,
    },
}

/// An answer that is not there yet, as far as it was streamed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DraftRow {
    /// The run that it is written in.
    pub run: RunId,
    /// The stages and items that lead there, by their titles.
    pub title: String,
    /// Its words.
    pub words: u32,
    /// Its text.
    pub text: String,
}
