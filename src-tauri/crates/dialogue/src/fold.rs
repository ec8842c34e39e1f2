//! State as the fold of events. Folding a log from nothing gives the same state as having lived it.
//!
//! Every event is checked in full before anything is changed: a refused event leaves no trace.

use std::collections::BTreeSet;

use domain::{Digest, NanoUsd, Problem, Reserve, Ruling, Usage};

use crate::calls::{BEYOND, REPEATED, UNKNOWN, WITHDRAWN};
use crate::decide::{refused, too_long};
use crate::event::{EVENT_VERSION, End, Event, Origin, Purpose, Record, RequestedCall, Stop, ToolEnd};
use crate::state::{Compaction, Entry, ExecutionPhase, LastAnswer, ModelCall, Start, State, ToolCall};

/// Compactions in a row without an answer of the model, after which the turn fails.
const COMPACTIONS: u32 = 3;
/// The most notes on answers that a turn tells.
const MAX_NOTES: usize = 20;

/// An event that can't happen in the state that it met.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("event {seq} ({event}) can't happen here: {why}")]
pub struct IllegalEvent {
    /// Its number.
    pub seq: u64,
    /// Its name.
    pub event: String,
    /// Why.
    pub why: String,
}

type IllegalReason = &'static str;

const NO_CALL: IllegalReason = "there is no such call";
const OVER: IllegalReason = "the call has ended";

impl State {
    /// Takes an event in.
    ///
    /// # Errors
    /// When it can't happen now; the state is as before.
    pub fn apply(&mut self, record: &Record) -> Result<(), IllegalEvent> {
        let fitting = if record.seq != self.seq + 1 {
            Err("it is not the next in the log")
        } else if record.v > EVENT_VERSION {
            Err("it was written by a newer program")
        } else {
            self.apply_event(record)
        };
        fitting.map_err(|why| IllegalEvent {
            seq: record.seq,
            event: record.event.name().to_owned(),
            why: why.to_owned(),
        })?;
        self.seq = record.seq;
        self.active_ms = self.active_ms.saturating_add(record.active_ms);
        Ok(())
    }

    fn apply_event(&mut self, record: &Record) -> Result<(), IllegalReason> {
        let event = &record.event;
        #[expect(
            clippy::wildcard_enum_match_arm,
            reason = "what holds for all events; the match after it names each"
        )]
        match event {
            Event::TurnStarted { .. } => {
                return if self.start.is_none() {
                    self.begin(record)
                } else {
                    Err("the turn has begun already")
                };
            }
            _ if self.start.is_none() => return Err("the turn has not begun"),
            Event::ModelAnswered { call, usage, cost, equivalent, .. } if !self.is_open(*call) => {
                return self.settle_late(*call, *usage, *cost, *equivalent);
            }
            Event::ModelFailed { call, usage, cost, .. } if !self.is_open(*call) => {
                return self.settle_late(*call, *usage, *cost, NanoUsd::default());
            }
            Event::ToolModelEnded { call, answer, usage, cost, equivalent } => {
                return self.end_ask(call, *answer, *usage, *cost, *equivalent);
            }
            Event::Retried => return self.retry(),
            _ if self.end.is_some() => return Err("the turn has ended"),
            _ => {}
        }
        match event {
            Event::TurnStarted { .. } | Event::ToolModelEnded { .. } | Event::Retried => {}
            Event::Repinned { pinned } => self.pinned = Some(*pinned),
            Event::ModeChanged { mode } => {
                self.mode = *mode;
                self.judge_again();
            }
            Event::CompactionNeeded { .. } => {
                let due = [Purpose::Step, Purpose::Final, Purpose::Compact];
                if !due.into_iter().any(|purpose| self.is_due(purpose)) {
                    return Err("no call to the model is about to be made");
                }
                if self.loop_state.compaction == Compaction::None {
                    self.want_compaction();
                }
            }
            Event::ModelRequested { call, r#try, purpose, tools, request, reserve, tokens } => {
                if !self.is_due(*purpose) || self.next_call(*purpose) != (*call, *r#try) {
                    return Err("the model is not to be called now");
                }
                if *tools && *purpose != Purpose::Step {
                    return Err("no tools are offered any more");
                }
                if !self.affords(*purpose, *reserve) {
                    return Err("it could cost more than is left");
                }
                self.request(*call, *purpose, *request, *reserve, *tokens);
            }
            Event::TooDear { call, purpose, reserve } => {
                if !self.is_due(*purpose) || self.next_call(*purpose).0 != *call {
                    return Err("the model is not to be called now");
                }
                let lacking = self.lacks(*purpose, *reserve).ok_or("there is enough left for it")?;
                match purpose {
                    Purpose::Compact => self.loop_state.compaction = Compaction::ByCode,
                    Purpose::Step => self.loop_state.lacking = Some(lacking),
                    Purpose::Final => self.loop_state.spent = true,
                }
            }
            Event::ModelWithheld { call, limit } => {
                if !self.is_open(*call) {
                    return Err("the call is not under way");
                }
                let purpose = self.close(*call, false);
                if let Some(call) = self.model_calls.get_mut(call) {
                    call.tries = call.tries.saturating_sub(1);
                }
                self.limit = Some(limit.clone());
                let of_stage =
                    self.start.as_ref().is_some_and(|start| matches!(start.origin, Origin::Stage { .. }));
                match purpose {
                    // The stage's run asks whether the limit is raised.
                    Purpose::Step | Purpose::Final if of_stage => self.suspended = true,
                    Purpose::Compact => self.loop_state.compaction = Compaction::ByCode,
                    Purpose::Step => self.loop_state.lacking = Some("limit"),
                    Purpose::Final => self.loop_state.spent = true,
                }
            }
            Event::ModelAnswered {
                call, answer, text, stop, tools, usage, cost, equivalent, notes, ..
            } => {
                self.check_new(tools)?;
                for note in notes {
                    if self.notes.len() < MAX_NOTES && !self.notes.contains(note) {
                        self.notes.push(note.clone());
                    }
                }
                self.pay(*usage, *cost, *equivalent);
                let purpose = self.close(*call, true);
                self.answer(*call, purpose, *answer, *text, *stop, tools);
            }
            Event::ModelAccepted { call, response_id } => {
                if !self.is_open(*call) {
                    return Err("the call is not under way");
                }
                let call = self.model_calls.get_mut(call).ok_or(NO_CALL)?;
                call.response_id = Some(response_id.clone());
            }
            Event::ModelFailed { call, problem, retry_ms, too_long, shown, usage, cost, response_id } => {
                self.pay(*usage, *cost, NanoUsd::default());
                if let Some(text) = shown.filter(|_| self.stopping) {
                    // The text begins with what an earlier stop left of the same answer.
                    self.entries.pop_if(|entry| matches!(entry, Entry::Partial { .. }));
                    self.entries.push(Entry::Partial { call: *call, text });
                }
                if let Some(call) = self.model_calls.get_mut(call) {
                    call.response_id.clone_from(response_id);
                }
                self.fail(*call, problem, *retry_ms, *too_long);
            }
            Event::ModelUnknown { call } => {
                if !self.is_open(*call) {
                    return Err("the call is not under way");
                }
                let lost = self.model_calls.get_mut(call).ok_or(NO_CALL)?;
                lost.response_id = None;
                let reserve = lost.reserve;
                self.doubtful = self.doubtful + reserve;
                self.close(*call, false);
                self.owe(*call, reserve);
                self.take_steering();
            }
            Event::Waited { call } => {
                let call = self.model_calls.get_mut(call).ok_or(NO_CALL)?;
                call.waits.take().ok_or("the call does not wait")?;
            }
            Event::Compacted { summary, by_model, before, after, checkpoint } => {
                if self.loop_state.compaction == Compaction::None || self.open_model().is_some() {
                    return Err("nobody wants it in fewer words");
                }
                self.entries.push(Entry::Compacted {
                    summary: *summary,
                    by_model: *by_model,
                    before: *before,
                    after: *after,
                    checkpoint: *checkpoint,
                });
                self.context = *after;
                self.loop_state.compaction = Compaction::None;
                self.loop_state.compactions += 1;
                self.loop_state.last = None;
                self.loop_state.lacking = None;
                self.loop_state.spent = false;
                self.take_steering();
            }
            Event::Nudged { text } => {
                if !self.wants_nudge() && !self.is_due(Purpose::Final) {
                    return Err("there is nothing to tell the model");
                }
                if let Some(same) = self.loop_state.repeats.due.take() {
                    self.loop_state.repeats.told.insert(same);
                }
                self.entries.push(Entry::Nudge { text: *text });
                self.loop_state.last = None;
            }
            Event::ToolModelRequested { call, question, reserve } => {
                self.begin_ask(call, *question, *reserve)?;
            }
            Event::Steered { message } => {
                if !self.takes_steering() {
                    return Err("the turn takes no messages any more");
                }
                self.loop_state.repeats.row = None;
                self.loop_state.repeats.over = false;
                self.loop_state.steering.push(*message);
                if self.open_model().is_none() && self.loop_state.compaction == Compaction::None {
                    self.take_steering();
                }
            }
            Event::Responding { why } => {
                if self.phase == ExecutionPhase::Response || !self.is_settled() || self.stopping {
                    return Err("the turn answers already, or is not at that point");
                }
                self.phase = ExecutionPhase::Response;
                self.loop_state.why.clone_from(why);
            }
            Event::StopRequested => self.stopping = true,
            Event::Suspended => self.suspended = true,
            Event::Continued => {
                self.suspended = false;
                self.limit = None;
            }
            Event::TurnEnded { end, answer } => {
                if !self.is_settled() {
                    return Err("something is still under way");
                }
                if self.stopping != (*end == End::Stopped) {
                    return Err("the turn ends as stopped when the person stops it, and only then");
                }
                if *end == End::Answered && answer.is_none() {
                    return Err("there is no answer");
                }
                self.end = Some(end.clone());
                self.answer = *answer;
            }
            Event::ToolJudged { .. }
            | Event::ToolAnswered { .. }
            | Event::ToolStarted { .. }
            | Event::QuestionAsked { .. }
            | Event::QuestionAnswered { .. }
            | Event::ToolEnded { .. } => self.apply_tool(record)?,
        }
        Ok(())
    }

    fn apply_tool(&mut self, record: &Record) -> Result<(), IllegalReason> {
        let ending = self.stopping || self.loop_state.handed.is_some();
        match &record.event {
            Event::ToolJudged { call, ruling, preview, intent } => {
                let call = self.open_call(call)?;
                let decided = match call.ruling {
                    None => false,
                    Some(Ruling::Ask { .. }) => call.verdict.is_some(),
                    Some(Ruling::Allow { .. } | Ruling::Deny { .. }) => true,
                };
                if decided || call.started || call.barred.is_some() {
                    return Err("it is decided already");
                }
                call.ruling = Some(ruling.clone());
                call.preview = *preview;
                call.intent.clone_from(intent);
            }
            Event::ToolAnswered { call, verdict } => {
                let call = self.open_call(call)?;
                if ending || !call.is_asking() {
                    return Err("nobody is asked for permission any more");
                }
                call.verdict = Some(verdict.clone());
            }
            Event::ToolStarted { call } => {
                if !self.may_start(call) {
                    return Err("it is not to run now");
                }
                let call = self.open_call(call)?;
                call.started = true;
                call.started_at = Some(record.at);
            }
            Event::QuestionAsked { call, question } => {
                let call = self.open_call(call)?;
                if !call.is_running() {
                    return Err("it does not run");
                }
                call.question = Some(question.clone());
            }
            Event::QuestionAnswered { call, answer } => {
                let call = self.open_call(call)?;
                if ending || !call.is_questioning() {
                    return Err("nobody is asked any more");
                }
                call.answer = Some(answer.clone());
            }
            Event::ToolEnded { call: id, end, result, summary, show, ms, ends } => {
                let call = self.open_call(id)?;
                if !call.started && matches!(end, ToolEnd::Ok | ToolEnd::Unknown) {
                    return Err("it has not run");
                }
                if *ends && *end != ToolEnd::Ok {
                    return Err("a call that failed can't end the turn");
                }
                self.doubt_asks(id);
                let call = self.open_call(id)?;
                call.end = Some(*end);
                call.result = Some(*result);
                call.summary.clone_from(summary);
                call.show.clone_from(show);
                call.ms = *ms;
                if *ends && self.loop_state.handed.is_none() {
                    self.loop_state.handed = Some(*result);
                }
            }
            Event::TurnStarted { .. }
            | Event::Repinned { .. }
            | Event::ModeChanged { .. }
            | Event::CompactionNeeded { .. }
            | Event::ModelRequested { .. }
            | Event::TooDear { .. }
            | Event::ModelWithheld { .. }
            | Event::ModelAccepted { .. }
            | Event::ModelAnswered { .. }
            | Event::ModelFailed { .. }
            | Event::ModelUnknown { .. }
            | Event::Waited { .. }
            | Event::Compacted { .. }
            | Event::Nudged { .. }
            | Event::ToolModelRequested { .. }
            | Event::ToolModelEnded { .. }
            | Event::Steered { .. }
            | Event::Responding { .. }
            | Event::StopRequested
            | Event::Suspended
            | Event::Continued
            | Event::TurnEnded { .. }
            | Event::Retried => {}
        }
        Ok(())
    }

    fn begin(&mut self, record: &Record) -> Result<(), IllegalReason> {
        if let Event::TurnStarted { session, agent, origin, message, previous, pinned, mode, bounds } =
            &record.event
        {
            self.start = Some(Start {
                session: session.clone(),
                agent: agent.clone(),
                origin: origin.clone(),
                message: *message,
                previous: previous.clone(),
                bounds: *bounds,
                at: record.at,
            });
            self.pinned = Some(*pinned);
            self.mode = *mode;
            if *origin == Origin::Compaction {
                self.loop_state.compaction = Compaction::Wanted;
            }
        }
        Ok(())
    }

    fn is_open(&self, call: u32) -> bool {
        self.open_model() == Some(call)
    }

    fn open_call(&mut self, id: &str) -> Result<&mut ToolCall, IllegalReason> {
        let call = self.tools.get_mut(id).ok_or(NO_CALL)?;
        if call.end.is_some() { Err(OVER) } else { Ok(call) }
    }

    fn request(&mut self, number: u32, purpose: Purpose, request: Digest, reserve: Reserve, tokens: u64) {
        let call = self.model_calls.entry(number).or_insert_with(|| ModelCall {
            purpose,
            tries: 0,
            failed: 0,
            reserve,
            tokens,
            request,
            response_id: None,
            open: false,
            done: false,
            waits: None,
            problem: None,
            unsettled: Vec::new(),
        });
        call.tries += 1;
        // Something else is asked now: what the provider went on with is given up, and may still be charged.
        if call.request != request && call.response_id.take().is_some() {
            self.doubtful = self.doubtful + call.reserve;
        }
        call.request = request;
        call.reserve = reserve;
        call.tokens = tokens;
        call.open = true;
        if purpose != Purpose::Compact {
            self.context = tokens;
        }
    }

    pub(crate) fn pay(&mut self, usage: Usage, cost: NanoUsd, equivalent: NanoUsd) {
        self.usage += usage;
        self.cost += cost;
        self.equivalent += equivalent;
    }

    /// A call that was given up told what it cost after all.
    fn settle_late(
        &mut self,
        call: u32,
        usage: Usage,
        cost: NanoUsd,
        equivalent: NanoUsd,
    ) -> Result<(), IllegalReason> {
        let call = self.model_calls.get_mut(&call).ok_or(NO_CALL)?;
        let doubt = call.unsettled.pop().ok_or("the call is not under way")?;
        self.doubtful = self.doubtful.less(doubt);
        self.pay(usage, cost, equivalent);
        Ok(())
    }

    fn close(&mut self, number: u32, done: bool) -> Purpose {
        let Some(call) = self.model_calls.get_mut(&number) else { return Purpose::Step };
        call.response_id = None;
        call.open = false;
        call.done = done;
        call.purpose
    }

    /// Notes that an attempt may still tell what it cost.
    fn owe(&mut self, number: u32, doubt: Reserve) {
        if let Some(call) = self.model_calls.get_mut(&number) {
            call.unsettled.push(doubt);
        }
    }

    fn check_new(&self, tools: &[RequestedCall]) -> Result<(), IllegalReason> {
        let mut seen = BTreeSet::new();
        let mut ids = tools.iter().map(|asked| &asked.call);
        if ids.all(|id| seen.insert(id) && !self.tools.contains_key(id)) {
            Ok(())
        } else {
            Err("two calls of tools have the same id")
        }
    }

    fn answer(
        &mut self,
        call: u32,
        purpose: Purpose,
        answer: Digest,
        text: Option<Digest>,
        stop: Stop,
        tools: &[RequestedCall],
    ) {
        if purpose == Purpose::Compact {
            // Half a summary would lose what was said last.
            let usable = text.is_some() && !stop.is_refusal() && stop.bound().is_none() && stop != Stop::Cut;
            self.loop_state.compaction = if usable { Compaction::Answered(call) } else { Compaction::ByCode };
            return;
        }
        self.loop_state.compactions = 0;
        if purpose == Purpose::Step {
            self.iterations += 1;
            self.fallback = text.or(self.fallback);
            self.loop_state.empties =
                if text.is_none() && tools.is_empty() { self.loop_state.empties + 1 } else { 0 };
        }
        for asked in tools {
            self.ask(asked, purpose, stop);
        }
        self.loop_state.batch = tools.iter().map(|asked| asked.call.clone()).collect();
        self.entries.push(Entry::Answer { call, answer, text, tools: self.loop_state.batch.clone() });
        self.loop_state.last = Some(LastAnswer { purpose, text, stop, tools: !tools.is_empty() });
        if stop.is_refusal() && text.is_none() && purpose == Purpose::Step {
            self.loop_state.failure = Some(refused());
            self.loop_state.last = None;
        }
        self.take_steering();
    }

    fn ask(&mut self, asked: &RequestedCall, purpose: Purpose, stop: Stop) {
        self.tool_calls_made = self.tool_calls_made.saturating_add(1);
        let row = match self.loop_state.repeats.row {
            Some((same, times)) if same == asked.same => times.saturating_add(1),
            _ => 1,
        };
        self.loop_state.repeats.row = Some((asked.same, row));
        let bounds = self.bounds();
        let mut barred = None;
        if stop.is_refusal() {
            barred = Some(WITHDRAWN);
        } else if !asked.known || purpose != Purpose::Step {
            barred = Some(UNKNOWN);
        } else if self.tool_calls_made > bounds.tool_calls {
            barred = Some(BEYOND);
        }
        if bounds.repeats > 0 && row >= bounds.repeats {
            if self.loop_state.repeats.told.contains(&asked.same) {
                self.loop_state.repeats.over = true;
                barred = barred.or(Some(REPEATED));
            } else {
                self.loop_state.repeats.due = self.loop_state.repeats.due.or(Some(asked.same));
            }
        }
        let call = ToolCall {
            asked: asked.clone(),
            barred: barred.map(str::to_owned),
            ruling: None,
            preview: None,
            intent: String::new(),
            verdict: None,
            started: false,
            asks: Vec::new(),
            question: None,
            answer: None,
            end: None,
            result: None,
            summary: String::new(),
            show: Vec::new(),
            started_at: None,
            ms: 0,
        };
        self.tools.insert(asked.call.clone(), call);
    }

    fn fail(&mut self, number: u32, problem: &Problem, retry_ms: Option<u64>, too_long: bool) {
        let tries = self.bounds().tries;
        let Some(call) = self.model_calls.get_mut(&number) else { return };
        call.open = false;
        call.problem = Some(problem.clone());
        let purpose = call.purpose;
        let goes_on = call.response_id.is_some() && retry_ms == Some(0) && !self.stopping;
        if goes_on {
            // Only this side broke off: the next try fetches what the provider went on with.
        } else if self.stopping || self.suspended {
            // It was ended, and did not fail: it may be asked again.
            call.done = self.stopping;
            call.unsettled.push(Reserve::default());
        } else if let Some(ms) = retry_ms.filter(|_| !too_long && call.failed + 1 < tries) {
            call.failed += 1;
            call.waits = Some(ms);
        } else {
            call.done = true;
            if purpose == Purpose::Compact {
                self.loop_state.compaction = Compaction::ByCode;
            } else if too_long {
                self.want_compaction();
            } else {
                self.loop_state.failure = Some(problem.clone());
            }
        }
        self.take_steering();
    }

    fn want_compaction(&mut self) {
        if self.loop_state.compactions < COMPACTIONS {
            self.loop_state.compaction = Compaction::Wanted;
        } else {
            self.loop_state.failure = Some(too_long());
        }
    }

    /// Gives messages that came in between their place in the conversation. While it is put into fewer words they wait:
    /// what stands before those words is not shown any more.
    fn take_steering(&mut self) {
        if self.loop_state.compaction != Compaction::None {
            return;
        }
        for message in std::mem::take(&mut self.loop_state.steering) {
            self.entries.push(Entry::Steering { message });
            self.loop_state.last = None;
        }
    }

    /// What was decided under another mode, and has not begun, is decided anew. What the person said holds.
    fn judge_again(&mut self) {
        for id in &self.loop_state.batch {
            let Some(call) = self.tools.get_mut(id) else { continue };
            if call.end.is_none() && !call.started && call.verdict.is_none() {
                call.ruling = None;
                call.preview = None;
            }
        }
    }

    fn retry(&mut self) -> Result<(), IllegalReason> {
        if !matches!(self.end, Some(End::Failed { .. } | End::Stopped)) {
            return Err("the turn has neither failed nor been stopped");
        }
        self.end = None;
        self.answer = None;
        self.stopping = false;
        self.suspended = false;
        self.loop_state.failure = None;
        self.loop_state.compactions = 0;
        Ok(())
    }
}
