//! An agent: its folder's files, loaded and checked.

pub(crate) mod children;
mod choices;
mod conversation;
mod files;
mod flow;
mod front_matter;
mod listing;
mod outputs;
mod reads;
mod settings;
mod sites;
mod stages;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use domain::StageId;
use domain::agent::AgentConfig;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::folder::{Fault, Folder};
use crate::json::{self, Quote};
use crate::problem::{ConfigProblem, MAX_PROBLEMS};
use crate::schemas;

pub use front_matter::FrontMatter;
pub use listing::AgentFile;
pub(crate) use reads::variables_problem;
pub(crate) use settings::is_slug;

/// An agent, checked. Serialised (without its origin) it is what a run pins when it starts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Agent {
    /// Where it is from; [`Origin::Pinned`] when it was read back from a run.
    #[serde(skip)]
    pub origin: Origin,
    /// Its `config.json`.
    pub config: AgentConfig,
    /// The head of its `AGENT.md`.
    pub front_matter: FrontMatter,
    /// The body of its `AGENT.md`: instructions for the person and for chat.
    pub instructions: String,
    /// The prompt files that its configuration names, by that name.
    pub prompts: BTreeMap<String, String>,
    /// The JSON Schemas of its stages' answers, by stage.
    pub schemas: BTreeMap<StageId, Value>,
    /// The schemas of stages' repairs.
    pub repairs: BTreeMap<StageId, Value>,
    /// The JSON Schema of what a run of it may be given besides the question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_schema: Option<Value>,
    /// Its data files, by the names that expressions read them by.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub data: BTreeMap<String, Value>,
    /// The JSON Schema of the state file of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<Value>,
}

/// Where an agent or a source is from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Origin {
    /// Read back from a run that pinned it.
    #[default]
    Pinned,
    /// Embedded in the program.
    Shipped,
    /// The person's own folder.
    Own(PathBuf),
}

/// An agent in a list: usable, or with what is wrong with it.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentEntry {
    /// Its folder's name.
    pub slug: String,
    /// Where it is from.
    pub origin: Origin,
    /// Whether it stands in for a shipped one of the same slug.
    pub overrides_shipped: bool,
    /// The agent, or all that is wrong with it.
    pub agent: Result<Agent, Vec<ConfigProblem>>,
}

/// What every check of a configuration needs.
struct Config<'a> {
    /// How the file is shown.
    file: String,
    config: &'a AgentConfig,
    /// Answer schemas by stage; a stage without one, or with a broken one, is missing.
    schemas: &'a BTreeMap<StageId, Value>,
}

impl Config<'_> {
    fn problem(
        &self,
        pointer: impl Into<String>,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> ConfigProblem {
        ConfigProblem::new(&self.file, pointer, expected, found)
    }
}

/// Loads an agent from its folder and its prompts' folder; `sources` are the slugs of the sources there are.
pub(crate) fn load(
    folder: &Folder,
    prompts_folder: &Folder,
    slug: &str,
    origin: Origin,
    sources: &BTreeSet<String>,
) -> Result<Agent, Vec<ConfigProblem>> {
    let mut problems = Vec::new();
    let page = front_matter::load(folder, &mut problems);
    let mut file = folder.label("config.json");
    let read = match (folder.text("config.json"), &page) {
        (Ok(text), _) => {
            json::read::<AgentConfig>(&file, &text, &schemas::AGENT, Quote::Values).map(|read| (text, read.1))
        }
        // Instructions alone are an agent to talk to.
        (Err(Fault::Missing), Some((head, _))) => {
            file = folder.label(front_matter::FILE);
            Ok((String::new(), front_matter::config(head, slug)))
        }
        // What is wrong with the page alone is told alone.
        (Err(Fault::Missing), None) if folder.text(front_matter::FILE) != Err(Fault::Missing) => {
            Err(Vec::new())
        }
        (Err(fault), _) => Err(vec![fault.problem(&file, "")]),
    };
    let (text, config) = match read {
        Ok(read) => read,
        Err(more) => {
            problems.extend(more);
            return Err(shown(problems));
        }
    };
    let input_schema = files::input_schema(&file, folder, &config, &mut problems);
    let data = files::data(&file, folder, &config, &mut problems);
    let checkpoint = files::checkpoint(&file, folder, &config, &mut problems);
    let (schemas, repairs) = files::schemas(&file, folder, &config, &mut problems);
    let prompts = files::prompts(&file, prompts_folder, &config, &mut problems);
    let checked = Config { file, config: &config, schemas: &schemas };
    settings::check(&checked, slug, sources, &mut problems);
    match flow::size(&checked) {
        Some(problem) => problems.push(problem),
        None if checked.config.control_flow.stages.is_empty() => flow::check_empty(&checked, &mut problems),
        None => {
            let ordered = flow::check(&checked, &mut problems);
            stages::check(&checked, &mut problems);
            choices::check(&checked, &mut problems);
            conversation::check(&checked, ordered, prompts_folder, &prompts, &mut problems);
            reads::check(&checked, ordered, prompts_folder, &prompts, &mut problems);
        }
    }
    if let Some((front_matter, _)) = &page {
        front_matter::agrees(folder, front_matter, &config, &mut problems);
    }
    problems.truncate(MAX_PROBLEMS);
    for problem in
        problems.iter_mut().filter(|problem| problem.file == checked.file && problem.line.is_none())
    {
        problem.line = json::line_of(&text, &problem.pointer);
    }
    match page {
        Some((front_matter, instructions)) if problems.is_empty() => {
            let checked = Agent {
                origin,
                config,
                front_matter,
                instructions,
                prompts,
                schemas,
                repairs,
                input_schema,
                data,
                checkpoint,
            };
            Ok(checked)
        }
        _ => Err(shown(problems)),
    }
}

/// The first problems, each short enough to be shown.
fn shown(mut problems: Vec<ConfigProblem>) -> Vec<ConfigProblem> {
    problems.truncate(MAX_PROBLEMS);
    problems.into_iter().map(ConfigProblem::clipped).collect()
}
