//! XML of the Electronic Code of Federal Regulations: the full texts of ecfr.gov and the bulk titles of govinfo.gov
//! (`ECFR-XML-User-Guide`, U.S. Government Publishing Office, 2015).
//!
//! What the rules of the knowledge base get of it:
//! - A heading for each title, chapter, part, subpart, section and appendix: its number in `label` as it is cited
//!   (`200.516`, `Part 200`, `Subpart F`), the words of it as text, and as anchor its citation where the file or its
//!   surroundings give it (`2 CFR 200.516`), else the number.
//! - Each paragraph with its text as printed, the designators that it begins with included, and those in `label`
//!   (`(a)(1)`, `(iv)`); designators in italics, the two innermost levels, between asterisks (`(*1*)`).
//! - Authority, source, editorial notes and extracts as quotes; the source credits of sections and footnotes as
//!   footnotes. Both are not text of the regulation.

mod designators;

use std::sync::atomic::AtomicBool;

use designators::{ITALIC, leading};

use crate::output::{Output, clean};
use crate::xml::{Element, Node, Xml};
use crate::{Block, BlockKind, BlockPosition, Document, Limits, Link, ReadError};

/// Reads a title or a piece of one.
pub(crate) fn read(bytes: &[u8], limits: &Limits, cancel: &AtomicBool) -> Result<Document, ReadError> {
    let decoded = charset::decode(bytes, None);
    let mut reader = Reader {
        xml: Xml::new(&decoded.text, "eCFR XML", limits),
        output: Output::new(limits, cancel),
        title: None,
        part: None,
        amendments: 0,
        divisions: 0,
    };
    if let Some(doubt) = decoded.doubt {
        reader.output.note(BlockPosition::default(), doubt);
    }
    let root = Context { kind: BlockKind::Paragraph, level: 0 };
    while reader.blocks(root)? != Stop::End {}
    if reader.divisions == 0 {
        return Err(ReadError::Malformed {
            format: "eCFR XML",
            what: "no division (DIV1 … DIV9) in it".into(),
        });
    }
    let mut output = reader.output;
    if reader.amendments > 0 {
        let what =
            format!("{} links to amendments that this text does not have yet left out", reader.amendments);
        output.note(BlockPosition::default(), what);
    }
    if output.document.title.is_none() {
        let first =
            output.document.blocks.first().filter(|block| matches!(block.kind, BlockKind::Heading(_)));
        output.document.title = first.map(|block| match &block.label {
            Some(label) if !starts_with(&block.text, label) => format!("{label} {}", block.text),
            Some(_) | None => block.text.clone(),
        });
    }
    Ok(output.finish())
}

/// What the blocks of an element are.
#[derive(Clone, Copy)]
struct Context {
    kind: BlockKind,
    /// Divisions around it.
    level: u8,
}

/// Why a list of blocks ended.
#[derive(PartialEq, Eq)]
enum Stop {
    Closed,
    End,
}

struct Reader<'a, 'l> {
    xml: Xml<'a>,
    output: Output<'l>,
    /// The number of the title that the text belongs to.
    title: Option<String>,
    part: Option<String>,
    amendments: usize,
    divisions: usize,
}

/// Text being gathered.
#[derive(Default)]
struct Run {
    text: String,
    links: Vec<Link>,
}

impl Reader<'_, '_> {
    /// The blocks of the element that was just opened. Text between them is a block of its own.
    fn blocks(&mut self, context: Context) -> Result<Stop, ReadError> {
        let mut run = Run::default();
        loop {
            match self.xml.next()? {
                Node::Open(element) if is_inline(element.name()) => self.inline(&element, &mut run)?,
                Node::Open(element) => {
                    self.flush(&mut run, context)?;
                    self.block(&element, context)?;
                }
                Node::Text(text) => run.text.push_str(&text),
                Node::Close => {
                    self.flush(&mut run, context)?;
                    return Ok(Stop::Closed);
                }
                Node::End => {
                    self.flush(&mut run, context)?;
                    return Ok(Stop::End);
                }
            }
        }
    }

    fn block(&mut self, element: &Element<'_>, context: Context) -> Result<(), ReadError> {
        let name = element.name();
        let inside = |kind| Context { kind, ..context };
        match name {
            _ if is_division(name) => return self.division(element, context),
            "HEADER" => return self.header(),
            "AMDDATE" | "CFRTOC" | "IDNO" | "VOLUME" => return self.xml.skip(),
            "GPOTABLE" | "TABLE" | "table" => return self.table(context),
            "HD1" | "HD2" | "HD3" => {
                let deeper = name.as_bytes()[2] - b'0';
                let kind = BlockKind::Heading(context.level.saturating_add(deeper));
                self.blocks(inside(kind))?;
            }
            "AUTH" | "SOURCE" => {
                let run = self.gathered()?;
                self.push(run, BlockKind::Quote)?;
            }
            "EDNOTE" | "EFFDNOT" | "EFFDNOTP" | "NOTE" | "EXTRACT" | "CROSSREF" => {
                self.blocks(inside(BlockKind::Quote))?;
            }
            "CITA" | "SECAUTH" | "PARAUTH" | "APPRO" | "FTNT" => {
                self.blocks(inside(BlockKind::Footnote))?;
            }
            _ => {
                self.blocks(context)?;
            }
        }
        Ok(())
    }

    /// `DIV1` to `DIV9`: its heading, then what is below it.
    fn division(&mut self, element: &Element<'_>, context: Context) -> Result<(), ReadError> {
        self.divisions += 1;
        let number = element.attr("N").unwrap_or_default();
        let (number, _) = clean(number.trim_start_matches(['§', ' ', '\u{a0}']));
        let kind = element.attr("TYPE").unwrap_or_default();
        let kind = kind.trim();
        let word = match kind {
            "TITLE" => "Title",
            "SUBTITLE" => "Subtitle",
            "CHAPTER" => "Chapter",
            "SUBCHAP" => "Subchapter",
            "PART" => "Part",
            "SUBPART" => "Subpart",
            _ => "",
        };
        // `NODE="2:1.1.2.1"`: in front of the colon stands the title.
        let node = element.attr("NODE").and_then(|node| Some(node.split_once(':')?.0.to_owned()));
        let cited = element.attr("hierarchy_metadata").and_then(|json| citation(&json));
        let of_citation = cited.as_ref().and_then(|cited| Some(cited.split_once(" CFR ")?.0.to_owned()));
        if let Some(title) = of_citation.or(node).filter(|title| is_number(title)) {
            self.title = Some(title);
        }
        if kind == "PART" {
            self.part = Some(number.clone());
        }
        let label = match kind {
            "SUBJGRP" => None,
            _ if number.is_empty() => None,
            _ if word.is_empty() => Some(number.clone()),
            _ => Some(format!("{word} {number}")),
        };
        let anchor = cited.or_else(|| {
            let label = label.as_ref()?;
            let part = self.part.as_ref().filter(|_| kind == "SUBPART").map(|part| format!("Part {part} "));
            let cited = format!("{}{label}", part.unwrap_or_default());
            Some(match &self.title {
                Some(title) if kind != "TITLE" => format!("{title} CFR {cited}"),
                _ => cited,
            })
        });
        let level = context.level.saturating_add(1);
        let below = Context { kind: BlockKind::Paragraph, level };
        let mut run = Run::default();
        let mut headed = false;
        // As `blocks`, but that the first HEAD is the division's.
        loop {
            match self.xml.next()? {
                Node::Open(element) if element.name() == "HEAD" && !headed => {
                    self.flush(&mut run, below)?;
                    headed = true;
                    let head = self.gathered()?;
                    let (text, removed) = clean(&without_italics(&head.text));
                    self.output.removed(removed);
                    let words = match kind {
                        "SECTION" => untitled(&text, &number).trim_end_matches('.').to_owned(),
                        _ => label.as_deref().map_or_else(|| text.clone(), |label| untitled(&text, label)),
                    };
                    self.output.push(Block {
                        label: label.clone(),
                        anchor: anchor.clone(),
                        links: head.links,
                        ..Block::new(BlockKind::Heading(level), words, BlockPosition::default())
                    })?;
                }
                Node::Open(element) if is_inline(element.name()) => self.inline(&element, &mut run)?,
                Node::Open(element) => {
                    self.flush(&mut run, below)?;
                    self.block(&element, below)?;
                }
                Node::Text(text) => run.text.push_str(&text),
                Node::Close | Node::End => return self.flush(&mut run, below),
            }
        }
    }

    /// The header of a bulk file, of which only the title counts.
    fn header(&mut self) -> Result<(), ReadError> {
        let mut inside = 1_usize;
        while inside > 0 {
            match self.xml.next()? {
                Node::Open(element) if element.name() == "TITLE" => {
                    let (title, _) = clean(&self.xml.text()?);
                    if self.output.document.title.is_none() && !title.is_empty() {
                        self.output.document.title = Some(title);
                    }
                }
                Node::Open(_) => inside += 1,
                Node::Close => inside -= 1,
                Node::Text(_) => {}
                Node::End => break,
            }
        }
        Ok(())
    }

    /// Text within an element of a line, such as italics.
    fn inline(&mut self, element: &Element<'_>, run: &mut Run) -> Result<(), ReadError> {
        let name = element.name();
        // `E T="03"` is italic as well; other types are bold, small, and the like.
        let italic =
            matches!(name, "I" | "i" | "em") || (name == "E" && element.attr("T").as_deref() == Some("03"));
        match name {
            "XREF" => {
                self.amendments += 1;
                return self.xml.skip();
            }
            "br" | "BR" => run.text.push(' '),
            // A raised figure is a note's mark or a power, never a further digit.
            "SU" | "sup" if run.text.ends_with(char::is_alphanumeric) => run.text.push(' '),
            _ => {}
        }
        if italic {
            run.text.push(ITALIC[0]);
        }
        let start = run.text.len();
        self.gather(run)?;
        if italic {
            run.text.push(ITALIC[1]);
        }
        if let Some(target) = element.attr("href").filter(|target| !target.is_empty()) {
            let (text, _) = clean(&without_italics(&run.text[start..]));
            if !text.is_empty() {
                run.links.push(Link { text, target });
            }
        }
        Ok(())
    }

    /// All the text of the element that was just opened, blocks apart by a space.
    fn gathered(&mut self) -> Result<Run, ReadError> {
        let mut run = Run::default();
        self.gather(&mut run)?;
        Ok(run)
    }

    fn gather(&mut self, run: &mut Run) -> Result<(), ReadError> {
        loop {
            match self.xml.next()? {
                Node::Open(element) if is_inline(element.name()) => self.inline(&element, run)?,
                Node::Open(_) => {
                    run.text.push(' ');
                    self.gather(run)?;
                    run.text.push(' ');
                }
                Node::Text(text) => run.text.push_str(&text),
                Node::Close | Node::End => return Ok(()),
            }
        }
    }

    fn flush(&mut self, run: &mut Run, context: Context) -> Result<(), ReadError> {
        if run.text.trim().is_empty() {
            run.text.clear();
            return Ok(());
        }
        self.push(std::mem::take(run), context.kind)
    }

    fn push(&mut self, run: Run, kind: BlockKind) -> Result<(), ReadError> {
        let label = match kind {
            BlockKind::Paragraph | BlockKind::Quote => leading(run.text.trim_start()),
            _ => None,
        };
        let (text, removed) = clean(&without_italics(&run.text));
        self.output.removed(removed);
        self.output.push(Block {
            label,
            links: run.links,
            ..Block::new(kind, text, BlockPosition::default())
        })
    }

    /// A table, with its title before it and its notes after it.
    fn table(&mut self, context: Context) -> Result<(), ReadError> {
        let mut table = Table::default();
        self.rows(&mut table)?;
        let Table { lines, links, title, notes } = table;
        for run in title {
            self.push(run, context.kind)?;
        }
        let mut text = String::new();
        for line in lines {
            let cells: Vec<String> = line
                .iter()
                .map(|cell| {
                    let (cell, removed) = clean(&without_italics(cell));
                    self.output.removed(removed);
                    cell.replace(" | ", " ")
                })
                .collect();
            if cells.iter().any(|cell| !cell.is_empty()) {
                if !text.is_empty() {
                    text.push('\n');
                }
                text.push_str(cells.join(" | ").trim_end_matches([' ', '|']));
            }
        }
        self.output.push(Block { links, ..Block::new(BlockKind::Table, text, BlockPosition::default()) })?;
        for run in notes {
            self.push(run, BlockKind::Footnote)?;
        }
        Ok(())
    }

    fn rows(&mut self, table: &mut Table) -> Result<(), ReadError> {
        loop {
            match self.xml.next()? {
                Node::Open(element) => match element.name() {
                    "ROW" | "TR" | "tr" | "BOXHD" => {
                        table.lines.push(Vec::new());
                        self.rows(table)?;
                    }
                    "ENT" | "CHED" | "TD" | "TH" | "td" | "th" => {
                        let cell = self.gathered()?;
                        table.links.extend(cell.links);
                        match table.lines.last_mut() {
                            Some(line) => line.push(cell.text),
                            None => table.lines.push(vec![cell.text]),
                        }
                    }
                    "TTITLE" | "CAPTION" | "caption" | "TDESC" => table.title.push(self.gathered()?),
                    "TNOTE" | "SIGDAT" | "FTNT" => table.notes.push(self.gathered()?),
                    _ => self.rows(table)?,
                },
                Node::Text(_) => {}
                Node::Close | Node::End => return Ok(()),
            }
        }
    }
}

#[derive(Default)]
struct Table {
    lines: Vec<Vec<String>>,
    links: Vec<Link>,
    title: Vec<Run>,
    notes: Vec<Run>,
}

fn is_division(name: &str) -> bool {
    name.len() == 4 && name.starts_with("DIV") && name.as_bytes()[3].is_ascii_digit()
}

fn is_inline(name: &str) -> bool {
    matches!(
        name,
        "I" | "E"
            | "B"
            | "SU"
            | "FR"
            | "AC"
            | "XREF"
            | "A"
            | "SPAN"
            | "BR"
            | "PRTPAGE"
            | "STARS"
            | "MATH"
            | "FTREF"
            | "a"
            | "b"
            | "br"
            | "em"
            | "i"
            | "img"
            | "span"
            | "strong"
            | "sub"
            | "sup"
            | "u"
    )
}

fn is_number(title: &str) -> bool {
    (1..=3).contains(&title.len()) && title.bytes().all(|b| b.is_ascii_digit())
}

fn without_italics(text: &str) -> String {
    text.replace(ITALIC, "")
}

/// The citation of `{"path":"…","citation":"2 CFR 200.516"}`.
fn citation(json: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(json).ok()?;
    let (cited, _) = clean(value.get("citation")?.as_str()?);
    (!cited.is_empty() && cited.len() <= 200).then_some(cited)
}

fn starts_with(text: &str, start: &str) -> bool {
    text.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start))
}

/// A heading without the number in front of it: `Audit findings.` of `§ 200.516 Audit findings.`, `General` of
/// `Subpart A—General`; whole when nothing else is in it.
fn untitled(head: &str, label: &str) -> String {
    let mut rest = head.trim_start_matches(['§', ' ']);
    for word in label.split_whitespace() {
        if !starts_with(rest, word) {
            return head.to_owned();
        }
        rest = rest[word.len()..].trim_start();
    }
    if rest.len() == head.len()
        || rest.starts_with(|c: char| c == '.' && rest[1..].starts_with(|c: char| c.is_alphanumeric()))
    {
        return head.to_owned();
    }
    let words =
        rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '—' | '–' | '-' | ':' | '.'));
    if words.is_empty() { head.to_owned() } else { words.to_owned() }
}
