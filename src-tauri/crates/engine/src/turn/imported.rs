//! Turns that another program kept, as logs that the machine folds.
//!
//! Nothing is asked or run: the events say that it was. The same turn gives the same commits, so that storing them may be
//! begun anew after a crash.

use std::collections::BTreeMap;

use dialogue::{
    Bounds, EVENT_VERSION, End, Event, Origin, Purpose, Record, RequestedCall, State, Stop, ToolEnd,
};
use domain::{
    AgentSlug, Digest, Mode, NanoUsd, Problem, Reserve, Ruling, RunId, SessionId, Show, Usage, UserMessage,
    canonical,
};
use llm::{ModelAnswer, Part, StopReason, ToolCall, ToolSpec};
use serde_json::{Value, json};
use store::{Blob, Commit, Durability, NewRun, NewSession, RunChange};

use super::KIND;
use super::journal::status_of;
use super::pinned::{Pinned, PinnedTool};
use super::text::line_of;
use crate::core::log::encode_log;
use crate::core::passages::passages_of_turn;
use crate::core::problem::{internal, store as store_problem};

/// Payloads and bytes of one commit, below what the store takes.
const BLOBS: usize = 500;
const BYTES: usize = 8 << 20;
/// The most characters of a turn's line and title.
const MAX_LINE_CHARS: usize = 160;
/// Who allowed what was done there.
const BY: &str = "another program";

/// A turn as another program kept it.
#[derive(Debug, Clone)]
pub struct ImportedTurn {
    /// The id that it gets.
    pub run: RunId,
    /// Its session, made with its first turn.
    pub session: NewSession,
    /// The agent that was talked to; empty for none.
    pub agent: String,
    /// The turn that it follows.
    pub previous: Option<RunId>,
    /// The mode that it was in.
    pub mode: Mode,
    /// The model that answered.
    pub model: String,
    /// When it began, in milliseconds since 1970.
    pub at: u64,
    /// What the person wrote.
    pub message: UserMessage,
    /// What was said and done, in order.
    pub said: Vec<ImportedPart>,
}

/// Something that was said or done in a turn.
#[derive(Debug, Clone)]
pub enum ImportedPart {
    /// The model wrote.
    Text {
        /// When, in milliseconds since 1970.
        at: u64,
        /// What, Markdown.
        text: String,
    },
    /// A tool was called.
    Call {
        /// When, in milliseconds since 1970.
        at: u64,
        /// The tool as the model knew it.
        tool: String,
        /// What a person reads of it.
        title: String,
        /// What the call was for.
        intent: String,
        /// Its arguments, an object.
        arguments: Value,
        /// What it gave.
        result: String,
        /// How it ended.
        end: ToolEnd,
        /// Milliseconds that it ran.
        ms: u64,
        /// Pictures and other files that it gave.
        media: Vec<ImportedMedia>,
    },
    /// The person wrote while it went on. In a turn that is stored it is left out: it begins one of its own.
    Asked {
        /// When, in milliseconds since 1970.
        at: u64,
        /// What.
        message: Box<UserMessage>,
    },
}

/// A file that a tool gave.
#[derive(Debug, Clone)]
pub struct ImportedMedia {
    /// `image/png`, …
    pub media_type: String,
    /// Its name.
    pub name: String,
    /// What it holds.
    pub bytes: Vec<u8>,
}

/// What the model said and called at once.
#[derive(Default)]
struct Step<'a> {
    at: u64,
    text: String,
    calls: Vec<&'a ImportedPart>,
}

struct TurnNarrator {
    state: State,
    /// With the payloads that each brings.
    records: Vec<(Record, Vec<Blob>)>,
    at: u64,
}

impl TurnNarrator {
    fn push(&mut self, at: u64, event: Event, payloads: Vec<Blob>) -> Result<(), Problem> {
        // Clocks of other programs may have gone back.
        self.at = self.at.max(at);
        let record = Record { seq: self.state.seq + 1, at: self.at, v: EVENT_VERSION, active_ms: 0, event };
        self.state.apply(&record).map_err(internal)?;
        self.records.push((record, payloads));
        Ok(())
    }

    fn answer(
        &mut self,
        number: u32,
        at: u64,
        answer: &ModelAnswer,
        tools: Vec<RequestedCall>,
    ) -> Result<(), Problem> {
        self.push(
            at,
            Event::ModelRequested {
                call: number,
                r#try: 1,
                purpose: Purpose::Step,
                tools: true,
                request: Digest::of([]),
                reserve: Reserve::default(),
                tokens: 0,
            },
            Vec::new(),
        )?;
        let whole = blob(bytes_of(answer)?)?;
        let text = (!answer.text.is_empty()).then(|| blob(answer.text.clone().into_bytes())).transpose()?;
        let event = Event::ModelAnswered {
            call: number,
            answer: digest(&whole),
            text: text.as_ref().map(digest),
            stop: if tools.is_empty() { Stop::Ended } else { Stop::WantsTools },
            tools,
            usage: Usage::default(),
            cost: NanoUsd(0),
            equivalent: NanoUsd(0),
            request_id: None,
            notes: Vec::new(),
        };
        self.push(at, event, std::iter::once(whole).chain(text).collect())
    }
}

/// The commits that store a turn, in order. The first one makes the run.
///
/// # Errors
/// `Internal` when the machine does not fold it, which is a defect; `Storage` when a payload is too large.
pub fn told_commits(turn: ImportedTurn) -> Result<Vec<Commit>, Problem> {
    let ImportedTurn { run, session, agent, previous, mode, model, at, message, said } = turn;
    let mut teller = TurnNarrator { state: State::default(), records: Vec::new(), at };
    let spoken = blob(bytes_of(&message)?)?;
    let pinned = blob(bytes_of(&pinned(&model, &said))?)?;
    let start = Event::TurnStarted {
        session: SessionId(session.id.clone()),
        agent: (!agent.is_empty()).then(|| AgentSlug(agent.clone())),
        origin: Origin::Person,
        message: digest(&spoken),
        previous: previous.clone(),
        pinned: digest(&pinned),
        mode,
        bounds: Bounds {
            iterations: u32::MAX,
            tool_calls: u32::MAX,
            repeats: 0,
            tries: u32::MAX,
            ..Bounds::default()
        },
    };
    teller.push(at, start, vec![spoken, pinned])?;
    let steps = steps(&said);
    let line = steps.iter().rev().find(|step| !step.text.is_empty()).map_or("", |step| step.text.as_str());
    let line = line_of(line, MAX_LINE_CHARS);
    // Words at the end need no call of a model to be told.
    let (last, before) = match steps.split_last() {
        Some((last, before)) if last.calls.is_empty() => (Some(last), before),
        _ => (None, steps.as_slice()),
    };
    for (number, step) in (1..).zip(before) {
        tell(&mut teller, &run, number, step, &model)?;
    }
    if let Some(last) = last {
        let text = blob(last.text.clone().into_bytes())?;
        let end = Event::TurnEnded { end: End::Answered, answer: Some(digest(&text)) };
        teller.push(last.at, end, vec![text])?;
    }
    while let [event, ..] = teller.state.decide().as_slice() {
        teller.push(at, event.clone(), Vec::new())?;
    }
    if teller.state.end.is_none() {
        teller.push(at, Event::StopRequested, Vec::new())?;
        while let [event, ..] = teller.state.decide().as_slice() {
            teller.push(at, event.clone(), Vec::new())?;
        }
    }
    let create = NewRun {
        session,
        agent,
        status: status_of(&teller.state).to_string(),
        title: line_of(&message.text, MAX_LINE_CHARS),
        line,
        previous_run: previous.map(|run| run.0),
        kind: KIND.to_owned(),
        ..NewRun::default()
    };
    split(&run, teller.records, create)
}

/// What the model said, each with the calls that came after it.
fn steps(said: &[ImportedPart]) -> Vec<Step<'_>> {
    let mut steps: Vec<Step<'_>> = Vec::new();
    for told in said {
        match told {
            ImportedPart::Text { at, text } => {
                if text.trim().is_empty() {
                    continue;
                }
                match steps.last_mut().filter(|step| step.calls.is_empty()) {
                    Some(step) => {
                        step.text.push_str("\n\n");
                        step.text.push_str(text);
                    }
                    None => steps.push(Step { at: *at, text: text.clone(), calls: Vec::new() }),
                }
            }
            ImportedPart::Call { at, .. } => match steps.last_mut() {
                Some(step) => step.calls.push(told),
                None => steps.push(Step { at: *at, text: String::new(), calls: vec![told] }),
            },
            ImportedPart::Asked { .. } => {}
        }
    }
    steps
}

fn tell(
    teller: &mut TurnNarrator,
    run: &RunId,
    number: u32,
    step: &Step<'_>,
    model: &str,
) -> Result<(), Problem> {
    let mut parts = Vec::new();
    if !step.text.is_empty() {
        parts.push(Part::Text { text: step.text.clone() });
    }
    let mut asked = Vec::with_capacity(step.calls.len());
    let own = run.0.get(run.0.len().saturating_sub(10)..).unwrap_or_default();
    for (index, told) in step.calls.iter().enumerate() {
        let ImportedPart::Call { tool, arguments, .. } = told else { continue };
        let call = format!("{own}-{number}-{}", index + 1);
        asked.push(RequestedCall {
            adapted: Vec::new(),
            call: call.clone(),
            tool: tool.clone(),
            // Nothing will ask whether it was called before.
            same: Digest::of([]),
            known: true,
            parallel: false,
            repeatable: false,
        });
        parts.push(Part::ToolCall(ToolCall {
            id: call,
            name: tool.clone(),
            arguments: arguments.clone(),
            raw: None,
            signature: None,
            cut: false,
        }));
    }
    let stop = if asked.is_empty() { StopReason::EndTurn } else { StopReason::ToolUse };
    let mut answer = ModelAnswer::of_text(step.text.clone(), model, Usage::default(), stop);
    if !asked.is_empty() {
        answer.parts = parts;
    }
    let ids: Vec<String> = asked.iter().map(|asked| asked.call.clone()).collect();
    teller.answer(number, step.at, &answer, asked)?;
    for (id, told) in ids.into_iter().zip(&step.calls) {
        let ImportedPart::Call { at, intent, result, end, ms, media, .. } = told else { continue };
        let ran = !matches!(end, ToolEnd::Denied | ToolEnd::Stopped);
        let ruling = match *end == ToolEnd::Denied {
            true => Ruling::Deny { why: format!("it was refused in {BY}"), instead: None },
            false => Ruling::Allow { by: BY.into(), confined: domain::Walls::Open },
        };
        let judged = Event::ToolJudged {
            call: id.clone(),
            ruling,
            preview: None,
            intent: line_of(intent, MAX_LINE_CHARS),
        };
        teller.push(*at, judged, Vec::new())?;
        if ran {
            teller.push(*at, Event::ToolStarted { call: id.clone() }, Vec::new())?;
        }
        let result_blob = blob(result.clone().into_bytes())?;
        let (mut blobs, mut show) = (Vec::new(), Vec::new());
        for ImportedMedia { media_type, name, bytes } in media.iter().cloned() {
            let data = blob(bytes)?;
            show.push(Show::Media { media_type, data: digest(&data), name });
            blobs.push(data);
        }
        let ended = Event::ToolEnded {
            call: id,
            end: *end,
            result: digest(&result_blob),
            summary: line_of(result, MAX_LINE_CHARS),
            show,
            ms: *ms,
            ends: false,
        };
        blobs.push(result_blob);
        teller.push(at.saturating_add(*ms), ended, blobs)?;
    }
    Ok(())
}

/// It can't be asked again: no connection of ours has it. Its tools are there for their titles.
pub(super) fn pinned(model: &str, said: &[ImportedPart]) -> Pinned {
    let mut tools = BTreeMap::new();
    for told in said {
        if let ImportedPart::Call { tool, title, .. } = told
            && !title.is_empty()
        {
            tools.entry(tool.clone()).or_insert_with(|| title.clone());
        }
    }
    let tool = |(name, title): (String, String)| PinnedTool {
        spec: ToolSpec { name, description: String::new(), parameters: json!({}) },
        title,
        source: String::new(),
    };
    Pinned {
        connection: String::new(),
        model: model.to_owned(),
        model_info: llm::ModelInfo::free("", model, 1, 1),
        system: String::new(),
        tools: tools.into_iter().map(tool).collect(),
        effort: None,
        notes: Vec::new(),
    }
}

fn split(run: &RunId, records: Vec<(Record, Vec<Blob>)>, create: NewRun) -> Result<Vec<Commit>, Problem> {
    let (mut commits, mut create) = (Vec::new(), Some(create));
    let mut records = records.into_iter().peekable();
    while records.peek().is_some() {
        let (mut part, mut payloads): (Vec<Record>, BTreeMap<Digest, Blob>) = Default::default();
        let mut size = 0;
        while let Some((record, blobs)) = records.next_if(|_| payloads.len() < BLOBS && size < BYTES) {
            size += 400 + blobs.iter().map(|blob| blob.bytes().len()).sum::<usize>();
            payloads.extend(blobs.into_iter().map(|blob| (digest(&blob), blob)));
            part.push(record);
        }
        let passages = passages_of_turn(&part, |digest| payloads.get(&digest).map(Blob::bytes));
        let seq = |record: Option<&Record>| record.map_or(0, |record| record.seq);
        let at = if create.is_some() { part.first() } else { part.last() };
        let change = create.take().map_or(RunChange::Keep, RunChange::Create);
        commits.push(Commit {
            run: run.0.clone(),
            expect_seq: seq(part.first()).saturating_sub(1),
            seq_last: seq(part.last()),
            at_ms: at.map_or(0, |record| record.at) as i64,
            events: encode_log(&part)?,
            blobs: payloads.into_values().collect(),
            passages,
            change,
            durability: Durability::Normal,
            ..Commit::default()
        });
    }
    Ok(commits)
}

/// A payload with its digest, which is computed here and nowhere again.
fn blob(bytes: Vec<u8>) -> Result<Blob, Problem> {
    Blob::new(bytes).map_err(store_problem)
}

const fn digest(blob: &Blob) -> Digest {
    Digest(*blob.hash().as_bytes())
}

pub(super) fn bytes_of(value: &impl serde::Serialize) -> Result<Vec<u8>, Problem> {
    Ok(canonical(&serde_json::to_value(value).map_err(internal)?).into_bytes())
}
