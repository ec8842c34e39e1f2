//! The files that a configuration names: prompts and JSON Schemas.

use std::collections::BTreeMap;

use domain::StageId;
use domain::agent::{AgentConfig, SchemaRef};
use serde_json::Value;

use crate::folder::{Fault, Folder};
use crate::json;
use crate::problem::ConfigProblem;
use crate::schemas::fault_of_schema;

/// Built-in agents' files may be named by others: `@<agent>/<file>` stands for a file of that agent, with the program's own
/// text even where a person has an agent of that name.
fn located<'n>(kind: &str, folder: &Folder, name: &'n str) -> (Folder, &'n str) {
    match name.strip_prefix('@').and_then(|shared| shared.split_once('/')) {
        Some((slug, file)) => (Folder::Shipped(format!("{kind}/{slug}")), file),
        None => (folder.clone(), name),
    }
}

/// Where the shared system prompt is named.
pub(super) const SYSTEM: &str = "/orchestrator/system";

/// Prompts that stages name, with the pointer of each use.
pub(super) fn prompt_uses(config: &AgentConfig) -> Vec<(String, usize, &str)> {
    let mut uses = Vec::new();
    for (index, stage) in config.control_flow.stages.iter().enumerate() {
        if let Some(name) = &stage.prompt {
            uses.push((format!("/controlFlow/stages/{index}/prompt"), index, name.as_str()));
        }
        for (at, section) in stage.context.iter().enumerate() {
            if let Some(name) = &section.prompt {
                uses.push((format!("/controlFlow/stages/{index}/context/{at}/prompt"), index, name.as_str()));
            }
        }
        if let Some(form) = &stage.repair {
            let pointer = format!("/controlFlow/stages/{index}/repair");
            uses.push((format!("{pointer}/prompt"), index, form.prompt.as_str()));
            for (at, section) in form.context.iter().enumerate() {
                if let Some(name) = &section.prompt {
                    uses.push((format!("{pointer}/context/{at}/prompt"), index, name.as_str()));
                }
            }
        }
        if let Some(name) = stage.pass.as_ref().and_then(|pass| pass.feedback.as_ref()) {
            uses.push((format!("/controlFlow/stages/{index}/pass/feedback"), index, name.as_str()));
        }
    }
    uses
}

/// The text of every prompt that is named.
pub(super) fn prompts(
    file: &str,
    folder: &Folder,
    config: &AgentConfig,
    problems: &mut Vec<ConfigProblem>,
) -> BTreeMap<String, String> {
    let mut prompts = BTreeMap::new();
    let shared = config.orchestrator.system.as_deref().map(|name| (SYSTEM.to_owned(), 0, name));
    for (pointer, _, name) in prompt_uses(config).into_iter().chain(shared) {
        if prompts.contains_key(name) {
            continue;
        }
        let (folder, file_name) = located("prompts", folder, name);
        match folder.text(file_name) {
            Ok(text) if text.trim().is_empty() => {
                problems.push(ConfigProblem::new(folder.label(file_name), "", "a prompt", "an empty file"));
            }
            Ok(text) => {
                prompts.insert(name.to_owned(), text);
            }
            Err(fault) => problems.push(fault_at(file, &pointer, &folder, file_name, &fault)),
        }
    }
    prompts
}

/// The JSON Schemas of stages that have a sound one: those of their answers, and those of their repairs.
pub(super) fn schemas(
    file: &str,
    folder: &Folder,
    config: &AgentConfig,
    problems: &mut Vec<ConfigProblem>,
) -> (BTreeMap<StageId, Value>, BTreeMap<StageId, Value>) {
    let (mut answers, mut repairs) = (BTreeMap::new(), BTreeMap::new());
    for (index, stage) in config.control_flow.stages.iter().enumerate() {
        let pointer = format!("/controlFlow/stages/{index}");
        if let Some(schema) = &stage.output_schema {
            let found = schema_at(file, folder, &format!("{pointer}/outputSchema"), schema, problems);
            answers.extend(found.map(|schema| (stage.id.clone(), schema)));
        }
        if let Some(form) = &stage.repair {
            let pointer = format!("{pointer}/repair/outputSchema");
            let found = schema_at(file, folder, &pointer, &form.output_schema, problems);
            repairs.extend(found.map(|schema| (stage.id.clone(), schema)));
        }
    }
    (answers, repairs)
}

/// The JSON Schema of what a run may be given besides the question, where there is a sound one.
pub(super) fn input_schema(
    file: &str,
    folder: &Folder,
    config: &AgentConfig,
    problems: &mut Vec<ConfigProblem>,
) -> Option<Value> {
    let schema = config.input_schema.as_ref()?;
    schema_at(file, folder, "/inputSchema", schema, problems)
}

/// The JSON Schema of the state file, where there is a sound one.
pub(super) fn checkpoint(
    file: &str,
    folder: &Folder,
    config: &AgentConfig,
    problems: &mut Vec<ConfigProblem>,
) -> Option<Value> {
    let checkpoint = config.checkpoint.as_ref()?;
    schema_at(file, folder, "/checkpoint/schema", &checkpoint.schema, problems)
}

/// The agent's data files, where they are sound.
pub(super) fn data(
    file: &str,
    folder: &Folder,
    config: &AgentConfig,
    problems: &mut Vec<ConfigProblem>,
) -> BTreeMap<String, Value> {
    let mut found = BTreeMap::new();
    for (name, path) in &config.data {
        let pointer = json::child("/data", name);
        let (folder, path) = located("agents", folder, path);
        let text = match folder.text(path) {
            Ok(text) => text,
            Err(fault) => {
                problems.push(fault_at(file, &pointer, &folder, path, &fault));
                continue;
            }
        };
        let label = folder.label(path);
        let repeated = json::repeated_names(&label, &text);
        match json::parse(&label, &text) {
            Ok(value) if repeated.is_empty() => {
                found.insert(name.clone(), value);
            }
            Ok(_) => problems.extend(repeated),
            Err(more) => problems.extend(more),
        }
    }
    found
}

fn schema_at(
    file: &str,
    folder: &Folder,
    pointer: &str,
    schema: &SchemaRef,
    problems: &mut Vec<ConfigProblem>,
) -> Option<Value> {
    match schema {
        SchemaRef::Inline(schema) => {
            let schema = Value::Object(schema.clone());
            match fault_of_schema(&schema) {
                Some((at, reason)) => {
                    let pointer = format!("{pointer}{at}");
                    problems.push(ConfigProblem::new(file, pointer, "a JSON Schema", reason));
                    None
                }
                None => Some(schema),
            }
        }
        SchemaRef::File(name) => {
            let (folder, name) = located("agents", folder, name);
            match folder.text(name) {
                Err(fault) => {
                    problems.push(fault_at(file, pointer, &folder, name, &fault));
                    None
                }
                Ok(text) => match schema_of(&folder.label(name), &text) {
                    Ok(schema) => Some(schema),
                    Err(found) => {
                        problems.extend(found);
                        None
                    }
                },
            }
        }
    }
}

fn schema_of(file: &str, text: &str) -> Result<Value, Vec<ConfigProblem>> {
    let schema = json::parse(file, text)?;
    let mut problems = json::repeated_names(file, text);
    if !schema.is_object() {
        problems.push(ConfigProblem::new(file, "", "a JSON Schema: an object", json::describe(&schema)));
    } else if let Some((at, reason)) = fault_of_schema(&schema) {
        problems.push(ConfigProblem::new(file, at, "a JSON Schema", reason));
    }
    for problem in &mut problems {
        if problem.line.is_none() {
            problem.line = json::line_of(text, &problem.pointer);
        }
    }
    if problems.is_empty() { Ok(schema) } else { Err(problems) }
}

/// A name that leads nowhere is the configuration's problem; a file that can't be read is its own.
fn fault_at(file: &str, pointer: &str, folder: &Folder, name: &str, fault: &Fault) -> ConfigProblem {
    if !fault.is_of_name() {
        return fault.problem(folder.label(name), "");
    }
    let mut problem = fault.problem(file, pointer);
    problem.found = format!("`{}`: {}", name.chars().take(255).collect::<String>(), problem.found);
    if *fault == Fault::Missing {
        problem.expected = format!("a file at {}", folder.label(name));
        let names = folder.names();
        problem = problem.meaning(name, names.iter().map(String::as_str));
    }
    problem
}
