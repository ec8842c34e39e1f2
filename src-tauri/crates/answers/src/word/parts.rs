//! The sections that code writes.

use docx::{Block, Cell, List, Run, Table, TableAlignment};

use crate::citation_index::verdict_word;
use crate::word::body::page;
use crate::word::{Parts, plain};
use crate::{Document, VerificationSummary, markdown, markers};

use TableAlignment::{End, Start};

impl Parts<'_, '_> {
    /// Each statement with its state and why.
    pub(super) fn statements(&self) -> Block {
        let rows = self.document.statements.iter().map(|one| {
            let place = Some(self.place(&format!("statement-{}", one.n)));
            vec![
                Cell { place, ..Cell::text(one.n.to_string()) },
                Cell::text(one.text.clone()),
                Cell::text(format!("{} {}", one.state.sign(), one.state.as_str())),
                Cell::text(one.reason_text()),
            ]
        });
        table(&[End, Start, Start, Start], &["#", "Statement", "State", "Why"], rows.collect())
    }

    /// The table of citations.
    pub(super) fn citations(&self) -> Block {
        let rows = self.document.citations.iter().flat_map(|citation| {
            citation.rows().into_iter().map(|row| {
                let link = docx::Link::Place(self.place(&citation.anchor()));
                vec![
                    Cell::text(citation.number.to_string()),
                    Cell { runs: vec![Run::linked(citation.name(), link)], place: None },
                    Cell::text(row.verdict.clone()),
                    Cell::text(row.uses()),
                    Cell::text(row.claims),
                ]
            })
        });
        let head = ["#", "Citation", "Verdict", "Uses", "Claim"];
        table(&[End, Start, Start, End, Start], &head, rows.collect())
    }

    /// The pages of the run.
    pub(super) fn external(&self) -> Block {
        let document = self.document;
        let items = document.web_references.iter().enumerate().map(|(index, reference)| {
            let label = markers::web_label(&document.web_label, index + 1);
            let mut runs =
                vec![Run::text(format!("{label} ")), page(&reference.title, Some(&reference.url), document)];
            if !reference.insight.is_empty() {
                runs.push(Run::text(format!(" - {}", reference.insight)));
            }
            vec![self.entry(&format!("web-{}", index + 1), runs)]
        });
        Block::List(List { start: None, items: items.collect() })
    }

    /// The sections of the earlier answer that the body points to.
    pub(super) fn prior(&self) -> Block {
        let earlier = self.document.earlier.iter();
        let named =
            earlier.map(|one| vec![line(format!("Earlier answer: {} ({})", one.title, one.details()))]);
        let items = self.document.prior_references.iter().map(|one| {
            let line = format!("[P{}] {} - {}", one.number, one.heading, one.excerpt);
            vec![self.entry(&format!("prior-{}", one.number), vec![Run::text(line)])]
        });
        Block::List(List { start: None, items: named.chain(items).collect() })
    }

    /// What the answer does not cover or is not sure of.
    pub(super) fn limits(&self) -> Vec<Block> {
        let mut out = Vec::new();
        if let Some(confidence) = &self.document.limits.confidence {
            out.push(line(format!("Confidence stated by the answer: {confidence}")));
        }
        out.extend(markdown::uncited_count(self.document).map(line));
        for (heading, items) in markdown::limit_parts(self.document) {
            out.push(Block::heading(self.below(), heading));
            out.push(list(&items));
        }
        out
    }
}

/// Scores by axis and counts by verdict.
pub(super) fn verification(summary: &VerificationSummary) -> Vec<Block> {
    let mut out = vec![line(markdown::verified_line(summary))];
    let axes = markdown::judged_axes(summary);
    if !axes.is_empty() {
        let counted = markdown::counted(&axes);
        let rows = axes.iter().map(|axis| {
            let held = counted.then(|| markdown::axis_count(axis));
            let threshold = axis.threshold.map_or("-".to_owned(), |least| format!("{least:.2}"));
            let cells = std::iter::once(markdown::axis_name(&axis.name)).chain(held).chain([
                markdown::axis_score(axis),
                threshold,
                markdown::axis_result(axis).to_owned(),
            ]);
            cells.map(Cell::text).collect()
        });
        let (sides, head): (&[TableAlignment], &[&str]) = match counted {
            true => (&[Start, End, End, End, Start], &["Axis", "Held", "Score", "Threshold", "Result"]),
            false => (&[Start, End, End, Start], &["Axis", "Score", "Threshold", "Result"]),
        };
        out.push(table(sides, head, rows.collect()));
    }
    if !summary.counts.is_empty() {
        let row = |count: &crate::VerdictCount| {
            vec![Cell::text(verdict_word(count.verdict)), Cell::text(count.count.to_string())]
        };
        let rows = summary.counts.iter().map(row).collect();
        out.push(table(&[Start, End], &["Verdict", "Citations"], rows));
    }
    out
}

/// The queries of the plan.
pub(super) fn decomposition(document: &Document) -> Vec<Block> {
    let rows = document.queries.iter().enumerate().map(|(index, query)| {
        let cells =
            [(index + 1).to_string(), query.text.clone(), query.role.clone(), query.standards.join(", ")];
        cells.into_iter().map(Cell::text).collect()
    });
    let table = table(&[End, Start, Start, Start], &["#", "Query", "Role", "Standards"], rows.collect());
    vec![line(markdown::decomposition_line(document)), table]
}

/// A list of plain texts.
pub(super) fn list(items: &[String]) -> Block {
    let items = items.iter().map(|item| vec![Block::text(vec![plain(item)])]);
    Block::List(List { start: None, items: items.collect() })
}

fn line(text: String) -> Block {
    Block::text(vec![Run::text(text)])
}

fn table(alignments: &[TableAlignment], head: &[&str], rows: Vec<Vec<Cell>>) -> Block {
    let header = head.iter().map(|name| Cell::text(*name)).collect();
    Block::Table(Table { alignments: alignments.to_vec(), header, rows, ..Table::default() })
}
