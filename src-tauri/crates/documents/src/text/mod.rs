//! Plain text: underlined or numbered headings, blocks between blank lines, the forms of manuals and RFCs.

mod grid;
mod pages;

use std::sync::atomic::AtomicBool;

use crate::output::{Output, clean, clean_lines};
use crate::{Block, BlockKind, BlockPosition, Document, Limits, ReadError, numbers};
use pages::Line;

/// Reads a text file.
pub(crate) fn read(bytes: &[u8], limits: &Limits, cancel: &AtomicBool) -> Result<Document, ReadError> {
    let mut output = Output::new(limits, cancel);
    let text = output.text(bytes, "text")?;
    let lines = pages::lines(&text);
    let mut reader =
        Reader { base: base_indent(&lines), output, marks: Vec::new(), titled: false, lists: Vec::new() };
    reader.blocks(&lines)?;
    Ok(reader.output.finish())
}

struct Reader<'a> {
    output: Output<'a>,
    /// Indent of the running text.
    base: usize,
    /// Characters that underline headings, outermost first.
    marks: Vec<char>,
    titled: bool,
    /// Indents of the lists that are open.
    lists: Vec<usize>,
}

impl Reader<'_> {
    fn blocks(&mut self, lines: &[Line<'_>]) -> Result<(), ReadError> {
        let mut at = 0;
        while at < lines.len() {
            if lines[at].is_blank() {
                at += 1;
                continue;
            }
            if let Some(mark) = lines.get(at + 1).and_then(|next| underline(lines[at].text, next.text)) {
                self.underlined(&lines[at], mark)?;
                at += 2;
                continue;
            }
            let end = (at + 1..lines.len())
                .find(|&next| {
                    lines[next].is_blank()
                        || lines
                            .get(next + 1)
                            .is_some_and(|below| underline(lines[next].text, below.text).is_some())
                })
                .unwrap_or(lines.len());
            self.block(&lines[at..end])?;
            at = end;
        }
        Ok(())
    }

    fn underlined(&mut self, line: &Line<'_>, mark: char) -> Result<(), ReadError> {
        let first = !std::mem::replace(&mut self.titled, true);
        let (title, invisible) = clean(line.text);
        let numbered = numbers::heading(&title);
        if first && numbered.is_none() {
            self.output.removed(invisible);
            self.output.document.title = Some(title);
            return Ok(());
        }
        let by_mark = level_of(mark, &mut self.marks);
        let level = numbered.map_or(by_mark, |(number, _)| number.split('.').count());
        self.heading(line, level)
    }

    fn heading(&mut self, line: &Line<'_>, level: usize) -> Result<(), ReadError> {
        self.lists.clear();
        let kind = BlockKind::Heading(u8::try_from(level).unwrap_or(u8::MAX));
        let (text, invisible) = clean(line.text);
        let (label, text) = match numbers::heading(&text) {
            Some((number, title)) => (Some(number.to_owned()), title.to_owned()),
            None => (None, text),
        };
        self.put(kind, label, (text, invisible), line)
    }

    fn put(
        &mut self,
        kind: BlockKind,
        label: Option<String>,
        (text, invisible): (String, usize),
        line: &Line<'_>,
    ) -> Result<(), ReadError> {
        self.output.removed(invisible);
        let mut block = Block::new(kind, text, BlockPosition { page: None, line: Some(line.number) });
        block.label = label;
        self.output.push(block)
    }

    /// A block between blank lines.
    fn block(&mut self, block: &[Line<'_>]) -> Result<(), ReadError> {
        let first = &block[0];
        if let Some(level) = self.bare_heading(block) {
            self.titled = true;
            return self.heading(first, level);
        }
        if let Some(rows) = grid::read(block) {
            return self.put(BlockKind::Table, None, rows, first);
        }
        let indent = block.iter().map(Line::indent).min().unwrap_or(0);
        if block.iter().any(|line| numbers::item(line.text.trim_start()).is_some()) && self.items(block)? {
            return Ok(());
        }
        if indent > self.base {
            if let Some(depth) = self.lists.iter().position(|&list| indent <= list).or(Some(self.lists.len()))
                && depth > 0
                && !is_ragged(block)
            {
                return self.put(BlockKind::Item(level(depth)), None, joined(block), first);
            }
            let kind = if is_ragged(block) { BlockKind::Preformatted } else { BlockKind::Quote };
            let text =
                if kind == BlockKind::Preformatted { as_written(block, indent) } else { joined(block) };
            return self.put(kind, None, text, first);
        }
        self.lists.clear();
        if let [term, definition @ ..] = block
            && is_definition(term, definition)
        {
            self.put(BlockKind::Term, None, clean(term.text), term)?;
            return self.put(BlockKind::Paragraph, None, joined(definition), &definition[0]);
        }
        let (text, invisible) = joined(block);
        let (label, text) = match numbers::paragraph(&text) {
            Some((number, rest)) => (Some(number.to_owned()), rest.to_owned()),
            None => (None, text),
        };
        self.put(BlockKind::Paragraph, label, (text, invisible), first)
    }

    /// Reads a block whose first line begins with a mark as items; false for others.
    fn items(&mut self, block: &[Line<'_>]) -> Result<bool, ReadError> {
        let starts = |line: &Line<'_>| numbers::item(line.text.trim()).is_some();
        let outer = block[0].indent();
        if !starts(&block[0]) {
            return Ok(false);
        }
        let mut at = 0;
        while at < block.len() {
            // A line of the text that happens to begin like an item stands deeper than the mark.
            let end = (at + 1..block.len())
                .find(|&next| {
                    starts(&block[next]) && (block[next].indent() == outer || is_bullet(&block[next]))
                })
                .unwrap_or(block.len());
            let indent = block[at].indent();
            while self.lists.last().is_some_and(|&last| last > indent) {
                self.lists.pop();
            }
            if self.lists.last() != Some(&indent) && self.lists.len() < 100 {
                self.lists.push(indent);
            }
            let (text, invisible) = joined(&block[at..end]);
            let mut kind = BlockKind::Item(level(self.lists.len()));
            let (label, text) = match numbers::item(&text) {
                Some((numbers::Mark::Label(label), rest)) => {
                    if label.starts_with('[') {
                        kind = BlockKind::Footnote;
                    }
                    (Some(label.to_owned()), rest.to_owned())
                }
                Some((numbers::Mark::Bullet, rest)) => (None, rest.to_owned()),
                None => (None, text),
            };
            self.put(kind, label, (text, invisible), &block[at])?;
            at = end;
        }
        Ok(true)
    }

    /// The level of a heading without underline: alone on its line, with several numbers or, where the text is
    /// indented, at the margin; no full stop at its end.
    fn bare_heading(&self, block: &[Line<'_>]) -> Option<usize> {
        let [line] = block else { return None };
        let text = line.text.trim_end();
        if text.starts_with([' ', '\t']) || text.len() > 120 || text.ends_with(['.', ';', ',', ':']) {
            return None;
        }
        let at_margin = self.base >= 2;
        let capital =
            |title: &str| title.chars().next().is_some_and(|c| c.is_uppercase() || matches!(c, '"' | '“'));
        let dots = text.contains("...") || text.contains(" . .");
        match numbers::heading(text) {
            Some((number, title)) if capital(title) && !dots && (number.contains('.') || at_margin) => {
                Some(number.split('.').count())
            }
            // The first lines of such a text name its authors and dates in two columns.
            None if at_margin && capital(text) && text.len() <= 80 && !text.contains("   ") && !dots => {
                Some(1)
            }
            _ => None,
        }
    }
}

/// Whether a short line at the margin is defined by the indented ones below it.
fn is_definition(term: &Line<'_>, definition: &[Line<'_>]) -> bool {
    let name = term.text.trim();
    !definition.is_empty()
        && name.len() <= 60
        && !name.contains("  ")
        && definition.iter().all(|line| line.indent() >= term.indent() + 2)
}

fn level(depth: usize) -> u8 {
    u8::try_from(depth).unwrap_or(u8::MAX)
}

fn is_bullet(line: &Line<'_>) -> bool {
    matches!(numbers::item(line.text.trim()), Some((numbers::Mark::Bullet, _)))
}

/// The indent that most lines have, up to the three of an RFC.
fn base_indent(lines: &[Line<'_>]) -> usize {
    let mut counts = [0_usize; 5];
    for line in lines.iter().filter(|line| !line.is_blank()) {
        if let Some(count) = counts.get_mut(line.indent()) {
            *count += 1;
        }
    }
    (0..counts.len()).rev().max_by_key(|&indent| counts[indent]).unwrap_or(0)
}

/// The mark of an underline below `title`: one character, repeated about as long as the title.
fn underline(title: &str, next: &str) -> Option<char> {
    let next = next.trim_end();
    let mark = next.chars().next().filter(|&mark| "=*-~^#\"+".contains(mark))?;
    if !next.chars().all(|c| c == mark) {
        return None;
    }
    let title = title.trim_end();
    let (length, width) = (title.chars().count(), next.chars().count());
    let fits = width >= 3 && width + 2 >= length && width <= length + 4;
    let plain = !title.starts_with([' ', '\t']) && title.chars().any(char::is_alphabetic) && length <= 160;
    (fits && plain).then_some(mark)
}

fn level_of(mark: char, marks: &mut Vec<char>) -> usize {
    if let Some(at) = marks.iter().position(|&one| one == mark) {
        return at + 1;
    }
    marks.push(mark);
    marks.len()
}

/// Whether the lines end where the author wants, not where the margin is.
fn is_ragged(block: &[Line<'_>]) -> bool {
    let inner = block.iter().any(|line| line.text.trim().contains("   "));
    let uneven = block.windows(2).any(|pair| pair[1].indent() > pair[0].indent() + 1);
    let short = block.iter().rev().skip(1).any(|line| line.text.trim_end().chars().count() < 45);
    inner
        || uneven
        || short
        || (block.len() == 1 && !block[0].text.trim_end().ends_with(['.', ':', ';', '?', '!', ',']))
}

fn joined(block: &[Line<'_>]) -> (String, usize) {
    let mut text = String::new();
    for line in block {
        text.push_str(line.text);
        text.push(' ');
    }
    clean(&text)
}

fn as_written(block: &[Line<'_>], indent: usize) -> (String, usize) {
    let mut text = String::new();
    for line in block {
        let own = line.text.len() - line.text.trim_start().len();
        let spaces = line.indent().saturating_sub(indent);
        text.extend(std::iter::repeat_n(' ', spaces));
        text.push_str(&line.text[own..]);
        text.push('\n');
    }
    clean_lines(&text)
}
