//! Paragraphs as the material of a model call. Plain data: how it is marked up is the caller's business.

use crate::base::Base;
use crate::error::KnowledgeError;
use crate::paragraph::{Paragraph, Tier};

/// A paragraph with everything a reader needs to use and cite it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextParagraph {
    /// Its id.
    pub id: String,
    /// How it is cited, for example `(Primer 4.12)`.
    pub citation: String,
    /// Heading directly above it.
    pub title: String,
    /// Headings above it, outermost first.
    pub path: Vec<String>,
    /// Weight of the base's text.
    pub tier: Tier,
    /// The document it belongs to.
    pub source: String,
    /// What it is about.
    pub tags: Vec<String>,
    /// The words.
    pub text: String,
    /// What they need to be understood alone.
    pub context: String,
    /// No longer in force.
    pub withdrawn: bool,
    /// Its page in its file, where the format has pages.
    pub page: Option<u32>,
    /// The file that it was taken from, as a person knows it; none where its rows name themselves.
    pub file: Option<String>,
    /// Which edition that says that it is; empty where it says none.
    pub edition: String,
    /// The date that it gives itself; empty where it gives none.
    pub date: String,
}

impl Base {
    /// The paragraphs for these ids, in the order given, each once.
    pub fn format_context<S: AsRef<str>>(&self, ids: &[S]) -> Result<Vec<ContextParagraph>, KnowledgeError> {
        let mut found: Vec<ContextParagraph> = Vec::with_capacity(ids.len());
        for id in ids {
            let paragraph = self.paragraph(id.as_ref())?;
            if !found.iter().any(|one| one.id == paragraph.id) {
                found.push(self.context_of(paragraph));
            }
        }
        Ok(found)
    }

    /// One paragraph as context.
    pub fn context_of(&self, paragraph: &Paragraph) -> ContextParagraph {
        let doc = &paragraph.doc;
        let file = self.file(paragraph).filter(|file| !file.name.ends_with(".jsonl"));
        ContextParagraph {
            id: paragraph.id.clone(),
            citation: self.citation(&paragraph.id),
            title: paragraph.title.clone(),
            path: paragraph.path.clone(),
            tier: self.manifest().tier,
            source: if doc.is_empty() { self.manifest().title.clone() } else { doc.clone() },
            tags: paragraph.tags.clone(),
            text: paragraph.text.clone(),
            context: paragraph.context.clone(),
            withdrawn: paragraph.withdrawn,
            page: paragraph.page,
            file: file.map(|file| self.shown_name(file).to_owned()),
            edition: file.map(|file| file.edition.clone()).unwrap_or_default(),
            date: file.map(|file| file.date.clone()).unwrap_or_default(),
        }
    }
}
