//! Shown text: the characters of strings with their places, and marked content.

use hayro_font::hayro_syntax::object::{Dict, Name};
use hayro_font::kurbo::{Affine, Point};

use super::{Glyph, MAX_NESTING, MAX_REPLACEMENT, MIN_POINTS, MIN_SPREAD_GLYPHS, Mark, Origin, Run};
use crate::marks::is_mark;
use crate::pdf::bidi::{unified, visual};
use crate::pdf::fonts::{Face, Text};
use crate::pdf::strings;

impl<'a> Run<'_, 'a> {
    pub(super) fn begin_mark(&mut self, tag: &Name<'_>, properties: Option<&Dict<'_>>) {
        let paging =
            |dict: &Dict<'_>| dict.get::<Name<'_>>("Type").is_some_and(|name| name.as_str() == "Pagination");
        let hides = tag.as_str() == "Artifact" && properties.is_some_and(paging);
        self.page.reversed |= tag.as_str() == "ReversedChars";
        let replacement = properties
            .and_then(|dict| strings::text(dict, "ActualText"))
            .filter(|text| text.chars().count() <= MAX_REPLACEMENT)
            .map(|text| (self.page.glyphs.len(), text));
        self.push_mark(Mark { hides, replacement });
    }

    pub(super) fn push_mark(&mut self, mark: Mark) {
        if self.marks.len() < MAX_NESTING {
            self.hiding += usize::from(mark.hides);
            self.marks.push(mark);
        }
    }

    pub(super) fn end_mark(&mut self) {
        let Some(mark) = self.marks.pop() else { return };
        self.hiding -= usize::from(mark.hides);
        let Some((start, text)) = mark.replacement else { return };
        let Some((&first, &last)) = self.page.glyphs.get(start..).and_then(|all| all.first().zip(all.last()))
        else {
            return;
        };
        let count = self.page.glyphs.len() - start;
        if first.y == last.y && first.turn == 0 && last.turn == 0 && count <= MAX_REPLACEMENT {
            self.page.glyphs.truncate(start);
            let step = (last.x1 - first.x0) / text.chars().count().max(1) as f32;
            for (index, c) in visual(&text).into_iter().filter(|c| !is_mark(*c)).enumerate() {
                let x0 = first.x0 + step * index as f32;
                self.page.glyphs.push(Glyph { c, x0, x1: x0 + step, ..first });
            }
        }
    }

    pub(super) fn show(&mut self, bytes: &[u8]) {
        let Some(face) = self.state.face.clone().filter(|_| !bytes.is_empty()) else {
            self.page.nameless += bytes.len();
            return;
        };
        // Character spacing along a word belongs to its letters; in a string of a few it is the gap between two words.
        let spread = self.state.char_space / self.state.size;
        let long = bytes.len() >= MIN_SPREAD_GLYPHS * face.read_code(bytes, 0).1;
        let spread = if long && (0.1..0.5).contains(&spread) { spread } else { 0.0 };
        let mut at = 0;
        while at < bytes.len() {
            let (code, length) = face.read_code(bytes, at);
            at += length.max(1);
            let (advance, text) = face.glyph(code);
            let vertical = face.is_vertical();
            self.place(&face, f64::from(advance), spread, &text);
            let space = if length == 1 && code == 32 { self.state.word_space } else { 0.0 };
            let travel = f64::from(advance) * self.state.size + self.state.char_space + space;
            let step = if vertical { (0.0, travel) } else { (travel * self.state.stretch, 0.0) };
            self.text *= Affine::translate(step);
        }
    }

    pub(super) fn place(&mut self, face: &Face<'a>, advance: f64, spread: f64, text: &Text) {
        let state = &self.state;
        let scale = Affine::new([state.size * state.stretch, 0.0, 0.0, state.size, 0.0, state.rise]);
        let matrix = state.ctm * self.text * scale;
        if text.is_empty() {
            self.page.nameless += usize::from(advance > 0.0 && state.mode != 3);
            return;
        }
        let width = if face.is_vertical() { 0.9 } else { advance + spread };
        let look = Look { em: face.em(), bold: face.is_bold(), mono: face.is_mono() };
        let chars = text.chars().count();
        if chars == 1 {
            self.put(matrix, width, text.chars(), 1, look);
        } else {
            self.put(matrix, width, visual(&text.chars().collect::<String>()).into_iter(), chars, look);
        }
    }

    /// Characters that share a width at a place; the matrix's unit is the font's size.
    pub(super) fn put(
        &mut self,
        matrix: Affine,
        width: f64,
        text: impl Iterator<Item = char>,
        count: usize,
        look: Look,
    ) {
        let state = &self.state;
        let [a, b, c, d, x, y] = matrix.as_coeffs();
        let size = c.hypot(d) * look.em;
        let length = a.hypot(b);
        if !(x + y + size + length).is_finite() {
            return;
        }
        let turn = match (a / length, b / length) {
            (cos, _) if cos > 0.985 => 0,
            (_, sin) if sin > 0.985 => 1,
            (cos, _) if cos < -0.985 => 2,
            (_, sin) if sin < -0.985 => 3,
            _ => {
                self.page.slanted += 1;
                return;
            }
        };
        let end = matrix * Point::new(width, 0.0);
        let middle = Point::new((x + end.x) / 2.0, (y + end.y) / 2.0);
        let outside = !self.area.inflate(1.0, 1.0).contains(middle);
        let on_paper = state.white && !self.grounds.iter().any(|ground| ground.contains(middle));
        if self.hiding > 0 {
            return;
        }
        if outside || on_paper || state.clear || size < MIN_POINTS {
            self.page.hidden += usize::from(!text.into_iter().all(char::is_whitespace));
            return;
        }
        let list = if matches!(state.mode, 3 | 7) { &mut self.page.unpainted } else { &mut self.page.glyphs };
        // Turned so that the writing direction is x.
        let (along, across, until) = match turn {
            0 => (x, y, end.x),
            1 => (y, -x, end.y),
            2 => (-x, -y, -end.x),
            _ => (-y, x, -end.y),
        };
        for (index, c) in text.enumerate().filter(|(_, c)| !is_mark(*c)) {
            let from = along + (until - along) * index as f64 / count as f64;
            let to = along + (until - along) * (index + 1) as f64 / count as f64;
            list.push(Glyph {
                c: unified(c),
                x0: from.min(to) as f32,
                x1: from.max(to) as f32,
                y: across as f32,
                size: size as f32,
                turn,
                bold: look.bold,
                mono: look.mono,
                shifted: state.rise != 0.0,
                struck: false,
                origin: if matches!(state.mode, 3 | 7) { Origin::Layer } else { Origin::Text },
            });
        }
    }
}

/// How characters look.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    pub em: f64,
    pub bold: bool,
    pub mono: bool,
}
