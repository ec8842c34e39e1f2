//! The files of one generation: what an ingest writes and a reader opens.
//!
//! `paragraphs.jsonl` is the base, one paragraph a line; `index.bin` is derived from it alone; `vectors.bin`
//! stands beside them when a model made vectors. The same paragraphs and vectors give the same bytes.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::thread;

use sha2::{Digest as _, Sha256};
use thiserror::Error;

use crate::error::KnowledgeError;
use crate::generation::{Counts, INDEX, Manifest, PARAGRAPHS, StoredVectors, VECTORS};
use crate::ids::IdIndex;
use crate::index::{Index, Lines, OpenedIndex};
use crate::ingest::limits::{BASE_BYTES, BASE_PARAGRAPHS};
use crate::paragraph::Paragraph;
use crate::paragraphs::Paragraphs;
use crate::vectors::{self, Vectors};

/// What was written, as the manifest records it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WrittenFile {
    pub(crate) paragraphs: domain::Digest,
    pub(crate) index: domain::Digest,
    pub(crate) vectors: Option<StoredVectors>,
    pub(crate) counts: Counts,
    /// Codes of the languages of the paragraphs, the commonest first.
    pub(crate) languages: Vec<String>,
}

/// Writes the files of a generation into its folder; `step` is told the paragraphs done and may stop it.
pub(crate) fn write(
    folder: &Path,
    paragraphs: &[Paragraph],
    ids: IdIndex,
    vectors: Option<&Vectors>,
    step: impl FnMut(usize) -> Result<(), KnowledgeError>,
) -> Result<WrittenFile, KnowledgeError> {
    let (digest, lines) = write_lines(&folder.join(PARAGRAPHS), paragraphs)?;
    let index = Index::build(lines, paragraphs, ids, step)?;
    let packed = index.pack();
    let path = folder.join(INDEX);
    fs::write(&path, &packed).map_err(KnowledgeError::io(&path))?;
    Ok(WrittenFile {
        paragraphs: digest,
        index: domain::Digest(Sha256::digest(&packed).into()),
        languages: index.words.languages().into_iter().map(|one| one.code().to_owned()).collect(),
        vectors: vectors.map(|vectors| vectors::write(&folder.join(VECTORS), vectors)).transpose()?,
        counts: Counts {
            paragraphs: paragraphs.iter().filter(|one| one.part_of.is_none()).count() as u64,
            parts: paragraphs.iter().filter(|one| one.part_of.is_some()).count() as u64,
            withdrawn: paragraphs.iter().filter(|one| one.withdrawn).count() as u64,
            references: index.graph.resolved + index.graph.dangling,
            dangling: index.graph.dangling,
        },
    })
}

fn write_lines(path: &Path, paragraphs: &[Paragraph]) -> Result<(domain::Digest, Lines), KnowledgeError> {
    let file = File::create(path).map_err(KnowledgeError::io(path))?;
    let mut out = BufWriter::with_capacity(1 << 18, file);
    let (mut sha256, mut crc) = (Sha256::new(), crc32fast::Hasher::new());
    let (mut line, mut ends, mut end) = (Vec::new(), Vec::with_capacity(paragraphs.len()), 0);
    for paragraph in paragraphs {
        line.clear();
        serde_json::to_writer(&mut line, paragraph)?;
        line.push(b'\n');
        sha256.update(&line);
        crc.update(&line);
        end += line.len() as u64;
        ends.push(end);
        out.write_all(&line).map_err(KnowledgeError::io(path))?;
    }
    out.flush().map_err(KnowledgeError::io(path))?;
    Ok((domain::Digest(sha256.finalize().into()), Lines { ends, crc: crc.finalize() }))
}

/// Opens the paragraphs and the index of a generation.
pub(crate) fn open(folder: &Path, manifest: &Manifest) -> Result<(Paragraphs, Index), KnowledgeError> {
    let damaged = |name: &str, what: String| KnowledgeError::Damaged {
        base: manifest.base.clone(),
        path: folder.join(name),
        what,
    };
    // Both files are read at once: most of the time goes into copying them.
    let (lines, index) = thread::scope(|scope| {
        let index = (manifest.format > 1).then(|| {
            let read = || read_bounded(&folder.join(INDEX), BASE_BYTES * 8);
            scope.spawn(move || read().map(Index::unpack))
        });
        let lines = read_bounded(&folder.join(PARAGRAPHS), BASE_BYTES * 4);
        let lines = lines.map(|lines| (crc32fast::hash(&lines), lines));
        let gone = |_| Err(std::io::Error::other("reading it failed"));
        (lines, index.map(|index| index.join().unwrap_or_else(gone)))
    });
    let (crc, lines) = lines.map_err(KnowledgeError::io(&folder.join(PARAGRAPHS)))?;
    let index = match index.transpose().map_err(|error| damaged(INDEX, error.to_string()))? {
        None | Some(OpenedIndex::Other) => {
            rebuilt(&lines, crc).map_err(|what| damaged(PARAGRAPHS, what.0))?
        }
        Some(OpenedIndex::Index(index)) if index.lines.are(&lines, crc) => *index,
        Some(OpenedIndex::Index(_)) => {
            return Err(damaged(PARAGRAPHS, "its index is of other paragraphs".into()));
        }
        Some(OpenedIndex::Damaged(what)) => return Err(damaged(INDEX, what.to_owned())),
    };
    let (counted, found) = (manifest.counts.paragraphs + manifest.counts.parts, index.columns.len());
    if counted != found as u64 {
        let what = format!("the manifest counts {counted} paragraphs, the file has {found}");
        return Err(damaged(PARAGRAPHS, what));
    }
    Ok((Paragraphs::new(lines, index.lines.ends.clone()), index))
}

/// The index of paragraphs that were stored without one that this program reads.
fn rebuilt(lines: &[u8], crc: u32) -> Result<Index, ParagraphFault> {
    let (paragraphs, ends) = decoded(lines)?;
    let ids = IdIndex::build(paragraphs.iter(), Vec::new());
    Index::build(Lines { ends, crc }, &paragraphs, ids, |_| Ok(()))
        .map_err(|error| ParagraphFault(error.to_string()))
}

/// What is wrong with paragraphs that somebody else may have written, for the message that names their file.
#[derive(Debug, Error)]
#[error("{0}")]
pub(crate) struct ParagraphFault(pub(crate) String);

/// The paragraphs of lines that nobody has checked, and where the lines end.
pub(crate) fn decoded(lines: &[u8]) -> Result<(Vec<Paragraph>, Vec<u64>), ParagraphFault> {
    let (mut paragraphs, mut ends, mut end) = (Vec::<Paragraph>::new(), Vec::new(), 0);
    for line in lines.split_inclusive(|&byte| byte == b'\n') {
        let number = paragraphs.len() + 1;
        if number as u64 > BASE_PARAGRAPHS {
            return Err(ParagraphFault(format!("more than {BASE_PARAGRAPHS} lines")));
        }
        let unsound = |error: serde_json::Error| ParagraphFault(format!("line {number}: {error}"));
        paragraphs.push(serde_json::from_slice(line).map_err(unsound)?);
        end += line.len() as u64;
        ends.push(end);
    }
    Ok((paragraphs, ends))
}

pub(crate) fn read_bounded(path: &Path, most: u64) -> std::io::Result<Vec<u8>> {
    let length = fs::metadata(path)?.len();
    if length > most {
        return Err(std::io::Error::other(format!("larger than {most} bytes")));
    }
    fs::read(path)
}
