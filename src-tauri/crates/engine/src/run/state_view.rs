//! A run's state as expressions of its state file and its other files see it: computed from the log alone.

use std::collections::BTreeMap;

use domain::StageId;
use domain::agent::Stage;
use pipeline::{Call, CallKey, ChildEnd, Event, Moment, Phase, Record, State, Status};
use serde_json::{Map, Value, json};

use crate::run::pinned::Pinned;
use crate::run::values::Values;

/// The most errors that are kept.
const MAX_ERRORS: usize = 200;

/// When the stages of a run began and ended, and what went wrong, read off its log.
#[derive(Debug, Default)]
pub(crate) struct RunTimes {
    started: u64,
    updated: u64,
    resumed: u64,
    stages: BTreeMap<StageId, (u64, Option<u64>)>,
    errors: Vec<(u64, StageId, String)>,
    moments: Vec<(u64, Moment)>,
    /// When the same call of the run that it works for ended in earlier cycles, by cycle, from one.
    earlier: BTreeMap<u32, u64>,
}

impl RunTimes {
    /// Of the records of a run, in order.
    pub(crate) fn of(records: &[Record]) -> Self {
        let mut times = Self::default();
        for record in records {
            times.updated = record.at;
            times.moments.extend(Moment::from_event(&record.event).map(|moment| (record.at, moment)));
            match &record.event {
                Event::RunStarted { .. } => (times.started, times.resumed) = (record.at, record.at),
                Event::StageStarted { stage, .. } => {
                    let began = times.stages.entry(stage.clone()).or_insert((record.at, None));
                    began.1 = None;
                }
                Event::StageCompleted { stage, .. } | Event::StageSkipped { stage, .. } => {
                    times.stages.entry(stage.clone()).or_insert((record.at, None)).1 = Some(record.at);
                }
                Event::StageFailed { stage, problem, .. } => {
                    times.errors.push((record.at, stage.clone(), problem.message.clone()));
                }
                Event::ModelCallFailed { key, problem, .. } | Event::ToolCallFailed { key, problem, .. } => {
                    times.errors.push((record.at, key.stage.clone(), problem.message.clone()));
                }
                Event::Continued | Event::Resumed { .. } => times.resumed = record.at,
                _ => {}
            }
        }
        times.errors.truncate(MAX_ERRORS);
        times
    }

    /// Takes in when the same work was done in earlier cycles: from the log of the run that this one works for.
    pub(crate) fn read_earlier(&mut self, key: &CallKey, parent: &[Record]) {
        let mut cycles = BTreeMap::new();
        for record in parent {
            match &record.event {
                Event::StageStarted { stage, attempt, iteration, .. } if *stage == key.stage => {
                    cycles.insert(*attempt, iteration + 1);
                }
                Event::CallReused { key: of, .. }
                | Event::ChildRunFinished { key: of, end: ChildEnd::Gated { .. }, .. }
                    if of.stage == key.stage && of.item == key.item && of.attempt < key.attempt =>
                {
                    self.earlier.extend(cycles.get(&of.attempt).map(|cycle| (*cycle, record.at)));
                }
                _ => {}
            }
        }
    }

    /// When what is on the disk was last looked at: at the start, or when the run was last gone on with.
    pub(crate) fn verified(&self) -> String {
        instant(self.resumed)
    }
}

/// The variables that state files and other files see besides those of every expression.
pub(crate) fn variables(
    pinned: &Pinned,
    state: &State,
    values: &Values,
    times: &RunTimes,
    run: &str,
) -> Vec<(&'static str, Value)> {
    let (mut stages, mut items) = (Map::new(), Map::new());
    let (mut finished, total) = (Vec::new(), state.stages.len());
    let mut drafts = Vec::new();
    for (config, stage) in pinned.config.control_flow.stages.iter().zip(&state.stages) {
        let (began, ended) = times.stages.get(&config.id).copied().unwrap_or_default();
        let ended = ended.filter(|_| matches!(stage.phase, Phase::Completed | Phase::Skipped));
        finished.extend(ended.map(|_| &config.name));
        let calls = calls(state, config, stage.attempt);
        let ready = calls.iter().filter(|(_, call)| matches!(call.status.result(), Some(Ok(_)))).count();
        stages.insert(
            config.name.clone(),
            json!({
                "title": config.title,
                "status": phase_word(stage.phase),
                "started_at": (began > 0).then(|| instant(began)),
                "completed_at": ended.map(instant),
                "attempts": stage.attempt,
                "done": ready,
                "total": calls.len(),
                "warnings": stage.warnings,
            }),
        );
        if config.for_each.is_some() {
            // What a stage has put out is read as its output; which answers are loaded besides is no matter of the log.
            let known = if stage.phase == Phase::Running { Some(values) } else { None };
            items.insert(config.name.clone(), of_items(&calls, known));
        }
        if stage.phase == Phase::Running {
            drafts.extend(drafts_of(&config.name, &calls, values));
        }
    }
    let start = state.start.as_ref();
    let errors: Vec<Value> = times
        .errors
        .iter()
        .map(|(at, stage, message)| {
            let name = pinned.stage(stage).map_or("", |stage| &stage.name);
            json!({ "at": instant(*at), "stage": name, "message": message })
        })
        .collect();
    vec![
        (
            "run",
            json!({
                "id": run,
                "session": start.map(|start| &start.session),
                "agent": pinned.config.slug,
                "status": status_word(state.status()),
                "started_at": instant(times.started),
                "updated_at": instant(times.updated),
                "earlier": times.earlier.iter().map(|(cycle, at)| json!({ "cycle": cycle, "timestamp": instant(*at) })).collect::<Vec<_>>(),
            }),
        ),
        ("stages", Value::Object(stages)),
        ("items", Value::Object(items)),
        ("drafts", Value::Array(drafts)),
        (
            "progress",
            json!({
                "done": finished.len(),
                "total": total,
                "percent": (finished.len() * 100).checked_div(total),
                "finished": finished,
            }),
        ),
        ("next", json!(next(pinned, state))),
        ("trigger", trigger(pinned, state, times)),
        ("gates", Value::Object(gates(pinned, state, values))),
        ("errors", json!(errors)),
    ]
}

/// What happened last that makes this state a checkpoint. A call that is not of an item is no such thing.
fn trigger(pinned: &Pinned, state: &State, times: &RunTimes) -> Value {
    let stage_of = |moment: &Moment| pinned.stage(moment.stage.as_ref()?);
    let has_items = |moment: &Moment| stage_of(moment).is_some_and(|stage| stage.for_each.is_some());
    let counts = |moment: &Moment| moment.counts(has_items(moment));
    let Some((at, moment)) = times.moments.iter().rev().find(|(_, moment)| counts(moment)) else {
        return Value::Null;
    };
    let item = moment.call.as_ref().and_then(|key| Some(state.calls.get(key)?.item_name(key)));
    let unit = moment.unit.and_then(|unit| state.graph.repair_units.get(unit as usize)?.name.clone());
    json!({
        "event": moment.trigger.as_str(),
        "stage": stage_of(moment).map(|stage| &stage.name),
        "item": item.filter(|_| has_items(moment)),
        "gate": unit,
        "at": instant(*at),
    })
}

/// The calls of a stage's attempt that are made for its items: those of its last wave.
fn calls<'s>(state: &'s State, stage: &Stage, attempt: u32) -> Vec<(&'s CallKey, &'s Call)> {
    let own = state.calls.iter().filter(|(key, _)| key.stage == stage.id && key.attempt == attempt);
    let wave = stage.steps.len() as u32;
    if stage.asks_model() { own.filter(|(key, _)| key.wave >= wave).collect() } else { own.collect() }
}

/// The names of a stage's items by what became of them, and the answers there are.
fn of_items(calls: &[(&CallKey, &Call)], values: Option<&Values>) -> Value {
    let (mut done, mut failed, mut pending, mut answers) = (Vec::new(), Vec::new(), Vec::new(), Map::new());
    for (key, call) in calls {
        let name = call.item_name(key);
        match call.status.result() {
            Some(Ok(output)) => {
                if let Some(value) = values.and_then(|values| values.get(output)) {
                    answers.insert(name.clone(), (**value).clone());
                }
                done.push(name);
            }
            Some(Err(_)) => failed.push(name),
            None => pending.push(name),
        }
    }
    json!({ "done": done, "failed": failed, "pending": pending, "answers": answers })
}

/// The answers of a stage that are not there yet, as far as they have been streamed.
fn drafts_of(stage: &str, calls: &[(&CallKey, &Call)], values: &Values) -> Vec<Value> {
    let drafts = calls.iter().filter_map(|(key, call)| {
        let draft = call.draft.as_ref().filter(|_| call.status.result().is_none())?;
        Some(
            json!({ "stage": stage, "item": call.item_name(key), "words": draft.words, "text": values.get(draft.text)? }),
        )
    });
    drafts.collect()
}

/// Every named repair unit: its attempts, and what its check last found.
fn gates(pinned: &Pinned, state: &State, values: &Values) -> Map<String, Value> {
    let mut gates = Map::new();
    for (at, unit) in state.graph.repair_units.iter().enumerate() {
        let (Some(name), Some(id)) = (&unit.name, unit.stages.last()) else { continue };
        let Some(check) = state.stage(id) else { continue };
        let last = check.history.last();
        let failure = last.filter(|last| last.passed == Some(false)).and_then(|last| {
            let output = values.get(last.output)?;
            let found = output.get("unsupported").and_then(Value::as_array)?;
            let found: Vec<&str> = found.iter().filter_map(Value::as_str).collect();
            Some(if found.is_empty() { last.summary.clone() } else { found.join("; ") })
        });
        gates.insert(
            name.clone(),
            json!({
                "title": pinned.stage(id).map(|stage| &stage.title),
                "attempts": check.history.len(),
                "max_attempts": state.most_repairs(at) + 1,
                "passed": last.map(|last| last.passed),
                "last_failure": failure,
                "certified": state.repairs.get(&(at as u32)).is_some_and(|outcome| outcome.certified),
            }),
        );
    }
    gates
}

/// What comes next, in words: what waits for the person, else the first stage that has not ended.
fn next(pinned: &Pinned, state: &State) -> String {
    let title = |id: &StageId| pinned.stage(id).map_or_else(|| id.to_string(), |stage| stage.title.clone());
    match state.status() {
        Status::Completed => return "Nothing: the run is complete.".to_owned(),
        Status::Cancelled => return "Nothing: the run was cancelled.".to_owned(),
        Status::Failed => {
            let failed = state.failure.as_ref().map_or_else(String::new, |(stage, _)| title(stage));
            return format!("Retry the stage {failed}.");
        }
        Status::Paused => {
            let at = state.open_pauses().next().map_or_else(String::new, |pause| title(&pause.stage));
            return format!("Answer the pause after {at}.");
        }
        Status::Suspended => return "Continue the run.".to_owned(),
        Status::Empty | Status::Running => {}
    }
    let stages = pinned.config.control_flow.stages.iter().zip(&state.stages);
    let open = stages.clone().find(|(_, stage)| stage.phase == Phase::Running);
    let open = open.or_else(|| stages.into_iter().find(|(_, stage)| stage.phase == Phase::Pending));
    let Some((config, stage)) = open else { return "End the run.".to_owned() };
    let calls = calls(state, config, stage.attempt);
    let first = calls.into_iter().find(|(_, call)| call.status.result().is_none());
    match first.filter(|_| config.for_each.is_some()).map(|(key, call)| call.item_name(key)) {
        Some(item) => format!("{}: {item}", config.title),
        None => format!("{}.", config.title),
    }
}

fn phase_word(phase: Phase) -> &'static str {
    match phase {
        Phase::Pending => "pending",
        Phase::Running => "in_progress",
        Phase::Completed => "complete",
        Phase::Skipped => "skipped",
        Phase::Failed => "failed",
    }
}

fn status_word(status: Status) -> &'static str {
    match status {
        Status::Empty => "initialized",
        Status::Running => "in_progress",
        Status::Paused | Status::Suspended => "blocked",
        Status::Completed => "complete",
        Status::Failed | Status::Cancelled => "failed",
    }
}

/// Milliseconds since 1970 as an instant (ISO 8601).
pub(crate) fn instant(at: u64) -> String {
    let at = i64::try_from(at).ok().and_then(|at| jiff::Timestamp::from_millisecond(at).ok());
    at.map_or_else(String::new, |at| at.to_string())
}
