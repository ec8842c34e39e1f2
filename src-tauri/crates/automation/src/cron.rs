//! Cron patterns in time zones.
//!
//! Five fields: minute, hour, day of the month, month, day of the week. Where a clock is put forward, a fixed time (one minute
//! of one hour) that is left out comes at the first moment after the gap; where it is put back, a fixed time comes once and a
//! pattern with several minutes or hours twice (the Open Cron Pattern Specification).

use std::fmt;
use std::sync::OnceLock;

use croner::Cron;
use croner::errors::CronError;
use croner::parser::{CronParser, Seconds, Year};
use jiff::tz::{TimeZone, TimeZoneDatabase};
use jiff::{Timestamp, Zoned};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The longest pattern, in bytes.
const MAX_PATTERN_BYTES: usize = 200;
/// The most parts of one field.
const MAX_PARTS: usize = 60;
/// How many years ahead a time is looked for: the 29th of February on one weekday comes every 28 years, every 40 around a
/// century that has none.
const YEARS: i16 = 41;
/// The most missed times that are counted.
const MAX_MISSED: u32 = 10_000;

const MONTHS: [&str; 12] =
    ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const DAYS: [&str; 7] = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];
/// Names of whole patterns.
const NICKNAMES: [(&str, &str); 7] = [
    ("@yearly", "0 0 1 1 *"),
    ("@annually", "0 0 1 1 *"),
    ("@monthly", "0 0 1 * *"),
    ("@weekly", "0 0 * * 0"),
    ("@daily", "0 0 * * *"),
    ("@midnight", "0 0 * * *"),
    ("@hourly", "0 * * * *"),
];

/// Why a schedule is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    /// It has too much.
    #[error("the pattern is longer than {MAX_PATTERN_BYTES} characters")]
    TooLong,
    /// It has not five fields.
    #[error("{0}")]
    Fields(String),
    /// A field is wrong.
    #[error("the {field} {text:?} is not understood: {why}")]
    Field {
        /// Which.
        field: &'static str,
        /// What it says.
        text: String,
        /// What is wrong with it.
        why: String,
    },
    /// There is no such time zone.
    #[error("there is no time zone {0:?}; names look like Europe/Budapest")]
    Zone(String),
    /// No day is meant by it.
    #[error("it never comes: no day of the next {YEARS} years fits")]
    Never,
}

/// What becomes of times that came while the program was not open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MissedPolicy {
    /// Nothing.
    #[default]
    Skip,
    /// It fires once for all of them.
    Once,
}

/// Times that came while the program was not open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MissedTimes {
    /// How many; counted up to 10,000.
    pub count: u32,
    /// The last of all, in milliseconds since 1970.
    pub last: i64,
}

/// A cron pattern in a time zone.
#[derive(Clone)]
pub struct Schedule {
    pattern: String,
    zone: TimeZone,
}

impl fmt::Debug for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let zone = self.zone.iana_name().unwrap_or_default();
        f.debug_struct("Schedule").field("pattern", &self.pattern).field("zone", &zone).finish()
    }
}

impl Schedule {
    /// Reads a pattern in a zone of the IANA database.
    ///
    /// # Errors
    /// What is wrong with either. Whether it ever comes is not asked here: [`Self::next`] tells.
    pub fn parse(pattern: &str, zone: &str) -> Result<Self, ScheduleError> {
        let pattern = normal(pattern)?;
        let zone = zone_of(zone).ok_or_else(|| ScheduleError::Zone(zone.chars().take(80).collect()))?;
        parsed(&format!("0 {pattern} *")).map_err(|error| ScheduleError::Field {
            field: "pattern",
            text: pattern.clone(),
            why: error.to_string(),
        })?;
        Ok(Self { pattern, zone })
    }

    /// The first time after `after`, both in milliseconds since 1970.
    ///
    /// # Errors
    /// [`ScheduleError::Never`] when there is none within 41 years.
    pub fn next(&self, after: i64) -> Result<i64, ScheduleError> {
        self.times(after).next().ok_or(ScheduleError::Never)
    }

    /// All times after `after` within 41 years, one after the other.
    fn times(&self, after: i64) -> impl Iterator<Item = i64> {
        let cron = self.at(after).and_then(|start| {
            // The years bound the search: a pattern that no day fits would be tried up to the year 5000.
            let (first, last) = (start.year(), start.year().saturating_add(YEARS));
            parsed(&format!("0 {} {first}-{last}", self.pattern)).ok()
        });
        let later = move |at: i64| -> Option<i64> {
            let found: Zoned = cron.as_ref()?.find_next_occurrence(&self.at(at)?, false).ok()?;
            Some(found.timestamp().as_millisecond()).filter(|found| *found > at)
        };
        std::iter::successors(later(after), move |at| later(*at))
    }

    /// The next times after `after`, at most `most`.
    pub fn following(&self, after: i64, most: usize) -> Vec<i64> {
        std::iter::successors(self.next(after).ok(), |last| self.next(*last).ok()).take(most).collect()
    }

    /// Times after `from` and not after `to`; `None` where there is none.
    pub fn missed(&self, from: i64, to: i64) -> Option<MissedTimes> {
        let mut missed: Option<MissedTimes> = None;
        for last in self.times(from).take_while(|at| *at <= to).take(MAX_MISSED as usize) {
            missed = Some(MissedTimes { count: missed.map_or(0, |missed| missed.count) + 1, last });
        }
        match missed {
            Some(MissedTimes { count: MAX_MISSED, last }) => {
                Some(MissedTimes { count: MAX_MISSED, last: self.last(last, to).unwrap_or(last) })
            }
            missed => missed,
        }
    }

    /// The last time after `from` and not after `to`, looked for in longer and longer spans before `to`.
    fn last(&self, from: i64, to: i64) -> Option<i64> {
        let mut span = 60 * 60_000;
        loop {
            let begin = from.max(to.saturating_sub(span));
            let found = self.times(begin).take_while(|at| *at <= to).last();
            if found.is_some() || begin == from {
                return found;
            }
            span = span.saturating_mul(2);
        }
    }

    /// What it says, in plain English.
    pub fn words(&self) -> String {
        match parsed(&format!("0 {} *", self.pattern)) {
            Ok(cron) => cron.describe(),
            Err(_) => self.pattern.clone(),
        }
    }

    /// The name of its time zone.
    pub fn zone(&self) -> &str {
        self.zone.iana_name().unwrap_or("UTC")
    }

    fn at(&self, ms: i64) -> Option<Zoned> {
        Some(Timestamp::from_millisecond(ms).ok()?.to_zoned(self.zone.clone()))
    }
}

fn parsed(pattern: &str) -> Result<Cron, CronError> {
    CronParser::builder().seconds(Seconds::Required).year(Year::Required).build().parse(pattern)
}

/// Zones are those that come with the program, so that a time does not depend on the machine.
fn database() -> &'static TimeZoneDatabase {
    static ZONES: OnceLock<TimeZoneDatabase> = OnceLock::new();
    ZONES.get_or_init(TimeZoneDatabase::bundled)
}

fn zone_of(name: &str) -> Option<TimeZone> {
    if name.len() > 80 {
        return None;
    }
    database().get(name).ok()
}

/// Whether there is a time zone of that name.
pub fn is_zone(name: &str) -> bool {
    zone_of(name).is_some()
}

/// The names of all time zones.
pub fn zones() -> Vec<String> {
    database().available().map(|name| name.to_string()).collect()
}

/// The date as `2026-03-29`, the weekday (0 is Sunday), and the minute of the day in a zone.
pub fn local_minute(ms: i64, zone: &str) -> Option<(String, u8, u16)> {
    let now = Timestamp::from_millisecond(ms).ok()?.to_zoned(zone_of(zone)?);
    let weekday = u8::try_from(now.weekday().to_sunday_zero_offset()).ok()?;
    let minute = u16::try_from(i16::from(now.hour()) * 60 + i16::from(now.minute())).ok()?;
    Some((now.date().to_string(), weekday, minute))
}

/// The pattern with five fields, each of them checked; names are numbers afterwards.
fn normal(pattern: &str) -> Result<String, ScheduleError> {
    let pattern = pattern.trim();
    if pattern.len() > MAX_PATTERN_BYTES {
        return Err(ScheduleError::TooLong);
    }
    if let Some((_, meant)) = NICKNAMES.iter().find(|(name, _)| pattern.eq_ignore_ascii_case(name)) {
        return Ok((*meant).to_owned());
    }
    let fields: Vec<&str> = pattern.split_whitespace().collect();
    match fields.len() {
        5 => {}
        0 => return Err(ScheduleError::Fields("the pattern is empty".to_owned())),
        6 | 7 => {
            return Err(ScheduleError::Fields(
                "the pattern has more than five fields: seconds and years are not taken".to_owned(),
            ));
        }
        given => {
            return Err(ScheduleError::Fields(format!(
                "the pattern has {given} {}: it takes five (minute, hour, day of the month, month, day of the week)",
                if given == 1 { "field" } else { "fields" }
            )));
        }
    }
    let parts = [
        Field { name: "minute", least: 0, most: 59, names: &[], from: 0, day: Day::No },
        Field { name: "hour", least: 0, most: 23, names: &[], from: 0, day: Day::No },
        Field { name: "day of the month", least: 1, most: 31, names: &[], from: 1, day: Day::OfMonth },
        Field { name: "month", least: 1, most: 12, names: &MONTHS, from: 1, day: Day::No },
        Field { name: "day of the week", least: 0, most: 7, names: &DAYS, from: 0, day: Day::OfWeek },
    ];
    let normal: Result<Vec<String>, ScheduleError> =
        parts.iter().zip(&fields).map(|(field, text)| field.normal(text)).collect();
    Ok(normal?.join(" "))
}

/// What is wrong with a field, in words.
struct FieldError(String);

impl From<&str> for FieldError {
    fn from(why: &str) -> Self {
        Self(why.to_owned())
    }
}

#[derive(PartialEq, Eq)]
enum Day {
    No,
    OfMonth,
    OfWeek,
}

struct Field {
    name: &'static str,
    least: u8,
    most: u8,
    names: &'static [&'static str],
    /// The number of the first name.
    from: u8,
    day: Day,
}

impl Field {
    fn normal(&self, text: &str) -> Result<String, ScheduleError> {
        let wrong = |why: String| ScheduleError::Field { field: self.name, text: text.to_owned(), why };
        let parts: Vec<&str> = text.split(',').collect();
        if parts.len() > MAX_PARTS {
            return Err(wrong(format!("it has more than {MAX_PARTS} parts")));
        }
        let parts: Result<Vec<_>, FieldError> = parts.into_iter().map(|part| self.part(part)).collect();
        Ok(parts.map_err(|why| wrong(why.0))?.join(","))
    }

    fn part(&self, part: &str) -> Result<String, FieldError> {
        let (base, step) = match part.split_once('/') {
            None => (part, None),
            Some((base, step)) => {
                let step = number(step).filter(|step| (1..=self.most).contains(step));
                let step =
                    step.ok_or_else(|| FieldError(format!("a step is a number from 1 to {}", self.most)))?;
                (base, Some(step))
            }
        };
        let day = self.day != Day::No;
        let base = match base {
            "*" => "*".to_owned(),
            "?" if day => "*".to_owned(),
            "L" | "l" if self.day == Day::OfMonth && step.is_none() => "L".to_owned(),
            _ => match base.split_once('-') {
                Some((from, to)) => {
                    let (from, mut to) = (self.value(from)?, self.value(to)?);
                    if self.day == Day::OfWeek && to == 0 && from > 0 {
                        to = 7;
                    }
                    if from > to {
                        return Err(FieldError(format!("the range goes from {from} down to {to}")));
                    }
                    format!("{from}-{to}")
                }
                None if step.is_some() => {
                    return Err("a step stands after * or a range, such as */5 or 10-40/5".into());
                }
                None => self.single(base)?,
            },
        };
        Ok(match step {
            Some(step) => format!("{base}/{step}"),
            None => base,
        })
    }

    /// A number or name, or one of the forms that only days have: `15W`, `FRI#2`, `5L`.
    fn single(&self, text: &str) -> Result<String, FieldError> {
        let last = |c: char| text.strip_suffix([c, c.to_ascii_lowercase()]);
        if self.day == Day::OfMonth
            && let Some(near) = last('W')
        {
            return Ok(format!("{}W", self.value(near)?));
        }
        if self.day == Day::OfWeek {
            if let Some((day, nth)) = text.split_once('#') {
                let nth = number(nth).filter(|nth| (1..=5).contains(nth)).ok_or("after # stands 1 to 5")?;
                return Ok(format!("{}#{nth}", self.value(day)?));
            }
            if let Some(day) = last('L').filter(|day| !day.is_empty()) {
                return Ok(format!("{}L", self.value(day)?));
            }
        }
        self.value(text).map(|value| value.to_string())
    }

    fn value(&self, text: &str) -> Result<u8, FieldError> {
        let named = self.names.iter().position(|name| name.eq_ignore_ascii_case(text));
        let value = match named {
            Some(place) => u8::try_from(place).ok().map(|place| place + self.from),
            None => number(text),
        };
        value.filter(|value| (self.least..=self.most).contains(value)).ok_or_else(|| {
            let names =
                self.names.first().map(|first| format!(", or a name such as {first}")).unwrap_or_default();
            FieldError(format!("{text:?} is no number from {} to {}{names}", self.least, self.most))
        })
    }
}

fn number(text: &str) -> Option<u8> {
    let plain = (1..=2).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if plain { text.parse().ok() } else { None }
}
