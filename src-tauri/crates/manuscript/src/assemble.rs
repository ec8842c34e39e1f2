//! A document from its parts, as one value: title page, table of contents, parts, footnotes, footer.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::fault::{Fault, Location, Rule};
use crate::footnotes::{NoteRow, NoteRubric, PartNotes, consolidated, renumber};
use crate::parts::Part;
use crate::text::{heading, prose, words};
use crate::toc::{self, TocEntry};

/// A title page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TitlePage {
    /// The title.
    pub title: String,
    /// Lines below it.
    #[serde(default)]
    pub lines: Vec<String>,
}

/// The frame of a document. What is left out is not written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AssemblyRubric {
    /// The heading of the table of contents.
    pub toc_title: Option<String>,
    /// The lowest level in the table of contents, 1 to 6; two, if left out.
    pub toc_depth: Option<u8>,
    /// The heading of the footnotes.
    pub notes_title: Option<String>,
    /// The last line.
    pub footer: Option<String>,
    /// What is tested of footnotes.
    pub notes: NoteRubric,
}

/// Sizes of a document.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AssemblyMetrics {
    /// Lines.
    pub line_count: u64,
    /// Kibibytes, rounded up.
    pub file_size_kb: u64,
    /// Words, of everything.
    pub word_count: u32,
    /// Parts.
    pub sections_count: u32,
    /// Footnotes.
    pub footnote_count: u32,
}

/// A document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assembly {
    /// Its text.
    pub markdown: String,
    /// Its table of contents.
    pub toc: Vec<TocEntry>,
    /// Its footnotes.
    pub notes: Vec<NoteRow>,
    /// What each part contributed of them.
    pub sections: Vec<PartNotes>,
    /// Its sizes.
    pub metrics: AssemblyMetrics,
    /// Faults of the footnotes, and parts without words.
    pub faults: Vec<Fault>,
}

/// Puts a document together. The same parts give the same bytes.
///
/// A part whose text does not begin with a heading gets one of the second level from its number and title.
pub fn assemble(title: &TitlePage, parts: &[Part], rubric: &AssemblyRubric) -> Assembly {
    let numbers = renumber(parts, &rubric.notes);
    let mut faults = numbers.faults;
    let empty = numbers.parts.iter().filter(|part| words(&part.markdown) == 0);
    faults.extend(empty.map(|part| Fault::new(Location::at(&part.id), Rule::Empty, "no words")));
    let parts: Vec<Part> = numbers.parts.into_iter().map(with_heading).collect();
    let toc = toc::entries(&parts, rubric.toc_depth.unwrap_or(2).clamp(1, 6));
    let mut blocks: Vec<String> = Vec::new();
    if !title.title.trim().is_empty() {
        let mut page = format!("# {}", title.title.trim());
        for line in &title.lines {
            let _ = write!(page, "\n\n{}", line.trim());
        }
        page.push_str("\n\n---");
        blocks.push(page);
    }
    if let Some(heading) = rubric.toc_title.as_deref().filter(|_| !toc.is_empty()) {
        blocks.push(format!("## {heading}\n\n{}", toc::markdown(&toc).trim_end()));
    }
    blocks.extend(parts.iter().map(|part| part.markdown.trim().to_owned()));
    if !numbers.rows.is_empty() {
        if let Some(heading) = &rubric.notes_title {
            blocks.push(format!("## {heading}"));
        }
        blocks.push(consolidated(&numbers.rows).trim_end().to_owned());
    }
    blocks.extend(rubric.footer.iter().map(|footer| footer.trim().to_owned()));
    let mut markdown = blocks.join("\n\n");
    markdown.push('\n');
    let metrics = AssemblyMetrics {
        line_count: markdown.lines().count() as u64,
        file_size_kb: markdown.len().div_ceil(1_024) as u64,
        word_count: words(&markdown),
        sections_count: u32::try_from(parts.len()).unwrap_or(u32::MAX),
        footnote_count: u32::try_from(numbers.rows.len()).unwrap_or(u32::MAX),
    };
    Assembly { markdown, toc, notes: numbers.rows, sections: numbers.sections, metrics, faults }
}

fn with_heading(part: Part) -> Part {
    let first = prose(&part.markdown).lines.into_iter().find(|line| !line.text.trim().is_empty());
    let begins = first.is_some_and(|line| heading(line.text).is_some());
    let names = [part.number.trim(), part.title.trim()];
    let title = names.into_iter().filter(|name| !name.is_empty()).collect::<Vec<_>>().join(". ");
    if begins || title.is_empty() {
        return part;
    }
    Part { markdown: format!("## {title}\n\n{}", part.markdown.trim_start_matches('\n')), ..part }
}
