//! A turn's steps as surfaces see them: the fold of its events, kept beside its state.

use std::collections::BTreeSet;

use dialogue::{Event, Purpose, Record, Verdict, bound_in_words};
use domain::{Digest, Mode};

/// A step before its texts are read.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) id: String,
    pub(super) at: u64,
    pub(super) until: Option<u64>,
    pub(super) kind: Kind,
}

/// What a step is.
#[derive(Debug, Clone)]
pub(super) enum Kind {
    /// A call to the model.
    Model {
        call: u32,
        answer: Option<Digest>,
        /// The text that had been read when it failed.
        shown: Option<Digest>,
        failed: bool,
        unknown: bool,
        stopped: bool,
    },
    /// A call of a tool; everything else of it stands in the state.
    Tool { call: String },
    /// The person wrote in between.
    Steering { message: Digest },
    /// What was said before was put into fewer words.
    Compaction { tokens: u64, done: Option<Compacted> },
    /// The program told something.
    Notice { text: NoticeText },
}

/// What a compaction gave.
#[derive(Debug, Clone, Copy)]
pub(super) struct Compacted {
    pub(super) summary: Digest,
    pub(super) by_model: bool,
    pub(super) before: u64,
    pub(super) after: u64,
}

/// Words of the program.
#[derive(Debug, Clone)]
pub(super) enum NoticeText {
    Words(String),
    Blob(Digest),
}

/// The steps of a turn, and which of them changed since a surface was told.
#[derive(Debug, Default)]
pub(super) struct Steps {
    list: Vec<Step>,
    changed: BTreeSet<usize>,
    /// When the last event happened.
    last_at: u64,
    compacting: bool,
    /// The last text of the model, by its call.
    said: Option<(u32, Digest)>,
}

impl Steps {
    /// Takes an event in.
    pub(super) fn take(&mut self, record: &Record) {
        let at = record.at;
        self.last_at = at;
        match &record.event {
            Event::ModelRequested { call, purpose, .. } => {
                if *purpose == Purpose::Compact {
                    return;
                }
                let known = self.model(*call);
                let index = known.unwrap_or_else(|| {
                    let kind = Kind::Model {
                        call: *call,
                        answer: None,
                        shown: None,
                        failed: false,
                        unknown: false,
                        stopped: false,
                    };
                    self.add(format!("m{call}"), at, kind)
                });
                if let Kind::Model { failed, unknown, stopped, .. } = &mut self.list[index].kind {
                    (*failed, *unknown, *stopped) = (false, false, false);
                }
                self.list[index].until = None;
                self.changed.insert(index);
            }
            Event::ModelAnswered { call, answer, text, tools, .. } => {
                self.said = text.map(|text| (*call, text));
                if let Some(index) = self.model(*call) {
                    self.list[index].until = Some(at);
                    if let Kind::Model { answer: of, .. } = &mut self.list[index].kind {
                        *of = Some(*answer);
                    }
                    self.changed.insert(index);
                }
                for asked in tools {
                    self.add(asked.call.clone(), at, Kind::Tool { call: asked.call.clone() });
                }
            }
            Event::ModelFailed { call, problem, retry_ms, shown: read, .. } => {
                if let Some(index) = self.model(*call) {
                    self.list[index].until = Some(at);
                    if let Kind::Model { failed, stopped, shown, .. } = &mut self.list[index].kind {
                        *shown = *read;
                        *stopped = problem.code == domain::ErrorCode::Cancelled;
                        *failed = !*stopped;
                    }
                    self.changed.insert(index);
                }
                if let Some(ms) = retry_ms.filter(|ms| *ms > 0) {
                    let seconds = ms.div_ceil(1_000);
                    self.notice(at, record.seq, format!("{} Trying again in {seconds} s.", problem.message));
                }
            }
            Event::ModelUnknown { call } => {
                if let Some(index) = self.model(*call) {
                    self.list[index].until = Some(at);
                    if let Kind::Model { unknown, .. } = &mut self.list[index].kind {
                        *unknown = true;
                    }
                    self.changed.insert(index);
                }
            }
            Event::ToolJudged { call, .. }
            | Event::ToolAnswered { call, .. }
            | Event::ToolStarted { call }
            | Event::QuestionAsked { call, .. }
            | Event::QuestionAnswered { call, .. } => {
                if let Some(index) = self.tool(call) {
                    self.changed.insert(index);
                }
                if let Event::ToolAnswered { verdict: Verdict::Allowed { .. }, .. } = &record.event
                    && let Some(index) = self.tool(call)
                {
                    // The time that the person took is not the call's.
                    self.list[index].at = at;
                }
            }
            Event::ToolEnded { call, .. } => {
                if let Some(index) = self.tool(call) {
                    self.list[index].until = Some(at);
                    self.changed.insert(index);
                }
            }
            Event::Steered { message } => {
                self.add(format!("s{}", record.seq), at, Kind::Steering { message: *message });
            }
            Event::Nudged { text } => {
                self.add(format!("n{}", record.seq), at, Kind::Notice { text: NoticeText::Blob(*text) });
            }
            Event::CompactionNeeded { tokens, .. } => {
                self.compacting = true;
                self.add(format!("k{}", record.seq), at, Kind::Compaction { tokens: *tokens, done: None });
            }
            Event::Compacted { summary, by_model, before, after, .. } => {
                self.compacting = false;
                let open = self
                    .list
                    .iter()
                    .rposition(|step| matches!(step.kind, Kind::Compaction { done: None, .. }));
                let index = open.unwrap_or_else(|| {
                    let kind = Kind::Compaction { tokens: *before, done: None };
                    self.add(format!("k{}", record.seq), at, kind)
                });
                if let Kind::Compaction { done, .. } = &mut self.list[index].kind {
                    *done = Some(Compacted {
                        summary: *summary,
                        by_model: *by_model,
                        before: *before,
                        after: *after,
                    });
                }
                self.list[index].until = Some(at);
                self.changed.insert(index);
            }
            Event::ModeChanged { mode } => {
                let word = match mode {
                    Mode::Safe => "Explore",
                    Mode::Ask => "Ask to Edit",
                    Mode::AllowAll => "Auto",
                };
                self.notice(at, record.seq, format!("The mode is {word} now."));
            }
            Event::Responding { why } if why != "answered" => {
                self.notice(at, record.seq, format!("No more tools are called: {}.", bound_in_words(why)));
            }
            Event::TurnEnded { .. } => {
                // Steps that never came to their end stand as what they were when the turn did.
                for index in 0..self.list.len() {
                    if self.list[index].until.is_none() {
                        self.list[index].until = Some(at);
                        self.changed.insert(index);
                    }
                }
                self.show_beginnings_anew();
            }
            Event::Retried => self.show_beginnings_anew(),
            Event::TurnStarted { .. }
            | Event::Repinned { .. }
            | Event::Waited { .. }
            | Event::ModelAccepted { .. }
            | Event::ToolModelRequested { .. }
            | Event::ToolModelEnded { .. }
            | Event::TooDear { .. }
            | Event::ModelWithheld { .. }
            | Event::Responding { .. }
            | Event::StopRequested
            | Event::Suspended
            | Event::Continued => {}
        }
    }

    /// What was read of an answer that broke off stands in the turn's answer or in its step, by whether the turn is over.
    fn show_beginnings_anew(&mut self) {
        let broken = |step: &Step| matches!(step.kind, Kind::Model { shown: Some(_), .. });
        let all = self.list.iter().enumerate();
        self.changed.extend(all.filter(|(_, step)| broken(step)).map(|(index, _)| index));
    }

    fn notice(&mut self, at: u64, seq: u64, text: String) {
        let index = self.add(format!("n{seq}"), at, Kind::Notice { text: NoticeText::Words(text) });
        self.list[index].until = Some(at);
    }

    fn add(&mut self, id: String, at: u64, kind: Kind) -> usize {
        let until = matches!(kind, Kind::Notice { .. } | Kind::Steering { .. }).then_some(at);
        self.list.push(Step { id, at, until, kind });
        self.changed.insert(self.list.len() - 1);
        self.list.len() - 1
    }

    fn model(&self, wanted: u32) -> Option<usize> {
        let is = |step: &Step| matches!(&step.kind, Kind::Model { call, .. } if *call == wanted);
        self.list.iter().rposition(is)
    }

    fn tool(&self, wanted: &str) -> Option<usize> {
        let is = |step: &Step| matches!(&step.kind, Kind::Tool { call } if call == wanted);
        self.list.iter().rposition(is)
    }

    /// All of them, in order.
    pub(super) fn all(&self) -> &[Step] {
        &self.list
    }

    /// Those that changed since the last time.
    pub(super) fn take_changed(&mut self) -> Vec<Step> {
        let changed = std::mem::take(&mut self.changed);
        changed.into_iter().filter_map(|index| self.list.get(index).cloned()).collect()
    }

    /// As if surfaces knew everything.
    pub(super) fn forget_changes(&mut self) {
        self.changed.clear();
    }

    /// Since when the turn does what it does.
    pub(super) fn since(&self) -> u64 {
        let open = self.list.iter().filter(|step| step.until.is_none()).map(|step| step.at).min();
        open.unwrap_or(self.last_at)
    }

    /// What the model said in a call, where that was the last.
    pub(super) fn text_of(&self, call: u32) -> Option<Digest> {
        self.said.filter(|(of, _)| *of == call).map(|(_, text)| text)
    }

    /// Whether what was said before is being put into fewer words.
    pub(super) fn is_compacting(&self) -> bool {
        self.compacting
    }
}
