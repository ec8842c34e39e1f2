//! Cross-references found in running text. Only what names a paragraph or section of the same base counts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;

use crate::paragraph::{Paragraph, Reference};
use crate::rules::references::Target;

/// A keyword followed by one or more dotted numbers.
static KEYWORD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)(?:\b(?:see(?: also)?|sections?|sec\.|paragraphs?|paras?\.?|clauses?|chapters?|under|in)\s|§{1,2}\s?)",
    )
    .ok()
});
static NUMBER: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^(?:§\s?)?(\d+(?:\.\d+)+(?:\([a-zA-Z0-9]{1,5}\))*)").ok());
static JOINER: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^(?:\s*,\s*(?:and\s|or\s)?|\s*;\s*|\s+(?:and|or|to|through)\s+)").ok());
/// Forms that are ids by their look alone.
static ID: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"\b[A-Z]{2}-\d{1,3}(?:\s?\(\d{1,3}\))*",
        r"|\b\d{1,2} CFR (?:part )?\d+(?:\.\d+)?(?:\([a-zA-Z0-9]{1,5}\))*",
        r"|\b(?:Art\.|Article) \d+(?:\(\d+\))*",
        r"|\bRecital \d+",
        r"|\bAnnex [IVX]+(?:\(\d+\))*",
    ))
    .ok()
});
static SEE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?:\b[Ss]ee(?: also)?|\bdescribed in|\bdiscussed in|\bdefined in|\blisted in|\bin section)\s+",
    )
    .ok()
});

/// Titles that references may use instead of numbers: title -> section number.
pub(crate) type Titles = BTreeMap<String, String>;

/// The titles of numbered sections that stand for one section only.
pub(crate) fn titles<'p>(paragraphs: impl Iterator<Item = &'p Paragraph>) -> Titles {
    let mut found: BTreeMap<String, Option<String>> = BTreeMap::new();
    for paragraph in paragraphs.filter(|one| one.id.contains('¶') && one.title.len() > 3) {
        let entry = found.entry(paragraph.title.clone()).or_insert_with(|| Some(paragraph.section.clone()));
        if entry.as_deref().is_some_and(|section| section != paragraph.section) {
            *entry = None;
        }
    }
    found.into_iter().filter_map(|(title, section)| Some((title, section?))).collect()
}

/// The references in a paragraph's text, in order, each once. `known` tells what an id leads to.
pub(crate) fn find(
    paragraph: &Paragraph,
    titles: &Titles,
    known: &dyn Fn(&str) -> Option<Target>,
) -> Vec<Reference> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    let mut add = |written: &str| {
        let written = written.split_whitespace().collect::<Vec<_>>().join(" ");
        let to = match known(&written) {
            Some(Target::Paragraph(to) | Target::Section(to)) => to,
            None => return,
        };
        if to != paragraph.id && to != paragraph.section && seen.insert(to.clone()) {
            found.push(Reference { to, kind: "mentions".into() });
        }
    };
    let text = &paragraph.text;
    let (Some(keyword), Some(number), Some(joiner), Some(id), Some(see)) =
        (KEYWORD.as_ref(), NUMBER.as_ref(), JOINER.as_ref(), ID.as_ref(), SEE.as_ref())
    else {
        return Vec::new();
    };
    for key in keyword.find_iter(text) {
        let mut rest = text[key.end()..].trim_start();
        while let Some(captures) = number.captures(rest) {
            let Some(one) = captures.get(1) else { break };
            add(one.as_str());
            rest = &rest[one.end()..];
            match joiner.find(rest) {
                Some(join) => rest = &rest[join.end()..],
                None => break,
            }
        }
    }
    for one in id.find_iter(text) {
        add(one.as_str());
    }
    if !titles.is_empty() {
        for key in see.find_iter(text) {
            let words: Vec<&str> = text[key.end()..].split_whitespace().take(12).collect();
            for length in (1..=words.len()).rev() {
                let title = words[..length].join(" ");
                let title = title.trim_end_matches(['.', ',', ';', ')', ':']);
                if let Some(section) = titles.get(title) {
                    add(section);
                    break;
                }
            }
        }
    }
    found
}
