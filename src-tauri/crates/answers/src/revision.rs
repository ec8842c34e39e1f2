//! Two versions of a document as one with tracked changes.

use docx::{Block, Cell, Change, Link, List, Note, Run, RunContent, Table, WordDocument, plain_text};

use crate::compare::alignment::{Stretch, align};
use crate::compare::pairs::{Pair, pairs};

/// The new version, with what the old one had and it has not as deletions, and what is new as insertions. Footnotes are
/// compared by their text, not by their number, and one whose text changed is a new one. The title and the lines below it
/// are the new ones.
pub fn revised(old: &WordDocument, new: &WordDocument) -> WordDocument {
    let mut notes = new.notes.clone();
    notes.extend(old.notes.iter().cloned());
    let revision = Revision { old: texts(&old.notes), new: texts(&new.notes) };
    let mut out = WordDocument { blocks: revision.blocks(&old.blocks, &new.blocks), notes, ..new.clone() };
    // Footnotes of the old version are named where they stand now, and none in another footnote: that one may be gone.
    for note in out.notes.iter_mut().skip(new.notes.len()) {
        docx::visit_runs(&mut note.blocks, &mut |runs| {
            runs.iter_mut().for_each(|run| revision.in_old_note(run))
        });
    }
    out
}

/// The text of each footnote.
struct Revision {
    old: Vec<String>,
    new: Vec<String>,
}

fn texts(notes: &[Note]) -> Vec<String> {
    notes.iter().map(|note| words_of(&note.blocks)).collect()
}

/// What is compared: a word with the white space behind it, or a sign.
#[derive(Debug, Clone)]
struct Token {
    run: Run,
    key: String,
}

impl PartialEq for Token {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Revision {
    fn blocks(&self, old: &[Block], new: &[Block]) -> Vec<Block> {
        let mut out = Vec::new();
        let keys = |blocks: &[Block], notes: &[String]| -> Vec<String> {
            blocks.iter().map(|block| key_of(block, notes)).collect()
        };
        for pair in pairs(&keys(old, &self.old), &keys(new, &self.new)) {
            match pair {
                // The same words: the new block with its places.
                Pair::Same(_, at) => out.push(new[at].clone()),
                Pair::Changed(before, at) => self.block(&old[before], &new[at], &mut out),
                Pair::Left(before) => self.deleted(&old[before], &mut out),
                Pair::Right(at) => inserted(&new[at], &mut out),
            }
        }
        out
    }

    /// A block that took the place of another.
    fn block(&self, old: &Block, new: &Block, out: &mut Vec<Block>) {
        match (old, new) {
            (Block::Heading { runs: before, .. }, Block::Heading { level, runs, place }) => {
                let runs = self.runs(before, runs);
                out.push(Block::Heading { level: *level, runs, place: place.clone() });
            }
            (Block::Paragraph(before), Block::Paragraph(after)) if before.style == after.style => {
                let mut paragraph = after.clone();
                paragraph.runs = self.runs(&before.runs, &after.runs);
                out.push(Block::Paragraph(paragraph));
            }
            (Block::List(before), Block::List(after)) if before.start.is_some() == after.start.is_some() => {
                out.push(Block::List(self.list(before, after)));
            }
            (Block::Quote(before), Block::Quote(after)) => out.push(Block::Quote(self.blocks(before, after))),
            (Block::Table(before), Block::Table(after)) if columns(before) == columns(after) => {
                out.push(Block::Table(self.table(before, after)));
            }
            _ => {
                self.deleted(old, out);
                inserted(new, out);
            }
        }
    }

    fn list(&self, old: &List, new: &List) -> List {
        let keys = |list: &List, notes: &[String]| -> Vec<String> {
            list.items.iter().map(|item| item.iter().map(|block| key_of(block, notes)).collect()).collect()
        };
        let item = |pair| match pair {
            Pair::Same(_, at) => new.items[at].clone(),
            Pair::Changed(before, at) => self.blocks(&old.items[before], &new.items[at]),
            Pair::Left(before) => self.all_deleted(&old.items[before]),
            Pair::Right(at) => vec![Block::Changed(Change::Inserted, new.items[at].clone())],
        };
        let pairs = pairs(&keys(old, &self.old), &keys(new, &self.new));
        List { start: new.start, items: pairs.into_iter().map(item).collect() }
    }

    fn table(&self, old: &Table, new: &Table) -> Table {
        let mut table = Table { rows: Vec::new(), ..new.clone() };
        if row_key(&old.header, &self.old) != row_key(&new.header, &self.new) {
            table.header = self.row(&old.header, &new.header);
        }
        let keys = |table: &Table, notes: &[String]| -> Vec<String> {
            table.rows.iter().map(|row| row_key(row, notes)).collect()
        };
        for pair in pairs(&keys(old, &self.old), &keys(new, &self.new)) {
            let (row, change) = match pair {
                Pair::Same(_, at) => (new.rows[at].clone(), None),
                Pair::Changed(before, at) => (self.row(&old.rows[before], &new.rows[at]), None),
                Pair::Left(before) => {
                    let gone = |cell: &Cell| Cell { runs: self.gone(&cell.runs), place: None };
                    (old.rows[before].iter().map(gone).collect(), Some(Change::Deleted))
                }
                Pair::Right(at) => (new.rows[at].clone(), Some(Change::Inserted)),
            };
            table.changes.extend(change.map(|change| (table.rows.len(), change)));
            table.rows.push(row);
        }
        table
    }

    fn row(&self, old: &[Cell], new: &[Cell]) -> Vec<Cell> {
        (0..old.len().max(new.len()))
            .map(|column| {
                let runs = |row: &[Cell]| row.get(column).map(|cell| cell.runs.clone()).unwrap_or_default();
                let place = new.get(column).and_then(|cell| cell.place.clone());
                Cell { runs: self.runs(&runs(old), &runs(new)), place }
            })
            .collect()
    }

    /// The words of a line: those that stayed, those that went and those that came.
    fn runs(&self, old: &[Run], new: &[Run]) -> Vec<Run> {
        let (before, after) = (tokens(old, &self.old), tokens(new, &self.new));
        let mut out: Vec<Run> = Vec::new();
        let (mut x, mut y) = (0, 0);
        for stretch in align(&before, &after) {
            match stretch {
                Stretch::Same(count) => {
                    after[y..y + count].iter().for_each(|token| push(&mut out, token.run.clone()));
                    (x, y) = (x + count, y + count);
                }
                Stretch::Left(count) => {
                    for token in &before[x..x + count] {
                        let mut run = token.run.clone();
                        self.in_old(&mut run);
                        push(&mut out, Run { change: Some(Change::Deleted), ..run });
                    }
                    x += count;
                }
                Stretch::Right(count) => {
                    for token in &after[y..y + count] {
                        push(&mut out, Run { change: Some(Change::Inserted), ..token.run.clone() });
                    }
                    y += count;
                }
            }
        }
        out
    }

    fn deleted(&self, block: &Block, out: &mut Vec<Block>) {
        // A new list of headings, or a page, is no change of the text.
        if matches!(block, Block::Contents(_) | Block::PageBreak | Block::Rule) {
            return;
        }
        out.extend(self.all_deleted(std::slice::from_ref(block)));
    }

    fn all_deleted(&self, blocks: &[Block]) -> Vec<Block> {
        let mut blocks = blocks.to_vec();
        without_places(&mut blocks);
        docx::visit_runs(&mut blocks, &mut |runs| runs.iter_mut().for_each(|run| self.in_old(run)));
        vec![Block::Changed(Change::Deleted, blocks)]
    }

    fn gone(&self, runs: &[Run]) -> Vec<Run> {
        let mut runs = runs.to_vec();
        runs.iter_mut().for_each(|run| self.in_old(run));
        runs
    }

    /// Of the old version: its footnotes stand behind the new ones, its places are gone.
    fn in_old(&self, run: &mut Run) {
        if let RunContent::NoteMark(index) | RunContent::NoteNumber(index) = &mut run.content {
            *index += self.new.len();
        }
        if matches!(run.link, Some(Link::Place(_))) {
            run.link = None;
        }
    }

    /// In a footnote of the old version: another that it names may stand in no text any more.
    fn in_old_note(&self, run: &mut Run) {
        if let RunContent::NoteMark(_) | RunContent::NoteNumber(_) = run.content {
            run.content = RunContent::Text("\u{2026}".to_owned());
        }
        if matches!(run.link, Some(Link::Place(_))) {
            run.link = None;
        }
    }
}

fn inserted(block: &Block, out: &mut Vec<Block>) {
    match block {
        Block::Contents(_) | Block::PageBreak | Block::Rule => out.push(block.clone()),
        _ => out.push(Block::Changed(Change::Inserted, vec![block.clone()])),
    }
}

/// Appends a run; what differs from the last one in words alone is added to it.
fn push(out: &mut Vec<Run>, run: Run) {
    if let (RunContent::Text(words), Some(last)) = (&run.content, out.last_mut())
        && (last.format, &last.link, last.change) == (run.format, &run.link, run.change)
        && let RunContent::Text(before) = &mut last.content
    {
        before.push_str(words);
        return;
    }
    out.push(run);
}

fn tokens(runs: &[Run], notes: &[String]) -> Vec<Token> {
    let mut out = Vec::new();
    for run in runs {
        match &run.content {
            RunContent::Text(text) => {
                for word in text.split_inclusive(char::is_whitespace) {
                    let run = Run { content: RunContent::Text(word.to_owned()), ..run.clone() };
                    out.push(Token { run, key: word.replace(char::is_whitespace, " ") });
                }
            }
            content @ (RunContent::Break | RunContent::NoteMark(_) | RunContent::NoteNumber(_)) => {
                out.push(Token { run: run.clone(), key: sign(content, notes) });
            }
        }
    }
    out
}

/// A sign as text: a footnote is its words.
fn sign(content: &RunContent, notes: &[String]) -> String {
    match content {
        RunContent::Text(text) => text.clone(),
        RunContent::Break => "\n".to_owned(),
        RunContent::NoteMark(index) | RunContent::NoteNumber(index) => {
            format!("\u{0}{}", notes.get(*index).map_or("", String::as_str))
        }
    }
}

/// What makes two blocks equal: kind, words and footnotes.
fn key_of(block: &Block, notes: &[String]) -> String {
    let line = |runs: &[Run]| line_key(runs, notes);
    match block {
        Block::Heading { level, runs, .. } => format!("{} {}", "#".repeat(level.number().into()), line(runs)),
        Block::Paragraph(paragraph) => line(&paragraph.runs),
        Block::List(list) => {
            let items = list.items.iter().flatten();
            items.map(|block| format!("- {}\n", key_of(block, notes))).collect()
        }
        Block::Quote(inner) | Block::Changed(_, inner) => {
            inner.iter().map(|block| format!("> {}\n", key_of(block, notes))).collect()
        }
        Block::Code(text) => format!("` {text}"),
        Block::Table(table) => {
            let rows = std::iter::once(&table.header).chain(&table.rows);
            rows.map(|row| format!("{}\n", row_key(row, notes))).collect()
        }
        Block::Contents(_) => "\u{1}contents".to_owned(),
        Block::Rule => "\u{1}rule".to_owned(),
        Block::PageBreak => "\u{1}page".to_owned(),
    }
}

fn row_key(row: &[Cell], notes: &[String]) -> String {
    row.iter().map(|cell| format!("| {} ", line_key(&cell.runs, notes))).collect()
}

fn line_key(runs: &[Run], notes: &[String]) -> String {
    let text: String = runs.iter().map(|run| sign(&run.content, notes)).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn words_of(blocks: &[Block]) -> String {
    let mut blocks = blocks.to_vec();
    let mut out: Vec<String> = Vec::new();
    docx::visit_runs(&mut blocks, &mut |runs| {
        out.push(plain_text(runs));
    });
    out.join(" ")
}

fn columns(table: &Table) -> usize {
    std::iter::once(&table.header).chain(&table.rows).map(Vec::len).max().unwrap_or(0)
}

/// Places of the old version: the new one may have them, too.
fn without_places(blocks: &mut [Block]) {
    for block in blocks {
        match block {
            Block::Heading { place, .. } => *place = None,
            Block::Paragraph(paragraph) => paragraph.place = None,
            Block::List(list) => list.items.iter_mut().for_each(|item| without_places(item)),
            Block::Quote(inner) | Block::Changed(_, inner) => without_places(inner),
            Block::Table(table) => {
                let cells = table.header.iter_mut().chain(table.rows.iter_mut().flatten());
                cells.for_each(|cell| cell.place = None);
            }
            Block::Code(_) | Block::Contents(_) | Block::Rule | Block::PageBreak => {}
        }
    }
}
