//! The characters that a page shows, with their places: its content stream is run for text only.

mod annotations;
mod forms;
mod paint;
mod text;

use std::borrow::Cow;
use std::io::Read;

use flate2::read::ZlibDecoder;
use hayro_font::hayro_syntax::Filter;
use hayro_font::hayro_syntax::content::TypedIter;
use hayro_font::hayro_syntax::content::ops::TypedInstruction as Op;
use hayro_font::hayro_syntax::object::{Array, Dict, Name, Number, Object, ObjectIdentifier, Stream};
use hayro_font::hayro_syntax::page::{Page, Resources};
use hayro_font::kurbo::{Affine, Rect};

use super::fonts::{Face, Fonts};
use super::optional::Layers;
use super::rules::{Path, Rule};
use crate::omissions::Omission;

/// Deepest nesting of forms.
const MAX_FORMS: usize = 16;
/// Deepest nesting of saved states and of marked content.
const MAX_NESTING: usize = 4096;
/// Most operators run for one page, its forms included.
const MAX_OPERATORS: usize = 4_000_000;
/// Most bytes that one content stream unfolds to.
const MAX_STREAM_BYTES: u64 = 64 << 20;
/// Most characters of one page.
const MAX_GLYPHS: usize = 200_000;
/// Most coloured areas remembered, to tell white text on a coloured ground from white text on paper.
const MAX_GROUNDS: usize = 2_000;
/// Text smaller than this (in points) is not meant to be read.
const MIN_POINTS: f64 = 1.0;
/// Fewest characters of one string whose spacing is a manner of writing.
const MIN_SPREAD_GLYPHS: usize = 4;
/// Longest replacement text that is believed: ligatures and hyphens, not sentences that nobody sees.
const MAX_REPLACEMENT: usize = 4;

/// One character on the page; y grows downwards, units are points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Glyph {
    pub c: char,
    pub x0: f32,
    pub x1: f32,
    /// The baseline.
    pub y: f32,
    pub size: f32,
    /// Quarter turns clockwise of the writing direction.
    pub turn: u8,
    pub bold: bool,
    pub mono: bool,
    /// Whether the page's own operators raise or lower it.
    pub shifted: bool,
    pub struck: bool,
    pub origin: Origin,
}

/// Where a sign comes from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Origin {
    /// The page shows it as text.
    #[default]
    Text,
    /// The file brings it along, recognised from a picture by another program.
    Layer,
    /// It was read from the page's picture: the line of that reading.
    Line(u16),
}

/// What one page shows.
#[derive(Debug, Default)]
pub(super) struct PageText {
    pub glyphs: Vec<Glyph>,
    /// Characters in the invisible rendering mode: a layer of recognised text, or a trap.
    pub unpainted: Vec<Glyph>,
    pub width: f32,
    pub height: f32,
    /// Characters that were not taken because nobody sees them.
    pub hidden: usize,
    /// Characters written at a slant, as watermarks are.
    pub slanted: usize,
    /// Codes for which the font names no character.
    pub nameless: usize,
    /// Share of the page under pictures, at most 1.
    pub pictures: f32,
    /// Whether anything is painted that is no text.
    pub drawn: bool,
    /// Whether outlines are filled, as those of letters may be.
    pub outlines: bool,
    /// Whether a bound stopped the page before its end.
    pub cut: bool,
    /// Lines drawn on it.
    pub rules: Vec<Rule>,
    /// Areas whose text a person struck out.
    pub strikes: Vec<Rect>,
    /// What people wrote beside the text.
    pub comments: Vec<String>,
    /// Whether it says itself that its text is written against the reading direction.
    pub reversed: bool,
    /// What it has that is not given as text.
    pub omitted: Vec<(Omission, usize)>,
}

/// Reads pages one after the other; fonts are kept between them.
pub(super) struct Interpreter<'a> {
    fonts: Fonts<'a>,
    layers: Layers,
    /// Whether what fields look like may be older than their values.
    stale: bool,
    /// Bytes that streams may still unfold to.
    pub budget: u64,
}

#[derive(Clone)]
struct State<'a> {
    ctm: Affine,
    face: Option<Face<'a>>,
    size: f64,
    char_space: f64,
    word_space: f64,
    stretch: f64,
    leading: f64,
    rise: f64,
    mode: i64,
    white: bool,
    /// Whether strokes are white.
    pale: bool,
    clear: bool,
    stroke: f64,
    /// Whether a one-component colour of the current space is a shade of grey.
    grey: bool,
}

struct Mark {
    hides: bool,
    replacement: Option<(usize, String)>,
}

struct Run<'r, 'a> {
    reader: &'r mut Interpreter<'a>,
    page: PageText,
    area: Rect,
    grounds: Vec<Rect>,
    path: Path,
    state: State<'a>,
    stack: Vec<State<'a>>,
    text: Affine,
    line: Affine,
    marks: Vec<Mark>,
    hiding: usize,
    operators: usize,
    forms: Vec<ObjectIdentifier>,
}

impl<'a> Interpreter<'a> {
    pub fn new(root: Option<&Dict<'a>>, budget: u64) -> Self {
        let form = root.and_then(|root| root.get::<Dict<'_>>("AcroForm"));
        let stale = form.and_then(|form| form.get::<bool>("NeedAppearances")).unwrap_or(false);
        Self { fonts: Fonts::default(), layers: Layers::read(root), stale, budget }
    }

    pub fn read(&mut self, page: &Page<'a>) -> PageText {
        let (width, height) = page.render_dimensions();
        let area = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
        let ctm = Affine::new(page.initial_transform(true).as_coeffs());
        let mut run = Run {
            reader: self,
            page: PageText { width, height, ..PageText::default() },
            area,
            grounds: Vec::new(),
            path: Path::default(),
            state: State {
                ctm,
                face: None,
                size: 0.0,
                char_space: 0.0,
                word_space: 0.0,
                stretch: 1.0,
                leading: 0.0,
                rise: 0.0,
                mode: 0,
                white: false,
                pale: false,
                clear: false,
                stroke: 1.0,
                grey: true,
            },
            stack: Vec::new(),
            text: Affine::IDENTITY,
            line: Affine::IDENTITY,
            marks: Vec::new(),
            hiding: 0,
            operators: 0,
            forms: Vec::new(),
        };
        let content = run.content(page.raw());
        let state = run.state.clone();
        run.run(&content, page.resources());
        run.state = state;
        run.hiding = 0;
        run.annotations(page.raw(), page.resources());
        run.page
    }
}

impl<'a> Run<'_, 'a> {
    fn content(&mut self, page: &Dict<'a>) -> Vec<u8> {
        if let Some(stream) = page.get::<Stream<'a>>("Contents") {
            return self.unfold(&stream).into_owned();
        }
        let mut all = Vec::new();
        if let Some(parts) = page.get::<Array<'a>>("Contents") {
            for part in parts.iter::<Stream<'a>>() {
                all.extend_from_slice(&self.unfold(&part));
                all.push(b' ');
            }
        }
        all
    }

    /// The bytes of a content stream, as many as the budget allows.
    fn unfold(&mut self, stream: &Stream<'a>) -> Cow<'a, [u8]> {
        let filters = stream.filters();
        let dict = stream.dict();
        let plain = !dict.contains_key("DecodeParms") && !dict.contains_key("DP");
        let mut bytes = Cow::Borrowed(&[][..]);
        if plain && filters.as_slice() == [Filter::FlateDecode] {
            let mut out = Vec::new();
            let raw = stream.raw_data();
            // A damaged stream is read as far as it goes.
            let most = self.reader.budget.min(MAX_STREAM_BYTES);
            let _ = ZlibDecoder::new(raw.as_ref()).take(most).read_to_end(&mut out);
            self.page.cut |= out.len() as u64 == most;
            bytes = Cow::Owned(out);
        }
        if bytes.is_empty() && self.reader.budget > 0 {
            bytes = stream.decoded_data().unwrap_or_default();
        }
        if bytes.len() as u64 >= self.reader.budget {
            self.page.cut = true;
        }
        self.reader.budget = self.reader.budget.saturating_sub(bytes.len() as u64);
        bytes
    }

    fn run(&mut self, content: &[u8], resources: &Resources<'a>) {
        let depth = self.stack.len();
        let marks = self.marks.len();
        let mut operators = TypedIter::new(content);
        while let Some(op) = operators.next() {
            self.operators += 1;
            if self.operators > MAX_OPERATORS
                || self.page.glyphs.len() + self.page.unpainted.len() > MAX_GLYPHS
            {
                self.page.cut = true;
                break;
            }
            self.step(op, resources, depth);
        }
        while self.marks.len() > marks {
            self.end_mark();
        }
        if self.stack.len() > depth {
            self.state = self.stack.swap_remove(depth);
            self.stack.truncate(depth);
        }
    }

    fn step(&mut self, op: Op<'_, '_>, resources: &Resources<'a>, depth: usize) {
        match op {
            Op::SaveState(_) if self.stack.len() < MAX_NESTING => self.stack.push(self.state.clone()),
            Op::RestoreState(_) if self.stack.len() > depth => {
                if let Some(state) = self.stack.pop() {
                    self.state = state;
                }
            }
            Op::Transform(m) => self.state.ctm *= affine([m.0, m.1, m.2, m.3, m.4, m.5]),
            Op::SetGraphicsState(name) => self.graphics_state(name.0, resources),
            Op::BeginText(_) => {
                self.text = Affine::IDENTITY;
                self.line = Affine::IDENTITY;
            }
            Op::TextFont(font) => {
                self.state.face = self.reader.fonts.get(&resources.fonts, font.0);
                self.state.size = font.1.as_f64();
            }
            Op::CharacterSpacing(n) => self.state.char_space = n.0.as_f64(),
            Op::WordSpacing(n) => self.state.word_space = n.0.as_f64(),
            Op::HorizontalScaling(n) => self.state.stretch = n.0.as_f64() / 100.0,
            Op::TextLeading(n) => self.state.leading = n.0.as_f64(),
            Op::TextRise(n) => self.state.rise = n.0.as_f64(),
            Op::TextRenderingMode(n) => self.state.mode = n.0.as_i64(),
            Op::SetTextMatrix(m) => {
                self.line = affine([m.0, m.1, m.2, m.3, m.4, m.5]);
                self.text = self.line;
            }
            Op::NextLine(d) => self.next_line(d.0.as_f64(), d.1.as_f64()),
            Op::NextLineAndSetLeading(d) => {
                self.state.leading = -d.1.as_f64();
                self.next_line(d.0.as_f64(), d.1.as_f64());
            }
            Op::NextLineUsingLeading(_) => self.next_line(0.0, -self.state.leading),
            Op::ShowText(text) => self.show(text.0.as_bytes()),
            Op::NextLineAndShowText(text) => {
                self.next_line(0.0, -self.state.leading);
                self.show(text.0.as_bytes());
            }
            Op::ShowTextWithParameters(p) => {
                self.state.word_space = p.0.as_f64();
                self.state.char_space = p.1.as_f64();
                self.next_line(0.0, -self.state.leading);
                self.show(p.2.as_bytes());
            }
            Op::ShowTexts(parts) => {
                for part in parts.0.iter::<Object<'_>>() {
                    match part {
                        Object::String(text) => self.show(text.as_bytes()),
                        Object::Number(n) => {
                            let tx = -n.as_f64() / 1000.0 * self.state.size * self.state.stretch;
                            self.text *= Affine::translate((tx, 0.0));
                        }
                        _ => {}
                    }
                }
            }
            Op::XObject(name) => self.x_object(name.0, resources),
            Op::InlineImage(_) => self.picture(),
            Op::BeginMarkedContent(mark) => self.begin_mark(mark.0, None),
            Op::BeginMarkedContentWithProperties(mark) => {
                let off = match mark.1 {
                    Object::Name(name) => self.reader.layers.hide(&resources.properties, name.as_str()),
                    _ => false,
                };
                if off {
                    self.page.omitted.push((Omission::Layer, 1));
                    self.push_mark(Mark { hides: true, replacement: None });
                    return;
                }
                match mark.1 {
                    Object::Dict(dict) => self.begin_mark(mark.0, Some(dict)),
                    Object::Name(name) => {
                        let dict = resources.properties.get::<Dict<'_>>(name.as_ref());
                        self.begin_mark(mark.0, dict.as_ref());
                    }
                    _ => self.begin_mark(mark.0, None),
                }
            }
            Op::EndMarkedContent(_) => self.end_mark(),
            _ => self.paint(op),
        }
    }

    fn graphics_state(&mut self, name: &Name<'_>, resources: &Resources<'a>) {
        let Some(dict) = resources.get_ext_g_state(name) else { return };
        if let Some(alpha) = dict.get::<f32>("ca") {
            self.state.clear = alpha < 0.02;
        }
        if let Some(font) = dict.get::<Array<'a>>("Font") {
            let size = font.iter::<Object<'a>>().nth(1).and_then(Object::into_f32);
            if let (Some(dict), Some(size)) = (font.iter::<Dict<'a>>().next(), size) {
                self.state.face = self.reader.fonts.load(&dict);
                self.state.size = f64::from(size);
            }
        }
    }

    fn next_line(&mut self, x: f64, y: f64) {
        self.line *= Affine::translate((x, y));
        self.text = self.line;
    }

    fn x_object(&mut self, name: &Name<'_>, resources: &Resources<'a>) {
        let Some(stream) = resources.get_x_object(name) else { return };
        let dict = stream.dict();
        if self.reader.layers.hide(dict, "OC") {
            self.page.omitted.push((Omission::Layer, 1));
            return;
        }
        match dict.get::<Name<'_>>("Subtype").as_ref().map(Name::as_str) {
            Some("Image") => self.picture(),
            Some("Form") => self.form(&stream, Affine::IDENTITY, resources),
            _ => {}
        }
    }

    /// Runs a stream of its own at a place of the page.
    fn form(&mut self, stream: &Stream<'a>, place: Affine, resources: &Resources<'a>) {
        let id = stream.obj_id();
        if self.forms.len() >= MAX_FORMS || self.forms.contains(&id) {
            return;
        }
        let content = self.unfold(stream);
        let own = stream.dict().get::<Dict<'a>>("Resources").map(Resources::new);
        let state = self.state.clone();
        let (text, line) = (self.text, self.line);
        self.state.ctm *= place;
        if let Some(matrix) = stream.dict().get::<[f64; 6]>("Matrix") {
            self.state.ctm *= Affine::new(matrix);
        }
        self.forms.push(id);
        self.run(&content, own.as_ref().unwrap_or(resources));
        self.forms.pop();
        self.state = state;
        (self.text, self.line) = (text, line);
    }

    fn picture(&mut self) {
        let area = self.state.ctm.transform_rect_bbox(Rect::new(0.0, 0.0, 1.0, 1.0));
        let share = area.intersect(self.area).area() / self.area.area().max(1.0);
        if share.is_finite() {
            self.page.pictures = (self.page.pictures + share.max(0.0) as f32).min(1.0);
        }
        self.ground(area);
    }
}

fn affine(m: [Number; 6]) -> Affine {
    Affine::new(m.map(|n| n.as_f64()))
}
