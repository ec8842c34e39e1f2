//! The shape of a base: its documents, and the headings that matter for a question.

use std::collections::BTreeMap;

use crate::base::Base;
use crate::document_names::files;
use crate::error::KnowledgeError;
use crate::graph::quantised;
use crate::paragraph::Paragraph;
use crate::search::{MAX_HITS, Query};

/// A document of a base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentSummary {
    /// Its title; with the name of its file where another file holds a document of the same title.
    pub name: String,
    /// Its title.
    pub doc: String,
    /// The place of its file among the sources, where another file holds a document of the same title.
    pub file: Option<u32>,
    /// Its paragraphs, without parts.
    pub paragraphs: usize,
    /// Its first paragraph's id.
    pub first: String,
}

impl DocumentSummary {
    /// Whether a paragraph of the base belongs to it.
    pub fn holds(&self, paragraph: &Paragraph) -> bool {
        paragraph.doc == self.doc && self.file.is_none_or(|file| file == paragraph.file)
    }
}

/// A heading with the paragraphs below it.
#[derive(Debug, Clone, PartialEq)]
pub struct Heading {
    /// The document.
    pub doc: String,
    /// Headings, outermost first, the paragraphs' own title last.
    pub path: Vec<String>,
    /// Paragraphs directly below it, in the whole base.
    pub paragraphs: usize,
    /// How many of them the query found.
    pub found: usize,
    /// Sum of their scores, quantised to 1e-6.
    pub score: f64,
    /// Ids of the best of them, at most five.
    pub ids: Vec<String>,
    /// Tags of the paragraphs directly below it, most frequent first, at most five.
    pub standards: Vec<String>,
}

impl Base {
    /// The documents in the order of the base.
    pub fn documents(&self) -> Vec<DocumentSummary> {
        let columns = self.columns();
        let sources = &self.manifest().sources;
        // Rows name their document themselves, in however many files they stand.
        let names_itself = |file: &u32| {
            sources.get(*file as usize).is_some_and(|source| source.name.to_lowercase().ends_with(".jsonl"))
        };
        let files = files(self);
        let mut found: Vec<DocumentSummary> = Vec::new();
        let mut places: BTreeMap<(u32, Option<u32>), usize> = BTreeMap::new();
        let mut same: BTreeMap<String, usize> = BTreeMap::new();
        for &position in self.wholes() {
            let (doc, file) = (columns.doc(position as usize), files.get(position as usize).copied());
            let file = file.filter(|file| !names_itself(file));
            let place = *places.entry((doc, file)).or_insert_with(|| {
                *same.entry(columns.name(doc).to_owned()).or_default() += 1;
                found.push(DocumentSummary {
                    name: columns.name(doc).to_owned(),
                    doc: columns.name(doc).to_owned(),
                    file,
                    paragraphs: 0,
                    first: self.id(position as usize).to_owned(),
                });
                found.len() - 1
            });
            found[place].paragraphs += 1;
        }
        for one in &mut found {
            one.file = one.file.filter(|_| same.get(&one.doc).is_some_and(|count| *count > 1));
            let source = one.file.and_then(|file| sources.get(file as usize));
            match source.map(|source| &source.name) {
                Some(file) if one.doc.is_empty() => one.name.clone_from(file),
                Some(file) => one.name = format!("{} ({file})", one.doc),
                None => {}
            }
        }
        found
    }

    /// The headings under which a query's best hits stand, best first, at most `limit` (10 when zero).
    pub fn outline(&self, query: &str, limit: usize) -> Result<Vec<Heading>, KnowledgeError> {
        let hits = self.search(&Query { text: query.to_owned(), limit: MAX_HITS, ..Query::default() })?;
        let columns = self.columns();
        let key = |position: usize| (columns.doc(position), columns.headings(position));
        let mut headings: BTreeMap<(u32, Vec<u32>), Heading> = BTreeMap::new();
        for hit in hits {
            let Some(position) = self.position(&hit.id) else { continue };
            let (doc, path) = key(position);
            let heading = headings.entry((doc, path.clone())).or_insert_with(|| Heading {
                doc: columns.name(doc).to_owned(),
                path: path.iter().map(|&heading| columns.name(heading).to_owned()).collect(),
                paragraphs: 0,
                found: 0,
                score: 0.0,
                ids: Vec::new(),
                standards: Vec::new(),
            });
            heading.found += 1;
            heading.score = quantised(heading.score + hit.score);
            if heading.ids.len() < 5 {
                heading.ids.push(hit.id);
            }
        }
        let mut tags: BTreeMap<_, Vec<(&str, usize)>> = BTreeMap::new();
        for &position in self.wholes() {
            let key = key(position as usize);
            if let Some(heading) = headings.get_mut(&key) {
                heading.paragraphs += 1;
                let counts = tags.entry(key).or_default();
                for tag in columns.tags(position as usize).iter().map(|&tag| columns.name(tag)) {
                    match counts.iter_mut().find(|(name, _)| *name == tag) {
                        Some((_, count)) => *count += 1,
                        None => counts.push((tag, 1)),
                    }
                }
            }
        }
        for (key, counts) in tags {
            if let Some(heading) = headings.get_mut(&key) {
                heading.standards = most_frequent(counts);
            }
        }
        let mut headings: Vec<Heading> = headings.into_values().collect();
        headings.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.path.cmp(&b.path)));
        headings.truncate(if limit == 0 { 10 } else { limit.min(MAX_HITS) });
        Ok(headings)
    }
}

/// At most five names, most frequent first, equally frequent ones in the order they were met.
fn most_frequent(mut names: Vec<(&str, usize)>) -> Vec<String> {
    names.sort_by_key(|name| std::cmp::Reverse(name.1));
    names.into_iter().take(5).map(|(name, _)| name.to_owned()).collect()
}
