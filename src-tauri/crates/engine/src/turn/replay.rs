//! The log of a turn, computed again event by event: requests, what was made of answers, what the program itself said.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use dialogue::{Effect, Event, Origin, Purpose, Record, RequestedCall, State, ToolEnd};
use domain::{Digest, ErrorCode, NanoUsd, Problem, Ruling, RunId, SessionId, Usage, UserMessage};
use engine_types::Replay;
use llm::{ModelAnswer, ModelInfo, ModelRequest};

use super::history::{Item, PastTurn, Reader, SessionFiles, begins_anew, messages};
use super::journal::decode_turn;
use super::model::{affordable, call_id, request, sameness, stop_of};
use super::pinned::Pinned;
use super::{KIND, compact, text};
use crate::core::blobs::Blobs;
use crate::core::engine::Engine;
use crate::core::journal::fold;
use crate::core::problem::store as store_problem;
use crate::replay::{EventReport, Json, Shown};

/// A turn on its way through its log.
struct TurnReplay {
    run: RunId,
    session: SessionId,
    pinned: Pinned,
    state: State,
    blobs: Blobs,
    answers: HashMap<Digest, Arc<ModelAnswer>>,
    spoken: HashMap<Digest, Item>,
    files: SessionFiles,
    past: Vec<Arc<PastTurn>>,
    /// Why what was said before may not be what it was then.
    moved: Option<String>,
    /// Texts of answers by call of the model.
    texts: BTreeMap<u32, Digest>,
    /// Whether its calls of the model were made elsewhere: by another program, or in the conversation that it is a copy of.
    told: bool,
    report: Replay,
    /// The requests as they were computed again, where somebody wants to read them.
    sent: Option<Vec<TurnRequest>>,
    /// How many texts and parts the messages of the turns before have.
    earlier_parts: usize,
}

/// A request of a turn, computed again from its log, and what came of it.
#[derive(Debug, Clone)]
pub struct TurnRequest {
    /// The number of the model call in its turn, from 1.
    pub call: u32,
    /// How often it was sent.
    pub tries: u32,
    /// The request of the last try; absent where it can't be computed again.
    pub request: Option<ModelRequest>,
    /// How many texts and parts of its messages, from the first, stem from turns before.
    pub earlier_parts: usize,
    /// The model.
    pub model: ModelInfo,
    /// What the provider reported for all tries.
    pub usage: Usage,
    /// What that cost, a flat rate as it would have cost by use.
    pub cost: NanoUsd,
}

impl Engine {
    /// Recomputes a turn from its log.
    pub(crate) async fn replay_turn(&self, run: &RunId) -> Result<Replay, Problem> {
        let (replay, records) = self.turn_replay(run).await?;
        Ok(replay.through(&records).await?.report)
    }

    /// The requests of a turn in the order in which they were first sent, computed again from its log.
    ///
    /// # Errors
    /// `NotFound` when there is no such turn; `Corrupt` or `NewerData` when its log can't be read.
    pub async fn turn_requests(&self, run: &RunId) -> Result<Vec<TurnRequest>, Problem> {
        let (mut replay, records) = self.turn_replay(run).await?;
        let said = replay.past.iter().flat_map(|past| &past.items);
        let said = messages(said, &replay.pinned.model_info.abilities, false);
        let parts = said.iter().map(|said| said.parts.len() + usize::from(!said.content.is_empty()));
        (replay.earlier_parts, replay.sent) = (parts.sum(), Some(Vec::new()));
        Ok(replay.through(&records).await?.sent.unwrap_or_default())
    }

    /// A turn before its first event, and its log.
    async fn turn_replay(&self, run: &RunId) -> Result<(TurnReplay, Vec<Record>), Problem> {
        let store = &self.parts().store;
        let records = decode_turn(&store.load_events(&run.0).await.map_err(store_problem)?)?;
        let Some(Event::TurnStarted { session, previous, pinned, .. }) =
            records.first().map(|record| &record.event)
        else {
            let what = format!("the log of turn {run} does not begin with its start");
            return Err(Problem::new(ErrorCode::Corrupt, what));
        };
        let mut blobs = Blobs::new(Arc::new(store.clone()));
        let replay = TurnReplay {
            run: run.clone(),
            session: session.clone(),
            pinned: blobs.json(*pinned).await?,
            state: State::default(),
            blobs,
            answers: HashMap::new(),
            spoken: HashMap::new(),
            files: SessionFiles::new(&self.parts().home, &session.0),
            past: self.chain(previous.clone()).await?,
            moved: self.moved_since(previous.clone(), &records).await?,
            texts: BTreeMap::new(),
            told: told_elsewhere(run, &records),
            report: Replay::new(run.clone()),
            sent: None,
            earlier_parts: 0,
        };
        Ok((replay, records))
    }

    /// Why what was said before a turn may not be what it was when the turn began: a part of it is gone, or went on later.
    pub(super) async fn moved_since(
        &self,
        previous: Option<RunId>,
        records: &[Record],
    ) -> Result<Option<String>, Problem> {
        let store = &self.parts().store;
        let began = records.first().map_or(0, |record| record.at);
        let before = self.conversation_to(previous).await?;
        for run in before.runs {
            if store.get_run(&run.0).await.map_err(store_problem)?.kind != KIND {
                continue;
            }
            let log = decode_turn(&store.load_events(&run.0).await.map_err(store_problem)?)?;
            if log.last().is_some_and(|last| last.at > began) {
                return Ok(Some(format!("{run}, which it follows, went on after it had begun")));
            }
        }
        Ok(before.missing.map(|run| format!("{run}, which it follows, is not there any more")))
    }
}

/// Whether the calls of the model were made elsewhere: a transcript of another program has no requests, and the calls of a
/// copied turn are named after the one that it was copied from.
pub(super) fn told_elsewhere(run: &RunId, records: &[Record]) -> bool {
    let own = call_id(run, 0);
    let own = own.trim_end_matches('0');
    records.iter().any(|record| match &record.event {
        Event::ModelRequested { request, .. } => *request == Digest::of([]),
        Event::ModelAnswered { tools, .. } => tools.iter().any(|asked| !asked.call.starts_with(own)),
        _ => false,
    })
}

impl TurnReplay {
    async fn through(mut self, records: &[Record]) -> Result<Self, Problem> {
        for record in records {
            self.compare(record).await?;
            fold(&mut self.state, record, format_args!("turn {}", self.run))?;
            self.report.events += 1;
        }
        Ok(self)
    }

    /// Keeps a request for whoever wants to read it; `goes_on`: with the messages of the turns before.
    fn keep(&mut self, call: u32, request: Option<ModelRequest>, goes_on: bool) {
        let Some(sent) = &mut self.sent else { return };
        let earlier_parts = if goes_on { self.earlier_parts } else { 0 };
        if let Some(known) = sent.iter_mut().find(|known| known.call == call) {
            known.tries += 1;
            (known.request, known.earlier_parts) = (request, earlier_parts);
            return;
        }
        let model = self.pinned.model_info.clone();
        let (usage, cost) = (Usage::default(), NanoUsd::default());
        sent.push(TurnRequest { call, tries: 1, request, earlier_parts, model, usage, cost });
    }

    /// Adds what came of a request.
    fn add_cost(&mut self, event: &Event) {
        let (call, usage, cost, equivalent) = match event {
            Event::ModelAnswered { call, usage, cost, equivalent, .. } => (call, usage, cost, *equivalent),
            Event::ModelFailed { call, usage, cost, .. } => (call, usage, cost, NanoUsd::default()),
            _ => return,
        };
        let known = self.sent.iter_mut().flatten().find(|known| known.call == *call);
        if let Some(known) = known {
            known.usage += *usage;
            known.cost += *cost;
            known.cost += equivalent;
        }
    }

    /// A step that is compared now.
    fn event_report(&mut self, seq: u64, place: impl Into<String>) -> EventReport<'_> {
        self.report.recomputed += 1;
        EventReport { report: &mut self.report, seq, place: place.into() }
    }

    /// A step that can't be.
    fn gap(&mut self, seq: u64, place: impl Into<String>, why: impl Into<String>) {
        EventReport { report: &mut self.report, seq, place: place.into() }.gap(why);
    }

    async fn compare(&mut self, record: &Record) -> Result<(), Problem> {
        let seq = record.seq;
        self.add_cost(&record.event);
        match &record.event {
            Event::Repinned { pinned } => self.pinned = self.blobs.json(*pinned).await?,
            Event::ModelRequested { .. } => self.requested(seq, &record.event).await?,
            Event::ModelAnswered { .. } => self.answered(seq, &record.event).await?,
            Event::Compacted { .. } => self.compacted(seq, &record.event).await?,
            Event::Nudged { text } => {
                let why = self.state.effects().into_iter().find_map(|effect| {
                    let Effect::Nudge { why } = effect else { return None };
                    Some(why)
                });
                let mut place = self.event_report(seq, "nudge");
                match why {
                    Some(why) => place.same("text", text, &Digest::of(dialogue::reminder(&why))),
                    None => place.differs("decision", text.to_string(), "the machine asks for none here"),
                }
            }
            Event::ToolEnded { .. } => self.tool_ended(seq, &record.event).await?,
            Event::TurnEnded { end, answer } if !self.state.decide().contains(&record.event) => {
                let wanted = Effect::Summarise { end: end.clone() };
                let wanted = self.state.effects().contains(&wanted);
                let again = Digest::of(text::summary(&self.state, end));
                let mut place = self.event_report(seq, "end");
                if wanted {
                    place.same("answer", &Json(answer), &Json(&Some(again)));
                } else {
                    place.differs("decision", Json(end).shown(), "the machine does not end here");
                }
            }
            Event::Responding { .. } if !self.state.decide().contains(&record.event) => {
                let next = Json(&self.state.decide()).shown();
                self.event_report(seq, "machine").differs("decision", Json(&record.event).shown(), next);
            }
            Event::TurnEnded { .. } | Event::Responding { .. } => self.report.recomputed += 1,
            // What came from outside, or what only that process knew.
            Event::TurnStarted { .. }
            | Event::ModeChanged { .. }
            | Event::CompactionNeeded { .. }
            | Event::TooDear { .. }
            | Event::ModelWithheld { .. }
            | Event::ModelFailed { .. }
            | Event::ModelAccepted { .. }
            | Event::ModelUnknown { .. }
            | Event::Waited { .. }
            | Event::ToolJudged { .. }
            | Event::ToolAnswered { .. }
            | Event::ToolStarted { .. }
            | Event::ToolModelRequested { .. }
            | Event::ToolModelEnded { .. }
            | Event::QuestionAsked { .. }
            | Event::QuestionAnswered { .. }
            | Event::Steered { .. }
            | Event::StopRequested
            | Event::Suspended
            | Event::Continued
            | Event::Retried => {}
        }
        Ok(())
    }

    /// What was said so far: before the turn, and in it.
    async fn items(&mut self) -> Result<(Vec<Arc<PastTurn>>, Vec<Item>), Problem> {
        let mut reader = Reader {
            blobs: &mut self.blobs,
            answers: &mut self.answers,
            spoken: &mut self.spoken,
            own: &self.files,
        };
        let items = reader.items(&self.state).await?;
        Ok((if begins_anew(&items) { Vec::new() } else { self.past.clone() }, items))
    }

    async fn requested(&mut self, seq: u64, event: &Event) -> Result<(), Problem> {
        let Event::ModelRequested { call, r#try, purpose, tools, request: recorded, reserve, tokens } = event
        else {
            return Ok(());
        };
        let name = format!("call m{call}");
        if self.told {
            self.keep(*call, None, false);
            self.gap(
                seq,
                name,
                "the model was not called in this conversation: it was copied or brought over",
            );
            return Ok(());
        }
        let effect = Effect::CallModel { call: *call, r#try: *r#try, purpose: *purpose };
        if !self.state.effects().contains(&effect) {
            self.event_report(seq, name.clone()).differs(
                "decision",
                format!("{effect:?}"),
                "the machine asks for no such call",
            );
        }
        let (past, own) = self.items().await?;
        let items: Vec<&Item> = past.iter().flat_map(|past| &past.items).chain(&own).collect();
        let window = self.pinned.model_info.context_window;
        let output = affordable(&self.pinned, &self.state, *tokens, window, *purpose);
        let made: Vec<ModelRequest> = match purpose {
            Purpose::Compact => {
                let focus = self.focus().await?;
                vec![compact::request(&self.pinned, &self.session, &items, &focus)]
            }
            // Whether long results were left out depends on how a provider counted; either is what the program makes.
            Purpose::Step | Purpose::Final => [false, true]
                .map(|elide| request(&self.pinned, &self.session, &items, *purpose, elide))
                .into(),
        };
        let missing = items.iter().find_map(|item| {
            let Item::Message { files, .. } = item else { return None };
            files.iter().find_map(super::history::File::missing)
        });
        let missing = missing.map(|name| format!("the attached file {name:?} is not there any more"));
        let why = missing.or_else(|| self.moved.clone());
        let Ok(output) = output else {
            self.keep(*call, None, false);
            self.event_report(seq, name).differs(
                "reserve",
                Json(reserve).shown(),
                "the budget does not allow the call",
            );
            return Ok(());
        };
        let most = if *purpose == Purpose::Compact { compact::OUTPUT } else { u64::MAX };
        let made = made.into_iter().map(|made| ModelRequest { max_output_tokens: output.min(most), ..made });
        let mut made: Vec<(Digest, ModelRequest)> = made.map(|made| (made.digest(), made)).collect();
        let digests: Vec<(Digest, bool)> =
            made.iter().map(|(digest, made)| (*digest, !made.tools.is_empty())).collect();
        let exact = made.iter().position(|(digest, _)| digest == recorded);
        self.keep(*call, exact.map(|at| made.swap_remove(at).1), !past.is_empty());
        let again = digests.iter().find(|(digest, _)| digest == recorded).or(digests.first()).copied();
        let again = again.unwrap_or((Digest::of([]), false));
        let set_aside = self.pinned.reserve(*tokens, output.min(most));
        if again.0 != *recorded
            && let Some(why) = why
        {
            self.gap(seq, name, why);
            return Ok(());
        }
        let mut place = self.event_report(seq, name);
        place.same("request", recorded, &again.0);
        place.same("tools", &Json(tools), &Json(&again.1));
        place.same("reserve", &Json(reserve), &Json(&set_aside));
        Ok(())
    }

    /// What a summary was to dwell on.
    async fn focus(&mut self) -> Result<String, Problem> {
        let start = self.state.start.as_ref().filter(|start| start.origin == Origin::Compaction);
        let Some(message) = start.map(|start| start.message) else { return Ok(String::new()) };
        let message: UserMessage = self.blobs.json(message).await?;
        Ok(message.text)
    }

    async fn answered(&mut self, seq: u64, event: &Event) -> Result<(), Problem> {
        let Event::ModelAnswered {
            call, answer, text, stop, tools, usage, cost, equivalent, request_id, ..
        } = event
        else {
            return Ok(());
        };
        if let Some(text) = text {
            self.texts.insert(*call, *text);
        }
        let name = format!("call m{call}");
        let stored: ModelAnswer = match self.blobs.json(*answer).await {
            Ok(stored) => stored,
            Err(problem) => {
                self.event_report(seq, name).fails("answer", answer.to_string(), &problem);
                return Ok(());
            }
        };
        if self.told {
            return Ok(());
        }
        let purpose = self.state.model_calls.get(call).map(|call| call.purpose);
        let said = match (stored.text.trim(), self.state.partial()) {
            ("", _) => None,
            (said, None) => Some(said.to_owned()),
            (said, Some(partial)) => Some(text::continued(&self.blobs.text(partial).await?, said)),
        };
        let first = self.state.tools.len() + 1;
        let asked: Vec<RequestedCall> = if purpose == Some(Purpose::Step) {
            let asked = stored.tool_calls().zip(tools).enumerate();
            asked
                .map(|(at, (asked, recorded))| RequestedCall {
                    call: call_id(&self.run, first + at),
                    // A tool of another name was meant by it, or none was known by then.
                    tool: match self.pinned.meant(&asked.name) {
                        Some(meant) if meant == recorded.tool => meant.to_owned(),
                        Some(_) | None => asked.name.clone(),
                    },
                    same: sameness(asked),
                    // What its tool was is known to that process alone.
                    ..recorded.clone()
                })
                .collect()
        } else {
            Vec::new()
        };
        let number = if purpose == Some(Purpose::Step) { stored.tool_calls().count() } else { 0 };
        let bill = self.pinned.call_cost(&stored.usage, stored.reported_cost);
        let mut place = self.event_report(seq, name);
        place.same("text", &Json(text), &Json(&said.map(Digest::of)));
        let now = stop_of(stored.stop);
        place.same("end", &Json(stop), &Json(if stop.is_recorded_for(now) { stop } else { &now }));
        place.same("calls", &Json(&tools.len()), &Json(&number));
        place.same("calls", &Json(tools), &Json(&asked));
        place.same("usage", &Json(usage), &Json(&stored.usage));
        place.same("cost", &Json(cost), &Json(&bill.cost));
        place.same("equivalent cost", &Json(equivalent), &Json(&bill.equivalent));
        place.same("request id", &Json(request_id), &Json(&stored.request_id));
        Ok(())
    }

    async fn compacted(&mut self, seq: u64, event: &Event) -> Result<(), Problem> {
        let Event::Compacted { summary, by_model, before, after, checkpoint } = event else { return Ok(()) };
        let (past, own) = self.items().await?;
        let items: Vec<&Item> = past.iter().flat_map(|past| &past.items).chain(&own).collect();
        let said = self.state.effects().into_iter().find_map(|effect| {
            let Effect::TakeSummary { call } = effect else { return None };
            self.texts.get(&call).copied()
        });
        let again = match said {
            Some(said) => said,
            None => Digest::of(compact::by_code(&items, &self.state)),
        };
        let words = self.blobs.text(*summary).await?;
        let estimated = |items: &[&Item]| {
            request(&self.pinned, &self.session, items, Purpose::Step, false).estimated_input()
        };
        let (long, anew) = (estimated(&items), Item::Summary(words));
        let message = own.iter().find(|item| matches!(item, Item::Message { .. }));
        // What another run had recorded by then can't be computed from this log.
        let state = match checkpoint {
            Some(checkpoint) => Some(Item::checkpoint(&self.blobs.text(*checkpoint).await?)),
            None => None,
        };
        let short: Vec<&Item> = std::iter::once(&anew).chain(&state).chain(message).collect();
        let short = estimated(&short);
        if (again != *summary || long != *before)
            && let Some(why) = self.moved.clone()
        {
            self.gap(seq, "compaction", why);
            return Ok(());
        }
        let mut place = self.event_report(seq, "compaction");
        place.same("summary", summary, &again);
        place.same("by model", &Json(by_model), &Json(&said.is_some()));
        place.same("tokens before", &Json(before), &Json(&long));
        place.same("tokens after", &Json(after), &Json(&short));
        Ok(())
    }

    async fn tool_ended(&mut self, seq: u64, event: &Event) -> Result<(), Problem> {
        let Event::ToolEnded { call, end, result, summary, .. } = event else { return Ok(()) };
        let name = format!("call {call}");
        let stored = self.blobs.get(*result).await;
        if let Err(problem) = stored {
            self.event_report(seq, name).fails("result", result.to_string(), &problem);
            return Ok(());
        }
        let known = self.state.tools.get(call).cloned();
        let is_of = |effect: &Effect| matches!(effect, Effect::Refuse { call: of, .. } | Effect::TakeAnswer { call: of } if of == call);
        let effect = self.state.effects().into_iter().find(is_of);
        let (said, line) = match effect {
            Some(Effect::TakeAnswer { .. }) => {
                let answer = known.and_then(|known| known.answer).unwrap_or_default();
                let line = text::line_of(&answer, 120);
                (answer, line)
            }
            Some(Effect::Refuse { end: wanted, why, .. })
                if wanted == *end && known.as_ref().is_none_or(|known| known.asked.known) =>
            {
                let ruling = known.and_then(|known| known.ruling);
                let instead = match &ruling {
                    Some(Ruling::Deny { instead, .. }) => instead.as_deref(),
                    Some(Ruling::Allow { .. } | Ruling::Ask { .. }) | None => None,
                };
                (text::refused(*end, &why, instead), text::line_of(&why, 200))
            }
            // What the program says of a call that was under way when it ended.
            _ if *end == ToolEnd::Unknown && *result == Digest::of(text::unknown()) => {
                self.report.recomputed += 1;
                return Ok(());
            }
            // A result of a tool.
            _ => return Ok(()),
        };
        let mut place = self.event_report(seq, name);
        place.same("result", result, &Digest::of(said));
        place.same("summary", summary.as_str(), &line);
        Ok(())
    }
}
