//! One automation as its file says it.

use domain::{Digest, Mode};
use regex::{Regex, RegexBuilder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::action::Action;
use crate::condition::Condition;
use crate::cron::{MissedPolicy, Schedule, ScheduleError, is_zone};
use crate::event::Event;
use crate::fields::Fields;

/// The longest matcher, in bytes, and the most memory that it may compile to.
const MAX_MATCHER_BYTES: usize = 1_000;
const MATCHER_MEMORY: usize = 1 << 20;
/// The most of a text that a matcher is held against, in bytes.
const MAX_MATCHED_BYTES: usize = 20_000;
/// The most actions of an automation.
const MAX_ACTIONS: usize = 20;
/// The most labels that it sets.
const MAX_LABELS: usize = 20;

/// Something that is wrong in an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Fault {
    /// Where: a JSON pointer into the entry.
    pub place: String,
    /// What.
    pub message: String,
}

impl Fault {
    pub(crate) fn new(place: &str, message: impl Into<String>) -> Self {
        Self { place: place.to_owned(), message: message.into() }
    }
}

/// A pattern that is held against the subject of an event, in time linear in its length.
#[derive(Debug, Clone)]
pub struct Matcher {
    text: String,
    regex: Regex,
}

impl PartialEq for Matcher {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Matcher {
    fn parse(text: &str) -> Result<Self, Fault> {
        let wrong = |what: String| Fault::new("/matcher", what);
        if text.len() > MAX_MATCHER_BYTES {
            return Err(wrong(format!("it is longer than {MAX_MATCHER_BYTES} bytes")));
        }
        let built = RegexBuilder::new(text).size_limit(MATCHER_MEMORY).dfa_size_limit(MATCHER_MEMORY).build();
        let regex = built.map_err(|error| {
            if matches!(error, regex::Error::CompiledTooBig(_)) {
                return wrong("the pattern needs too much memory: make it shorter".to_owned());
            }
            let words = error.to_string();
            wrong(format!("this is no pattern: {}", words.lines().last().unwrap_or_default()))
        })?;
        Ok(Self { text: text.to_owned(), regex })
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it is found in a text; of a long one the beginning counts.
    pub fn matches(&self, text: &str) -> bool {
        self.regex.is_match(&text[..text.floor_char_boundary(MAX_MATCHED_BYTES)])
    }
}

/// An automation. One that has faults never fires.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Its id, unique within the file.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// What it waits for; absent where this program has no such event.
    pub event: Option<Event>,
    /// The same as the file has it.
    pub event_name: String,
    /// When it is due, for a schedule.
    pub schedule: Option<Schedule>,
    /// The cron pattern as it was written.
    pub cron: String,
    /// Its time zone: its own, or the one that was given for those without.
    pub zone: String,
    /// What becomes of times that came while the program was not open.
    pub missed: MissedPolicy,
    /// What the subject of the event has to match.
    pub matcher: Option<Matcher>,
    /// What else has to hold; all of them.
    pub conditions: Vec<Condition>,
    /// The mode of what it begins.
    pub mode: Mode,
    /// Labels of sessions that it begins.
    pub labels: Vec<String>,
    /// What it does, in order.
    pub actions: Vec<Action>,
    /// Whether its file lets it be enabled at all.
    pub on: bool,
    /// Of everything that it says. Enabling is bound to it.
    pub digest: Digest,
    /// What is wrong with it.
    pub faults: Vec<Fault>,
    /// As the file has it.
    pub raw: Value,
}

impl Entry {
    /// Reads one; `zone` is the time zone of those that name none.
    pub(crate) fn read(event_name: &str, raw: &Value, zone: &str) -> Self {
        let mut faults = Vec::new();
        let event = Event::of_name(event_name);
        if event.is_none() {
            faults.push(Fault::new("", format!("this program has no event {event_name:?}")));
        }
        let digest = digest(event_name, raw);
        let mut entry = Self {
            id: format!("auto-{}", digest.short()),
            name: String::new(),
            event,
            event_name: event_name.to_owned(),
            schedule: None,
            cron: String::new(),
            zone: zone.to_owned(),
            missed: MissedPolicy::Skip,
            matcher: None,
            conditions: Vec::new(),
            mode: Mode::Safe,
            labels: Vec::new(),
            actions: Vec::new(),
            on: true,
            digest,
            faults: Vec::new(),
            raw: raw.clone(),
        };
        if let Some(mut fields) = Fields::new(raw, "", &mut faults) {
            entry.fill(&mut fields, zone);
        }
        entry.faults = faults;
        entry
    }

    fn fill(&mut self, fields: &mut Fields<'_>, zone: &str) {
        if let Some(id) = fields.text("id", 100) {
            let plain = !id.is_empty()
                && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
            match plain {
                true => self.id = id,
                false => {
                    fields.fault("id", "letters, digits, dots, hyphens and underscores are expected here")
                }
            }
        }
        self.name = fields.text("name", 200).unwrap_or_default();
        self.on = fields.flag("enabled").unwrap_or(true);
        if let Some(own) = fields.text("timezone", 80).filter(|own| !own.is_empty()) {
            match is_zone(&own) {
                true => self.zone = own,
                false => fields.fault("timezone", ScheduleError::Zone(own.clone()).to_string()),
            }
        } else if !is_zone(zone) {
            self.zone = "UTC".to_owned();
        }
        self.schedule(fields);
        self.missed = fields.word("missed", "skip or once").unwrap_or_default();
        if let Some(pattern) = fields.text("matcher", usize::MAX).filter(|pattern| !pattern.is_empty()) {
            match Matcher::parse(&pattern) {
                Ok(matcher) => self.matcher = Some(matcher),
                Err(fault) => fields.faults().push(fault),
            }
        }
        if let Some(conditions) = fields.get("conditions") {
            self.conditions = Condition::list(conditions, "/conditions", fields.faults());
        }
        self.mode = match fields.text("permissionMode", 20).as_deref() {
            None | Some("" | "safe") => Mode::Safe,
            Some("ask") => Mode::Ask,
            Some("allow-all") => Mode::AllowAll,
            Some(_) => {
                fields.fault("permissionMode", "safe, ask or allow-all is expected here");
                Mode::Safe
            }
        };
        self.labels = fields.texts("labels", MAX_LABELS);
        self.actions(fields);
    }

    fn schedule(&mut self, fields: &mut Fields<'_>) {
        let cron = fields.text("cron", usize::MAX);
        match (self.event, cron) {
            (Some(Event::Tick), None) => {
                fields.fault("cron", "a schedule needs a cron pattern such as 0 9 * * 1-5")
            }
            (Some(Event::Tick), Some(cron)) => {
                match Schedule::parse(&cron, &self.zone) {
                    Ok(schedule) => self.schedule = Some(schedule),
                    Err(error) => fields.fault("cron", error.to_string()),
                }
                self.cron = cron.chars().take(200).collect();
            }
            (Some(_), Some(cron)) if !cron.is_empty() => {
                fields.fault("cron", "only schedules (SchedulerTick) have a cron pattern");
            }
            (Some(_) | None, _) => {}
        }
    }

    fn actions(&mut self, fields: &mut Fields<'_>) {
        let event = self.event.unwrap_or(Event::Tick);
        match fields.get("actions") {
            Some(Value::Array(items)) if items.len() <= MAX_ACTIONS => {
                for (index, item) in items.iter().enumerate() {
                    if let Some(mut inner) = Fields::new(item, &format!("/actions/{index}"), fields.faults())
                    {
                        self.actions.extend(Action::read(event, &mut inner));
                    }
                }
                if items.is_empty() {
                    fields.fault("actions", "it does nothing: an action is expected here");
                }
            }
            Some(Value::Array(_)) => {
                fields.fault("actions", format!("there are more than {MAX_ACTIONS} actions"))
            }
            Some(_) | None => fields.fault("actions", "a list of actions is expected here"),
        }
    }

    /// Whether it can fire once it is enabled.
    pub fn is_sound(&self) -> bool {
        self.faults.is_empty()
    }

    /// What people call it: its name, else what it waits for.
    pub fn title(&self) -> String {
        let named = self.name.trim();
        if !named.is_empty() {
            return named.to_owned();
        }
        match &self.schedule {
            Some(schedule) => schedule.words(),
            None => self.event_name.clone(),
        }
    }
}

/// Of everything that an entry says but whether its file has it on: switching it off asks for nothing.
fn digest(event_name: &str, raw: &Value) -> Digest {
    let mut said = raw.clone();
    if let Value::Object(map) = &mut said {
        map.remove("enabled");
    }
    let event = match Event::of_name(event_name) {
        Some(event) => event.name(),
        None => event_name,
    };
    Digest::of_json(&json!({"event": event, "entry": said}))
}
