//! What annotations add to a page: fields with their values, notes written on it, comments, struck words.

use hayro_font::hayro_syntax::object::{Array, Dict, Name, Object, Stream, String as PdfString};
use hayro_font::hayro_syntax::page::Resources;
use hayro_font::kurbo::{Affine, Rect};

use super::forms::{Content, Field};
use super::text::Look;
use super::{Glyph, MAX_GLYPHS, Run};
use crate::omissions::Omission;
use crate::pdf::bidi::visual;
use crate::pdf::strings;

/// Most annotations of one page, and most areas of one of them.
const MAX_ANNOTATIONS: usize = 4_000;
const MAX_AREAS: usize = 1_000;
/// How far from a field the words beside it may stand, in points.
const BESIDE: f32 = 60.0;
/// The width of a character that is written into a field, as a share of its size.
const WIDTH: f64 = 0.5;

/// The distance of lines that are written, as a share of their size, and the smallest size.
const LEADING: f64 = 1.2;
const MIN_POINTS: f64 = 2.0;

const HIDDEN: u32 = 1 << 1;
const NO_VIEW: u32 = 1 << 5;

impl<'a> Run<'_, 'a> {
    pub(super) fn annotations(&mut self, page: &Dict<'a>, resources: &Resources<'a>) {
        let Some(list) = page.get::<Array<'a>>("Annots") else { return };
        let mut all = list.iter::<Object<'a>>().filter_map(Object::into_dict);
        for one in all.by_ref().take(MAX_ANNOTATIONS) {
            self.annotation(&one, resources);
        }
        self.page.cut |= all.next().is_some();
    }

    fn annotation(&mut self, one: &Dict<'a>, resources: &Resources<'a>) {
        let subtype = one.get::<Name<'_>>("Subtype");
        let subtype = subtype.as_ref().map_or("", Name::as_str);
        let flags = one.get::<u32>("F").unwrap_or(0);
        if flags & (HIDDEN | NO_VIEW) != 0 || self.reader.layers.hide(one, "OC") {
            let says = match Field::of(one).content() {
                Content::Text { lines, .. } if subtype == "Widget" => {
                    lines.iter().any(|line| !line.is_empty())
                }
                Content::Choice { chosen, .. } if subtype == "Widget" => !chosen.is_empty(),
                _ => subtype != "Popup" && contents(one).is_some(),
            };
            self.omit(Omission::Hidden, says);
            return;
        }
        match subtype {
            "Widget" => self.field(one, resources),
            "Watermark" => _ = self.appearance(one, resources),
            "FreeText" => {
                if !self.appearance(one, resources)
                    && let Some(text) = contents(one)
                {
                    self.write_into(one, &text.lines().map(str::to_owned).collect::<Vec<_>>());
                }
            }
            "Stamp" => {
                if !self.appearance(one, resources) {
                    let name = one.get::<Name<'_>>("Name");
                    self.comment(one, name.map(|name| format!("Stamp: {}", name.as_str())));
                }
            }
            "StrikeOut" => {
                self.strike(one);
                self.comment(one, None);
            }
            "FileAttachment" => {
                self.omit(Omission::Embedded, true);
                self.comment(one, None);
            }
            "Sound" | "Movie" | "Screen" | "3D" | "RichMedia" => self.omit(Omission::Media, true),
            "Link" | "Popup" | "PrinterMark" | "TrapNet" => {}
            _ => self.comment(one, None),
        }
    }

    fn omit(&mut self, kind: Omission, one: bool) {
        if one {
            self.page.omitted.push((kind, 1));
        }
    }

    /// A text beside the page's own: the annotation's, or `instead` of it.
    fn comment(&mut self, one: &Dict<'a>, instead: Option<String>) {
        let Some(text) = contents(one).or(instead) else { return };
        let author = strings::text(one, "T").filter(|author| !author.trim().is_empty());
        let author = author.map(|author| format!(" ({})", author.trim())).unwrap_or_default();
        self.page.comments.push(format!("Comment{author}: {text}"));
        self.omit(Omission::PageComment, true);
    }

    fn strike(&mut self, one: &Dict<'a>) {
        let corners = one.get::<Array<'a>>("QuadPoints");
        let corners: Vec<f64> = corners.iter().flat_map(Array::iter::<f64>).take(8 * MAX_AREAS).collect();
        let quads = corners.as_chunks::<8>().0.iter().map(|quad| {
            let across = [quad[0], quad[2], quad[4], quad[6]];
            let up = [quad[1], quad[3], quad[5], quad[7]];
            let least = |of: [f64; 4]| of.into_iter().fold(f64::MAX, f64::min);
            let most = |of: [f64; 4]| of.into_iter().fold(f64::MIN, f64::max);
            Rect::new(least(across), least(up), most(across), most(up))
        });
        let mut areas: Vec<Rect> = quads.collect();
        if areas.is_empty() {
            areas.extend(place(one));
        }
        let ctm = self.state.ctm;
        self.page.strikes.extend(areas.into_iter().map(|area| ctm.transform_rect_bbox(area)));
    }

    /// Runs what the annotation looks like; whether that has text.
    fn appearance(&mut self, one: &Dict<'a>, resources: &Resources<'a>) -> bool {
        let Some(stream) = appearance(one) else { return false };
        let before = self.page.glyphs.len();
        let dict = stream.dict();
        let matrix = dict.get::<[f64; 6]>("Matrix").map_or(Affine::IDENTITY, Affine::new);
        let from = dict.get::<[f64; 4]>("BBox").map(|[a, b, c, d]| Rect::new(a, b, c, d).abs());
        let (from, to) = (from.map(|from| matrix.transform_rect_bbox(from)), place(one));
        let mut onto = Affine::IDENTITY;
        if let (Some(from), Some(to)) = (from, to)
            && from.area() > 0.0
        {
            onto = Affine::translate((to.x0, to.y0))
                * Affine::scale_non_uniform(to.width() / from.width(), to.height() / from.height())
                * Affine::translate((-from.x0, -from.y0));
        }
        self.form(&stream, onto, resources);
        self.page.glyphs[before..].iter().any(|glyph| !glyph.c.is_whitespace())
    }

    fn field(&mut self, one: &Dict<'a>, resources: &Resources<'a>) {
        let field = Field::of(one);
        let before = self.page.glyphs.len();
        match field.content() {
            Content::Password => self.omit(Omission::Password, true),
            Content::Looks => _ = self.appearance(one, resources),
            Content::Box(checked) => {
                let Some(area) = place(one) else { return };
                let mut text = if checked { "☑" } else { "☐" }.to_owned();
                let size = area.height().clamp(4.0, 12.0);
                let mut x = area.x1 - WIDTH * size;
                if !self.has_words_beside(area) {
                    x = area.x0;
                    text.push(' ');
                    text.push_str(&field.name());
                }
                self.write(x, area.y0 + 0.15 * size, size, &text);
            }
            Content::Choice { chosen, others } => {
                self.page.omitted.push((Omission::Choice, others));
                self.write_into(one, &Vec::from_iter((!chosen.is_empty()).then_some(chosen)));
            }
            Content::Text { lines, looks } => {
                let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
                if looks && self.appearance(one, resources) {
                    let shown: String = self.page.glyphs[before..].iter().map(|glyph| glyph.c).collect();
                    if !self.reader.stale || letters(&shown) == letters(&lines.concat()) {
                        self.align(before);
                        return;
                    }
                }
                self.page.glyphs.truncate(before);
                self.write_into(one, &lines);
            }
        }
        self.align(before);
    }

    /// Puts what was written from `before` on, if it is one line, on the line of the words beside it.
    fn align(&mut self, before: usize) {
        let (page, written) = self.page.glyphs.split_at_mut(before);
        let Some(first) = written.first().copied() else { return };
        if written.iter().any(|glyph| glyph.y != first.y) {
            return;
        }
        let last = written.iter().fold(first.x1, |x, glyph| x.max(glyph.x1));
        let off = |glyph: &Glyph| (glyph.y - first.y).abs();
        let beside = page.iter().filter(|glyph| {
            let near = glyph.x1 > first.x0 - BESIDE && glyph.x0 < last + BESIDE;
            near && glyph.turn == first.turn && off(glyph) < 0.5 * first.size.min(glyph.size)
        });
        if let Some(y) = beside.min_by(|a, b| off(a).total_cmp(&off(b))).map(|glyph| glyph.y) {
            written.iter_mut().for_each(|glyph| glyph.y = y);
        }
    }

    /// Whether the page has text on the line of an area, close to it.
    fn has_words_beside(&self, area: Rect) -> bool {
        let area = self.state.ctm.transform_rect_bbox(area);
        let (x0, x1) = (area.x0 as f32 - BESIDE, area.x1 as f32 + BESIDE);
        let (y0, y1) = (area.y0 as f32 - 2.0, area.y1 as f32 + 4.0);
        self.page.glyphs.iter().any(|glyph| {
            let near = glyph.x1 > x0 && glyph.x0 < x1 && (y0..y1).contains(&glyph.y);
            (near || glyph.turn != 0) && glyph.c.is_alphanumeric()
        })
    }

    /// Writes lines where the annotation stands, as large as they fit.
    fn write_into(&mut self, one: &Dict<'a>, lines: &[String]) {
        let Some(area) = place(one) else { return };
        let fits = |size: f64| {
            let lines = broken(lines, (area.width() / (WIDTH * size)) as usize);
            (lines.len() as f64 * LEADING * size <= area.height() + 1.0 || size <= MIN_POINTS)
                .then_some((size, lines))
        };
        let sizes = [10.0, 8.0, 6.0, 5.0, 4.0, 3.0, MIN_POINTS];
        let Some((size, lines)) = sizes.into_iter().find_map(fits) else { return };
        let first = if lines.len() == 1 { (area.height() + 0.6 * size) / 2.0 } else { size };
        for (line, text) in lines.iter().enumerate() {
            self.write(area.x0, area.y1 - first - LEADING * size * line as f64, size, text);
        }
    }

    fn write(&mut self, x: f64, y: f64, size: f64, text: &str) {
        let look = Look { em: 1.0, bold: false, mono: false };
        let matrix = self.state.ctm * Affine::translate((x, y)) * Affine::scale(size);
        for (index, c) in visual(text).into_iter().enumerate() {
            if self.page.glyphs.len() > MAX_GLYPHS {
                self.page.cut = true;
                return;
            }
            let at = Affine::translate((WIDTH * index as f64, 0.0));
            self.put(matrix * at, WIDTH, std::iter::once(c), 1, look);
        }
    }
}

/// Lines of at most `most` characters, if their words allow it.
fn broken(lines: &[String], most: usize) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for line in lines {
        out.push(String::new());
        let mut count = 0;
        for word in line.split_whitespace() {
            let length = word.chars().count() + 1;
            if count > 0 && count + length > most + 1 {
                out.push(String::new());
                count = 0;
            }
            if let Some(last) = out.last_mut() {
                if count > 0 {
                    last.push(' ');
                }
                last.push_str(word);
            }
            count += length;
        }
    }
    out
}

fn place(one: &Dict<'_>) -> Option<Rect> {
    let [a, b, c, d] = one.get::<[f64; 4]>("Rect")?;
    Some(Rect::new(a, b, c, d).abs())
}

fn contents(one: &Dict<'_>) -> Option<String> {
    let text = strings::long(one.get::<PdfString<'_>>("Contents")?.as_bytes());
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// The stream that draws it in its present state.
fn appearance<'a>(one: &Dict<'a>) -> Option<Stream<'a>> {
    let looks = one.get::<Dict<'a>>("AP")?;
    if let Some(stream) = looks.get::<Stream<'a>>("N") {
        return Some(stream);
    }
    let state = one.get::<Name<'_>>("AS")?;
    looks.get::<Dict<'a>>("N")?.get::<Stream<'a>>(state.as_ref())
}
