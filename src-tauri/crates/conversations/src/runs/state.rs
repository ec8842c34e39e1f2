//! A run's whole state.

use std::collections::BTreeMap;

use domain::agent::Stage;
use domain::connection::OFFLINE;
use domain::{NanoUsd, Problem, RunId, RunStatus, StageId};
use engine::{Form, StoredRun};
use pipeline::{
    Call, CallKey, CallStatus, ChildKind, Event, Pause, Phase, Record, StageState, State, Status,
};
use protocol::{
    AnsweredPause, CallState, ChildRow, DocumentCard, GateAttempt, GateRow, ReuseRow, RunRef, RunState,
    StagePhase, StageRow,
};
use serde_json::{Map, Value};

use super::attached::own_base;
use super::history::History;
use crate::Conversations;

/// Events given at once.
const EVENT_PAGE: usize = 1_000;

impl Conversations {
    /// A run's state.
    pub async fn run_show(
        &self,
        run: &RunRef,
        events_after: Option<u64>,
        outputs: bool,
    ) -> Result<RunState, Problem> {
        let run = self.find(run).await?;
        let loaded = self.env.engine.load(&run).await?;
        self.run_state(&loaded, events_after, outputs).await
    }

    /// The state of a run that was loaded.
    pub async fn run_state(
        &self,
        loaded: &StoredRun,
        events_after: Option<u64>,
        outputs: bool,
    ) -> Result<RunState, Problem> {
        let StoredRun { run, state, pinned, row, records } = loaded;
        let history = History::of(records);
        let stages: Vec<StageRow> = pinned
            .config
            .control_flow
            .stages
            .iter()
            .zip(&state.stages)
            .map(|(config, stage)| stage_row(state, config, stage, &history))
            .collect();
        let mut pauses = Vec::new();
        for pause in state.open_pauses() {
            pauses.extend(self.form(pause).await?);
        }
        let mut answered = Vec::new();
        for pause in &state.pauses {
            let (Some(decision), Some(form)) = (&pause.decision, self.form(pause).await?) else { continue };
            let answer = history.answers.get(&pause.id).copied().unwrap_or_default();
            let label = form.choices.iter().find(|choice| choice.id == decision.choice);
            answered.push(AnsweredPause {
                label: label.map_or_else(|| decision.choice.clone(), |choice| choice.label.clone()),
                decision: decision.clone(),
                at: answer.at,
                edited: answer.edited,
                form,
            });
        }
        let outputs = if outputs { Some(self.outputs(loaded).await?) } else { None };
        let events = events_after.map_or_else(Vec::new, |after| {
            let later = records.iter().filter(|record| record.seq > after);
            later.take(EVENT_PAGE).cloned().collect::<Vec<Record>>()
        });
        let start = state.start.as_ref();
        let shelf = self.env.in_workspace(&pinned.workspace).bases();
        let inputs = match start {
            Some(start) => self.inputs_of(start).await?,
            None => None,
        };
        Ok(RunState {
            session: start.map(|start| start.session.0.clone()).unwrap_or_default(),
            agent: start.map(|start| start.agent.0.clone()).unwrap_or_default(),
            agent_name: pinned.config.name.clone(),
            request: start.map(|start| start.request.clone()).unwrap_or_default(),
            inputs,
            status: self.status_of(run, state.status()),
            seq: state.seq,
            created_at: row.created_at,
            updated_at: records.last().map_or(row.updated_at, |record| record.at as i64),
            depth: Some(loaded.depth()).filter(|depth| pinned.config.depth_modes.contains_key(depth)),
            depths: environment::depths(&pinned.config),
            corpus: own_base(pinned)
                .map(|corpus| format!("{}@{}", shelf.name_of(&corpus.base), corpus.generation)),
            attached: pinned.attached.as_ref().map(|attached| attached.files.clone()).unwrap_or_default(),
            connection: pinned.connection.clone(),
            model: pinned.model.clone(),
            previous: start.and_then(|start| start.previous.clone()),
            parent: start.and_then(|start| Some(start.parent.as_ref()?.run.clone())),
            reuse: reuse_row(loaded),
            follow_up: pinned.config.follow_up.enabled,
            answered,
            guidance: state.guidance.clone(),
            document: self.card(loaded).await?,
            forecast: start.and_then(|start| start.forecast),
            budget: state.budget,
            stages,
            pauses,
            usage: state.usage,
            cost: state.cost,
            equivalent: state.equivalent,
            unpriced: !pinned.model_info.priced,
            no_model: pinned.model_info.provider == OFFLINE && !was_moved(records),
            doubtful: state.doubtful.cost,
            maybe_paid_twice: state.maybe_paid_twice,
            active_ms: state.active_ms,
            problem: state.failure.as_ref().map(|(_, problem)| problem.clone()),
            events,
            outputs,
            run: run.clone(),
        })
    }

    /// In the log a run whose process died still runs.
    pub fn status_of(&self, run: &RunId, status: Status) -> RunStatus {
        RunStatus::from(status).shown(|| self.env.engine.is_live(run))
    }

    async fn form(&self, pause: &Pause) -> Result<Option<Form>, Problem> {
        let Some(digest) = pause.form else { return Ok(None) };
        Ok(serde_json::from_value(self.env.value(digest).await?).ok())
    }

    async fn outputs(&self, loaded: &StoredRun) -> Result<Value, Problem> {
        let mut outputs = Map::new();
        let stages = loaded.pinned.config.control_flow.stages.iter().zip(&loaded.state.stages);
        for (config, stage) in stages {
            if let Some(output) = stage.output {
                outputs.insert(config.name.clone(), self.env.value(output).await?);
            }
        }
        Ok(Value::Object(outputs))
    }

    /// The document as the render stage counted it.
    async fn card(&self, loaded: &StoredRun) -> Result<Option<DocumentCard>, Problem> {
        let stages = loaded.pinned.config.control_flow.stages.iter().zip(&loaded.state.stages);
        let rendered = stages
            .rev()
            .filter(|(config, stage)| {
                config.kind == domain::agent::StageKind::Render && stage.phase == Phase::Completed
            })
            .find_map(|(_, stage)| stage.output);
        let Some(digest) = rendered else { return Ok(None) };
        let output = self.env.value(digest).await?;
        let count = |value: &Value| u32::try_from(value.as_u64().unwrap_or_default()).unwrap_or(u32::MAX);
        let verdicts = output.get("verdicts").and_then(Value::as_object);
        let texts = output.get("warnings").and_then(Value::as_array);
        Ok(Some(DocumentCard {
            title: output.get("title").and_then(Value::as_str).unwrap_or_default().to_owned(),
            verified: verdicts.and_then(|verdicts| verdicts.get("verified")).map_or(0, count),
            total: verdicts.into_iter().flat_map(|verdicts| verdicts.values()).map(count).sum(),
            unsupported: output.get("unsupported").map_or(0, count),
            warnings: texts
                .into_iter()
                .flatten()
                .filter_map(|text| text.as_str().map(str::to_owned))
                .collect(),
            headline: output
                .get("headline")
                .and_then(|headline| serde_json::from_value::<answers::Headline>(headline.clone()).ok())
                .map(|one| crate::documents::headline(&one)),
        }))
    }
}

/// Whether a run was moved to another connection or model after it began.
fn was_moved(records: &[Record]) -> bool {
    records.iter().any(|record| matches!(record.event, Event::Repinned { .. }))
}

/// A stage with what the log tells of it.
pub fn stage_row(state: &State, config: &Stage, stage: &StageState, history: &History) -> StageRow {
    let times = history.stages.get(&config.id).copied().unwrap_or_default();
    let (done, total) = wave(state, &config.id, stage);
    let unit = state.graph.repair_units.iter().position(|unit| unit.stages.contains(&config.id));
    let standing = stage.history.iter().rfind(|attempt| Some(attempt.output) == stage.output);
    let scores = standing.or(stage.history.last()).map(|attempt| &attempt.scores);
    let waits = state.open_pauses().any(|pause| pause.stage == config.id);
    StageRow {
        id: config.id.clone(),
        name: config.name.clone(),
        title: config.title.clone(),
        group: config.group.clone(),
        kind: config.kind,
        depends_on: state.graph.node(&config.id).map(|node| node.depends_on.clone()).unwrap_or_default(),
        phase: if waits { StagePhase::Paused } else { stage.phase.into() },
        attempt: stage.attempt,
        iteration: stage.iteration,
        max_iterations: unit.map_or(0, |unit| state.most_repairs(unit)),
        started_at: times.started_at,
        // What a repair runs again has not ended.
        ended_at: times.ended_at.filter(|_| !matches!(stage.phase, Phase::Pending | Phase::Running)),
        active_ms: times.active_ms,
        done,
        total,
        summary: match (&stage.skipped, stage.phase) {
            (Some((_, why)), Phase::Skipped) => why.clone(),
            _ => stage.summary.clone(),
        },
        scores: scores.map(by_axis).unwrap_or_default(),
        usage: stage.usage,
        cost: stage.cost,
        warnings: stage.warnings.clone(),
        children: children(state, config),
        gate: unit.and_then(|unit| gate(state, unit, config, stage)),
    }
}

/// What a repair unit tried, for its last stage.
fn gate(state: &State, at: usize, config: &Stage, stage: &StageState) -> Option<GateRow> {
    let unit = state.graph.repair_units.get(at).filter(|unit| unit.stages.last() == Some(&config.id))?;
    let outcome = state.repairs.get(&(at as u32));
    let last = stage.present_attempts().next_back()?.iteration;
    let attempts = stage.present_attempts().map(|attempt| GateAttempt {
        iteration: attempt.iteration,
        passed: attempt.passed != Some(false),
        scores: by_axis(&attempt.scores),
        stands: attempt.iteration == outcome.map_or(last, |outcome| outcome.chosen),
    });
    Some(GateRow {
        name: unit.name.clone(),
        attempts: attempts.collect(),
        ended: outcome.map(|outcome| outcome.reason),
        on_exhausted: unit.on_exhausted,
        certified: outcome.is_some_and(|outcome| outcome.certified),
    })
}

/// Scores from 0 to 1.
fn by_axis(millionths: &BTreeMap<String, i64>) -> BTreeMap<String, f64> {
    millionths.iter().map(|(axis, score)| (axis.clone(), *score as f64 / 1e6)).collect()
}

/// Calls that have ended and calls in all, of the wave under way.
fn wave(state: &State, id: &StageId, stage: &StageState) -> (u32, u32) {
    let Some(wave) = stage.waves.checked_sub(1).filter(|_| stage.phase == Phase::Running) else {
        return (0, 0);
    };
    let at = |item| CallKey { stage: id.clone(), attempt: stage.attempt, wave, item };
    let total = state.calls.range(at(0)..=at(u32::MAX)).count() as u32;
    (total.saturating_sub(stage.open_calls), total)
}

/// The runs of other agents that carry out the calls of a stage's last attempt.
fn children(state: &State, config: &Stage) -> Vec<ChildRow> {
    let is_run = state.graph.node(&config.id).is_some_and(|node| node.child == Some(ChildKind::Run));
    let attempt = state.stage(&config.id).map_or(0, |stage| stage.attempt);
    let of_stage = |key: &CallKey| is_run && key.stage == config.id && key.attempt == attempt;
    let row = |call: &Call| {
        let status = match &call.status {
            CallStatus::Planned | CallStatus::Unprepared | CallStatus::Waiting(..) => CallState::Planned,
            CallStatus::Requested => CallState::Running,
            CallStatus::Unknown | CallStatus::Asking | CallStatus::Unpermitted => CallState::Paused,
            CallStatus::Done(_) => CallState::Completed,
            CallStatus::Failed(_) => CallState::Failed,
        };
        ChildRow { run: call.children.last().cloned(), title: call.planned.title.clone(), status }
    };
    state.calls.iter().filter(|(key, _)| of_stage(key)).map(|(_, call)| row(call)).collect()
}

/// What a run took over from the run that it repeats.
fn reuse_row(loaded: &StoredRun) -> Option<ReuseRow> {
    let StoredRun { state, pinned, .. } = loaded;
    let base = state.start.as_ref()?.base.as_ref()?;
    let reused = || state.calls.values().filter_map(|call| call.reused.as_ref());
    let count = |calls: usize| u32::try_from(calls).unwrap_or(u32::MAX);
    let name = |id: &StageId| pinned.stage(id).map(|stage| stage.name.clone());
    Some(ReuseRow {
        base: base.run.clone(),
        calls_reused: count(reused().count()),
        calls_made: count(state.calls.values().filter(|call| call.tries > 0).count()),
        cost_saved: reused().fold(NanoUsd(0), |sum, call| sum + call.cost),
        tokens_saved: reused().map(|call| call.usage.total()).sum(),
        edited: base.edits.keys().filter_map(name).collect(),
    })
}
