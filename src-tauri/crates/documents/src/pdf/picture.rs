//! A page as a picture, with passages marked on it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hayro::hayro_interpret::InterpreterSettings;
use hayro::hayro_syntax::Pdf;
use hayro::hayro_syntax::object::Dict;
use hayro::hayro_syntax::page::Page;
use hayro::vello_cpu::Pixmap;
use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::{PixmapSettings, RenderCache, RenderSettings};

use super::glyphs::Interpreter;
use super::layout::{self, PlacedWord};
use super::malformed;
use super::passage::{self, Mark, Shown};
use crate::picture::{PageMark, PagePicture, PageRequest};
use crate::{Limits, ReadError};

/// The widest and the highest picture, in pixels.
const WIDEST: f32 = 2_400.0;
const HIGHEST: f32 = 4_800.0;
/// A marker's yellow, by which the colours below it are multiplied.
const MARKER: [u16; 3] = [255, 228, 120];

/// Draws the page that `request` wants of a PDF file.
pub(crate) fn draw(
    bytes: Vec<u8>,
    request: &PageRequest,
    limits: &Limits,
    cancel: &AtomicBool,
) -> Result<PagePicture, ReadError> {
    let pdf = super::open(bytes)?;
    let count = pdf.pages().len().min(limits.pages);
    let first = usize::try_from(request.page).unwrap_or(usize::MAX).clamp(1, count);
    let known = recognised(request, first, count);
    let found = if known.is_none() { find(&pdf, first, count, request, limits, cancel)? } else { None };
    let number =
        known.as_ref().map(|(page, _)| *page).or(found.as_ref().map(|(page, _)| *page)).unwrap_or(first);
    let page = &pdf.pages()[number - 1];
    let (width, height) = page.render_dimensions();
    let scale = (request.width as f32).clamp(1.0, WIDEST) / width;
    let scale = scale.min(HIGHEST / height);
    if !(scale.is_finite() && width * scale >= 1.0 && height * scale >= 1.0) {
        return Err(malformed(format!("page {number} has no size")));
    }
    let mut pixels = catch_unwind(AssertUnwindSafe(|| pixels(page, scale)))
        .map_err(|_| malformed(format!("page {number} cannot be drawn")))?;
    let marks: Vec<PageMark> = match (known, found) {
        (Some((_, marks)), _) => marks,
        (None, Some((_, marks))) => marks.iter().filter_map(|mark| share(mark, width, height)).collect(),
        (None, None) => Vec::new(),
    };
    marks.iter().for_each(|mark| highlight(&mut pixels, mark));
    let (wide, high) = (pixels.width(), pixels.height());
    let png = pixels.into_png().map_err(|error| malformed(format!("page {number}: {error}")))?;
    Ok(PagePicture {
        page: u32::try_from(number).unwrap_or(u32::MAX),
        pages: u32::try_from(pdf.pages().len()).unwrap_or(u32::MAX),
        width: u32::from(wide),
        height: u32::from(high),
        png: STANDARD.encode(png),
        marks,
    })
}

/// The page and the boxes of what was read from a picture, where the passages stand on one of the pages that are looked at.
fn recognised(request: &PageRequest, first: usize, count: usize) -> Option<(usize, Vec<PageMark>)> {
    let last = first.saturating_add(request.ahead as usize).min(count);
    let lines = request.recognised.as_ref()?.lines_of(&request.text, &request.quotes);
    let on = |page: u32| usize::try_from(page).ok().filter(|page| (first..=last).contains(page));
    let page = lines.iter().find_map(|line| on(line.page))?;
    let marks = lines.iter().filter(|line| on(line.page) == Some(page)).map(|line| line.mark()).collect();
    Some((page, marks))
}

/// The first page from `first` on, and not too far from it, that shows one of the quotes; else one that shows the text.
fn find(
    pdf: &Pdf,
    first: usize,
    count: usize,
    request: &PageRequest,
    limits: &Limits,
    cancel: &AtomicBool,
) -> Result<Option<(usize, Vec<Mark>)>, ReadError> {
    let root = pdf.xref().get::<Dict<'_>>(pdf.xref().root_id());
    let mut interpreter = Interpreter::new(root.as_ref(), limits.unfolded_bytes);
    let last = first.saturating_add(request.ahead as usize).min(count);
    let mut pages: Vec<Vec<PlacedWord>> = Vec::new();
    for page in &pdf.pages()[first - 1..last] {
        if cancel.load(Ordering::Relaxed) {
            return Err(ReadError::Cancelled);
        }
        // A page whose text breaks the parser may still be drawn.
        let words = catch_unwind(AssertUnwindSafe(|| layout::placed(interpreter.read(page))));
        pages.push(words.unwrap_or_default());
    }
    let shown = |passages: &[String]| -> Vec<Shown> {
        pages.iter().map(|words| passage::shown(words, passages)).collect()
    };
    // Quotes stand where most of them is found; a text begins on the first page that shows some of it.
    let quotes = shown(&request.quotes);
    let most = quotes.iter().map(|page| page.letters).max().unwrap_or(0);
    let mut found = quotes.into_iter().zip(first..).find(|(page, _)| most > 0 && page.letters == most);
    if found.is_none() {
        let text = shown(std::slice::from_ref(&request.text));
        found = text.into_iter().zip(first..).find(|(page, _)| page.letters > 0);
    }
    Ok(found.map(|(page, number)| (number, page.marks)))
}

/// The page as a person sees it, `scale` pixels to the point.
pub(super) fn pixels<'a>(page: &'a Page<'a>, scale: f32) -> Pixmap {
    let settings = InterpreterSettings::default();
    let target = PixmapSettings { x_scale: scale, y_scale: scale, bg_color: WHITE };
    hayro::render(page, &RenderCache::new(), &settings, &RenderSettings::default(), &target)
}

/// A mark as shares of the page; none for one that lies outside of it.
fn share(mark: &Mark, width: f32, height: f32) -> Option<PageMark> {
    let (x0, x1) = ((mark.x0 / width).clamp(0.0, 1.0), (mark.x1 / width).clamp(0.0, 1.0));
    let (y0, y1) = ((mark.y0 / height).clamp(0.0, 1.0), (mark.y1 / height).clamp(0.0, 1.0));
    (x1 > x0 && y1 > y0).then_some(PageMark { x: x0, y: y0, width: x1 - x0, height: y1 - y0 })
}

fn highlight(pixels: &mut Pixmap, mark: &PageMark) {
    let (width, height) = (usize::from(pixels.width()), usize::from(pixels.height()));
    let across = |share: f32| ((share * width as f32).round() as usize).min(width);
    let down = |share: f32| ((share * height as f32).round() as usize).min(height);
    let columns = across(mark.x)..across(mark.x + mark.width);
    for row in down(mark.y)..down(mark.y + mark.height) {
        let line = pixels.data_mut().get_mut(row * width..(row + 1) * width);
        for pixel in line.and_then(|line| line.get_mut(columns.clone())).into_iter().flatten() {
            pixel.r = (u16::from(pixel.r) * MARKER[0] / 255) as u8;
            pixel.g = (u16::from(pixel.g) * MARKER[1] / 255) as u8;
            pixel.b = (u16::from(pixel.b) * MARKER[2] / 255) as u8;
        }
    }
}
