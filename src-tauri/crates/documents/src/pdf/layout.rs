//! A page's characters to its parts in reading order.

use std::collections::BTreeMap;

use super::columns::{self, Line, Region};
use super::furniture::Sheet;
use super::glyphs::{Glyph, PageText};
use super::losses::LostContent;
use super::rules::{self, Rule};
use super::scans::Scan;
use super::strikes::{self, Area};
use super::{bidi, lattice, shifts, words};

/// How far letters reach above and below the baseline, as shares of their size.
const ASCENT: f32 = 0.85;
const DESCENT: f32 = 0.25;

/// Lays a page out, and tells what was not taken of it.
pub(super) fn sheet(number: u32, mut page: PageText, scan: Scan, losses: &mut LostContent) -> Sheet {
    losses.page(number, &page, &scan);
    let height = [page.height, page.width];
    let comments = std::mem::take(&mut page.comments);
    let parts = upright(page);
    if parts.iter().any(|part| part.in_order) {
        losses.in_order.push(number);
    }
    let turned = parts.first().map_or(0, |part| part.turn % 2);
    let regions = parts.into_iter().flat_map(|part| part.regions).collect();
    Sheet { number, height: height[turned], regions, comments, scan: scan.lines }
}

/// What a page has in one writing direction.
struct Part {
    /// Quarter turns of the direction.
    turn: usize,
    /// Whether x counts from the right, as its lines do.
    mirrored: bool,
    /// Whether its letters from the right are laid from left to right, so that nobody turned them.
    in_order: bool,
    regions: Vec<Region>,
}

/// The parts of a page in reading order, by the quarter turns of their writing direction; their origin is the corner
/// that is the upper left one when they are read.
fn upright(page: PageText) -> Vec<Part> {
    // Most text decides which way the page is read; what stands across comes after it.
    let mut turns: [Vec<Glyph>; 4] = Default::default();
    for glyph in page.glyphs {
        turns[usize::from(glyph.turn)].push(glyph);
    }
    let mut order = [0, 1, 2, 3];
    order.sort_by_key(|turn| std::cmp::Reverse(turns[*turn].len()));
    let part = |turn: usize| {
        let glyphs = &mut turns[turn];
        let (right, down) = corner(turn as u8, page.width, page.height);
        for glyph in glyphs.iter_mut() {
            glyph.x0 += right;
            glyph.x1 += right;
            glyph.y += down;
        }
        if glyphs.is_empty() {
            return Part { turn, mirrored: false, in_order: false, regions: Vec::new() };
        }
        let straight = |point| rules::turned(point, turn as u8, page.width, page.height);
        let rules: Vec<Rule> =
            page.rules.iter().map(|rule| rule.turned(turn as u8, page.width, page.height)).collect();
        let areas: Vec<Area> = page
            .strikes
            .iter()
            .map(|area| {
                let (a, b) =
                    (straight((area.x0 as f32, area.y0 as f32)), straight((area.x1 as f32, area.y1 as f32)));
                [a.0.min(b.0), a.1.min(b.1), a.0.max(b.0), a.1.max(b.1)]
            })
            .collect();
        let (mut grids, mut loose) = lattice::grids(&rules);
        strikes::mark(glyphs, &loose, &areas);
        let mut spans = words::spans(words::words(glyphs));
        let (right, left) = bidi::letters(glyphs.iter().map(|glyph| glyph.c));
        let all = spans.iter().flat_map(|span| &span.words);
        let votes = if right > 0 { all.map(|word| bidi::vote(&word.text)).sum() } else { 0 };
        let in_order = !page.reversed && bidi::is_in_order(votes);
        let mirrored = right > left && !in_order;
        if mirrored {
            let width = if turn.is_multiple_of(2) { page.width } else { page.height };
            spans = spans.into_iter().map(|span| span.mirrored(width)).collect();
            grids = grids.into_iter().map(|grid| grid.mirrored(width)).collect();
            loose.iter_mut().for_each(|rule| (rule.from, rule.to) = (width - rule.to, width - rule.from));
        }
        let tables = lattice::tables(&mut spans, &grids, &loose);
        let mut regions = columns::regions(spans, tables);
        if right > 0 {
            let lines = regions.iter_mut().flat_map(|region| &mut region.lines);
            lines.for_each(|line| line.put_in_order(mirrored, in_order));
        }
        shifts::write(&mut regions);
        Part { turn, mirrored, in_order, regions }
    };
    order.map(part).into()
}

/// How far the corner at which text of a direction begins is from the page's origin, as such text sees it.
pub(super) fn corner(turn: u8, width: f32, height: f32) -> (f32, f32) {
    match turn {
        0 => (0.0, 0.0),
        1 => (0.0, width),
        2 => (width, height),
        _ => (height, 0.0),
    }
}

/// A word with its box on the page, in points from the page's upper left corner.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PlacedWord {
    pub text: String,
    /// The line that it stands on, counted over the page.
    pub line: usize,
    pub x0: f32,
    pub y0: f32,
    pub x1: f32,
    pub y1: f32,
}

/// The words of a page in reading order, recognised ones included.
pub(super) fn placed(mut page: PageText) -> Vec<PlacedWord> {
    page.glyphs.append(&mut page.unpainted);
    let (width, height) = (page.width, page.height);
    let mut out = Vec::new();
    let mut line = 0;
    for part in upright(page) {
        for row in part.regions.iter().flat_map(|region| &region.lines) {
            for word in row.cells.iter().flat_map(|cell| &cell.words) {
                let (top, bottom) = (word.y - ASCENT * word.size, word.y + DESCENT * word.size);
                let across = if part.turn.is_multiple_of(2) { width } else { height };
                let (left, right) =
                    if part.mirrored { (across - word.x1, across - word.x0) } else { (word.x0, word.x1) };
                let (x0, y0, x1, y1) = match part.turn {
                    0 => (left, top, right, bottom),
                    1 => (width - bottom, left, width - top, right),
                    2 => (width - right, height - bottom, width - left, height - top),
                    _ => (top, height - right, bottom, height - left),
                };
                out.push(PlacedWord { text: word.text.clone(), line, x0, y0, x1, y1 });
            }
            line += 1;
        }
    }
    out
}

/// The size of most text in `lines`.
pub(super) fn body<'l>(lines: impl Iterator<Item = &'l Line>) -> f32 {
    let mut sizes: BTreeMap<u32, f32> = BTreeMap::new();
    for line in lines {
        *sizes.entry((line.size * 4.0).round() as u32).or_default() += line.x1 - line.x0;
    }
    let most = sizes.into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
    most.map_or(10.0, |(size, _)| size as f32 / 4.0)
}
