//! Which paragraphs of a base may be returned.

use std::collections::{BTreeSet, HashSet};
use std::sync::LazyLock;

use regex::Regex;

use super::query::{Filter, Query};
use crate::base::Base;
use crate::ids::Resolved;

/// What a query asks of the paragraphs of one base.
pub(super) struct Scope<'b> {
    base: &'b Base,
    withdrawn: bool,
    excluded: HashSet<usize>,
    /// Paragraphs that the query names by id.
    pub(super) named: BTreeSet<usize>,
    /// Those that pass the filter; all where there is none.
    inside: Option<Vec<bool>>,
}

impl<'b> Scope<'b> {
    pub(super) fn new(base: &'b Base, text: &str, query: &Query) -> Self {
        let positions = |id: &String| match base.resolve(id) {
            Some(Resolved::Paragraph(position)) => vec![position],
            Some(Resolved::Section(positions)) => positions,
            None => Vec::new(),
        };
        Self {
            base,
            withdrawn: query.withdrawn,
            excluded: query.exclude.iter().flat_map(positions).collect(),
            named: named_in(base, text),
            inside: inside(base, &query.filter),
        }
    }

    pub(super) fn allows(&self, position: usize) -> bool {
        (self.withdrawn || !self.base.columns().withdrawn(position) || self.named.contains(&position))
            && !self.excluded.contains(&position)
            && self.inside.as_ref().is_none_or(|inside| inside[position])
    }
}

fn inside(base: &Base, filter: &Filter) -> Option<Vec<bool>> {
    let Filter { docs, tags, kinds, under } = filter;
    if docs.is_empty() && tags.is_empty() && kinds.is_empty() && under.is_empty() {
        return None;
    }
    let columns = base.columns();
    let numbers = |wanted: &[String]| -> HashSet<u32> {
        columns.numbers(|name| wanted.iter().any(|one| one == name)).into_iter().collect()
    };
    let (docs_in, tags_in, kinds_in) = (numbers(docs), numbers(tags), numbers(kinds));
    let wanted: Vec<String> = under.iter().map(|one| one.to_lowercase()).collect();
    let headings: HashSet<u32> = if under.is_empty() {
        HashSet::new()
    } else {
        columns.numbers(|name| wanted.contains(&name.to_lowercase())).into_iter().collect()
    };
    let below: HashSet<usize> = under.iter().flat_map(|prefix| base.below(prefix)).collect();
    let fits = |position: usize| {
        (docs.is_empty() || docs_in.contains(&columns.doc(position)))
            && (kinds.is_empty() || kinds_in.contains(&columns.kind(position)))
            && (tags.is_empty() || columns.tags(position).iter().any(|tag| tags_in.contains(tag)))
            && (under.is_empty()
                || below.contains(&position)
                || columns.headings(position).iter().any(|heading| headings.contains(heading)))
    };
    Some((0..columns.len()).map(fits).collect())
}

/// Paragraphs that a text names by id. A bare whole number is a number, not an id.
pub(crate) fn named_in(base: &Base, text: &str) -> BTreeSet<usize> {
    static ID: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i)\b\d+ (?:CFR|C\.F\.R\.) (?:part |§ ?)?\d+(?:\.\d+)?(?:\([a-z0-9]+\))*",
            r"|\b(?:art\.|article|recital|annex) ?[0-9IVX]+(?:\([a-z0-9]+\))*",
            r"|\b[a-z]{2,6}-\d+(?: ?\(\d+\))?[a-z]?",
            r"|\b(?:ISA|ISQM|ISAE|ISRE|ISRS|IFRS|IAS|AS) \d+[a-z]?(?:\.[a-z]?\d+)?",
            r"|§ ?\d+(?:\.\d+)*(?:\([a-z0-9]+\))*",
            r"|\b\d+(?:\.\d+)+(?:\([a-z0-9]+\))*(?: ?¶ ?\d+)?",
        ))
        .ok()
    });
    let Some(pattern) = ID.as_ref() else { return BTreeSet::new() };
    let mut named = BTreeSet::new();
    for found in pattern.find_iter(text).take(16) {
        match base.resolve(found.as_str()) {
            // A part is shown as the whole it belongs to.
            Some(Resolved::Paragraph(position)) => {
                named.insert(base.whole(position));
            }
            Some(Resolved::Section(positions)) => named.extend(positions.into_iter().take(4)),
            None => {}
        }
    }
    named
}
