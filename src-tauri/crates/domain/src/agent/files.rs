//! Files that a run writes besides its document: its state, and files of its outputs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::SchemaRef;

/// The state of a run as a file, for whoever goes on with it or looks at it. The program fills it in from the run's log.
///
/// Its templates see what other expressions see, and `run` (`id`, `session`, `agent`, `status`, `started_at`,
/// `updated_at`), `stages.<name>` (`title`, `status`, `started_at`, `completed_at`, `attempts`, `done`, `total`,
/// `warnings`), `items.<name>` (`done`, `failed`, `pending`: names; `answers`: by name), `progress` (`done`, `total`,
/// `percent`, `finished`: names of stages), `next` (what comes next, in words), `trigger` (`event`, `stage`, `item`, `gate`,
/// `at`: what happened last), `gates.<name>` (`attempts`, `max_attempts`, `passed`, `last_failure`),
/// `errors` (`at`, `stage`, `message`) and `environment` (`verified_at`, `healthy`, `problems`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Checkpoint {
    /// The file's path in the session's folder; a template. A name that ends in `.md` is Markdown with the state as JSON.
    pub file: String,
    /// What the state must satisfy.
    pub schema: SchemaRef,
    /// The state, as templates.
    pub state: Map<String, Value>,
}

/// A file of a run's outputs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FileSpec {
    /// Its path in the session's folder; a template over `item`.
    pub path: String,
    /// Expression over `item`: a text is written as it is, anything else as JSON. Null and empty texts: no file.
    pub value: String,
    /// Expression: a list; one file for each `item`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub for_each: Option<String>,
}

/// A table of a run's outputs: shown on the run's page, and a sheet beside the statements when its document is exported for a
/// spreadsheet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TableSpec {
    /// The words on the tab, at most 31 characters.
    pub title: String,
    /// Expression: a list, one row for each `item`. Null or an empty list: no sheet.
    pub rows: String,
    /// The columns in order.
    pub columns: Vec<TableColumn>,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TableColumn {
    /// Its head.
    pub title: String,
    /// Expression over `item`: a text, a number, yes or no, or a list of texts.
    pub value: String,
    /// Expression over `item`: the most that a number can be. The page of the run then shows it as a bar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<String>,
}

/// Results that a run takes over from the files of an earlier one, where its log is lost: each is an item of one of the inputs.
/// The input `adoption`, where the agent has it, lists every file with `taken` and `why`; the input `adopted_states` has the
/// state files that are taken over with their results, each with `file` and `state`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AdoptSpec {
    /// The input that takes them, as a list.
    pub input: String,
    /// Their files in the folder that is adopted, JSON each: a path whose last name has one `*`, or the path of one file.
    pub files: String,
    /// Expression over `item`, what a file holds: whether it is whole.
    pub when: String,
    /// Why it is done anew where that is not so, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when_not: Option<String>,
    /// The file that has its text; a template over `item`. Without it `when` alone says whether the file is as it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_file: Option<String>,
    /// Expression over `item`: the text that this file has to have, so that nothing was changed or cut since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The state file of the run that wrote it; a template over `item`. It is taken over where it fits its schema and says that
    /// the work is complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_file: Option<String>,
}
