//! Taking files into a new generation of a base.
//!
//! The way of a file: its format's reader makes blocks of it (`documents`), a rule set makes paragraphs with ids of
//! the blocks (`structure`), and once all files are there ids are made unique and references are followed
//! (`link`). A [`preview()`] goes the same way and stores nothing; [`read_ahead()`] stores only what it read.

mod cache;
mod crossrefs;
pub(crate) mod draft;
mod front;
mod gather;
mod headings;
mod identity;
mod jsonl;
pub mod limits;
mod lines;
mod link;
mod options;
mod oscal;
mod preview;
mod read;
mod series;
mod sources;
mod structure;

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};

use documents::Format;

pub use link::{DanglingReference, Duplicate};
pub use options::{FileProblem, FileReport, IngestOptions, IngestReport, Progress, Unread};
pub use preview::{FilePreview, Preview, Sample, preview};

use crate::base::Base;
use crate::error::KnowledgeError;
use crate::generation::{self, Draft as Generation, FORMAT_VERSION, Manifest, REPORT};
use crate::{contents, vectors};
use cache::StoredReadings;
pub(crate) use gather::stored_reports;
use gather::{Gathered, Stored, gather};
use link::ResolvedParagraphs;

/// Builds a new generation from `options.sources` and makes it current. `progress` is called often and must
/// be quick; setting `cancel` stops at the next paragraph and leaves the base as it was. Files that are as they were
/// are not read again, and when nothing at all has changed no generation is written.
pub fn ingest(
    options: &IngestOptions,
    progress: &mut dyn FnMut(Progress),
    cancel: &AtomicBool,
) -> Result<IngestReport, KnowledgeError> {
    let check = || if cancel.load(Ordering::Relaxed) { Err(KnowledgeError::Cancelled) } else { Ok(()) };
    let draft = Generation::begin(&options.home, &options.base)?;
    let mut kept = match &options.readings {
        Some(shared) => StoredReadings::shared(shared.clone()),
        None => StoredReadings::below(draft.base_folder()),
    };
    // A base that can't be read any more is written anew.
    let current = generation::current(&options.home, &options.base).ok();
    let reports = current.as_ref().and_then(|(folder, _)| stored_reports(folder));
    let again = reports.filter(|reports| reports.iter().all(|report| !report.retry));
    let known = again.as_ref().and(current.as_ref()).map(|(_, manifest)| manifest);
    let stored = Some(Stored { kept: &mut kept, current: known });
    let gathered = gather(options, stored, progress, cancel)?;
    if let (true, Some((_, manifest)), Some(files)) = (gathered.unchanged, current, again) {
        return Ok(IngestReport { manifest, files, unchanged: true });
    }
    let sources = gathered.source_files();
    let Gathered { reports: files, settled, citation, labels, recipe, .. } = gathered;
    let ResolvedParagraphs { paragraphs, ids, .. } = settled;
    if paragraphs.is_empty() {
        return Err(nothing(options, &files));
    }
    check()?;
    let made = match &options.embedder {
        None => None,
        Some(embedder) => {
            let previous = Base::open(&options.home, &options.base).ok();
            let tell = &mut |done, of| progress(Progress::Embedding { done, of });
            Some(vectors::make(&paragraphs, embedder.as_ref(), previous.as_ref(), tell, cancel)?)
        }
    };
    let total = paragraphs.len();
    let written = contents::write(draft.path(), &paragraphs, ids, made.as_ref(), |done| {
        if done % 256 == 0 {
            check()?;
            progress(Progress::Indexing { done, of: total });
        }
        Ok(())
    })?;
    let path = draft.path().join(REPORT);
    fs::write(&path, serde_json::to_vec(&files)?).map_err(KnowledgeError::io(&path))?;
    let manifest = Manifest {
        format: FORMAT_VERSION,
        base: options.base.clone(),
        generation: draft.generation.clone(),
        title: if options.title.is_empty() { options.base.clone() } else { options.title.clone() },
        tier: options.tier,
        citation,
        created_at_ms: options.created_at_ms,
        digest: written.paragraphs,
        index: Some(written.index),
        vectors: written.vectors,
        counts: written.counts,
        languages: written.languages,
        sources,
        labels,
        recipe: Some(recipe),
        session: options.session.clone(),
    };
    check()?;
    progress(Progress::Publishing);
    draft.publish(&manifest)?;
    kept.sweep();
    Ok(IngestReport { manifest, files, unchanged: false })
}

/// Reads the files of an ingest, and keeps what was read in the folder that `options.readings` names, so that an ingest of
/// the same files need not read them. Tells what became of each.
///
/// # Errors
/// As those of an ingest. A file that can't be read is none: its report says why.
pub fn read_ahead(
    options: &IngestOptions,
    progress: &mut dyn FnMut(Progress),
    cancel: &AtomicBool,
) -> Result<Vec<FileReport>, KnowledgeError> {
    let mut kept = options.readings.clone().map(StoredReadings::shared);
    let stored = kept.as_mut().map(|kept| Stored { kept, current: None });
    Ok(gather(options, stored, progress, cancel)?.reports)
}

/// Whether a file with this name and these first bytes is a document of pages, paragraphs or rows that is read into text, and
/// not text as it is.
pub fn is_document(name: &str, head: &[u8]) -> bool {
    match Format::detect(name, head) {
        Some(Format::Pdf | Format::Docx | Format::Xlsx | Format::Epub) => true,
        Some(Format::Html | Format::Csv | Format::Ecfr) => true,
        Some(Format::Text | Format::Markdown | Format::Picture) | None => false,
    }
}

fn nothing(options: &IngestOptions, reports: &[FileReport]) -> KnowledgeError {
    let problems: Vec<String> = reports
        .iter()
        .flat_map(|report| {
            report.problems.iter().map(|problem| match problem.line {
                Some(line) => format!("{}:{line}: {}", report.name, problem.what),
                None => format!("{}: {}", report.name, problem.what),
            })
        })
        .take(5)
        .collect();
    KnowledgeError::Nothing {
        sources: options.sources.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", "),
        problems: if problems.is_empty() {
            "no file with text in it that can be read".into()
        } else {
            problems.join("; ")
        },
    }
}
