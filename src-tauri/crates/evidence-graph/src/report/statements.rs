//! A report that an agent wrote, held against the claims that it names: each statement says what its claims say, or gives way
//! to their own words.
//!
//! A statement is what stands before a run of footnote marks in a line, or a row of a table with marks. A mark leads to a
//! claim by its label (`[^c12]`) or by the end of its note (`[c12]`). Code and text without marks are not statements of
//! claims.

use std::collections::{BTreeMap, BTreeSet};

use domain::mission::ItemId;

use super::{cell, many, one_line};
use crate::graph::Graph;
use crate::item::{Claim, ItemKind};
use crate::keys::{stems_of_key, text_key};
use crate::statement::Grounds;

/// A report as it may stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordedReport {
    /// The report, Markdown.
    pub markdown: String,
    /// Statements that said something else than their claims; the claims' own words stand in their place.
    pub restated: u32,
}

/// Holds a report against the claims that its statements name.
pub fn worded(markdown: &str, graph: &Graph) -> WordedReport {
    let notes = Notes::of(markdown);
    let mut wording = Wording { graph, names: names(graph), notes: &notes, restated: 0, rows: 0 };
    let mut is_code = false;
    let lines: Vec<String> = markdown
        .split('\n')
        .map(|line| {
            is_code ^= is_fence(line);
            let is_text = !is_code && !is_fence(line) && definition(line).is_none();
            match line.trim_start().starts_with('|') {
                _ if !is_text => line.to_owned(),
                true => wording.row(line),
                false => wording.line(line),
            }
        })
        .collect();
    let restated = wording.restated;
    WordedReport { markdown: lines.join("\n"), restated }
}

/// What was done to a report that an agent wrote, in words: statements that were restated, claims that it was not shown.
pub fn remarks(restated: u32, left_out: u32) -> Vec<String> {
    let mut remarks = Vec::new();
    if restated > 0 {
        let whose = if restated == 1 { "its claims and is" } else { "their claims and are" };
        remarks.push(format!(
            "{} differed from {whose} given in the claims' words",
            many(restated, "statement")
        ));
    }
    if left_out > 0 {
        let is = if left_out == 1 { "was" } else { "were" };
        remarks
            .push(format!("{} of the lowest confidence {is} left out for length", many(left_out, "claim")));
    }
    remarks
}

/// The same report with remarks below its title and what stands there in quotation.
pub fn remarked(markdown: &str, remarks: &[String]) -> String {
    if remarks.is_empty() {
        return markdown.to_owned();
    }
    let lines: Vec<&str> = markdown.split('\n').collect();
    let is_head = |line: &&str| line.trim().is_empty() || line.starts_with('>') || line.starts_with("# ");
    let head = lines.iter().take_while(|line| is_head(line)).count();
    let (head, rest) = (lines[..head].join("\n"), lines[head..].join("\n"));
    let head = head.trim_end();
    let space = if head.is_empty() { "" } else { "\n\n" };
    format!("{head}{space}> {}.\n\n{rest}", remarks.join("; "))
}

/// The claims that a report names outside its notes, line by line.
pub(super) fn named(markdown: &str) -> Vec<(&str, Vec<ItemId>)> {
    let notes = Notes::of(markdown);
    let mut is_code = false;
    let mut found = Vec::new();
    for line in markdown.split('\n') {
        is_code ^= is_fence(line);
        if !is_code && definition(line).is_none() {
            found.push((line, pieces(line).iter().flat_map(|piece| notes.claims(&piece.labels)).collect()));
        }
    }
    found
}

/// Where the notes at the end of a report begin; its end where there are none.
pub(super) fn notes_at(markdown: &str) -> usize {
    let (mut is_code, mut at, mut from) = (false, 0, None);
    for line in markdown.split_inclusive('\n') {
        is_code ^= is_fence(line);
        if !is_code && definition(line).is_some() {
            from.get_or_insert(at);
        } else if is_code || !(line.trim().is_empty() || line.starts_with([' ', '\t'])) {
            from = None;
        }
        at += line.len();
    }
    from.unwrap_or(markdown.len())
}

/// The claim of each footnote.
struct Notes<'t>(BTreeMap<&'t str, ItemId>);

impl<'t> Notes<'t> {
    fn of(markdown: &'t str) -> Self {
        let mut notes = BTreeMap::new();
        let mut is_code = false;
        for line in markdown.split('\n') {
            is_code ^= is_fence(line);
            let Some((label, note)) = definition(line).filter(|_| !is_code) else { continue };
            let end = note.trim_end().strip_suffix(']').and_then(|note| note.rsplit_once('['));
            if let Some(claim) = end.and_then(|(_, id)| claim_id(id)).or_else(|| claim_id(label)) {
                notes.insert(label, claim);
            }
        }
        Self(notes)
    }

    fn claims(&self, labels: &[&str]) -> Vec<ItemId> {
        let mut claims: Vec<ItemId> = Vec::new();
        for label in labels {
            let claim = self.0.get(label).cloned().or_else(|| claim_id(label));
            claims.extend(claim.filter(|claim| !claims.contains(claim)));
        }
        claims
    }
}

fn claim_id(text: &str) -> Option<ItemId> {
    let id = ItemId(text.to_owned());
    ItemKind::place(&id).filter(|(kind, _)| *kind == ItemKind::Claim).map(|_| id)
}

/// Whether code begins or ends in a line; a line with marks is a statement, however it begins.
fn is_fence(line: &str) -> bool {
    let start = line.trim_start();
    (start.starts_with("```") || start.starts_with("~~~")) && !line.contains("[^")
}

/// The label and the text of a footnote.
fn definition(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix("[^")?.split_once("]:")
}

/// A piece of a line: its text, and the marks that follow it.
#[derive(Default)]
struct Piece<'t> {
    text: &'t str,
    /// The marks as they are written.
    marks: &'t str,
    labels: Vec<&'t str>,
}

/// A line in its pieces, in order; what stands after the last mark is a piece without marks.
fn pieces(line: &str) -> Vec<Piece<'_>> {
    let mut found: Vec<Piece<'_>> = Vec::new();
    let (mut from, mut at) = (0, 0);
    while let Some(open) = line[at..].find("[^").map(|open| at + open) {
        let Some(close) = line[open..].find(']').map(|close| open + close) else { break };
        let label = &line[open + 2..close];
        match found.last_mut() {
            // Another mark of the same run.
            Some(last) if line[from..open].trim_matches([' ', ',']).is_empty() => {
                last.labels.push(label);
                last.marks = &line[from - last.marks.len()..close + 1];
            }
            _ => found.push(Piece {
                text: &line[from..open],
                marks: &line[open..close + 1],
                labels: vec![label],
            }),
        }
        (from, at) = (close + 1, close + 1);
    }
    if from < line.len() {
        found.push(Piece { text: &line[from..], ..Piece::default() });
    }
    found
}

/// Stems of names: of entities, and of what claims write with a capital letter inside a sentence.
fn names(graph: &Graph) -> BTreeSet<String> {
    let mut names: BTreeSet<String> = BTreeSet::new();
    for entity in graph.entities() {
        names.extend(stems_of_key(&entity.key));
        names.extend(entity.aliases.iter().flat_map(|alias| {
            let key = text_key(alias);
            stems_of_key(&key).collect::<Vec<_>>()
        }));
    }
    names.extend(graph.index.statements.iter().flat_map(|statement| statement.inner_names()));
    names
}

struct Wording<'g> {
    graph: &'g Graph,
    names: BTreeSet<String>,
    notes: &'g Notes<'g>,
    restated: u32,
    /// Rows of the table so far.
    rows: usize,
}

impl<'g> Wording<'g> {
    /// The claims of marks, as far as the graph has them.
    fn claims(&self, labels: &[&str]) -> Vec<&'g Claim> {
        self.notes.claims(labels).iter().filter_map(|id| self.graph.claim(id)).collect()
    }

    fn grounds(&self, claims: &[&Claim]) -> Grounds {
        let mut grounds = Grounds::default();
        for claim in claims {
            let cited: Vec<_> =
                self.graph.cited(&claim.citations).filter(|(one, _)| one.supports()).collect();
            let quotes = cited.iter().map(|(citation, _)| citation.quote.as_str());
            let entities = claim.entities.iter().filter_map(|id| self.graph.entity(id));
            let about = entities.flat_map(|one| std::iter::once(&one.name).chain(&one.aliases));
            grounds.claim(
                &claim.text,
                claim.wordings.iter().map(String::as_str).chain(quotes),
                about.map(String::as_str),
            );
            for (citation, source) in &cited {
                grounds.source(&source.title);
                let places =
                    [&citation.paragraph, &source.published, &citation.page.map(|page| page.to_string())];
                places.into_iter().flatten().for_each(|place| grounds.source(place));
            }
            for id in &claim.answers {
                let gap = || self.graph.gaps.get(id).map(|gap| &gap.question);
                let asked = self.graph.questions.get(id).map(|question| &question.text);
                asked.or_else(gap).into_iter().for_each(|text| grounds.question(text));
            }
        }
        grounds
    }

    /// A line of text: each piece that says something else gives way to the words of its claims.
    fn line(&mut self, line: &str) -> String {
        self.rows = 0;
        let body = line.trim_start();
        let body = body.trim_start_matches(['>', '#', ' ']);
        let digits = body.trim_start_matches(|c: char| c.is_ascii_digit());
        let item = [body.strip_prefix("- "), body.strip_prefix("* "), body.strip_prefix("+ ")];
        let numbered = [digits.strip_prefix(". "), digits.strip_prefix(") ")];
        let numbered =
            numbered.into_iter().flatten().find(|_| (1..=3).contains(&(body.len() - digits.len())));
        let body = item.into_iter().flatten().next().or(numbered).unwrap_or(body);
        let mut out = line[..line.len() - body.len()].to_owned();
        for piece in pieces(body) {
            let claims = self.claims(&piece.labels);
            let grounds = self.grounds(&claims);
            let differs = || {
                let text = piece.text;
                let more = grounds.more(text, &self.names);
                more.or_else(|| grounds.other(text)).or_else(|| grounds.surer(text)).is_some()
            };
            if !claims.is_empty() && differs() {
                let start = piece.text.trim_start_matches(['.', ',', ';', ':', ' ']);
                out.push_str(&piece.text[..piece.text.len() - start.len()]);
                out.push_str(&words(&claims));
                self.restated += 1;
            } else {
                out.push_str(piece.text);
            }
            out.push_str(piece.marks);
        }
        out
    }

    /// A row of a table: what a cell says that no claim of the row says, gives way to the words of the claims.
    fn row(&mut self, line: &str) -> String {
        let cells = cells(line);
        let labels: Vec<&str> =
            cells.iter().flat_map(|cell| pieces(cell)).flat_map(|piece| piece.labels).collect();
        let claims = self.claims(&labels);
        if claims.is_empty() {
            return line.to_owned();
        }
        self.rows += 1;
        let grounds = self.grounds(&claims);
        let texts: Vec<String> = cells.iter().map(|cell| plain(cell)).collect();
        let is_place = |at: usize| at == 0 && texts[0].trim_end_matches(['.', ')']) == self.rows.to_string();
        let says_more = |at: &usize| !is_place(*at) && grounds.more(&texts[*at], &self.names).is_some();
        let mut wrong: Vec<usize> = (0..texts.len()).filter(says_more).collect();
        // Cells are no sentences of their own: a negation may stand in any of them.
        if wrong.is_empty() && grounds.other(&texts.join(". ")).is_some() {
            wrong.extend(cells.iter().rposition(|cell| cell.contains("[^")));
        }
        let Some(first) = wrong.first().copied() else { return line.to_owned() };
        self.restated += 1;
        let own = cell(&words(&claims));
        let replaced: Vec<String> = (0..cells.len())
            .map(|at| {
                let marks: String = pieces(cells[at]).iter().map(|piece| piece.marks).collect();
                match wrong.contains(&at) {
                    true if at == first => format!(" {own}{marks} "),
                    true => format!(" \u{2013}{marks} "),
                    false => cells[at].to_owned(),
                }
            })
            .collect();
        let indent = &line[..line.len() - line.trim_start().len()];
        format!("{indent}|{}|", replaced.join("|"))
    }
}

/// The words of claims, as a report may hold them.
fn words(claims: &[&Claim]) -> String {
    let texts: Vec<String> = claims.iter().map(|claim| one_line(&claim.text).replace("[^", "[")).collect();
    texts.join(" ")
}

/// The cells of a row, as they are written.
fn cells(line: &str) -> Vec<&str> {
    let row = line.trim();
    let row = row.strip_prefix('|').unwrap_or(row);
    let row = row.strip_suffix('|').filter(|rest| !rest.ends_with('\\')).unwrap_or(row);
    let (mut found, mut from, mut before) = (Vec::new(), 0, ' ');
    for (at, c) in row.char_indices() {
        if c == '|' && before != '\\' {
            found.push(&row[from..at]);
            from = at + 1;
        }
        before = c;
    }
    found.push(&row[from..]);
    found
}

/// The text of a cell without marks.
fn plain(cell: &str) -> String {
    pieces(cell).iter().map(|piece| piece.text).collect::<String>().trim().to_owned()
}
