//! Knowledge bases as runs and commands need them: resolved by name, shipped ones ingested on first use.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use domain::{Digest, ErrorCode, Problem};
use engine::Corpus;
use knowledge::{Base, IngestOptions, KnowledgeError, Manifest, Tier};
use support::clipped;
use workspace::{ShippedCorpus, all_shipped_corpora, shipped_corpora};
use workspace_bases::{NamedBase, WorkspaceBases};

/// The most files named that could not be read.
const UNREAD: usize = 10;

/// Numbers the folders of shipped files that are being ingested.
static TURN: AtomicU64 = AtomicU64::new(0);

/// A failure of a knowledge base in the words of the closed list.
pub fn problem(error: KnowledgeError) -> Problem {
    let (code, action) = match &error {
        KnowledgeError::BadName { .. }
        | KnowledgeError::Nothing { .. }
        | KnowledgeError::TooLarge { .. }
        | KnowledgeError::Rules(_)
        | KnowledgeError::NoVectors { .. }
        | KnowledgeError::OtherVector { .. } => (ErrorCode::InvalidInput, None),
        KnowledgeError::UnknownBase { .. } => {
            (ErrorCode::NotFound, Some("ingest one with `agentnative kb ingest <folder> --base <name>`"))
        }
        KnowledgeError::UnknownGeneration { .. } => (
            ErrorCode::NotFound,
            Some(
                "the document keeps the words that it cites; ingest the files again for what stands around them",
            ),
        ),
        KnowledgeError::UnknownParagraph { .. } => (ErrorCode::NotFound, None),
        KnowledgeError::Foreign { .. } => (ErrorCode::Conflict, None),
        KnowledgeError::NewerFormat { .. } => (ErrorCode::NewerData, None),
        KnowledgeError::Damaged { .. } => (ErrorCode::Corrupt, Some("ingest the same sources again")),
        KnowledgeError::Busy { .. } => (ErrorCode::Busy, None),
        KnowledgeError::Cancelled => (ErrorCode::Cancelled, None),
        KnowledgeError::Io { .. } => (ErrorCode::Storage, None),
        KnowledgeError::Embedding(_) | KnowledgeError::WrongVectors { .. } => (ErrorCode::Provider, None),
        KnowledgeError::Json(_) => (ErrorCode::Internal, None),
    };
    let problem = Problem::new(code, error.to_string());
    match action {
        Some(action) => problem.with_action(action),
        None => problem,
    }
}

/// The base that a workspace has under a name, at its current generation. A shipped one is ingested when it is missing or out of
/// date.
pub fn resolve(shelf: &WorkspaceBases, name: &str, sources: &[String]) -> Result<Corpus, Problem> {
    let home = shelf.home();
    let shipped = sources.iter().flat_map(|slug| shipped_corpora(slug)).find(|corpus| corpus.base == name);
    // A base that is shipped with another source is there for whoever names it.
    let shipped = shipped.or_else(|| {
        shelf.find(name).is_err().then(all_shipped_corpora)?.into_iter().find(|corpus| corpus.base == name)
    });
    let notice = shipped.as_ref().and_then(|corpus| corpus.notice.clone());
    let manifest = match &shipped {
        Some(corpus) => ensure(home, corpus)?,
        None => current(home, &shelf.find(name).map_err(problem)?.id)?,
    };
    let unread = unread(home, &manifest)?;
    Ok(Corpus {
        base: manifest.base,
        generation: manifest.generation,
        digest: Some(manifest.digest),
        title: manifest.title,
        tier: tier_word(manifest.tier),
        citation: manifest.citation,
        notice,
        unread,
    })
}

/// Which files of a generation could not be read and why, a sentence; empty where all were.
fn unread(home: &Path, manifest: &Manifest) -> Result<String, Problem> {
    let reports =
        knowledge::generation_reports(home, &manifest.base, &manifest.generation).map_err(problem)?;
    let reading = crate::bases::reading(&reports);
    let names = reading
        .unread
        .iter()
        .map(|file| format!("{} ({})", clipped(&file.name, 100), clipped(&file.why, 200)));
    let named: Vec<String> = names.take(UNREAD).collect();
    if named.is_empty() {
        return Ok(String::new());
    }
    let count = reading.unread.len();
    let more = if count > UNREAD { format!(" and {} more", count - UNREAD) } else { String::new() };
    let were = if count == 1 { "was" } else { "were" };
    let title = if manifest.title.is_empty() { &manifest.base } else { &manifest.title };
    let (found, named) = (reading.found, named.join(", "));
    Ok(format!(
        "{count} of the {found} files of {title} {were} not read, and the answer does not rest on them: {named}{more}."
    ))
}

/// Says that a generation holds another text than the one that a run began with: its base was removed and made anew, or
/// restored from another copy.
///
/// # Errors
/// `Conflict` when it does, with the remedy; when it is not there or can't be read.
pub fn check_text(home: &Path, corpus: &Corpus) -> Result<(), Problem> {
    let Some(digest) = corpus.digest else { return Ok(()) };
    let manifest = knowledge::generation_manifest(home, &corpus.base, &corpus.generation).map_err(problem)?;
    match manifest.digest == digest {
        true => Ok(()),
        false => Err(Problem::new(
            ErrorCode::Conflict,
            format!(
                "generation {} of the knowledge base {:?} holds another text than the one that the run began with",
                corpus.generation, corpus.base
            ),
        )
        .with_action("ask the question in a new run, which reads the present text, or restore the earlier text from a backup")),
    }
}

/// The manifest of a base's current generation, by its id.
pub fn current(home: &Path, id: &str) -> Result<Manifest, Problem> {
    let generation = knowledge::current_generation(home, id).map_err(problem)?;
    knowledge::generation_manifest(home, id, &generation).map_err(problem)
}

/// Ingests every shipped corpus that is missing or out of date.
pub fn ensure_shipped(home: &Path, sources: &[String]) -> Result<(), Problem> {
    for corpus in sources.iter().flat_map(|slug| shipped_corpora(slug)) {
        ensure(home, &corpus)?;
    }
    Ok(())
}

/// Bases that were opened, and why others can't be.
pub type OpenedBases = (Vec<(NamedBase, Base)>, Vec<Problem>);

/// Every base of a workspace, those that ship with `sources` included, and why others can't be opened.
pub fn open_all(shelf: &WorkspaceBases, sources: &[String]) -> Result<OpenedBases, Problem> {
    let (mut opened, mut problems) = (Vec::new(), Vec::new());
    problems.extend(ensure_shipped(shelf.home(), sources).err());
    for (known, _) in shelf.list().map_err(problem)? {
        match Base::open(shelf.home(), &known.id) {
            Ok(base) => opened.push((known, base)),
            Err(error) => problems.push(problem(error)),
        }
    }
    Ok((opened, problems))
}

fn ensure(home: &Path, corpus: &ShippedCorpus) -> Result<Manifest, Problem> {
    workspace_bases::publish(home, &corpus.base).map_err(problem)?;
    if let Ok(manifest) = current(home, &corpus.base) {
        let mut known: Vec<Digest> = manifest.sources.iter().map(|source| source.sha256).collect();
        let mut ours: Vec<Digest> = corpus.files.iter().map(|(_, bytes)| Digest::of(bytes)).collect();
        known.sort();
        ours.sort();
        if known == ours && manifest.title == corpus.title && manifest.citation == corpus.citation {
            return Ok(manifest);
        }
    }
    sweep(home);
    // Of this process, too, several may be at it: one for each terminal that works through it.
    let turn = TURN.fetch_add(1, Ordering::Relaxed);
    let folder =
        home.join("knowledge").join(format!(".shipped-{}-{}-{turn}", corpus.base, std::process::id()));
    let written = write_files(&folder, corpus).and_then(|()| {
        let options = IngestOptions {
            title: corpus.title.clone(),
            tier: tier(&corpus.tier)?,
            citation: corpus.citation.clone(),
            created_at_ms: support::now_ms(),
            ..IngestOptions::new(home, corpus.base.as_str(), vec![folder.clone()])
        };
        knowledge::ingest(&options, &mut |_| {}, &AtomicBool::new(false)).map_err(problem)
    });
    let _ = std::fs::remove_dir_all(&folder);
    match written {
        Ok(report) => Ok(report.manifest),
        // Another process is ingesting the same files: wait for its generation instead.
        Err(busy) if busy.code == ErrorCode::Busy => {
            for _ in 0..100 {
                std::thread::sleep(std::time::Duration::from_millis(50));
                if let Ok(manifest) = current(home, &corpus.base) {
                    return Ok(manifest);
                }
            }
            Err(busy)
        }
        Err(other) => Err(other),
    }
}

/// Removes what ingests of shipped corpora left behind when they were killed.
fn sweep(home: &Path) {
    let entries = std::fs::read_dir(home.join("knowledge")).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(".shipped-")) {
        let age = entry
            .metadata()
            .and_then(|metadata| metadata.modified())
            .ok()
            .and_then(|time| time.elapsed().ok());
        if age.is_some_and(|age| age.as_secs() > 600) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

fn write_files(folder: &Path, corpus: &ShippedCorpus) -> Result<(), Problem> {
    let failed =
        |error: std::io::Error| Problem::new(ErrorCode::Storage, format!("{}: {error}", folder.display()));
    std::fs::create_dir_all(folder).map_err(failed)?;
    for (name, bytes) in &corpus.files {
        let name = Path::new(name).file_name().map(PathBuf::from).unwrap_or_default();
        std::fs::write(folder.join(name), bytes).map_err(failed)?;
    }
    Ok(())
}

/// A tier by its name.
pub fn tier(word: &str) -> Result<Tier, Problem> {
    serde_json::from_value(serde_json::json!(word)).map_err(|_| {
        Problem::new(
            ErrorCode::InvalidInput,
            format!("no tier {word:?}; there are standard, guide, document, web, primer"),
        )
    })
}

fn tier_word(tier: Tier) -> String {
    serde_json::to_value(tier).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

/// Whether a base ships with one of these sources.
pub fn is_shipped(name: &str, sources: &[String]) -> bool {
    sources.iter().flat_map(|slug| shipped_corpora(slug)).any(|corpus| corpus.base == name)
}
