//! Finding a paragraph by the way people write its id.
//!
//! Three steps, each tried only when the one before found nothing: the id with spaces, case, brackets and
//! label removed; the id with its notation unified (`Article 6` and `Art. 6`, `¶2` and `para 2`, leading
//! zeros); the id as the name of a section whose paragraphs are `Art. 6(1)`, `Art. 6(2)` …

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;

use crate::index::Keys;
use crate::index::bytes::Reader;
use crate::paragraph::Paragraph;
use crate::titles::composed;

/// What an id as written stands for: positions in the base's document order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolved {
    /// One paragraph.
    Paragraph(usize),
    /// A section that is not itself a paragraph; its paragraphs in document order, at least one.
    Section(Vec<usize>),
}

#[derive(Debug, Default)]
pub(crate) struct IdIndex {
    exact: Keys,
    loose: Keys,
    sections: Keys,
    labels: Vec<String>,
}

impl IdIndex {
    /// `labels` are words that may precede an id in a citation, such as `Primer` in `(Primer 4.12)`.
    pub(crate) fn build<'p>(paragraphs: impl Iterator<Item = &'p Paragraph>, labels: Vec<String>) -> Self {
        let (mut exact, mut loose) = (HashMap::new(), HashMap::new());
        let mut sections: HashMap<String, Vec<u32>> = HashMap::new();
        let mut numbers: HashMap<String, Option<u32>> = HashMap::new();
        let mut numbered_sections: HashMap<String, Option<(String, Vec<u32>)>> = HashMap::new();
        for (position, paragraph) in paragraphs.enumerate() {
            let position = position as u32;
            exact.entry(tight(&paragraph.id)).or_insert(position);
            loose.entry(unify(&paragraph.id)).or_insert(position);
            let number = number_behind_name(&paragraph.id);
            if let Some(number) = number {
                let found = numbers.entry(unify(number)).or_insert(Some(position));
                *found = found.filter(|&found| found == position);
            }
            if paragraph.part_of.is_some() {
                continue;
            }
            for (at, _) in paragraph.id.char_indices().filter(|(_, c)| matches!(c, '(' | '/' | '~' | '¶')) {
                let section = unify(&paragraph.id[..at]);
                if section.chars().any(|c| c.is_ascii_digit()) {
                    let members = sections.entry(section).or_default();
                    if members.last() != Some(&position) {
                        members.push(position);
                    }
                }
                let Some((name, number)) = number.and_then(|number| {
                    let name = paragraph.id.len() - number.len();
                    Some((&paragraph.id[..name], paragraph.id.get(name..at)?))
                }) else {
                    continue;
                };
                let found = numbered_sections
                    .entry(unify(number))
                    .or_insert_with(|| Some((name.to_owned(), Vec::new())));
                *found = found.take().filter(|(other, _)| other == name).map(|(name, mut members)| {
                    if members.last() != Some(&position) {
                        members.push(position);
                    }
                    (name, members)
                });
            }
        }
        // What only one file numbers so is found without its name, too.
        for (number, found) in numbers {
            if let Some(position) = found {
                loose.entry(number).or_insert(position);
            }
        }
        for (section, found) in numbered_sections {
            if let Some((_, members)) = found {
                sections.entry(section).or_insert(members);
            }
        }
        let one = |(key, position)| (key, [position]);
        Self {
            exact: Keys::new(exact.into_iter().map(one)),
            loose: Keys::new(loose.into_iter().map(one)),
            sections: Keys::new(sections),
            labels,
        }
    }

    /// As it was stored; `paragraphs` is how many the base has.
    pub(crate) fn read(from: &mut Reader<'_>, paragraphs: usize) -> Option<Self> {
        let mut keys = || Keys::read(from, paragraphs);
        Some(Self { exact: keys()?, loose: keys()?, sections: keys()?, labels: Vec::new() })
    }

    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        [&self.exact, &self.loose, &self.sections].into_iter().for_each(|keys| keys.put(out));
    }

    pub(crate) fn labelled(self, labels: Vec<String>) -> Self {
        Self { labels, ..self }
    }

    /// Paragraphs whose id is the prefix or goes on from it: `4.1` and `4.1(2)` for `4.1`, not `4.12`.
    pub(crate) fn below<'k>(&'k self, prefix: &'k str) -> impl Iterator<Item = u32> + 'k {
        let end = prefix.chars().next_back();
        let goes_on = move |next: char| match end {
            Some(end) if end.is_ascii_digit() => next.is_ascii_digit(),
            Some(end) if end.is_alphabetic() => next.is_alphabetic(),
            _ => false,
        };
        let inside = move |key: &str| !key[prefix.len()..].starts_with(goes_on);
        self.exact.beginning(prefix).filter(move |(key, _)| inside(key)).map(|(_, position)| position)
    }

    pub(crate) fn resolve(&self, written: &str) -> Option<Resolved> {
        if written.len() > 400 {
            return None;
        }
        self.resolve_bare(written).or_else(|| {
            let inner = strip_brackets(written);
            let bare = self.resolve_bare(inner).or_else(|| self.resolve_bare(self.strip_label(inner)?));
            bare.or_else(|| worded(inner).iter().find_map(|id| self.resolve_bare(id)))
        })
    }

    /// The paragraph with exactly this id, as another paragraph's reference writes it.
    pub(crate) fn position(&self, id: &str) -> Option<usize> {
        self.exact.get(&tight(id)).map(|found| found[0] as usize)
    }

    fn resolve_bare(&self, written: &str) -> Option<Resolved> {
        let exact = self.exact.get(&tight(written));
        if let Some(found) = exact.or_else(|| self.loose.get(&unify(written))) {
            return Some(Resolved::Paragraph(found[0] as usize));
        }
        let members = self.sections.get(&unify(written))?;
        Some(Resolved::Section(members.iter().map(|&p| p as usize).collect()))
    }

    fn strip_label<'w>(&self, written: &'w str) -> Option<&'w str> {
        let written = written.trim();
        for label in self.labels.iter().map(String::as_str).chain(COMMON_LABELS) {
            let Some(head) = written.get(..label.len()) else { continue };
            let rest = &written[label.len()..];
            if head.eq_ignore_ascii_case(label) && rest.starts_with([' ', ':', '\u{a0}', ',']) {
                let rest = rest.trim_start_matches([' ', ':', '\u{a0}', ',']);
                return Some(self.strip_label(rest).unwrap_or(rest));
            }
        }
        None
    }

    /// Up to `limit` ids that look most like `written`, best first, for error messages; `id_at` gives an id.
    pub(crate) fn nearest<'p>(
        &self,
        written: &str,
        id_at: impl Fn(usize) -> &'p str,
        limit: usize,
    ) -> Vec<String> {
        let inner = strip_brackets(written);
        let wanted = unify(self.strip_label(inner).unwrap_or(inner));
        let wanted: String = wanted.chars().take(64).collect();
        let mut scored: Vec<(usize, usize, &str)> = self
            .loose
            .beginning("")
            .filter(|(key, _)| key.len().abs_diff(wanted.len()) <= 6)
            .filter_map(|(key, position)| {
                let shared = key.bytes().zip(wanted.bytes()).take_while(|(a, b)| a == b).count();
                let far = key.len().max(wanted.len()) - shared;
                (shared > 0).then(|| (far, position as usize, id_at(position as usize)))
            })
            .collect();
        scored.sort_unstable();
        scored.into_iter().take(limit).map(|(_, _, id)| id.to_owned()).collect()
    }
}

const COMMON_LABELS: [&str; 10] =
    ["paragraph", "para", "par.", "control", "section", "sec.", "clause", "requirement", "see", "isa-kb"];

/// `(Primer 4.12)` and `[AC-2]` without the brackets; `AC-2(1)` unchanged.
fn strip_brackets(written: &str) -> &str {
    let mut text = written.trim().trim_matches(|c: char| c.is_whitespace() || "\"'`*“”‘’.,;:".contains(c));
    loop {
        let inner = match (text.chars().next(), text.chars().last()) {
            (Some('('), Some(')')) | (Some('['), Some(']')) => &text[1..text.len() - 1],
            _ => return text,
        };
        if inner.is_empty() || !balanced(inner) {
            return text;
        }
        text = inner.trim();
    }
}

fn balanced(text: &str) -> bool {
    let mut depth = 0_i32;
    for c in text.chars() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}

/// Ids that an id in words may stand for: `ISA 315, paragraph A20`, `paragraph 2 of Article 6`, `RFC 9110, Section 5.2`.
fn worded(written: &str) -> Vec<String> {
    static FORMS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
        [
            r"(?i)^(?P<head>.+?),?\s+(?:paragraphs?|paras?\.?)\s+(?P<tail>\S{1,40})$",
            r"(?i)^(?:paragraphs?|paras?\.?)\s+(?P<tail>\S{1,40})\s+of\s+(?:the\s+)?(?P<head>.+)$",
            r"(?i)^(?P<head>.+?),?\s+points?\s+(?P<tail>\S{1,40})$",
            r"(?i)^points?\s+(?P<tail>\S{1,40})\s+of\s+(?P<head>.+)$",
            r"(?i)^(?P<head>.+?),?\s+(?:section|sec\.|§)\s*(?P<section>\S{1,40}(?:\s?¶\s?\d+)?)$",
        ]
        .into_iter()
        .filter_map(|form| Regex::new(form).ok())
        .collect()
    });
    static EDITION: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?i)\s*\((?:revised|redrafted|updated)[^)]{0,20}\)").ok());
    // An edition is part of the id where the base has several.
    let without = EDITION.as_ref().map_or(written.into(), |edition| edition.replace_all(written, ""));
    let mut ids = vec![without.clone().into_owned()];
    let edited = (without != written).then_some(written);
    for (written, form) in
        edited.into_iter().chain([&*without]).flat_map(|one| FORMS.iter().map(move |form| (one, form)))
    {
        let Some(found) = form.captures(written) else { continue };
        let head = found.name("head").map_or("", |head| head.as_str());
        if let Some(section) = found.name("section") {
            ids.push(format!("{head} §{}", section.as_str()));
        }
        if let Some(tail) = found.name("tail").map(|tail| tail.as_str()) {
            ids.extend([
                format!("{head}.{tail}"),
                format!("{head}({tail})"),
                format!("{head} ¶{tail}"),
                format!("{head}{tail}"),
            ]);
        }
    }
    ids
}

/// Whether an id is the number of a section or paragraph alone, which names no work: `2.1.4 ¶1`, `B:1 ¶2`, `A12`, `§ 4`.
pub(crate) fn bare(id: &str) -> bool {
    static BARE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r"^(?:§ ?)?(?:[A-Z]:)?(?:[A-Z]{0,3}[0-9]{1,4}(?:\.[0-9]{1,4})*|[A-Z](?:\.[0-9]{1,4})*)(?:[ (]|$)",
        )
        .ok()
    });
    // "2 CFR 200.1" and "App. 1" name their work or their part of it.
    let is_named = id.split(' ').nth(1).is_some_and(|word| word.starts_with(char::is_alphabetic));
    !is_named && BARE.as_ref().is_some_and(|bare| bare.is_match(id))
}

/// The number behind the name of a file that an id begins with: `2.1 ¶1` of `manual:2.1 ¶1`.
pub(crate) fn number_behind_name(id: &str) -> Option<&str> {
    let (name, number) = id.split_once(':')?;
    (name.chars().nth(1).is_some() && bare(number)).then_some(number)
}

/// Lower case, no white space, one kind of hyphen, letters and their marks as one character.
pub fn tight(id: &str) -> String {
    let id = composed(id);
    let mut out = String::with_capacity(id.len());
    for c in id.chars() {
        match c {
            '\u{2010}'..='\u{2015}' | '\u{2212}' => out.push('-'),
            '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{feff}' => {}
            c if c.is_whitespace() => {}
            c => out.extend(c.to_lowercase()),
        }
    }
    out
}

/// [`tight`] with the usual notations of the same id made one.
fn unify(id: &str) -> String {
    static NOTATION: LazyLock<Vec<(Regex, &'static str)>> = LazyLock::new(|| {
        [
            (r"^articles?", "art."),
            (r"^art\b\.?", "art."),
            (r"^(art\.\d.*?),?par(?:agraph|a)?\.?(\d+)$", "$1($2)"),
            (r"^rec(?:ital)?s?\.?(\d)", "recital$1"),
            (r"^(\d+)c\.f\.r\.", "$1 cfr"),
            (r"^(\d+)cfr(?:part|§)?", "${1}cfr"),
            (r"^§+", ""),
            (r"(?:/p|,?para(?:graph)?\.?|p)(\d+)$", "¶$1"),
            (r"(^|[-(])0+(\d)", "$1$2"),
        ]
        .into_iter()
        .filter_map(|(pattern, with)| Regex::new(pattern).ok().map(|regex| (regex, with)))
        .collect()
    });
    let mut text = tight(id);
    for (regex, with) in NOTATION.iter() {
        if let std::borrow::Cow::Owned(changed) = regex.replace_all(&text, *with) {
            text = tight(&changed);
        }
    }
    text
}
