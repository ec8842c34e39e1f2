//! The fonts, and the lines that are set with them.

use std::collections::HashMap;
use std::sync::Arc;

use krilla::text::Font;
use parley::fontique::{Blob, Collection, CollectionOptions, SourceCache};
use parley::layout::Run;
use parley::{FontContext, LayoutContext};

use crate::text::{Ink, Sign};
use crate::words::Words;

/// Families of the text, each for what those before it lack.
pub(crate) const SERIF: [&str; 3] = ["Libertinus Serif", "New Computer Modern Math", "DejaVu Sans Mono"];
/// Families of code.
pub(crate) const MONO: [&str; 3] = ["DejaVu Sans Mono", "New Computer Modern Math", "Libertinus Serif"];

/// Fonts, with the room that setting lines needs.
pub(crate) struct Fonts {
    pub context: FontContext,
    pub layouts: LayoutContext<Ink>,
    faces: HashMap<(u64, u32), Option<Font>>,
    /// Words that were set.
    pub words: Words,
    /// The sign for a character that no font has.
    pub square: Option<(Font, Sign)>,
    /// Characters of lines set so far for which no font has a sign.
    pub missing: Vec<char>,
}

impl Fonts {
    pub(crate) fn new() -> Self {
        let options = CollectionOptions { shared: false, system_fonts: true };
        let mut collection = Collection::new(options);
        for font in typst_assets::fonts() {
            collection.register_fonts(Blob::new(Arc::new(font)), None);
        }
        let context = FontContext { collection, source_cache: SourceCache::default() };
        Self {
            context,
            layouts: LayoutContext::new(),
            faces: HashMap::new(),
            words: Words::default(),
            square: None,
            missing: Vec::new(),
        }
    }

    /// The font of a run as the file embeds it; `None` where it can't be read.
    pub(crate) fn face(&mut self, run: &Run<'_, Ink>) -> Option<Font> {
        let data = run.font().clone();
        let index = data.index;
        let (bytes, id) = data.data.into_raw_parts();
        let face = self.faces.entry((id, index)).or_insert_with(|| Font::new(bytes.into(), index));
        face.clone()
    }
}
