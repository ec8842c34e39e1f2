//! The graph of stages: ids and names, references to stages, circles, pauses, repair units.

use std::collections::{BTreeMap, BTreeSet};

use domain::StageId;
use domain::agent::StageKind;
use pipeline::{Graph, GraphError};

use super::Config;
use crate::problem::ConfigProblem;

const MAX_STAGES: usize = 100;
const MAX_REPAIRS: u32 = 10;
const MAX_PARALLEL: u32 = 64;
const MAX_GATE_NAME_CHARS: usize = 100;

/// A graph so large that looking closer would be no use.
pub(super) fn size(checked: &Config<'_>) -> Option<ConfigProblem> {
    let flow = &checked.config.control_flow;
    if flow.stages.len() > MAX_STAGES {
        return Some(checked.problem(
            "/controlFlow/stages",
            format!("at most {MAX_STAGES} stages"),
            format!("{} stages", flow.stages.len()),
        ));
    }
    flow.stages.iter().enumerate().find_map(|(index, stage)| {
        let count = stage.depends_on.as_ref().map_or(0, Vec::len);
        (count > MAX_STAGES).then(|| {
            checked.problem(
                format!("/controlFlow/stages/{index}/dependsOn"),
                format!("at most {MAX_STAGES} stages"),
                format!("{count} of them"),
            )
        })
    })
}

/// Checks what refers to stages where there are none: an agent to talk to.
pub(super) fn check_empty(checked: &Config<'_>, problems: &mut Vec<ConfigProblem>) {
    let flow = &checked.config.control_flow;
    let lists =
        [("repairUnits", flow.repair_units.len()), ("pauseAfterStages", flow.pause_after_stages.len())];
    for (field, count) in lists.into_iter().filter(|(_, count)| *count > 0) {
        let expected = "an empty list, because the agent has no stages";
        problems.push(checked.problem(format!("/controlFlow/{field}"), expected, format!("{count} of them")));
    }
}

/// Checks the graph; false when the order of its stages is not known.
pub(super) fn check(checked: &Config<'_>, problems: &mut Vec<ConfigProblem>) -> bool {
    let flow = &checked.config.control_flow;
    let before = problems.len();
    if !(1..=MAX_PARALLEL).contains(&flow.max_parallel) {
        problems.push(checked.problem(
            "/controlFlow/maxParallel",
            format!("1 to {MAX_PARALLEL}"),
            flow.max_parallel.to_string(),
        ));
    }
    names(checked, problems);
    let mut references: Vec<(String, &StageId)> = Vec::new();
    for (index, stage) in flow.stages.iter().enumerate() {
        for (at, id) in stage.depends_on.iter().flatten().enumerate() {
            references.push((format!("/controlFlow/stages/{index}/dependsOn/{at}"), id));
        }
        for (at, choice) in stage.pause.iter().flat_map(|pause| &pause.choices).enumerate() {
            if let Some(id) = &choice.skips {
                references.push((format!("/controlFlow/stages/{index}/pause/choices/{at}/skips"), id));
            }
        }
    }
    for (at, id) in flow.pause_after_stages.iter().enumerate() {
        references.push((format!("/controlFlow/pauseAfterStages/{at}"), id));
    }
    for (index, unit) in flow.repair_units.iter().enumerate() {
        for (at, id) in unit.stages.iter().enumerate() {
            references.push((format!("/controlFlow/repairUnits/{index}/stages/{at}"), id));
        }
    }
    let ids: Vec<&str> = flow.stages.iter().map(|stage| stage.id.as_str()).collect();
    for (pointer, id) in references {
        if !ids.contains(&id.as_str()) {
            problems.push(unknown_stage(checked, pointer, id, &ids));
        }
    }
    repair_units(checked, problems);
    if problems.len() == before {
        graph(checked, problems);
    }
    problems.len() == before
}

fn unknown_stage(checked: &Config<'_>, pointer: String, id: &StageId, ids: &[&str]) -> ConfigProblem {
    let problem =
        checked.problem(pointer, format!("the id of a stage ({})", ids.join(", ")), format!("`{id}`"));
    let named = checked.config.control_flow.stages.iter().find(|stage| stage.name == id.as_str());
    match named {
        Some(stage) => problem.with_remedy(format!("the stage of that name has the id `{}`", stage.id)),
        None => problem.meaning(id.as_str(), ids.iter().copied()),
    }
}

fn names(checked: &Config<'_>, problems: &mut Vec<ConfigProblem>) {
    let mut ids: BTreeMap<&str, usize> = BTreeMap::new();
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, stage) in checked.config.control_flow.stages.iter().enumerate() {
        let at = |field: &str| format!("/controlFlow/stages/{index}/{field}");
        if let Some(first) = ids.insert(stage.id.as_str(), index) {
            problems.push(checked.problem(
                at("id"),
                "an id of its own",
                format!("`{}`, the id of stage {first} of the list", stage.id),
            ));
        }
        if let Some(first) = names.insert(&stage.name, index) {
            problems.push(checked.problem(
                at("name"),
                "a name of its own",
                format!("`{}`, the name of stage {first} of the list", stage.name),
            ));
        }
        if !is_identifier(&stage.name) {
            problems.push(checked.problem(
                at("name"),
                "a name that expressions can read: letters, digits and underscores, beginning with a letter",
                format!("`{}`", stage.name),
            ));
        }
        if stage.id.as_str().is_empty() || stage.id.as_str().len() > 64 {
            problems.push(checked.problem(
                at("id"),
                "an id of 1 to 64 bytes",
                format!("{} bytes", stage.id.as_str().len()),
            ));
        }
    }
}

/// Whether expressions can read a name after a dot.
pub(super) fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.len() <= 64
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn repair_units(checked: &Config<'_>, problems: &mut Vec<ConfigProblem>) {
    let flow = &checked.config.control_flow;
    let mut taken = BTreeSet::new();
    for (index, unit) in flow.repair_units.iter().enumerate() {
        let pointer = format!("/controlFlow/repairUnits/{index}");
        if !(1..=MAX_REPAIRS).contains(&unit.max_iterations) {
            problems.push(checked.problem(
                format!("{pointer}/maxIterations"),
                format!("1 to {MAX_REPAIRS}"),
                unit.max_iterations.to_string(),
            ));
        }
        gate(checked, index, problems);
        for (at, id) in unit.stages.iter().enumerate() {
            if !taken.insert(id) {
                problems.push(checked.problem(
                    format!("{pointer}/stages/{at}"),
                    "a stage that is repaired once",
                    format!("`{id}` a second time"),
                ));
            }
        }
        let last = unit.stages.last();
        let stage = last.and_then(|id| flow.stages.iter().find(|stage| &stage.id == id));
        let found = match (last, stage) {
            (None, _) => "no stage".to_owned(),
            (Some(id), Some(stage)) if stage.kind != StageKind::Verify => {
                format!("`{id}`, which does not verify")
            }
            _ => continue,
        };
        problems.push(checked.problem(
            format!("{pointer}/stages"),
            "stages of which the last is of kind `verify`",
            found,
        ));
    }
}

/// A unit's name and its rule of progress.
fn gate(checked: &Config<'_>, index: usize, problems: &mut Vec<ConfigProblem>) {
    let units = &checked.config.control_flow.repair_units;
    let unit = &units[index];
    let at = |field: &str| format!("/controlFlow/repairUnits/{index}/{field}");
    if let Some(name) = &unit.name {
        let count = name.trim().chars().count();
        if !(1..=MAX_GATE_NAME_CHARS).contains(&count) {
            problems.push(checked.problem(
                at("name"),
                format!("a name of 1 to {MAX_GATE_NAME_CHARS} characters"),
                format!("{count} characters"),
            ));
        } else if let Some(first) = units[..index].iter().position(|other| other.name.as_ref() == Some(name))
        {
            problems.push(checked.problem(
                at("name"),
                "a name of its own",
                format!("`{name}`, the name of unit {first} of the list"),
            ));
        }
    }
    let Some(progress) = &unit.progress else { return };
    if progress.trim().is_empty() {
        problems.push(checked.problem(at("progress"), "an expression", "an empty one"));
    } else if unit.stop_without_gain {
        problems.push(
            checked
                .problem(at("progress"), "one rule of progress", "`progress` beside `stopWithoutGain`")
                .with_remedy("leave `stopWithoutGain` out, and let `progress` say what is enough"),
        );
    }
}

/// What only the whole graph shows.
fn graph(checked: &Config<'_>, problems: &mut Vec<ConfigProblem>) {
    let stages = &checked.config.control_flow.stages;
    match Graph::new(checked.config) {
        Ok(_) => {}
        Err(GraphError::Cycle(circle)) => {
            let first =
                circle.first().and_then(|id| stages.iter().position(|stage| &stage.id == id)).unwrap_or(0);
            let circle: Vec<&str> = circle.iter().map(StageId::as_str).collect();
            problems.push(checked.problem(
                format!("/controlFlow/stages/{first}/dependsOn"),
                "stages that wait only for stages before them",
                format!("a circle: {}", circle.join(" waits for ")),
            ));
        }
        Err(other) => problems.push(checked.problem(
            "/controlFlow",
            "a graph of stages that can be run",
            other.to_string(),
        )),
    }
}
