//! The text and the footnotes as WordprocessingML.

use std::collections::{BTreeMap, BTreeSet};

use crate::census::Census;
use crate::numbers::{BULLETS, Numbering};
use crate::xml::{escape, is_right_to_left, put, within_limit, words};
use crate::{
    Block, Change, DocxError, Format, HeadingLevel, Link, List, MAX_DEPTH, Paragraph, ParagraphStyle, Run,
    RunContent, WordDocument, leading_captions,
};

/// How far each level of a list or quote is moved in, in twentieths of a point.
pub(crate) const STEP: usize = 360;
/// The farthest that a block is moved in, in the same unit: enough has to stay for words.
const MAX_INDENT: usize = 12 * STEP;
/// Levels of lists that Word numbers.
pub(crate) const LIST_LEVELS: usize = 9;

/// Writes one part after the other: first the text, then the footnotes.
pub(crate) struct Writer<'d> {
    pub(crate) census: &'d Census,
    pub(crate) out: String,
    pub(crate) numbering: Numbering,
    links: Addresses,
    bookmarks: usize,
    headings: usize,
    placed: BTreeSet<&'d str>,
    marked: BTreeSet<usize>,
    part: Part,
    /// What a revision did with the blocks that are written.
    pub(crate) change: Option<Change>,
    /// The next paragraph begins a page.
    breaks: bool,
    /// The next paragraph stays on a page with what follows it.
    keeps_next: bool,
}

/// The part that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Text,
    Notes,
}

/// The addresses that a part links to, in the order of their relationships.
#[derive(Debug, Default)]
pub(crate) struct Addresses {
    pub(crate) all: Vec<String>,
    index: BTreeMap<String, usize>,
}

impl Addresses {
    /// The relationship of an address.
    pub(crate) fn id(&mut self, address: &str) -> String {
        let next = self.all.len();
        let at = *self.index.entry(address.to_owned()).or_insert(next);
        if at == next {
            self.all.push(address.to_owned());
        }
        format!("rIdLink{}", at + 1)
    }
}

/// Where a block stands.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Surroundings {
    /// How far it is moved in.
    pub indent: usize,
    /// The level of the next list.
    level: usize,
    quoted: bool,
    listed: bool,
    /// The numbering of the list whose item begins here.
    item: Option<Item>,
    /// Whether the mark of a footnote stands before the first words.
    opens_note: bool,
}

/// The sign before an item.
#[derive(Debug, Clone, Copy)]
struct Item {
    numbering: usize,
    level: usize,
    is_numbered: bool,
}

impl<'d> Writer<'d> {
    pub(crate) fn new(census: &'d Census) -> Self {
        Self {
            census,
            out: String::new(),
            numbering: Numbering::default(),
            links: Addresses::default(),
            bookmarks: 0,
            headings: 0,
            placed: BTreeSet::new(),
            marked: BTreeSet::new(),
            part: Part::Text,
            change: None,
            breaks: false,
            keeps_next: false,
        }
    }

    /// The title, the lines below it and the text.
    pub(crate) fn text(&mut self, document: &'d WordDocument) -> Result<(String, Addresses), DocxError> {
        if !document.title.trim().is_empty() {
            let style = if document.has_cover() { "CoverTitle" } else { "Title" };
            self.paragraph(
                style,
                &[Run::text(crate::census::plain(&[Run::text(&document.title)]))],
                None,
                "",
            )?;
        }
        for line in &document.subtitle {
            self.paragraph("Subtitle", line, None, "")?;
        }
        self.blocks(&document.blocks, Surroundings::default(), 0)?;
        Ok((std::mem::take(&mut self.out), std::mem::take(&mut self.links)))
    }

    /// The footnotes in the order of their numbers, without the separators.
    pub(crate) fn notes(&mut self, document: &'d WordDocument) -> Result<(String, Addresses), DocxError> {
        self.part = Part::Notes;
        for (at, index) in self.census.order.iter().enumerate() {
            put!(self.out, "<w:footnote w:id=\"{}\">", at + 1);
            let opening = Surroundings { opens_note: true, ..Surroundings::default() };
            let blocks = document.notes.get(*index).map(|note| note.blocks.as_slice()).unwrap_or_default();
            let starts = blocks
                .first()
                .is_some_and(|block| matches!(block, Block::Paragraph(_) | Block::Heading { .. }));
            let rest = if starts {
                self.blocks(&blocks[..1], opening, 0)?;
                &blocks[1..]
            } else {
                self.note_line(&[], opening)?;
                blocks
            };
            self.blocks(rest, Surroundings::default(), 0)?;
            // Word wants a paragraph at the end of a footnote.
            if matches!(rest.last(), Some(Block::Table(_))) {
                self.out.push_str("<w:p><w:pPr><w:pStyle w:val=\"FootnoteText\"/></w:pPr></w:p>");
            }
            self.out.push_str("</w:footnote>");
        }
        Ok((std::mem::take(&mut self.out), std::mem::take(&mut self.links)))
    }

    fn blocks(&mut self, blocks: &'d [Block], at: Surroundings, depth: usize) -> Result<(), DocxError> {
        for (block, leads) in blocks.iter().zip(leading_captions(blocks)) {
            self.keeps_next = leads;
            self.block(block, at, depth)?;
        }
        Ok(())
    }

    fn block(&mut self, block: &'d Block, at: Surroundings, depth: usize) -> Result<(), DocxError> {
        // The census has refused what is deeper.
        if depth > MAX_DEPTH {
            return Err(DocxError::TooDeep);
        }
        match block {
            Block::Heading { level, runs, place } => self.heading(*level, runs, place.as_deref(), at)?,
            Block::Paragraph(paragraph) => self.body_paragraph(paragraph, at)?,
            Block::List(list) => self.list(list, at, depth)?,
            Block::Quote(inner) => {
                // A quote that opens an item leaves the sign to a line of its own.
                self.empty_item(at)?;
                let inside = Surroundings {
                    indent: (at.indent + STEP).min(MAX_INDENT),
                    quoted: true,
                    item: None,
                    ..at
                };
                self.blocks(inner, inside, depth + 1)?;
            }
            Block::Changed(change, inner) => {
                let outer = self.change.replace(*change);
                self.blocks(inner, at, depth + 1)?;
                self.change = outer;
            }
            Block::Code(text) => {
                self.empty_item(at)?;
                let text = text.strip_suffix('\n').unwrap_or(text);
                self.paragraph("Code", &[Run::text(text)], None, &indent_of(at))?;
            }
            Block::Table(table) => {
                self.empty_item(at)?;
                self.break_before_table();
                self.table(table, at)?;
            }
            Block::Contents(contents) => {
                if self.part == Part::Text {
                    crate::contents::write(self, contents);
                }
            }
            Block::Rule => {
                self.empty_item(at)?;
                let page = self.page();
                put!(
                    self.out,
                    "<w:p><w:pPr><w:pStyle w:val=\"BodyText\"/>{page}<w:pBdr><w:bottom w:val=\"single\" w:sz=\"6\" w:space=\"1\" \
                     w:color=\"BFBFBF\"/></w:pBdr></w:pPr></w:p>"
                );
            }
            Block::PageBreak => self.breaks = self.part == Part::Text,
        }
        within_limit(self.out.len())
    }

    /// The property of the first paragraph of a page, once where one begins. A paragraph that only holds a break would leave an
    /// empty line at the top of the page.
    pub(crate) fn page(&mut self) -> &'static str {
        if std::mem::take(&mut self.breaks) { "<w:pageBreakBefore/>" } else { "" }
    }

    /// A table begins no page by itself.
    fn break_before_table(&mut self) {
        let page = self.page();
        if !page.is_empty() {
            put!(
                self.out,
                "<w:p><w:pPr>{page}<w:spacing w:before=\"0\" w:after=\"0\" w:line=\"20\" w:lineRule=\"exact\"/></w:pPr></w:p>"
            );
        }
    }

    fn heading(
        &mut self,
        level: HeadingLevel,
        runs: &'d [Run],
        place: Option<&'d str>,
        at: Surroundings,
    ) -> Result<(), DocxError> {
        if self.part == Part::Notes {
            let bold = |run: &Run| Run { format: Format { bold: true, ..run.format }, ..run.clone() };
            let runs: Vec<Run> = runs.iter().map(bold).collect();
            return self.note_line(&runs, at);
        }
        self.empty_item(at)?;
        self.headings += 1;
        let mark = heading_bookmark(self.headings);
        let style = format!("Heading{}", level.number());
        self.bookmarks += 1;
        let id = self.bookmarks;
        let marked = (
            format!("<w:bookmarkStart w:id=\"{id}\" w:name=\"{mark}\"/>"),
            format!("<w:bookmarkEnd w:id=\"{id}\"/>"),
        );
        let (open, close) = self.place(place);
        self.line(
            &style,
            runs,
            &indent_of(at),
            (&format!("{}{open}", marked.0), &format!("{close}{}", marked.1)),
        )
    }

    fn body_paragraph(&mut self, paragraph: &'d Paragraph, at: Surroundings) -> Result<(), DocxError> {
        if self.part == Part::Notes {
            return self.note_line(&paragraph.runs, at);
        }
        let style = match paragraph.style {
            ParagraphStyle::Caption => "Caption",
            ParagraphStyle::Notice => "Notice",
            ParagraphStyle::Body => match at {
                Surroundings { item: Some(Item { is_numbered: true, .. }), .. } => "ListNumber",
                Surroundings { item: Some(_), .. } => "ListBullet",
                Surroundings { quoted: true, .. } => "Quote",
                Surroundings { listed: true, .. } => "ListContinue",
                _ => "BodyText",
            },
        };
        self.paragraph(style, &paragraph.runs, paragraph.place.as_deref(), &properties_of(at))
    }

    /// A line of a footnote.
    fn note_line(&mut self, runs: &[Run], at: Surroundings) -> Result<(), DocxError> {
        let mark = "<w:r><w:rPr><w:rStyle w:val=\"FootnoteReference\"/></w:rPr><w:footnoteRef/></w:r>\
                    <w:r><w:t xml:space=\"preserve\"> </w:t></w:r>";
        let before = if at.opens_note { mark } else { "" };
        self.line("FootnoteText", runs, &properties_of(at), (before, ""))
    }

    /// The sign of an item whose first block can't carry it.
    fn empty_item(&mut self, at: Surroundings) -> Result<(), DocxError> {
        match at.item {
            Some(item) => {
                let style = if item.is_numbered { "ListNumber" } else { "ListBullet" };
                self.paragraph(style, &[], None, &properties_of(at))
            }
            None => Ok(()),
        }
    }

    fn list(&mut self, list: &'d List, at: Surroundings, depth: usize) -> Result<(), DocxError> {
        self.empty_item(at)?;
        let level = at.level.min(LIST_LEVELS - 1);
        let numbering = match list.start {
            Some(start) => self.numbering.add(level, start),
            None => BULLETS,
        };
        let inside = Surroundings {
            indent: (at.indent + STEP).min(MAX_INDENT),
            level: at.level + 1,
            listed: true,
            item: None,
            ..at
        };
        for item in &list.items {
            let sign = Item { numbering, level, is_numbered: list.start.is_some() };
            let opening = Surroundings { item: Some(sign), ..inside };
            match item.split_first() {
                Some((first, rest)) => {
                    self.block(first, opening, depth + 1)?;
                    self.blocks(rest, inside, depth + 1)?;
                }
                None => self.empty_item(opening)?,
            }
        }
        Ok(())
    }

    /// A paragraph with its place.
    fn paragraph(
        &mut self,
        style: &str,
        runs: &[Run],
        place: Option<&'d str>,
        properties: &str,
    ) -> Result<(), DocxError> {
        let (open, close) = self.place(place);
        self.line(style, runs, properties, (&open, &close))
    }

    /// A paragraph; `around` stands before and behind its runs.
    fn line(
        &mut self,
        style: &str,
        runs: &[Run],
        properties: &str,
        around: (&str, &str),
    ) -> Result<(), DocxError> {
        let page = if self.part == Part::Text { self.page() } else { "" };
        let keep = if std::mem::take(&mut self.keeps_next) { "<w:keepNext/>" } else { "" };
        put!(self.out, "<w:p><w:pPr><w:pStyle w:val=\"{style}\"/>{keep}{page}");
        // What is numbered stands before the direction, what is moved in behind it: the schema has an order.
        let (numbered, moved) = properties.split_at(properties.find("<w:ind").unwrap_or(properties.len()));
        self.out.push_str(numbered);
        if is_right_to_left(&crate::census::plain(runs)) {
            self.out.push_str("<w:bidi/>");
        }
        self.out.push_str(moved);
        if let Some(change) = self.change {
            let mark = self.revision(change);
            put!(self.out, "<w:rPr><{mark}/></w:rPr>");
        }
        self.out.push_str("</w:pPr>");
        self.out.push_str(around.0);
        self.runs(runs)?;
        self.out.push_str(around.1);
        self.out.push_str("</w:p>");
        within_limit(self.out.len())
    }

    /// The two ends of a bookmark; the first block with a place has it.
    pub(crate) fn place(&mut self, place: Option<&'d str>) -> (String, String) {
        let Some((place, number)) = place.and_then(|place| Some((place, *self.census.places.get(place)?)))
        else {
            return Default::default();
        };
        if self.part == Part::Notes || !self.placed.insert(place) {
            return Default::default();
        }
        self.bookmarks += 1;
        let id = self.bookmarks;
        (
            format!("<w:bookmarkStart w:id=\"{id}\" w:name=\"{}\"/>", place_bookmark(number)),
            format!("<w:bookmarkEnd w:id=\"{id}\"/>"),
        )
    }

    /// Runs, neighbours with one link within one element.
    pub(crate) fn runs(&mut self, runs: &[Run]) -> Result<(), DocxError> {
        let mut rest = runs;
        while let Some(first) = rest.first() {
            let same = rest.iter().take_while(|run| run.link == first.link).count();
            let (group, after) = rest.split_at(same);
            let open = first.link.as_ref().and_then(|link| self.open_link(link));
            if let Some(open) = &open {
                self.out.push_str(open);
            }
            for same in group.chunk_by(|one, next| one.change == next.change) {
                let change = self.change.or_else(|| same.first().and_then(|run| run.change));
                let Some(change) = change else {
                    same.iter().try_for_each(|run| self.run(run, open.is_some()))?;
                    continue;
                };
                let mark = self.revision(change);
                put!(self.out, "<{mark}>");
                let from = self.out.len();
                for run in same {
                    self.changed_run(run, change, open.is_some())?;
                }
                // What is taken out stands in elements of its own.
                if change == Change::Deleted {
                    let inner = self.out.split_off(from);
                    self.out
                        .push_str(&inner.replace("<w:t ", "<w:delText ").replace("</w:t>", "</w:delText>"));
                }
                put!(self.out, "</{}>", element(change));
            }
            if open.is_some() {
                self.out.push_str("</w:hyperlink>");
            }
            rest = after;
        }
        Ok(())
    }

    fn open_link(&mut self, link: &Link) -> Option<String> {
        match link {
            Link::Web(address) => {
                let id = self.links.id(address.as_str());
                Some(format!("<w:hyperlink r:id=\"{id}\" w:history=\"1\">"))
            }
            Link::Place(place) => {
                let number = self.census.places.get(place)?;
                Some(format!("<w:hyperlink w:anchor=\"{}\" w:history=\"1\">", place_bookmark(*number)))
            }
        }
    }

    fn run(&mut self, run: &Run, is_linked: bool) -> Result<(), DocxError> {
        match &run.content {
            RunContent::Text(text) => {
                let words = words(text);
                if !words.is_empty() {
                    let look = look(run.format, is_linked, is_right_to_left(text));
                    put!(self.out, "<w:r>{look}{words}</w:r>");
                }
            }
            RunContent::Break => self.out.push_str("<w:r><w:br/></w:r>"),
            RunContent::NoteMark(index) => self.note_mark(*index)?,
            RunContent::NoteNumber(index) => {
                let look = look(run.format, is_linked, false);
                self.note_number(*index, "\\h", &look)?;
            }
        }
        Ok(())
    }

    /// A run within a change. A second mark of a footnote is no field there: Word would compute it among words that go.
    fn changed_run(&mut self, run: &Run, change: Change, is_linked: bool) -> Result<(), DocxError> {
        let index = match &run.content {
            RunContent::NoteMark(index) if self.part == Part::Notes || self.marked.contains(index) => *index,
            RunContent::NoteNumber(index) => *index,
            RunContent::Text(_) | RunContent::Break | RunContent::NoteMark(_) => {
                return self.run(run, is_linked);
            }
        };
        if change == Change::Inserted {
            return self.run(run, is_linked);
        }
        let Some(number) = self.census.numbers.get(&index) else {
            return Err(DocxError::NoteOutsideText { index });
        };
        let format = Format { raised: matches!(run.content, RunContent::NoteMark(_)), ..run.format };
        self.run(&Run { format, ..Run::text(number.to_string()) }, is_linked)
    }

    /// The element of a change with its attributes. It has no date: the same two versions give the same bytes.
    pub(crate) fn revision(&mut self, change: Change) -> String {
        self.bookmarks += 1;
        format!("{} w:id=\"{}\" w:author=\"AgentNative\"", element(change), self.bookmarks)
    }

    fn note_mark(&mut self, index: usize) -> Result<(), DocxError> {
        const LOOK: &str = "<w:rPr><w:rStyle w:val=\"FootnoteReference\"/></w:rPr>";
        if self.part == Part::Notes || !self.marked.insert(index) {
            return self.note_number(index, "\\f \\h", LOOK);
        }
        let Some(number) = self.census.numbers.get(&index).copied() else {
            return Err(DocxError::NoteOutsideText { index });
        };
        let mark = format!("<w:r>{LOOK}<w:footnoteReference w:id=\"{number}\"/></w:r>");
        if !self.census.repeated.contains(&index) {
            self.out.push_str(&mark);
            return Ok(());
        }
        self.bookmarks += 1;
        let id = self.bookmarks;
        put!(
            self.out,
            "<w:bookmarkStart w:id=\"{id}\" w:name=\"{}\"/>{mark}<w:bookmarkEnd w:id=\"{id}\"/>",
            note_bookmark(number)
        );
        Ok(())
    }

    /// The number of a footnote as a field, which follows when footnotes are added.
    fn note_number(&mut self, index: usize, switches: &str, look: &str) -> Result<(), DocxError> {
        let Some(number) = self.census.numbers.get(&index).copied() else {
            return Err(DocxError::NoteOutsideText { index });
        };
        let code = format!(" NOTEREF {} {switches} ", note_bookmark(number));
        self.out.push_str(&field(&code, &number.to_string(), look));
        Ok(())
    }
}

fn element(change: Change) -> &'static str {
    match change {
        Change::Inserted => "w:ins",
        Change::Deleted => "w:del",
    }
}

/// A field with what it shows until it is computed.
pub(crate) fn field(code: &str, shown: &str, look: &str) -> String {
    let sign = |kind: &str| format!("<w:r>{look}<w:fldChar w:fldCharType=\"{kind}\"/></w:r>");
    format!(
        "{}<w:r>{look}<w:instrText xml:space=\"preserve\">{code}</w:instrText></w:r>{}<w:r>{look}<w:t>{}</w:t></w:r>{}",
        sign("begin"),
        sign("separate"),
        escape(shown),
        sign("end")
    )
}

/// The bookmark of a heading, by its number from 1.
pub(crate) fn heading_bookmark(number: usize) -> String {
    format!("_Toc{number:08}")
}

fn place_bookmark(number: usize) -> String {
    format!("_Place{number}")
}

fn note_bookmark(number: usize) -> String {
    format!("_Note{number}")
}

/// The properties of a run, in the order of the schema.
fn look(format: Format, is_linked: bool, is_right_to_left: bool) -> String {
    let mut out = String::new();
    let style = match (is_linked, format.code) {
        (true, _) => Some("Hyperlink"),
        (false, true) => Some("CodeText"),
        (false, false) => None,
    };
    if let Some(style) = style {
        put!(out, "<w:rStyle w:val=\"{style}\"/>");
    }
    let signs = [
        (is_linked && format.code, "<w:rFonts w:ascii=\"Consolas\" w:hAnsi=\"Consolas\" w:cs=\"Consolas\"/>"),
        (format.bold, "<w:b/><w:bCs/>"),
        (format.italic, "<w:i/><w:iCs/>"),
        (format.strike, "<w:strike/>"),
        (format.highlight, "<w:shd w:val=\"clear\" w:color=\"auto\" w:fill=\"FFF2CC\"/>"),
        (format.raised, "<w:vertAlign w:val=\"superscript\"/>"),
        (is_right_to_left, "<w:rtl/>"),
    ];
    for (_, sign) in signs.into_iter().filter(|(has, _)| *has) {
        out.push_str(sign);
    }
    if out.is_empty() { out } else { format!("<w:rPr>{out}</w:rPr>") }
}

fn indent_of(at: Surroundings) -> String {
    if at.indent == 0 { String::new() } else { format!("<w:ind w:left=\"{}\"/>", at.indent) }
}

/// The numbering of an item and how far it is moved in.
fn properties_of(at: Surroundings) -> String {
    match at.item {
        Some(item) => format!(
            "<w:numPr><w:ilvl w:val=\"{}\"/><w:numId w:val=\"{}\"/></w:numPr><w:ind w:left=\"{}\" w:hanging=\"{STEP}\"/>",
            item.level, item.numbering, at.indent
        ),
        None => indent_of(at),
    }
}
