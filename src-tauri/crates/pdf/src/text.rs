//! Words set as lines of glyphs.

use std::borrow::Cow;
use std::ops::Range;
use std::rc::Rc;

use docx::{Change, Link, Run, RunContent, TableAlignment};
use krilla::surface::Location;
use krilla::text::{Font, GlyphId};
use parley::layout::{Alignment, AlignmentOptions, Layout};
use parley::style::{
    FontFamily, FontFamilyName, FontStyle, FontWeight, LineHeight, OverflowWrap, StyleProperty,
};

use crate::fonts::{Fonts, MONO, SERIF};
use crate::style::{Colour, INK, LINK, Look};

/// How far a raised number stands above the line, and its size, as parts of the size of the text.
const RAISED: f32 = 0.34;
pub(crate) const RAISED_SIZE: f32 = 0.68;
/// The size of code within a line, as a part of the size of the text.
const CODE_SIZE: f32 = 0.82;
/// What is shown for a character that no font has.
const SQUARE: &str = "\u{25a1}";
/// What a tab is shown as.
const TAB: &str = "    ";

/// What glyphs are drawn with.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Ink {
    pub colour: Colour,
    pub highlight: bool,
    pub strike: bool,
    /// Above the line, in points.
    pub rise: f32,
    /// Where the words lead: an index of the paragraph's targets.
    pub target: Option<usize>,
    /// The footnote that they mark.
    pub mark: Option<usize>,
}

/// Where words lead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    Web(String),
    Place(String),
    /// A footnote, by its index.
    Note(usize),
}

/// A glyph, as small as it can be: a long document has millions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sign {
    id: u16,
    /// How long its part of the text is, in bytes.
    length: u16,
    /// Where its part of the text begins.
    start: u32,
    /// Measures for a size of 1.
    advance: f32,
    x: f32,
    y: f32,
}

impl Sign {
    fn new(id: u32, [advance, x, y]: [f32; 3], range: &Range<usize>) -> Self {
        Self {
            id: u16::try_from(id).unwrap_or_default(),
            length: u16::try_from(range.len()).unwrap_or_default(),
            start: u32::try_from(range.start).unwrap_or_default(),
            advance,
            x,
            y,
        }
    }

    /// The same for a word that stands further on in its text.
    pub(crate) fn moved(self, by: usize) -> Self {
        Self { start: self.start.saturating_add(u32::try_from(by).unwrap_or_default()), ..self }
    }

    /// Its part of the text.
    pub(crate) fn range(&self) -> Range<usize> {
        let start = self.start as usize;
        start..start + usize::from(self.length)
    }

    fn extend(&mut self, range: &Range<usize>) {
        let own = self.range();
        let whole = own.start.min(range.start)..own.end.max(range.end);
        *self = Self::new(u32::from(self.id), [self.advance, self.x, self.y], &whole);
    }
}

impl krilla::text::Glyph for Sign {
    fn glyph_id(&self) -> GlyphId {
        GlyphId::new(u32::from(self.id))
    }

    fn text_range(&self) -> Range<usize> {
        self.range()
    }

    fn x_advance(&self, size: f32) -> f32 {
        self.advance * size
    }

    fn x_offset(&self, size: f32) -> f32 {
        self.x * size
    }

    fn y_offset(&self, size: f32) -> f32 {
        self.y * size
    }

    fn y_advance(&self, _size: f32) -> f32 {
        0.0
    }

    fn location(&self) -> Option<Location> {
        None
    }
}

/// Glyphs of one font and look. Positions count from the line's left end and baseline.
#[derive(Debug)]
pub(crate) struct Glyphs {
    pub font: Font,
    pub size: f32,
    pub x: f32,
    pub width: f32,
    pub ink: Ink,
    pub glyphs: Vec<Sign>,
    /// The paragraph, of which each glyph names its part.
    pub text: Rc<str>,
    pub target: Option<Target>,
}

/// A line.
#[derive(Debug, Default)]
pub(crate) struct Line {
    pub height: f32,
    /// The baseline below the line's top.
    pub baseline: f32,
    /// Where its words end.
    pub width: f32,
    pub glyphs: Vec<Glyphs>,
    /// Footnotes that it marks.
    pub notes: Vec<usize>,
}

/// A paragraph before it is broken into lines.
pub(crate) struct Paragraph {
    pub text: String,
    pub spans: Vec<(Range<usize>, docx::Format, Ink)>,
    pub targets: Vec<Target>,
}

impl Paragraph {
    fn new(runs: &[Run], look: &Look, number: &dyn Fn(usize) -> usize) -> Self {
        let mut paragraph = Self { text: String::new(), spans: Vec::new(), targets: Vec::new() };
        for run in runs.iter().filter(|run| run.change != Some(Change::Deleted)) {
            paragraph.push(run, look, number);
        }
        paragraph
    }

    fn push(&mut self, run: &Run, look: &Look, number: &dyn Fn(usize) -> usize) {
        let start = self.text.len();
        let mut ink = Ink {
            colour: look.colour,
            highlight: run.format.highlight,
            strike: run.format.strike,
            ..Ink::default()
        };
        let mut format = run.format;
        let mut target = run.link.as_ref().map(|link| match link {
            Link::Web(address) => Target::Web(address.as_str().to_owned()),
            Link::Place(place) => Target::Place(place.clone()),
        });
        match &run.content {
            RunContent::Text(text) => push_clean(&mut self.text, text),
            RunContent::Break => self.text.push('\n'),
            RunContent::NoteMark(index) | RunContent::NoteNumber(index) => {
                self.text.push_str(&number(*index).to_string());
                target = Some(Target::Note(*index));
                if matches!(run.content, RunContent::NoteMark(_)) {
                    format.raised = true;
                    ink.mark = Some(*index);
                }
            }
        }
        if format.raised {
            ink.rise = look.size * RAISED;
        }
        if let Some(target) = target {
            ink.colour = if look.colour == INK { LINK } else { look.colour };
            ink.target = Some(self.targets.len());
            self.targets.push(target);
        }
        if start < self.text.len() {
            self.spans.push((start..self.text.len(), format, ink));
        }
    }

    fn layout(&self, fonts: &mut Fonts, look: &Look) -> Layout<Ink> {
        let mut builder = fonts.layouts.ranged_builder(&mut fonts.context, &self.text, 1.0, false);
        builder.push_default(StyleProperty::FontFamily(family(look.mono)));
        builder.push_default(StyleProperty::FontSize(look.size));
        builder.push_default(StyleProperty::LineHeight(LineHeight::Absolute(look.leading)));
        builder.push_default(StyleProperty::OverflowWrap(OverflowWrap::BreakWord));
        for (range, format, ink) in &self.spans {
            let mut push = |property| builder.push(property, range.clone());
            push(StyleProperty::Brush(*ink));
            if format.bold || look.bold {
                push(StyleProperty::FontWeight(FontWeight::BOLD));
            }
            if format.italic || look.italic {
                push(StyleProperty::FontStyle(FontStyle::Italic));
            }
            let is_code = format.code && !look.mono;
            if is_code {
                push(StyleProperty::FontFamily(family(true)));
            }
            let size = match (format.raised, is_code) {
                (true, _) => RAISED_SIZE,
                (false, true) => CODE_SIZE,
                (false, false) => continue,
            };
            push(StyleProperty::FontSize(look.size * size));
        }
        builder.build(&self.text)
    }
}

fn family(is_mono: bool) -> FontFamily<'static> {
    let names = if is_mono { &MONO } else { &SERIF };
    FontFamily::List(Cow::Owned(
        names.iter().map(|name| FontFamilyName::Named(Cow::Borrowed(*name))).collect(),
    ))
}

/// Whether words have a character that is seen.
fn is_seen(words: &str) -> bool {
    words.chars().any(|c| !c.is_whitespace() && !c.is_control())
}

/// Words without characters that have no look.
fn push_clean(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '\t' => out.push_str(TAB),
            '\n' | '\u{2028}' | '\u{2029}' => out.push('\n'),
            c if c.is_control() || matches!(c, '\u{feff}' | '\u{fff9}'..='\u{fffb}') => {}
            c => out.push(c),
        }
    }
}

impl Fonts {
    /// Sets words in lines of at most `width`. `number` knows the number of a footnote by its index.
    pub(crate) fn lines(
        &mut self,
        runs: &[Run],
        look: &Look,
        width: f32,
        number: &dyn Fn(usize) -> usize,
    ) -> Vec<Line> {
        let paragraph = Paragraph::new(runs, look, number);
        if paragraph.text.trim().is_empty() {
            return Vec::new();
        }
        if let Some(lines) = self.plain_lines(&paragraph, look, width) {
            return lines;
        }
        self.broken_lines(&paragraph, look, width)
    }

    /// One line of plain words, set as a whole.
    pub(crate) fn whole_line(&mut self, text: &str, look: &Look) -> Option<Line> {
        let paragraph = Paragraph::new(&[Run::text(text)], look, &|_| 0);
        self.broken_lines(&paragraph, look, f32::MAX).into_iter().next()
    }

    fn broken_lines(&mut self, paragraph: &Paragraph, look: &Look, width: f32) -> Vec<Line> {
        let mut layout = paragraph.layout(self, look);
        layout.break_all_lines(Some(width));
        let alignment = match look.alignment {
            TableAlignment::Start => Alignment::Start,
            TableAlignment::Center => Alignment::Center,
            TableAlignment::End => Alignment::End,
        };
        layout.align(alignment, AlignmentOptions::default());
        let text: Rc<str> = paragraph.text.as_str().into();
        layout.lines().map(|line| self.line(&layout, &line, paragraph, &text)).collect()
    }

    /// A line of one look.
    pub(crate) fn line_of(&mut self, text: &str, look: &Look) -> Option<Line> {
        self.first_line(text, look, f32::MAX)
    }

    /// The first line of words that may need more.
    pub(crate) fn first_line(&mut self, text: &str, look: &Look, width: f32) -> Option<Line> {
        self.lines(&[Run::text(text)], look, width, &|_| 0).into_iter().next()
    }

    /// Signs with one distance from each to the next.
    pub(crate) fn spaced(&mut self, text: &str, look: &Look, step: f32) -> Option<Line> {
        let mut line = self.line_of(text, look)?;
        for part in &mut line.glyphs {
            let advance = step / 2.0 / part.size;
            part.width = step / 2.0 * part.glyphs.len() as f32;
            line.width = part.x + part.width;
            for glyph in &mut part.glyphs {
                *glyph = Sign { advance, x: 0.0, y: 0.0, ..*glyph };
            }
        }
        Some(line)
    }

    /// The widths of the longest word and of the words on one line.
    pub(crate) fn widths(
        &mut self,
        runs: &[Run],
        look: &Look,
        number: &dyn Fn(usize) -> usize,
    ) -> (f32, f32) {
        let paragraph = Paragraph::new(runs, look, number);
        if paragraph.text.trim().is_empty() {
            return (0.0, 0.0);
        }
        if let Some(widths) = self.plain_widths(&paragraph, look) {
            return widths;
        }
        let widths = paragraph.layout(self, look).calculate_content_widths();
        (widths.min, widths.max)
    }

    fn line(
        &mut self,
        layout: &Layout<Ink>,
        line: &parley::layout::Line<'_, Ink>,
        paragraph: &Paragraph,
        text: &Rc<str>,
    ) -> Line {
        let metrics = line.metrics();
        let mut out = Line {
            height: metrics.block_max_coord - metrics.block_min_coord,
            baseline: metrics.baseline - metrics.block_min_coord,
            ..Line::default()
        };
        let mut x = metrics.inline_min_coord + metrics.offset;
        for run in line.runs() {
            let Some(font) = self.face(&run) else { continue };
            let size = run.font_size();
            let mut style = None;
            for cluster in run.visual_clusters() {
                let range = cluster.text_range();
                if cluster.is_ligature_continuation() {
                    // Its glyph is that of the ligature's start.
                    if let Some(glyph) = out.glyphs.last_mut().and_then(|part| part.glyphs.last_mut()) {
                        glyph.extend(&range);
                    }
                    continue;
                }
                for (nth, glyph) in cluster.glyphs().enumerate() {
                    let words = paragraph.text.get(range.clone()).unwrap_or_default();
                    let is_missing = glyph.id == 0 && is_seen(words);
                    if is_missing && nth > 0 {
                        continue;
                    }
                    // A box of a font that has one: no reader takes the text of a file from signs without a number.
                    let square = if is_missing { self.square() } else { None };
                    if is_missing {
                        self.missing.extend(words.chars().filter(|c| is_seen(c.encode_utf8(&mut [0; 4]))));
                    }
                    if style != Some(cluster.style_index()) || square.is_some() {
                        // What follows a box has the font of the run again.
                        style = if square.is_some() { None } else { Some(cluster.style_index()) };
                        let ink = layout.styles()[usize::from(cluster.style_index())].brush;
                        out.notes.extend(ink.mark);
                        out.glyphs.push(Glyphs {
                            font: square.as_ref().map_or_else(|| font.clone(), |(square, _)| square.clone()),
                            size,
                            x,
                            width: 0.0,
                            ink,
                            glyphs: Vec::new(),
                            text: Rc::clone(text),
                            target: ink.target.and_then(|index| paragraph.targets.get(index)).cloned(),
                        });
                    }
                    let Some(part) = out.glyphs.last_mut() else { continue };
                    let (id, advance) = match square {
                        Some((_, Sign { id, advance, .. })) => (u32::from(id), advance * size),
                        None => (glyph.id, glyph.advance),
                    };
                    part.glyphs.push(Sign::new(id, [advance / size, glyph.x / size, glyph.y / size], &range));
                    part.width += advance;
                    x += advance;
                }
            }
        }
        out.glyphs.iter_mut().for_each(|part| part.glyphs.shrink_to_fit());
        out.width = x;
        out
    }

    /// The sign that stands for characters that no font has.
    fn square(&mut self) -> Option<(Font, Sign)> {
        if self.square.is_none() {
            let look = Look { mono: true, ..crate::style::NOTE };
            let mut layout = Paragraph::new(&[Run::text(SQUARE)], &look, &|_| 0).layout(self, &look);
            layout.break_all_lines(None);
            let line = layout.lines().next()?;
            let run = line.runs().next()?;
            let glyph = run.visual_clusters().next()?.glyphs().next()?;
            let sign = Sign::new(glyph.id, [glyph.advance / run.font_size(), 0.0, 0.0], &(0..SQUARE.len()));
            self.square = Some((self.face(&run)?, sign));
        }
        self.square.clone()
    }
}
