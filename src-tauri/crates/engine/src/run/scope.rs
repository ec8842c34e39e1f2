//! What a run's expressions see (the variables that the agent's configuration may name).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use context::Scope;
use domain::agent::Stage;
use domain::{Digest, StageId};
use pipeline::{Action, PauseKind, Phase, State};
use serde_json::{Map, Value, json};

use crate::run::pinned::Pinned;
use crate::run::values::Values;

/// The scope of a run, kept up to date as outputs arrive; values are converted once.
#[derive(Debug, Default)]
pub(crate) struct RunScope {
    scope: Scope,
    outputs: BTreeMap<StageId, Digest>,
}

impl RunScope {
    /// The scope for one stage.
    pub(crate) fn for_stage(
        &mut self,
        pinned: &Pinned,
        state: &State,
        values: &Values,
        stage: &Stage,
    ) -> Scope {
        let mut scope = self.for_run(pinned, state, values);
        let feedback = state.stage(&stage.id).map(|stage| stage.feedback.clone()).unwrap_or_default();
        scope.set("feedback", &json!(feedback));
        scope.set("repair", &repair(state, values, stage));
        scope
    }

    /// The scope for what belongs to no stage.
    pub(crate) fn for_run(&mut self, pinned: &Pinned, state: &State, values: &Values) -> Scope {
        for (config, current) in pinned.config.control_flow.stages.iter().zip(&state.stages) {
            match current
                .output
                .filter(|_| matches!(current.phase, Phase::Completed | Phase::Skipped | Phase::Pending))
            {
                Some(digest) if self.outputs.get(&config.id) == Some(&digest) => {}
                Some(digest) => {
                    if let Some(value) = values.get(digest) {
                        self.scope.set_output(&config.name, value);
                        self.outputs.insert(config.id.clone(), digest);
                    }
                }
                None => {
                    if self.outputs.remove(&config.id).is_some() {
                        self.scope.remove_output(&config.name);
                    }
                }
            }
        }
        let mut scope = self.scope.clone();
        for (name, value) in variables(pinned, state, values) {
            scope.set(name, &value);
        }
        scope
    }
}

/// The depth in force: what the person chose at the last pause, else for the run, else the agent's default.
pub fn depth_name(pinned: &Pinned, state: &State) -> String {
    let chosen = || state.start.as_ref().and_then(|start| start.depth.clone());
    state.edited_depth.clone().or_else(chosen).unwrap_or_else(|| pinned.config.default_depth.clone())
}

/// The ids of paragraphs that the earlier answer used.
pub(crate) fn prior_ids(state: &State, values: &Values) -> BTreeSet<String> {
    let context = state.follow_up.as_ref().and_then(|follow_up| values.get(follow_up.context?));
    let ids = context.and_then(|context| context.get("paragraph_ids")).and_then(Value::as_array);
    ids.into_iter().flatten().filter_map(|id| id.as_str().map(str::to_owned)).collect()
}

fn variables(pinned: &Pinned, state: &State, values: &Values) -> Vec<(&'static str, Value)> {
    let name = depth_name(pinned, state);
    let mut depth: Map<String, Value> = pinned
        .config
        .depth_modes
        .get(&name)
        .map(|mode| mode.clone().into_iter().collect())
        .unwrap_or_default();
    depth.insert("name".to_owned(), json!(name));
    let request = state.start.as_ref().map(|start| start.request.clone()).unwrap_or_default();
    let follow_up = state.follow_up.as_ref().and_then(|follow_up| values.get(follow_up.context?));
    let inputs = state.start.as_ref().and_then(|start| values.get(start.inputs?));
    let number = state.follow_up.as_ref().map_or(0, |follow_up| follow_up.number);
    vec![
        ("request", json!(request)),
        ("inputs", inputs.map_or(Value::Null, |value| (**value).clone())),
        ("material", if pinned.material.is_empty() { Value::Null } else { json!(pinned.material) }),
        ("data", json!(pinned.data)),
        ("offline", json!(pinned.is_offline())),
        ("web_search", json!(!pinned.no_web_search)),
        ("vault_locked", json!(pinned.vault_locked)),
        ("depth", Value::Object(depth)),
        ("depth_name", json!(name)),
        ("user_answers", user_answers(state)),
        ("decisions", decisions(state)),
        ("guidance", json!(state.guidance)),
        ("followup", follow_up.map_or(Value::Null, |value| (**value).clone())),
        ("followup_number", json!(number)),
        ("corpus", pinned.corpus.as_ref().map_or(Value::Null, |corpus| json!(corpus))),
        ("verification", json!(pinned.config.verification.thresholds)),
    ]
}

/// What was decided at the last pause after each stage, or at the gate that it ends, by the stage's id.
fn decisions(state: &State) -> Value {
    let decides = |kind: &PauseKind| matches!(kind, PauseKind::Stage | PauseKind::Gate { .. });
    let pauses = state.pauses.iter().filter(|pause| decides(&pause.kind));
    json!(pauses.map(|pause| (&pause.stage.0, &pause.decision)).collect::<BTreeMap<_, _>>())
}

/// What the person said at pauses that let the run go on, as text.
fn user_answers(state: &State) -> Value {
    let mut lines: Vec<String> = Vec::new();
    for pause in state.pauses.iter().filter(|pause| pause.kind == PauseKind::Stage) {
        let Some(decision) = &pause.decision else { continue };
        if decision.action == Action::Amend {
            continue;
        }
        for (question, answer) in decision.answers.iter().filter(|(_, answer)| !answer.trim().is_empty()) {
            lines.push(format!("Q: {question}\nA: {}", answer.trim()));
        }
        lines.extend(
            decision.text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned),
        );
    }
    if lines.is_empty() { Value::Null } else { json!(lines.join("\n")) }
}

/// Which repair this is and what the check before it found.
fn repair(state: &State, values: &Values, stage: &Stage) -> Value {
    let iteration = state.stage(&stage.id).map_or(0, |stage| stage.iteration);
    let unit = state.graph.repair_units.iter().position(|unit| unit.stages.contains(&stage.id));
    let (Some(unit), true) = (unit, iteration > 0) else { return Value::Null };
    let last = last_check(state, values, &stage.id);
    let feedback = last.as_ref().and_then(|output| output.get("feedback").cloned());
    json!({
        "iteration": iteration,
        "max": state.most_repairs(unit),
        "feedback": feedback,
        "last": last.as_deref(),
        "attempt": attempt(state, values, &stage.id).as_deref(),
    })
}

/// What the check before a repair found: the output of the unit's last stage.
pub(crate) fn last_check(state: &State, values: &Values, stage: &StageId) -> Option<Arc<Value>> {
    let unit = state.graph.repair_units.iter().find(|unit| unit.stages.contains(stage))?;
    let repairing = state.stage(stage).is_some_and(|stage| stage.iteration > 0);
    let last = state.stage(unit.stages.last()?).filter(|_| repairing)?.mended()?;
    values.get(last.output).cloned()
}

/// What a stage put out before the repair that it is in.
pub(crate) fn attempt(state: &State, values: &Values, stage: &StageId) -> Option<Arc<Value>> {
    let stage = state.stage(stage).filter(|stage| stage.iteration > 0)?;
    values.get(stage.mended()?.output).cloned()
}
