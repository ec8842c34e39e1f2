//! Finding a paragraph by the way people write its id.
//!
//! Three steps, each tried only when the one before found nothing: the id with spaces, case, brackets and
//! label removed; the id with its notation unified (`Article 6` and `Art. 6`, `¶2` and `para 2`, leading
//! zeros); the id as the name of a section whose paragraphs are `Art. 6(1)`, `Art. 6(2)` …

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;

use crate::paragraph::Paragraph;

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
    exact: HashMap<String, u32>,
    loose: HashMap<String, u32>,
    sections: HashMap<String, Vec<u32>>,
    labels: Vec<String>,
}

impl IdIndex {
    /// `labels` are words that may precede an id in a citation, such as `Primer` in `(Primer 4.12)`.
    pub(crate) fn build<'p>(paragraphs: impl Iterator<Item = &'p Paragraph>, labels: Vec<String>) -> Self {
        let mut index = Self { labels, ..Self::default() };
        for (position, paragraph) in paragraphs.enumerate() {
            let position = position as u32;
            index.exact.entry(tight(&paragraph.id)).or_insert(position);
            index.loose.entry(unify(&paragraph.id)).or_insert(position);
            if paragraph.part_of.is_some() {
                continue;
            }
            for (at, _) in paragraph.id.char_indices().filter(|(_, c)| matches!(c, '(' | '/' | '~' | '¶')) {
                let section = unify(&paragraph.id[..at]);
                if section.chars().any(|c| c.is_ascii_digit()) {
                    let members = index.sections.entry(section).or_default();
                    if members.last() != Some(&position) {
                        members.push(position);
                    }
                }
            }
        }
        index
    }

    pub(crate) fn resolve(&self, written: &str) -> Option<Resolved> {
        if written.len() > 400 {
            return None;
        }
        self.resolve_bare(written).or_else(|| {
            let inner = strip_brackets(written);
            self.resolve_bare(inner).or_else(|| self.resolve_bare(self.strip_label(inner)?))
        })
    }

    /// The paragraph with exactly this id, as another paragraph's reference writes it.
    pub(crate) fn position(&self, id: &str) -> Option<usize> {
        self.exact.get(&tight(id)).map(|&p| p as usize)
    }

    fn resolve_bare(&self, written: &str) -> Option<Resolved> {
        let exact = self.exact.get(&tight(written));
        if let Some(&position) = exact.or_else(|| self.loose.get(&unify(written))) {
            return Some(Resolved::Paragraph(position as usize));
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

    /// Up to `limit` ids that look most like `written`, best first, for error messages.
    pub(crate) fn nearest(&self, written: &str, paragraphs: &[Paragraph], limit: usize) -> Vec<String> {
        let inner = strip_brackets(written);
        let wanted = unify(self.strip_label(inner).unwrap_or(inner));
        let wanted: String = wanted.chars().take(64).collect();
        let mut scored: Vec<(usize, usize, &str)> = self
            .loose
            .iter()
            .filter(|(key, _)| key.len().abs_diff(wanted.len()) <= 6)
            .filter_map(|(key, &position)| {
                let shared = key.bytes().zip(wanted.bytes()).take_while(|(a, b)| a == b).count();
                let far = key.len().max(wanted.len()) - shared;
                (shared > 0).then(|| (far, position as usize, paragraphs[position as usize].id.as_str()))
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

/// Lower case, no white space, one kind of hyphen.
pub(crate) fn tight(id: &str) -> String {
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
