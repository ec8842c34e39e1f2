//! The document for Word and PDF: what the page of HTML has, in its words, with real footnotes.

mod body;
mod parts;

use std::collections::{BTreeMap, BTreeSet};

use docx::{Block, Cell, Contents, HeadingLevel, Note, Paragraph, ParagraphStyle, Run, Table, WordDocument};

use crate::document::heading_case;
use crate::{Document, DocumentPreface, Exhibits, HeadingCase, Level, exhibit_label, markdown, text};

/// The characters of a digest that a table shows.
const DIGEST_CHARS: usize = 12;
/// Documents with as many body sections get a table of contents.
const MIN_CONTENTS_SECTIONS: usize = 4;

/// The document for Word and PDF. A citation in the text is the mark of a footnote with the reference, the file and page, the quote
/// word for word, and what checking found; it leads to the paragraph under Cited Paragraphs. The documents that were read are listed
/// where they are known, and footnotes name them by their numbers.
pub fn to_word(document: &Document, exhibits: &Exhibits) -> WordDocument {
    let title = text::one_line(&document.title);
    let mut notes = Vec::new();
    let blocks = Parts::new(document, exhibits, "", HeadingLevel::First, &mut notes).blocks();
    WordDocument {
        header: title.clone(),
        title,
        subtitle: seal(document),
        blocks,
        notes,
        ..WordDocument::default()
    }
}

/// Several documents as one, each between what comes before it and the next one. Their places are kept apart.
pub fn to_word_of_all<'d>(
    title: &str,
    parts: impl Iterator<Item = (DocumentPreface<'d>, Option<&'d Document>)>,
) -> WordDocument {
    let title = text::one_line(title);
    let (mut blocks, mut notes) = (Vec::new(), Vec::new());
    let unknown = Exhibits::default();
    for (index, (before, document)) in parts.enumerate() {
        blocks.push(Block::heading(HeadingLevel::First, text::one_line(before.heading)));
        let paragraphs = before.paragraphs.iter().filter(|paragraph| !paragraph.trim().is_empty());
        blocks.extend(paragraphs.map(|paragraph| Block::text(vec![plain(paragraph)])));
        if let Some(document) = document {
            let lines = seal(document).into_iter().map(|runs| styled(ParagraphStyle::Notice, runs));
            blocks.extend(lines);
            let prefix = format!("d{}-", index + 1);
            let mut parts = Parts::new(document, &unknown, &prefix, HeadingLevel::Second, &mut notes);
            blocks.extend(parts.blocks());
        }
    }
    WordDocument { header: title.clone(), title, blocks, notes, ..WordDocument::default() }
}

/// What is known of the document in one line, and what a reader has to know with it.
fn seal(document: &Document) -> Vec<Vec<Run>> {
    let (level, text) = markdown::seal(document);
    let sign = match level {
        Level::Good => "\u{2713} ",
        Level::Open | Level::Doubt => "",
    };
    let mut lines = vec![vec![Run::bold(format!("{sign}{}", text::one_line(&text)))]];
    lines.extend(markdown::seal_lines(document).iter().map(|line| vec![plain(line)]));
    lines
}

/// The parts of one document.
struct Parts<'d, 'n> {
    document: &'d Document,
    /// The documents that it was written from.
    exhibits: &'d Exhibits,
    /// The exhibits that a footnote named with its file.
    named: BTreeSet<usize>,
    /// How it writes words, for headings.
    case: HeadingCase,
    /// Keeps its places apart from those of other documents.
    prefix: &'d str,
    /// The level of its sections.
    top: HeadingLevel,
    /// The footnotes of all documents.
    notes: &'n mut Vec<Note>,
    /// The footnotes of each citation, by its number.
    uses: BTreeMap<usize, Vec<usize>>,
    /// The footnote that first has some words of a citation.
    quoted: BTreeMap<(usize, String), usize>,
}

impl<'d, 'n> Parts<'d, 'n> {
    fn new(
        document: &'d Document,
        exhibits: &'d Exhibits,
        prefix: &'d str,
        top: HeadingLevel,
        notes: &'n mut Vec<Note>,
    ) -> Self {
        Self {
            document,
            exhibits,
            named: BTreeSet::new(),
            case: heading_case(&document.sections, &document.citations),
            prefix,
            top,
            notes,
            uses: BTreeMap::new(),
            quoted: BTreeMap::new(),
        }
    }

    /// What stands below the title, in the order of the page of HTML.
    fn blocks(&mut self) -> Vec<Block> {
        let document = self.document;
        let mut out = Vec::new();
        if let Some(notice) = &document.notice {
            out.push(styled(ParagraphStyle::Notice, vec![plain(notice)]));
        }
        if markdown::asks_more(document) {
            out.push(self.heading("Original Question"));
            out.push(Block::text(vec![plain(&document.question)]));
        }
        if self.top == HeadingLevel::First && document.sections.len() >= MIN_CONTENTS_SECTIONS {
            let heading = "Contents".to_owned();
            out.push(Block::Contents(Contents { heading, ..Contents::default() }));
        }
        out.extend(self.body());
        if !document.statements.is_empty() {
            out.push(self.heading("Statements"));
            out.push(self.statements());
        }
        if let Some(summary) = &document.verification {
            out.push(self.heading("Verification Summary"));
            out.extend(parts::verification(summary));
        }
        if !document.citations.is_empty() {
            out.push(self.heading("Cited Paragraphs"));
            out.extend(self.paragraphs());
            if document.statements.is_empty() {
                out.push(self.heading("Citations Used"));
                out.push(self.citations());
            }
        }
        if !self.exhibits.list().is_empty() {
            out.push(self.heading("Documents Reviewed"));
            out.extend(self.reviewed());
        }
        if !document.web_references.is_empty() {
            out.push(self.heading("External References"));
            out.push(self.external());
        }
        if document.earlier.is_some() || !document.prior_references.is_empty() {
            out.push(self.heading("Prior Research References"));
            out.push(self.prior());
        }
        let limits = self.limits();
        if !limits.is_empty() {
            out.push(self.heading("Gaps and Limits"));
            out.extend(limits);
        }
        if !document.queries.is_empty() {
            out.push(self.heading("Appendix: Research Decomposition"));
            out.extend(parts::decomposition(document));
        }
        if !document.out_of_scope.is_empty() {
            out.push(self.heading("Out-of-Scope Notes"));
            out.push(parts::list(&document.out_of_scope));
        }
        out
    }

    /// The documents that were read, with their numbers.
    fn reviewed(&self) -> Vec<Block> {
        let list = self.exhibits.list();
        let (has_dates, has_pages) =
            (list.iter().any(|one| !one.date.is_empty()), list.iter().any(|one| one.pages.is_some()));
        let is_shown = [true, true, has_dates, has_pages, true];
        let cells = |cells: [String; 5]| -> Vec<Cell> {
            let shown = cells.into_iter().zip(is_shown).filter(|(_, is_shown)| *is_shown);
            shown.map(|(cell, _)| Cell::text(text::clean(&cell))).collect()
        };
        let rows = list.iter().enumerate().map(|(at, one)| {
            let pages = one.pages.map(|pages| pages.to_string()).unwrap_or_default();
            let digest: String = one.sha256.chars().take(DIGEST_CHARS).collect();
            cells([exhibit_label(at + 1), one.name(&self.case), one.date.clone(), pages, digest])
        });
        let table = Table {
            header: cells(["Exhibit", "Document", "Date", "Pages", "SHA-256"].map(str::to_owned)),
            rows: rows.collect(),
            ..Table::default()
        };
        vec![Block::text(vec![plain(&self.exhibits.scope())]), Block::Table(table)]
    }

    fn heading(&self, text: &str) -> Block {
        Block::heading(self.top, text)
    }

    /// The level below that of the sections.
    fn below(&self) -> HeadingLevel {
        HeadingLevel::from_number(self.top.number() + 1)
    }

    /// The place that links can lead to.
    fn place(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    /// Markdown as blocks, with its headings at the level of this document.
    fn markdown(&self, markdown: &str) -> Vec<Block> {
        let mut blocks = docx::blocks_from_markdown(markdown, 2);
        let shift = self.top.number() - 1;
        lower(&mut blocks, shift);
        for block in &mut blocks {
            if let Block::Heading { runs, .. } = block {
                self.case.display_runs(runs);
            }
        }
        blocks
    }
}

/// Moves headings down by so many levels. They have no place of their own: links of an answer lead to what code writes.
fn lower(blocks: &mut [Block], shift: u8) {
    for block in blocks {
        match block {
            Block::Heading { level, place, .. } => {
                *level = HeadingLevel::from_number(level.number() + shift);
                *place = None;
            }
            Block::List(list) => list.items.iter_mut().for_each(|item| lower(item, shift)),
            Block::Quote(inner) | Block::Changed(_, inner) => lower(inner, shift),
            Block::Paragraph(_)
            | Block::Code(_)
            | Block::Table(_)
            | Block::Contents(_)
            | Block::Rule
            | Block::PageBreak => {}
        }
    }
}

/// Words of others: cleaned, their lines kept.
fn plain(words: &str) -> Run {
    Run::text(text::clean(words).trim())
}

fn styled(style: ParagraphStyle, runs: Vec<Run>) -> Block {
    Block::Paragraph(Paragraph { style, runs, place: None })
}
