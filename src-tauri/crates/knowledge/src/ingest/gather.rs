//! Everything of an ingest up to storage: files found, read or known already, ids and references settled.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sha2::{Digest as _, Sha256};

use super::cache::{StoredReadings, recipe};
use super::front::Front;
use super::limits::{BASE_BYTES, BASE_PARAGRAPHS};
use super::lines::fingerprint;
use super::link::{FileDrafts, ResolvedParagraphs, resolve_references};
use super::options::{FileReport, IngestOptions, Progress};
use super::read::Readers;
use super::sources::{self, Kind, SourcePath};
use crate::error::KnowledgeError;
use crate::generation::{FORMAT_VERSION, Manifest, SourceFile};
use crate::rules::{Compiled, Rules};

/// A file with what tells it from others.
pub(crate) struct Source {
    pub(crate) path: SourcePath,
    pub(crate) sha256: domain::Digest,
    /// Its report's place.
    pub(crate) report: usize,
    pub(crate) rules: String,
    pub(crate) rules_version: String,
    pub(crate) front: Front,
}

/// An ingest ready for storage.
pub(crate) struct Gathered {
    pub(crate) reports: Vec<FileReport>,
    pub(crate) sources: Vec<Source>,
    pub(crate) settled: ResolvedParagraphs,
    pub(crate) citation: String,
    pub(crate) labels: Vec<String>,
    pub(crate) recipe: domain::Digest,
    /// Whether the manifest that was given says all of this already; nothing was read then.
    pub(crate) unchanged: bool,
}

/// Where an ingest keeps what it reads, and what it is compared with. A preview has neither.
pub(crate) struct Stored<'s> {
    pub(crate) kept: &'s mut StoredReadings,
    pub(crate) current: Option<&'s Manifest>,
}

/// Finds, reads and settles the sources of an ingest.
pub(crate) fn gather(
    options: &IngestOptions,
    mut stored: Option<Stored<'_>>,
    progress: &mut dyn FnMut(Progress),
    cancel: &AtomicBool,
) -> Result<Gathered, KnowledgeError> {
    let check = || if cancel.load(Ordering::Relaxed) { Err(KnowledgeError::Cancelled) } else { Ok(()) };
    let rules = Rules::load(&options.home)?;
    let wanted = options.rules.as_deref().map(|name| rules.named(name)).transpose()?;
    let recogniser = options.recogniser.as_deref();
    let readers = Readers { rules: &rules, wanted, apart: &options.reader, recogniser, cancel };
    let recognition = documents::recogniser_version(recogniser);
    let reading = recipe(&readers);
    let mut reports = Vec::new();
    let found = sources::find(&options.sources, &options.names, &mut reports)?;
    let mut sources = Vec::with_capacity(found.len());
    for path in found {
        check()?;
        let (bytes, sha256) = fingerprint(&path.path).map_err(KnowledgeError::io(&path.path))?;
        let path = SourcePath { bytes, ..path };
        let (rules, rules_version, front) = Default::default();
        sources.push(Source { path, sha256, report: 0, rules, rules_version, front });
    }
    let recipe = recipe_of(options, &[&reading, recognition.as_str()].join(" "));
    let mut gathered = Gathered {
        reports,
        sources,
        settled: ResolvedParagraphs::default(),
        citation: String::new(),
        labels: Vec::new(),
        recipe,
        unchanged: false,
    };
    if let Some(Stored { current: Some(current), .. }) = &stored
        && gathered.is(current)
    {
        gathered.unchanged = true;
        return Ok(gathered);
    }
    let of_bytes = gathered.sources.iter().map(|source| source.path.bytes).sum();
    let of = gathered.sources.len();
    let (mut paragraphs, mut text, mut bytes) = (0, 0_u64, 0);
    let mut files = Vec::with_capacity(of);
    for (done, source) in gathered.sources.iter_mut().enumerate() {
        check()?;
        let file = source.path.name.clone();
        progress(Progress::Reading { file, files: done, of, bytes, of_bytes, paragraphs });
        let key = stored.as_ref().and_then(|stored| stored.kept.key(&source.path, source.sha256, &reading));
        let known = key.as_ref().zip(stored.as_mut()).and_then(|(key, stored)| stored.kept.get(key));
        // Pages that are pictures are read again by another recogniser, not by none.
        let as_now = |by: &String| recognition.is_empty() || *by == recognition;
        let known = known.filter(|known| known.recogniser.as_ref().is_none_or(as_now));
        let mut read = match known {
            Some(mut known) => {
                known.report.reused = true;
                known
            }
            None => {
                let read = readers.read(&source.path)?;
                // The same bytes are read at any time, except where reading failed by chance.
                if let (Some(key), Some(stored), false) = (&key, &mut stored, read.report.retry) {
                    stored.kept.put(key, &read);
                }
                read
            }
        };
        let drafts = std::mem::take(&mut read.drafts);
        bytes += source.path.bytes;
        paragraphs += drafts.len();
        text += drafts.iter().map(|draft| draft.paragraph.text.len() as u64).sum::<u64>();
        if paragraphs as u64 > BASE_PARAGRAPHS {
            return Err(KnowledgeError::TooLarge { limit: BASE_PARAGRAPHS, what: "paragraphs" });
        }
        if text > BASE_BYTES {
            return Err(KnowledgeError::TooLarge { limit: BASE_BYTES, what: "bytes of text" });
        }
        source.report = gathered.reports.len();
        source.rules.clone_from(&read.report.rules);
        source.rules_version = read.rules_version;
        let of_file = match source.path.kind {
            Kind::Document(_) if !source.rules.is_empty() => Some(rules.named(&source.rules)?.clone()),
            Kind::Document(_) | Kind::Jsonl | Kind::Oscal => None,
        };
        let front = read.front;
        files.push(FileDrafts { report: source.report, rules: of_file, front, naming: None, drafts });
        gathered.reports.push(read.report);
    }
    let used: Vec<Arc<Compiled>> = files.iter().filter_map(|file| file.rules.clone()).collect();
    gathered.citation = citation(options, &used);
    for label in used.iter().flat_map(|rules| &rules.set.labels) {
        if !gathered.labels.contains(label) {
            gathered.labels.push(label.clone());
        }
    }
    let names_work = gathered.citation.replace("{id}", "").contains(char::is_alphanumeric);
    gathered.settled = resolve_references(files, &mut gathered.reports, names_work, &check)?;
    for (source, front) in gathered.sources.iter_mut().zip(std::mem::take(&mut gathered.settled.fronts)) {
        source.front = front;
    }
    Ok(gathered)
}

/// The person's form, else the one that all documents' rules agree on.
fn citation(options: &IngestOptions, used: &[Arc<Compiled>]) -> String {
    if options.citation.contains("{id}") {
        return options.citation.clone();
    }
    let mut forms = used.iter().map(|rules| rules.set.citation.as_str());
    match forms.next() {
        Some(form) if !form.is_empty() && forms.all(|one| one == form) => form.to_owned(),
        _ => "({id})".into(),
    }
}

/// What was asked for, and by what it is done.
fn recipe_of(options: &IngestOptions, reading: &str) -> domain::Digest {
    let model = options.embedder.as_ref().map_or("", |embedder| embedder.model().id.as_str());
    let tier = options.tier.as_str();
    let all = [FORMAT_VERSION.to_string().as_str(), reading, &options.title, tier, &options.citation, model]
        .join("\n");
    domain::Digest(Sha256::digest(all.as_bytes()).into())
}

impl Gathered {
    /// Whether the generation was made of the same files in the same way.
    fn is(&self, current: &Manifest) -> bool {
        current.format == FORMAT_VERSION
            && current.recipe == Some(self.recipe)
            && current.sources.len() == self.sources.len()
            && current.sources.iter().zip(&self.sources).all(|(old, new)| {
                (old.name.as_str(), old.bytes, old.sha256)
                    == (new.path.name.as_str(), new.path.bytes, new.sha256)
            })
    }

    /// The sources as the manifest lists them.
    pub(crate) fn source_files(&self) -> Vec<SourceFile> {
        self.sources
            .iter()
            .map(|source| SourceFile {
                name: source.path.name.clone(),
                bytes: source.path.bytes,
                sha256: source.sha256,
                paragraphs: self.reports[source.report].paragraphs,
                format: source.path.kind.name().to_owned(),
                rules: source.rules.clone(),
                rules_version: source.rules_version.clone(),
                edition: source.front.edition.clone(),
                date: source.front.date.clone(),
            })
            .collect()
    }
}

/// The reports of a generation that an ingest left as it is.
pub(crate) fn stored_reports(generation: &Path) -> Option<Vec<FileReport>> {
    let bytes = std::fs::read(generation.join(crate::generation::REPORT)).ok()?;
    serde_json::from_slice(&bytes).ok()
}
