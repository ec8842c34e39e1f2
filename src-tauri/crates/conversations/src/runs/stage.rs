//! One stage of a run with all that went in and came out.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use domain::{ErrorCode, NanoUsd, PauseId, Problem, RunId, StageId, Usage};
use engine::{Payload, StoredRun};
use llm::{ModelRequest, Provider, Role};
use pipeline::{Answer, Call, CallKey, CallStatus, Event, Pause, Receipt, Record};
use protocol::{CallRow, CallState, SectionRow, StageDetail};
use serde_json::{Value, json};

use super::history::History;
use super::state::stage_row;
use crate::Conversations;

/// The most characters of a section's text.
const MAX_SECTION_CHARS: usize = 200_000;

/// What a call's records tell.
#[derive(Default)]
struct CallSummary {
    ms: u64,
    usage: Usage,
    cost: NanoUsd,
    /// Of all its attempts together; what else is kept, of the last.
    equivalent: NanoUsd,
    last: Receipt,
    model: Option<String>,
    stop: Option<String>,
}

impl Conversations {
    /// A stage with what it was shown, its calls and its output.
    pub async fn run_stage(&self, run: &RunId, stage: &StageId) -> Result<StageDetail, Problem> {
        let loaded = self.env.engine.load(run).await?;
        let stages = loaded.pinned.config.control_flow.stages.iter().zip(&loaded.state.stages);
        let Some((config, state)) = stages.into_iter().find(|(config, _)| &config.id == stage) else {
            return Err(Problem::new(ErrorCode::NotFound, format!("run {run} has no stage {stage}")));
        };
        let row = stage_row(&loaded.state, config, state, &History::of(&loaded.records));
        let output = match state.output {
            Some(digest) => Some(self.env.value(digest).await?),
            None => None,
        };
        let of = |pause: &&Pause| &pause.stage == stage;
        let pauses: BTreeSet<PauseId> =
            loaded.state.pauses.iter().filter(of).map(|pause| pause.id.clone()).collect();
        let events = loaded.records.iter().filter(|record| is_of(&record.event, stage, &pauses));
        let events: Vec<Record> = events.cloned().collect();
        let told = call_summaries(&events);
        let calls: Vec<(CallKey, Call)> = loaded
            .state
            .calls
            .iter()
            .filter(|(key, _)| &key.stage == stage)
            .map(|(key, call)| (key.clone(), call.clone()))
            .collect();
        // A connection that is gone can't say any more what went over its wire.
        let provider = self.env.engine.parts().provider(&loaded.pinned.connection).ok();
        let mut sent = self.sent(loaded, Some(stage)).await;
        let shown = calls.iter().rev().find_map(|(key, call)| {
            // The last attempt's; of several answers to one question each was shown the same but for its item.
            let first = CallKey { item: 0, ..key.clone() };
            match sent.get(&first) {
                Some(Payload::Model(request) | Payload::Dialogue(request)) if call.model => {
                    Some(sections(request))
                }
                _ => None,
            }
        });
        let mut rows = Vec::new();
        for (key, call) in calls {
            let row = self.call_row(&key, &call, sent.remove(&key), told.get(&key), provider.as_ref());
            rows.push(row.await?);
        }
        Ok(StageDetail { stage: row, sections: shown.unwrap_or_default(), calls: rows, output, events })
    }

    /// What could not be computed again is not shown; the rest is.
    pub(super) async fn sent(
        &self,
        loaded: StoredRun,
        stage: Option<&StageId>,
    ) -> BTreeMap<CallKey, Payload> {
        let run = loaded.run.clone();
        self.env.engine.sent(loaded, stage).await.unwrap_or_else(|problem| {
            tracing::warn!(%run, "what was sent can't be shown: {problem}");
            BTreeMap::new()
        })
    }

    async fn call_row(
        &self,
        key: &CallKey,
        call: &Call,
        sent: Option<Payload>,
        told: Option<&CallSummary>,
        provider: Option<&Arc<dyn Provider>>,
    ) -> Result<CallRow, Problem> {
        let (status, output, problem) = match &call.status {
            CallStatus::Planned | CallStatus::Unprepared => (CallState::Planned, None, None),
            CallStatus::Requested | CallStatus::Waiting(..) => (CallState::Running, None, None),
            CallStatus::Unknown => (CallState::Unknown, None, None),
            CallStatus::Asking | CallStatus::Unpermitted => (CallState::Waiting, None, None),
            CallStatus::Done(digest) => (CallState::Completed, Some(self.env.value(*digest).await?), None),
            CallStatus::Failed(problem) => (CallState::Failed, None, Some(problem.clone())),
        };
        let wire = match (&sent, provider) {
            (Some(Payload::Model(request)), Some(provider)) => shown(&**provider, request),
            _ => None,
        };
        let received = match told.and_then(|told| told.last.received) {
            Some(digest) => Some(self.env.value(digest).await?),
            None => None,
        };
        let request = sent.map(|sent| match sent {
            Payload::Tool { source, tool, args } => {
                json!({ "tool": format!("{source}/{tool}"), "args": args })
            }
            Payload::Model(request) | Payload::Dialogue(request) => {
                serde_json::to_value(request).unwrap_or_default()
            }
            Payload::Agent(request) => serde_json::to_value(request).unwrap_or_default(),
        });
        Ok(CallRow {
            key: key.to_string(),
            title: call.planned.title.clone(),
            model: call.model,
            status,
            tries: call.tries,
            ms: told.map_or(0, |told| told.ms),
            usage: told.map(|told| told.usage).unwrap_or_default(),
            cost: told.map(|told| told.cost).unwrap_or_default(),
            request,
            output,
            problem,
            equivalent: told.map(|told| told.equivalent).unwrap_or_default(),
            wire,
            received,
            request_id: told.and_then(|told| told.last.request_id.clone()),
            answered_by: told.and_then(|told| told.model.clone()),
            stop: told.and_then(|told| told.stop.clone()),
            continued_from: call.continues.as_ref().map(|draft| draft.words),
        })
    }
}

impl CallSummary {
    /// Books the end of an attempt.
    fn ended(&mut self, usage: Usage, cost: NanoUsd, receipt: &Receipt) {
        self.usage += usage;
        self.cost += cost;
        self.equivalent += receipt.equivalent;
        self.last = receipt.clone();
    }
}

/// What goes over the wire for a request; where it can't be made, why.
fn shown(provider: &dyn Provider, request: &ModelRequest) -> Option<Value> {
    provider.shown(request).map(|shown| shown.unwrap_or_else(|error| json!({ "refused": error.to_string() })))
}

/// Time and use by call, failed attempts and invalid answers included in the use.
fn call_summaries(events: &[Record]) -> BTreeMap<CallKey, CallSummary> {
    let mut told: BTreeMap<CallKey, CallSummary> = BTreeMap::new();
    let mut children: BTreeMap<&RunId, (Usage, NanoUsd, NanoUsd)> = BTreeMap::new();
    for record in events {
        match &record.event {
            Event::ModelCallCompleted { key, answer, usage, cost, ms, stop, model, receipt, .. } => {
                let call = told.entry(key.clone()).or_default();
                if matches!(answer, Answer::Valid { .. }) {
                    call.ms = *ms;
                }
                call.ended(*usage, *cost, receipt);
                call.model = Some(model.clone());
                call.stop = Some(stop.clone());
            }
            Event::ModelCallFailed { key, usage, cost, receipt, .. } => {
                let call = told.entry(key.clone()).or_default();
                call.ended(*usage, *cost, receipt);
                (call.model, call.stop) = (None, None);
            }
            Event::ChildRunFinished { key, child, usage, cost, equivalent, ms, .. } => {
                // Sums over a turn's life: of one that goes on later, only what came since counts.
                let before = children.insert(child, (*usage, *cost, *equivalent)).unwrap_or_default();
                let call = told.entry(key.clone()).or_default();
                call.usage += usage.since(&before.0);
                call.cost += NanoUsd(cost.0.saturating_sub(before.1.0));
                call.equivalent += NanoUsd(equivalent.0.saturating_sub(before.2.0));
                call.ms += *ms;
            }
            Event::ToolCallCompleted { key, ms, .. } => told.entry(key.clone()).or_default().ms = *ms,
            _ => {}
        }
    }
    told
}

/// What a model was shown: its system prompt, the schema, and the sections of the conversation.
fn sections(request: &ModelRequest) -> Vec<SectionRow> {
    let mut rows = vec![section("system", &request.system)];
    let mut answered = false;
    for (at, message) in request.messages.iter().enumerate() {
        let found = parts(&message.content);
        // The context may stand in several messages; what follows an answer is a correction of it.
        answered |= message.role == Role::Assistant;
        if found.is_empty() || answered {
            rows.push(section(&format!("message {}", at + 1), &message.content));
            continue;
        }
        rows.extend(found.iter().map(|(name, text)| SectionRow {
            // What a model reads of it, and what it reads like.
            tokens: context::estimate(text),
            ..section(name, &context::unescape(text))
        }));
    }
    if let Some(schema) = &request.schema {
        rows.push(section("schema", &serde_json::to_string_pretty(schema).unwrap_or_default()));
    }
    rows.retain(|row| !row.text.trim().is_empty());
    rows
}

fn section(name: &str, text: &str) -> SectionRow {
    let tokens = context::estimate(text);
    SectionRow { name: name.to_owned(), text: text.chars().take(MAX_SECTION_CHARS).collect(), tokens }
}

/// Texts between a tag alone on its line and the one that closes it. Nothing inside can look like the closing one.
fn parts(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open: Option<(String, Vec<&str>)> = None;
    for line in text.lines() {
        open = match open {
            Some((name, lines)) if line == format!("</{name}>") => {
                found.push((name, lines.join("\n")));
                None
            }
            Some((name, mut lines)) => {
                lines.push(line);
                Some((name, lines))
            }
            None => opening(line).map(|name| (name.to_owned(), Vec::new())),
        };
    }
    found
}

/// The name of the section that a line opens.
pub(super) fn opening(line: &str) -> Option<&str> {
    let name = line.strip_prefix('<')?.strip_suffix('>')?;
    let plain = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    (!name.is_empty() && name.chars().all(plain)).then_some(name)
}

/// Whether an event is about a stage, its calls or its pauses.
fn is_of(event: &Event, id: &StageId, pauses: &BTreeSet<PauseId>) -> bool {
    match event {
        Event::StageStarted { stage, .. }
        | Event::StagePlanned { stage, .. }
        | Event::StageCompleted { stage, .. }
        | Event::StageFailed { stage, .. }
        | Event::StageSkipped { stage, .. }
        | Event::PauseRequested { stage, .. }
        | Event::Edited { stage, .. }
        | Event::Amended { stage, .. }
        | Event::BudgetExceeded { stage, .. }
        | Event::ContextHandoffRequested { stage, .. }
        | Event::ContextHandoffApproved { stage, .. }
        | Event::RunFailed { stage, .. }
        | Event::RunRetried { stage } => stage == id,
        Event::CallPrepared { key, .. }
        | Event::CallReused { key, .. }
        | Event::ModelCallRequested { key, .. }
        | Event::ModelCallAccepted { key, .. }
        | Event::ModelCallDrafted { key, .. }
        | Event::ModelCallCompleted { key, .. }
        | Event::ModelCallFailed { key, .. }
        | Event::ToolCallRequested { key, .. }
        | Event::ToolCallCompleted { key, .. }
        | Event::ToolCallFailed { key, .. }
        | Event::CallNeedsPermission { key, .. }
        | Event::ModelCallWithheld { key, .. }
        | Event::TimerSet { key, .. }
        | Event::TimerFired { key }
        | Event::ChildRunStarted { key, .. }
        | Event::ChildRunFinished { key, .. }
        | Event::OutcomeUnknown { key, .. } => &key.stage == id,
        Event::PauseFormatted { pause, .. } | Event::Resumed { pause, .. } => pauses.contains(pause),
        Event::RunStarted { .. }
        | Event::FollowupContextLoaded { .. }
        | Event::GuidanceQueued { .. }
        | Event::Repinned { .. }
        | Event::BudgetSet { .. }
        | Event::RepairStarted { .. }
        | Event::RepairEnded { .. }
        | Event::CancelRequested
        | Event::Suspended
        | Event::Continued
        | Event::RunCompleted
        | Event::RunCancelled => false,
    }
}
