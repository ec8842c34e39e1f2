//! Dates, units and bounds of numbers, as far as two sentences can be compared by them.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// What a number counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Measure {
    /// Per cent.
    Share,
    /// Money: its currency where it is given, and its scale.
    Money(Option<&'static str>, Option<&'static str>),
    /// A time.
    Time(&'static str),
    /// A plain multiple: `5 million`.
    Scale(&'static str),
}

/// Whether a number is the least or the most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bound {
    /// `at least 5`.
    Least,
    /// `at most 5`.
    Most,
}

const CURRENCIES: [(&str, &str); 14] = [
    ("eur", "EUR"),
    ("euro", "EUR"),
    ("euros", "EUR"),
    ("€", "EUR"),
    ("usd", "USD"),
    ("dollar", "USD"),
    ("dollars", "USD"),
    ("$", "USD"),
    ("gbp", "GBP"),
    ("pound", "GBP"),
    ("pounds", "GBP"),
    ("£", "GBP"),
    ("chf", "CHF"),
    ("jpy", "JPY"),
];
const SCALES: [&str; 4] = ["hundred", "thousand", "million", "billion"];
const TIMES: [&str; 7] = ["minute", "hour", "day", "week", "month", "quarter", "year"];

impl Measure {
    /// Whether the same number of the other is another amount. What one leaves out is no difference.
    pub(crate) fn says_otherwise(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Money(a, x), Self::Money(b, y)) => {
                matches!((a, b), (Some(a), Some(b)) if a != b)
                    || matches!((x, y), (Some(x), Some(y)) if x != y)
            }
            (Self::Share, Self::Share) => false,
            (Self::Time(a), Self::Time(b)) | (Self::Scale(a), Self::Scale(b)) => a != b,
            (Self::Scale(a), Self::Money(_, scale)) | (Self::Money(_, scale), Self::Scale(a)) => {
                scale.is_some_and(|scale| scale != *a)
            }
            (Self::Share, Self::Money(..) | Self::Time(_) | Self::Scale(_))
            | (Self::Money(..) | Self::Time(_) | Self::Scale(_), Self::Share)
            | (Self::Time(_), Self::Money(..) | Self::Scale(_))
            | (Self::Money(..) | Self::Scale(_), Self::Time(_)) => true,
        }
    }

    pub(crate) fn shown(&self, number: &str) -> String {
        match self {
            Self::Share => format!("{number} %"),
            Self::Money(currency, scale) => {
                [*currency, Some(number), *scale].into_iter().flatten().collect::<Vec<_>>().join(" ")
            }
            Self::Time(unit) => format!("{number} {unit}"),
            Self::Scale(scale) => format!("{number} {scale}"),
        }
    }
}

/// What the number between two texts counts; both are folded and in lower case.
pub(crate) fn measure(number: &str, before: &str, after: &str) -> Option<Measure> {
    if number.ends_with('%') {
        return Some(Measure::Share);
    }
    let currency = |word: &str| CURRENCIES.iter().find(|(name, _)| *name == word).map(|(_, code)| *code);
    let mark = before.trim_end();
    let mut money = mark.chars().next_back().and_then(|c| currency(c.encode_utf8(&mut [0; 4])));
    money =
        money.or_else(|| currency(mark.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default()));
    let mut next = after
        .split([' ', '-'])
        .filter(|word| !word.is_empty())
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '€' && c != '$' && c != '£'));
    let mut word = next.next().unwrap_or_default();
    let scale = SCALES.iter().find(|scale| word.strip_suffix('s').unwrap_or(word) == **scale).copied();
    if scale.is_some() {
        word = next.next().unwrap_or_default();
    }
    money = money.or_else(|| currency(word));
    if money.is_some() {
        return Some(Measure::Money(money, scale));
    }
    if let Some(scale) = scale {
        return Some(Measure::Scale(scale));
    }
    let time = word.strip_suffix('s').unwrap_or(word);
    TIMES.iter().find(|unit| **unit == time).map(|unit| Measure::Time(unit))
}

/// The dates of a text in lower case, with a comparable form.
pub(crate) fn dates(text: &str) -> Vec<(Range<usize>, String)> {
    const MONTHS: &str =
        "january|february|march|april|may|june|july|august|september|october|november|december";
    static DATE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(&format!(
            r"\b(?:(?P<d>\d{{1,2}}) (?P<m>{MONTHS})(?: (?P<y>\d{{4}}))?|(?P<m2>{MONTHS}) (?P<d2>\d{{1,2}})(?:, (?P<y2>\d{{4}}))?|(?P<m3>{MONTHS}) (?P<y3>\d{{4}}))\b"
        ))
        .ok()
    });
    let Some(pattern) = DATE.as_ref() else { return Vec::new() };
    pattern
        .captures_iter(text)
        .filter_map(|found| {
            // Without a year `may 20` is a permission as well as a day.
            if found.name("m2").is_some_and(|month| month.as_str() == "may") && found.name("y2").is_none() {
                return None;
            }
            let part = |names: [&str; 3]| names.iter().find_map(|name| Some(found.name(name)?.as_str()));
            let words: Vec<&str> = [part(["d", "d2", "d"]), part(["m", "m2", "m3"]), part(["y", "y2", "y3"])]
                .into_iter()
                .flatten()
                .collect();
            Some((found.get(0)?.range(), words.join(" ")))
        })
        .collect()
}

impl Bound {
    /// The bound that the words directly before a number say, and how many words say it.
    pub(crate) fn parse(before: &[&str]) -> Option<(Self, usize)> {
        let last = |count: usize| before.len().checked_sub(count).map(|from| &before[from..]);
        if let Some([negation, more, "than"]) = last(3)
            && matches!(*negation, "not" | "no")
        {
            match *more {
                "less" | "fewer" | "lower" => return Some((Self::Least, 3)),
                "more" | "greater" | "higher" => return Some((Self::Most, 3)),
                _ => {}
            }
        }
        let bound = match last(2)? {
            ["at", "least"] | ["more", "than"] | ["minimum", "of"] => Self::Least,
            ["at", "most"] | ["less", "than"] | ["fewer", "than"] | ["maximum", "of"] | ["up", "to"] => {
                Self::Most
            }
            _ => return None,
        };
        Some((bound, 2))
    }

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Least => "at least",
            Self::Most => "at most",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_with_what_they_count() {
        assert_eq!(
            measure("5", "about eur ", " million of"),
            Some(Measure::Money(Some("EUR"), Some("million")))
        );
        assert_eq!(measure("5", "about $", " each"), Some(Measure::Money(Some("USD"), None)));
        assert_eq!(measure("12", "within ", " months of"), Some(Measure::Time("month")));
        assert_eq!(measure("5%", "", ""), Some(Measure::Share));
        assert_eq!(measure("5", "the ", " members"), None);
        assert!(Measure::Time("day").says_otherwise(&Measure::Time("month")));
        assert!(!Measure::Money(None, None).says_otherwise(&Measure::Money(Some("EUR"), Some("million"))));
    }

    #[test]
    fn dates_and_bounds_have_one_form() {
        let found = |text: &str| dates(text).into_iter().map(|(_, date)| date).collect::<Vec<_>>();
        assert_eq!(
            found("on december 31, 2025 and 31 december 2025"),
            ["31 december 2025", "31 december 2025"]
        );
        assert_eq!(found("in may 2025 they may 20 times"), ["may 2025"]);
        assert_eq!(Bound::parse(&["not", "less", "than"]), Some((Bound::Least, 3)));
        assert_eq!(Bound::parse(&["be", "at", "most"]), Some((Bound::Most, 2)));
        assert_eq!(Bound::parse(&["of", "the"]), None);
    }
}
