//! Characters to words, and words to spans: stretches of one line without a wide gap.

use super::bidi;
use super::glyphs::{Glyph, Origin};
use crate::marks;

/// A gap wider than this share of the size parts words.
const WORD_GAP: f32 = 0.11;
/// A gap wider than this share of the size parts spans: it may be the edge of a column or a cell.
const SPAN_GAP: f32 = 0.9;
/// Baselines this close, as a share of the size, are one line.
const BASELINE: f32 = 0.2;

/// Characters without a gap.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Word {
    pub text: String,
    pub x0: f32,
    pub x1: f32,
    pub y: f32,
    pub size: f32,
    pub bold: bool,
    pub mono: bool,
    /// Whether a space character stood before it.
    pub spaced: bool,
    /// Whether no space stands before it, whatever the gap.
    pub joined: bool,
    /// Whether the page's own operators raise or lower it.
    pub shifted: bool,
    pub struck: bool,
    pub origin: Origin,
}

/// Words of one line without a wide gap.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Span {
    pub words: Vec<Word>,
    pub x0: f32,
    pub x1: f32,
    pub y: f32,
    pub size: f32,
    /// Whether its words are in reading order, so that gaps tell nothing more.
    pub plain: bool,
    /// The table that stands here, by its number on the page; such a span has no words.
    pub table: Option<usize>,
}

impl Span {
    pub(super) fn of(words: Vec<Word>) -> Self {
        let x0 = words.iter().fold(f32::MAX, |x, word| x.min(word.x0));
        let x1 = words.iter().fold(f32::MIN, |x, word| x.max(word.x1));
        let main = words.iter().max_by(|a, b| weight(a).total_cmp(&weight(b)));
        let (y, size) = main.map_or((0.0, 1.0), |word| (word.y, word.size));
        Self { words, x0, x1, y, size, plain: false, table: None }
    }

    /// The words with spaces, struck ones between their marks.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for (index, word) in self.words.iter().enumerate() {
            if index > 0 && self.parts(index) {
                out.push(' ');
            }
            if word.struck {
                out.push_str(&marks::struck(&word.text));
            } else {
                out.push_str(&word.text);
            }
        }
        out
    }

    /// Whether a space stands before the word at `index`, which is not the first.
    pub fn parts(&self, index: usize) -> bool {
        let (last, word) = (&self.words[index - 1], &self.words[index]);
        let gap = !self.plain && word.x0 - last.x1 > WORD_GAP * last.size.min(word.size);
        !word.joined && (word.spaced || gap)
    }
}

fn weight(word: &Word) -> f32 {
    word.size * word.text.chars().count() as f32
}

/// Groups characters, given in the order of the page's content, into words.
pub(super) fn words(glyphs: &[Glyph]) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut spaced = true;
    let mut last: Option<&Glyph> = None;
    for glyph in glyphs {
        if glyph.c.is_whitespace() {
            spaced = true;
            continue;
        }
        let mut joins = false;
        if let (Some(last), Some(word)) = (last, words.last_mut()) {
            let size = last.size.min(glyph.size);
            let near = |a: f32, b: f32, share: f32| (a - b).abs() < share * size;
            // Drawn twice with a small shift: a poor man's bold.
            if glyph.c == last.c && near(glyph.x0, last.x0, 0.1) && near(glyph.y, last.y, 0.1) {
                word.bold = true;
                continue;
            }
            let gap = glyph.x0 - last.x1;
            let alike = glyph.size < 1.2 * last.size && last.size < 1.2 * glyph.size;
            let alike = alike && glyph.struck == last.struck && glyph.shifted == last.shifted;
            let level = !spaced && alike && near(glyph.y, last.y, BASELINE);
            let right = bidi::is_right(glyph.c) || bidi::is_right(last.c);
            if level && right && near(glyph.x1, word.x0, WORD_GAP) && !bidi::is_mark(glyph.c) {
                // Letters that are written from right to left, one by one.
                joins = true;
                word.text.insert(0, glyph.c);
                word.x0 = glyph.x0;
            } else if level && gap > -0.5 * size && gap < WORD_GAP * size {
                joins = true;
                word.text.push(glyph.c);
                word.x1 = word.x1.max(glyph.x1);
            }
        }
        if !joins {
            words.push(Word {
                text: glyph.c.to_string(),
                x0: glyph.x0,
                x1: glyph.x1,
                y: glyph.y,
                size: glyph.size,
                bold: glyph.bold,
                mono: glyph.mono,
                spaced,
                joined: false,
                shifted: glyph.shifted,
                struck: glyph.struck,
                origin: glyph.origin,
            });
        }
        spaced = false;
        last = Some(glyph);
    }
    words
}

/// Groups words into spans, from the top of the page down.
pub(super) fn spans(mut words: Vec<Word>) -> Vec<Span> {
    words.sort_by(|a, b| a.y.total_cmp(&b.y).then(a.x0.total_cmp(&b.x0)));
    let mut spans = Vec::new();
    let mut band: Vec<Word> = Vec::new();
    for word in words {
        let ends = band.first().is_some_and(|first| word.y - first.y > BASELINE * first.size.min(word.size));
        if ends {
            close(std::mem::take(&mut band), &mut spans);
        }
        band.push(word);
    }
    close(band, &mut spans);
    attach_raised(spans)
}

/// Cuts the words of one baseline where the gap is wide.
fn close(mut band: Vec<Word>, spans: &mut Vec<Span>) {
    band.sort_by(|a, b| a.x0.total_cmp(&b.x0));
    let mut open: Vec<Word> = Vec::new();
    for word in band {
        if let Some(last) = open.last() {
            // The same words drawn twice.
            if last.text == word.text && (last.x0 - word.x0).abs() < 0.2 * last.size {
                continue;
            }
            if word.x0 - last.x1 > SPAN_GAP * last.size.max(word.size) {
                spans.push(Span::of(std::mem::take(&mut open)));
            }
        }
        open.push(word);
    }
    if !open.is_empty() {
        spans.push(Span::of(open));
    }
}

/// Joins raised and lowered marks to the line that they touch.
fn attach_raised(spans: Vec<Span>) -> Vec<Span> {
    // Spans are sorted by their baselines: a mark's line is among its neighbours.
    const NEAR: usize = 24;
    let mut out: Vec<Option<Span>> = spans.into_iter().map(Some).collect();
    for index in 0..out.len() {
        let Some(mark) = out[index].clone().filter(|span| span.words.len() <= 3) else { continue };
        let range = index.saturating_sub(NEAR)..(index + NEAR + 1).min(out.len());
        let touches = |span: &Span| {
            let rise = span.y - mark.y;
            let small = span.size * 0.88 > mark.size || mark.words.iter().all(|word| word.shifted);
            small
                && rise < 0.75 * span.size
                && rise > -0.4 * span.size
                && mark.x0 - span.x1 < 0.35 * span.size
                && span.x0 - mark.x1 < 0.35 * span.size
        };
        let gap = |span: &Span| ((mark.x0 - span.x1).max(span.x0 - mark.x1) / span.size).abs();
        let mut hosts: Vec<(f32, usize)> = range
            .filter(|near| *near != index)
            .filter_map(|near| out[near].as_ref().filter(|span| touches(span)).map(|span| (gap(span), near)))
            .collect();
        hosts.sort_by(|a, b| a.0.total_cmp(&b.0));
        // Between two words it holds them together.
        let Some(&(_, first)) = hosts.first() else { continue };
        let line = out[first].as_ref().map_or((0.0, 1.0), |span| (span.y, span.size));
        let level =
            |at: usize| out[at].as_ref().is_some_and(|span| (span.y - line.0).abs() < BASELINE * line.1);
        hosts.retain(|(gap, host)| *host == first || *gap < WORD_GAP && level(*host));
        hosts.truncate(2);
        let mut words = mark.words.clone();
        for (_, host) in hosts {
            words.extend(out[host].take().into_iter().flat_map(|span| span.words));
        }
        words.sort_by(|a, b| a.x0.total_cmp(&b.x0));
        out[index] = None;
        out[first] = Some(Span::of(words));
    }
    out.into_iter().flatten().collect()
}
