//! Pages that are pictures of text: told by what they show, drawn, and read by a recogniser into the signs of a page.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hayro::hayro_syntax::page::Page;
use parking_lot::Mutex;
use recognition::{Picture, Reading, Recogniser};

use super::glyphs::{Glyph, Origin, PageText};
use super::picture;
use crate::recognised::{letters, shares};
use crate::worker::pulse;
use crate::{ReadError, RecognisedLine};

/// Fewer signs that a person sees do not make a page of text.
const FEW: usize = 20;
/// Share of the page under pictures from which it is a picture.
const PICTURED: f32 = 0.5;
/// Share of the page under pictures from which unpainted text over them is what another program recognised: where a recogniser can
/// read the page itself, and where none can.
const LAYER: f32 = 0.8;
const LAYER_ALONE: f32 = 0.4;
/// Pixels to the inch, and most pixels of the longer side: of a poster, too, the picture stays within the memory's bound.
const RESOLUTION: f32 = 300.0;
const MAX_PICTURE_PIXELS: f32 = 3_600.0;
/// The height of type as a share of the height of a line's box, and the baseline below the box's middle as a share of it.
const TYPE: f32 = 0.82;
const BASELINE: f32 = 0.25;
/// Lines whose heights differ by less are set in one size.
const ALIKE: f32 = 1.25;
/// A box begins so much before its text, as a share of its height.
const BEFORE: f32 = 0.1;
/// Half the width of a sign at the end of a word, as a share of the size.
const HALF: f32 = 0.25;

/// A line read from a page's picture.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ScanLine {
    pub line: RecognisedLine,
    /// In hundredths.
    pub score: u8,
    pub doubtful: Vec<String>,
}

/// A page that was read from its picture.
#[derive(Debug, Default)]
pub(super) struct Scan {
    pub lines: Vec<ScanLine>,
    /// Lines that are too unclear to be read.
    pub unclear: usize,
    /// Whether there was a recogniser to read it.
    pub tried: bool,
}

impl PageText {
    /// Whether it is a picture of text rather than text.
    pub fn is_scan(&self) -> bool {
        let seen = self.glyphs.iter().filter(|glyph| !glyph.c.is_whitespace()).count();
        seen < FEW && (self.pictures >= PICTURED || self.outlines)
    }

    /// Whether text is missing of such a page while its picture has not been read.
    pub fn is_unread(&self) -> bool {
        self.is_scan() && (self.pictures >= PICTURED || self.glyphs.is_empty())
    }
}

/// Takes in what the page's text does not say: a layer of recognised text, or what `models` read from its picture.
pub(super) fn read(page: &Page<'_>, text: &mut PageText, models: Option<&Path>) -> Result<Scan, ReadError> {
    let unpainted = text.unpainted.iter().filter(|glyph| !glyph.c.is_whitespace()).count();
    let covered = text.pictures >= if models.is_some() { LAYER } else { LAYER_ALONE };
    if covered && text.glyphs.len() * 10 < unpainted {
        text.glyphs.append(&mut text.unpainted);
        return Ok(Scan::default());
    }
    text.hidden += unpainted;
    let Some(models) = models.filter(|_| text.is_scan()) else { return Ok(Scan::default()) };
    pulse::beats(pulse::PAGE_BEATS);
    let recogniser = recogniser(models)?;
    let Some(picture) = drawn(page, text) else { return Ok(Scan { tried: true, ..Scan::default() }) };
    let reading = recogniser
        .read(&picture, &mut || pulse::beats(pulse::LINE_BEATS))
        .map_err(|error| ReadError::Recogniser(error.to_string()))?;
    let scale = (text.width / picture.width() as f32, text.height / picture.height() as f32);
    Ok(placed(&reading, scale, text))
}

/// The recogniser of a folder; the last one stays open for the next page.
pub(crate) fn recogniser(models: &Path) -> Result<Arc<Recogniser>, ReadError> {
    static OPEN: Mutex<Option<(PathBuf, Arc<Recogniser>)>> = Mutex::new(None);
    let mut open = OPEN.lock();
    if let Some((_, recogniser)) = open.as_ref().filter(|(folder, _)| folder == models) {
        return Ok(Arc::clone(recogniser));
    }
    let recogniser = Recogniser::open(models, crate::worker::recogniser_threads())
        .map_err(|error| ReadError::Recogniser(error.to_string()))?;
    let recogniser = Arc::new(recogniser);
    *open = Some((models.to_owned(), Arc::clone(&recogniser)));
    Ok(recogniser)
}

fn drawn(page: &Page<'_>, text: &PageText) -> Option<Picture> {
    let scale = (RESOLUTION / 72.0).min(MAX_PICTURE_PIXELS / text.width.max(text.height).max(1.0));
    if !(scale.is_finite() && text.width * scale >= 1.0 && text.height * scale >= 1.0) {
        return None;
    }
    let pixels = picture::pixels(page, scale);
    let colours = pixels.data().iter().map(|pixel| [pixel.r, pixel.g, pixel.b]).collect();
    Picture::new(pixels.width().into(), pixels.height().into(), colours)
}

/// Puts what was read onto the page, as signs at their places. Where real text stands nothing is put. `scale`: points of a pixel.
pub(super) fn placed(reading: &Reading, scale: (f32, f32), text: &mut PageText) -> Scan {
    let typed: Vec<(f32, f32)> = text.glyphs.iter().filter_map(|glyph| middle(glyph, text)).collect();
    // The picture as it is read: turned, and laid straight around its middle.
    let (width, height, scale) = match reading.turn % 2 {
        0 => (text.width, text.height, scale),
        _ => (text.height, text.width, (scale.1, scale.0)),
    };
    let slope = usual_slope(reading);
    let (cos, sin) = (slope.cos(), slope.sin());
    let straight = |x: f32, y: f32| {
        let (dx, dy) = (x - width / 2.0, y - height / 2.0);
        (width / 2.0 + dx * cos + dy * sin, height / 2.0 + dy * cos - dx * sin)
    };
    // The page lays out text of each direction from its own corner.
    let turn = (4 - reading.turn % 4) % 4;
    let (right, down) = super::layout::corner(turn, text.width, text.height);
    let sizes = sizes(reading.lines.iter().map(|line| line.area.height * scale.1));
    let mut scan = Scan { lines: Vec::new(), unclear: reading.unclear, tried: true };
    for (line, size) in reading.lines.iter().zip(sizes) {
        let [left, top, until, bottom] = line.area.bounds();
        let bounds = [
            left * scale.0 / width,
            top * scale.1 / height,
            until * scale.0 / width,
            bottom * scale.1 / height,
        ];
        let bounds = unturned(bounds, reading.turn);
        let covers =
            |(x, y): &(f32, f32)| (bounds[0]..bounds[2]).contains(x) && (bounds[1]..bounds[3]).contains(y);
        if typed.iter().any(covers) {
            continue;
        }
        let Ok(index) = u16::try_from(scan.lines.len()) else { break };
        let (x, y) = straight(line.area.x * scale.0, line.area.y * scale.1);
        let length = line.area.width * scale.0;
        let before = BEFORE * line.area.height * scale.0;
        let (from, to) = (x - length / 2.0 + before, x + length / 2.0 - before);
        let at = |index: usize| (x + (line.signs[index].at - 0.5) * length).clamp(from, to);
        let last = line.signs.len() - 1;
        for (index_of_sign, sign) in line.signs.iter().enumerate() {
            let blank = |index: usize| line.signs[index].c == ' ';
            let middle = at(index_of_sign);
            let x0 = match index_of_sign {
                0 => from,
                index if blank(index - 1) && sign.c != ' ' => middle - HALF * size,
                index => f32::midpoint(at(index - 1), middle),
            };
            let x1 = match index_of_sign {
                index if index == last => to,
                index if blank(index + 1) && sign.c != ' ' => middle + HALF * size,
                index => f32::midpoint(middle, at(index + 1)),
            };
            text.glyphs.push(Glyph {
                c: sign.c,
                x0: x0 - right,
                x1: x1.max(x0) - right,
                y: y + BASELINE * size - down,
                size,
                turn,
                bold: false,
                mono: false,
                shifted: false,
                struck: false,
                origin: Origin::Line(index),
            });
        }
        let count = letters(&line.text()).count();
        scan.lines.push(ScanLine {
            line: RecognisedLine {
                page: 0,
                area: shares(bounds),
                letters: u32::try_from(count).unwrap_or(u32::MAX),
            },
            score: (line.score() * 100.0).round() as u8,
            doubtful: line.doubtful(),
        });
    }
    scan
}

/// The middle of a sign in shares of the page.
fn middle(glyph: &Glyph, text: &PageText) -> Option<(f32, f32)> {
    let (along, across) = (f32::midpoint(glyph.x0, glyph.x1), glyph.y - BASELINE * glyph.size);
    let (x, y) = match glyph.turn {
        0 => (along, across),
        1 => (-across, along),
        2 => (-along, -across),
        _ => (across, -along),
    };
    (!glyph.c.is_whitespace()).then_some((x / text.width, y / text.height))
}

/// A box in shares of a turned picture, as one of the picture before it was turned clockwise by quarters.
fn unturned([left, top, right, bottom]: [f32; 4], turn: u8) -> [f32; 4] {
    match turn % 4 {
        0 => [left, top, right, bottom],
        1 => [top, 1.0 - right, bottom, 1.0 - left],
        2 => [1.0 - right, 1.0 - bottom, 1.0 - left, 1.0 - top],
        _ => [1.0 - bottom, left, 1.0 - top, right],
    }
}

/// The slope of most text.
fn usual_slope(reading: &Reading) -> f32 {
    let mut slopes: Vec<(f32, f32)> =
        reading.lines.iter().map(|line| (line.area.slope, line.area.width)).collect();
    slopes.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = slopes.iter().map(|(_, width)| width).sum::<f32>() / 2.0;
    let mut so_far = 0.0;
    let middle = slopes.iter().find(|(_, width)| {
        so_far += width;
        so_far >= half
    });
    middle.map_or(0.0, |(slope, _)| *slope)
}

/// The size of each line's type: boxes are higher where letters reach up and down, so lines of about one height have one size.
fn sizes(heights: impl Iterator<Item = f32>) -> Vec<f32> {
    let heights: Vec<f32> = heights.collect();
    let mut sizes = vec![0.0; heights.len()];
    let mut left: Vec<usize> = (0..heights.len()).collect();
    while !left.is_empty() {
        left.sort_by(|a, b| heights[*a].total_cmp(&heights[*b]));
        let usual = heights[left[left.len() / 2]];
        left.retain(|&line| {
            let alike = heights[line] < ALIKE * usual && usual < ALIKE * heights[line];
            if alike {
                sizes[line] = TYPE * usual;
            }
            !alike && heights[line] > 0.0
        });
    }
    sizes
}

#[cfg(test)]
mod tests;
