//! Capsules: a run or turn with its evidence in one file, made here and checked anywhere.

mod sources;
mod verification;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use domain::{Digest, ErrorCode, Problem, RunId, SentenceRecord};
use engine::Chain;
use knowledge::Base;
use protocol::{CapsuleOptions, CapsuleWritten, ExportOptions};
use support::blocking;
use transfer::{
    CAPSULE_FORMAT, CAPSULE_VERSION, CHAIN, Capsule, CapsuleManifest, ChainLine, CitedParagraph, EVIDENCE,
    Findings, Kind, REDACTION, Redactor, RunFile, SOURCES, blob_entry, document_entry, json_lines, run_entry,
};

use crate::ImportExport;
use crate::export::{absolute, put};

use sources::Sources;
pub use verification::verify;

/// What is put into a capsule, in order.
#[derive(Default)]
struct Contents {
    entries: Vec<(String, Vec<u8>)>,
    names: std::collections::BTreeSet<String>,
}

impl Contents {
    fn add(&mut self, name: String, bytes: Vec<u8>) {
        if self.names.insert(name.clone()) {
            self.entries.push((name, bytes));
        }
    }
}

impl ImportExport {
    /// Writes a run or turn with its evidence into one file.
    ///
    /// # Errors
    /// `Busy` while it is under way; `NotFound` without it; those of writing.
    pub async fn capsule_make(&self, of: &CapsuleOptions) -> Result<CapsuleWritten, Problem> {
        let found = self.conversations.run_find(&of.run).await?;
        let (run, session) = (found.run, found.session);
        let chosen = of.path.is_some();
        let target = match &of.path {
            Some(path) => absolute(path)?,
            None => self.capsule_place(&session, &run)?,
        };
        let engine = &self.env.engine;
        let tree = engine.run_tree(&run).await?;
        if let Some(live) = tree.iter().find(|run| engine.is_live(run)) {
            let what = format!("{live} is under way; a capsule holds what has ended");
            return Err(Problem::new(ErrorCode::Busy, what).with_action("wait for it, or stop it"));
        }
        let mut runs = tree.clone();
        runs.extend(engine.runs_before(&tree).await?);
        let (mut contents, mut chain) = (Contents::default(), Chain::default());
        let mut records = Vec::new();
        let mut names_folder = false;
        for each in &runs {
            let (file, payloads) = self.run_file(&each.0).await?;
            names_folder |= file.kind == engine::turn::KIND;
            if tree.contains(each) {
                for batch in self.env.store().load_events(&each.0).await? {
                    chain.add(each, &batch);
                }
            }
            let bytes = serde_json::to_vec(&file).map_err(|error| internal(&error))?;
            contents.add(run_entry(each), bytes);
            for (digest, bytes) in payloads {
                contents.add(blob_entry(digest), bytes);
            }
            if file.kind != engine::turn::KIND
                && tree.contains(each)
                && let Some(written) = engine.document(engine.load(each).await?).await?
            {
                contents.add(document_entry(each), written.markdown.into_bytes());
                records.extend(written.document.records);
            }
        }
        let lines: Vec<ChainLine> = chain
            .links()
            .iter()
            .map(|link| ChainLine {
                run: link.run.clone(),
                first: link.first,
                last: link.last,
                sha256: link.sha256,
                head: link.head,
            })
            .collect();
        contents.add(CHAIN.to_owned(), json_lines(&lines).map_err(|error| internal(&error))?);
        let sources = match of.with_sources {
            true => Some(self.sources(&runs, &session, &records).await?),
            false => None,
        };
        let home = self.env.home.clone();
        let texts = !of.without_texts;
        let evidence = blocking(move || evidence(&home, &records, texts)).await?;
        contents.add(EVIDENCE.to_owned(), json_lines(&evidence).map_err(|error| internal(&error))?);
        if let Some(sources) = &sources {
            let lines = json_lines(&sources.lines).map_err(|error| internal(&error))?;
            contents.add(SOURCES.to_owned(), lines);
            for (name, bytes) in &sources.entries {
                contents.add(name.clone(), bytes.clone());
            }
        }
        let (redactor, mut notes) = self.redactor(&ExportOptions::default()).await?;
        // Only requests of turns name files below the data directory; other runs are computed again without it.
        let home = if names_folder { self.env.home.display().to_string() } else { String::new() };
        if names_folder {
            notes.push(format!(
                "it names the folder {home}: requests of its conversation name files below it"
            ));
        }
        let manifest = CapsuleManifest {
            format: CAPSULE_FORMAT.to_owned(),
            version: CAPSULE_VERSION,
            schema: store::SCHEMA_VERSION,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            run: run.clone(),
            session,
            home,
            head: chain.head(),
            tree,
            runs,
            texts,
            entries: Vec::new(),
        };
        let (head, paragraphs) = (chain.head().to_string(), evidence.len() as u32);
        let count = sources.as_ref().map_or(0, |sources| sources.lines.len() as u32);
        let (bytes, findings) = blocking(move || {
            let mut findings = looked_through(&redactor, &contents);
            if let Some(sources) = &sources {
                sources.list(&mut findings);
            }
            let list = findings.list();
            let bytes = serde_json::to_vec(&list).map_err(|error| internal(&error))?;
            contents.add(REDACTION.to_owned(), bytes);
            let file = Capsule::write(manifest, contents.entries).map_err(|error| internal(&error))?;
            Ok((file, list))
        })
        .await?;
        let private = findings.iter().filter(|finding| finding.kind != Kind::File).count();
        if private > 0 {
            notes.push(format!(
                "{private} values look private and stay in the file: nothing can be taken out without breaking what it \
                 proves; they are listed in {REDACTION}"
            ));
        }
        if count > 0 {
            notes.push(format!(
                "{count} source documents and attachments go along whole; {REDACTION} lists them"
            ));
        }
        let written = CapsuleWritten {
            path: target.display().to_string(),
            run,
            head,
            bytes: bytes.len() as u64,
            paragraphs,
            sources: count,
            private: private as u32,
            notes,
        };
        blocking(move || put(&target, &bytes, chosen)).await?;
        Ok(written)
    }

    /// The documents that the answers of these runs cite, and the files that went with their messages.
    async fn sources(
        &self,
        runs: &[RunId],
        session: &str,
        records: &[SentenceRecord],
    ) -> Result<Sources, Problem> {
        let (home, records) = (self.env.home.clone(), records.to_vec());
        let mut found = blocking(move || {
            let mut found = Sources::default();
            sources::cited(&home, &records, &mut found)?;
            Ok(found)
        })
        .await?;
        let folder = self.env.session_folder(session);
        let folder =
            folder.ok_or_else(|| Problem::new(ErrorCode::InvalidInput, "that is no session's id"))?;
        for run in runs {
            if self.stored_run(&run.0).await?.kind == engine::turn::KIND {
                sources::attached(&self.env.engine, run, &folder, &mut found).await?;
            }
        }
        Ok(found)
    }

    fn capsule_place(&self, session: &str, run: &RunId) -> Result<PathBuf, Problem> {
        let folder = self.env.session_folder(session);
        let folder =
            folder.ok_or_else(|| Problem::new(ErrorCode::InvalidInput, "that is no session's id"))?;
        Ok(folder.join("export").join(format!("{run}.capsule")))
    }

    /// A run's row and log as they are stored, and its payloads.
    async fn run_file(&self, run: &str) -> Result<(RunFile, Vec<(Digest, Vec<u8>)>), Problem> {
        let file = self.stored_run(run).await?;
        let mut payloads = Vec::with_capacity(file.blobs.len());
        for digest in &file.blobs {
            let bytes = self.env.store().get_blob(store::BlobHash::from_bytes(digest.0)).await?;
            payloads.push((*digest, bytes));
        }
        Ok((file, payloads))
    }
}

fn internal(error: &impl std::fmt::Display) -> Problem {
    Problem::new(ErrorCode::Internal, error.to_string())
}

/// The cited paragraphs of these records, each once; those of generations that are gone by their digests alone.
fn evidence(home: &Path, records: &[SentenceRecord], texts: bool) -> Result<Vec<CitedParagraph>, Problem> {
    let mut bases: BTreeMap<(String, String), Option<Arc<Base>>> = BTreeMap::new();
    let mut found: BTreeMap<(String, String, String), CitedParagraph> = BTreeMap::new();
    for one in records.iter().flat_map(|record| &record.citations) {
        let (Some(id), Some(sha256)) = (&one.paragraph_id, one.paragraph_sha256) else { continue };
        let at = (one.base.clone(), one.generation.clone());
        let base = bases
            .entry(at.clone())
            .or_insert_with(|| Base::open_generation(home, &at.0, &at.1).ok().map(Arc::new));
        let paragraph = base.as_ref().and_then(|base| base.paragraph(id).ok());
        let paragraph = paragraph.filter(|paragraph| Digest::of(&paragraph.text) == sha256);
        let cited = CitedParagraph {
            base: one.base.clone(),
            generation: one.generation.clone(),
            id: id.clone(),
            sha256,
            text: paragraph.filter(|_| texts).map(|paragraph| paragraph.text.clone()),
            document: one.document.clone(),
            page: paragraph.and_then(|paragraph| paragraph.page),
        };
        found.entry((at.0, at.1, id.clone())).or_insert(cited);
    }
    Ok(found.into_values().collect())
}

/// What looks private in a capsule.
fn looked_through(redactor: &Redactor, contents: &Contents) -> Findings {
    let mut found = Findings::default();
    for (name, bytes) in &contents.entries {
        if let Ok(text) = std::str::from_utf8(bytes) {
            redactor.note(text, "", name, &mut found);
        }
    }
    found
}
