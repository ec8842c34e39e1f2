//! The statements of a document as a table for a spreadsheet: comma-separated values (RFC 4180), UTF-8 with a mark that
//! spreadsheets know it by.

use domain::CitationRecord;

use crate::citation_index::verdict_word;
use crate::{Citation, Document, Statement, text};

/// The heads of a table of statements.
pub const STATEMENT_COLUMNS: [&str; 8] =
    ["statement", "text", "state", "why", "file and page", "paragraph", "quote", "citation"];

/// The statements as comma-separated values.
pub fn to_csv(document: &Document) -> String {
    let mut out = String::from('\u{feff}');
    row(&mut out, &STATEMENT_COLUMNS.map(str::to_owned));
    for cells in statement_rows(document) {
        row(&mut out, &cells);
    }
    out
}

/// One row for each citation of each statement; one row for a statement without a citation.
pub fn statement_rows(document: &Document) -> Vec<[String; 8]> {
    let mut rows = Vec::new();
    for statement in &document.statements {
        let record = document.records.iter().find(|record| record.n == statement.n);
        let citations = record.map(|record| record.citations.as_slice()).unwrap_or_default();
        if citations.is_empty() {
            rows.push(cells(document, statement, None));
        }
        for citation in citations {
            rows.push(cells(document, statement, Some(citation)));
        }
    }
    rows
}

fn cells(document: &Document, statement: &Statement, citation: Option<&CitationRecord>) -> [String; 8] {
    let of = |name: &dyn Fn(&CitationRecord) -> String| citation.map(name).unwrap_or_default();
    let place = |citation: &CitationRecord| {
        let id = citation.paragraph_id.as_ref();
        let known = document.citations.iter().find(|known| id.is_some() && known.paragraph_id.as_ref() == id);
        let file = || citation.document.as_ref().map(|document| document.name.clone());
        let shown = |known: &Citation| known.label.clone().or_else(|| known.place.clone());
        citation.label.clone().or_else(|| known.and_then(shown)).or_else(file).unwrap_or_default()
    };
    [
        statement.n.to_string(),
        statement.text.clone(),
        statement.state.as_str().to_owned(),
        statement.reason_text(),
        of(&place),
        of(&|citation| citation.paragraph_id.clone().unwrap_or_else(|| citation.source_ref.clone())),
        of(&|citation| citation.quote.clone()),
        of(&|citation| verdict_word(citation.verdict).to_owned()),
    ]
}

fn row(out: &mut String, cells: &[String]) {
    for (at, cell) in cells.iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        let words = text::one_line(cell);
        // A spreadsheet takes such a beginning for a formula: words of others must not compute anything.
        let guard = if words.starts_with(['=', '+', '-', '@']) { "'" } else { "" };
        out.push('"');
        out.push_str(guard);
        out.push_str(&words.replace('"', "\"\""));
        out.push('"');
    }
    out.push_str("\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_holds_quotes_and_commas_and_computes_nothing() {
        let mut out = String::new();
        row(&mut out, &["a \"b\", c".to_owned(), "=1+1".to_owned(), "two\nlines".to_owned()]);
        assert_eq!(out, "\"a \"\"b\"\", c\",\"'=1+1\",\"two lines\"\r\n");
    }
}
