//! Taking files into a new generation of a base.

mod crossrefs;
mod draft;
mod jsonl;
pub mod limits;
mod lines;
mod markdown;
mod sections;
mod sources;
mod text;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use sha2::{Digest as _, Sha256};

use crate::error::KnowledgeError;
use crate::generation::{
    Counts, Draft as Generation, FORMAT_VERSION, INDEX, Manifest, PARAGRAPHS, SourceFile,
};
use crate::graph::Graph;
use crate::ids::{IdIndex, tight};
use crate::index;
use crate::paragraph::{Paragraph, Tier};
use draft::Draft;
use limits::{BASE_BYTES, BASE_PARAGRAPHS, FILE_PROBLEMS, ID_BYTES, PARAGRAPH_BYTES};

/// What to ingest, and as what.
#[derive(Debug, Clone)]
pub struct IngestOptions {
    /// The program's data directory.
    pub home: PathBuf,
    /// Name of the base.
    pub base: String,
    /// Title shown to people; the base's name when empty.
    pub title: String,
    /// Weight of the text.
    pub tier: Tier,
    /// Citation form with `{id}` in it; `({id})` when empty.
    pub citation: String,
    /// Now, in milliseconds since 1970. It goes into the manifest and nowhere else.
    pub created_at_ms: i64,
    /// Files and folders. Folders are read recursively, in the order of their names.
    pub sources: Vec<PathBuf>,
}

/// Something wrong in a source, with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileProblem {
    /// Line from 1, where it is about a line.
    pub line: Option<usize>,
    /// What was found, and what was done about it.
    pub what: String,
}

/// What became of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileReport {
    /// Its path below the folder that was ingested, or its name.
    pub name: String,
    /// Paragraphs taken from it, parts included.
    pub paragraphs: u64,
    /// The first problems, at most [`limits::FILE_PROBLEMS`].
    pub problems: Vec<FileProblem>,
    /// Problems beyond those listed.
    pub more_problems: u64,
}

impl FileReport {
    fn new(name: String) -> Self {
        Self { name, paragraphs: 0, problems: Vec::new(), more_problems: 0 }
    }

    fn problem(&mut self, line: Option<usize>, what: impl Into<String>) {
        if self.problems.len() < FILE_PROBLEMS {
            self.problems.push(FileProblem { line, what: what.into() });
        } else {
            self.more_problems += 1;
        }
    }
}

/// What an ingest did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IngestReport {
    /// The new generation, now current.
    pub manifest: Manifest,
    /// Every file that was looked at, in order.
    pub files: Vec<FileReport>,
}

/// How far an ingest is. Counts only grow within a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// Reading sources.
    Reading {
        /// Files finished.
        files: usize,
        /// Files found.
        of: usize,
        /// Paragraphs so far.
        paragraphs: usize,
    },
    /// Writing the index.
    Indexing {
        /// Paragraphs indexed.
        done: usize,
        /// Paragraphs in all.
        of: usize,
    },
    /// Making it durable and current.
    Publishing,
}

/// Builds a new generation from `options.sources` and makes it current. `progress` is called often and must
/// be quick; setting `cancel` stops at the next paragraph and leaves the base as it was.
pub fn ingest(
    options: &IngestOptions,
    progress: &mut dyn FnMut(Progress),
    cancel: &AtomicBool,
) -> Result<IngestReport, KnowledgeError> {
    let check = || if cancel.load(Ordering::Relaxed) { Err(KnowledgeError::Cancelled) } else { Ok(()) };
    let generation = Generation::begin(&options.home, &options.base)?;
    let mut reports = Vec::new();
    let found = sources::find(&options.sources, &mut reports)?;
    let mut read: Vec<(usize, Vec<Draft>, sources::Format)> = Vec::new();
    let mut files = Vec::new();
    let (mut paragraphs, mut bytes) = (0, 0);
    for (done, source) in found.iter().enumerate() {
        check()?;
        progress(Progress::Reading { files: done, of: found.len(), paragraphs });
        let mut report = FileReport::new(source.name.clone());
        let drafts = sources::read(source, &mut report, cancel)?;
        let (length, sha256) = lines::fingerprint(&source.path).map_err(KnowledgeError::io(&source.path))?;
        let drafts = split_long(drafts, &mut report);
        paragraphs += drafts.len();
        bytes += drafts.iter().map(|draft| draft.paragraph.text.len() as u64).sum::<u64>();
        if paragraphs as u64 > BASE_PARAGRAPHS {
            return Err(KnowledgeError::TooLarge { limit: BASE_PARAGRAPHS, what: "paragraphs" });
        }
        if bytes > BASE_BYTES {
            return Err(KnowledgeError::TooLarge { limit: BASE_BYTES, what: "bytes of text" });
        }
        files.push(SourceFile { name: source.name.clone(), bytes: length, sha256, paragraphs: 0 });
        read.push((reports.len(), drafts, source.format));
        reports.push(report);
    }
    prefix_colliding(&mut read, &reports);
    let mut all = unique(read, &mut reports, &mut files);
    if all.is_empty() {
        return Err(nothing(options, &reports));
    }
    check()?;
    let ids = IdIndex::build(all.iter().map(|draft| &draft.paragraph), Vec::new());
    link(&mut all, &ids, &check)?;
    let paragraphs: Vec<Paragraph> = all.into_iter().map(|draft| draft.paragraph).collect();
    let digest = write_paragraphs(&generation.path().join(PARAGRAPHS), &paragraphs)?;
    let total = paragraphs.len();
    index::write(&generation.path().join(INDEX), paragraphs.iter(), |done| {
        if done % 256 == 0 {
            check()?;
            progress(Progress::Indexing { done, of: total });
        }
        Ok(())
    })?;
    let graph = Graph::build(&paragraphs, &ids);
    let manifest = Manifest {
        format: FORMAT_VERSION,
        base: options.base.clone(),
        generation: generation.generation.clone(),
        title: if options.title.is_empty() { options.base.clone() } else { options.title.clone() },
        tier: options.tier,
        citation: if options.citation.contains("{id}") { options.citation.clone() } else { "({id})".into() },
        created_at_ms: options.created_at_ms,
        digest,
        counts: Counts {
            paragraphs: paragraphs.iter().filter(|one| one.part_of.is_none()).count() as u64,
            parts: paragraphs.iter().filter(|one| one.part_of.is_some()).count() as u64,
            withdrawn: paragraphs.iter().filter(|one| one.withdrawn).count() as u64,
            references: graph.resolved + graph.dangling,
            dangling: graph.dangling,
        },
        sources: files,
    };
    check()?;
    progress(Progress::Publishing);
    generation.publish(&manifest)?;
    Ok(IngestReport { manifest, files: reports })
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
            "no .jsonl, .md or .txt file with text in it (each may be .gz)".into()
        } else {
            problems.join("; ")
        },
    }
}

/// Paragraphs beyond the cap become several, cut at a white space: `X`, `X part 2` …
fn split_long(drafts: Vec<Draft>, report: &mut FileReport) -> Vec<Draft> {
    let mut out = Vec::with_capacity(drafts.len());
    for draft in drafts {
        if draft.paragraph.id.len() > ID_BYTES {
            report.problem(Some(draft.line), format!("an id of more than {ID_BYTES} bytes: skipped"));
            continue;
        }
        if draft.paragraph.text.len() <= PARAGRAPH_BYTES {
            out.push(draft);
            continue;
        }
        report.problem(
            Some(draft.line),
            format!("paragraph '{}' is longer than {PARAGRAPH_BYTES} bytes: split", draft.paragraph.id),
        );
        let mut rest = draft.paragraph.text.as_str();
        let mut part = 0;
        while !rest.is_empty() {
            let mut end = rest.floor_char_boundary(PARAGRAPH_BYTES.min(rest.len()));
            if end < rest.len() {
                end = rest[..end].rfind(char::is_whitespace).filter(|&at| at > 0).unwrap_or(end);
            }
            part += 1;
            let mut one = draft.clone();
            one.paragraph.text = rest[..end].trim().to_owned();
            if part > 1 {
                one.paragraph.id = format!("{} part {part}", draft.paragraph.id);
                one.paragraph.refs = Vec::new();
            }
            if !one.paragraph.text.is_empty() {
                out.push(one);
            }
            rest = rest[end..].trim_start();
        }
    }
    out
}

/// When running texts number their sections alike, each of them gets its file's name before its ids.
fn prefix_colliding(read: &mut [(usize, Vec<Draft>, sources::Format)], reports: &[FileReport]) {
    let mut owner: HashMap<String, usize> = HashMap::new();
    let mut colliding = BTreeSet::new();
    for (file, drafts, format) in read.iter() {
        for draft in drafts {
            let first = *owner.entry(tight(&draft.paragraph.id)).or_insert(*file);
            if first != *file && *format != sources::Format::Jsonl {
                colliding.insert(*file);
                colliding.insert(first);
            }
        }
    }
    for (file, drafts, format) in read.iter_mut() {
        if colliding.contains(file) && *format != sources::Format::Jsonl {
            let stem = sources::stem(&reports[*file].name);
            for draft in drafts {
                if !draft.paragraph.id.starts_with(&stem) {
                    draft.paragraph.id = format!("{stem}:{}", draft.paragraph.id);
                    draft.paragraph.section = format!("{stem}:{}", draft.paragraph.section);
                }
            }
        }
    }
}

/// Keeps the first of paragraphs with the same id and reports the others.
fn unique(
    read: Vec<(usize, Vec<Draft>, sources::Format)>,
    reports: &mut [FileReport],
    files: &mut [SourceFile],
) -> Vec<Draft> {
    let mut seen: HashMap<String, (usize, usize)> = HashMap::new();
    let mut all = Vec::new();
    for (order, (file, drafts, _)) in read.into_iter().enumerate() {
        for draft in drafts {
            let key = tight(&draft.paragraph.id);
            if let Some(&(first_file, first_line)) = seen.get(&key) {
                let first = reports[first_file].name.clone();
                reports[file].problem(
                    Some(draft.line),
                    format!("id '{}' is already used at {first}:{first_line}: skipped", draft.paragraph.id),
                );
                continue;
            }
            seen.insert(key, (file, draft.line));
            reports[file].paragraphs += 1;
            files[order].paragraphs += 1;
            all.push(draft);
        }
    }
    // A part whose whole was refused would be found by nobody.
    let wholes: BTreeMap<String, ()> =
        all.iter().filter(|d| d.paragraph.part_of.is_none()).map(|d| (d.paragraph.id.clone(), ())).collect();
    all.retain(|draft| draft.paragraph.part_of.as_ref().is_none_or(|whole| wholes.contains_key(whole)));
    all
}

fn link(
    all: &mut [Draft],
    ids: &IdIndex,
    check: &dyn Fn() -> Result<(), KnowledgeError>,
) -> Result<(), KnowledgeError> {
    let titles = crossrefs::titles(all.iter().filter(|d| d.scan_references).map(|d| &d.paragraph));
    for (number, draft) in all.iter_mut().enumerate() {
        if number % 256 == 0 {
            check()?;
        }
        if draft.scan_references {
            draft.paragraph.refs = crossrefs::find(&draft.paragraph, ids, &titles);
        }
        if let Some(whole) = draft.paragraph.part_of.clone() {
            draft.paragraph.refs.push(crate::Reference { to: whole, kind: "part-of".into() });
        }
    }
    Ok(())
}

fn write_paragraphs(path: &Path, paragraphs: &[Paragraph]) -> Result<domain::Digest, KnowledgeError> {
    let file = File::create(path).map_err(KnowledgeError::io(path))?;
    let mut out = BufWriter::with_capacity(1 << 18, file);
    let mut hasher = Sha256::new();
    let mut line = Vec::new();
    for paragraph in paragraphs {
        line.clear();
        serde_json::to_writer(&mut line, paragraph)?;
        line.push(b'\n');
        hasher.update(&line);
        out.write_all(&line).map_err(KnowledgeError::io(path))?;
    }
    out.flush().map_err(KnowledgeError::io(path))?;
    Ok(domain::Digest(hasher.finalize().into()))
}
