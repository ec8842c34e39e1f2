//! Marks in a model's text that hold keys of sentences.
//!
//! A mark is a bracket that begins as no document's does: `[@3.2]`. What models make of it is read too: several keys in one
//! (`[@3.2; @4.1]`, `[@3.2, 4.1]`), ranges (`[@3.2-4]`), marks side by side, other brackets (`(@3.2)`, `【@3.2】`), brackets
//! escaped as Markdown wants them. Code holds none, nor do words that the given paragraphs have.

use std::ops::Range;

use domain::KeyForm;

use super::Keyed;

/// One sentence, or a whole paragraph where the sentence is 0.
pub(super) type Key = (usize, usize);

/// The most sentences that one range of keys stands for.
const MAX_RANGE_SENTENCES: usize = 40;
/// The most whole paragraphs that one range of keys stands for.
const MAX_RANGE_PARAGRAPHS: usize = 10;
/// The longest mark in bytes, its brackets included.
const MAX_MARK_BYTES: usize = 600;

/// Keys that stand together.
#[derive(Debug)]
pub(super) struct Group {
    pub range: Range<usize>,
    pub keys: Vec<Key>,
    /// What names no given sentence, as it was written.
    pub unknown: Vec<String>,
}

/// The groups of keys in Markdown, in order.
pub(super) fn groups(markdown: &str, paragraphs: &[Keyed], form: KeyForm) -> Vec<Group> {
    let found = in_form(markdown, paragraphs, form);
    match form {
        KeyForm::Marked if found.is_empty() && !has_numbers(paragraphs) => without_sign(markdown, paragraphs),
        KeyForm::Marked | KeyForm::Bare => found,
    }
}

/// Whether a given paragraph has a number in brackets.
fn has_numbers(paragraphs: &[Keyed]) -> bool {
    let brackets = KeyForm::Marked.brackets();
    let numbered = |text: &str| {
        let mut opens =
            text.char_indices().filter(|(_, c)| brackets.iter().any(|(open, ..)| open == c && *c != '('));
        opens.any(|(at, c)| KeyForm::Bare.begins(&text[at + c.len_utf8()..]))
    };
    paragraphs.iter().flat_map(|one| &one.sentences).any(|sentence| numbered(sentence))
}

/// The keys of a model that forgot the sign throughout, `[3.2]`: only where no given paragraph has a number in brackets, so
/// that none can be a document's; only whole marks of known sentences that close a sentence or a part of one.
fn without_sign(markdown: &str, paragraphs: &[Keyed]) -> Vec<Group> {
    let closes = |group: &Group| {
        let after = markdown[group.range.end..].trim_start_matches([' ', '*', '_']);
        after.is_empty()
            || after.starts_with(['.', ',', ';', ':', '!', '?', ')', '|', '\n', '"', '\u{201D}'])
            || markdown[..group.range.start].trim_end().ends_with(['.', '!', '?'])
    };
    let mut found = in_form(markdown, paragraphs, KeyForm::Bare);
    found.retain(|group| group.unknown.is_empty() && group.keys.iter().all(|key| key.1 > 0) && closes(group));
    found
}

fn in_form(markdown: &str, paragraphs: &[Keyed], form: KeyForm) -> Vec<Group> {
    let code = code_ranges(markdown);
    let mut found: Vec<Group> = Vec::new();
    let mut at = 0;
    while let Some((open, (bracket, closing, _))) = next_bracket(markdown, at, form) {
        let inside = open + bracket.len_utf8();
        at = inside;
        if code.iter().any(|range| range.contains(&open)) {
            continue;
        }
        let Some(length) = markdown[inside..].find(closing) else { continue };
        let close = inside + length;
        let mut range = open..close + closing.len_utf8();
        if range.len() > MAX_MARK_BYTES || markdown[inside..close].contains("\n\n") {
            continue;
        }
        let Some((keys, unknown)) = keys(&markdown[inside..close], paragraphs, form) else { continue };
        if form == KeyForm::Bare && markdown[range.end..].starts_with(['(', ':']) {
            continue;
        }
        if markdown[..range.start].ends_with('\\') {
            range.start -= 1;
        }
        if markdown[..range.start].ends_with('(') && markdown[range.end..].starts_with(')') {
            range = range.start - 1..range.end + 1;
        }
        if form == KeyForm::Marked && stands_in(markdown, &range, paragraphs) {
            continue;
        }
        at = range.end;
        match found.last_mut() {
            Some(last) if markdown[last.range.end..range.start].trim_matches([' ', ',', ';']).is_empty() => {
                last.range.end = range.end;
                last.keys.extend(keys);
                last.unknown.extend(unknown);
            }
            _ => found.push(Group { range, keys, unknown }),
        }
    }
    found
}

/// The next bracket behind which a key may begin.
fn next_bracket(markdown: &str, from: usize, form: KeyForm) -> Option<(usize, (char, char, &'static str))> {
    markdown[from..].char_indices().find_map(|(at, c)| {
        let bracket = form.brackets().iter().find(|(open, ..)| *open == c)?;
        let begins = form == KeyForm::Bare || form.begins(&markdown[from + at + c.len_utf8()..]);
        begins.then_some((from + at, *bracket))
    })
}

/// Whether a mark stands in the given paragraphs, with the word before it or the word behind it: then it is theirs.
fn stands_in(markdown: &str, range: &Range<usize>, paragraphs: &[Keyed]) -> bool {
    let tight = |text: &str| text.chars().filter(|c| !c.is_whitespace() && *c != '\\').collect::<String>();
    let mark = tight(&markdown[range.clone()]);
    let sentences = || paragraphs.iter().flat_map(|one| &one.sentences).map(|sentence| tight(sentence));
    if !sentences().any(|sentence| sentence.contains(&mark)) {
        return false;
    }
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    let before = markdown[..range.start].split_whitespace().next_back().map(bare).unwrap_or_default();
    let after = markdown[range.end..].split_whitespace().next().map(bare).unwrap_or_default();
    let quoted = markdown[..range.start].ends_with(['"', '\u{201C}']);
    quoted
        || sentences().any(|sentence| {
            (!before.is_empty() && sentence.contains(&format!("{before}{mark}")))
                || (!after.is_empty() && sentence.contains(&format!("{mark}{after}")))
        })
}

/// The keys between brackets and those that name nothing; `None` where it is something else.
fn keys(inside: &str, paragraphs: &[Keyed], form: KeyForm) -> Option<(Vec<Key>, Vec<String>)> {
    let (mut keys, mut unknown) = (Vec::new(), Vec::new());
    for part in parts(inside, form) {
        let plain = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | ' ');
        let is_key = part.starts_with(|c: char| c.is_ascii_digit()) && part.chars().all(plain);
        let named = if is_key { keys_in(&part, paragraphs, form) } else { None };
        match (named, form) {
            (Some(named), _) if !named.is_empty() => keys.extend(named),
            (None, KeyForm::Bare) => return None,
            // Nothing that stands in a mark goes unseen.
            _ => unknown.push(part),
        }
    }
    (!keys.is_empty() || !unknown.is_empty()).then_some((keys, unknown))
}

/// What stands between the signs that part keys, dashes as `-`.
fn parts(inside: &str, form: KeyForm) -> Vec<String> {
    let plain: String = inside
        .chars()
        .map(|c| match c {
            '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
            '\n' | '\u{A0}' => ' ',
            c => c,
        })
        .filter(|c| *c != '\\')
        .collect();
    let plain = plain.replace(" and ", ";");
    if form == KeyForm::Bare {
        return plain.split([',', ';']).map(|part| part.trim().to_owned()).collect();
    }
    let sign = form.sign();
    let mut plain = plain.replace(" - ", "-").replace(&format!("{sign} "), sign);
    plain = plain.replace(&format!("-{sign}"), "-");
    let parts = plain.split([',', ';', '&', '@']).map(|part| part.trim().trim_end_matches('.').to_owned());
    parts.filter(|part| !part.is_empty()).collect()
}

/// The sentences that `3.2`, `3`, `3.2-4` or `3.2-3.4` names: none where one of them was not given; `None` where it has no
/// form of a key.
fn keys_in(part: &str, paragraphs: &[Keyed], form: KeyForm) -> Option<Vec<Key>> {
    let sentences = |number: usize| paragraphs.get(number.wrapping_sub(1)).map(|one| one.sentences.len());
    let whole = |(number, sentence): Key| sentences(number).is_some_and(|count| sentence <= count);
    let (first, last) = match part.split_once('-') {
        Some((first, last)) => (key(first.trim())?, Some(key(last.trim())?)),
        None => (key(part)?, None),
    };
    let (number, from) = first;
    let named: Vec<Key> = match last {
        None => vec![first],
        // Whole paragraphs.
        Some((to, 0)) if from == 0 => match form {
            KeyForm::Bare => Vec::new(),
            KeyForm::Marked => (number..=to).take(MAX_RANGE_PARAGRAPHS + 1).map(|one| (one, 0)).collect(),
        },
        // `3.2-4`: the second number is a sentence's.
        Some((to, 0)) => (from..=to).take(MAX_RANGE_SENTENCES + 1).map(|one| (number, one)).collect(),
        Some((other, to)) if other == number => {
            (from..=to).take(MAX_RANGE_SENTENCES + 1).map(|one| (number, one)).collect()
        }
        Some((other, to)) => match form {
            KeyForm::Bare => return None,
            // From one paragraph into the next.
            KeyForm::Marked if other == number + 1 && from > 0 => {
                let rest = (from..=sentences(number).unwrap_or(from)).map(|one| (number, one));
                rest.chain((1..=to).map(|one| (other, one))).take(MAX_RANGE_SENTENCES + 1).collect()
            }
            KeyForm::Marked => Vec::new(),
        },
    };
    let few = named.len() <= if from == 0 { MAX_RANGE_PARAGRAPHS } else { MAX_RANGE_SENTENCES };
    Some(if few && named.iter().all(|one| whole(*one)) { named } else { Vec::new() })
}

/// `3.2`, or `3` for the whole paragraph.
fn key(text: &str) -> Option<Key> {
    let number = |digits: &str| digits.parse::<usize>().ok().filter(|_| digits.len() <= 5);
    match text.split_once('.') {
        Some((paragraph, sentence)) => Some((number(paragraph)?, number(sentence).filter(|one| *one > 0)?)),
        None => Some((number(text)?, 0)),
    }
}

/// Fenced code and code in lines.
fn code_ranges(markdown: &str) -> Vec<Range<usize>> {
    use pulldown_cmark::{Event, Parser, Tag, TagEnd};
    let mut ranges = Vec::new();
    let mut block = None;
    for (event, range) in Parser::new_ext(markdown, crate::blocks::options()).into_offset_iter() {
        match event {
            Event::Code(_) => ranges.push(range),
            Event::Start(Tag::CodeBlock(_)) => block = Some(range.start),
            Event::End(TagEnd::CodeBlock) => ranges.extend(block.take().map(|start| start..range.end)),
            _ => {}
        }
    }
    ranges
}
