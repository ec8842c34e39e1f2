//! The part of the fold that is about calls: issuing, ending, reservations, doubt, money.

use domain::agent::OnAmbiguous;
use domain::{Digest, ErrorCode, NanoUsd, Problem, Reserve, StageId, Usage};

use crate::event::{Answer, CallKey, PlannedCall, invalid_answer};
use crate::fold::Why;
use crate::state::{Call, CallStatus, Phase, State};

/// How often a model is shown the validator's errors and asked again.
const ANSWER_RETRIES: usize = 1;

impl State {
    pub(crate) fn plan_wave(
        &mut self,
        stage: &StageId,
        attempt: u32,
        wave: u32,
        calls: &[PlannedCall],
    ) -> Result<(), Why> {
        let index = self.index(stage).ok_or(Why("there is no such stage"))?;
        let (node, state) = (&self.graph.nodes[index], &mut self.stages[index]);
        if state.phase != Phase::Running || state.attempt != attempt || state.waves != wave {
            return Err(Why("the stage is not waiting for this wave"));
        }
        if wave >= node.waves() {
            return Err(Why("the stage has no such wave"));
        }
        if state.open_calls > 0 || state.failure.is_some() {
            return Err(Why("the wave before it has not ended well"));
        }
        let model = wave >= node.tool_waves;
        state.waves = wave + 1;
        state.open_calls = calls.len() as u32;
        for (item, planned) in calls.iter().enumerate() {
            let key = CallKey { stage: stage.clone(), attempt, wave, item: item as u32 };
            let call = Call {
                planned: planned.clone(),
                model,
                status: CallStatus::Planned,
                tries: 0,
                failures: 0,
                invalid: Vec::new(),
                answered: Vec::new(),
            };
            self.open.insert(key.clone());
            self.calls.insert(key, call);
        }
        Ok(())
    }

    pub(crate) fn prepare(&mut self, key: &CallKey, request: Digest, reserve: Reserve) -> Result<(), Why> {
        let call = self.calls.get_mut(key).ok_or(Why("there is no such call"))?;
        if call.status != CallStatus::Unprepared {
            return Err(Why("the call is not waiting to be prepared"));
        }
        call.planned.request = request;
        call.planned.reserve = reserve;
        call.status = CallStatus::Planned;
        Ok(())
    }

    /// Issues a call; `reserve` is given for model calls. What is issued must be what was planned, so that what is
    /// set aside now is what is given back at the end.
    pub(crate) fn request(
        &mut self,
        key: &CallKey,
        attempt: u32,
        request: Digest,
        reserve: Option<Reserve>,
    ) -> Result<(), Why> {
        if self.suspended {
            return Err(Why("the run is suspended"));
        }
        if !self.is_current(key) {
            return Err(Why("its stage is not running this attempt"));
        }
        let call = self.calls.get_mut(key).ok_or(Why("there is no such call"))?;
        if call.status != CallStatus::Planned || call.model != reserve.is_some() || attempt != call.tries + 1 {
            return Err(Why("the call is not waiting to be issued"));
        }
        if call.planned.request != request || reserve.is_some_and(|reserve| reserve != call.planned.reserve) {
            return Err(Why("it differs from what was planned"));
        }
        call.status = CallStatus::Requested;
        call.tries = attempt;
        self.in_flight.insert(key.clone());
        self.reserved = self.reserved + reserve.unwrap_or_default();
        Ok(())
    }

    pub(crate) fn answer_model(
        &mut self,
        key: &CallKey,
        attempt: u32,
        answer: &Answer,
        usage: Usage,
        cost: NanoUsd,
    ) -> Result<(), Why> {
        let awaited = self.ends(key, attempt, true)?;
        self.spend(key, attempt, usage, cost);
        let current = self.is_current(key);
        let Some(call) = self.calls.get_mut(key) else { return Ok(()) };
        call.answered.push(attempt);
        if !awaited {
            return Ok(()); // an answer to an attempt that was given up: it costs, and changes nothing
        }
        match answer {
            Answer::Valid { output } => self.end_call(key, CallStatus::Done(*output)),
            Answer::Invalid { text, errors } => {
                call.invalid.push((*text, errors.clone()));
                if current && call.invalid.len() <= ANSWER_RETRIES {
                    call.status = CallStatus::Unprepared;
                    self.release(key);
                } else {
                    self.end_call(key, CallStatus::Failed(invalid_answer(errors)));
                }
            }
        }
        Ok(())
    }

    pub(crate) fn answer_tool(&mut self, key: &CallKey, attempt: u32, output: Digest) -> Result<(), Why> {
        let awaited = self.ends(key, attempt, false)?;
        if let Some(call) = self.calls.get_mut(key) {
            call.answered.push(attempt);
        }
        if awaited {
            self.end_call(key, CallStatus::Done(output));
        }
        Ok(())
    }

    /// A failed try. `paid` is what a model's try is known to have cost.
    pub(crate) fn fail_call(
        &mut self,
        key: &CallKey,
        attempt: u32,
        problem: &Problem,
        retry_in: Option<u64>,
        paid: Option<(Usage, NanoUsd)>,
    ) -> Result<(), Why> {
        let awaited = self.ends(key, attempt, paid.is_some())?;
        if let Some((usage, cost)) = paid {
            self.spend(key, attempt, usage, cost);
        }
        if !awaited {
            return Ok(());
        }
        let current = self.is_current(key);
        let attempts = self.graph.node(&key.stage).map_or(1, |node| node.attempts);
        let Some(call) = self.calls.get_mut(key) else { return Ok(()) };
        let set_aside = call.planned.reserve;
        call.failures += 1;
        match retry_in {
            Some(ms) if current && call.failures < attempts => {
                call.status = if ms == 0 { CallStatus::Planned } else { CallStatus::Waiting(ms, false) };
                self.release(key);
            }
            _ => self.end_call(key, CallStatus::Failed(problem.clone())),
        }
        // Given up from this side: the other side may still finish it and charge for it.
        if let (Some((usage, cost)), ErrorCode::Deadline | ErrorCode::Cancelled) = (paid, problem.code) {
            self.doubt(key, attempt, less(set_aside, Reserve { cost, tokens: usage.total() }));
        }
        Ok(())
    }

    pub(crate) fn lose_call(&mut self, key: &CallKey, attempt: u32) -> Result<(), Why> {
        let call = self.calls.get(key).ok_or(Why("there is no such call"))?;
        if call.status != CallStatus::Requested || call.tries != attempt {
            return Err(Why("the call was not under way"));
        }
        let retries = self.graph.on_ambiguous == OnAmbiguous::Retry
            || self.start.as_ref().is_some_and(|start| start.retry_ambiguous);
        let (model, reserve) = (call.model, call.planned.reserve);
        // The standing permission is about paying twice; a tool with side effects is never issued again unasked.
        let again = call.planned.repeatable || (model && retries);
        if self.is_current(key) {
            self.release(key);
            if let Some(call) = self.calls.get_mut(key) {
                call.status = if again { CallStatus::Planned } else { CallStatus::Unknown };
            }
        } else {
            self.end_call(key, CallStatus::Unknown);
        }
        if model {
            self.doubt(key, attempt, reserve);
            self.maybe_paid_twice += 1;
        }
        Ok(())
    }

    pub(crate) fn set_timer(&mut self, key: &CallKey) -> Result<(), Why> {
        match self.calls.get_mut(key).map(|call| &mut call.status) {
            Some(CallStatus::Waiting(_, set)) => *set = true,
            _ => return Err(Why("the call does not wait")),
        }
        Ok(())
    }

    pub(crate) fn fire_timer(&mut self, key: &CallKey) -> Result<(), Why> {
        match self.calls.get_mut(key).map(|call| &mut call.status) {
            Some(status @ CallStatus::Waiting(..)) => *status = CallStatus::Planned,
            _ => return Err(Why("the call does not wait")),
        }
        Ok(())
    }

    /// Forgets calls of a stage that were not issued; those under way keep their reservation until they end.
    pub(crate) fn drop_planned(&mut self, stage: &StageId) {
        let in_flight = &self.in_flight;
        self.open.retain(|key| &key.stage != stage || in_flight.contains(key));
    }

    /// Whether a call belongs to what its stage is doing now.
    pub(crate) fn is_current(&self, key: &CallKey) -> bool {
        self.stage(&key.stage).is_some_and(|stage| stage.phase == Phase::Running && stage.attempt == key.attempt)
    }

    /// Whether the end of a try is awaited; an error when that try can't end (again).
    fn ends(&self, key: &CallKey, attempt: u32, model: bool) -> Result<bool, Why> {
        let call = self.calls.get(key).ok_or(Why("there is no such call"))?;
        if call.model != model || attempt == 0 || attempt > call.tries {
            return Err(Why("the call was not issued"));
        }
        if call.answered.contains(&attempt) {
            return Err(Why("that try has been answered already"));
        }
        Ok(attempt == call.tries && call.status == CallStatus::Requested)
    }

    /// Takes a call out of flight and gives back what was set aside for it.
    fn release(&mut self, key: &CallKey) {
        self.in_flight.remove(key);
        if let Some(call) = self.calls.get(key)
            && call.model
        {
            self.reserved = less(self.reserved, call.planned.reserve);
        }
    }

    fn end_call(&mut self, key: &CallKey, status: CallStatus) {
        self.open.remove(key);
        self.release(key);
        let current = self.is_current(key);
        let Some(call) = self.calls.get_mut(key) else { return };
        let optional = call.planned.optional;
        call.status = status;
        let CallStatus::Failed(problem) = &call.status else {
            if current {
                self.close_call(key, None);
            }
            return;
        };
        let problem = (!optional).then(|| problem.clone());
        if current {
            self.close_call(key, problem);
        }
    }

    fn close_call(&mut self, key: &CallKey, problem: Option<Problem>) {
        let Some(stage) = self.stage_mut(&key.stage) else { return };
        stage.open_calls = stage.open_calls.saturating_sub(1);
        if let Some(problem) = problem
            && stage.failure.as_ref().is_none_or(|(first, _)| key < first)
        {
            stage.failure = Some((key.clone(), problem));
        }
    }

    /// Books what a try cost, and ends the doubt about it.
    fn spend(&mut self, key: &CallKey, attempt: u32, usage: Usage, cost: NanoUsd) {
        if !self.doubts.is_empty()
            && let Some(doubt) = self.doubts.remove(&(key.clone(), attempt))
        {
            self.doubtful = less(self.doubtful, doubt);
        }
        self.usage += usage;
        self.cost += cost;
        if let Some(state) = self.stage_mut(&key.stage) {
            state.usage += usage;
            state.cost += cost;
        }
    }

    /// Keeps in mind the most that a try of unknown outcome may still cost.
    fn doubt(&mut self, key: &CallKey, attempt: u32, amount: Reserve) {
        self.doubtful = self.doubtful + amount;
        self.doubts.insert((key.clone(), attempt), amount);
    }
}

fn less(from: Reserve, amount: Reserve) -> Reserve {
    Reserve {
        cost: NanoUsd(from.cost.0.saturating_sub(amount.cost.0)),
        tokens: from.tokens.saturating_sub(amount.tokens),
    }
}
