//! A document as a column of items, before it is cut into pages.

use std::collections::BTreeMap;
use std::rc::Rc;

use docx::{Block, Change, Contents, HeadingLevel, List, Paragraph, ParagraphStyle, Run, WordDocument};

use crate::fonts::Fonts;
use crate::style::{
    self, Colour, GROUND, INDENT, LEFT, LINE, Look, NOTE, NOTE_INDENT, SUBTITLE, TITLE, WIDTH,
};
use crate::tags::{Kind, Tags};
use crate::text::Line;

/// Quotations of so few lines stay on a page with what follows.
const MAX_REMARK_LINES: usize = 4;

/// What is never cut: a line, or a row of a table.
#[derive(Debug, Default)]
pub(crate) struct Item {
    /// The space before it, but at the top of a page.
    pub before: f32,
    pub height: f32,
    pub parts: Vec<Part>,
    /// What is drawn behind it and behind the space before it.
    pub grounds: Vec<Ground>,
    /// Stays on a page with the next one.
    pub keeps_next: bool,
    /// Begins a page.
    pub breaks: bool,
    /// Places that links lead to.
    pub places: Vec<String>,
    /// The heading that begins with it, by its index.
    pub heading: Option<usize>,
    /// The heading whose page stands in its line of contents, by its index.
    pub entry: Option<usize>,
    /// Footnotes that it marks.
    pub notes: Vec<usize>,
    /// The head of its table, repeated where it begins a page.
    pub head: Option<Rc<Item>>,
}

/// What is drawn of an item. Positions count from the page's left edge and the item's top.
#[derive(Debug)]
pub(crate) enum Part {
    /// Words; without a tag they are no part of what is read aloud.
    Line { x: f32, y: f32, line: Rc<Line>, tag: Option<usize> },
    /// A coloured rectangle.
    Fill { x: f32, y: f32, width: f32, height: f32, colour: Colour },
}

/// A coloured stripe from the top of an item to its end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ground {
    pub x: f32,
    pub width: f32,
    pub colour: Colour,
    /// Covers the space before the item.
    pub is_joined: bool,
}

/// A heading of the text.
#[derive(Debug)]
pub(crate) struct Heading {
    pub level: HeadingLevel,
    pub text: String,
}

/// Where contents stand, which are set when all headings are known.
struct ContentsPlace {
    /// The item before which they stand.
    at: usize,
    contents: Contents,
    tag: usize,
    /// They begin a page.
    breaks: bool,
}

/// Makes items of blocks.
pub(crate) struct Flow {
    pub fonts: Fonts,
    pub tags: Tags,
    pub headings: Vec<Heading>,
    pub(crate) items: Vec<Item>,
    /// The number of each footnote, by its index.
    numbers: BTreeMap<usize, usize>,
    /// Where contents stand.
    contents: Option<ContentsPlace>,
    /// The tag that new ones stand in.
    tag: usize,
    left: f32,
    width: f32,
    grounds: Vec<Ground>,
    /// Footnotes: smaller, and with headings that are bold text.
    is_note: bool,
    /// The next item begins a page.
    breaks: bool,
    /// The next item's space before it is at most this much.
    most_before: Option<f32>,
    /// Places that the next item takes.
    places: Vec<String>,
}

impl Flow {
    pub(crate) fn new(order: &[usize]) -> Self {
        Self {
            fonts: Fonts::new(),
            tags: Tags::default(),
            headings: Vec::new(),
            items: Vec::new(),
            numbers: order.iter().enumerate().map(|(at, index)| (*index, at + 1)).collect(),
            contents: None,
            tag: Tags::ROOT,
            left: LEFT,
            width: WIDTH,
            grounds: Vec::new(),
            is_note: false,
            breaks: false,
            most_before: None,
            places: Vec::new(),
        }
    }

    /// The title with the lines below it.
    pub(crate) fn title(&mut self, document: &WordDocument) {
        let look = if document.has_cover() {
            // The space before an item at the top of a page is none.
            self.push(Item { height: style::COVER_TOP, keeps_next: true, ..Item::default() });
            &style::COVER_TITLE
        } else {
            &TITLE
        };
        self.words(&[Run::text(document.title.as_str())], look, Kind::Title);
        for runs in &document.subtitle {
            self.words(runs, &SUBTITLE, Kind::Paragraph);
        }
        if !self.items.is_empty() {
            self.rule(10.0);
        }
    }

    pub(crate) fn blocks(&mut self, blocks: &[Block]) {
        for (block, leads) in blocks.iter().zip(docx::leading_captions(blocks)) {
            let from = self.items.len();
            match block {
                Block::Heading { level, runs, place } => self.heading(*level, runs, place.as_deref()),
                Block::Paragraph(paragraph) => self.paragraph(paragraph),
                Block::List(list) => self.list(list),
                Block::Quote(inner) => self.quote(inner),
                // Pages show the new text.
                Block::Changed(Change::Inserted, inner) => self.blocks(inner),
                Block::Changed(Change::Deleted, _) => {}
                Block::Code(text) => self.code(text),
                Block::Table(table) => self.table(table),
                Block::Contents(contents) if !self.is_note => {
                    let tag = self.tags.add(Kind::Contents, self.tag);
                    let breaks = std::mem::take(&mut self.breaks);
                    self.contents =
                        Some(ContentsPlace { at: self.items.len(), contents: contents.clone(), tag, breaks });
                }
                Block::Contents(_) => {}
                Block::Rule => self.rule(12.0),
                Block::PageBreak => self.breaks = !self.is_note,
            }
            if leads && let Some(last) = self.items.get_mut(from..).and_then(<[Item]>::last_mut) {
                last.keeps_next = true;
            }
        }
    }

    /// The items of each footnote, in the order of their numbers, by their index.
    pub(crate) fn notes(&mut self, document: &WordDocument, order: &[usize]) -> BTreeMap<usize, Vec<Item>> {
        self.is_note = true;
        let mut notes = BTreeMap::new();
        let text = std::mem::take(&mut self.items);
        for index in order {
            let Some(note) = document.notes.get(*index) else { continue };
            let tag = self.tags.add(Kind::Note, Tags::ROOT);
            (self.left, self.width, self.tag) = (LEFT + NOTE_INDENT, WIDTH - NOTE_INDENT, tag);
            let number = self.number(*index);
            let label = self.tags.add(Kind::Label, tag);
            self.blocks(&note.blocks);
            let mut items = std::mem::take(&mut self.items);
            let line = self.fonts.line_of(&number.to_string(), &NOTE).map(Rc::new);
            if items.is_empty() {
                items.push(Item { height: NOTE.leading, ..Item::default() });
            }
            if let (Some(first), Some(line)) = (items.first_mut(), line) {
                first.before = NOTE.before;
                first.parts.push(Part::Line { x: LEFT, y: 0.0, line, tag: Some(label) });
            }
            notes.insert(*index, items);
        }
        self.items = text;
        notes
    }

    /// The items of the text, contents included.
    pub(crate) fn text(&mut self) -> Vec<Item> {
        self.is_note = false;
        (self.left, self.width) = (LEFT, WIDTH);
        let mut items = std::mem::take(&mut self.items);
        if let Some(ContentsPlace { at, contents, tag, breaks }) = self.contents.take() {
            (self.tag, self.breaks) = (tag, breaks);
            self.entries(&contents);
            self.breaks = false;
            let entries = std::mem::take(&mut self.items);
            items.splice(at..at, entries);
        }
        items
    }

    fn entries(&mut self, contents: &Contents) {
        let depth = contents.depth.min(HeadingLevel::Third);
        let listed: Vec<(usize, HeadingLevel, String)> = self
            .headings
            .iter()
            .enumerate()
            .filter(|(_, heading)| heading.level <= depth && !heading.text.is_empty())
            .map(|(index, heading)| (index, heading.level, heading.text.clone()))
            .collect();
        if listed.is_empty() {
            return;
        }
        self.words(&[Run::text(contents.heading.as_str())], &style::CONTENTS_HEADING, Kind::Paragraph);
        for (index, level, text) in listed {
            let from = self.items.len();
            let inset = INDENT * f32::from(level.number() - 1);
            // Room for the page's number.
            let (left, width) = (self.left, self.width);
            (self.left, self.width) = (left + inset, width - inset - 34.0);
            let link = docx::Link::Place(heading_place(index));
            self.words(&[Run::linked(text, link)], &style::entry(level), Kind::Entry);
            (self.left, self.width) = (left, width);
            for item in &mut self.items[from..] {
                item.parts.iter_mut().for_each(Part::in_text_colour);
            }
            if let Some(last) = self.items.last_mut() {
                last.entry = Some(index);
            }
        }
    }

    pub(crate) fn number(&self, index: usize) -> usize {
        self.numbers.get(&index).copied().unwrap_or_default()
    }

    /// Words as lines, or their widths.
    pub(crate) fn set(&mut self, runs: &[Run], look: &Look, width: f32) -> Vec<Line> {
        let Self { fonts, numbers, .. } = self;
        fonts.lines(runs, look, width, &|index| numbers.get(&index).copied().unwrap_or_default())
    }

    pub(crate) fn widths(&mut self, runs: &[Run], look: &Look) -> (f32, f32) {
        let Self { fonts, numbers, .. } = self;
        fonts.widths(runs, look, &|index| numbers.get(&index).copied().unwrap_or_default())
    }

    /// The look here: smaller in footnotes.
    fn look(&self, look: Look) -> Look {
        if !self.is_note {
            return look;
        }
        Look { bold: look.bold, italic: look.italic, mono: look.mono, ..NOTE }
    }

    /// A block of words.
    fn words(&mut self, runs: &[Run], look: &Look, kind: Kind) -> usize {
        let lines = self.set(runs, look, self.width);
        let tag = self.tags.add(kind, self.tag);
        let last = lines.len().saturating_sub(1);
        let from = self.items.len();
        for (at, line) in lines.into_iter().enumerate() {
            // Neither the first nor the last line of a paragraph stands alone on a page.
            let is_kept = at < last && (at == 0 || at + 1 == last);
            let before = if at == 0 { look.before } else { 0.0 };
            self.push(Item {
                before,
                height: line.height,
                notes: line.notes.clone(),
                keeps_next: is_kept || look.keeps_next,
                parts: vec![Part::Line { x: self.left, y: 0.0, line: Rc::new(line), tag: Some(tag) }],
                ..Item::default()
            });
        }
        from
    }

    /// Adds an item with what waits for the next one.
    pub(crate) fn push(&mut self, mut item: Item) {
        if let Some(most) = self.most_before.take() {
            item.before = item.before.min(most);
        }
        item.breaks |= std::mem::take(&mut self.breaks);
        item.places.append(&mut self.places);
        item.grounds.extend(&self.grounds);
        self.grounds.iter_mut().for_each(|ground| ground.is_joined = true);
        self.items.push(item);
    }

    pub(crate) fn column(&self) -> (f32, f32) {
        (self.left, self.width)
    }

    pub(crate) fn parent(&self) -> usize {
        self.tag
    }

    fn place(&mut self, place: Option<&str>) {
        if !self.is_note {
            self.places.extend(place.map(str::to_owned));
        }
    }

    fn heading(&mut self, level: HeadingLevel, runs: &[Run], place: Option<&str>) {
        if self.is_note {
            self.words(runs, &Look { bold: true, ..NOTE }, Kind::Paragraph);
            return;
        }
        let index = self.headings.len();
        let text = docx::plain_text(runs);
        self.headings.push(Heading { level, text: text.clone() });
        self.place(place);
        self.places.push(heading_place(index));
        let from = self.words(runs, &style::heading(level), Kind::Heading { level: level.number(), text });
        if let Some(item) = self.items.get_mut(from) {
            item.heading = Some(index);
        }
    }

    fn paragraph(&mut self, paragraph: &Paragraph) {
        self.place(paragraph.place.as_deref());
        let look = self.look(style::paragraph(paragraph.style));
        if paragraph.style != ParagraphStyle::Notice {
            self.words(&paragraph.runs, &look, Kind::Paragraph);
            return;
        }
        let (left, width) = (self.left, self.width);
        let depth = self.grounds.len();
        self.grounds.push(Ground { x: left, width, colour: GROUND, is_joined: false });
        self.grounds.push(Ground { x: left, width: 2.5, colour: LINE, is_joined: false });
        (self.left, self.width) = (left + 11.0, width - 20.0);
        let from = self.words(&paragraph.runs, &look, Kind::Paragraph);
        (self.left, self.width) = (left, width);
        self.pad(from, 5.0);
        self.grounds.truncate(depth);
        // What it is about follows.
        if let Some(last) = self.items.get_mut(from..).and_then(<[Item]>::last_mut) {
            last.keeps_next = true;
        }
    }

    /// Adds room above the item `from` and below the last one.
    fn pad(&mut self, from: usize, room: f32) {
        let Some(items) = self.items.get_mut(from..) else { return };
        if let Some(first) = items.first_mut() {
            first.height += room;
            first.parts.iter_mut().for_each(|part| part.lower(room));
        }
        if let Some(last) = items.last_mut() {
            last.height += room;
        }
    }

    fn list(&mut self, list: &List) {
        let parent = self.tag;
        let tag = self.tags.add(Kind::List { is_numbered: list.start.is_some() }, parent);
        let (left, width) = (self.left, self.width);
        let look = self.look(style::paragraph(ParagraphStyle::Body));
        let most = list.start.map_or(0, |start| u64::from(start) + list.items.len() as u64);
        let indent = INDENT + if most > 99 { 7.0 } else { 0.0 };
        for (at, blocks) in list.items.iter().enumerate() {
            let label = match list.start {
                Some(start) => format!("{}.", u64::from(start) + at as u64),
                None => "\u{2022}".to_owned(),
            };
            let item = self.tags.add(Kind::ListItem, tag);
            let label_tag = self.tags.add(Kind::Label, item);
            self.tag = self.tags.add(Kind::ListBody, item);
            (self.left, self.width) = (left + indent, width - indent);
            let from = self.items.len();
            self.most_before = Some(if at == 0 { 5.0 } else { 3.0 });
            if self.is_note {
                self.most_before = Some(1.0);
            }
            self.blocks(blocks);
            if from == self.items.len() {
                self.push(Item { before: 3.0, height: look.leading, ..Item::default() });
            }
            let line = self.fonts.line_of(&label, &look).map(Rc::new);
            if let (Some(first), Some(line)) = (self.items.get_mut(from), line) {
                let x = left + indent - 5.0 - line.width;
                first.parts.insert(0, Part::Line { x, y: 0.0, line, tag: Some(label_tag) });
            }
        }
        self.most_before = None;
        (self.left, self.width, self.tag) = (left, width, parent);
    }

    fn quote(&mut self, inner: &[Block]) {
        let (left, width, parent) = (self.left, self.width, self.tag);
        self.tag = self.tags.add(Kind::Quote, parent);
        let depth = self.grounds.len();
        self.grounds.push(Ground { x: left + 3.0, width: 2.0, colour: LINE, is_joined: false });
        (self.left, self.width) = (left + INDENT - 4.0, width - INDENT + 4.0);
        let from = self.items.len();
        self.blocks(inner);
        self.grounds.truncate(depth);
        // A line or two say what follows.
        if let Some([.., last]) = self.items.get_mut(from..).filter(|items| items.len() <= MAX_REMARK_LINES) {
            last.keeps_next = !self.is_note;
        }
        (self.left, self.width, self.tag) = (left, width, parent);
    }

    fn code(&mut self, text: &str) {
        let (left, width, parent) = (self.left, self.width, self.tag);
        self.tag = self.tags.add(Kind::Code, parent);
        let look = if self.is_note { Look { size: 7.4, leading: 10.2, ..style::CODE } } else { style::CODE };
        let depth = self.grounds.len();
        self.grounds.push(Ground { x: left, width, colour: GROUND, is_joined: false });
        (self.left, self.width) = (left + 7.0, width - 14.0);
        let from = self.items.len();
        for line in text.trim_end_matches('\n').split('\n') {
            let before = if from == self.items.len() { look.before } else { 0.0 };
            if line.trim().is_empty() {
                self.push(Item { before, height: look.leading, ..Item::default() });
            } else {
                self.words(&[Run::text(line)], &Look { before, ..look }, Kind::Paragraph);
            }
        }
        (self.left, self.width, self.tag) = (left, width, parent);
        self.pad(from, 4.0);
        self.grounds.truncate(depth);
    }

    fn rule(&mut self, before: f32) {
        let (x, width) = (self.left, self.width);
        let line = Part::Fill { x, y: 0.0, width, height: 0.7, colour: LINE };
        self.push(Item { before, height: 4.0, parts: vec![line], ..Item::default() });
    }
}

impl Part {
    /// Moves it down.
    pub(crate) fn lower(&mut self, by: f32) {
        match self {
            Self::Line { y, .. } | Self::Fill { y, .. } => *y += by,
        }
    }

    /// Links of a table of contents look like text.
    fn in_text_colour(&mut self) {
        if let Self::Line { line, .. } = self
            && let Some(line) = Rc::get_mut(line)
        {
            line.glyphs.iter_mut().for_each(|glyphs| glyphs.ink.colour = style::INK);
        }
    }
}

/// The place of a heading, which no document can name.
pub(crate) fn heading_place(index: usize) -> String {
    format!("\u{0}{index}")
}
