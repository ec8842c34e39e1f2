//! What external effects gave, as events.

use std::time::Duration;

use domain::{Digest, ErrorCode, Problem, StageId};
use engine_types::UiKind;
use llm::ModelAnswer;
use pipeline::{Answer, CallKey, Event, Receipt};
use serde_json::Value;
use store::NewModelCall;

use super::Driver;
use crate::core::tools::ToolFailure;
use crate::run::call::{self, CallResult, ModelFailure, Outcome};
use crate::run::evaluate::Payload;
use crate::run::pinned::CallCost;
use crate::run::verdict::{self, Verdict};

impl Driver {
    pub(super) fn outcome(&mut self, outcome: Outcome) -> Result<(), Problem> {
        let Outcome { key, r#try, ms, waited, result } = outcome;
        self.journal.waited(waited);
        let failures = self.journal.state.calls.get(&key).map_or(0, |call| call.failures);
        match result {
            CallResult::Timer => {
                self.timers.remove(&key);
                if self.work.stop.is_cancelled() {
                    return Ok(());
                }
                self.journal.push(Event::TimerFired { key })
            }
            CallResult::Tool(Ok(value)) => {
                let output = self.keep(value)?;
                self.journal.push(Event::ToolCallCompleted { key, r#try, output, ms })
            }
            // Stopped by the person's stop, not by a fault of its own: it is issued again when the run is continued.
            CallResult::Tool(Err(failure))
                if failure.problem.code == ErrorCode::Cancelled && self.journal.state.is_suspended() =>
            {
                self.journal.push(Event::OutcomeUnknown { key, r#try, continues: false })
            }
            // Nobody knows what it did: a call that changes something is made again only when the person says so.
            CallResult::Tool(Err(failure)) if self.must_ask(&key, &failure) => {
                let (stage, text) = (key.stage.clone(), failure.problem.message);
                let _ = self.ui.send(self.event(UiKind::Progress { stage, text, done: 0, total: 0 }));
                self.journal.push(Event::OutcomeUnknown { key, r#try, continues: false })
            }
            CallResult::Tool(Err(failure)) => {
                let again = failure.retryable && !(failure.unsure && self.changes_something(&key));
                let retry_in = self.retry_in(&key, again.then_some(llm::Retry::After(None)), failures);
                self.tell_waiting(&key, retry_in, &failure.problem);
                self.journal.push(Event::ToolCallFailed { key, r#try, problem: failure.problem, retry_in })
            }
            CallResult::NeedsPermission(asks) => {
                let asks = serde_json::to_value(&*asks).map_err(crate::core::problem::internal)?;
                let asks = self.keep(asks)?;
                self.journal.push(Event::CallNeedsPermission { key, r#try, asks })
            }
            CallResult::Child(left) => self.child_left(key, r#try, *left),
            CallResult::Model(Ok(answer)) => self.answered(key, r#try, ms, answer),
            // What it was to fetch is not there: nobody knows what became of the earlier try.
            CallResult::Model(Err(failure)) if failure.gone => {
                let continues = self.continues(&key);
                self.lose(key, r#try, continues)
            }
            CallResult::Model(Err(failure)) => {
                let retry = match failure.stopped {
                    true if self.journal.state.is_suspended() => {
                        Some(llm::Retry::After(Some(Duration::ZERO)))
                    }
                    true => None,
                    false => Some(failure.retry),
                };
                let mut retry_in = self.retry_in(&key, retry, failures);
                let continues = retry_in.is_some() && self.continues(&key);
                // An answer that the provider goes on with is fetched or given up, not asked for at once again.
                if retry_in.is_none() && failure.kept.is_none() && !failure.stopped {
                    retry_in = self.begins_anew(&key);
                }
                self.tell_waiting(&key, retry_in, &failure.problem);
                let suspended = failure.stopped && self.journal.state.is_suspended();
                let fetched = suspended || self.journal.state.has_tries_left(&key);
                let kept = failure.kept.as_ref().filter(|_| retry_in.is_some() && fetched).cloned();
                if let (None, Some(id)) = (&kept, &failure.kept) {
                    self.end_kept(id.clone());
                }
                let (model, info) = self.asked(&key);
                // What the provider goes on with is booked when it is fetched.
                let usage = if kept.is_some() { domain::Usage::default() } else { failure.usage };
                let bill = self.pinned.call_cost(info, &usage, None);
                if failure.sent && kept.is_none() {
                    let model = model.to_owned();
                    self.spent(
                        &key,
                        NewModelCall { r#try, usage, failed: true, model, ms, ..cost_row(bill) },
                    );
                }
                let continues = continues && kept.is_none();
                let receipt = Receipt {
                    equivalent: bill.equivalent,
                    response_id: kept,
                    continues,
                    ..Receipt::default()
                };
                let ModelFailure { problem, .. } = failure;
                self.journal.push(Event::ModelCallFailed {
                    key,
                    r#try,
                    problem,
                    retry_in,
                    usage,
                    cost: bill.cost,
                    receipt,
                })
            }
        }
    }

    /// A call that was under way when the program ended, and that the provider goes on with: the next try fetches it.
    pub(super) fn left_going(&mut self, key: CallKey, r#try: u32, id: String) -> Result<(), Problem> {
        let cancelling = self.journal.state.is_cancelling();
        if cancelling {
            self.end_kept(id.clone());
        }
        let problem = Problem::new(
            ErrorCode::Cancelled,
            "the program ended while the provider worked on the answer; it is fetched by its id",
        );
        self.journal.push(Event::ModelCallFailed {
            key,
            r#try,
            problem,
            retry_in: (!cancelling).then_some(0),
            usage: domain::Usage::default(),
            cost: domain::NanoUsd::default(),
            receipt: Receipt { response_id: (!cancelling).then_some(id), ..Receipt::default() },
        })
    }

    /// Ends an answer at the provider that nobody wants any more.
    fn end_kept(&mut self, response_id: String) {
        if self.recording.is_none()
            && let Ok(provider) = self.parts.provider(&self.pinned.connection)
        {
            self.work.endings.spawn(call::end_kept(provider, response_id));
        }
    }

    fn changes_something(&self, key: &CallKey) -> bool {
        self.journal.state.calls.get(key).is_some_and(|call| !call.planned.repeatable)
    }

    /// Whether only the person can say how a call that broke off goes on. An optional one is a warning in any case.
    fn must_ask(&self, key: &CallKey, failure: &ToolFailure) -> bool {
        let optional = self.journal.state.calls.get(key).is_none_or(|call| call.planned.optional);
        failure.unsure && !optional && self.changes_something(key) && !self.journal.state.is_cancelling()
    }

    /// What an output that does not fit its stage's schema is told as.
    pub(super) fn unfit(&mut self, stage: &StageId, output: &Value) -> Result<Option<Problem>, Problem> {
        let mut validators = std::mem::take(&mut self.validators);
        let unfit = self.evaluate(|evaluation| evaluation.unfit(&mut validators, stage, output));
        self.validators = validators;
        unfit
    }

    /// A request that was answered: with something to use, something to correct, or nothing.
    fn answered(&mut self, key: CallKey, r#try: u32, ms: u64, answer: ModelAnswer) -> Result<(), Problem> {
        let max = match self.payloads.get(&key) {
            Some(Payload::Model(request)) => request.max_output_tokens,
            _ => u64::MAX,
        };
        let truncated = verdict::is_truncated(&answer, max);
        let (asked, info) = self.asked(&key);
        let asked = asked.to_owned();
        let bill = self.pinned.call_cost(info, &answer.usage, answer.reported_cost);
        let verdict = self.validate_answer(&key, &answer)?;
        let model = if answer.model.is_empty() { asked.clone() } else { answer.model.clone() };
        let receipt = Receipt {
            received: Some(self.received(&answer)?),
            request_id: answer.request_id.clone(),
            equivalent: bill.equivalent,
            ..Receipt::default()
        };
        let row = NewModelCall {
            r#try,
            model: undated(&model, &asked),
            usage: answer.usage,
            failed: verdict.is_err(),
            ms,
            request_id: answer.request_id.clone(),
            ..cost_row(bill)
        };
        self.spent(&key, row);
        let (usage, cost, retry_in) = (answer.usage, bill.cost, self.begins_anew(&key));
        match verdict {
            Ok(verdict) => self.journal.push(Event::ModelCallCompleted {
                key,
                r#try,
                answer: verdict,
                usage,
                cost,
                stop: verdict::word(answer.stop),
                model,
                response_id: answer.response_id,
                truncated,
                ms,
                receipt,
            }),
            Err(problem) => self.journal.push(Event::ModelCallFailed {
                key,
                r#try,
                problem,
                retry_in,
                usage,
                cost,
                receipt,
            }),
        }
    }

    /// Tells the store of a request that ended.
    pub(super) fn spent(&mut self, key: &CallKey, call: NewModelCall) {
        let pinned = &self.pinned;
        self.journal.spent(NewModelCall {
            at_ms: crate::core::ids::now_ms() as i64,
            stage: key.stage.to_string(),
            call: key.to_string(),
            connection: pinned.connection.clone(),
            provider: pinned.model_info.provider.clone(),
            ..call
        });
    }

    /// The model that a call asks, and what it can do and costs.
    pub(super) fn asked(&self, key: &CallKey) -> (&str, &llm::ModelInfo) {
        let own = self.pinned.stage(&key.stage).map(|stage| self.pinned.asks(stage));
        own.unwrap_or((&self.pinned.model, &self.pinned.model_info))
    }

    /// Keeps an answer as the provider gave it.
    fn received(&mut self, answer: &ModelAnswer) -> Result<Digest, Problem> {
        let value = serde_json::to_value(answer).map_err(crate::core::problem::internal)?;
        let bytes = domain::canonical(&value).into_bytes();
        let digest = Digest::of(&bytes);
        self.journal.blobs.add(digest, bytes)?;
        Ok(digest)
    }

    pub(super) fn retry_in(&self, key: &CallKey, retry: Option<llm::Retry>, failures: u32) -> Option<u64> {
        match retry? {
            llm::Retry::Never => None,
            llm::Retry::After(named) => Some(call::backoff(key, failures, failures, named)),
        }
    }

    /// When a call is made anew whose try went on from a draft and led to nothing: at once.
    fn begins_anew(&self, key: &CallKey) -> Option<u64> {
        let call = self.journal.state.calls.get(key).filter(|call| call.continues.is_some());
        call.map(|_| 0)
    }

    pub(super) fn tell_waiting(&self, key: &CallKey, retry_in: Option<u64>, problem: &Problem) {
        if let Some(ms) = retry_in {
            let kind = UiKind::Waiting { stage: key.stage.clone(), ms, problem: problem.clone() };
            let _ = self.ui.send(self.event(kind));
        }
    }

    /// Whether an answer satisfies its stage's schema. The value is kept; of an invalid answer, the raw text. An error
    /// within: no correction by the model could help.
    fn validate_answer(
        &mut self,
        key: &CallKey,
        answer: &ModelAnswer,
    ) -> Result<Result<Answer, Problem>, Problem> {
        let mut validators = std::mem::take(&mut self.validators);
        let verdict = self.evaluate(|evaluation| evaluation.verdict_of(&mut validators, key, answer));
        self.validators = validators;
        Ok(match verdict? {
            Verdict::Valid { value, left_out } => Ok(Answer::Valid { output: self.keep(value)?, left_out }),
            Verdict::Invalid { text, errors } => {
                Ok(Answer::Invalid { text: self.keep(Value::String(text))?, errors })
            }
            Verdict::Declined(problem) => Err(problem),
        })
    }
}

/// The model as it was asked for where what answered is the same with the day of its release: else one model would stand
/// under two names in every sum.
fn undated(answered: &str, asked: &str) -> String {
    let day = answered.strip_prefix(asked).and_then(|rest| rest.strip_prefix('-'));
    let digits = day.map(|day| day.bytes().filter(|byte| *byte != b'-').collect::<Vec<u8>>());
    let dated = digits.is_some_and(|digits| digits.len() == 8 && digits.iter().all(u8::is_ascii_digit));
    if dated { asked.to_owned() } else { answered.to_owned() }
}

/// The money of a row.
pub(super) fn cost_row(bill: CallCost) -> NewModelCall {
    NewModelCall {
        cost: bill.cost + bill.equivalent,
        equivalent: bill.flat,
        unpriced: bill.unpriced,
        ..NewModelCall::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_has_one_name_whatever_day_its_provider_appends() {
        for dated in ["m-5", "m-5-20261020", "m-5-2026-10-20"] {
            assert_eq!(undated(dated, "m-5"), "m-5");
        }
        for other in ["m-5-mini", "m-5-2026", "m-6", "m-5x20261020", ""] {
            assert_eq!(undated(other, "m-5"), other);
        }
    }
}
