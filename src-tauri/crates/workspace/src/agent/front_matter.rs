//! `AGENT.md`: YAML front matter between two lines of `---`, then Markdown.

use std::collections::BTreeMap;

use domain::AgentSlug;
use domain::agent::{AgentConfig, ControlFlow, FollowUp, Orchestrator, Output, SourceUse, Verification};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::folder::Folder;
use crate::json::Quote;
use crate::problem::ConfigProblem;
use crate::skill::plain_lines;
use crate::{json, schemas};

pub(super) const FILE: &str = "AGENT.md";
/// The longest head, in bytes.
const MAX_HEAD_BYTES: usize = 16 * 1024;

/// The head of an `AGENT.md`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FrontMatter {
    /// The name a person sees.
    pub name: String,
    /// One sentence on what it does.
    pub description: String,
    /// Slugs of the sources that its conversations have; empty: those of the session.
    #[serde(default)]
    pub sources: Vec<String>,
    /// Names of the tools that its conversations have; empty: all.
    #[serde(default)]
    pub tools: Vec<String>,
}

/// The configuration of an agent that has instructions alone: no stages.
pub(super) fn config(head: &FrontMatter, slug: &str) -> AgentConfig {
    AgentConfig {
        schema: None,
        slug: AgentSlug(slug.to_owned()),
        name: head.name.clone(),
        description: head.description.clone(),
        examples: Vec::new(),
        sources: head.sources.iter().map(|slug| SourceUse { slug: slug.clone(), required: false }).collect(),
        default_corpus: None,
        part_of: None,
        input_schema: None,
        data: Default::default(),
        checkpoint: None,
        files: Vec::new(),
        tables: Vec::new(),
        capabilities: Vec::new(),
        adopts: Vec::new(),
        control_flow: ControlFlow {
            stages: Vec::new(),
            repair_units: Vec::new(),
            pause_after_stages: Vec::new(),
            max_parallel: 4,
        },
        depth_modes: BTreeMap::new(),
        default_depth: "standard".to_owned(),
        orchestrator: Orchestrator::default(),
        follow_up: FollowUp::default(),
        verification: Verification::default(),
        output: Output::default(),
    }
}

/// Reads and checks the file: its head and its body.
pub(super) fn load(folder: &Folder, problems: &mut Vec<ConfigProblem>) -> Option<(FrontMatter, String)> {
    let file = folder.label(FILE);
    let loaded = folder.text(FILE).map_err(|fault| vec![fault.problem(&file, "")]).and_then(|text| {
        let text = plain_lines(&text);
        let (head, body) = split(&text).ok_or_else(|| {
            let expected = "YAML front matter between two lines of `---`";
            vec![ConfigProblem::new(&file, "", expected, "a text without one").on_line(1)]
        })?;
        Ok((value(&file, head)?, body.trim().to_owned()))
    });
    let (value, body) = match loaded {
        Ok(loaded) => loaded,
        Err(found) => {
            problems.extend(found);
            return None;
        }
    };
    // Read through JSON text, so that places and words are those of every other file.
    match json::read::<FrontMatter>(&file, &value.to_string(), &schemas::FRONT_MATTER, Quote::Values) {
        Ok((_, head)) => Some((head, body)),
        Err(found) => {
            problems.extend(found.into_iter().map(|problem| ConfigProblem { line: None, ..problem }));
            None
        }
    }
}

fn split(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("---\n")?;
    if let Some(body) = rest.strip_prefix("---\n") {
        return Some(("", body));
    }
    let end = rest.find("\n---\n").or_else(|| rest.strip_suffix("\n---").map(str::len))?;
    Some((&rest[..end], rest.get(end + 5..).unwrap_or_default()))
}

fn value(file: &str, head: &str) -> Result<Value, Vec<ConfigProblem>> {
    if head.len() > MAX_HEAD_BYTES {
        let expected = format!("front matter of at most {MAX_HEAD_BYTES} bytes");
        return Err(vec![ConfigProblem::new(file, "", expected, format!("{} bytes", head.len()))]);
    }
    let yaml: Yaml = serde_yaml_ng::from_str(head).map_err(|error| {
        let line = error.location().map_or(0, |location| location.line() + 1);
        let message = error.to_string();
        let reason = message.split(" at line ").next().unwrap_or(&message);
        vec![ConfigProblem::new(file, "", "YAML", reason).on_line(line)]
    })?;
    Ok(yaml.0.unwrap_or_else(|| Value::Object(serde_json::Map::new())))
}

/// A head as JSON: names are texts, and there are no YAML tags.
#[derive(Deserialize)]
#[serde(transparent)]
struct Yaml(Option<Value>);

/// Whether the head and the configuration tell the same.
pub(super) fn agrees(
    folder: &Folder,
    head: &FrontMatter,
    config: &AgentConfig,
    problems: &mut Vec<ConfigProblem>,
) {
    let known: Vec<&str> = config.sources.iter().map(|source| source.slug.as_str()).collect();
    for (index, slug) in head.sources.iter().enumerate() {
        if !known.contains(&slug.as_str()) {
            problems.push(
                ConfigProblem::new(
                    folder.label(FILE),
                    format!("/sources/{index}"),
                    format!("a source that config.json lists ({})", known.join(", ")),
                    format!("`{slug}`"),
                )
                .meaning(slug, known.iter().copied()),
            );
        }
    }
}
