//! Which automations an event fires.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::action::{Action, ActionPhase};
use crate::entry::Entry;
use crate::event::Event;
use crate::rate::Rate;

/// How many automations may fire one another in a row.
pub const MAX_CHAIN_DEPTH: u8 = 3;

/// Something that happened, or is about to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Occurrence {
    /// What.
    pub event: Event,
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// What matchers are held against.
    pub subject: String,
    /// The session that it belongs to.
    pub session: Option<String>,
    /// How it stands, by the names that conditions have for it: `sessionStatus`, `permissionMode`, `isFlagged`, `labels`,
    /// `sessionName`, `tool`, `agent`, …
    pub facts: BTreeMap<String, Value>,
    /// What of it was another before.
    pub before: BTreeMap<String, Value>,
    /// How many automations led here.
    pub depth: u8,
}

impl Occurrence {
    /// Nothing but an event and its time.
    pub fn new(event: Event, at: i64) -> Self {
        Self {
            event,
            at,
            subject: String::new(),
            session: None,
            facts: BTreeMap::new(),
            before: BTreeMap::new(),
            depth: 0,
        }
    }

    /// The same with a fact.
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.facts.insert(name.to_owned(), value.into());
        self
    }

    /// The same with the subject of matchers.
    pub fn on(mut self, subject: impl Into<String>) -> Self {
        self.subject = subject.into();
        self
    }
}

/// What is known besides the file.
#[derive(Debug, Clone, Copy)]
pub struct State<'a> {
    /// Automations that the person enabled: the digest that they saw, by id.
    pub enabled: &'a BTreeMap<String, String>,
    /// What fired lately.
    pub rate: &'a Rate,
}

/// Why an automation does not fire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// It waits for something else.
    Event,
    /// It has faults.
    Broken,
    /// Its file has it off.
    Off,
    /// The person has not enabled it.
    NotEnabled,
    /// It is another than the one that the person enabled.
    Changed,
    /// Its matcher does not match.
    Matcher,
    /// A condition does not hold.
    Condition,
    /// Its event fired too much within a minute.
    Rate,
    /// Automations led to it that led to one another.
    Chain,
}

impl SkipReason {
    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Event => "it waits for something else",
            Self::Broken => "it has faults",
            Self::Off => "its file has it off",
            Self::NotEnabled => "it is not enabled",
            Self::Changed => "it was changed since it was enabled: enable it again",
            Self::Matcher => "the matcher does not match",
            Self::Condition => "a condition does not hold",
            Self::Rate => "this event fired too often within a minute",
            Self::Chain => "automations fired one another three times in a row",
        }
    }
}

/// What becomes of an automation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// All of it is carried out.
    Fire,
    /// Only what may veto is carried out: a limit must not open a gate.
    VetoesOnly(SkipReason),
    /// Nothing of it is carried out.
    Refused(SkipReason),
}

/// What becomes of one automation.
#[derive(Debug, Clone, Copy)]
pub struct Decision<'a> {
    /// It.
    pub entry: &'a Entry,
    /// What becomes of it.
    pub verdict: Verdict,
}

/// Something was kept from happening.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Veto {
    /// By which automation.
    pub automation: String,
    /// Its name for people.
    pub title: String,
    /// Why.
    pub reason: String,
}

impl Decision<'_> {
    /// The actions that are carried out at a moment.
    pub fn actions(&self, moment: ActionPhase) -> impl Iterator<Item = &Action> {
        let event = self.entry.event.unwrap_or(Event::Tick);
        let open = match self.verdict {
            Verdict::Fire => true,
            Verdict::VetoesOnly(_) => moment == ActionPhase::Vetoes,
            Verdict::Refused(_) => false,
        };
        self.entry.actions.iter().filter(move |action| open && action.gated(event) == moment)
    }
}

impl Entry {
    /// What becomes of it when something happens.
    pub fn decide(&self, happened: &Occurrence, state: State<'_>) -> Verdict {
        let refused = |why| Verdict::Refused(why);
        if self.event != Some(happened.event) {
            return refused(SkipReason::Event);
        }
        if !self.is_sound() {
            return refused(SkipReason::Broken);
        }
        if !self.on {
            return refused(SkipReason::Off);
        }
        match state.enabled.get(&self.id) {
            None => return refused(SkipReason::NotEnabled),
            Some(seen) if *seen != self.digest.to_string() => return refused(SkipReason::Changed),
            Some(_) => {}
        }
        if !self.fits(happened) {
            return refused(SkipReason::Matcher);
        }
        if !self.conditions.iter().all(|condition| condition.holds(happened, &self.zone)) {
            return refused(SkipReason::Condition);
        }
        let limit = if happened.depth >= MAX_CHAIN_DEPTH {
            Some(SkipReason::Chain)
        } else if !state.rate.allows(happened.event, happened.at) {
            Some(SkipReason::Rate)
        } else {
            None
        };
        let may_veto = self.actions.iter().any(|action| action.gated(happened.event) == ActionPhase::Vetoes);
        match limit {
            None => Verdict::Fire,
            Some(limit) if may_veto => Verdict::VetoesOnly(limit),
            Some(limit) => refused(limit),
        }
    }

    /// Whether its matcher matches the subject.
    pub fn fits(&self, happened: &Occurrence) -> bool {
        self.matcher.as_ref().is_none_or(|matcher| matcher.matches(&happened.subject))
    }
}

/// Holds something that happens against every automation that waits for it.
pub fn plan<'a>(entries: &'a [Entry], happened: &Occurrence, state: State<'_>) -> Vec<Decision<'a>> {
    entries
        .iter()
        .filter(|entry| entry.event == Some(happened.event))
        .map(|entry| Decision { entry, verdict: entry.decide(happened, state) })
        .collect()
}
