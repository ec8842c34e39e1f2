//! Markdown as a Word document: CommonMark with tables, strikethrough and footnotes.

use std::collections::{BTreeMap, BTreeSet};

use pulldown_cmark::{Alignment, Event, Options, Parser, Tag, TagEnd, TextMergeStream};

use crate::census::plain;
use crate::{
    Block, Cell, Contents, Format, HeadingLevel, Link, List, MAX_DEPTH, Note, Run, RunContent, Table,
    TableAlignment, WebAddress, WordDocument, visit_runs,
};

/// What a document is made with besides its Markdown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MarkdownOptions {
    /// Its title; without it the heading of the first level with which the text begins.
    pub title: Option<String>,
    /// The table of contents before the text, where there is one.
    pub contents: Option<Contents>,
    /// What stands before the page's number at the foot; may be empty.
    pub footer: String,
    /// Who made it; may be empty.
    pub author: String,
    /// The language of the text; empty for `en-GB`.
    pub language: String,
    /// When it was made, as `2026-11-26T09:30:00Z`; without it the file has no date.
    pub created: Option<String>,
}

/// Reads Markdown. Raw HTML is shown as text, a picture as its description in brackets; the highest level of headings that
/// occurs below the title becomes [`HeadingLevel::First`]. A footnote that nothing marks stands at the end as a paragraph.
pub fn from_markdown(markdown: &str, options: &MarkdownOptions) -> WordDocument {
    let (begins_with_title, first_level) = levels(markdown, options.title.is_none());
    let mut reader = Reader::new(first_level);
    reader.read(markdown, syntax() | Options::ENABLE_FOOTNOTES);
    let Reader { mut notes, labels, .. } = reader.closed();
    let mut blocks = notes.root;
    let mut title = options.title.clone().unwrap_or_default();
    if begins_with_title && let Some(Block::Heading { runs, .. }) = blocks.first() {
        title = plain(runs);
        blocks.remove(0);
    }
    let mut definitions: Vec<Vec<Block>> =
        labels.iter().map(|label| notes.texts.remove(label).unwrap_or_default()).collect();
    // A mark without its footnote is words, and so is a mark in a footnote to one that the text does not mark.
    let mut marked = BTreeSet::new();
    visit_runs(&mut blocks, &mut |runs| {
        for run in runs.iter_mut() {
            if let RunContent::NoteMark(index) = run.content {
                if definitions.get(index).is_some_and(|text| !text.is_empty()) {
                    marked.insert(index);
                } else {
                    *run = name_of(&labels, index);
                }
            }
        }
    });
    let unmark = |blocks: &mut Vec<Block>| {
        visit_runs(blocks, &mut |runs| {
            for run in runs.iter_mut() {
                if let RunContent::NoteMark(index) = run.content
                    && !marked.contains(&index)
                {
                    *run = name_of(&labels, index);
                }
            }
        });
    };
    definitions.iter_mut().for_each(unmark);
    for (index, definition) in definitions.iter_mut().enumerate() {
        if !marked.contains(&index) && !definition.is_empty() {
            blocks.push(Block::text(vec![name_of(&labels, index)]));
            blocks.append(definition);
        }
    }
    if let Some(contents) = &options.contents {
        blocks.insert(0, Block::Contents(contents.clone()));
    }
    WordDocument {
        header: title.clone(),
        marking: String::new(),
        title,
        subtitle: Vec::new(),
        footer: options.footer.clone(),
        blocks,
        notes: definitions.into_iter().map(|blocks| Note { blocks }).collect(),
        author: options.author.clone(),
        language: options.language.clone(),
        created: options.created.clone(),
    }
}

/// Reads Markdown without footnotes as blocks; headings of `first_level` (1 to 6) become [`HeadingLevel::First`].
pub fn blocks_from_markdown(markdown: &str, first_level: u8) -> Vec<Block> {
    let mut reader = Reader::new(first_level);
    reader.read(markdown, syntax());
    reader.closed().notes.root
}

fn syntax() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH
}

/// A mark in words.
fn name_of(labels: &[String], index: usize) -> Run {
    Run::text(format!("[{}]", labels.get(index).map(String::as_str).unwrap_or_default()))
}

/// Whether the text begins with a heading of the first level, which is taken for the title if `takes_title`, and the highest
/// level of the other headings.
fn levels(markdown: &str, takes_title: bool) -> (bool, u8) {
    let mut begins = false;
    let mut least = u8::MAX;
    for (index, event) in Parser::new_ext(markdown, syntax() | Options::ENABLE_FOOTNOTES).enumerate() {
        if let Event::Start(Tag::Heading { level, .. }) = event {
            let level = level as u8;
            if index == 0 && level == 1 && takes_title {
                begins = true;
            } else {
                least = least.min(level);
            }
        }
    }
    (begins, if least == u8::MAX { 1 } else { least })
}

/// What is open while Markdown is read.
#[derive(Debug)]
enum Frame {
    Quote(Vec<Block>),
    Item(Vec<Block>),
    List(List),
    Note(String, Vec<Block>),
    /// A list, item or quote below the deepest level: its blocks stand in what is around it.
    Flat,
}

/// Blocks that are closed: the text, and footnotes by label.
#[derive(Debug, Default)]
struct Texts {
    root: Vec<Block>,
    texts: BTreeMap<String, Vec<Block>>,
}

/// What a line of words becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineKind {
    Paragraph,
    Heading(u8),
    Cell,
}

/// Reads events into blocks.
struct Reader {
    first_level: u8,
    stack: Vec<Frame>,
    depth: usize,
    notes: Texts,
    /// Labels of footnotes in the order in which they occur; the place is the footnote's index.
    labels: Vec<String>,
    indices: BTreeMap<String, usize>,
    line: Option<(LineKind, Vec<Run>)>,
    code: Option<String>,
    table: Option<Table>,
    row: Vec<Cell>,
    bold: usize,
    italic: usize,
    strike: usize,
    links: Vec<Option<Link>>,
    /// For each open picture the number of runs before it.
    pictures: Vec<usize>,
}

impl Reader {
    fn new(first_level: u8) -> Self {
        Self {
            first_level,
            stack: Vec::new(),
            depth: 0,
            notes: Texts::default(),
            labels: Vec::new(),
            indices: BTreeMap::new(),
            line: None,
            code: None,
            table: None,
            row: Vec::new(),
            bold: 0,
            italic: 0,
            strike: 0,
            links: Vec::new(),
            pictures: Vec::new(),
        }
    }

    /// Ends what is open; the parser closes everything that it opens.
    fn closed(mut self) -> Self {
        self.end_line();
        while !self.stack.is_empty() {
            self.close();
        }
        self
    }

    fn read(&mut self, markdown: &str, options: Options) {
        for event in TextMergeStream::new(Parser::new_ext(markdown, options)) {
            match event {
                Event::Start(tag) => self.start(tag),
                Event::End(tag) => self.end(tag),
                Event::Text(text) => match &mut self.code {
                    Some(code) => code.push_str(&text),
                    None => self.words(&text, false),
                },
                Event::Code(text) => self.words(&text, true),
                Event::Html(text) | Event::InlineHtml(text) => self.words(&text, false),
                Event::InlineMath(text) | Event::DisplayMath(text) => self.words(&text, false),
                Event::FootnoteReference(label) => {
                    let index = self.note_index(&label);
                    self.push_run(Run::note(index));
                }
                Event::SoftBreak => self.words(" ", false),
                Event::HardBreak => self.push_run(Run::line_break()),
                Event::Rule => {
                    self.end_line();
                    self.push(Block::Rule);
                }
                Event::TaskListMarker(is_done) => self.words(if is_done { "[x] " } else { "[ ] " }, false),
            }
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Emphasis => self.italic += 1,
            Tag::Strong => self.bold += 1,
            Tag::Strikethrough => self.strike += 1,
            Tag::Link { dest_url, .. } => self.links.push(match dest_url.strip_prefix('#') {
                Some(place) => Some(Link::Place(place.to_owned())),
                None => WebAddress::parse(&dest_url).map(Link::Web),
            }),
            Tag::Image { .. } => {
                self.words("[", false);
                self.pictures.push(self.line.as_ref().map_or(0, |(_, runs)| runs.len()));
            }
            Tag::Paragraph => self.start_line(LineKind::Paragraph),
            Tag::Heading { level, .. } => self.start_line(LineKind::Heading(level as u8)),
            Tag::BlockQuote(_) => self.open(Frame::Quote(Vec::new())),
            Tag::List(start) => {
                let start = start.map(|number| u32::try_from(number).unwrap_or(u32::MAX));
                self.open(Frame::List(List { start, items: Vec::new() }));
            }
            Tag::Item => self.open(Frame::Item(Vec::new())),
            Tag::FootnoteDefinition(label) => {
                self.note_index(&label);
                self.open(Frame::Note(label.into_string(), Vec::new()));
            }
            Tag::CodeBlock(_) => {
                self.end_line();
                self.code = Some(String::new());
            }
            Tag::Table(alignments) => {
                self.end_line();
                let alignments = alignments.into_iter().map(|alignment| match alignment {
                    Alignment::None | Alignment::Left => TableAlignment::Start,
                    Alignment::Center => TableAlignment::Center,
                    Alignment::Right => TableAlignment::End,
                });
                self.table = Some(Table { alignments: alignments.collect(), ..Table::default() });
            }
            Tag::TableHead | Tag::TableRow => self.row.clear(),
            Tag::TableCell => self.line = Some((LineKind::Cell, Vec::new())),
            Tag::HtmlBlock => self.start_line(LineKind::Paragraph),
            // What the syntax above does not have.
            _ => self.end_line(),
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Emphasis => self.italic = self.italic.saturating_sub(1),
            TagEnd::Strong => self.bold = self.bold.saturating_sub(1),
            TagEnd::Strikethrough => self.strike = self.strike.saturating_sub(1),
            TagEnd::Link => {
                self.links.pop();
            }
            TagEnd::Image => {
                let before = self.pictures.pop().unwrap_or_default();
                let empty = self.line.as_ref().is_none_or(|(_, runs)| runs.len() <= before);
                self.words(if empty { "picture]" } else { "]" }, false);
            }
            TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::Item | TagEnd::FootnoteDefinition => {
                self.end_line();
                self.close();
            }
            TagEnd::CodeBlock => {
                if let Some(code) = self.code.take() {
                    self.push(Block::Code(code));
                }
            }
            TagEnd::TableCell => {
                let runs = self.line.take().map(|(_, runs)| runs).unwrap_or_default();
                self.row.push(Cell { runs, place: None });
            }
            TagEnd::TableHead => {
                let row = std::mem::take(&mut self.row);
                if let Some(table) = &mut self.table {
                    table.header = row;
                }
            }
            TagEnd::TableRow => {
                let row = std::mem::take(&mut self.row);
                if let Some(table) = &mut self.table {
                    table.rows.push(row);
                }
            }
            TagEnd::Table => {
                if let Some(table) = self.table.take() {
                    self.push(Block::Table(table));
                }
            }
            _ => self.end_line(),
        }
    }

    fn note_index(&mut self, label: &str) -> usize {
        if let Some(index) = self.indices.get(label) {
            return *index;
        }
        self.indices.insert(label.to_owned(), self.labels.len());
        self.labels.push(label.to_owned());
        self.labels.len() - 1
    }

    fn words(&mut self, text: &str, code: bool) {
        let format = Format {
            bold: self.bold > 0,
            italic: self.italic > 0,
            strike: self.strike > 0,
            code,
            ..Format::default()
        };
        let link = self.links.last().cloned().flatten();
        // Neighbours of one look are one run.
        if let Some((_, runs)) = &mut self.line
            && self.pictures.last() != Some(&runs.len())
            && let Some(Run { content: RunContent::Text(before), format: look, link: to, .. }) =
                runs.last_mut()
            && *look == format
            && *to == link
        {
            before.push_str(text);
            return;
        }
        self.push_run(Run { link, ..Run::styled(text, format) });
    }

    /// Adds to the line; words in an item without blank lines begin one of their own.
    fn push_run(&mut self, run: Run) {
        self.line.get_or_insert_with(|| (LineKind::Paragraph, Vec::new())).1.push(run);
    }

    fn start_line(&mut self, kind: LineKind) {
        self.end_line();
        self.line = Some((kind, Vec::new()));
    }

    fn end_line(&mut self) {
        let Some((kind, mut runs)) = self.line.take() else { return };
        if let Some(Run { content: RunContent::Text(text), .. }) = runs.last_mut() {
            text.truncate(text.trim_end_matches('\n').len());
        }
        if runs.is_empty() {
            return;
        }
        self.push(match kind {
            LineKind::Heading(level) => {
                let number = (level + 1).saturating_sub(self.first_level);
                let place = Some(place_name(&plain(&runs)));
                Block::Heading { level: HeadingLevel::from_number(number), runs, place }
            }
            LineKind::Paragraph | LineKind::Cell => Block::text(runs),
        });
    }

    /// Opens a list, an item, a quote or a footnote.
    fn open(&mut self, frame: Frame) {
        self.end_line();
        let flat = match &frame {
            Frame::Quote(_) | Frame::List(_) => self.depth >= MAX_DEPTH,
            Frame::Item(_) => !matches!(self.stack.last(), Some(Frame::List(_))),
            Frame::Note(..) | Frame::Flat => false,
        };
        if flat {
            self.stack.push(Frame::Flat);
            return;
        }
        if matches!(frame, Frame::Quote(_) | Frame::List(_)) {
            self.depth += 1;
        }
        self.stack.push(frame);
    }

    fn close(&mut self) {
        match self.stack.pop() {
            Some(Frame::Quote(blocks)) => {
                self.depth -= 1;
                self.push(Block::Quote(blocks));
            }
            Some(Frame::List(list)) => {
                self.depth -= 1;
                self.push(Block::List(list));
            }
            Some(Frame::Item(blocks)) => {
                if let Some(Frame::List(list)) = self.stack.last_mut() {
                    list.items.push(blocks);
                }
            }
            Some(Frame::Note(label, blocks)) => {
                // Of several footnotes with one label the first counts, as with links.
                self.notes.texts.entry(label).or_insert(blocks);
            }
            Some(Frame::Flat) | None => {}
        }
    }

    fn push(&mut self, block: Block) {
        let around = self.stack.iter_mut().rev().find_map(|frame| match frame {
            Frame::Quote(blocks) | Frame::Item(blocks) | Frame::Note(_, blocks) => Some(blocks),
            Frame::List(_) | Frame::Flat => None,
        });
        around.unwrap_or(&mut self.notes.root).push(block);
    }
}

/// The place of a heading: its letters and digits in small letters with hyphens between, as pages of Markdown have it.
fn place_name(text: &str) -> String {
    let mut out = String::new();
    for c in text.to_lowercase().chars() {
        match c {
            ' ' => out.push('-'),
            '-' | '_' => out.push(c),
            c if c.is_alphanumeric() => out.push(c),
            _ => {}
        }
    }
    out
}
