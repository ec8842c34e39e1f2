//! The leaf blocks of a Markdown text: where its words stand.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// The Markdown that documents use: CommonMark with tables and strikethrough.
pub(crate) fn options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH
}

/// Where a leaf block stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Heading,
    Prose,
    Cell,
}

/// A cell's place: its table, its row from the heads' row on, and its column, each from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CellPosition {
    pub table: u32,
    pub row: u32,
    pub column: u32,
}

/// A block that holds words.
#[derive(Debug)]
pub(crate) struct Leaf {
    pub kind: Kind,
    /// Inside a block quote.
    pub quoted: bool,
    /// Where it stands in a table.
    pub place: Option<CellPosition>,
    /// Its place in the source.
    pub range: Range<usize>,
    /// Its words.
    pub text: String,
    /// Code, links and images, in the source.
    pub masked: Vec<Range<usize>>,
    /// Pieces of the words with their places in the source, in order.
    pieces: Vec<(Range<usize>, Range<usize>)>,
}

impl Leaf {
    /// Where a stretch of the words stands in the source, with the marks of emphasis, code and links around it.
    pub(crate) fn source(&self, markdown: &str, words: &Range<usize>) -> Range<usize> {
        let at = |offset: usize, is_end: bool| {
            let holds = |piece: &&(Range<usize>, Range<usize>)| match is_end {
                true => piece.0.start < offset && offset <= piece.0.end,
                false => piece.0.start <= offset && offset < piece.0.end,
            };
            let (text, source) = self.pieces.iter().find(holds)?;
            let into = offset - text.start;
            Some(match text.len() == source.len() {
                true => source.start + into,
                // An entity or an escape: the whole of it.
                false if is_end => source.end,
                false => source.start,
            })
        };
        let start = at(words.start, false).unwrap_or(self.range.start);
        let end = at(words.end, true).unwrap_or(self.range.end);
        let (mut start, mut end) = (start, end.max(start));
        for masked in &self.masked {
            if masked.contains(&start) {
                start = masked.start;
            }
            if masked.start < end && end < masked.end {
                end = masked.end;
            }
        }
        let marks = ['*', '_', '~', '`'];
        end += markdown[end..self.range.end.max(end)].len()
            - markdown[end..self.range.end.max(end)].trim_start_matches(marks).len();
        let before = &markdown[self.range.start.min(start)..start];
        start -= before.len() - before.trim_end_matches(['*', '_', '~', '`', '\\']).len();
        start..end
    }
}

/// The leaf blocks, in order; code blocks are none.
pub(crate) fn leaves(markdown: &str) -> Vec<Leaf> {
    let mut out: Vec<Leaf> = Vec::new();
    let mut open = false;
    let (mut headings, mut cells, mut quotes, mut code) = (0_u32, 0_u32, 0_u32, 0_u32);
    let mut place = CellPosition { table: 0, row: 0, column: 0 };
    for (event, range) in Parser::new_ext(markdown, options()).into_offset_iter() {
        match &event {
            Event::Start(Tag::Table(_)) => place = CellPosition { table: place.table + 1, row: 0, column: 0 },
            Event::Start(Tag::TableRow) => place = CellPosition { row: place.row + 1, column: 0, ..place },
            Event::End(TagEnd::TableCell) => place.column += 1,
            _ => {}
        }
        let words = match &event {
            Event::Start(Tag::Heading { .. }) => step(&mut headings, true),
            Event::End(TagEnd::Heading(_)) => step(&mut headings, false),
            Event::Start(Tag::TableCell) => step(&mut cells, true),
            Event::End(TagEnd::TableCell) => step(&mut cells, false),
            Event::Start(Tag::BlockQuote(_)) => step(&mut quotes, true),
            Event::End(TagEnd::BlockQuote(_)) => step(&mut quotes, false),
            Event::Start(Tag::CodeBlock(_)) => step(&mut code, true),
            Event::End(TagEnd::CodeBlock) => step(&mut code, false),
            Event::Start(
                Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. } | Tag::Image { .. },
            )
            | Event::End(
                TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image,
            ) => Some(""),
            Event::Start(_) | Event::End(_) | Event::Rule => None,
            Event::Text(text) | Event::Code(text) | Event::InlineHtml(text) | Event::Html(text) => {
                Some(text.as_ref())
            }
            Event::SoftBreak | Event::HardBreak => Some(" "),
            Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::FootnoteReference(_)
            | Event::TaskListMarker(_) => Some(""),
        };
        let Some(words) = words else {
            open = false;
            continue;
        };
        if code > 0 {
            continue;
        }
        if !open {
            let kind = if headings > 0 {
                Kind::Heading
            } else if cells > 0 {
                Kind::Cell
            } else {
                Kind::Prose
            };
            out.push(Leaf {
                kind,
                quoted: quotes > 0,
                place: (cells > 0).then_some(place),
                range: range.clone(),
                text: String::new(),
                masked: Vec::new(),
                pieces: Vec::new(),
            });
            open = true;
        }
        if let Some(leaf) = out.last_mut() {
            if !words.is_empty() {
                let from = leaf.text.len();
                leaf.pieces.push((from..from + words.len(), range.clone()));
            }
            leaf.text.push_str(words);
            leaf.range.end = leaf.range.end.max(range.end);
            if matches!(event, Event::Code(_) | Event::Start(Tag::Link { .. } | Tag::Image { .. })) {
                leaf.masked.push(range);
            }
        }
    }
    out
}

/// What a cell's row and column are called, where it is not such a name itself: a cell says its part of a sentence, and its
/// names say of what.
pub(crate) fn row_label(leaves: &[Leaf], leaf: &Leaf) -> Option<String> {
    let place = leaf.place.filter(|place| place.row > 0)?;
    let at = |row: u32, column: u32| {
        let wanted = CellPosition { row, column, ..place };
        let named = (row, column) != (place.row, place.column);
        leaves
            .iter()
            .find(|one| named && one.place == Some(wanted))
            .map(|one| crate::text::one_line(&one.text))
    };
    let names: Vec<String> = [at(place.row, 0), at(0, place.column)]
        .into_iter()
        .flatten()
        .filter(|name| !name.is_empty())
        .collect();
    (!names.is_empty()).then(|| names.join(" | "))
}

/// Counts nesting; a block's edge also ends the leaf before it.
fn step(depth: &mut u32, into: bool) -> Option<&'static str> {
    *depth = if into { *depth + 1 } else { depth.saturating_sub(1) };
    None
}
