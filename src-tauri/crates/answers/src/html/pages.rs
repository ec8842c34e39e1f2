//! A document with pages as one HTML page: its footnotes stand at the end, and marks lead there and back.

use std::collections::{BTreeMap, BTreeSet};

use docx::{
    Block, Cell, Change, HeadingLevel, Link, List, ParagraphStyle, Run, RunContent, Table, TableAlignment,
    WordDocument,
};

use super::page;
use crate::text;

/// Writes a document as one self-contained HTML page: no script, no request, light and dark, fit for print. Changes of a
/// revision are marked as such.
///
/// # Errors
/// A document that is larger than [`docx::note_order`] allows.
pub fn to_html_of_pages(document: &WordDocument) -> Result<String, docx::DocxError> {
    let order = docx::note_order(document)?;
    let numbers = order.iter().enumerate().map(|(at, index)| (*index, at + 1)).collect();
    let mut places = BTreeMap::new();
    collect(&document.blocks, &mut places);
    let mut writer = Writer { numbers, places, ..Writer::default() };
    let marking = match document.marking.as_str() {
        "" => String::new(),
        words => format!("<p class=\"notice\" dir=\"auto\">{}</p>\n", text::html(words)),
    };
    let mut out = format!(
        "<a class=\"skip\" href=\"#answer\">Skip to the text</a>\n<header>\n{marking}<h1 dir=\"auto\">{}</h1>\n",
        text::html(&document.title)
    );
    for line in &document.subtitle {
        out.push_str(&format!("<p class=\"question\" dir=\"auto\">{}</p>\n", writer.runs(line)));
    }
    out.push_str("</header>\n");
    writer.blocks(&document.blocks);
    let body = std::mem::take(&mut writer.out);
    out.push_str(&writer.contents(&document.blocks));
    out.push_str(&format!("<main id=\"answer\" tabindex=\"-1\" dir=\"auto\">\n{body}</main>\n"));
    if !order.is_empty() {
        out.push_str("<footer>\n<h2 id=\"notes\">Footnotes</h2>\n<ol>\n");
        for index in order {
            let number = writer.numbers.get(&index).copied().unwrap_or_default();
            writer.in_notes = true;
            if let Some(note) = document.notes.get(index) {
                writer.blocks(&note.blocks);
            }
            let words = std::mem::take(&mut writer.out);
            out.push_str(&format!(
                "<li id=\"note-{number}\" dir=\"auto\">{words}<a class=\"back\" href=\"#mark-{number}\" \
                 aria-label=\"Back to the text\">\u{21a9}</a></li>\n"
            ));
        }
        out.push_str("</ol>\n</footer>\n");
    }
    Ok(page(&document.title, &out))
}

#[derive(Default)]
struct Writer {
    out: String,
    /// The number of each footnote, by its index.
    numbers: BTreeMap<usize, usize>,
    /// The number of each place that links lead to.
    places: BTreeMap<String, usize>,
    placed: BTreeSet<usize>,
    marked: BTreeSet<usize>,
    headings: usize,
    in_notes: bool,
    in_table: bool,
}

/// Numbers the places of a document.
fn collect(blocks: &[Block], places: &mut BTreeMap<String, usize>) {
    let add = |place: &Option<String>, places: &mut BTreeMap<String, usize>| {
        if let Some(place) = place {
            let next = places.len() + 1;
            places.entry(place.clone()).or_insert(next);
        }
    };
    for block in blocks {
        match block {
            Block::Heading { place, .. } => add(place, places),
            Block::Paragraph(paragraph) => add(&paragraph.place, places),
            Block::List(list) => list.items.iter().for_each(|item| collect(item, places)),
            Block::Quote(inner) | Block::Changed(_, inner) => collect(inner, places),
            Block::Table(table) => {
                let cells = table.header.iter().chain(table.rows.iter().flatten());
                cells.for_each(|cell| add(&cell.place, places));
            }
            Block::Code(_) | Block::Contents(_) | Block::Rule | Block::PageBreak => {}
        }
    }
}

impl Writer {
    fn blocks(&mut self, blocks: &[Block]) {
        for block in blocks {
            self.block(block);
        }
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Heading { level, runs, place } => {
                self.headings += 1;
                // The title is the first level; footnotes have no headings.
                let name = if self.in_notes { "h6".to_owned() } else { format!("h{}", level.number() + 1) };
                let id =
                    if self.in_notes { String::new() } else { format!(" id=\"section-{}\"", self.headings) };
                let anchor = self.anchor(place.as_deref());
                let words = self.runs(runs);
                self.out.push_str(&format!("<{name}{id}>{anchor}{words}</{name}>\n"));
            }
            Block::Paragraph(paragraph) => {
                let class = match paragraph.style {
                    ParagraphStyle::Body => "",
                    ParagraphStyle::Caption => " class=\"place\"",
                    ParagraphStyle::Notice => " class=\"notice\"",
                };
                let anchor = self.anchor(paragraph.place.as_deref());
                let words = self.runs(&paragraph.runs);
                self.out.push_str(&format!("<p{class} dir=\"auto\">{anchor}{words}</p>\n"));
            }
            Block::List(list) => self.list(list),
            Block::Quote(inner) => self.within("blockquote", inner),
            Block::Changed(Change::Inserted, inner) => self.within("ins", inner),
            Block::Changed(Change::Deleted, inner) => self.within("del", inner),
            Block::Code(code) => {
                self.out.push_str(&format!("<pre><code>{}</code></pre>\n", text::html(code)))
            }
            Block::Table(table) => self.table(table),
            Block::Rule => self.out.push_str("<hr>\n"),
            // The list of headings stands before the text.
            Block::Contents(_) | Block::PageBreak => {}
        }
    }

    fn within(&mut self, name: &str, blocks: &[Block]) {
        self.out.push_str(&format!("<{name}>\n"));
        self.blocks(blocks);
        self.out.push_str(&format!("</{name}>\n"));
    }

    fn list(&mut self, list: &List) {
        let (open, close) = match list.start {
            Some(1) => ("<ol>".to_owned(), "</ol>"),
            Some(start) => (format!("<ol start=\"{start}\">"), "</ol>"),
            None => ("<ul>".to_owned(), "</ul>"),
        };
        self.out.push_str(&format!("{open}\n"));
        for item in &list.items {
            self.out.push_str("<li>");
            match item.as_slice() {
                [Block::Paragraph(only)] if only.place.is_none() => {
                    let words = self.runs(&only.runs);
                    self.out.push_str(&words);
                }
                blocks => self.blocks(blocks),
            }
            self.out.push_str("</li>\n");
        }
        self.out.push_str(&format!("{close}\n"));
    }

    fn table(&mut self, table: &Table) {
        self.out.push_str("<div class=\"scroll\"><table>\n");
        if !table.header.is_empty() {
            self.out.push_str("<thead>");
            self.row(&table.header, table, "th scope=\"col\"", None);
            self.out.push_str("</thead>\n");
        }
        self.out.push_str("<tbody>\n");
        for (at, row) in table.rows.iter().enumerate() {
            self.row(row, table, "td", table.changes.get(&at).copied());
        }
        self.out.push_str("</tbody>\n</table></div>\n");
    }

    fn row(&mut self, row: &[Cell], table: &Table, tag: &str, change: Option<Change>) {
        self.out.push_str("<tr>");
        for (column, cell) in row.iter().enumerate() {
            let side = match table.alignments.get(column).copied().unwrap_or_default() {
                TableAlignment::Start => "",
                TableAlignment::Center => " style=\"text-align: center\"",
                TableAlignment::End => " style=\"text-align: right\"",
            };
            let anchor = self.anchor(cell.place.as_deref());
            self.in_table = true;
            let words = changed(&self.runs(&cell.runs), change);
            self.in_table = false;
            let name = &tag[..2];
            self.out.push_str(&format!("<{tag}{side} dir=\"auto\">{anchor}{words}</{name}>"));
        }
        self.out.push_str("</tr>\n");
    }

    /// The place of a block; the first one with it has it.
    fn anchor(&mut self, place: Option<&str>) -> String {
        let Some(number) = place.and_then(|place| self.places.get(place)).copied() else {
            return String::new();
        };
        if self.in_notes || !self.placed.insert(number) {
            return String::new();
        }
        format!("<a id=\"place-{number}\"></a>")
    }

    fn runs(&mut self, runs: &[Run]) -> String {
        runs.iter().map(|run| self.run(run)).collect()
    }

    fn run(&mut self, run: &Run) -> String {
        let words = match &run.content {
            // A column of file names is no wider than their parts: what is wider than the page is cut where it is printed.
            RunContent::Text(words) if self.in_table => {
                text::html(words).replace('_', "_<wbr>").replace('\n', "<br>")
            }
            RunContent::Text(words) => text::html(words).replace('\n', "<br>"),
            RunContent::Break => "<br>".to_owned(),
            RunContent::NoteMark(index) => {
                let number = self.numbers.get(index).copied().unwrap_or_default();
                let is_first = !self.in_notes && self.marked.insert(number);
                let id = if is_first { format!(" id=\"mark-{number}\"") } else { String::new() };
                format!("<sup><a{id} href=\"#note-{number}\">{number}</a></sup>")
            }
            RunContent::NoteNumber(index) => {
                let number = self.numbers.get(index).copied().unwrap_or_default();
                format!("<a href=\"#note-{number}\">{number}</a>")
            }
        };
        let looks = [
            (run.format.code, "code"),
            (run.format.bold, "strong"),
            (run.format.italic, "em"),
            (run.format.strike, "s"),
            (run.format.highlight, "mark"),
            (run.format.raised, "sup"),
        ];
        let shown = looks
            .iter()
            .filter(|(has, _)| *has)
            .fold(words, |words, (_, name)| format!("<{name}>{words}</{name}>"));
        let linked = match &run.link {
            Some(Link::Web(address)) => {
                format!("<a href=\"{}\" rel=\"noreferrer\">{shown}</a>", text::html(address.as_str()))
            }
            Some(Link::Place(place)) => match self.places.get(place) {
                Some(number) => format!("<a href=\"#place-{number}\">{shown}</a>"),
                None => shown,
            },
            None => shown,
        };
        changed(&linked, run.change)
    }

    /// The headings of the text, where the document has a list of them.
    fn contents(&self, blocks: &[Block]) -> String {
        let Some(depth) = blocks.iter().find_map(|block| match block {
            Block::Contents(contents) => Some(contents.depth.min(HeadingLevel::Third)),
            _ => None,
        }) else {
            return String::new();
        };
        let mut listed = Vec::new();
        headings(blocks, &mut listed);
        let mut out = "<nav aria-label=\"Contents\">\n<ul>\n".to_owned();
        for (at, (level, words)) in listed.iter().enumerate() {
            if *level <= depth && !words.is_empty() {
                out.push_str(&format!(
                    "<li><a href=\"#section-{}\">{}</a></li>\n",
                    at + 1,
                    text::html(words)
                ));
            }
        }
        out.push_str("</ul>\n</nav>\n");
        out
    }
}

/// Every heading in the order of the text; those that were taken out without words.
fn headings(blocks: &[Block], out: &mut Vec<(HeadingLevel, String)>) {
    for block in blocks {
        match block {
            Block::Heading { level, runs, .. } => out.push((*level, docx::plain_text(runs))),
            Block::List(list) => list.items.iter().for_each(|item| headings(item, out)),
            Block::Changed(Change::Deleted, inner) => {
                let from = out.len();
                headings(inner, out);
                out.iter_mut().skip(from).for_each(|(_, words)| words.clear());
            }
            Block::Quote(inner) | Block::Changed(Change::Inserted, inner) => headings(inner, out),
            Block::Paragraph(_)
            | Block::Code(_)
            | Block::Table(_)
            | Block::Contents(_)
            | Block::Rule
            | Block::PageBreak => {}
        }
    }
}

fn changed(words: &str, change: Option<Change>) -> String {
    match change {
        Some(Change::Inserted) => format!("<ins>{words}</ins>"),
        Some(Change::Deleted) => format!("<del>{words}</del>"),
        None => words.to_owned(),
    }
}
