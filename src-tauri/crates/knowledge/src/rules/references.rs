//! Cross-references in running text, found by a rule set's patterns.

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;

use super::compiled::{self, Compiled, Reference as Rule, hold};
use crate::ingest::draft::Draft;
use crate::paragraph::Reference;

/// Most references of one paragraph.
const MAX_REFERENCES: usize = 200;
/// Most matches of one rule in one paragraph.
const MAX_MATCHES: usize = 500;
/// Most numbers that a range stands for.
const MAX_RANGE: u32 = 50;

/// What an id leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    /// A paragraph, by its id.
    Paragraph(String),
    /// A section, by its name.
    Section(String),
}

/// The references of a paragraph.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Those to be stored, in order, each once.
    pub(crate) references: Vec<Reference>,
    /// What looked like a reference and leads to nothing in the base.
    pub(crate) dangling: Vec<String>,
}

/// The references in a paragraph. `known` tells what an id leads to.
pub(crate) fn find(rules: &Compiled, draft: &Draft, known: &dyn Fn(&str) -> Option<Target>) -> Found {
    let mut search = Search { draft, known, seen: BTreeSet::new(), found: Found::default() };
    // What a rule has matched, by where it was searched: later rules don't see it.
    let mut taken: BTreeMap<&str, Vec<(usize, usize)>> = BTreeMap::new();
    for rule in &rules.references {
        if !hold(&rule.rule.when, |name| draft.scope.get(name).map(String::as_str)) {
            continue;
        }
        let place = rule.rule.within.as_deref().unwrap_or("");
        let text = match &rule.rule.within {
            None => draft.paragraph.text.as_str(),
            Some(variable) => draft.scope.get(variable).map_or("", String::as_str),
        };
        let taken = taken.entry(place).or_default();
        for captures in rule.regex.captures_iter(text).take(MAX_MATCHES) {
            let Some(whole) = captures.get(0) else { continue };
            let (from, to) = (whole.start(), whole.end());
            if taken.iter().any(|&(start, end)| from < end && start < to) {
                continue;
            }
            taken.push((from, to));
            let named: BTreeMap<&str, &str> = rule
                .regex
                .capture_names()
                .flatten()
                .filter_map(|name| Some((name, captures.name(name)?.as_str())))
                .collect();
            match (&rule.item, captures.name("list")) {
                (Some(item), Some(list)) => {
                    for one in items(item, list.as_str()) {
                        search.add(rule, &named, Some(&one));
                    }
                }
                _ => search.add(rule, &named, None),
            }
        }
    }
    search.found
}

struct Search<'d> {
    draft: &'d Draft,
    known: &'d dyn Fn(&str) -> Option<Target>,
    seen: BTreeSet<String>,
    found: Found,
}

impl Search<'_> {
    fn add(&mut self, rule: &Rule, named: &BTreeMap<&str, &str>, item: Option<&str>) {
        if rule.to.is_empty() || self.found.references.len() + self.found.dangling.len() >= MAX_REFERENCES {
            return;
        }
        let draft = self.draft;
        let value = |name: &str| match (name, item) {
            ("item", Some(item)) => Some(item),
            _ => named.get(name).copied().or_else(|| draft.scope.get(name).map(String::as_str)),
        };
        let mut first = None;
        for template in &rule.to {
            let Some(id) = template.render(value) else { continue };
            let to = match (self.known)(&id) {
                Some(Target::Paragraph(to)) => to,
                Some(Target::Section(to)) if to != draft.paragraph.section => to,
                Some(Target::Section(_)) => return,
                None => {
                    first.get_or_insert(id);
                    continue;
                }
            };
            let own = to == draft.paragraph.id || draft.paragraph.part_of.as_ref() == Some(&to);
            if !own && self.seen.insert(to.clone()) {
                self.found.references.push(Reference { to, kind: rule.rule.kind.clone() });
            }
            return;
        }
        if let Some(id) = first
            && self.seen.insert(id.clone())
        {
            if rule.rule.keep {
                self.found.references.push(Reference { to: id.clone(), kind: rule.rule.kind.clone() });
            }
            self.found.dangling.push(id);
        }
    }
}

/// The targets in a list: `12, 13 and A20`, `A20–A22`.
fn items(item: &Regex, list: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut end = 0;
    for captures in item.captures_iter(list) {
        let Some(whole) = captures.get(0) else { continue };
        let mut one = captures.name("item").unwrap_or(whole).as_str().to_owned();
        if let Some(last) = out.last().cloned()
            && is_range(&list[end..whole.start()])
            && let Some((between, to)) = range(&last, &one)
        {
            out.extend(between);
            one = to;
        }
        out.push(one);
        end = whole.end();
    }
    out.truncate(MAX_REFERENCES);
    out
}

fn is_range(gap: &str) -> bool {
    let dash = |c: char| matches!(c, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}');
    let gap = gap.trim();
    gap.eq_ignore_ascii_case("to")
        || gap.eq_ignore_ascii_case("through")
        || (gap.chars().count() == 1 && gap.chars().all(dash))
}

/// What lies between `A20` and `A23`, or `A20` and `23`, and the end in full: `A21`, `A22`; `A23`.
fn range(from: &str, to: &str) -> Option<(Vec<String>, String)> {
    let split = |text: &str| {
        let at = text.rfind(|c: char| !c.is_ascii_digit()).map_or(0, |at| at + 1);
        let (head, digits) = text.split_at_checked(at)?;
        Some((head.to_owned(), digits.parse::<u32>().ok()?))
    };
    let ((head, first), (other, last)) = (split(from)?, split(to)?);
    let fits = (head == other || other.is_empty()) && last > first && last - first <= MAX_RANGE;
    fits.then(|| {
        let between = (first + 1..last).map(|number| format!("{head}{number}")).collect();
        (between, format!("{head}{last}"))
    })
}

/// The variables of the first places where a rule set's facts are found.
pub(crate) fn facts<'t>(
    rules: &Compiled,
    places: impl Iterator<Item = &'t str> + Clone,
) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for regex in &rules.facts {
        if let Some(captured) = places.clone().find_map(|text| compiled::captured(regex, text)) {
            for (name, value) in captured {
                found.entry(name).or_insert(value);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_names_each_of_its_items_and_what_lies_between_the_ends_of_a_range() {
        let item = Regex::new(r"A?[0-9]+(?:\([a-z]\))*").unwrap();
        assert_eq!(items(&item, "12, 13(a) and A20–A23"), ["12", "13(a)", "A20", "A21", "A22", "A23"]);
        assert_eq!(items(&item, "A7 to 9"), ["A7", "A8", "A9"]);
        assert_eq!(items(&item, "1-900"), ["1", "900"]);
    }
}
