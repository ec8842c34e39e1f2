//! What an ingest would find, before anything is stored.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

use super::gather::{Gathered, gather};
use super::link::{DanglingReference, Duplicate};
use super::options::{FileProblem, IngestOptions, Progress};
use crate::error::KnowledgeError;
use crate::paragraph::{Paragraph, Reference};

/// Samples of each kind of paragraph.
const SAMPLES: usize = 3;
/// Samples of references, of those that dangle, and of duplicates.
const REFERENCES: usize = 20;
/// Headings listed of one file.
const HEADINGS: usize = 2_000;
/// Longest text of a sample, in characters.
const SAMPLE_CHARS: usize = 400;

/// What an ingest would find.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// Every file that was looked at, in order.
    pub files: Vec<FilePreview>,
    /// The citation form that it would get.
    pub citation: String,
}

/// What was recognised in one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FilePreview {
    /// Its path below the folder, or its name.
    pub name: String,
    /// Its format; empty for a file that is passed over.
    pub format: String,
    /// The rule set; empty where the file itself names its paragraphs.
    pub rules: String,
    /// How sure the choice of the rule set is, in hundredths; 100 when the person chose it.
    pub confidence: u8,
    /// Pages, where the format has them.
    pub pages: Option<u32>,
    /// Paragraphs, parts included.
    pub paragraphs: usize,
    /// How many there are of each kind.
    pub kinds: BTreeMap<String, usize>,
    /// The outline: headings, outermost first, and the paragraphs directly below.
    pub headings: Vec<(Vec<String>, usize)>,
    /// Paragraphs below headings beyond those listed.
    pub more_headings: usize,
    /// The first paragraphs of each kind.
    pub samples: Vec<Sample>,
    /// Cross-references that lead to a paragraph or section of the base.
    pub resolved: usize,
    /// The first of them: from which paragraph, and where to.
    pub references: Vec<(String, Reference)>,
    /// What looks like a cross-reference and leads to nothing in the base.
    pub dangling: usize,
    /// The first of those.
    pub dangling_samples: Vec<DanglingReference>,
    /// Ids that are used twice.
    pub duplicates: usize,
    /// The first of those.
    pub duplicate_samples: Vec<Duplicate>,
    /// What was read with loss, or not at all.
    pub problems: Vec<FileProblem>,
    /// Problems beyond those listed.
    pub more_problems: u64,
}

/// A paragraph as it would be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// Its id.
    pub id: String,
    /// Its kind.
    pub kind: String,
    /// The beginning of its text.
    pub text: String,
    /// Its page, where the format has pages.
    pub page: Option<u32>,
}

/// Reads the sources as [`crate::ingest()`] does, up to storage, and tells what was recognised. Nothing is written.
///
/// # Errors
/// As those of an ingest. Sources without any text are no error here: the problems say why.
pub fn preview(
    options: &IngestOptions,
    progress: &mut dyn FnMut(Progress),
    cancel: &AtomicBool,
) -> Result<Preview, KnowledgeError> {
    let Gathered { reports, sources, settled, citation, .. } = gather(options, None, progress, cancel)?;
    let known: BTreeSet<&str> = settled.paragraphs.iter().map(|one| one.id.as_str()).collect();
    let mut files: Vec<FilePreview> = reports
        .into_iter()
        .map(|report| FilePreview {
            name: report.name,
            format: report.format,
            rules: report.rules,
            confidence: report.confidence,
            pages: report.pages,
            problems: report.problems,
            more_problems: report.more_problems,
            ..FilePreview::default()
        })
        .collect();
    let places: Vec<usize> = sources.iter().map(|source| source.report).collect();
    let mut file_of: BTreeMap<&str, usize> = BTreeMap::new();
    for paragraph in &settled.paragraphs {
        let place = places[paragraph.file as usize];
        file_of.insert(&paragraph.id, place);
        let dangling = paragraph
            .refs
            .iter()
            .filter(|one| settled.ids.position(&one.to).is_none() && settled.ids.resolve(&one.to).is_none());
        // Those of running text are listed below, kept or not.
        if files[place].rules.is_empty() {
            for one in dangling {
                add_dangling(
                    &mut files[place],
                    DanglingReference { from: paragraph.id.clone(), to: one.to.clone() },
                );
            }
        }
        files[place].take(paragraph, &known);
    }
    for one in settled.dangling {
        if let Some(&place) = file_of.get(one.from.as_str()) {
            add_dangling(&mut files[place], one);
        }
    }
    for duplicate in settled.duplicates {
        if let Some(file) = files.iter_mut().find(|file| file.name == duplicate.file) {
            file.duplicates += 1;
            if file.duplicate_samples.len() < REFERENCES {
                file.duplicate_samples.push(duplicate);
            }
        }
    }
    Ok(Preview { files, citation })
}

fn add_dangling(file: &mut FilePreview, one: DanglingReference) {
    file.dangling += 1;
    if file.dangling_samples.len() < REFERENCES {
        file.dangling_samples.push(one);
    }
}

impl FilePreview {
    fn take(&mut self, paragraph: &Paragraph, known: &BTreeSet<&str>) {
        self.paragraphs += 1;
        let of_kind = self.kinds.entry(paragraph.kind.clone()).or_default();
        *of_kind += 1;
        if *of_kind <= SAMPLES {
            self.samples.push(Sample {
                id: paragraph.id.clone(),
                kind: paragraph.kind.clone(),
                text: paragraph.text.chars().take(SAMPLE_CHARS).collect(),
                page: paragraph.page,
            });
        }
        if paragraph.part_of.is_none() {
            let listed = self.headings.len();
            match self.headings.last_mut() {
                Some((path, count)) if *path == paragraph.path => *count += 1,
                _ if listed < HEADINGS => self.headings.push((paragraph.path.clone(), 1)),
                _ => self.more_headings += 1,
            }
        }
        for reference in paragraph.refs.iter().filter(|one| one.kind != "part-of") {
            self.resolved += 1;
            let listed = self.references.len() < REFERENCES && known.contains(reference.to.as_str());
            if listed {
                self.references.push((paragraph.id.clone(), reference.clone()));
            }
        }
    }
}
