//! From a turn's state and steps to what surfaces are told.

use dialogue::{
    End, Entry, ExecutionPhase, Origin, State, Status, ToolCall, ToolEnd, Verdict, bound_in_words,
};
use domain::{Digest, Problem, Ruling, Show, UserMessage};
use engine_types::{
    Approval, PlanState, PlanView, StageRef, StepKind, StepStatus, TurnHead, TurnStatus, TurnStep,
};
use llm::ModelAnswer;

use super::arguments::arguments;
use super::calls::asked;
use super::journal::Journal;
use super::pinned::Pinned;
use super::steps::{Kind, NoticeText, Step};
use super::text::line_of;
use crate::core::blobs::Blobs;

/// The most bytes of thinking that a step shows.
const THINKING_BYTES: usize = 20_000;

/// What a surface sees of a turn besides its steps.
pub(super) async fn head(journal: &mut Journal, pinned: &Pinned, live: bool) -> Result<TurnHead, Problem> {
    let state = &journal.state;
    let status = status(state, live);
    let doing = doing(state, journal.view.steps.is_compacting(), status, pinned);
    let interrupted =
        if status == TurnStatus::Interrupted { state.lost_reserve() } else { domain::Reserve::default() };
    let start = state.start.as_ref();
    let mut notes = [&pinned.notes[..], &state.notes].concat();
    let mut problem = None;
    match &state.end {
        Some(End::Bounded { bound }) => {
            notes.push(format!("It ended before the model was done: {}.", bound_in_words(bound)));
            notes.extend(state.limit.as_ref().map(domain::LimitReached::advice));
        }
        Some(End::Failed { problem: why }) => problem = Some(why.clone()),
        Some(End::Answered | End::Handed | End::Stopped) | None => {}
    }
    let head = TurnHead {
        run: journal.run.clone(),
        session: start.map(|start| start.session.clone()).unwrap_or_else(|| domain::SessionId(String::new())),
        previous: start.and_then(|start| start.previous.clone()),
        of: start.and_then(|start| match &start.origin {
            Origin::Stage { run, stage } => Some(StageRef { run: run.clone(), stage: stage.clone() }),
            Origin::Person | Origin::Compaction | Origin::Plan(_) => None,
        }),
        seq: journal.committed(),
        started_at: start.map_or(0, |start| start.at),
        status,
        incomplete: state.end.as_ref().is_some_and(End::is_none),
        doing,
        since: journal.view.steps.since(),
        agent: start.and_then(|start| start.agent.as_ref()).map(|slug| slug.0.clone()).unwrap_or_default(),
        mode: state.mode,
        connection: pinned.connection.clone(),
        model: pinned.model.clone(),
        answer: None,
        notes,
        plan: plan(state),
        problem,
        usage: state.usage,
        cost: state.cost,
        equivalent: state.equivalent,
        doubtful: state.doubtful.cost + interrupted.cost,
        active_ms: state.active_ms,
        context: state.context,
        window: pinned.model_info.context_window,
        tool_calls: state.tool_calls_made,
    };
    let answer = match state.answer.filter(|_| state.end != Some(End::Handed)) {
        Some(answer) => Some(journal.blobs.text(answer).await?),
        None => None,
    };
    Ok(TurnHead { answer, ..head })
}

/// The turn's line in lists.
pub(super) async fn line(journal: &mut Journal, pinned: &Pinned) -> Result<String, Problem> {
    const MAX_LINE_CHARS: usize = 160;
    let state = &journal.state;
    if let Some(End::Failed { problem }) = &state.end {
        return Ok(line_of(&problem.message, MAX_LINE_CHARS));
    }
    if let Some(plan) = plan(state) {
        return Ok(line_of(&format!("Plan: {}", plan.title), MAX_LINE_CHARS));
    }
    if let Some(answer) = state.answer.filter(|_| !matches!(state.end, None | Some(End::Handed))) {
        return Ok(line_of(&journal.blobs.text(answer).await?, MAX_LINE_CHARS));
    }
    Ok(match &state.end {
        Some(End::Stopped) => "Stopped".to_owned(),
        Some(_) => "Done".to_owned(),
        None => line_of(
            &doing(state, journal.view.steps.is_compacting(), status(state, true), pinned),
            MAX_LINE_CHARS,
        ),
    })
}

fn status(state: &State, live: bool) -> TurnStatus {
    match state.status() {
        Status::Waiting => TurnStatus::Waiting,
        Status::Completed => TurnStatus::Completed,
        Status::Stopped => TurnStatus::Stopped,
        Status::Failed => TurnStatus::Failed,
        Status::Suspended => TurnStatus::Interrupted,
        Status::Empty | Status::Running if live => TurnStatus::Running,
        Status::Empty | Status::Running => TurnStatus::Interrupted,
    }
}

fn doing(state: &State, compacting: bool, status: TurnStatus, pinned: &Pinned) -> String {
    let open = || state.tools.values().filter(|call| call.end.is_none());
    let named = |call: &ToolCall| match call.intent.is_empty() {
        true => {
            pinned.tool(&call.asked.tool).map_or_else(|| call.asked.tool.clone(), |tool| tool.title.clone())
        }
        false => call.intent.clone(),
    };
    match status {
        TurnStatus::Completed | TurnStatus::Failed | TurnStatus::Stopped => return String::new(),
        TurnStatus::Interrupted => return "Interrupted; it can be continued".to_owned(),
        TurnStatus::Waiting => {
            return match open().find(|call| is_asking(call)) {
                Some(call) if call.question.is_some() => "Waiting for your answer".to_owned(),
                Some(call) => format!("Waiting for your permission: {}", named(call)),
                None => "Waiting for you".to_owned(),
            };
        }
        TurnStatus::Running => {}
    }
    if state.stopping {
        return "Stopping".to_owned();
    }
    let started: Vec<&ToolCall> = open().filter(|call| call.started).collect();
    match started.as_slice() {
        [] => {}
        [one] => return named(one),
        many => return format!("Running {} tools", many.len()),
    }
    if let Some(call) = state.model_calls.values().find(|call| call.waits.is_some()) {
        let why = call.problem.as_ref().map(|problem| problem.message.clone()).unwrap_or_default();
        return format!("Waiting to try again: {why}");
    }
    match (compacting, state.phase) {
        (true, _) => "Compacting the conversation".to_owned(),
        (false, ExecutionPhase::Response) => "Asking the model for its answer".to_owned(),
        (false, ExecutionPhase::Execution) => "Asking the model".to_owned(),
    }
}

/// Whether the person is asked for something.
fn is_asking(call: &ToolCall) -> bool {
    call.is_asking() || call.is_questioning()
}

pub(super) fn plan(state: &State) -> Option<PlanView> {
    if state.end != Some(End::Handed) {
        return None;
    }
    if let Some(Origin::Plan(plan)) = state.start.as_ref().map(|start| &start.origin) {
        return Some(PlanView {
            title: plan.title.clone(),
            text: plan.text.clone(),
            path: plan.path.clone(),
            state: PlanState::Waiting,
        });
    }
    state.tools.values().flat_map(|call| &call.show).find_map(|show| {
        let Show::Plan { title, text, path } = show else { return None };
        Some(PlanView {
            title: title.clone(),
            text: text.clone(),
            path: path.clone(),
            state: PlanState::Waiting,
        })
    })
}

/// Steps with their texts.
pub(super) async fn steps(
    state: &State,
    blobs: &mut Blobs,
    pinned: &Pinned,
    steps: &[Step],
) -> Result<Vec<TurnStep>, Problem> {
    let mut out = Vec::with_capacity(steps.len());
    for step in steps {
        let (kind, status) = match &step.kind {
            Kind::Model { call, answer, shown, failed, unknown, stopped } => {
                let status = match (answer, state.end.is_some()) {
                    (Some(_), _) => StepStatus::Ok,
                    (None, _) if *stopped => StepStatus::Stopped,
                    (None, _) if *unknown => StepStatus::Unknown,
                    (None, _) if *failed => StepStatus::Failed,
                    (None, true) => StepStatus::Stopped,
                    (None, false) => StepStatus::Running,
                };
                (model(state, blobs, *call, *answer, *shown).await?, status)
            }
            Kind::Tool { call } => match state.tools.get(call) {
                Some(known) => (tool(state, call, known, blobs, pinned).await?, tool_status(known, state)),
                None => continue,
            },
            Kind::Steering { message } => {
                let message: UserMessage = blobs.json(*message).await?;
                (StepKind::Steering { message }, StepStatus::Ok)
            }
            Kind::Compaction { tokens, done } => match done {
                Some(done) => {
                    let kind = StepKind::Compaction {
                        summary: blobs.text(done.summary).await?,
                        before: done.before,
                        after: done.after,
                        by_model: done.by_model,
                    };
                    (kind, StepStatus::Ok)
                }
                None => {
                    let status = match &state.end {
                        Some(End::Stopped) => StepStatus::Stopped,
                        Some(_) => StepStatus::Failed,
                        None => StepStatus::Running,
                    };
                    let kind = StepKind::Compaction {
                        summary: String::new(),
                        before: *tokens,
                        after: 0,
                        by_model: true,
                    };
                    (kind, status)
                }
            },
            Kind::Notice { text } => {
                let text = match text {
                    NoticeText::Words(text) => text.clone(),
                    NoticeText::Blob(text) => blobs.text(*text).await?,
                };
                (StepKind::Notice { text }, StepStatus::Ok)
            }
        };
        let ms = if let Kind::Tool { call } = &step.kind {
            state.tools.get(call).map_or(0, |call| call.ms)
        } else {
            step.until.map_or(0, |until| until.saturating_sub(step.at))
        };
        out.push(TurnStep { id: step.id.clone(), parent: None, kind, status, at: step.at, ms });
    }
    Ok(out)
}

async fn model(
    state: &State,
    blobs: &mut Blobs,
    call: u32,
    answer: Option<Digest>,
    shown: Option<Digest>,
) -> Result<StepKind, Problem> {
    let Some(digest) = answer else {
        let text = match shown.filter(|_| !is_in_answer(state, call)) {
            Some(shown) => blobs.text(shown).await?,
            None => String::new(),
        };
        return Ok(StepKind::Model { thinking: String::new(), text });
    };
    let answer: ModelAnswer = blobs.json(digest).await?;
    // The answer of the turn stands in its head alone.
    let is_answer = state.end.is_some()
        && state.entries.iter().any(|entry| {
            matches!(entry, Entry::Answer { call: of, text, .. } if *of == call && text.is_some() && *text == state.answer)
        });
    let mut thinking = answer.thinking;
    thinking.truncate(thinking.floor_char_boundary(THINKING_BYTES));
    let text = if is_answer { String::new() } else { answer.text };
    Ok(StepKind::Model { thinking, text })
}

/// Whether what was read of a call stands at the beginning of the turn's answer or of a later beginning.
fn is_in_answer(state: &State, call: u32) -> bool {
    let is = |entry: &Entry| matches!(entry, Entry::Partial { call: of, .. } if *of == call);
    let stopped = state.model_calls.get(&call).and_then(|call| call.problem.as_ref());
    let stopped = stopped.is_some_and(|problem| problem.code == domain::ErrorCode::Cancelled);
    let Some(at) = state.entries.iter().position(is) else { return stopped };
    let text = match (&state.entries[at], state.entries.get(at + 1)) {
        (_, Some(Entry::Answer { text, .. })) => *text,
        (Entry::Partial { text, .. }, _) => Some(*text),
        _ => None,
    };
    state.end.is_some() && text.is_some() && text == state.answer
}

async fn tool(
    state: &State,
    id: &str,
    call: &ToolCall,
    blobs: &mut Blobs,
    pinned: &Pinned,
) -> Result<StepKind, Problem> {
    let known = pinned.tool(&call.asked.tool);
    let approval = match (&call.ruling, call.is_asking()) {
        (Some(Ruling::Ask { why, offers }), true) => Some(Box::new(Approval {
            why: why.clone(),
            preview: match call.preview {
                Some(preview) => blobs.json(preview).await?,
                None => domain::Preview::None,
            },
            arguments: arguments(asked(&state.entries, blobs, id).await?, pinned),
            offers: offers.clone(),
        })),
        _ => None,
    };
    let ruled = match (&call.verdict, &call.ruling) {
        (Some(Verdict::Allowed { scope, .. }), _) => Some(match scope {
            domain::GrantScope::Once => "allowed by you, once".to_owned(),
            domain::GrantScope::Session => "allowed by you for this session".to_owned(),
            domain::GrantScope::Workspace => "allowed by you for this workspace".to_owned(),
            domain::GrantScope::Always => "allowed by you, always".to_owned(),
        }),
        (Some(Verdict::Denied { reason }), _) if reason == domain::NOBODY => {
            Some("not allowed: nobody was there to be asked".to_owned())
        }
        (Some(Verdict::Denied { reason }), _) if reason.is_empty() => Some("denied by you".to_owned()),
        (Some(Verdict::Denied { reason }), _) => Some(format!("denied by you: {reason}")),
        (None, Some(Ruling::Allow { by, .. })) => Some(by.to_string()),
        (None, Some(Ruling::Deny { why, .. })) => Some(why.clone()),
        (None, Some(Ruling::Ask { .. }) | None) => None,
    };
    Ok(StepKind::Tool {
        tool: call.asked.tool.clone(),
        title: known.map_or_else(|| call.asked.tool.clone(), |tool| tool.title.clone()),
        source: known.map(|tool| tool.source.clone()).unwrap_or_default(),
        intent: call.intent.clone(),
        summary: call.summary.clone(),
        approval,
        question: call.question.clone().filter(|_| call.end.is_none() || call.answer.is_some()),
        answer: call.answer.clone(),
        ruled,
        adapted: call.asked.adapted.clone(),
        show: call.show.clone(),
    })
}

fn tool_status(call: &ToolCall, state: &State) -> StepStatus {
    match call.end {
        Some(ToolEnd::Ok) => StepStatus::Ok,
        Some(ToolEnd::Failed) => StepStatus::Failed,
        Some(ToolEnd::Denied) => StepStatus::Denied,
        Some(ToolEnd::Stopped) => StepStatus::Stopped,
        Some(ToolEnd::Unknown) => StepStatus::Unknown,
        None if state.end.is_some() => StepStatus::Stopped,
        None if is_asking(call) => StepStatus::Asking,
        None if call.started => StepStatus::Running,
        None => StepStatus::Queued,
    }
}
