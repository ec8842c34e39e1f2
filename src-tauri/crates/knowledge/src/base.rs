//! An opened generation: its lines and its index in memory; paragraphs are decoded and vectors read on first use.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use text_analysis::{Language, Languages};

use crate::contents;
use crate::definitions::Definitions;
use crate::document_names::DocumentNames;
use crate::error::KnowledgeError;
use crate::file_label::ShownNames;
use crate::generation::{Manifest, SourceFile, VECTORS, current, pinned};
use crate::graph::{Graph, HopHit, Neighbour, PART_OF, quantised};
use crate::ids::{Resolved, tight};
use crate::index::{Columns, Index, Words};
use crate::ingest::{FileReport, stored_reports};
use crate::lsi::Lsi;
use crate::paragraph::Paragraph;
use crate::paragraphs::Paragraphs;
use crate::titles::Titles;
use crate::vectors::{self, Vectors};
use crate::word_index::WordIndex;

/// A knowledge base, opened read-only at one generation. A newer ingest does not change it.
pub struct Base {
    manifest: Manifest,
    folder: PathBuf,
    paragraphs: Paragraphs,
    index: Index,
    languages: Languages,
    wholes: OnceLock<Vec<u32>>,
    vectors: OnceLock<Vectors>,
    words: OnceLock<WordIndex>,
    definitions: OnceLock<Definitions>,
    documents: OnceLock<DocumentNames>,
    titles: OnceLock<Titles>,
    pub(crate) shown_names: OnceLock<ShownNames>,
}

/// Numbers about a base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stats {
    /// Paragraphs, parts included.
    pub paragraphs: usize,
    /// Cross-references that lead to a paragraph of the base.
    pub resolved: u64,
    /// Cross-references that lead outside.
    pub dangling: u64,
    /// How many paragraphs carry each tag.
    pub tags: BTreeMap<String, usize>,
    /// How many paragraphs there are of each kind.
    pub kinds: BTreeMap<String, usize>,
}

impl Base {
    /// Opens the current generation of base `name` below `home`.
    pub fn open(home: &Path, name: &str) -> Result<Self, KnowledgeError> {
        let (folder, manifest) = current(home, name)?;
        Self::load(folder, manifest)
    }

    /// Opens one generation by name, for a run that is pinned to it.
    pub fn open_generation(home: &Path, name: &str, generation: &str) -> Result<Self, KnowledgeError> {
        let (folder, manifest) = pinned(home, name, generation)?;
        Self::load(folder, manifest)
    }

    fn load(folder: PathBuf, manifest: Manifest) -> Result<Self, KnowledgeError> {
        let (paragraphs, mut index) = contents::open(&folder, &manifest)?;
        index.ids = std::mem::take(&mut index.ids).labelled(labels(&manifest));
        Ok(Self {
            manifest,
            folder,
            paragraphs,
            languages: index.words.languages(),
            index,
            wholes: OnceLock::new(),
            vectors: OnceLock::new(),
            words: OnceLock::new(),
            definitions: OnceLock::new(),
            documents: OnceLock::new(),
            titles: OnceLock::new(),
            shown_names: OnceLock::new(),
        })
    }

    /// What the generation says about itself.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// How its files were read; empty where the base was made before that was kept.
    pub fn reports(&self) -> Vec<FileReport> {
        stored_reports(&self.folder).unwrap_or_default()
    }

    /// All paragraphs in document order, parts after their wholes.
    pub fn paragraphs(&self) -> &Paragraphs {
        &self.paragraphs
    }

    /// The paragraph for an id in any usual notation: `4.12`, `(Primer 4.12)`, `Control AC-2 (1)`. The name of
    /// a section is no paragraph; see [`Base::resolve`].
    pub fn paragraph(&self, id: &str) -> Result<&Paragraph, KnowledgeError> {
        match self.resolve(id) {
            Some(Resolved::Paragraph(position)) => Ok(&self.paragraphs[position]),
            Some(Resolved::Section(members)) => Err(KnowledgeError::UnknownParagraph {
                id: id.chars().take(100).collect(),
                nearest: members.iter().take(5).map(|&member| self.id(member).to_owned()).collect(),
            }),
            None => Err(KnowledgeError::UnknownParagraph {
                id: id.chars().take(100).collect(),
                nearest: self.index.ids.nearest(id, |position| self.id(position), 5),
            }),
        }
    }

    /// What an id stands for: a paragraph, a section of several, or nothing.
    pub fn resolve(&self, id: &str) -> Option<Resolved> {
        self.index.ids.resolve(id)
    }

    /// A paragraph's citation in this base's form, for example `(Primer 4.12)`.
    pub fn citation(&self, id: &str) -> String {
        self.manifest.citation.replace("{id}", id)
    }

    /// The file that a paragraph was taken from, where that is known.
    pub fn file(&self, paragraph: &Paragraph) -> Option<&SourceFile> {
        let sources = &self.manifest.sources;
        // A generation of the first format does not say which of several files a paragraph is of.
        let told = self.manifest.format > 1 || sources.len() == 1;
        usize::try_from(paragraph.file).ok().and_then(|at| sources.get(at)).filter(|_| told)
    }

    /// The position of the paragraph with an id in any usual notation.
    pub fn position(&self, id: &str) -> Option<usize> {
        self.index.ids.position(id)
    }

    /// The id of the paragraph at a position.
    pub(crate) fn id(&self, position: usize) -> &str {
        self.index.columns.id(position)
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn below(&self, prefix: &str) -> Vec<usize> {
        self.index.ids.below(&tight(prefix)).map(|position| position as usize).collect()
    }

    pub(crate) fn columns(&self) -> &Columns {
        &self.index.columns
    }

    pub(crate) fn index(&self) -> &Words {
        &self.index.words
    }

    /// The languages of the paragraphs, the commonest first.
    pub fn languages(&self) -> &[Language] {
        &self.languages
    }

    /// What was learned from the base's own words.
    pub(crate) fn lsi(&self) -> Option<&Lsi> {
        self.index.lsi.as_ref()
    }

    pub(crate) fn graph(&self) -> &Graph {
        &self.index.graph
    }

    /// The whole that a part belongs to; any other paragraph is its own whole.
    pub(crate) fn whole(&self, position: usize) -> usize {
        if !self.columns().part(position) {
            return position;
        }
        let graph = self.graph();
        let mut up =
            graph.edges(position).iter().filter(|edge| edge.outgoing && graph.kind(**edge) == PART_OF);
        up.next().map_or(position, |edge| edge.to as usize)
    }

    /// Positions of the paragraphs that are searched: those that are no parts.
    pub(crate) fn wholes(&self) -> &[u32] {
        self.wholes.get_or_init(|| self.columns().wholes())
    }

    /// The vectors, read by the first search that compares them; none where no model made any.
    pub(crate) fn vectors(&self) -> Result<Option<&Vectors>, KnowledgeError> {
        if self.manifest.vectors.is_none() || self.vectors.get().is_some() {
            return Ok(self.vectors.get());
        }
        let path = self.folder.join(VECTORS);
        let read = vectors::read(&path, self.wholes().len()).map_err(KnowledgeError::io(&path))?;
        let vectors = read.map_err(|what| KnowledgeError::Damaged {
            base: self.manifest.base.clone(),
            path,
            what: what.to_owned(),
        })?;
        Ok(Some(self.vectors.get_or_init(|| vectors)))
    }

    /// The terms that the base defines.
    pub fn definitions(&self) -> &Definitions {
        self.definitions.get_or_init(|| Definitions::of(self))
    }

    /// What the documents are called.
    pub(crate) fn document_names(&self) -> &DocumentNames {
        self.documents.get_or_init(|| DocumentNames::of(self))
    }

    /// The titles that lead to one place of the base.
    pub(crate) fn titles(&self) -> &Titles {
        self.titles.get_or_init(|| Titles::of(self))
    }

    /// Which paragraphs hold a word; built on first use.
    pub fn words(&self) -> &WordIndex {
        self.words.get_or_init(|| WordIndex::build(self.paragraphs.texts()))
    }

    /// Paragraphs along cross-references, out and in, nearest and best joined first. `depth` is at most 3,
    /// `limit` at most 100.
    pub fn hop(&self, id: &str, depth: usize, limit: usize) -> Result<Vec<HopHit>, KnowledgeError> {
        let start = self.paragraph(id)?;
        let Some(start) = self.position(&start.id) else { return Ok(Vec::new()) };
        let mut hits: Vec<HopHit> = self
            .graph()
            .walk(start, depth.clamp(1, 3))
            .into_iter()
            .map(|(position, (score, depth, edge, from))| HopHit {
                id: self.id(position).to_owned(),
                score: quantised(score),
                depth,
                kind: self.graph().kind(edge).to_owned(),
                from: self.id(from).to_owned(),
            })
            .collect();
        hits.sort_by(|a, b| {
            a.depth.cmp(&b.depth).then(b.score.total_cmp(&a.score)).then_with(|| a.id.cmp(&b.id))
        });
        hits.truncate(limit.min(crate::search::MAX_HITS));
        Ok(hits)
    }

    /// Every link of a paragraph, by id and kind.
    pub fn neighbours(&self, id: &str) -> Result<Vec<Neighbour>, KnowledgeError> {
        let paragraph = self.paragraph(id)?;
        let position = self.position(&paragraph.id).unwrap_or(usize::MAX);
        let mut found: Vec<Neighbour> = self
            .graph()
            .edges(position)
            .iter()
            .map(|&edge| Neighbour {
                id: self.id(edge.to as usize).to_owned(),
                kind: self.graph().kind(edge).to_owned(),
                outgoing: edge.outgoing,
            })
            .collect();
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// Counts over the whole base.
    pub fn stats(&self) -> Stats {
        let mut tags = BTreeMap::new();
        let mut kinds = BTreeMap::new();
        let columns = self.columns();
        for position in 0..columns.len() {
            for &tag in columns.tags(position) {
                *tags.entry(columns.name(tag).to_owned()).or_default() += 1;
            }
            *kinds.entry(columns.name(columns.kind(position)).to_owned()).or_default() += 1;
        }
        Stats {
            paragraphs: self.paragraphs.len(),
            resolved: self.graph().resolved,
            dangling: self.graph().dangling,
            tags,
            kinds,
        }
    }
}

/// Words that may stand before an id in a citation of this base: the citation form's own, the base's name.
fn labels(manifest: &Manifest) -> Vec<String> {
    let form = manifest.citation.split("{id}").next().unwrap_or("");
    let form = form.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    [form, manifest.title.clone(), manifest.base.clone()]
        .into_iter()
        .chain(manifest.labels.iter().cloned())
        .filter(|label| !label.is_empty())
        .collect()
}
