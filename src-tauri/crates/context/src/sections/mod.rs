//! XML sections: what a model is shown, written so that no content can open or close a section or forge an attribute.
//!
//! ```text
//! <REQUEST>
//! escaped text
//! </REQUEST>
//!
//! <GUIDE_CONTEXT>
//! <PARAGRAPH id="p4.12" ref="(Primer 4.12)" score="0.812" source="Primer" tier="primer" heading="Going concern" file="primer.pdf" page="7">
//! escaped text
//! </PARAGRAPH>
//! </GUIDE_CONTEXT>
//! ```

mod assemble;
mod escape;
mod keyed;
mod parse;

use std::fmt::Write as _;

use domain::KeyForm;
use serde_json::Value;

pub use assemble::{Assembled, assemble};
pub use escape::{escape, escape_attribute, unescape};
pub use keyed::{KeyedParagraph, keyed};
pub use parse::{ParsedParagraph, ParsedSection, ParsedWebPage, parse_sections};

/// One section of a context.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// Upper-case letters, digits and underscores.
    pub name: String,
    /// What it holds.
    pub body: Body,
    /// Whether it must be shown whole: a section that is not may be cut when space is short.
    pub essential: bool,
}

impl Section {
    /// A section that may be cut when space is short.
    pub fn new(name: impl Into<String>, body: Body) -> Self {
        Self { name: name.into(), body, essential: false }
    }

    /// The same section, never cut.
    pub fn essential(mut self) -> Self {
        self.essential = true;
        self
    }
}

/// What a section holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// Text as it is.
    Text(String),
    /// Compact canonical JSON.
    Json(Value),
    /// Paragraphs of a knowledge base, by descending score; whole ones go when space is short.
    Paragraphs(Vec<ContextParagraph>),
    /// The same as numbered sentences, each with the key by which it is cited.
    Sentences(Vec<ContextParagraph>, KeyForm),
    /// A numbered list of web pages: `[W1]`, `[W2]`, in the order given.
    WebReferences(Vec<WebReference>),
    /// One line each.
    Lines(Vec<String>),
}

impl Body {
    /// Whether there is nothing to show: no text, an empty list or object, or null.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Text(text) => text.trim().is_empty(),
            Self::Json(value) => match value {
                Value::Null => true,
                Value::String(text) => text.trim().is_empty(),
                Value::Array(items) => items.is_empty(),
                Value::Object(map) => map.is_empty(),
                Value::Bool(_) | Value::Number(_) => false,
            },
            Self::Paragraphs(items) | Self::Sentences(items, _) => items.is_empty(),
            Self::WebReferences(items) => items.is_empty(),
            Self::Lines(items) => items.is_empty(),
        }
    }
}

/// A paragraph of a knowledge base as a model is shown it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ContextParagraph {
    /// The paragraph's id.
    pub id: String,
    /// How an answer cites it, parentheses included: `(Primer 4.12)`.
    pub reference: String,
    /// Relevance; higher is better. Shown with three decimals.
    pub score: f64,
    /// The document it is from.
    pub source: String,
    /// The authority of its corpus: standard, guide, web, primer, …
    pub tier: String,
    /// Whether an earlier answer already used it.
    pub used_before: bool,
    /// The heading it stands under.
    pub heading: String,
    /// The file it was taken from.
    pub file: String,
    /// Which edition that says that it is.
    pub edition: String,
    /// The date that it gives itself.
    pub date: String,
    /// Its page in that file.
    pub page: String,
    /// What its text needs to be understood alone, such as the names of a table's columns.
    pub context: String,
    /// Its text.
    pub text: String,
}

impl ContextParagraph {
    /// Reads a tool's paragraph, accepting the usual names of its fields; without a text it is none.
    pub fn from_value(value: &Value) -> Option<Self> {
        let text_of = |names: &[&str]| {
            names.iter().find_map(|name| match value.get(*name) {
                Some(Value::String(text)) if !text.is_empty() => Some(text.clone()),
                Some(Value::Number(number)) => Some(number.to_string()),
                Some(Value::Array(parts)) => {
                    let parts: Vec<&str> =
                        parts.iter().filter_map(Value::as_str).filter(|part| !part.is_empty()).collect();
                    (!parts.is_empty()).then(|| parts.join(" > "))
                }
                Some(Value::Null | Value::Bool(_) | Value::Object(_) | Value::String(_)) | None => None,
            })
        };
        let text = text_of(&["text", "content", "body"])?;
        let id = text_of(&["id", "paragraph_id", "paragraphId", "ref", "reference"]).unwrap_or_default();
        let reference = text_of(&["ref", "reference", "source_ref", "sourceRef", "citation"])
            .unwrap_or_else(|| id.clone());
        let reference = match reference.trim() {
            "" => String::new(),
            whole if whole.starts_with('(') && whole.ends_with(')') => whole.to_owned(),
            bare => format!("({bare})"),
        };
        let score = ["score", "relevance", "similarity"]
            .iter()
            .find_map(|name| value.get(*name)?.as_f64())
            .unwrap_or(0.0);
        // From the outside in. A section may be a mere number (`200.516`), which says nothing to a reader.
        let mut levels: Vec<String> = Vec::new();
        for level in
            [text_of(&["path"]), text_of(&["title"]), text_of(&["section"]).filter(|one| one.contains(' '))]
        {
            if let Some(level) =
                level.filter(|level| !levels.iter().any(|known| known.ends_with(level.as_str())))
            {
                levels.push(level);
            }
        }
        let heading = text_of(&["heading"]).unwrap_or_else(|| levels.join(" > "));
        Some(Self {
            id,
            reference,
            score,
            source: text_of(&["source", "doc", "document", "standard"]).unwrap_or_default(),
            tier: text_of(&["tier"]).unwrap_or_default(),
            used_before: ["used_before", "usedBefore"]
                .iter()
                .any(|name| value.get(*name) == Some(&Value::Bool(true))),
            heading,
            file: text_of(&["file"]).unwrap_or_default(),
            edition: text_of(&["edition"]).unwrap_or_default(),
            date: text_of(&["date"]).unwrap_or_default(),
            page: text_of(&["page"]).unwrap_or_default(),
            context: text_of(&["context"]).unwrap_or_default(),
            text,
        })
    }
}

/// Longest value of an attribute that says where a paragraph stands, in characters.
const MAX_PLACE: usize = 120;

/// What a model is told of a paragraph besides its text: what it is, and where it stands.
fn shown_attributes(paragraph: &ContextParagraph) -> String {
    let mut out = String::new();
    let [file, edition, date, page] = [&paragraph.file, &paragraph.edition, &paragraph.date, &paragraph.page]
        .map(|value| match value.char_indices().nth(MAX_PLACE) {
            Some((at, _)) => format!("{}…", &value[..at]),
            None => value.clone(),
        });
    let (tier, heading) = (paragraph.tier.clone(), paragraph.heading.clone());
    for (name, value) in [
        ("tier", tier),
        ("heading", heading),
        ("file", file),
        ("edition", edition),
        ("date", date),
        ("page", page),
        ("context", paragraph.context.clone()),
    ] {
        if !value.is_empty() {
            let _ = write!(out, " {name}=\"{}\"", escape_attribute(&value));
        }
    }
    if paragraph.used_before {
        out.push_str(" used_before=\"true\"");
    }
    out
}

/// A web page as a model is shown it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WebReference {
    /// The page's title.
    pub title: String,
    /// Its address.
    pub url: String,
    /// What it says that matters here.
    pub insight: String,
}

impl WebReference {
    /// Reads a web result, accepting the usual names of its fields; without an address it is none.
    pub fn from_value(value: &Value) -> Option<Self> {
        let text_of = |names: &[&str]| {
            names.iter().find_map(|name| value.get(*name)?.as_str()).unwrap_or_default().to_owned()
        };
        let url = text_of(&["url", "link", "href"]);
        (!url.is_empty()).then(|| Self {
            title: text_of(&["title", "name"]),
            url,
            insight: text_of(&["insight", "relevance", "snippet", "description", "summary", "text"]),
        })
    }
}
