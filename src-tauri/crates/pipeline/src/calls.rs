//! The part of the fold that is about calls: issuing, ending, reservations, doubt, money.

use domain::agent::OnAmbiguous;
use domain::{Digest, ErrorCode, LimitReached, NanoUsd, Problem, Reserve, RunId, StageId, Usage};

use crate::conversation::ConversationFill;
use crate::event::{Answer, CallKey, ChildEnd, Cut, PlannedCall, Receipt, ReusedCall};
use crate::fold::IllegalReason;
use crate::state::{Call, CallStatus, ChildUsage, Phase, State};

/// How often a model is shown the validator's errors and asked again.
const ANSWER_RETRIES: usize = 1;

const NO_CALL: IllegalReason = IllegalReason("there is no such call");
const NOTHING_KEPT: IllegalReason = IllegalReason("nothing is kept that an answer could go on from");
const NOT_THE_CHILD: IllegalReason = IllegalReason("that child run does not carry it out");

/// What becomes of a call when one of its tries ends.
enum Next {
    /// It was not waited for.
    Nothing,
    /// It is open still.
    Again,
    /// It is over; with a problem that its stage fails of.
    Ended(Option<Problem>),
}

impl Call {
    /// Whether the end of a try is awaited; an error when that try can't end (again).
    fn ends(&self, attempt: u32, model: bool) -> Result<bool, IllegalReason> {
        if self.model != model || attempt == 0 || attempt > self.tries {
            return Err(IllegalReason("the call was not issued"));
        }
        if self.answered.contains(&attempt) {
            return Err(IllegalReason("that try has been answered already"));
        }
        Ok(attempt == self.tries && self.status == CallStatus::Requested)
    }

    /// Waits for what its child run needs to go on. The problem, where it can never have it.
    fn falls_short(
        &mut self,
        needed: Reserve,
        out_of_time: bool,
        used: Reserve,
        idle: bool,
    ) -> Option<Problem> {
        // One that did nothing with enough would ask for the same for ever.
        let in_vain = idle && self.held.covers(needed);
        if !out_of_time && (!self.planned.reserve.less(used).covers(needed) || in_vain) {
            let what = format!(
                "the child run needs {} tokens or ${:.4} for its next call, more than it may use",
                needed.tokens,
                needed.cost.usd()
            );
            return Some(Problem::new(ErrorCode::Budget, what).with_action(
                "raise the stage's childBudget, or the budget of the agent that it runs, and start again",
            ));
        }
        if !out_of_time {
            self.planned.least = needed;
        }
        self.status = CallStatus::Planned;
        None
    }

    /// Ends without a result; the problem, unless its stage can do without it.
    fn fail(&mut self, problem: Problem) -> Option<Problem> {
        let fatal = (!self.planned.optional).then(|| problem.clone());
        self.status = CallStatus::Failed(problem);
        fatal
    }
}

impl State {
    pub(crate) fn plan_wave(
        &mut self,
        stage: &StageId,
        attempt: u32,
        wave: u32,
        calls: &[PlannedCall],
        cut: &Cut,
    ) -> Result<(), IllegalReason> {
        let index = self.index(stage).ok_or(IllegalReason("there is no such stage"))?;
        let (node, state) = (&self.graph.nodes[index], &mut self.stages[index]);
        if state.phase != Phase::Running || state.attempt != attempt || state.waves != wave {
            return Err(IllegalReason("the stage is not waiting for this wave"));
        }
        if wave >= node.waves() + u32::from(state.hands_over()) {
            return Err(IllegalReason("the stage has no such wave"));
        }
        if state.open_calls > 0 || state.failure.is_some() {
            return Err(IllegalReason("the wave before it has not ended well"));
        }
        let model = wave >= node.tool_waves;
        let is_child = model && node.child.is_some();
        state.waves = wave + 1;
        if !cut.is_empty() {
            state.cuts.insert(wave, cut.clone());
        }
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
                truncated: false,
                left_out: Vec::new(),
                reused: None,
                asks: None,
                permitted: false,
                is_child,
                child: None,
                children: Vec::new(),
                response_id: None,
                draft: None,
                continues: None,
                is_stale: false,
                said: None,
                fill: ConversationFill::default(),
                answered: Vec::new(),
                held: Reserve::default(),
            };
            self.calls.insert(key, call);
        }
        Ok(())
    }

    /// Takes over what a call of the base run gave.
    pub(crate) fn reuse(
        &mut self,
        key: &CallKey,
        output: Digest,
        from: &ReusedCall,
    ) -> Result<(), IllegalReason> {
        if self.start.as_ref().is_none_or(|start| start.base.is_none()) {
            return Err(IllegalReason("the run repeats no other"));
        }
        if !self.is_current(key) {
            return Err(IllegalReason("its stage is not running this attempt"));
        }
        let call = self.calls.get_mut(key).ok_or(NO_CALL)?;
        if call.status != CallStatus::Planned || call.tries > 0 {
            return Err(IllegalReason("the call was issued already"));
        }
        call.status = CallStatus::Done(output);
        call.reused = Some(from.clone());
        self.land(key, Reserve::default(), Next::Ended(None));
        Ok(())
    }

    pub(crate) fn prepare(
        &mut self,
        key: &CallKey,
        request: Digest,
        reserve: Reserve,
    ) -> Result<(), IllegalReason> {
        let call = self.calls.get_mut(key).ok_or(NO_CALL)?;
        if call.status != CallStatus::Unprepared {
            return Err(IllegalReason("the call is not waiting to be prepared"));
        }
        call.planned.request = request;
        call.planned.reserve = reserve;
        call.is_stale = false;
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
    ) -> Result<(), IllegalReason> {
        if self.suspended {
            return Err(IllegalReason("the run is suspended"));
        }
        if !self.is_current(key) {
            return Err(IllegalReason("its stage is not running this attempt"));
        }
        let call = self.calls.get_mut(key).ok_or(NO_CALL)?;
        if call.status != CallStatus::Planned || call.model != reserve.is_some() || attempt != call.tries + 1
        {
            return Err(IllegalReason("the call is not waiting to be issued"));
        }
        let fits = |reserve: Reserve| {
            let planned = call.planned.reserve;
            reserve == planned
                || call.is_child && reserve.cost <= planned.cost && reserve.tokens <= planned.tokens
        };
        if call.planned.request != request || !reserve.is_none_or(fits) {
            return Err(IllegalReason("it differs from what was planned"));
        }
        call.status = CallStatus::Requested;
        call.held = reserve.unwrap_or_default();
        call.tries = attempt;
        self.in_flight.insert(key.clone());
        self.reserved = self.reserved + reserve.unwrap_or_default();
        Ok(())
    }

    /// The provider goes on with a call under an id.
    pub(crate) fn accept_call(
        &mut self,
        key: &CallKey,
        attempt: u32,
        response_id: &str,
    ) -> Result<(), IllegalReason> {
        let call = self.calls.get_mut(key).ok_or(NO_CALL)?;
        if call.status != CallStatus::Requested || call.tries != attempt || !call.model || call.is_child {
            return Err(IllegalReason("the call is not under way"));
        }
        call.response_id = Some(response_id.to_owned());
        Ok(())
    }

    /// Whether a call of a running stage that fails now is tried again.
    pub fn has_tries_left(&self, key: &CallKey) -> bool {
        let attempts = self.graph.node(&key.stage).map_or(1, |node| node.attempts);
        self.is_current(key) && self.calls.get(key).is_some_and(|call| call.failures + 1 < attempts)
    }

    pub(crate) fn answer_model(
        &mut self,
        key: &CallKey,
        attempt: u32,
        answer: &Answer,
        usage: Usage,
        cost: NanoUsd,
    ) -> Result<(), IllegalReason> {
        let current = self.is_current(key);
        let call = self.calls.get_mut(key).ok_or(NO_CALL)?;
        if call.is_child {
            return Err(IllegalReason("a child run carries it out"));
        }
        let awaited = call.ends(attempt, true)?;
        call.answered.push(attempt);
        if awaited {
            call.response_id = None;
            call.draft = None;
        }
        let reserve = call.held;
        let mut next = Next::Nothing;
        match answer {
            _ if !awaited => {} // an answer to an attempt that was given up: it costs, and changes nothing
            Answer::Valid { output, left_out } => {
                call.status = CallStatus::Done(*output);
                call.left_out.clone_from(left_out);
                next = Next::Ended(None);
            }
            // What was made of a draft and its continuation is no answer of the model that it could correct.
            Answer::Invalid { .. } if current && call.continues.is_some() => {
                call.begin_again(false);
                call.status = CallStatus::Unprepared;
                next = Next::Again;
            }
            Answer::Invalid { text, errors } => {
                call.invalid.push((*text, errors.clone()));
                next = if current && call.invalid.len() <= ANSWER_RETRIES {
                    call.status = CallStatus::Unprepared;
                    Next::Again
                } else {
                    Next::Ended(call.fail(invalid_answer(errors)))
                };
            }
        }
        self.spend(key, attempt, usage, cost);
        self.land(key, reserve, next);
        Ok(())
    }

    pub(crate) fn answer_tool(
        &mut self,
        key: &CallKey,
        attempt: u32,
        output: Digest,
    ) -> Result<(), IllegalReason> {
        let call = self.calls.get_mut(key).ok_or(NO_CALL)?;
        let awaited = call.ends(attempt, false)?;
        call.answered.push(attempt);
        if awaited {
            call.status = CallStatus::Done(output);
            self.land(key, Reserve::default(), Next::Ended(None));
        }
        Ok(())
    }

    /// A tool call was not made: it needs the person's permission.
    pub(crate) fn hold(&mut self, key: &CallKey, attempt: u32, asks: Digest) -> Result<(), IllegalReason> {
        let call = self.calls.get_mut(key).ok_or(NO_CALL)?;
        if call.permitted {
            return Err(IllegalReason("the person allowed it already"));
        }
        if !call.ends(attempt, false)? {
            return Err(IllegalReason("that try is not awaited"));
        }
        call.answered.push(attempt);
        call.status = CallStatus::Unpermitted;
        call.asks = Some(asks);
        self.land(key, Reserve::default(), Next::Again);
        Ok(())
    }

    /// A limit on money forbids a call that was requested: it waits to be issued, as before.
    pub(crate) fn withhold_call(
        &mut self,
        key: &CallKey,
        attempt: u32,
        limit: &LimitReached,
    ) -> Result<(), IllegalReason> {
        let call = self.calls.get_mut(key).ok_or(NO_CALL)?;
        // The turn that carries it out stands still already.
        let stands = call.is_child && call.tries == attempt && call.status == CallStatus::Planned;
        if !stands && (call.is_child || !call.ends(attempt, true)?) {
            return Err(IllegalReason("that try is not awaited"));
        }
        if !stands {
            call.status = CallStatus::Planned;
            call.tries -= 1;
            let reserve = std::mem::take(&mut call.held);
            self.land(key, reserve, Next::Again);
        }
        // Until a call that is under way has ended, else until the user raises the limit.
        self.withheld = Some((limit.clone(), self.in_flight.is_empty()));
        Ok(())
    }

    /// Money that is set aside for calls of models under way; what child runs set aside is their own.
    pub fn set_aside(&self) -> NanoUsd {
        let own = self.in_flight().filter(|(_, call)| call.model && !call.is_child);
        own.map(|(_, call)| call.held.cost).sum()
    }

    /// The limit on money that keeps calls of models from being made.
    pub fn withheld(&self) -> Option<&LimitReached> {
        self.withheld.as_ref().map(|(limit, _)| limit)
    }

    /// Allows the calls that a wave asked permission for, or ends them.
    pub(crate) fn settle_permission(&mut self, stage: &StageId, attempt: u32, wave: u32, allowed: bool) {
        let held: Vec<CallKey> = self
            .wave_calls(stage, attempt, wave)
            .filter(|(_, call)| call.status == CallStatus::Unpermitted)
            .map(|(key, _)| key.clone())
            .collect();
        for key in held {
            let Some(call) = self.calls.get_mut(&key) else { continue };
            if allowed {
                call.status = CallStatus::Planned;
                call.permitted = true;
                continue;
            }
            let problem = Problem::new(ErrorCode::Permission, "you did not allow it")
                .with_action("retry the run to be asked again, or allow it with a rule");
            let failure = call.fail(problem);
            self.land(&key, Reserve::default(), Next::Ended(failure));
        }
    }

    /// A failed try. `paid` is what a model's try is known to have cost. Where the provider goes on with a response and only
    /// this side broke off, that is no failure, and there is no doubt about what it costs. It is none either where a try went
    /// on from a draft and the next one begins anew.
    pub(crate) fn fail_call(
        &mut self,
        key: &CallKey,
        attempt: u32,
        problem: &Problem,
        retry_in: Option<u64>,
        paid: Option<(Usage, NanoUsd)>,
        receipt: &Receipt,
    ) -> Result<(), IllegalReason> {
        let current = self.is_current(key);
        let attempts = self.graph.node(&key.stage).map_or(1, |node| node.attempts);
        let call = self.calls.get_mut(key).ok_or(NO_CALL)?;
        if call.is_child {
            return Err(IllegalReason("a child run carries it out"));
        }
        if receipt.continues && !call.may_continue() {
            return Err(NOTHING_KEPT);
        }
        let awaited = call.ends(attempt, paid.is_some())?;
        let reserve = call.held;
        let mut next = Next::Nothing;
        let goes_on = receipt.response_id.as_deref();
        if awaited {
            let begins_anew = goes_on.is_none() && call.continues.is_some() && !receipt.continues;
            call.response_id = goes_on.map(str::to_owned);
            call.failures += u32::from(retry_in != Some(0) || goes_on.is_none() && !begins_anew);
            next = match retry_in {
                Some(ms) if current && call.failures < attempts => {
                    // The request of a response that is fetched stays as it is.
                    if goes_on.is_none() {
                        call.begin_again(receipt.continues);
                    }
                    match ms {
                        0 => call.await_issue(),
                        _ => call.status = CallStatus::Waiting(ms, false),
                    }
                    Next::Again
                }
                _ => Next::Ended(call.fail(problem.clone())),
            };
        }
        if let Some((usage, cost)) = paid {
            self.spend(key, attempt, usage, cost);
            // Given up from this side: the other side may still finish it and charge for it.
            if awaited
                && goes_on.is_none()
                && matches!(problem.code, ErrorCode::Deadline | ErrorCode::Cancelled)
            {
                self.doubt(key, attempt, reserve.less(Reserve { cost, tokens: usage.total() }));
            }
        }
        self.land(key, reserve, next);
        Ok(())
    }

    pub(crate) fn lose_call(
        &mut self,
        key: &CallKey,
        attempt: u32,
        continues: bool,
    ) -> Result<(), IllegalReason> {
        let current = self.is_current(key);
        let retries = self.graph.on_ambiguous == OnAmbiguous::Retry
            || self.start.as_ref().is_some_and(|start| start.retry_ambiguous);
        let call = self.calls.get_mut(key).ok_or(NO_CALL)?;
        if call.status != CallStatus::Requested || call.tries != attempt {
            return Err(IllegalReason("the call was not under way"));
        }
        if continues && !call.may_continue() {
            return Err(NOTHING_KEPT);
        }
        // The standing permission is about paying twice; a tool with side effects is never issued again unasked.
        // A child run has a log of its own: it goes on where it was.
        let again = current && (call.planned.repeatable || call.is_child || (call.model && retries));
        call.begin_again(continues);
        match again {
            true => call.await_issue(),
            false => call.status = CallStatus::Unknown,
        }
        call.response_id = None;
        let reserve = call.held;
        if call.model && !call.is_child {
            self.maybe_paid_twice += 1;
            self.doubt(key, attempt, reserve);
        }
        self.land(key, reserve, if current { Next::Again } else { Next::Ended(None) });
        Ok(())
    }

    /// A child run is about to carry out a call: the one before has to have left off.
    pub(crate) fn begin_child(&mut self, key: &CallKey, child: &RunId) -> Result<(), IllegalReason> {
        let call = self.calls.get_mut(key).ok_or(NO_CALL)?;
        if !call.is_child || call.status != CallStatus::Requested || call.child.is_some() {
            return Err(IllegalReason("it does not wait for a child run"));
        }
        call.child = Some(child.clone());
        if call.children.last() != Some(child) {
            call.children.push(child.clone());
        }
        Ok(())
    }

    /// A child run left off; what it used since it did so last is booked.
    pub(crate) fn end_child(
        &mut self,
        key: &CallKey,
        attempt: u32,
        child: &RunId,
        end: &ChildEnd,
        used: ChildUsage,
    ) -> Result<(), IllegalReason> {
        let call = self.calls.get_mut(key).ok_or(NO_CALL)?;
        if call.child.as_ref() != Some(child) {
            return Err(NOT_THE_CHILD);
        }
        if !call.ends(attempt, true)? {
            return Err(IllegalReason("that try is not awaited"));
        }
        call.answered.push(attempt);
        call.child = None;
        let reserve = call.held;
        let before = self.used.get(child).copied().unwrap_or_default();
        let next = match end {
            ChildEnd::Gated { output } => {
                call.status = CallStatus::Done(*output);
                Next::Ended(None)
            }
            ChildEnd::Asks { said } => {
                call.status = CallStatus::Asking;
                call.said = Some(*said);
                Next::Again
            }
            ChildEnd::Waits { form } => {
                call.status = CallStatus::Asking;
                call.said = Some(*form);
                Next::Again
            }
            ChildEnd::Interrupted => {
                call.status = CallStatus::Planned;
                Next::Again
            }
            ChildEnd::Short { needed, out_of_time } => {
                let idle = before.usage == used.usage && before.cost == used.cost;
                match call.falls_short(*needed, *out_of_time, used.amount(), idle) {
                    Some(problem) => Next::Ended(call.fail(problem)),
                    None => Next::Again,
                }
            }
            ChildEnd::Failed { problem } => Next::Ended(call.fail(problem.clone())),
        };
        // One whose log could not be read tells of nothing that it used.
        if used.usage.total() >= before.usage.total() {
            self.used.insert(child.clone(), used);
        }
        self.spend(
            key,
            attempt,
            used.usage.since(&before.usage),
            NanoUsd(used.cost.0.saturating_sub(before.cost.0)),
        );
        let equivalent = NanoUsd(used.equivalent.0.saturating_sub(before.equivalent.0));
        self.covered(key, &Receipt { equivalent, ..Receipt::default() });
        self.doubtful = self.doubtful + used.doubtful.less(before.doubtful);
        self.land(key, reserve, next);
        Ok(())
    }

    pub(crate) fn set_timer(&mut self, key: &CallKey) -> Result<(), IllegalReason> {
        match self.calls.get_mut(key).map(|call| &mut call.status) {
            Some(CallStatus::Waiting(_, set)) => *set = true,
            _ => return Err(IllegalReason("the call does not wait")),
        }
        Ok(())
    }

    pub(crate) fn fire_timer(&mut self, key: &CallKey) -> Result<(), IllegalReason> {
        match self.calls.get_mut(key) {
            Some(call) if matches!(call.status, CallStatus::Waiting(..)) => call.await_issue(),
            _ => return Err(IllegalReason("the call does not wait")),
        }
        Ok(())
    }

    /// Whether a call belongs to what its stage is doing now.
    pub(crate) fn is_current(&self, key: &CallKey) -> bool {
        self.stage(&key.stage)
            .is_some_and(|stage| stage.phase == Phase::Running && stage.attempt == key.attempt)
    }

    /// Takes a call out of flight, gives back what was set aside for it, and closes it where it has ended.
    fn land(&mut self, key: &CallKey, reserve: Reserve, next: Next) {
        if matches!(next, Next::Nothing) {
            return;
        }
        self.in_flight.remove(key);
        self.reserved = self.reserved.less(reserve);
        // What was set aside for it may be enough for another.
        self.withheld.take_if(|(_, alone)| !*alone);
        let Next::Ended(problem) = next else { return };
        let Some(stage) = self.stage_mut(&key.stage) else { return };
        if stage.phase != Phase::Running || stage.attempt != key.attempt {
            return;
        }
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
            self.doubtful = self.doubtful.less(doubt);
        }
        self.usage += usage;
        self.cost += cost;
        if let Some(state) = self.stage_mut(&key.stage) {
            state.usage += usage;
            state.cost += cost;
        }
    }

    /// Books what a flat rate paid for.
    pub(crate) fn covered(&mut self, key: &CallKey, receipt: &Receipt) {
        self.equivalent += receipt.equivalent;
        if let Some(state) = self.stage_mut(&key.stage) {
            state.equivalent += receipt.equivalent;
        }
    }

    /// Keeps in mind the most that a try of unknown outcome may still cost.
    fn doubt(&mut self, key: &CallKey, attempt: u32, amount: Reserve) {
        self.doubtful = self.doubtful + amount;
        self.doubts.insert((key.clone(), attempt), amount);
    }
}

/// The problem of an answer that stayed invalid.
fn invalid_answer(errors: &[String]) -> Problem {
    Problem::new(
        ErrorCode::InvalidAnswer,
        format!("the model's answer does not satisfy the stage's schema: {}", errors.join("; ")),
    )
    .with_action("retry the run; the raw answer is kept in the run's log")
}
