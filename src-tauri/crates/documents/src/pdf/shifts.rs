//! Raised and lowered signs: exponents, indices, and the numbers of footnotes.

use std::collections::BTreeSet;

use super::columns::{Line, Region};
use super::labels;
use super::layout;
use super::paragraphs::raised_mark;
use super::words::{Span, Word};
use crate::linear::{lowered, raised};

/// Smaller than this share of its neighbour's size, a sign is raised or lowered.
const SMALL: f32 = 0.85;
/// How far its baseline then lies above or below the neighbour's, as shares of that one's size.
const ABOVE: (f32, f32) = (0.12, 0.75);
const BELOW: (f32, f32) = (0.05, 0.4);
/// It stands this close to its neighbour.
const NEAR: f32 = 0.3;
/// Farther away, a space stands between them.
const APART: f32 = 0.15;
/// Words of more letters are no symbols, and a number raised behind them is a footnote's.
const SYMBOL: usize = 2;

const UNITS: [&str; 16] =
    ["mm", "cm", "dm", "km", "µm", "μm", "nm", "ft", "in", "yd", "mi", "ha", "sq", "kg", "Hz", "mol"];

/// Writes what is raised or lowered in one line with what it stands beside.
pub(super) fn write(regions: &mut [Region]) {
    let body = layout::body(regions.iter().flat_map(|region| &region.lines));
    let mut notes = BTreeSet::new();
    for region in regions.iter() {
        notes.extend(region.lines.iter().filter_map(|line| note(line, body)));
    }
    for line in regions.iter_mut().flat_map(|region| &mut region.lines) {
        let starts = raised_mark(line).is_some();
        for (index, cell) in line.cells.iter_mut().enumerate() {
            if cell.words.len() > 1 {
                write_span(cell, usize::from(starts && index == 0), &notes);
            }
        }
    }
}

/// The number of the footnote that a line starts.
fn note(line: &Line, body: f32) -> Option<String> {
    raised_mark(line).or_else(|| {
        let text = (line.size < 0.93 * body).then(|| line.text())?;
        Some(labels::mark(&text, line.cells.len() > 1)?.label?.to_owned())
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shift {
    Raised,
    Lowered,
}

/// How a word stands to its neighbour.
fn shift(word: &Word, base: &Word) -> Option<Shift> {
    let gap = (word.x0 - base.x1).max(base.x0 - word.x1);
    level(word, base).filter(|_| gap <= NEAR * base.size)
}

fn level(word: &Word, base: &Word) -> Option<Shift> {
    let small = word.size < SMALL * base.size || word.shifted && !base.shifted;
    let up = (base.y - word.y) / base.size;
    if !small {
        None
    } else if up >= ABOVE.0 && up <= ABOVE.1 {
        Some(Shift::Raised)
    } else {
        (-up >= BELOW.0 && -up <= BELOW.1).then_some(Shift::Lowered)
    }
}

fn write_span(span: &mut Span, from: usize, notes: &BTreeSet<String>) {
    let mut words: Vec<Word> = Vec::with_capacity(span.words.len());
    // The word that the next ones stand beside, and where it is among the new ones.
    let mut base: Option<(Word, usize)> = None;
    let mut rest = std::mem::take(&mut span.words).into_iter().enumerate().peekable();
    while let Some((index, word)) = rest.next() {
        // Behind a space it may belong to the word after it: `of ¹⁴C`.
        let after = rest.peek().map(|(_, next)| next).filter(|next| !next.spaced);
        let after = after.filter(|_| base.is_none() || word.spaced);
        let after = after.filter(|_| word.text.chars().all(|c| c.is_ascii_digit()));
        let before = after.and_then(|next| Some((shift(&word, next)?, None)));
        let beside = || base.as_ref().and_then(|(base, at)| Some((shift(&word, base)?, Some(*at))));
        let Some((shift, at)) = before.or_else(beside).filter(|_| index >= from && is_text(&word.text))
        else {
            base = Some((word.clone(), words.len()));
            words.push(word);
            continue;
        };
        // A raised `n+1` may be several words.
        let mut text = word.text.clone();
        let mut end = word.x1;
        while let (Some((base, _)), Some((_, next))) = (&base, rest.peek())
            && level(next, base) == Some(shift)
            && !next.spaced
            && next.x0 - end < NEAR * next.size
        {
            text.push_str(&next.text);
            end = next.x1;
            rest.next();
        }
        // What stands a space behind is a word of its own.
        let apart =
            base.as_ref().is_some_and(|(base, _)| word.spaced || word.x0 - base.x1 > APART * base.size);
        let mut new = Word { x1: end, ..word };
        match (shift, at.map(|at| words[at].text.as_str())) {
            (Shift::Lowered, base) => {
                new.text = lowered(&text);
                (new.spaced, new.joined) = (apart, base.is_some() && !apart);
            }
            (Shift::Raised, Some(base)) => match meaning(base, &text, notes) {
                Raised::Mark => (new.text, new.spaced) = (raised(&text), true),
                Raised::Note | Raised::Exponent => {
                    (new.text, new.spaced, new.joined) = (raised(&text), apart, !apart)
                }
            },
            (Shift::Raised, None) => new.text = raised(&text),
        }
        if let (None, Some((_, next))) = (at, rest.peek_mut()) {
            (next.spaced, next.joined) = (false, true);
        }
        words.push(new);
    }
    span.words = words;
}

/// Whether it is more than a sign like `*` or `®`.
fn is_text(text: &str) -> bool {
    text.chars().all(|c| !matches!(c, '*' | '†' | '‡' | '§' | '®' | '™' | '©' | '℠' | '°'))
        && text.chars().any(|c| c.is_alphanumeric() || matches!(c, '+' | '-' | '−' | '–'))
}

/// What something raised behind a word is.
enum Raised {
    /// The number of a footnote on the page.
    Note,
    /// A mark of its own, such as the number of a note elsewhere.
    Mark,
    Exponent,
}

fn meaning(base: &str, text: &str, notes: &BTreeSet<String>) -> Raised {
    if !text.chars().all(|c| c.is_ascii_digit()) {
        return Raised::Exponent;
    }
    let noted = notes.contains(text);
    let letters = base.chars().filter(|c| c.is_alphabetic()).count();
    let last = base.chars().next_back().unwrap_or(' ');
    let digits = base.chars().filter(char::is_ascii_digit).count();
    let unit = UNITS.iter().any(|unit| base.trim_start_matches(|c: char| c.is_ascii_digit()) == *unit);
    let exponent = match last {
        c if c.is_ascii_digit() => !(noted && (digits > 3 || letters > SYMBOL)),
        ')' | ']' => letters <= SYMBOL,
        c if c.is_alphabetic() => {
            let symbol = letters <= SYMBOL && base.contains(char::is_uppercase);
            unit || symbol && !noted || letters == 1
        }
        _ => false,
    };
    match (exponent, noted) {
        (true, _) => Raised::Exponent,
        (false, true) => Raised::Note,
        (false, false) => Raised::Mark,
    }
}
