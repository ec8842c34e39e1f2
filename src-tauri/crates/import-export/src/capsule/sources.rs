//! Source documents and attachments in a capsule: put there when asked for, and compared with what rests on them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use domain::{Attachment, Digest, ErrorCode, Problem, RunId, SentenceRecord};
use engine::Engine;
use engine::turn::ImportedPart;
use knowledge::{Base, SourceFile};
use library::bases::{Original, original};
use transfer::{
    Capsule, CapsuleFault, CapsuleSource, CitedParagraph, Findings, SOURCES, SourceForm, SourceLine,
    SourceOf, json_lines, source_entry,
};

/// The most bytes of all sources of a capsule.
const MAX_SOURCES_BYTES: u64 = 200 << 20;

/// The sources of a capsule, with their bytes.
#[derive(Default)]
pub(super) struct Sources {
    pub(super) lines: Vec<CapsuleSource>,
    pub(super) entries: BTreeMap<String, Vec<u8>>,
    bytes: u64,
}

impl Sources {
    fn take(&mut self, source: CapsuleSource, bytes: Vec<u8>) -> Result<(), Problem> {
        if self.entries.contains_key(&source.entry) {
            self.lines.push(source);
            return Ok(());
        }
        self.bytes = self.bytes.saturating_add(bytes.len() as u64);
        if self.bytes > MAX_SOURCES_BYTES {
            let what = format!(
                "the sources of this answer are larger than {} MB together ({} is the one that does not fit)",
                MAX_SOURCES_BYTES >> 20,
                source.name
            );
            return Err(Problem::new(ErrorCode::InvalidInput, what).with_action(
                "make the capsule without its sources: the cited paragraphs are in it in any case",
            ));
        }
        self.entries.insert(source.entry.clone(), bytes);
        self.lines.push(source);
        Ok(())
    }

    /// Lists every file in the report on what is private: whole files go along.
    pub(super) fn list(&self, found: &mut Findings) {
        for line in &self.lines {
            let is_text =
                self.entries.get(&line.entry).is_some_and(|bytes| std::str::from_utf8(bytes).is_ok());
            let searched = if is_text { "searched like the rest" } else { "no text: not searched" };
            found.file(&line.name, format!("{}, the whole file; {searched}", line.entry));
        }
    }
}

/// The source documents of the paragraphs that these records cite. Blocking.
pub(super) fn cited(home: &Path, records: &[SentenceRecord], sources: &mut Sources) -> Result<(), Problem> {
    let mut bases: BTreeMap<(String, String), Option<Arc<Base>>> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for one in records.iter().flat_map(|record| &record.citations) {
        let Some(document) = &one.document else { continue };
        let at = (one.base.clone(), one.generation.clone());
        if !seen.insert((at.clone(), document.name.clone())) {
            continue;
        }
        let base = bases
            .entry(at.clone())
            .or_insert_with(|| Base::open_generation(home, &at.0, &at.1).ok().map(Arc::new));
        let file = base.as_ref().and_then(|base| {
            let files = &base.manifest().sources;
            files.iter().find(|file| file.name == document.name && file.sha256 == document.sha256)
        });
        let (Some(base), Some(file)) = (base.as_ref(), file) else {
            let what = format!(
                "{} of {} in generation {} can't be put into the capsule: that generation is not there any more",
                document.name, at.0, at.1
            );
            return Err(Problem::new(ErrorCode::NotFound, what).with_action(
                "make the capsule without its sources: the cited paragraphs are in it in any case",
            ));
        };
        let (form, bytes) = content(home, base, file)?;
        let source = CapsuleSource {
            of: SourceOf::Base { base: at.0, generation: at.1 },
            name: file.name.clone(),
            sha256: file.sha256,
            form,
            entry: source_entry(file.sha256, form),
        };
        sources.take(source, bytes)?;
    }
    Ok(())
}

/// The file where it lies as it was ingested, else the text that the base took from it.
fn content(home: &Path, base: &Base, file: &SourceFile) -> Result<(SourceForm, Vec<u8>), Problem> {
    if file.bytes <= MAX_SOURCES_BYTES
        && let Original::Unchanged(path) = original(home, &base.manifest().base, file)
        && let Ok(bytes) = std::fs::read(path)
        && Digest::of(&bytes) == file.sha256
    {
        return Ok((SourceForm::Original, bytes));
    }
    let lines: Vec<SourceLine> = base
        .paragraphs()
        .iter()
        .filter(|paragraph| base.file(paragraph).is_some_and(|of| of == file))
        .map(|paragraph| SourceLine {
            id: paragraph.id.clone(),
            text: paragraph.text.clone(),
            page: paragraph.page,
        })
        .collect();
    let bytes = json_lines(&lines).map_err(|error| Problem::new(ErrorCode::Internal, error.to_string()))?;
    Ok((SourceForm::Text, bytes))
}

/// Files that went with the messages of a turn, in the session's folder.
pub(super) async fn attached(
    engine: &Engine,
    turn: &RunId,
    folder: &Path,
    sources: &mut Sources,
) -> Result<(), Problem> {
    for Attachment { id, name, .. } in attachments(engine, turn).await? {
        let path: PathBuf = folder.join("attachments").join(&id);
        let read = support::blocking(move || Ok(transfer::read_plain(&path, MAX_SOURCES_BYTES))).await?;
        let bytes = read.map_err(|error| {
            Problem::new(
                ErrorCode::NotFound,
                format!("the attachment {name} can't be put into the capsule: {error}"),
            )
            .with_action("make the capsule without its sources")
        })?;
        let sha256 = Digest::of(&bytes);
        let entry = source_entry(sha256, SourceForm::Original);
        let of = SourceOf::Message { id };
        sources.take(CapsuleSource { of, name, sha256, form: SourceForm::Original, entry }, bytes)?;
    }
    Ok(())
}

/// The files that went with a turn's messages, each once.
async fn attachments(engine: &Engine, turn: &RunId) -> Result<Vec<Attachment>, Problem> {
    let told = engine.retell_turn(turn).await?;
    let later = told.said.into_iter().filter_map(|part| match part {
        ImportedPart::Asked { message, .. } => Some(*message),
        ImportedPart::Text { .. } | ImportedPart::Call { .. } => None,
    });
    let mut files: Vec<Attachment> =
        std::iter::once(told.message).chain(later).flat_map(|message| message.attachments).collect();
    files.sort_by(|a, b| a.id.cmp(&b.id));
    files.dedup_by(|a, b| a.id == b.id);
    Ok(files)
}

/// Sources against what rests on them; gives the entries that hold them. A capsule without sources has none.
pub(super) async fn borne_out(
    capsule: &Capsule,
    engine: &Engine,
    turns: &[RunId],
    cited: &[CitedParagraph],
) -> Result<Vec<String>, CapsuleFault> {
    if !capsule.has(SOURCES) {
        return Ok(Vec::new());
    }
    let lines: Vec<CapsuleSource> = capsule.lines(SOURCES)?;
    let fault = |why: String| CapsuleFault::new(SOURCES, why);
    let mut named = BTreeSet::new();
    for turn in turns {
        let found = attachments(engine, turn).await.map_err(|problem| fault(problem.message))?;
        named.extend(found.into_iter().map(|file| file.id));
    }
    for line in &lines {
        let bytes = capsule.entry(&line.entry)?;
        if line.entry != source_entry(line.sha256, line.form) {
            return Err(fault(format!("{} stands under another name than its digest", line.name)));
        }
        if line.form == SourceForm::Original && Digest::of(bytes) != line.sha256 {
            return Err(CapsuleFault::new(
                &line.entry,
                format!("it is not the file {} that was used", line.name),
            ));
        }
        match &line.of {
            SourceOf::Message { id } if !named.contains(id) => {
                return Err(fault(format!("no message has the file {}", line.name)));
            }
            SourceOf::Base { base, generation } => {
                let rests = |one: &&CitedParagraph| {
                    &one.base == base
                        && &one.generation == generation
                        && one
                            .document
                            .as_ref()
                            .is_some_and(|of| of.name == line.name && of.sha256 == line.sha256)
                };
                let resting: Vec<&CitedParagraph> = cited.iter().filter(rests).collect();
                if resting.is_empty() {
                    return Err(fault(format!("no cited paragraph is of {}", line.name)));
                }
                if line.form == SourceForm::Text {
                    stands_in(capsule, line, &resting)?;
                }
            }
            SourceOf::Message { .. } => {}
        }
    }
    for one in cited {
        let Some(document) = &one.document else { continue };
        let there = lines.iter().any(|line| {
            matches!(&line.of, SourceOf::Base { base, generation } if *base == one.base && *generation == one.generation)
                && line.name == document.name
                && line.sha256 == document.sha256
        });
        if !there {
            return Err(fault(format!("{}, which paragraph {} is of, is not in it", document.name, one.id)));
        }
    }
    if let Some(id) =
        named.iter().find(|id| !lines.iter().any(|line| line.of == SourceOf::Message { id: (*id).clone() }))
    {
        return Err(fault(format!("the file {id} of a message is not in it")));
    }
    Ok(lines.into_iter().map(|line| line.entry).chain([SOURCES.to_owned()]).collect())
}

/// Cited paragraphs stand, word for word, in the text that a base took from a document.
fn stands_in(capsule: &Capsule, line: &CapsuleSource, cited: &[&CitedParagraph]) -> Result<(), CapsuleFault> {
    let text: Vec<SourceLine> = capsule.lines(&line.entry)?;
    for one in cited {
        let same = text.iter().any(|part| part.id == one.id && Digest::of(&part.text) == one.sha256);
        if !same {
            let why = format!("paragraph {} does not stand in it as it was cited", one.id);
            return Err(CapsuleFault::new(&line.entry, why));
        }
    }
    Ok(())
}
