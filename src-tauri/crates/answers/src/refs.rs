//! Finds citations in text: those that were checked, by their own words, and others of a known form.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::quoted_words::QuotedWords;
use crate::text;

/// Forms that count as citations whatever was checked; the head is what stands before the first number of the paragraph.
const FORMS: [&str; 13] = [
    "ISA 1",
    "ISQM 1",
    "ISRE 1",
    "ISAE 1",
    "IFRS 1",
    "IAS 1",
    "AC-1",
    "1 CFR 1",
    "Art. 1",
    "Article 1",
    "Recital 1",
    "Primer 1",
    "Policy 1",
];
/// The longest text between parentheses that is searched, in bytes.
const MAX_GROUP_BYTES: usize = 600;

/// A citation in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    pub range: Range<usize>,
    /// The index given to [`Refs::new`], or `None` for one that was not checked.
    pub known: Option<usize>,
}

/// The citations to look for.
#[derive(Debug)]
pub(crate) struct Refs {
    /// By first character, longest first.
    known: BTreeMap<char, Vec<(Vec<char>, usize)>>,
    heads: BTreeSet<String>,
}

/// The words by which a citation is recognised: lower case, white space as one blank, without parentheses around it all.
pub(crate) fn key(source_ref: &str) -> String {
    bare(&text::one_line(source_ref)).to_lowercase()
}

/// A citation without parentheses around it all.
pub(crate) fn bare(source_ref: &str) -> &str {
    match source_ref.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        Some(bare) if closes_last(source_ref) => bare.trim(),
        _ => source_ref,
    }
}

/// Whether the parenthesis that opens a text is closed by its last character.
fn closes_last(text: &str) -> bool {
    let mut depth = 0_u32;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at + c.len_utf8() == text.len();
        }
    }
    false
}

impl Refs {
    pub(crate) fn new<'a>(known: impl Iterator<Item = &'a str>, forms: &[String]) -> Self {
        let mut by_first: BTreeMap<char, Vec<(Vec<char>, usize)>> = BTreeMap::new();
        let mut heads: BTreeSet<String> =
            FORMS.iter().filter_map(|form| head(form).map(|(head, _)| head)).collect();
        heads.extend(forms.iter().filter_map(|form| head(form.trim()).map(|(head, _)| head)));
        for (index, source_ref) in known.enumerate() {
            let known = key(source_ref);
            heads.extend(head(text::one_line(source_ref).trim_matches(['(', ')'])).map(|(head, _)| head));
            let chars: Vec<char> = known.chars().collect();
            if let Some(first) = chars.first() {
                by_first.entry(*first).or_default().push((chars, index));
            }
        }
        for list in by_first.values_mut() {
            list.sort_by(|(a, i), (b, j)| b.len().cmp(&a.len()).then(i.cmp(j)));
        }
        Self { known: by_first, heads }
    }

    /// Citations between parentheses, in order. `masked` ranges (code, links) hold none, nor does a document's own text: what stands
    /// in a quotation of it, and a reference that nothing lists and the document has, is the document's.
    pub(crate) fn in_parentheses(
        &self,
        text: &str,
        masked: &[Range<usize>],
        quotes: &QuotedWords,
    ) -> Vec<Found> {
        let masked = [masked, &quotes.places(text)].concat();
        let masked = masked.as_slice();
        let is_masked = |at: usize| masked.iter().any(|range| range.contains(&at));
        let mut found = self.listed(text, &is_masked);
        let mut open = Vec::new();
        let mut groups = Vec::new();
        for (at, c) in text.char_indices() {
            match c {
                '(' if !is_masked(at) => open.push(at),
                ')' if !is_masked(at) => {
                    if let Some(start) = open.pop() {
                        groups.push(start + 1..at);
                    }
                }
                _ => {}
            }
        }
        groups.sort_by_key(|group| (group.start, std::cmp::Reverse(group.end)));
        for group in groups {
            if group.len() > MAX_GROUP_BYTES {
                continue;
            }
            for hit in self.anywhere(&text[group.clone()]) {
                let range = hit.range.start + group.start..hit.range.end + group.start;
                let taken = |other: &Range<usize>| range.start < other.end && other.start < range.end;
                if hit.known.is_none() && quotes.hold(&text[range.clone()]) {
                    continue;
                }
                if !found.iter().any(|earlier| taken(&earlier.range)) && !masked.iter().any(taken) {
                    found.push(Found { range, known: hit.known });
                }
            }
        }
        found.sort_by_key(|hit| hit.range.start);
        found
    }

    /// Known citations that fill a parenthesis, whatever characters they are made of: `(a)`, `(a; b)`.
    fn listed(&self, text: &str, is_masked: &impl Fn(usize) -> bool) -> Vec<Found> {
        let mut found: Vec<Found> = Vec::new();
        for (open, _) in text.match_indices('(') {
            if is_masked(open) || found.last().is_some_and(|last| open < last.range.end) {
                continue;
            }
            let (mut hits, mut at) = (Vec::new(), open + 1);
            let filled = loop {
                at += text[at..].len() - text[at..].trim_start().len();
                let rest = &text[at..];
                let ended = |length: usize| rest[length..].trim_start().starts_with([';', ')']);
                let Some((length, index)) = self.starting(rest, ended) else { break false };
                hits.push(Found { range: at..at + length, known: Some(index) });
                at += length;
                at += text[at..].len() - text[at..].trim_start().len();
                if text[at..].starts_with(')') {
                    break true;
                }
                at += 1;
            };
            if filled {
                found.extend(hits);
            }
        }
        found
    }

    /// The longest known citation at the start of a text that ends as it should.
    fn starting(&self, rest: &str, ended: impl Fn(usize) -> bool) -> Option<(usize, usize)> {
        let (first, _) = decoded(rest)?;
        let raw = rest.chars().next()?;
        let lists = [first, raw].into_iter().filter_map(|c| self.known.get(&c.to_lowercase().next()?));
        lists
            .flatten()
            .flat_map(|(chars, index)| {
                let lengths = [length_of(rest, chars, true), length_of(rest, chars, false)];
                lengths.into_iter().flatten().map(|length| (chars.len(), length, *index))
            })
            .filter(|(_, length, _)| ended(*length))
            .max_by_key(|(chars, _, index)| (*chars, std::cmp::Reverse(*index)))
            .map(|(_, length, index)| (length, index))
    }

    /// Citations anywhere in the text, in order; at each place the longest.
    pub(crate) fn anywhere(&self, text: &str) -> Vec<Found> {
        let mut found = Vec::new();
        let mut skip_to = 0;
        let mut before: Option<char> = None;
        for (at, c) in text.char_indices() {
            let starts = at >= skip_to
                && c.is_alphanumeric()
                && !before.is_some_and(|b| b.is_alphanumeric() || matches!(b, '.' | '-' | '#'));
            before = Some(c);
            if !starts {
                continue;
            }
            let rest = &text[at..];
            let hit = match self.known_at(rest) {
                Some((length, index)) => Some((length, Some(index))),
                None => head(rest)
                    .filter(|(head, _)| self.heads.contains(head))
                    .map(|(_, number)| (number + number_length(&rest[number..]), None)),
            };
            if let Some((length, known)) = hit {
                found.push(Found { range: at..at + length, known });
                skip_to = at + length;
            }
        }
        found
    }

    fn known_at(&self, rest: &str) -> Option<(usize, usize)> {
        self.starting(rest, |length| ends_here(&rest[length..]))
    }
}

/// The character that a text starts with, as Markdown shows it, and the bytes that it takes.
fn decoded(text: &str) -> Option<(char, usize)> {
    let mut chars = text.chars();
    let first = chars.next()?;
    match first {
        '\\' => match chars.next().filter(char::is_ascii_punctuation) {
            Some(c) => Some((c, 2)),
            None => Some((first, 1)),
        },
        '&' if text.starts_with("&lt;") => Some(('<', 4)),
        '&' if text.starts_with("&amp;") => Some(('&', 5)),
        c => Some((c, c.len_utf8())),
    }
}

/// The length of `wanted`, in lower case, at the start of `rest`; of Markdown, what is escaped counts as what it shows.
fn length_of(rest: &str, wanted: &[char], markdown: bool) -> Option<usize> {
    let (mut at, mut next) = (0, 0);
    while next < wanted.len() {
        let raw = rest[at..].chars().next()?;
        let (c, length) = if markdown { decoded(&rest[at..])? } else { (raw, raw.len_utf8()) };
        if wanted[next] == ' ' {
            let blank = rest[at..].len() - rest[at..].trim_start().len();
            if blank == 0 {
                return None;
            }
            at += blank;
            next += 1;
            continue;
        }
        for lower in c.to_lowercase() {
            if wanted.get(next) != Some(&lower) {
                return None;
            }
            next += 1;
        }
        at += length;
    }
    Some(at)
}

/// Whether a citation may end before this text: nothing follows that would name a deeper paragraph.
fn ends_here(after: &str) -> bool {
    let mut chars = after.chars();
    match chars.next() {
        None => true,
        Some(c) if c.is_alphanumeric() => false,
        Some('(' | '¶' | '§' | '#') => false,
        Some('.' | '-' | '\u{2010}'..='\u{2014}' | '/') => !chars.next().is_some_and(char::is_alphanumeric),
        Some(c) if c.is_whitespace() => !after.trim_start().starts_with(['¶', '§']),
        Some(_) => true,
    }
}

/// What stands before the paragraph's number, with every other number as `9`, and where that number starts.
fn head(text: &str) -> Option<(String, usize)> {
    let mut at = 0;
    let mut head = String::new();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 {
        // "2 CFR 200": a title's number comes first.
        let rest = &text[digits..];
        if digits > 3 || !rest.starts_with(char::is_whitespace) {
            return None;
        }
        head.push_str("9 ");
        at = text.len() - rest.trim_start().len();
    }
    for words in 0..3 {
        let rest = &text[at..];
        let letters = rest
            .find(|c: char| !(c.is_alphabetic() || (c == '.' && words + head.len() > 0)))
            .unwrap_or(rest.len());
        // A dot belongs to the word only at its end ("Art.").
        let word = &rest[..letters];
        let word = if rest[letters..].starts_with('.') { &rest[..letters + 1] } else { word };
        if word.trim_matches('.').is_empty() || word.len() > 24 {
            return None;
        }
        at += word.len();
        let after = &text[at..];
        let family =
            word.len() == 2 && word.bytes().all(|b| b.is_ascii_uppercase()) && after.starts_with('-');
        if family && after[1..].starts_with(|c: char| c.is_ascii_digit()) {
            return Some((format!("{head}AA-9"), at + 1));
        }
        head.push_str(word);
        let blank = after.len() - after.trim_start().len();
        if blank == 0 || blank > 4 {
            return None;
        }
        at += blank;
        head.push(' ');
        if text[at..].starts_with(|c: char| c.is_ascii_digit()) {
            head.push('9');
            return Some((head, at));
        }
    }
    None
}

/// The length of a paragraph's number such as `200.516(a)(7)`, `315.A12`, `4.9.1 ¶2`.
fn number_length(text: &str) -> usize {
    let mut depth = 0_u32;
    let mut end = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => break,
            ')' => {
                depth -= 1;
                end = at + 1;
            }
            c if c.is_alphanumeric() => end = if depth == 0 { at + c.len_utf8() } else { end },
            '.' | '-' | '#' | '\u{2010}'..='\u{2014}' => {}
            _ => break,
        }
        if at > 60 {
            break;
        }
    }
    let rest = &text[end..];
    let mark = rest.trim_start();
    if let Some(number) = mark.strip_prefix('¶') {
        let digits = number.trim_start().bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 {
            return text.len() - number.trim_start().len() + digits;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn found(known: &[&str], text: &str) -> Vec<(String, Option<usize>)> {
        let refs = Refs::new(known.iter().copied(), &[]);
        refs.in_parentheses(text, &[], &QuotedWords::default())
            .into_iter()
            .map(|hit| (text[hit.range].to_owned(), hit.known))
            .collect()
    }

    fn one(text: &str, known: Option<usize>) -> (String, Option<usize>) {
        (text.to_owned(), known)
    }

    #[test]
    fn each_form_is_found_between_parentheses() {
        let known = [
            "Primer 4.12",
            "Primer 5.1",
            "ISA 315.12",
            "AC-2(1)",
            "2 CFR 200.516(a)(7)",
            "Art. 6(2)",
            "Policy 4.9.1 ¶2",
            "Annex III(5)",
            "AC-2#D",
        ];
        for (index, source_ref) in known.iter().enumerate() {
            assert_eq!(
                found(&known, &format!("Text ({source_ref}).")),
                [one(source_ref, Some(index))],
                "{source_ref}"
            );
        }
        assert_eq!(
            found(&known, "x (Primer 4.12; Primer  5.1) y"),
            [one("Primer 4.12", Some(0)), one("Primer  5.1", Some(1))]
        );
        assert_eq!(
            found(&known, "x (see isa 315.12 and Art. 6(2))"),
            [one("isa 315.12", Some(2)), one("Art. 6(2)", Some(5))]
        );
    }

    #[test]
    fn a_deeper_paragraph_is_not_taken_for_the_one_above_it() {
        assert_eq!(found(&["AC-2"], "(AC-2(1))"), [one("AC-2(1)", None)]);
        assert_eq!(
            found(&["ISA 315.1"], "(ISA 315.12) (ISA 315.1.2) (ISA 315.1-3)")
                .iter()
                .filter(|(_, known)| known.is_some())
                .count(),
            0
        );
        assert_eq!(found(&["Policy 4.9.1"], "(Policy 4.9.1 ¶2)"), [one("Policy 4.9.1 ¶2", None)]);
        assert_eq!(
            found(&["AC-2", "AC-2(1)"], "(AC-2(1); AC-2)"),
            [one("AC-2(1)", Some(1)), one("AC-2", Some(0))]
        );
    }

    #[test]
    fn what_looks_like_a_citation_but_was_not_checked_is_found_too() {
        assert_eq!(found(&["Primer 1.1"], "(ISA 999.1)"), [one("ISA 999.1", None)]);
        assert_eq!(found(&[], "(2 CFR 200.516(a)(7))"), [one("2 CFR 200.516(a)(7)", None)]);
        assert_eq!(found(&[], "(Art. 6(2))"), [one("Art. 6(2)", None)]);
        let refs = Refs::new(std::iter::empty(), &["House Rule 3.1".to_owned()]);
        assert_eq!(refs.in_parentheses("(House Rule 9)", &[], &QuotedWords::default()).len(), 1);
    }

    #[test]
    fn ordinary_parentheses_are_left_alone() {
        assert_eq!(found(&["ISA 315.12"], "ISA 315.12 says (in 2019) (see table 3) (W1) (e.g. 5) ((((("), []);
    }
}
