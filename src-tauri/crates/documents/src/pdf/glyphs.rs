//! The characters that a page shows, with their places: its content stream is run for text only.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::Read;

use flate2::read::ZlibDecoder;
use hayro_font::hayro_syntax::Filter;
use hayro_font::hayro_syntax::content::TypedIter;
use hayro_font::hayro_syntax::content::ops::TypedInstruction as Op;
use hayro_font::hayro_syntax::object::{Array, Dict, Name, Number, Object, ObjectIdentifier, Stream};
use hayro_font::hayro_syntax::page::{Page, Resources};
use hayro_font::kurbo::{Affine, Point, Rect};

use super::fonts::{Face, Fonts, Text};
use super::strings;

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
}

/// Reads pages one after the other; fonts are kept between them.
pub(super) struct Interpreter<'a> {
    fonts: Fonts<'a>,
    /// Optional content that the document's own settings switch off.
    off: BTreeSet<(u32, i32)>,
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
    clear: bool,
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
    path: Option<Rect>,
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
        let off = root
            .and_then(|root| {
                root.get::<Dict<'_>>("OCProperties")?.get::<Dict<'_>>("D")?.get::<Array<'_>>("OFF")
            })
            .map(|list| {
                list.raw_iter()
                    .filter_map(|item| item.as_obj_ref())
                    .map(|id| (id.obj_number, id.gen_number))
                    .take(4096)
                    .collect()
            })
            .unwrap_or_default();
        Self { fonts: Fonts::default(), off, budget }
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
            path: None,
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
                clear: false,
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
        run.run(&content, page.resources());
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
                let id = match mark.1 {
                    Object::Name(name) => resources.properties.get_ref(name.as_ref()),
                    _ => None,
                };
                let off = id.is_some_and(|id| self.reader.off.contains(&(id.obj_number, id.gen_number)));
                if off {
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

    /// Operators that only matter for what lies under white text.
    fn paint(&mut self, op: Op<'_, '_>) {
        match op {
            Op::NonStrokeColorDeviceGray(c) => self.state.white = c.0.as_f64() > 0.98,
            Op::NonStrokeColorDeviceRgb(c) => self.state.white = is_white(&[c.0, c.1, c.2], true),
            Op::NonStrokeColorCmyk(c) => self.state.white = is_white(&[c.0, c.1, c.2, c.3], true),
            Op::ColorSpaceNonStroke(space) => {
                self.state.white = false;
                self.state.grey = matches!(space.0.as_str(), "DeviceGray" | "CalGray" | "G");
            }
            Op::NonStrokeColor(c) => self.state.white = is_white(&c.0, self.state.grey),
            Op::NonStrokeColorNamed(c) => self.state.white = c.1.is_none() && is_white(&c.0, self.state.grey),
            Op::RectPath(r) => {
                let (x, y) = (r.0.as_f64(), r.1.as_f64());
                self.extend(x, y);
                self.extend(x + r.2.as_f64(), y + r.3.as_f64());
            }
            Op::MoveTo(p) => self.extend(p.0.as_f64(), p.1.as_f64()),
            Op::LineTo(p) => self.extend(p.0.as_f64(), p.1.as_f64()),
            Op::CubicTo(p) => self.extend(p.4.as_f64(), p.5.as_f64()),
            Op::FillPathNonZero(_)
            | Op::FillPathNonZeroCompatibility(_)
            | Op::FillPathEvenOdd(_)
            | Op::FillAndStrokeNonZero(_)
            | Op::FillAndStrokeEvenOdd(_)
            | Op::CloseFillAndStrokeNonZero(_)
            | Op::CloseFillAndStrokeEvenOdd(_) => {
                if let Some(path) = self.path.take().filter(|_| !self.state.white && !self.state.clear) {
                    self.page.outlines = true;
                    self.ground(path);
                }
            }
            Op::EndPath(_) | Op::StrokePath(_) | Op::CloseAndStrokePath(_) => self.path = None,
            Op::Shading(_) => self.ground(self.area),
            _ => {}
        }
    }

    fn extend(&mut self, x: f64, y: f64) {
        let point = self.state.ctm * Point::new(x, y);
        let spot = Rect::from_points(point, point);
        self.path = Some(self.path.map_or(spot, |path| path.union(spot)));
    }

    fn ground(&mut self, area: Rect) {
        self.page.drawn = true;
        if self.grounds.len() < MAX_GROUNDS {
            self.grounds.push(area);
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
        let dict = stream.dict().clone();
        let hidden =
            dict.get_ref("OC").is_some_and(|id| self.reader.off.contains(&(id.obj_number, id.gen_number)));
        match dict.get::<Name<'_>>("Subtype").as_ref().map(Name::as_str) {
            Some("Image") if !hidden => self.picture(),
            Some("Form") if !hidden => {
                let id = stream.obj_id();
                if self.forms.len() >= MAX_FORMS || self.forms.contains(&id) {
                    return;
                }
                let content = self.unfold(&stream);
                let own = dict.get::<Dict<'a>>("Resources").map(Resources::new);
                let state = self.state.clone();
                let (text, line) = (self.text, self.line);
                if let Some(matrix) = dict.get::<[f64; 6]>("Matrix") {
                    self.state.ctm *= Affine::new(matrix);
                }
                self.forms.push(id);
                self.run(&content, own.as_ref().unwrap_or(resources));
                self.forms.pop();
                self.state = state;
                (self.text, self.line) = (text, line);
            }
            _ => {}
        }
    }

    fn picture(&mut self) {
        let area = self.state.ctm.transform_rect_bbox(Rect::new(0.0, 0.0, 1.0, 1.0));
        let share = area.intersect(self.area).area() / self.area.area().max(1.0);
        if share.is_finite() {
            self.page.pictures = (self.page.pictures + share.max(0.0) as f32).min(1.0);
        }
        self.ground(area);
    }

    fn begin_mark(&mut self, tag: &Name<'_>, properties: Option<&Dict<'_>>) {
        let paging =
            |dict: &Dict<'_>| dict.get::<Name<'_>>("Type").is_some_and(|name| name.as_str() == "Pagination");
        let hides = tag.as_str() == "Artifact" && properties.is_some_and(paging);
        let replacement = properties
            .and_then(|dict| strings::text(dict, "ActualText"))
            .filter(|text| text.chars().count() <= MAX_REPLACEMENT)
            .map(|text| (self.page.glyphs.len(), text));
        self.push_mark(Mark { hides, replacement });
    }

    fn push_mark(&mut self, mark: Mark) {
        if self.marks.len() < MAX_NESTING {
            self.hiding += usize::from(mark.hides);
            self.marks.push(mark);
        }
    }

    fn end_mark(&mut self) {
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
            for (index, c) in text.chars().enumerate() {
                let x0 = first.x0 + step * index as f32;
                self.page.glyphs.push(Glyph { c, x0, x1: x0 + step, ..first });
            }
        }
    }

    fn show(&mut self, bytes: &[u8]) {
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

    fn place(&mut self, face: &Face<'a>, advance: f64, spread: f64, text: &Text) {
        let state = &self.state;
        let scale = Affine::new([state.size * state.stretch, 0.0, 0.0, state.size, 0.0, state.rise]);
        let matrix = state.ctm * self.text * scale;
        let [a, b, c, d, x, y] = matrix.as_coeffs();
        let size = c.hypot(d) * face.em();
        let length = a.hypot(b);
        if !(x + y + size + length).is_finite() {
            return;
        }
        if text.is_empty() {
            self.page.nameless += usize::from(advance > 0.0 && state.mode != 3);
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
        let end = matrix * Point::new(if face.is_vertical() { 0.9 } else { advance + spread }, 0.0);
        let middle = Point::new((x + end.x) / 2.0, (y + end.y) / 2.0);
        let outside = !self.area.inflate(1.0, 1.0).contains(middle);
        let on_paper = state.white && !self.grounds.iter().any(|ground| ground.contains(middle));
        if self.hiding > 0 {
            return;
        }
        if outside || on_paper || state.clear || size < MIN_POINTS {
            self.page.hidden += usize::from(!text.is_space());
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
        let count = text.chars().count() as f64;
        for (index, c) in text.chars().enumerate() {
            let from = along + (until - along) * index as f64 / count;
            let to = along + (until - along) * (index + 1) as f64 / count;
            list.push(Glyph {
                c,
                x0: from.min(to) as f32,
                x1: from.max(to) as f32,
                y: across as f32,
                size: size as f32,
                turn,
                bold: face.is_bold(),
                mono: face.is_mono(),
                origin: if matches!(state.mode, 3 | 7) { Origin::Layer } else { Origin::Text },
            });
        }
    }
}

fn affine(m: [Number; 6]) -> Affine {
    Affine::new(m.map(|n| n.as_f64()))
}

fn is_white(components: &[Number], grey: bool) -> bool {
    match components.len() {
        1 => grey && components[0].as_f64() > 0.98,
        3 => components.iter().all(|c| c.as_f64() > 0.98),
        4 => components.iter().all(|c| c.as_f64() < 0.02),
        _ => false,
    }
}
