//! State files of runs, held against the schema of the agent that they are of.

use std::path::Path;

use serde_json::Value;

use crate::agent::{Agent, AgentEntry};

/// Why a file is no state of a run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StateFileError {
    /// No agent writes a file of that name.
    #[error("no agent writes a state file called {name}; there are {known}")]
    NoAgent {
        /// The file's name.
        name: String,
        /// The names that agents give theirs.
        known: String,
    },
    /// It is not JSON, or a Markdown file without a block of JSON.
    #[error("not JSON: {0}")]
    NotJson(String),
    /// The agent's schema can't be used.
    #[error("agent {agent}: bad schema of its checkpoint: {reason}")]
    BadSchema {
        /// The agent.
        agent: String,
        /// Why.
        reason: String,
    },
}

/// Holds a state file against the schema of its agent, which its name tells. Gives the agent's slug and what does not fit:
/// JSON pointers with reasons; none where it fits.
///
/// # Errors
/// No agent writes such a file, or it holds no JSON.
pub fn check_state_file(
    agents: &[AgentEntry],
    path: &Path,
    text: &str,
) -> Result<(String, Vec<String>), StateFileError> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let written = || agents.iter().filter_map(|entry| entry.agent.as_ref().ok()).filter_map(file_of);
    let Some((agent, _)) = written().find(|(_, template)| is_called(template, &name)) else {
        let known: Vec<&str> = written().map(|(_, template)| last(template)).collect();
        return Err(StateFileError::NoAgent { name, known: known.join(", ") });
    };
    let json = if name.ends_with(".md") { block(text).unwrap_or_default() } else { text };
    let state: Value =
        serde_json::from_str(json).map_err(|error| StateFileError::NotJson(error.to_string()))?;
    let slug = agent.config.slug.0.clone();
    let bad = |reason: String| StateFileError::BadSchema { agent: slug.clone(), reason };
    let schema = agent.checkpoint.as_ref().ok_or_else(|| bad("there is none".to_owned()))?;
    let validator = jsonschema::validator_for(schema).map_err(|error| bad(error.to_string()))?;
    let faults = validator.iter_errors(&state).map(|fault| {
        let place = fault.instance_path().to_string();
        format!("{}: {fault}", if place.is_empty() { "/" } else { &place })
    });
    let faults = faults.collect();
    Ok((slug, faults))
}

fn file_of(agent: &Agent) -> Option<(&Agent, &str)> {
    Some((agent, agent.config.checkpoint.as_ref()?.file.as_str()))
}

fn last(template: &str) -> &str {
    template.rsplit('/').next().unwrap_or(template)
}

/// Whether a template of a path can give a name: its expressions stand for any words.
fn is_called(template: &str, name: &str) -> bool {
    let mut rest = name;
    for (at, piece) in last(template).split("{{").enumerate() {
        let literal = if at == 0 { piece } else { piece.split_once("}}").map_or("", |(_, literal)| literal) };
        match rest.find(literal) {
            Some(0) => rest = &rest[literal.len()..],
            Some(found) if at > 0 => rest = &rest[found + literal.len()..],
            Some(_) | None => return false,
        }
    }
    rest.is_empty() || last(template).ends_with("}}")
}

/// The first block of JSON of a Markdown file.
fn block(text: &str) -> Option<&str> {
    let (_, after) = text.split_once("```json")?;
    after.split_once("```").map(|(json, _)| json)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_fits_the_template_that_can_give_it() {
        let template = "section-writer-state-{{ inputs.section_id }}.json";
        assert!(is_called(template, "section-writer-state-IV-A.json"));
        assert!(!is_called(template, "section-writer-state-IV-A.txt"));
        assert!(!is_called(template, "other-section-writer-state-IV-A.json"));
        assert!(is_called("review-outputs/fact-validator-state.json", "fact-validator-state.json"));
        assert!(!is_called("review-outputs/fact-validator-state.json", "fact-validator-state.json.new"));
        assert_eq!(block("# A\n\n```json\n{}\n```\n"), Some("\n{}\n"));
    }
}
