//! Words that are set once: a text has few different words, and setting them is most of what a file costs.

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use docx::TableAlignment;

use crate::fonts::Fonts;
use crate::style::Look;
use crate::text::{Glyphs, Ink, Line, Paragraph, RAISED_SIZE, Sign};

/// Words that are kept; texts with more begin anew.
const MAX_KEPT: usize = 60_000;

/// How a word looks, as far as its signs depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Face {
    /// The bits of its size.
    size: u32,
    bold: bool,
    italic: bool,
    mono: bool,
}

impl Face {
    fn look(self, leading: f32) -> Look {
        Look {
            size: f32::from_bits(self.size),
            leading,
            bold: self.bold,
            italic: self.italic,
            mono: self.mono,
            ..crate::style::NOTE
        }
    }
}

/// A word in one font.
#[derive(Debug)]
pub(crate) struct Word {
    font: krilla::text::Font,
    signs: Vec<Sign>,
    width: f32,
}

/// Words that were set, by their look; `None` for those that this way does not set.
#[derive(Default)]
pub(crate) struct Words {
    kept: HashMap<Face, HashMap<Box<str>, Option<Rc<Word>>>>,
    /// How many are kept.
    pub count: usize,
    /// The baseline below the top of a line, by look and leading.
    baselines: HashMap<(Face, u32), f32>,
}

/// A part of a paragraph that lines do not cut.
struct Piece {
    /// In the paragraph.
    range: Range<usize>,
    ink: Ink,
    size: f32,
    word: Rc<Word>,
    is_blank: bool,
    /// A line may end behind it.
    may_end: bool,
}

/// Whether lines of such characters are broken at blanks and hyphens alone, and run from left to right.
fn is_plain(c: char) -> bool {
    matches!(c, ' '..='~' | '\u{a0}'..='\u{ac}' | '\u{ae}'..='\u{17f}' | '\u{2013}' | '\u{2014}' | '\u{2018}'..='\u{201e}'
        | '\u{2022}' | '\u{2026}' | '\u{20ac}')
        && !matches!(c, '|' | '}')
}

impl Fonts {
    /// Sets a paragraph of plain words in lines of at most `width`; `None` where it needs more than that.
    pub(crate) fn plain_lines(
        &mut self,
        paragraph: &Paragraph,
        look: &Look,
        width: f32,
    ) -> Option<Vec<Line>> {
        if !width.is_finite() || (width >= f32::MAX && look.alignment != TableAlignment::Start) {
            return None;
        }
        let pieces = self.pieces(paragraph, look)?;
        let face = Face { size: look.size.to_bits(), bold: look.bold, italic: look.italic, mono: look.mono };
        let baseline = self.baseline(face, look.leading)?;
        let text: Rc<str> = paragraph.text.as_str().into();
        let (mut lines, mut from, mut end, mut used, mut at) = (Vec::new(), 0, 0, 0.0f32, 0);
        while at < pieces.len() {
            // A word with what belongs to it, and the blanks behind it, which may stand over the edge.
            let word = pieces[at..]
                .iter()
                .position(|piece| piece.may_end)
                .map_or(pieces.len(), |last| at + last + 1);
            let seen = pieces[at..word]
                .iter()
                .filter(|piece| !piece.is_blank)
                .map(|piece| piece.word.width)
                .sum::<f32>();
            let all = pieces[at..word].iter().map(|piece| piece.word.width).sum::<f32>();
            if seen > width {
                return None;
            }
            if used + seen > width + 0.01 && from < at {
                lines.push((from..at, end));
                (from, used) = (at, 0.0);
            }
            end =
                pieces[at..word].iter().rposition(|piece| !piece.is_blank).map_or(end, |last| at + last + 1);
            used += all;
            at = word;
        }
        lines.push((from..at, end));
        Some(
            lines
                .into_iter()
                .map(|(range, end)| {
                    let seen: f32 =
                        pieces[range.start..end.max(range.start)].iter().map(|piece| piece.word.width).sum();
                    let left = match look.alignment {
                        TableAlignment::Start => 0.0,
                        TableAlignment::Center => (width - seen) / 2.0,
                        TableAlignment::End => width - seen,
                    };
                    line(&pieces[range], paragraph, &text, left, (look.leading, baseline))
                })
                .collect(),
        )
    }

    /// The widths of the longest word and of all words on one line, of plain words.
    pub(crate) fn plain_widths(&mut self, paragraph: &Paragraph, look: &Look) -> Option<(f32, f32)> {
        let pieces = self.pieces(paragraph, look)?;
        let (mut longest, mut word, mut all, mut blank) = (0.0f32, 0.0f32, 0.0f32, 0.0f32);
        for piece in &pieces {
            if piece.is_blank {
                blank += piece.word.width;
            } else {
                word += piece.word.width;
                all += blank + piece.word.width;
                blank = 0.0;
            }
            if piece.may_end {
                longest = longest.max(word);
                word = 0.0;
            }
        }
        Some((longest.max(word), all))
    }

    fn pieces(&mut self, paragraph: &Paragraph, look: &Look) -> Option<Vec<Piece>> {
        let text = paragraph.text.as_str();
        if !text.chars().all(is_plain) {
            return None;
        }
        let mut pieces = Vec::new();
        for (span, format, ink) in &paragraph.spans {
            if format.code && !look.mono {
                return None;
            }
            let size = if format.raised { look.size * RAISED_SIZE } else { look.size };
            let face = Face {
                size: size.to_bits(),
                bold: format.bold || look.bold,
                italic: format.italic || look.italic,
                mono: look.mono,
            };
            let mut start = span.start;
            while start < span.end {
                let rest = &text[start..span.end];
                let is_blank = rest.starts_with(' ');
                let length = if is_blank {
                    rest.len() - rest.trim_start_matches(' ').len()
                } else {
                    word_length(rest, &text[span.end..])
                };
                let range = start..start + length;
                let word = self.word(&text[range.clone()], face, look.leading)?;
                let next = text[range.end..].chars().next();
                let may_end =
                    if is_blank { next != Some(' ') } else { ends_at_hyphen(&text[..range.end], next) };
                start = range.end;
                pieces.push(Piece { range, ink: *ink, size, word, is_blank, may_end });
            }
        }
        (!pieces.is_empty()).then_some(pieces)
    }

    /// A word as it was set before, or set now.
    fn word(&mut self, text: &str, face: Face, leading: f32) -> Option<Rc<Word>> {
        if let Some(known) = self.words.kept.get(&face).and_then(|words| words.get(text)) {
            return known.clone();
        }
        let word = self.new_word(text, face, leading);
        if self.words.count >= MAX_KEPT {
            self.words.kept.clear();
            self.words.count = 0;
        }
        self.words.count += 1;
        self.words.kept.entry(face).or_default().insert(text.into(), word.clone());
        word
    }

    fn new_word(&mut self, text: &str, face: Face, leading: f32) -> Option<Rc<Word>> {
        let missing = self.missing.len();
        let line = self.whole_line(text, &face.look(leading))?;
        if self.missing.len() > missing {
            self.missing.truncate(missing);
            return None;
        }
        let mut parts = line.glyphs.into_iter();
        let Glyphs { font, mut glyphs, width, .. } = parts.next()?;
        glyphs.shrink_to_fit();
        parts.next().is_none().then(|| Rc::new(Word { font, signs: glyphs, width }))
    }

    fn baseline(&mut self, face: Face, leading: f32) -> Option<f32> {
        let key = (face, leading.to_bits());
        if let Some(known) = self.words.baselines.get(&key) {
            return Some(*known);
        }
        let baseline = self.whole_line("x", &face.look(leading))?.baseline;
        self.words.baselines.insert(key, baseline);
        Some(baseline)
    }
}

/// The length of the word that a text begins with, up to a blank or behind a hyphen at which a line may end.
fn word_length(rest: &str, after: &str) -> usize {
    let end = rest.find(' ').unwrap_or(rest.len());
    let hyphen = rest[..end].char_indices().find_map(|(at, c)| {
        let next = at + c.len_utf8();
        let follows = rest[next..].chars().next().or_else(|| after.chars().next());
        (next < end && ends_at_hyphen(&rest[..next], follows)).then_some(next)
    });
    hyphen.unwrap_or(end)
}

/// Whether a line may end behind a hyphen or a dash: letters stand on both sides of it.
fn ends_at_hyphen(before: &str, next: Option<char>) -> bool {
    let mut last = before.chars().rev();
    last.next().is_some_and(|c| matches!(c, '-' | '\u{2013}' | '\u{2014}' | '/'))
        && last.next().is_some_and(char::is_alphanumeric)
        && next.is_some_and(char::is_alphabetic)
}

fn line(
    pieces: &[Piece],
    paragraph: &Paragraph,
    text: &Rc<str>,
    left: f32,
    (height, baseline): (f32, f32),
) -> Line {
    let mut out = Line { height, baseline, ..Line::default() };
    let mut x = left;
    for piece in pieces {
        let word = &piece.word;
        let goes_on = out.glyphs.last().is_some_and(|part| {
            part.ink == piece.ink && part.size.to_bits() == piece.size.to_bits() && part.font == word.font
        });
        if !goes_on {
            out.notes.extend(piece.ink.mark);
            out.glyphs.push(Glyphs {
                font: word.font.clone(),
                size: piece.size,
                x,
                width: 0.0,
                ink: piece.ink,
                glyphs: Vec::new(),
                text: Rc::clone(text),
                target: piece.ink.target.and_then(|index| paragraph.targets.get(index)).cloned(),
            });
        }
        if let Some(part) = out.glyphs.last_mut() {
            part.glyphs.extend(word.signs.iter().map(|sign| sign.moved(piece.range.start)));
            part.width += word.width;
        }
        x += word.width;
        if !piece.is_blank {
            out.width = x;
        }
    }
    out.glyphs.iter_mut().for_each(|part| part.glyphs.shrink_to_fit());
    out
}
