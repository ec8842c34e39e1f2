//! One file's paragraphs, before those of other files are known.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use documents::worker::Reader;
use documents::{Block, BlockKind, Deletion, Document, Format, Limits, PageBreak, ReadError};
use flate2::read::MultiGzDecoder;
use serde::{Deserialize, Serialize};

use super::draft::Draft;
use super::front::Front;
use super::limits::{FILE_BYTES, ID_BYTES, LINE_BYTES, PARAGRAPH_BYTES};
use super::lines::{Line, Source};
use super::options::{FileProblem, FileReport, Unread};
use super::sources::{Kind, SourcePath, stem};
use super::{jsonl, oscal, structure};
use crate::error::KnowledgeError;
use crate::rules::{Compiled, Detected, Rules, detect};

/// Fewer hundredths of the words read than this can't be all that a document says, if it has so many words.
const LEAST_KEPT: usize = 60;
const MIN_WORDS: usize = 50;

/// What reading files needs to know.
pub(crate) struct Readers<'r> {
    pub(crate) rules: &'r Rules,
    /// The set for all documents, when the person chose one.
    pub(crate) wanted: Option<&'r Arc<Compiled>>,
    /// For the formats that are hard to read.
    pub(crate) apart: &'r Reader,
    /// The folder of the models that read pages which are pictures.
    pub(crate) recogniser: Option<&'r Path>,
    pub(crate) cancel: &'r AtomicBool,
}

/// A file as read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct FileRead {
    /// What became of it, as far as the file alone tells.
    pub(crate) report: FileReport,
    /// The version of the rule set.
    pub(crate) rules_version: String,
    /// What it says of itself.
    #[serde(default)]
    pub(crate) front: Front,
    /// The recogniser of its pages that are pictures, empty where there was none; absent for a file without such pages.
    #[serde(default)]
    pub(crate) recogniser: Option<String>,
    /// Its paragraphs; stored beside the rest.
    #[serde(skip)]
    pub(crate) drafts: Vec<Draft>,
}

impl Readers<'_> {
    /// Reads a file. Its faults go into its report.
    pub(crate) fn read(&self, source: &SourcePath) -> Result<FileRead, KnowledgeError> {
        let mut report = FileReport::new(source.name.clone());
        source.kind.name().clone_into(&mut report.format);
        let mut read = FileRead { report, ..FileRead::default() };
        let drafts = match source.kind {
            Kind::Jsonl => self.jsonl(source, &mut read.report)?,
            Kind::Oscal => catalogue(source, &mut read.report),
            Kind::Document(format) => self.document(source, format, &mut read)?,
        };
        read.drafts = split_long(drafts, &mut read.report);
        if read.drafts.is_empty() && read.report.problems.iter().all(|problem| problem.minor) {
            read.report.problem(None, "no text in it");
            read.report.unread = Some(Unread::Empty);
        }
        Ok(read)
    }

    fn document(
        &self,
        source: &SourcePath,
        format: Format,
        read: &mut FileRead,
    ) -> Result<Vec<Draft>, KnowledgeError> {
        let document = match self.open(&source.path, format) {
            Ok(document) => document,
            Err(ReadError::Cancelled) => return Err(KnowledgeError::Cancelled),
            Err(error) => {
                let transient = matches!(
                    error,
                    ReadError::Io(_)
                        | ReadError::TooSlow { .. }
                        | ReadError::Crashed { .. }
                        | ReadError::Recogniser(_)
                );
                if matches!(error, ReadError::Scanned { .. }) {
                    read.recogniser = Some(String::new());
                }
                read.report.retry = transient;
                read.report.unread = Unread::from_error(&error);
                read.report.problem(None, error.to_string());
                return Ok(Vec::new());
            }
        };
        let certain = |rules: &Arc<Compiled>| Detected { rules: rules.clone(), sure: 1.0, only_looks: None };
        let Detected { rules, sure, only_looks } = match self.wanted {
            Some(wanted) => certain(wanted),
            // A format of one kind of documents only.
            None if format == Format::Ecfr => certain(self.rules.named("cfr")?),
            None => detect(self.rules, &document, &source.name)?,
        };
        if let Some(set) = only_looks {
            let what = format!(
                "it looks like a text of \"{}\" and does not say in its own title and parts that it is one: its paragraphs \
                 are named by this file (the rule set \"{}\" can be chosen)",
                set.set.title, set.set.name
            );
            read.report.add(FileProblem { what, minor: true, ..FileProblem::default() });
        }
        read.front = Front::of(&document, format, &source.path, &stem(&source.name));
        for note in &document.notes {
            read.report.add(FileProblem {
                line: note.place.line.map(|line| line as usize),
                page: note.place.page,
                what: note.what.clone(),
                minor: note.minor,
            });
        }
        read.report.rules.clone_from(&rules.set.name);
        read.report.confidence = (sure * 100.0).round() as u8;
        read.report.pages = document.pages;
        read.recogniser = (document.scans > 0).then(|| documents::recogniser_version(self.recogniser));
        read.rules_version.clone_from(&rules.version);
        let drafts = structure::paragraphs(&document, format, &stem(&source.name), &rules);
        if let Some(share) = lost(&document, &drafts) {
            let what = format!(
                "only {share} % of the words read are kept: the rule set \"{}\" may not fit, choose another",
                rules.set.name
            );
            read.report.problem(None, what);
        }
        Ok(drafts)
    }

    /// The one place where documents are opened.
    fn open(&self, path: &Path, format: Format) -> Result<Document, ReadError> {
        let limits = Limits { recogniser: self.recogniser.map(Path::to_owned), ..Limits::default() };
        match format {
            Format::Pdf | Format::Docx | Format::Xlsx | Format::Epub | Format::Picture => {
                self.apart.read(path, format, &limits, self.cancel)
            }
            Format::Text | Format::Markdown | Format::Csv | Format::Html | Format::Ecfr => {
                Reader::default().read(path, format, &limits, self.cancel)
            }
        }
    }

    fn jsonl(&self, source: &SourcePath, report: &mut FileReport) -> Result<Vec<Draft>, KnowledgeError> {
        let mut drafts = Vec::new();
        match self.rows(source, report, &mut drafts) {
            Ok(()) => {}
            Err(_) if self.cancel.load(Ordering::Relaxed) => return Err(KnowledgeError::Cancelled),
            Err(error) => {
                report.retry = true;
                report.problem(None, format!("cannot be read: {error}"));
            }
        }
        Ok(drafts)
    }

    fn rows(
        &self,
        source: &SourcePath,
        report: &mut FileReport,
        drafts: &mut Vec<Draft>,
    ) -> std::io::Result<()> {
        let mut input = Source::open(&source.path)?;
        if input.looks_binary()? {
            report.problem(None, "a binary file: not read");
            return Ok(());
        }
        let mut number = 0;
        while let Some(line) = input.next_line()? {
            number += 1;
            if self.cancel.load(Ordering::Relaxed) {
                return Err(std::io::Error::other("cancelled"));
            }
            match line {
                Line::TooLong(bytes) => {
                    let what = format!("a line of {bytes} bytes, over {LINE_BYTES}: skipped");
                    report.problem(Some(number), what);
                }
                Line::NotUtf8(byte) => {
                    report.problem(Some(number), format!("not UTF-8 at byte {byte}: line skipped"));
                }
                Line::Text(line) if line.trim().is_empty() => {}
                Line::Text(line) => match jsonl::read_row(&line, number) {
                    Ok(rows) => drafts.extend(rows),
                    Err(fault) => report.problem(Some(number), fault.to_string()),
                },
            }
        }
        Ok(())
    }
}

/// The hundredths of a document's words that its paragraphs keep, where those are too few to be right.
fn lost(document: &Document, drafts: &[Draft]) -> Option<usize> {
    let words = |text: &str| text.split_whitespace().count();
    let headings = |block: &&Block| !matches!(block.kind, BlockKind::Heading(_));
    let read: usize = document.blocks.iter().filter(headings).map(|block| words(&block.text)).sum();
    let wholes = drafts.iter().filter(|draft| draft.paragraph.part_of.is_none());
    let kept: usize = wholes.map(|draft| words(&draft.paragraph.text)).sum();
    (read >= MIN_WORDS && kept * 100 < read * LEAST_KEPT).then(|| kept * 100 / read)
}

fn catalogue(source: &SourcePath, report: &mut FileReport) -> Vec<Draft> {
    let opened = File::open(&source.path).map(|file| {
        let reader: Box<dyn Read> = if source.name.to_ascii_lowercase().ends_with(".gz") {
            Box::new(MultiGzDecoder::new(BufReader::new(file)))
        } else {
            Box::new(file)
        };
        BufReader::with_capacity(1 << 18, reader.take(FILE_BYTES))
    });
    match opened {
        Ok(input) => match oscal::read(input) {
            Ok(read) => {
                read.problems.into_iter().for_each(|what| report.problem(None, what));
                return read.drafts;
            }
            Err(fault) => report.problem(None, fault.to_string()),
        },
        Err(error) => {
            report.retry = true;
            report.problem(None, format!("cannot be read: {error}"));
        }
    }
    Vec::new()
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
            let from = draft.paragraph.text.len() - rest.len();
            let struck = draft.paragraph.struck.iter().filter(|one| (from..from + end).contains(&one.at));
            one.paragraph.struck =
                struck.map(|one| Deletion { at: one.at - from, text: one.text.clone() }).collect();
            let (page, breaks) = PageBreak::within(&draft.paragraph.breaks, from, from + end);
            one.paragraph.breaks = breaks;
            one.paragraph.page = page.or(one.paragraph.page);
            let known = draft.paragraph.recognised.as_ref();
            one.paragraph.recognised =
                known.map(|known| known.part(&draft.paragraph.text, &one.paragraph.text));
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
