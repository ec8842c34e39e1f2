//! The statements of a document, each with its state where it stands, and what a reader has to know first.

use domain::{ConflictRecord, Finding, Proof, SentenceRecord, SentenceVerdict};
use serde::{Deserialize, Serialize};

use crate::refs::key;
use crate::{Limits, VerificationSummary, markdown, text};

/// What is known about a statement, from the best to the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It stands word for word in what it cites.
    Quoted,
    /// A judge read it beside what it cites and found it said there.
    Supported,
    /// A judge found a part of it there.
    Partly,
    /// Nobody has compared its meaning.
    Unverified,
    /// It names no source.
    NoSource,
    /// A sentence of the sources may say otherwise.
    Doubtful,
    /// What it cites does not say it, does not exist or is withdrawn.
    Refused,
}

impl State {
    /// All of them, in order.
    pub const ALL: [Self; 7] = [
        Self::Quoted,
        Self::Supported,
        Self::Partly,
        Self::Unverified,
        Self::NoSource,
        Self::Doubtful,
        Self::Refused,
    ];

    /// The state that a record stands for.
    pub fn of(record: &SentenceRecord) -> Self {
        match record.verdict {
            SentenceVerdict::Verified => Self::Quoted,
            SentenceVerdict::JudgedSupported => Self::Supported,
            SentenceVerdict::Uncited => Self::NoSource,
            SentenceVerdict::Mismatch | SentenceVerdict::Withdrawn | SentenceVerdict::Missing => {
                Self::Refused
            }
            // What it quotes stands there; that another place may say otherwise is told beside it.
            SentenceVerdict::Unverified if record.proof == Proof::Quoted => Self::Quoted,
            SentenceVerdict::Unverified if !record.conflicts.is_empty() => Self::Doubtful,
            SentenceVerdict::Unverified if record.finding == Some(Finding::Partial) => Self::Partly,
            SentenceVerdict::Unverified => Self::Unverified,
        }
    }

    /// In words, as counts have them: `3 unverified`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Quoted => "quoted word for word",
            Self::Supported => "judged supported",
            Self::Partly => "judged supported in part",
            Self::Unverified => "unverified",
            Self::NoSource => "without a source",
            Self::Doubtful => "may contradict the source",
            Self::Refused => "not supported by the source",
        }
    }

    /// The sign behind a statement.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Quoted => "✓",
            Self::Supported => "~",
            Self::Partly => "½",
            Self::Unverified => "?",
            Self::NoSource => "–",
            Self::Doubtful => "!",
            Self::Refused => "✗",
        }
    }

    /// Its word in data.
    pub fn key(self) -> &'static str {
        match self {
            Self::Quoted => "quoted",
            Self::Supported => "supported",
            Self::Partly => "partly",
            Self::Unverified => "unverified",
            Self::NoSource => "no_source",
            Self::Doubtful => "doubtful",
            Self::Refused => "refused",
        }
    }
}

/// A statement of the document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Statement {
    /// Its record's number; its anchor is `statement-<n>`.
    pub n: usize,
    /// Its words, without citations.
    pub text: String,
    /// Its state.
    pub state: State,
    /// Why, in a sentence.
    pub reason: String,
    /// Sentences of the sources that may say otherwise.
    pub against: Vec<ConflictRecord>,
    /// How a reader finds the words that it cites: each citation with the place of its quote.
    #[serde(skip)]
    pub(crate) places: Vec<(String, String)>,
}

/// The place of the words that a record cites from a source: their item and their pages.
pub(crate) fn place_of(places: &[(String, String)], source_ref: &str) -> Option<String> {
    let mut found: Vec<&str> = Vec::new();
    for (_, label) in places.iter().filter(|(of, _)| *of == key(source_ref)) {
        if !found.contains(&label.as_str()) {
            found.push(label);
        }
    }
    (!found.is_empty()).then(|| found.join("; "))
}

impl Statement {
    pub(crate) fn of(record: &SentenceRecord) -> Self {
        let places = record.citations.iter();
        let places = places.filter_map(|one| {
            Some((key(&text::one_line(&one.source_ref)), text::one_line(one.label.as_ref()?)))
        });
        Self {
            places: places.collect(),
            n: record.n,
            text: text::one_line(if record.claim.is_empty() { &record.sentence } else { &record.claim }),
            state: State::of(record),
            reason: text::one_line(&record.reason),
            against: record.conflicts.clone(),
        }
    }

    /// Why, with the sentences that may say otherwise.
    pub(crate) fn reason_text(&self) -> String {
        if self.against.is_empty() {
            return self.reason.clone();
        }
        let against = self.against.iter().map(|one| {
            format!(
                "{} says \u{201c}{}\u{201d} (here \u{201c}{}\u{201d}, there \u{201c}{}\u{201d})",
                one.paragraph_id,
                text::cut_at_word(&text::one_line(&one.stated_in), 240),
                text::one_line(&one.claimed),
                text::one_line(&one.stated)
            )
        });
        against.collect::<Vec<_>>().join("; ")
    }
}

/// How far a document may be relied on, by the worst that is known of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Every statement is quoted or judged supported, and nothing that was asked is open.
    Good,
    /// Something is left to the reader.
    Open,
    /// Something does not hold, or may not.
    Doubt,
}

/// What stands first in a document: how many statements there are and what is known of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Headline {
    /// How far it may be relied on.
    pub level: Level,
    /// In words: `12 statements: 9 quoted word for word, 3 unverified.`
    pub text: String,
}

impl Headline {
    /// `absences` are sentences that say what the sources do not say: nothing proves them. `unmentioned` is what was asked
    /// and occurs neither in the answer nor in what it cites.
    pub(crate) fn new(
        statements: &[Statement],
        limits: &Limits,
        needs_repair: bool,
        absences: usize,
        unmentioned: &[String],
    ) -> Self {
        let count = |state: State| statements.iter().filter(|one| one.state == state).count();
        let parts: Vec<String> = State::ALL
            .into_iter()
            .filter(|state| count(*state) > 0)
            .map(|state| format!("{} {}", count(state), state.as_str()))
            .collect();
        let mut text = match statements.len() {
            0 => "The answer makes no statement.".to_owned(),
            1 => format!("1 statement: {}.", parts.join(", ")),
            many => format!("{many} statements: {}.", parts.join(", ")),
        };
        text.push_str(&gaps(limits));
        match absences {
            0 => {}
            1 => text.push_str(" 1 sentence says what the sources do not say."),
            many => text.push_str(&format!(" {many} sentences say what the sources do not say.")),
        }
        if !unmentioned.is_empty() {
            text.push_str(&format!(
                " Neither the answer nor what it cites mentions: {}.",
                unmentioned.join(", ")
            ));
        }
        let whole = limits.gaps.is_empty() && absences == 0 && !needs_repair && unmentioned.is_empty();
        let worst = statements.iter().map(|one| one.state).max();
        let level = match worst {
            Some(State::Doubtful | State::Refused | State::NoSource) => Level::Doubt,
            Some(State::Quoted | State::Supported) if whole => Level::Good,
            _ => Level::Open,
        };
        Self { level, text }
    }

    /// Of a run that kept no records but names gaps: its citations are counted, and it is never [`Level::Good`].
    pub(crate) fn counted(summary: &VerificationSummary, limits: &Limits) -> Self {
        let holds = summary.total > 0
            && summary.verified == summary.total
            && limits.unsupported.is_empty()
            && !summary.needs_repair;
        let text = format!("{}{}", markdown::verified_line(summary), gaps(limits));
        Self { level: if holds { Level::Open } else { Level::Doubt }, text }
    }
}

/// How many gaps the answer names, as a sentence to append.
fn gaps(limits: &Limits) -> String {
    match limits.gaps.len() {
        0 => String::new(),
        1 => " 1 gap is named.".to_owned(),
        gaps => format!(" {gaps} gaps are named."),
    }
}
