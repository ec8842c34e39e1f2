//! A turn read from the log for a surface.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use dialogue::{Entry, Event};
use domain::{ErrorCode, Mode, Problem, RunId, Show};
use engine_types::{PlanState, StepDetail, StepKind, StepStatus, TurnView};
use llm::ModelAnswer;
use serde_json::Value;
use store::RunFilter;

use super::arguments::arguments;
use super::calls::asked;
use super::journal::{Journal, decode_turn};
use super::{KIND, show};
use crate::Engine;
use crate::core::problem::store as store_problem;

/// The most bytes of a result that are shown.
const MAX_SHOWN_BYTES: usize = 200_000;
/// Later runs of the session that are looked through for what became of a plan.
const LOOKED_AT: u32 = 200;

impl Engine {
    pub(super) async fn view_of(&self, run: &RunId) -> Result<TurnView, Problem> {
        // Asked before its log is read: a turn that ends in between was not interrupted.
        let live = self.turns().live.is_live(run);
        let mut loaded = self.load_turn(run).await?;
        let pinned = &loaded.pinned;
        let mut head = show::head(&mut loaded.journal, pinned, live).await?;
        if let Some(plan) = &mut head.plan {
            plan.state = self.became(run, &loaded.row.session).await?.unwrap_or(PlanState::Waiting);
        }
        let Journal { state, view, blobs, .. } = &mut loaded.journal;
        let all = view.steps.all().to_vec();
        let mut steps = show::steps(state, blobs, pinned, &all).await?;
        for step in steps.iter_mut().filter(|step| step.status == StepStatus::Running) {
            if let StepKind::Model { thinking, text } = &mut step.kind
                && let Some(said) = self.turns().streamed.text_of(run, &step.id)
            {
                (*thinking, *text) = (said.thinking, said.text);
            }
        }
        let message = match &state.start {
            Some(start) => blobs.json(start.message).await?,
            None => domain::UserMessage::default(),
        };
        Ok(TurnView { head, message, steps })
    }

    /// What the person did with a turn's plan: the mode of the turn that follows tells.
    async fn became(&self, run: &RunId, session: &str) -> Result<Option<PlanState>, Problem> {
        let store = &self.parts().store;
        let filter =
            RunFilter { session: Some(session.to_owned()), kind: KIND.to_owned(), ..RunFilter::default() };
        let page = store.list_runs(&filter, None, LOOKED_AT).await.map_err(store_problem)?;
        let next = page.runs.iter().find(|row| row.previous_run.as_deref() == Some(run.as_str()));
        let Some(next) = next else { return Ok(None) };
        let first = store.load_events_from(&next.id, 0, 1).await.map_err(store_problem)?;
        let records = decode_turn(&first)?;
        Ok(records.first().and_then(|record| match &record.event {
            Event::TurnStarted { mode: Mode::Safe, .. } => Some(PlanState::Refined),
            Event::TurnStarted { .. } => Some(PlanState::Accepted),
            _ => None,
        }))
    }

    pub(super) async fn step_of(&self, run: &RunId, step: &str) -> Result<StepDetail, Problem> {
        let loaded = self.load_turn(run).await?;
        let Journal { state, mut blobs, .. } = loaded.journal;
        let missing = || Problem::new(ErrorCode::NotFound, format!("turn {run} has no step {step}"));
        let mut detail = StepDetail {
            id: step.to_owned(),
            arguments: Value::Null,
            result: String::new(),
            bytes: 0,
            blobs: BTreeMap::new(),
        };
        let Some(call) = state.tools.get(step) else {
            let number: u32 = step.strip_prefix('m').and_then(|n| n.parse().ok()).ok_or_else(missing)?;
            let answer = state.entries.iter().find_map(|entry| {
                let Entry::Answer { call, answer, .. } = entry else { return None };
                (*call == number).then_some(*answer)
            });
            let answer: ModelAnswer = blobs.json(answer.ok_or_else(missing)?).await?;
            detail.result = if answer.thinking.is_empty() { answer.text } else { answer.thinking };
            detail.bytes = detail.result.len() as u64;
            cut(&mut detail.result);
            return Ok(detail);
        };
        detail.arguments = arguments(asked(&state.entries, &mut blobs, step).await?, &loaded.pinned);
        if let Some(result) = call.result {
            detail.result = blobs.text(result).await?;
            detail.bytes = detail.result.len() as u64;
            cut(&mut detail.result);
        }
        for show in &call.show {
            match show {
                Show::Change { before, after, .. } => {
                    for digest in [before, after].into_iter().flatten() {
                        detail.blobs.insert(digest.to_string(), blobs.text(*digest).await?);
                    }
                }
                Show::Media { data, .. } => {
                    let bytes = blobs.get(*data).await?;
                    detail.blobs.insert(data.to_string(), BASE64_STANDARD.encode(&*bytes));
                }
                Show::Tasks { .. } | Show::Plan { .. } | Show::Background { .. } | Show::Value { .. } => {}
            }
        }
        Ok(detail)
    }
}

fn cut(text: &mut String) {
    if text.len() > MAX_SHOWN_BYTES {
        text.truncate(text.floor_char_boundary(MAX_SHOWN_BYTES));
    }
}
