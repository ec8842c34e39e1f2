//! A page's characters to its parts in reading order.

use std::collections::BTreeMap;

use super::columns::{self, Line, Region};
use super::furniture::Sheet;
use super::glyphs::{Glyph, PageText};
use super::losses::LostContent;
use super::scans::Scan;
use super::words;

/// How far letters reach above and below the baseline, as shares of their size.
const ASCENT: f32 = 0.85;
const DESCENT: f32 = 0.25;

/// Lays a page out, and tells what was not taken of it.
pub(super) fn sheet(number: u32, page: PageText, scan: Scan, losses: &mut LostContent) -> Sheet {
    losses.page(number, &page, &scan);
    let height = [page.height, page.width];
    let parts = upright(page);
    let turned = parts.first().map_or(0, |(turn, _)| turn % 2);
    let regions = parts.into_iter().flat_map(|(_, regions)| regions).collect();
    Sheet { number, height: height[turned], regions, scan: scan.lines }
}

/// The parts of a page in reading order, by the quarter turns of their writing direction; their origin is the corner
/// that is the upper left one when they are read.
fn upright(page: PageText) -> Vec<(usize, Vec<Region>)> {
    // Most text decides which way the page is read; what stands across comes after it.
    let mut turns: [Vec<Glyph>; 4] = Default::default();
    for glyph in page.glyphs {
        turns[usize::from(glyph.turn)].push(glyph);
    }
    let mut order = [0, 1, 2, 3];
    order.sort_by_key(|turn| std::cmp::Reverse(turns[*turn].len()));
    let part = |turn: usize| {
        let (right, down) = corner(turn as u8, page.width, page.height);
        for glyph in &mut turns[turn] {
            glyph.x0 += right;
            glyph.x1 += right;
            glyph.y += down;
        }
        (turn, columns::regions(words::spans(words::words(&turns[turn]))))
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
    for (turn, regions) in upright(page) {
        for row in regions.iter().flat_map(|region| &region.lines) {
            for word in row.cells.iter().flat_map(|cell| &cell.words) {
                let (top, bottom) = (word.y - ASCENT * word.size, word.y + DESCENT * word.size);
                let (x0, y0, x1, y1) = match turn {
                    0 => (word.x0, top, word.x1, bottom),
                    1 => (width - bottom, word.x0, width - top, word.x1),
                    2 => (width - word.x1, height - bottom, width - word.x0, height - top),
                    _ => (top, height - word.x1, bottom, height - word.x0),
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
