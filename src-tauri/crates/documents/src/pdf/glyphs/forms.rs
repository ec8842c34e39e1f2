//! Form fields: what stands in them, as text.

use hayro_font::hayro_syntax::object::{Array, Dict, Name, Object, Stream, String as PdfString};

use crate::pdf::strings;

/// Most parents of a field.
const MAX_PARENTS: usize = 32;
/// Most characters of a value that is written on one line.
const SHORT_VALUE: usize = 80;
/// Most options of a list.
const MAX_OPTIONS: usize = 4_000;

const MULTILINE: u32 = 1 << 12;
const PASSWORD: u32 = 1 << 13;
const BUTTON: u32 = 1 << 16;
const COMBO: u32 = 1 << 17;
const COMB: u32 = 1 << 24;

/// What a field shows.
#[derive(Debug, PartialEq)]
pub(super) enum Content {
    /// What it looks like tells it all.
    Looks,
    /// A secret.
    Password,
    /// Whether a box is checked.
    Box(bool),
    /// Lines of text; `looks` tells that its appearance may show them otherwise, such as broken into lines.
    Text { lines: Vec<String>, looks: bool },
    /// What is chosen of a list, and how many entries are not.
    Choice { chosen: String, others: usize },
}

/// A field's place on a page, and the fields that it inherits from.
pub(super) struct Field<'a>(Vec<Dict<'a>>);

impl<'a> Field<'a> {
    pub fn of(widget: &Dict<'a>) -> Self {
        let mut chain = vec![widget.clone()];
        while chain.len() < MAX_PARENTS
            && let Some(parent) = chain.last().and_then(|last| last.get::<Dict<'a>>("Parent"))
        {
            chain.push(parent);
        }
        Self(chain)
    }

    fn flags(&self) -> u32 {
        self.0.iter().find_map(|dict| dict.get::<u32>("Ff")).unwrap_or(0)
    }

    /// The words by which a person knows it.
    pub fn name(&self) -> String {
        let own =
            |key| self.0.iter().find_map(|dict| strings::text(dict, key)).filter(|name| !name.is_empty());
        own("TU").or_else(|| own("T")).unwrap_or_default()
    }

    pub fn content(&self) -> Content {
        let kind = self.0.iter().find_map(|dict| dict.get::<Name<'_>>("FT"));
        match kind.as_ref().map(Name::as_str) {
            Some("Tx") if self.flags() & PASSWORD != 0 => Content::Password,
            Some("Tx") => self.text(),
            Some("Ch") => self.choice(),
            Some("Btn") if self.flags() & BUTTON == 0 => Content::Box(self.is_checked()),
            _ => Content::Looks,
        }
    }

    fn text(&self) -> Content {
        let value = self.values().into_iter().next().unwrap_or_default();
        let lines: Vec<String> = value.lines().map(str::to_owned).collect();
        let flags = self.flags();
        // A few lines beside their name are one value.
        if lines.len() > 1 && value.chars().count() <= SHORT_VALUE {
            return Content::Text { lines: vec![lines.join(" ")], looks: false };
        }
        // The letters of a comb stand apart, each in a cell of its own.
        Content::Text { lines, looks: flags & COMB == 0 || flags & MULTILINE != 0 }
    }

    /// The values as the file stores them.
    fn values(&self) -> Vec<String> {
        for dict in &self.0 {
            match dict.get::<Object<'a>>("V") {
                Some(Object::String(text)) => return vec![strings::long(text.as_bytes())],
                Some(Object::Name(name)) => return vec![name.as_str().to_owned()],
                Some(Object::Stream(stream)) => return long(&stream).into_iter().collect(),
                Some(Object::Array(list)) => {
                    let text =
                        |item: Object<'_>| item.into_string().map(|text| strings::long(text.as_bytes()));
                    return list.iter::<Object<'_>>().filter_map(text).take(MAX_OPTIONS).collect();
                }
                _ => {}
            }
        }
        Vec::new()
    }

    /// What is chosen of a list, as the list shows it.
    fn choice(&self) -> Content {
        let chosen = self.values();
        let options = self.0.iter().find_map(|dict| dict.get::<Array<'a>>("Opt"));
        let options: Vec<(String, String)> =
            options.iter().flat_map(Array::iter::<Object<'_>>).take(MAX_OPTIONS).filter_map(option).collect();
        let shown = |value: &String| {
            let option = options.iter().find(|(stored, shown)| stored == value || shown == value);
            option.map_or(value.clone(), |(_, shown)| shown.clone())
        };
        let shown: Vec<String> = chosen.iter().map(shown).filter(|text| !text.is_empty()).collect();
        if self.flags() & COMBO != 0 {
            return Content::Text { lines: shown, looks: true };
        }
        Content::Choice { others: options.len().saturating_sub(shown.len()), chosen: shown.join(", ") }
    }

    fn is_checked(&self) -> bool {
        let widget = &self.0[0];
        if let Some(state) = widget.get::<Name<'_>>("AS") {
            return state.as_str() != "Off";
        }
        let value = self.values().into_iter().next().unwrap_or_default();
        let looks = widget.get::<Dict<'_>>("AP").and_then(|looks| looks.get::<Dict<'_>>("N"));
        let mut states = looks.iter().flat_map(Dict::keys);
        !value.is_empty()
            && value != "Off"
            && (looks.is_none() || states.any(|state| state.as_str() == value))
    }
}

/// The value that an option stores, and what it shows.
fn option(option: Object<'_>) -> Option<(String, String)> {
    let text = |string: PdfString<'_>| strings::decode(string.as_bytes());
    match option {
        Object::String(one) => Some((text(one.clone()), text(one))),
        Object::Array(pair) => {
            let mut pair = pair.iter::<PdfString<'_>>().map(text);
            let stored = pair.next()?;
            Some((stored.clone(), pair.next().unwrap_or(stored)))
        }
        _ => None,
    }
}

fn long(stream: &Stream<'_>) -> Option<String> {
    stream.decoded_data().ok().map(|bytes| strings::long(&bytes))
}
