//! What of a paragraph can be quoted as one: see [`of`].

use std::ops::Range;

use domain::sentence_tail;
use text_analysis::{counted_signs, is_full_stop};

use super::segments::Segment;
use super::words::words;

/// The longest passage of one or two sentences that is quoted, in bytes.
const MAX_PASSAGE_BYTES: usize = 1_600;
/// The longest enumeration that is quoted whole. Of a longer one its beginning is a passage, and each further item.
const MAX_ENUMERATION_BYTES: usize = 900;
/// The longest beginning.
const BEGINNING: usize = 500;

/// A passage: its segments, and those that lead into the first of them, outermost first.
pub(crate) type Piece = (Range<usize>, Vec<usize>);

/// The passages of a paragraph, given its segments and which of them may be used.
pub(crate) fn split(text: &str, segments: &[Segment], usable: &[bool]) -> Vec<Piece> {
    let mut found = Vec::new();
    // Segments before this one are part of an enumeration that is there.
    let mut taken = 0;
    for (index, segment) in segments.iter().enumerate().filter(|(index, _)| usable[*index]) {
        if index < taken {
            continue;
        }
        let leads = leads(segments, index);
        if leads.iter().any(|lead| !usable[*lead]) {
            continue;
        }
        if segment.last > index {
            let end = enumeration(segments, usable, index);
            if end > index + 1 {
                found.push((index..end, leads));
                taken = end;
            }
        } else if segment.item && !leads.is_empty() {
            found.push((index..index + 1, leads));
        } else if let Some(range) = sentences(text, segments, usable, index) {
            found.push((range, Vec::new()));
        }
    }
    found
}

/// The segments that lead into one, outermost first.
fn leads(segments: &[Segment], index: usize) -> Vec<usize> {
    let mut found = Vec::new();
    let mut at = index;
    while let Some(lead) = segments[at].lead {
        found.push(lead);
        at = lead;
    }
    found.reverse();
    found
}

/// Where the part of an enumeration ends that can be quoted at once: whole, or its first items.
fn enumeration(segments: &[Segment], usable: &[bool], index: usize) -> usize {
    let start = segments[index].range.start;
    let last = segments[index].last;
    let most = if segments[last].range.end - start <= MAX_ENUMERATION_BYTES {
        MAX_ENUMERATION_BYTES
    } else {
        BEGINNING
    };
    let fits = |at: &usize| usable[*at] && (*at == index + 1 || segments[*at].range.end - start <= most);
    let mut end = index + 1 + (index + 1..=last).take_while(fits).count();
    // What leads into something is not quoted without it.
    while end > index + 1 && segments[end - 1].last >= end {
        end -= 1;
    }
    end
}

/// A sentence, with the one before it where it points back at that one.
fn sentences(text: &str, segments: &[Segment], usable: &[bool], index: usize) -> Option<Range<usize>> {
    let own = &text[segments[index].range.clone()];
    if !is_statement(own) {
        return None;
    }
    // What opens a paragraph points back at its heading.
    let start = if points_back(own) && index > 0 {
        let before = index - 1;
        let gap = &text[segments[before].range.end..segments[index].range.start];
        let joins = usable[before] && is_statement(&text[segments[before].range.clone()]);
        (joins && gap.trim_matches(' ').is_empty()).then_some(before)?
    } else {
        index
    };
    let length = segments[index].range.end - segments[start].range.start;
    (length <= MAX_PASSAGE_BYTES).then_some(start..index + 1)
}

/// Openings that point at the sentence before.
const POINTS_BACK: [&str; 27] = [
    "this",
    "these",
    "that",
    "those",
    "it",
    "its",
    "they",
    "their",
    "such",
    "he",
    "both",
    "either",
    "however",
    "but",
    "also",
    "otherwise",
    "instead",
    "then",
    "neither",
    "none",
    "therefore",
    "thus",
    "hence",
    "conversely",
    "similarly",
    "and",
    "or",
];

/// What a text calls itself and its parts: `This Regulation applies` points at nothing before it.
const ITSELF: [&str; 30] = [
    "act",
    "agreement",
    "annex",
    "appendix",
    "article",
    "chapter",
    "code",
    "contract",
    "control",
    "convention",
    "decision",
    "directive",
    "document",
    "guidance",
    "guide",
    "guideline",
    "law",
    "manual",
    "order",
    "part",
    "policy",
    "regulation",
    "report",
    "rule",
    "schedule",
    "section",
    "specification",
    "standard",
    "statute",
    "title",
];

/// Whether a sentence only makes sense after the one before, or after the heading.
pub(crate) fn points_back(text: &str) -> bool {
    let mut order = words(text).into_iter();
    let (first, second) = (order.next().unwrap_or_default(), order.next().unwrap_or_default());
    let itself = ["this", "these"].contains(&first.as_str())
        && ITSELF.iter().any(|noun| second == *noun || second.strip_suffix('s') == Some(noun));
    !itself && POINTS_BACK.contains(&first.as_str())
}

/// A whole sentence of some length; texts made of list items have none, so their items count from eight words on. So is a row of a table.
/// Signs that say as much as five words, in scripts whose words have no blanks between them.
const MIN_SIGNS: usize = 10;

fn is_statement(text: &str) -> bool {
    let count = text.split_whitespace().count();
    let first = text.trim_start_matches(['"', '“', '(', '‘']).chars().next();
    // Numbers of notes and what closes something may stand behind the stop.
    let ends = text.rfind(|c| matches!(c, '.' | '!') || is_full_stop(c)).is_some_and(|at| {
        let behind = at + text[at..].chars().next().map_or(0, char::len_utf8);
        sentence_tail(&text[behind..]) == text.len() - behind
    });
    // Letters of many scripts have no capitals.
    let whole = ends && first.is_some_and(|c| c.is_alphanumeric() && !c.is_lowercase());
    (whole && count >= 5)
        || (counted_signs(text) >= MIN_SIGNS && !text.ends_with([':', '：', '？', '，', '、']))
        || is_row(text)
        || (count >= 8
            && !text.ends_with([':', '?', ','])
            && !text.ends_with(" and")
            && !text.ends_with(" or"))
}

/// Whether a text is a row that names its columns: `Supplier: Acme; Country: Germany`.
fn is_row(text: &str) -> bool {
    let named =
        |cell: &str| cell.split_once(": ").is_some_and(|(name, value)| !name.is_empty() && !value.is_empty());
    let mut cells = text.split("; ");
    cells.next().is_some_and(named) && cells.any(named)
}
