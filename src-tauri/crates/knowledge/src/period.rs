//! Years and quarters that a name or a question states: `2023_Q1`, `third quarter of 2022`, `FY2021`.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// A year, a quarter or both. Quarters are those of the name's own calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Period {
    pub(crate) year: Option<u16>,
    /// From 1; a year as a whole has none.
    pub(crate) quarter: Option<u8>,
}

impl Period {
    /// What tells which of two is later; a whole year ends with its last quarter.
    pub(crate) fn end(self) -> (u16, u8) {
        (self.year.unwrap_or(0), self.quarter.unwrap_or(4))
    }
}

static STATED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)(?:\b|fy ?)(?<year>(?:19|20)\d\d)(?:\b|(?<joined> ?q[1-4])\b)",
        r"|\bq(?<behind>[1-4])(?:\b|(?<directly>(?:19|20)\d\d)\b)",
        r"|\b(?<before>[1-4])q(?<short>\d\d)?\b",
        r"|\b(?<word>first|second|third|fourth|1st|2nd|3rd|4th)[ -](?:fiscal )?quarter\b",
    ))
    .ok()
});
/// What may stand between a quarter and its year.
static BETWEEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)^(?:[\s,_'’/-]|\bof\b|\bin\b|\bthe\b|\bfiscal\b|\byear\b|\bfy)*$").ok()
});

/// The periods that a text states, in order, with the bytes that state them.
pub(crate) fn periods(text: &str) -> Vec<(Period, Range<usize>)> {
    let (Some(stated), Some(between)) = (STATED.as_ref(), BETWEEN.as_ref()) else { return Vec::new() };
    let text = text.replace('_', " ");
    let mut found: Vec<(Period, Range<usize>)> = Vec::new();
    for one in stated.captures_iter(&text) {
        let number = |name: &str| one.name(name).and_then(|digits| digits.as_str().parse::<u16>().ok());
        let year = number("year").or(number("directly")).or(number("short").map(|short| 2000 + short));
        let quarter = number("behind").or(number("before")).or_else(|| {
            one.name("joined")
                .and_then(|joined| joined.as_str().trim_start_matches([' ', 'q', 'Q']).parse().ok())
        });
        let quarter = quarter.map(|quarter| quarter as u8).or_else(|| {
            let word = one.name("word")?.as_str().to_lowercase();
            (1..).zip(["first", "second", "third", "fourth"]).find_map(|(number, name)| {
                (word == name || word.starts_with(&number.to_string())).then_some(number)
            })
        });
        let Some(whole) = one.get(0) else { continue };
        let beside = |range: &Range<usize>| {
            text.get(range.end..whole.start()).is_some_and(|gap| between.is_match(gap))
        };
        match found.last_mut().filter(|(_, range)| beside(range)) {
            Some((last, range)) if last.year.is_none() && quarter.is_none() => {
                last.year = year;
                range.end = whole.end();
            }
            Some((last, range)) if last.quarter.is_none() && year.is_none() => {
                last.quarter = quarter;
                range.end = whole.end();
            }
            _ => found.push((Period { year, quarter }, whole.range())),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{Period, periods};
    use pretty_assertions::assert_eq;

    fn stated(text: &str) -> Vec<(u16, u8)> {
        let number = |(one, _): (Period, _)| (one.year.unwrap_or(0), one.quarter.unwrap_or(0));
        periods(text).into_iter().map(number).collect()
    }

    #[test]
    fn the_words_of_a_period_are_told() {
        let text = "What fell in the second quarter of 2021, or in 2019?";
        let found: Vec<&str> = periods(text).into_iter().map(|(_, range)| &text[range]).collect();
        assert_eq!(found, ["second quarter of 2021", "2019"]);
    }

    #[test]
    fn years_and_quarters_are_read_in_their_usual_forms() {
        let cases: &[(&str, &[(u16, u8)])] = &[
            ("2023 Q1 Harbour", &[(2023, 1)]),
            ("2023_Q1_Harbour", &[(2023, 1)]),
            ("harbour-2023Q1", &[(2023, 1)]),
            ("sales of Q3 2022", &[(2022, 3)]),
            ("Q32022", &[(2022, 3)]),
            ("the second quarter of fiscal year 2021", &[(2021, 2)]),
            ("in 2021's third quarter", &[(2021, 0), (0, 3)]),
            ("4Q21", &[(2021, 4)]),
            ("FY2020 and FY 2021", &[(2020, 0), (2021, 0)]),
            ("Q1 and Q2 2023", &[(0, 1), (2023, 2)]),
            ("from Q3 2022 to Q1 2023", &[(2022, 3), (2023, 1)]),
            ("room 20231, part Q5, 1850", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(stated(text), *expected, "{text}");
        }
    }
}
