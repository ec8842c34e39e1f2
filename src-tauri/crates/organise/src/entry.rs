//! A label on a session: `bug`, or with a value `priority::3`.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::labels::LabelList;
use crate::mistake::short;
use crate::time;

/// Parts an id from its value.
const PART: &str = "::";
/// The longest value, in characters.
pub(crate) const MAX_VALUE_CHARS: usize = 200;
/// The most digits of a number.
const MAX_DIGITS: usize = 24;
const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// What a label's value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ValueType {
    /// A text.
    String,
    /// A number.
    Number,
    /// A day, `YYYY-MM-DD`.
    Date,
}

impl ValueType {
    const fn words(self) -> &'static str {
        match self {
            Self::String => "a text",
            Self::Number => "a number",
            Self::Date => "a day like 2026-05-01",
        }
    }
}

/// A label on a session.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Entry {
    /// The label's id.
    pub id: String,
    /// Its value, as it is stored.
    pub value: Option<String>,
}

/// Why a session can't have a label.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EntryError {
    /// There is no such label.
    #[error("there is no label `{id}`{}", nearest.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    Unknown {
        /// The id that was asked for.
        id: String,
        /// The one that was probably meant.
        nearest: Option<String>,
    },
    /// The label has no values.
    #[error("the label `{id}` has no value")]
    NoValue {
        /// Its id.
        id: String,
    },
    /// The value is of another type.
    #[error("the label `{id}` takes {}, not `{value}`", wanted.words())]
    Value {
        /// Its id.
        id: String,
        /// What it takes.
        wanted: ValueType,
        /// What was given.
        value: String,
    },
}

impl Entry {
    /// The id of what a session has stored.
    pub fn id_of(text: &str) -> &str {
        text.split_once(PART).map_or(text, |(id, _)| id)
    }

    /// What a session has stored.
    pub fn parse(text: &str) -> Self {
        match text.split_once(PART) {
            Some((id, value)) if !value.is_empty() => {
                Self { id: id.to_owned(), value: Some(value.to_owned()) }
            }
            Some((id, _)) => Self { id: id.to_owned(), value: None },
            None => Self { id: text.to_owned(), value: None },
        }
    }

    /// What a person or a tool asks for, checked against the labels that there are; its value is normalised.
    ///
    /// # Errors
    /// Why a session can't have it.
    pub fn checked(text: &str, labels: &LabelList) -> Result<Self, EntryError> {
        let Self { id, value } = Self::parse(text.trim());
        let Some(label) = labels.find(&id) else {
            let nearest = domain::nearest(&id, labels.ids()).first().map(|near| (*near).to_owned());
            return Err(EntryError::Unknown { id: short(&id), nearest });
        };
        let value = match (value, label.value_type) {
            (None, _) => None,
            (Some(_), None) => return Err(EntryError::NoValue { id }),
            (Some(value), Some(wanted)) => match normalise(&value, wanted) {
                Some(value) => Some(value),
                None => return Err(EntryError::Value { id, wanted, value: short(&value) }),
            },
        };
        Ok(Self { id, value })
    }

    /// As people read it: `Priority: 3`. A label that is gone is shown by its id.
    pub fn display(&self, labels: &LabelList) -> String {
        let name = labels.find(&self.id).map_or(self.id.as_str(), |label| label.name.as_str());
        match &self.value {
            Some(value) => format!("{name}: {value}"),
            None => name.to_owned(),
        }
    }
}

/// As a session stores it.
impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.id)?;
        match &self.value {
            Some(value) => write!(f, "{PART}{value}"),
            None => Ok(()),
        }
    }
}

/// A value in the one form in which it is stored: `$1.5M` is `1500000`, `1 May 2026` is `2026-05-01`. `None` when it is
/// not of that type.
pub fn normalise(raw: &str, wanted: ValueType) -> Option<String> {
    match wanted {
        ValueType::String => {
            let words: Vec<&str> = raw.split_whitespace().collect();
            let text: String =
                words.join(" ").chars().filter(|c| !c.is_control()).take(MAX_VALUE_CHARS).collect();
            (!text.is_empty()).then_some(text)
        }
        ValueType::Number => number(raw),
        ValueType::Date => date(raw),
    }
}

/// A number as people write it, with digits moved rather than reckoned: 1.1M is exactly 1100000.
fn number(raw: &str) -> Option<String> {
    let currency = |c: char| c.is_whitespace() || matches!(c, '$' | '€' | '£' | '¥' | '₹' | '+');
    let text = raw.trim_matches(currency);
    let (negative, text) = match text.strip_prefix(['-', '−']) {
        Some(rest) => (true, rest.trim_start_matches(currency)),
        None => (false, text),
    };
    let end = text.find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | ',' | '_' | '\'' | ' '));
    let (digits, unit) = text.split_at(end.unwrap_or(text.len()));
    decimal(digits.trim_end(), shift(unit)?, negative)
}

fn shift(unit: &str) -> Option<usize> {
    Some(match unit.trim().to_ascii_lowercase().as_str() {
        "" | "%" => 0,
        "k" => 3,
        "m" | "mn" | "mio" => 6,
        "b" | "bn" => 9,
        "t" | "tn" => 12,
        _ => return None,
    })
}

fn decimal(digits: &str, shift: usize, negative: bool) -> Option<String> {
    // A single comma that no three digits follow is a decimal one.
    let commas = digits.matches(',').count();
    let decimal_comma = commas == 1
        && !digits.contains('.')
        && digits.split_once(',').is_some_and(|(_, after)| after.len() != 3);
    let digits = if decimal_comma { digits.replace(',', ".") } else { digits.replace(',', "") };
    let digits: String = digits.chars().filter(|c| !matches!(c, '_' | '\'' | ' ')).collect();
    let (whole, part) = digits.split_once('.').unwrap_or((&digits, ""));
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !all_digits(whole) || !all_digits(part) || whole.is_empty() && part.is_empty() {
        return None;
    }
    if whole.len() + part.len() + shift > MAX_DIGITS {
        return None;
    }
    let mut part = part.to_owned();
    while part.len() < shift {
        part.push('0');
    }
    let (moved, part) = part.split_at(shift);
    let whole = format!("{whole}{moved}");
    let whole = whole.trim_start_matches('0');
    let (whole, part) = (if whole.is_empty() { "0" } else { whole }, part.trim_end_matches('0'));
    let sign = if negative && (whole != "0" || !part.is_empty()) { "-" } else { "" };
    Some(if part.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{part}") })
}

/// A day in one of the forms that can't be taken for another day.
fn date(raw: &str) -> Option<String> {
    let text = raw.trim();
    // The time of a timestamp says nothing more about the day.
    let text = match text.as_bytes().get(10) {
        Some(b'T' | b' ') if text.is_char_boundary(10) && time::day(&text[..10]).is_some() => &text[..10],
        _ => text,
    };
    let parts: Vec<&str> = text.split(['-', '/', '.', ' ', ',']).filter(|part| !part.is_empty()).collect();
    let [a, b, c] = parts.as_slice() else { return None };
    let named = |text: &str| {
        let text = text.to_lowercase();
        let long = text.len() >= 3 && text.is_ascii() && text.bytes().all(|byte| byte.is_ascii_alphabetic());
        let month = long.then(|| MONTHS.iter().position(|month| text.starts_with(month))).flatten()?;
        Some((month + 1).to_string())
    };
    let (year, month, day) = if a.len() == 4 {
        (*a, named(b).unwrap_or_else(|| (*b).to_owned()), *c)
    } else if let Some(month) = named(a) {
        (*c, month, *b)
    } else if let Some(month) = named(b) {
        (*c, month, *a)
    } else if text.contains('.') {
        // With dots the day comes first; with slashes it depends on the country.
        (*c, (*b).to_owned(), *a)
    } else {
        return None;
    };
    if year.len() != 4 || month.len() > 2 || day.len() > 2 {
        return None;
    }
    let iso = format!("{year}-{month:0>2}-{day:0>2}");
    time::day(&iso).map(|_| iso)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_stored_in_one_form() {
        for (raw, stored) in [
            ("3", Some("3")),
            ("$1.5M", Some("1500000")),
            ("1.1m", Some("1100000")),
            ("€ 2,500", Some("2500")),
            ("2.5 k", Some("2500")),
            ("1,234,567.80", Some("1234567.8")),
            ("1'234", Some("1234")),
            ("0,5", Some("0.5")),
            ("15%", Some("15")),
            ("-3", Some("-3")),
            ("-$2k", Some("-2000")),
            ("-0", Some("0")),
            ("007", Some("7")),
            ("0.000001", Some("0.000001")),
            ("3 apples", None),
            ("", None),
            ("$", None),
            (".", None),
            ("1.2.3", None),
            ("1e9", None),
            ("NaN", None),
            ("999999999999999999999999T", None),
        ] {
            assert_eq!(normalise(raw, ValueType::Number).as_deref(), stored, "{raw}");
        }
    }

    #[test]
    fn days_are_stored_in_one_form() {
        for (raw, stored) in [
            ("2026-05-01", Some("2026-05-01")),
            ("2026/5/1", Some("2026-05-01")),
            ("2026-05-01T23:59:00Z", Some("2026-05-01")),
            ("1 May 2026", Some("2026-05-01")),
            ("May 1, 2026", Some("2026-05-01")),
            ("1.5.2026", Some("2026-05-01")),
            ("5/1/2026", None),
            ("2026-02-30", None),
            ("tomorrow", None),
            ("", None),
            ("1 Mai 26", None),
            ("２０２６-05-01", None),
        ] {
            assert_eq!(normalise(raw, ValueType::Date).as_deref(), stored, "{raw}");
        }
    }

    #[test]
    fn texts_are_one_line_of_bounded_length() {
        assert_eq!(normalise("  a\n b\t\u{7}c ", ValueType::String).as_deref(), Some("a b c"));
        assert_eq!(normalise(" \n", ValueType::String), None);
        assert_eq!(
            normalise(&"ü".repeat(9_999), ValueType::String).unwrap().chars().count(),
            MAX_VALUE_CHARS
        );
    }

    #[test]
    fn an_entry_comes_back_as_it_was() {
        for text in ["bug", "priority::3", "url::https://x::y"] {
            assert_eq!(Entry::parse(text).to_string(), text);
        }
        assert_eq!(Entry::parse("a::"), Entry { id: "a".to_owned(), value: None });
        assert_eq!(Entry::id_of("a::b::c"), "a");
    }
}
