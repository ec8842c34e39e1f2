//! Whether a text is whole: its length, its footer, marks of truncation, its headings.

use serde::{Deserialize, Serialize};

use crate::fault::{Fault, Location, Rule};
use crate::pattern::{Pattern, first};
use crate::text::{excerpt, heading, line_at, prose, words};

/// What makes a text of one kind whole. What is left out is not tested.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct IntegrityRubric {
    /// The fewest words.
    pub min_words: Option<u32>,
    /// The most words.
    pub max_words: Option<u32>,
    /// One of these has to match.
    pub footers: Vec<Pattern>,
    /// A footer has to stand within so many last lines that are not blank; everywhere, if left out.
    pub footer_lines: Option<u32>,
    /// None of these may match in the last lines.
    pub truncation_marks: Vec<Pattern>,
    /// Last lines, of those that are not blank, in which marks are looked for; three, if left out.
    pub mark_lines: Option<u32>,
    /// Each of these has to match the title of a heading.
    pub headings: Vec<Pattern>,
    /// None of these may match anywhere.
    pub placeholders: Vec<Pattern>,
}

/// Last lines in which marks of truncation are looked for when a rubric does not say.
const MARK_LINES: u32 = 3;

/// The faults of a text.
///
/// Footers are looked for in the raw text, everything else outside code. Headings are always tested: one without a
/// title, and one at the end with nothing below it.
pub fn check(id: &str, text: &str, rubric: &IntegrityRubric) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut say = |place: Location, rule: Rule, found: String| faults.push(Fault::new(place, rule, found));
    let count = words(text);
    if count == 0 {
        say(Location::at(id), Rule::Empty, "no words".into());
        return faults;
    }
    if let Some(least) = rubric.min_words.filter(|least| count < *least) {
        say(Location::at(id), Rule::TooShort, format!("{count} words; at least {least}"));
    }
    if let Some(most) = rubric.max_words.filter(|most| count > *most) {
        say(Location::at(id), Rule::TooLong, format!("{count} words; at most {most}"));
    }
    let filled: Vec<(u32, &str)> =
        (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()).collect();
    let tail = |lines: u32| filled[filled.len().saturating_sub(lines as usize)..].iter().copied();
    let has_footer = match rubric.footer_lines {
        Some(lines) => tail(lines).any(|(_, line)| first(&rubric.footers, line).is_some()),
        None => first(&rubric.footers, text).is_some(),
    };
    if !rubric.footers.is_empty() && !has_footer {
        let end = filled.last().map_or(1, |(number, _)| *number);
        say(
            Location::line(id, end),
            Rule::FooterMissing,
            excerpt(filled.last().map_or("", |(_, line)| line)),
        );
    }
    for (number, line) in tail(rubric.mark_lines.unwrap_or(MARK_LINES)) {
        if let Some(mark) = first(&rubric.truncation_marks, line) {
            say(Location::line(id, number), Rule::Truncated, excerpt(mark));
        }
    }
    let prose = prose(text);
    if let Some(number) = prose.open_fence {
        say(Location::line(id, number), Rule::FenceOpen, "a fence without its end".into());
    }
    let titles: Vec<(u32, &str)> =
        prose.lines.iter().filter_map(|line| Some((line.number, heading(line.text)?.1))).collect();
    for (number, _) in titles.iter().filter(|(_, title)| title.is_empty()) {
        say(Location::line(id, *number), Rule::HeadingEmpty, "a heading without a title".into());
    }
    let is_footer = |line: &str| first(&rubric.footers, line).is_some();
    if let Some((number, title)) = titles.last().filter(|(_, title)| !title.is_empty())
        && !is_footer(title)
        && !is_footer(filled.iter().find(|(at, _)| at == number).map_or("", |(_, line)| line))
        && filled
            .iter()
            .filter(|(at, line)| at > number && !is_footer(line))
            .all(|(_, line)| words(line) == 0)
    {
        say(Location::line(id, *number), Rule::HeadingIncomplete, excerpt(title));
    }
    for wanted in &rubric.headings {
        if !titles.iter().any(|(_, title)| wanted.is_in(title)) {
            let pattern = String::from(wanted.clone());
            say(Location::at(id), Rule::HeadingMissing, format!("no heading matches {pattern}"));
        }
    }
    faults.extend(placeholders(id, text, &rubric.placeholders));
    faults
}

/// The places of a text that are still to be filled, in order.
pub fn placeholders(id: &str, text: &str, patterns: &[Pattern]) -> Vec<Fault> {
    if patterns.is_empty() {
        return Vec::new();
    }
    let lines = prose(text).lines;
    let mut places: Vec<(usize, &str)> = Vec::new();
    for line in &lines {
        for pattern in patterns {
            let found = pattern.regex().find_iter(line.text).filter(|found| !found.is_empty());
            places.extend(found.map(|found| (line.start + found.start(), found.as_str())));
        }
    }
    places.sort_unstable();
    places.dedup_by_key(|(at, _)| *at);
    places
        .into_iter()
        .map(|(at, found)| {
            Fault::new(Location::line(id, line_at(&lines, at)), Rule::Placeholder, excerpt(found))
        })
        .collect()
}
