//! Fonts, as far as they tell which characters codes stand for and how wide these are.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use hayro_font::hayro_cmap::{BfString, load_embedded};
use hayro_font::hayro_syntax::object::{Array, Dict, Name, Rect};
use hayro_font::{CMapResolverFn, Font, FontCache, FontGlyph, FontResolverFn, GlyphId};

/// Most fonts kept at a time: a document can bring new ones on every page.
const MAX_KEPT: usize = 256;

/// A font in the Compact Font Format with one blank glyph. It stands for fonts that the file does not bring along: what
/// their characters are and how wide is known without their shapes.
const BLANK: [u8; 30] = [
    1, 0, 4, 1, // header: version 1.0, its size, the size of offsets
    0, 1, 1, 1, 2, b'A', // names: one
    0, 1, 1, 1, 6, 0xa3, 0x11, 0x8b, 0x8b, 0x12, // top dictionary: glyphs at 24, nothing private
    0, 0, // no strings
    0, 0, // no subroutines
    0, 1, 1, 1, 2, 0x0e, // glyphs: one, which ends at once
];

/// The fonts of a document, loaded when first used.
pub(super) struct Fonts<'a> {
    cache: FontCache<'a>,
    faces: HashMap<usize, Option<Face<'a>>>,
    names: HashMap<(u32, i32), Option<Face<'a>>>,
    fonts: FontResolverFn,
    cmaps: CMapResolverFn,
}

impl Default for Fonts<'_> {
    fn default() -> Self {
        Self {
            cache: FontCache::new(),
            faces: HashMap::new(),
            names: HashMap::new(),
            fonts: Arc::new(|_| Some((Arc::new(BLANK), 0))),
            cmaps: Arc::new(load_embedded),
        }
    }
}

impl<'a> Fonts<'a> {
    /// The font that `name` stands for among a page's.
    pub fn get(&mut self, fonts: &Dict<'a>, name: &Name<'_>) -> Option<Face<'a>> {
        let Some(id) = fonts.get_ref(name.as_ref()) else {
            return self.load(&fonts.get::<Dict<'a>>(name.as_ref())?);
        };
        let key = (id.obj_number, id.gen_number);
        if let Some(face) = self.names.get(&key) {
            return face.clone();
        }
        let face = fonts.get::<Dict<'a>>(name.as_ref()).and_then(|dict| self.load(&dict));
        self.names.insert(key, face.clone());
        face
    }

    pub fn load(&mut self, dict: &Dict<'a>) -> Option<Face<'a>> {
        // Objects are slices of the file: the address is the identity.
        let key = dict.data().as_ptr() as usize;
        if let Some(face) = self.faces.get(&key) {
            return face.clone();
        }
        if self.faces.len() >= MAX_KEPT {
            self.cache = FontCache::new();
            self.faces.clear();
            self.names.clear();
        }
        let face = self.cache.font(dict, &self.fonts, &self.cmaps).map(|font| Face::new(font, dict));
        self.faces.insert(key, face.clone());
        face
    }
}

/// What a code stands for.
#[derive(Debug, Clone)]
pub(super) enum Text {
    None,
    One(char),
    Many(Rc<str>),
}

impl Text {
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::None)
    }

    pub fn chars(&self) -> impl Iterator<Item = char> {
        let (one, many) = match self {
            Self::None => (None, ""),
            Self::One(c) => (Some(*c), ""),
            Self::Many(text) => (None, &**text),
        };
        one.into_iter().chain(many.chars())
    }

    fn of(text: impl IntoIterator<Item = char>) -> Self {
        let mut out = String::new();
        for c in text {
            match c {
                '\u{fb00}' => out.push_str("ff"),
                '\u{fb01}' => out.push_str("fi"),
                '\u{fb02}' => out.push_str("fl"),
                '\u{fb03}' => out.push_str("ffi"),
                '\u{fb04}' => out.push_str("ffl"),
                '\u{fb05}' | '\u{fb06}' => out.push_str("st"),
                // Symbol fonts put their characters into the private area, the list mark among them.
                '\u{f0b7}' | '\u{f0a7}' | '\u{f0d8}' | '\u{f0fc}' => out.push('•'),
                '\u{f020}'..='\u{f07e}' => out.extend(char::from_u32(u32::from(c) - 0xf000)),
                '\u{e000}'..='\u{f8ff}' | '\u{fffd}' | '\0' => {}
                _ => out.push(c),
            }
        }
        let mut chars = out.chars();
        match (chars.next(), chars.next()) {
            (None, _) => Self::None,
            (Some(c), None) => Self::One(c),
            _ => Self::Many(out.into()),
        }
    }
}

struct Inner<'a> {
    font: Font<'a>,
    bold: bool,
    mono: bool,
    em: f64,
    codes: RefCell<HashMap<u32, (f32, Text)>>,
}

/// A font of the document.
#[derive(Clone)]
pub(super) struct Face<'a>(Rc<Inner<'a>>);

impl<'a> Face<'a> {
    fn new(font: Font<'a>, dict: &Dict<'a>) -> Self {
        let descriptor = dict.get::<Dict<'_>>("FontDescriptor").or_else(|| {
            dict.get::<Array<'_>>("DescendantFonts")?
                .iter::<Dict<'_>>()
                .next()?
                .get::<Dict<'_>>("FontDescriptor")
        });
        let name = dict
            .get::<Name<'_>>("BaseFont")
            .map(|name| name.as_str().to_ascii_lowercase())
            .unwrap_or_default();
        let number = |key: &str| descriptor.as_ref().and_then(|dict| dict.get::<f32>(key)).unwrap_or(0.0);
        let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
        // Computer Modern names its bold fonts so.
        let tex_bold = has(&["+cmbx", "+cmssbx", "+sfbx", "+ecbx", "+cmb1"]);
        let bold = has(&["bold", "black", "heavy", "-demi", "semibold", "-medi"]) && !has(&["medium"])
            || tex_bold
            || number("FontWeight") >= 600.0
            || number("StemV") >= 140.0;
        let tex_mono = has(&["+cmtt", "+sftt", "+ectt", "+cmsltt", "+cmitt"]);
        let flags = descriptor.as_ref().and_then(|dict| dict.get::<u32>("Flags")).unwrap_or(0);
        let mono = has(&["courier", "mono", "consol", "typewriter", "menlo"]) || tex_mono || flags & 1 != 0;
        let em = match font.glyph(GlyphId::NOTDEF, 0) {
            FontGlyph::Outline(_) => 1.0,
            FontGlyph::Type3(glyph) => {
                let [_, _, _, d, ..] = glyph.font().matrix().as_coeffs();
                let height = dict.get::<Rect>("FontBBox").map_or(0.0, |bounds| bounds.height());
                let em = (height * d).abs();
                if (0.05..20.0).contains(&em) { em } else { 1.0 }
            }
        };
        Self(Rc::new(Inner { font, bold, mono, em, codes: RefCell::new(HashMap::new()) }))
    }

    pub fn read_code(&self, bytes: &[u8], at: usize) -> (u32, usize) {
        self.0.font.read_code(bytes, at)
    }

    /// The advance, as a share of the font's size, and the characters of a code.
    pub fn glyph(&self, code: u32) -> (f32, Text) {
        if let Some(known) = self.0.codes.borrow().get(&code) {
            return known.clone();
        }
        let font = &self.0.font;
        let advance = font.code_advance(code);
        let advance = if font.is_horizontal() { advance.x } else { advance.y } / 1000.0;
        let unicode = match font.glyph(font.map_code(code), code) {
            FontGlyph::Outline(glyph) => glyph.as_unicode(),
            FontGlyph::Type3(glyph) => glyph.as_unicode(),
        };
        let text = match unicode {
            Some(BfString::Char(c)) => Text::of([c]),
            Some(BfString::String(text)) => Text::of(text.chars().take(16)),
            None => Text::None,
        };
        let known = (advance as f32, text);
        self.0.codes.borrow_mut().insert(code, known.clone());
        known
    }

    pub fn is_vertical(&self) -> bool {
        !self.0.font.is_horizontal()
    }

    pub fn is_bold(&self) -> bool {
        self.0.bold
    }

    pub fn is_mono(&self) -> bool {
        self.0.mono
    }

    /// The font's own em, as a share of its nominal size; fonts made of drawings choose it freely.
    pub fn em(&self) -> f64 {
        self.0.em
    }
}
