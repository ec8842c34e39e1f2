//! A page's characters to its parts in reading order.

use std::collections::BTreeMap;

use super::columns::{self, Line};
use super::furniture::Sheet;
use super::glyphs::{Glyph, PageText};
use super::losses::LostContent;
use super::words;

/// A page whose text is unpainted and lies over pictures of at least this share of it has been recognised.
const RECOGNISED: f32 = 0.4;

/// Lays a page out, and tells what was not taken of it.
pub(super) fn sheet(number: u32, mut page: PageText, losses: &mut LostContent) -> Sheet {
    let unpainted = page.unpainted.iter().filter(|glyph| !glyph.c.is_whitespace()).count();
    if unpainted > 0 {
        if page.pictures >= RECOGNISED && page.glyphs.len() * 10 < unpainted {
            losses.recognised.push(number);
            page.glyphs.append(&mut page.unpainted);
        } else {
            page.hidden += unpainted;
        }
    }
    losses.page(number, &page);
    // Most text decides which way the page is read; what stands across comes after it.
    let mut turns: [Vec<Glyph>; 4] = Default::default();
    for glyph in page.glyphs {
        turns[usize::from(glyph.turn)].push(glyph);
    }
    let mut order = [0, 1, 2, 3];
    order.sort_by_key(|turn| std::cmp::Reverse(turns[*turn].len()));
    let height = if order[0] % 2 == 0 { page.height } else { page.width };
    let mut regions = Vec::new();
    for turn in order {
        // The origin goes back to the upper left corner.
        let (right, down) = match turn {
            0 => (0.0, 0.0),
            1 => (0.0, page.width),
            2 => (page.width, page.height),
            _ => (page.height, 0.0),
        };
        for glyph in &mut turns[turn] {
            glyph.x0 += right;
            glyph.x1 += right;
            glyph.y += down;
        }
        regions.extend(columns::regions(words::spans(words::words(&turns[turn]))));
    }
    Sheet { number, height, regions }
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
