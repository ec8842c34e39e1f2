//! Conditions: what else has to hold for an automation to fire.

use serde_json::Value;

use crate::cron::{is_zone, local_minute};
use crate::entry::Fault;
use crate::fields::Fields;
use crate::plan::Occurrence;

/// How deep conditions may be put into each other.
pub const MAX_CONDITION_DEPTH: usize = 8;
/// The most conditions of an automation, inner ones included.
pub const MAX_CONDITIONS: usize = 100;
/// The most days of a condition.
const DAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/// Something that has to hold.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// The time of the day and the day of the week.
    Time {
        /// Days, 0 is Sunday; empty: any.
        weekdays: Vec<u8>,
        /// The minute of the day from which it holds.
        after: Option<u16>,
        /// The minute of the day before which it holds. Before `after` it is that of the next day.
        before: Option<u16>,
        /// The time zone; without it the automation's.
        zone: Option<String>,
    },
    /// What something is, or was and became.
    State(Box<StateTest>),
    /// All of them.
    And(Vec<Condition>),
    /// One of them at least.
    Or(Vec<Condition>),
    /// None of them.
    Not(Vec<Condition>),
}

/// What something is, or was and became; what is absent is not asked.
#[derive(Debug, Clone, PartialEq)]
pub struct StateTest {
    /// The field, such as `permissionMode`.
    pub field: String,
    /// What it was before.
    pub from: Option<Value>,
    /// What it became.
    pub to: Option<Value>,
    /// What it is.
    pub value: Option<Value>,
    /// What it is not.
    pub not_value: Option<Value>,
    /// What it has in it: a part of a text, or an item of a list.
    pub contains: Option<Value>,
}

impl Condition {
    /// Reads a list; what is wrong goes to `faults`.
    pub(crate) fn list(value: &Value, place: &str, faults: &mut Vec<Fault>) -> Vec<Self> {
        let mut left = MAX_CONDITIONS;
        Self::inner(value, place, 1, &mut left, faults)
    }

    fn inner(
        value: &Value,
        place: &str,
        depth: usize,
        left: &mut usize,
        faults: &mut Vec<Fault>,
    ) -> Vec<Self> {
        let Value::Array(items) = value else {
            faults.push(Fault::new(place, "a list of conditions is expected here"));
            return Vec::new();
        };
        if depth > MAX_CONDITION_DEPTH {
            faults.push(Fault::new(place, format!("conditions stand at most {MAX_CONDITION_DEPTH} deep")));
            return Vec::new();
        }
        let mut read = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let place = format!("{place}/{index}");
            let Some(rest) = left.checked_sub(1) else {
                faults.push(Fault::new(&place, format!("there are more than {MAX_CONDITIONS} conditions")));
                break;
            };
            *left = rest;
            read.extend(Self::one(item, &place, depth, left, faults));
        }
        read
    }

    fn one(
        value: &Value,
        place: &str,
        depth: usize,
        left: &mut usize,
        faults: &mut Vec<Fault>,
    ) -> Option<Self> {
        let mut fields = Fields::new(value, place, faults)?;
        let kind = fields.text("condition", 20).unwrap_or_default();
        match kind.as_str() {
            "time" => Self::time(&mut fields),
            "state" => Self::state(&mut fields),
            "and" | "or" | "not" => {
                let below = fields.place("conditions");
                let inner = match fields.get("conditions") {
                    Some(list) => Self::inner(list, &below, depth + 1, left, fields.faults()),
                    None => {
                        fields.fault("conditions", "a list of conditions is expected here");
                        return None;
                    }
                };
                Some(match kind.as_str() {
                    "and" => Self::And(inner),
                    "or" => Self::Or(inner),
                    _ => Self::Not(inner),
                })
            }
            _ => {
                fields.fault("condition", "time, state, and, or, not is expected here");
                None
            }
        }
    }

    fn time(fields: &mut Fields<'_>) -> Option<Self> {
        let mut weekdays = Vec::new();
        for word in fields.texts("weekday", 7) {
            match DAYS.iter().position(|day| word.to_ascii_lowercase().get(..3) == Some(day)) {
                Some(day) => weekdays.push(day as u8),
                None => fields.fault(
                    "weekday",
                    format!("{word:?} is no day; days are mon, tue, wed, thu, fri, sat, sun"),
                ),
            }
        }
        let mut minute = |name: &str| {
            let text = fields.text(name, 10)?;
            let minute = minute_of(&text);
            if minute.is_none() {
                fields.fault(name, "a time such as 09:30 is expected here");
            }
            minute
        };
        let (after, before) = (minute("after"), minute("before"));
        let zone = fields.text("timezone", 80);
        if let Some(name) = zone.as_deref().filter(|name| !is_zone(name)) {
            let what = format!("there is no time zone {name:?}");
            fields.fault("timezone", what);
        }
        Some(Self::Time { weekdays, after, before, zone })
    }

    fn state(fields: &mut Fields<'_>) -> Option<Self> {
        let field = fields.needed("field", 100);
        let value = |name: &str| fields.get(name).cloned();
        let (from, to) = (value("from"), value("to"));
        let (is, not_value, contains) =
            (value("value"), value("not_value").or_else(|| value("notValue")), value("contains"));
        let Some(field) = field else {
            fields.fault("field", "the name of a field is expected here");
            return None;
        };
        if [&from, &to, &is, &not_value, &contains].into_iter().all(Option::is_none) {
            fields.fault("value", "one of value, not_value, contains, from, to is expected here");
            return None;
        }
        Some(Self::State(Box::new(StateTest { field, from, to, value: is, not_value, contains })))
    }

    /// Whether it holds for what happened, in a time zone.
    pub fn holds(&self, happened: &Occurrence, zone: &str) -> bool {
        match self {
            Self::Time { weekdays, after, before, zone: own } => {
                let Some((_, day, minute)) = local_minute(happened.at, own.as_deref().unwrap_or(zone)) else {
                    return false;
                };
                let in_time = match (after, before) {
                    (None, None) => true,
                    (Some(after), None) => minute >= *after,
                    (None, Some(before)) => minute < *before,
                    (Some(after), Some(before)) if after <= before => (*after..*before).contains(&minute),
                    (Some(after), Some(before)) => minute >= *after || minute < *before,
                };
                // The hours after midnight of a span that began the evening before belong to that day.
                let began_before = matches!((after, before), (Some(after), Some(before)) if after > before && minute < *before);
                let day = if began_before { (day + 6) % 7 } else { day };
                in_time && (weekdays.is_empty() || weekdays.contains(&day))
            }
            Self::State(test) => {
                let StateTest { field, from, to, value, not_value, contains } = &**test;
                let now = happened.facts.get(field).unwrap_or(&Value::Null);
                let was = happened.before.get(field).unwrap_or(&Value::Null);
                let wanted = |wanted: &Option<Value>, is: &Value| {
                    wanted.as_ref().is_none_or(|wanted| same(wanted, is))
                };
                let changed = (from.is_none() && to.is_none()) || happened.before.contains_key(field);
                changed
                    && wanted(from, was)
                    && wanted(to, now)
                    && wanted(value, now)
                    && not_value.as_ref().is_none_or(|not| !same(not, now))
                    && contains.as_ref().is_none_or(|part| has(now, part))
            }
            Self::And(all) => all.iter().all(|one| one.holds(happened, zone)),
            Self::Or(any) => any.iter().any(|one| one.holds(happened, zone)),
            Self::Not(none) => !none.iter().any(|one| one.holds(happened, zone)),
        }
    }
}

/// Numbers and texts that say the same are the same: files write `"true"` for true.
fn same(one: &Value, other: &Value) -> bool {
    one == other || (!one.is_null() && !other.is_null() && text(one) == text(other))
}

fn has(whole: &Value, part: &Value) -> bool {
    match whole {
        Value::Array(items) => items.iter().any(|item| same(item, part)),
        Value::String(whole) => whole.contains(&text(part)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            value.to_string()
        }
    }
}

fn minute_of(text: &str) -> Option<u16> {
    let (hour, minute) = text.split_once(':')?;
    let number = |text: &str| {
        let plain = (1..=2).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        if plain { text.parse::<u16>().ok() } else { None }
    };
    let (hour, minute) = (number(hour)?, number(minute)?);
    (hour < 24 && minute < 60 || hour == 24 && minute == 0).then_some(hour * 60 + minute)
}
