//! Agents as surfaces see them.

use domain::agent::AgentConfig;
use domain::{ErrorCode, Problem};
use protocol::{AgentRow, AgentStage, AgentView, FileProblem, PromptText};
use serde_json::Value;
use support::blocking;
use workspace::{Agent, AgentEntry, ConfigProblem, Origin, Workspace};

use crate::{Environment, data_url};

/// The largest broken configuration that is shown.
const MAX_CONFIG_BYTES: u64 = 1 << 20;

impl Environment {
    /// Lists agents, broken ones included.
    pub async fn agent_list(&self) -> Result<Vec<AgentRow>, Problem> {
        let workspace = self.files();
        blocking(move || Ok(workspace.agents().iter().map(|entry| row(&workspace, entry)).collect())).await
    }

    /// An agent.
    pub async fn agent_show(&self, slug: String) -> Result<AgentView, Problem> {
        let workspace = self.files();
        blocking(move || {
            match workspace.agents().into_iter().find(|entry| entry.slug == slug) {
                Some(entry) => Ok(view(&workspace, entry)),
                // Asking for it by name says what there is instead.
                None => Err(workspace
                    .agent(&slug)
                    .err()
                    .map_or_else(|| Problem::new(ErrorCode::NotFound, "no agent"), |error| error.problem())),
            }
        })
        .await
    }
}

/// What is wrong with a file, as surfaces show it.
pub fn file_problems(found: &[ConfigProblem]) -> Vec<FileProblem> {
    let shown = |problem: &ConfigProblem| FileProblem {
        file: problem.file.clone(),
        place: match (problem.pointer.as_str(), problem.line) {
            ("", Some(line)) => format!("line {line}"),
            (pointer, _) => pointer.to_owned(),
        },
        message: match &problem.remedy {
            Some(remedy) => format!("expected {}, found {} ({remedy})", problem.expected, problem.found),
            None => format!("expected {}, found {}", problem.expected, problem.found),
        },
    };
    found.iter().map(shown).collect()
}

fn row(workspace: &Workspace, entry: &AgentEntry) -> AgentRow {
    let shipped = entry.origin == Origin::Shipped;
    let icon = workspace.agent_icon(&entry.slug).and_then(|(name, bytes)| data_url(&name, &bytes));
    match &entry.agent {
        Ok(agent) => {
            let config = &agent.config;
            let depths = depths(config);
            AgentRow {
                slug: entry.slug.clone(),
                name: config.name.clone(),
                description: config.description.clone(),
                part_of: config.part_of.as_ref().map(|whole| whole.0.clone()),
                stages: config.control_flow.stages.len() as u32,
                default_depth: Some(config.default_depth.clone()).filter(|depth| depths.contains(depth)),
                depths,
                default_corpus: config.default_corpus.clone(),
                needs_corpus: documents_input(agent.input_schema.as_ref()).is_none()
                    && config
                        .sources
                        .iter()
                        .filter_map(|source| workspace.source(&source.slug).ok())
                        .any(|source| is_named_by(&source)),
                examples: config.examples.clone(),
                input_schema: agent.input_schema.clone(),
                adopts: !config.adopts.is_empty(),
                shipped,
                icon,
                problems: Vec::new(),
            }
        }
        Err(found) => AgentRow {
            slug: entry.slug.clone(),
            name: entry.slug.clone(),
            description: String::new(),
            part_of: None,
            stages: 0,
            default_depth: None,
            depths: Vec::new(),
            default_corpus: None,
            needs_corpus: false,
            examples: Vec::new(),
            input_schema: None,
            adopts: false,
            shipped,
            icon,
            problems: file_problems(found),
        },
    }
}

/// The name of the input that takes a folder of documents, which becomes the knowledge base of a run: the one of the format
/// `documents`.
pub fn documents_input(schema: Option<&Value>) -> Option<&str> {
    let properties = schema?.get("properties")?.as_object()?;
    let format = |schema: &Value| schema.get("format").and_then(Value::as_str) == Some("documents");
    properties.iter().find(|(_, schema)| format(schema)).map(|(name, _)| name.as_str())
}

/// Whether a source is started for one knowledge base: then its arguments name it.
pub fn is_named_by(source: &workspace::SourceConfig) -> bool {
    source.mcp.as_ref().is_some_and(|mcp| mcp.args.iter().any(|arg| arg.contains("corpus")))
}

/// Whether a source that is started for one knowledge base asks that of attached documents beside it.
pub fn asks_attached(source: &workspace::SourceConfig) -> bool {
    source.mcp.as_ref().is_some_and(|mcp| mcp.args.iter().any(|arg| arg.contains("attached")))
}

/// Depths by what they allow: numbers grow with depth.
pub fn depths(config: &AgentConfig) -> Vec<String> {
    let weight = |depth: &String| -> f64 {
        let settings = config.depth_modes.get(depth).into_iter().flat_map(|settings| settings.values());
        settings.filter_map(Value::as_f64).sum()
    };
    let mut depths: Vec<String> = config.depth_modes.keys().cloned().collect();
    depths.sort_by(|a, b| weight(a).total_cmp(&weight(b)).then_with(|| a.cmp(b)));
    depths
}

fn view(workspace: &Workspace, entry: AgentEntry) -> AgentView {
    let row = row(workspace, &entry);
    let folder = workspace.root().join("agents").join(&entry.slug).display().to_string();
    let Ok(agent) = entry.agent else {
        let config = match &entry.origin {
            Origin::Own(own) => as_it_stands(&own.join("config.json")),
            Origin::Shipped | Origin::Pinned => Value::Null,
        };
        return AgentView {
            agent: row,
            about: String::new(),
            stages: Vec::new(),
            sources: Vec::new(),
            depth_modes: Value::Null,
            thresholds: Value::Null,
            prompts: Vec::new(),
            config,
            folder,
        };
    };
    let Agent { config, instructions, prompts, .. } = agent;
    let json = |value: serde_json::Result<Value>| value.unwrap_or_default();
    AgentView {
        agent: row,
        about: instructions,
        stages: stages(&config),
        sources: config
            .sources
            .iter()
            .map(|source| match source.required {
                true => source.slug.clone(),
                false => format!("{} (optional)", source.slug),
            })
            .collect(),
        depth_modes: json(serde_json::to_value(&config.depth_modes)),
        thresholds: json(serde_json::to_value(&config.verification.thresholds)),
        prompts: prompts.into_iter().map(|(name, text)| PromptText { name, text }).collect(),
        config: json(serde_json::to_value(&config)),
        folder,
    }
}

fn stages(config: &AgentConfig) -> Vec<AgentStage> {
    let flow = &config.control_flow;
    let units = |id: &domain::StageId| {
        flow.repair_units.iter().find(|unit| unit.stages.contains(id)).map_or(0, |unit| unit.max_iterations)
    };
    flow.stages
        .iter()
        .enumerate()
        .map(|(index, stage)| AgentStage {
            id: stage.id.0.clone(),
            name: stage.name.clone(),
            title: stage.title.clone(),
            kind: stage.kind,
            depends_on: match &stage.depends_on {
                Some(named) => named.iter().map(|id| id.0.clone()).collect(),
                None => {
                    index.checked_sub(1).map(|before| flow.stages[before].id.0.clone()).into_iter().collect()
                }
            },
            pauses: stage.pause.is_some() || flow.pause_after_stages.contains(&stage.id),
            when: stage.when.clone(),
            tools: stage.steps.iter().map(|step| step.tool.clone()).collect(),
            max_iterations: units(&stage.id),
        })
        .collect()
}

/// A broken configuration that is JSON all the same.
fn as_it_stands(file: &std::path::Path) -> Value {
    let small = std::fs::metadata(file).is_ok_and(|about| about.is_file() && about.len() <= MAX_CONFIG_BYTES);
    let text = if small { std::fs::read(file).unwrap_or_default() } else { Vec::new() };
    serde_json::from_slice(&text).unwrap_or_default()
}
