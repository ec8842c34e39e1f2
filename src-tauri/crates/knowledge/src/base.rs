//! An opened generation: its paragraphs in memory, its index and link graph on first use.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::error::KnowledgeError;
use crate::generation::{INDEX, Manifest, PARAGRAPHS, current, pinned};
use crate::graph::{Graph, HopHit, Neighbour, quantised};
use crate::ids::{IdIndex, Resolved};
use crate::index::Reader;
use crate::ingest::limits::{BASE_BYTES, BASE_PARAGRAPHS};
use crate::paragraph::Paragraph;
use crate::verify::WordIndex;

/// A knowledge base, opened read-only at one generation. A newer ingest does not change it.
pub struct Base {
    manifest: Manifest,
    folder: PathBuf,
    paragraphs: Vec<Paragraph>,
    ids: IdIndex,
    reader: OnceLock<Reader>,
    graph: OnceLock<Graph>,
    words: OnceLock<WordIndex>,
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
        let path = folder.join(PARAGRAPHS);
        let file = File::open(&path).map_err(KnowledgeError::io(&path))?;
        let damaged =
            |what: String| KnowledgeError::Damaged { base: manifest.base.clone(), path: path.clone(), what };
        let expected = (manifest.counts.paragraphs + manifest.counts.parts) as usize;
        let mut paragraphs: Vec<Paragraph> = Vec::with_capacity(expected.min(BASE_PARAGRAPHS as usize));
        let mut lines = BufReader::with_capacity(1 << 18, file.take(BASE_BYTES * 4));
        let mut line = Vec::new();
        loop {
            line.clear();
            if lines.read_until(b'\n', &mut line).map_err(KnowledgeError::io(&path))? == 0 {
                break;
            }
            let number = paragraphs.len() + 1;
            let paragraph =
                serde_json::from_slice(&line).map_err(|error| damaged(format!("line {number}: {error}")))?;
            paragraphs.push(paragraph);
        }
        if paragraphs.len() != expected {
            return Err(damaged(format!(
                "the manifest counts {expected} paragraphs, the file has {}",
                paragraphs.len()
            )));
        }
        let ids = IdIndex::build(paragraphs.iter(), labels(&manifest));
        Ok(Self {
            manifest,
            folder,
            paragraphs,
            ids,
            reader: OnceLock::new(),
            graph: OnceLock::new(),
            words: OnceLock::new(),
        })
    }

    /// What the generation says about itself.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// All paragraphs in document order, parts after their wholes.
    pub fn paragraphs(&self) -> &[Paragraph] {
        &self.paragraphs
    }

    /// The paragraph for an id in any usual notation: `4.12`, `(Primer 4.12)`, `Control AC-2 (1)`. The name of
    /// a section is no paragraph; see [`Base::resolve`].
    pub fn paragraph(&self, id: &str) -> Result<&Paragraph, KnowledgeError> {
        match self.resolve(id) {
            Some(Resolved::Paragraph(position)) => Ok(&self.paragraphs[position]),
            Some(Resolved::Section(members)) => Err(KnowledgeError::UnknownParagraph {
                id: id.chars().take(100).collect(),
                nearest: members.iter().take(5).map(|&member| self.paragraphs[member].id.clone()).collect(),
            }),
            None => Err(KnowledgeError::UnknownParagraph {
                id: id.chars().take(100).collect(),
                nearest: self.ids.nearest(id, &self.paragraphs, 5),
            }),
        }
    }

    /// What an id stands for: a paragraph, a section of several, or nothing.
    pub fn resolve(&self, id: &str) -> Option<Resolved> {
        self.ids.resolve(id)
    }

    /// A paragraph's citation in this base's form, for example `(Primer 4.12)`.
    pub fn citation(&self, id: &str) -> String {
        self.manifest.citation.replace("{id}", id)
    }

    pub(crate) fn position(&self, id: &str) -> Option<usize> {
        self.ids.position(id)
    }

    /// The index is opened by the first search, so that looking up and checking do not wait for it.
    pub(crate) fn reader(&self) -> Result<&Reader, KnowledgeError> {
        if let Some(reader) = self.reader.get() {
            return Ok(reader);
        }
        let opened = Reader::open(&self.folder.join(INDEX)).map_err(|error| KnowledgeError::Damaged {
            base: self.manifest.base.clone(),
            path: self.folder.join(INDEX),
            what: error.to_string(),
        })?;
        Ok(self.reader.get_or_init(|| opened))
    }

    pub(crate) fn graph(&self) -> &Graph {
        self.graph.get_or_init(|| Graph::build(&self.paragraphs, &self.ids))
    }

    pub(crate) fn words(&self) -> &WordIndex {
        self.words.get_or_init(|| WordIndex::build(&self.paragraphs))
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
                id: self.paragraphs[position].id.clone(),
                score: quantised(score),
                depth,
                kind: self.graph().kind(edge).to_owned(),
                from: self.paragraphs[from].id.clone(),
            })
            .collect();
        hits.sort_by(|a, b| {
            a.depth.cmp(&b.depth).then(b.score.total_cmp(&a.score)).then_with(|| a.id.cmp(&b.id))
        });
        hits.truncate(limit.min(crate::search::MOST_HITS));
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
                id: self.paragraphs[edge.to as usize].id.clone(),
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
        for paragraph in &self.paragraphs {
            for tag in &paragraph.tags {
                *tags.entry(tag.clone()).or_default() += 1;
            }
            *kinds.entry(paragraph.kind.clone()).or_default() += 1;
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
        .filter(|label| !label.is_empty())
        .collect()
}
