//! Lines to paragraphs, list items, tables, code and footnotes.

use super::bidi;
use super::columns::{Line, Region};
use super::glyphs::Origin;
use super::labels;
use super::tables;

/// Stands for a hyphen at a line's end until the whole document tells whether it belongs to the word.
pub(super) const BREAK: char = '\u{2}';

/// What a draft is, before headings are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Item(u8),
    Table,
    Code,
    Footnote,
    /// What a person wrote beside the text.
    Comment,
}

/// A block whose kind may still change.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Draft {
    pub kind: Kind,
    pub text: String,
    pub label: Option<String>,
    pub page: u32,
    /// The pages on which it goes on, one for each mark in its text.
    pub pages: Vec<u32>,
    pub size: f32,
    pub bold: bool,
    pub lines: u32,
    pub x0: f32,
    /// Whether its last line is full, so that it may go on elsewhere.
    pub open: bool,
    /// Whether wide gaps part its words, as in the head of a table.
    pub gaps: bool,
    /// Whether it starts a part of the page, so that it may go on from elsewhere.
    pub first: bool,
    /// The level of the item that it stands within.
    pub inside: Option<u8>,
    /// By page, what of it was recognised from pictures.
    pub origins: Vec<(u32, Origin)>,
}

/// How a page's text looks on the whole.
#[derive(Debug, Clone, Copy)]
pub(super) struct Looks {
    /// The size of most characters.
    pub body: f32,
    /// Whether most characters have the same width, so that such lines are no code.
    pub mono: bool,
}

/// The blocks of a region, and how many lines of a table of contents were left out.
pub(super) fn drafts(region: &Region, page: u32, looks: Looks) -> (Vec<Draft>, usize) {
    let lines = &region.lines;
    if let Some(table) = &region.table {
        let draft = Draft { kind: Kind::Table, text: table.text(lines), ..Draft::new(lines, page) };
        return (vec![Draft { lines: lines.len() as u32, ..draft }], 0);
    }
    let leading = leading(lines);
    let mut out = Vec::new();
    let mut contents = 0;
    let dotted = lines.iter().filter(|line| tables::is_contents(line)).count();
    // On such a page a line without dots begins or goes on with an entry of several lines.
    let listing = dotted >= 3 && dotted * 2 > lines.len();
    let mut at = 0;
    while at < lines.len() {
        let line = &lines[at];
        let entry = dotted >= 3 && tables::ends_in_number(line);
        if tables::is_contents(line) || entry || listing && line.size < 1.12 * looks.body {
            contents += 1;
            at += 1;
            continue;
        }
        let code = if looks.mono { 0 } else { code(&lines[at..], true) };
        if code > 0 {
            out.push(code_draft(&lines[at..at + code], page));
            at += code;
            continue;
        }
        if let Some((taken, text)) = tables::table(&lines[at..], leading) {
            let draft = Draft {
                kind: Kind::Table,
                text,
                lines: taken as u32,
                ..Draft::new(&lines[at..at + taken], page)
            };
            out.push(draft);
            at += taken;
            continue;
        }
        let end = at + block(&lines[at..], leading, looks);
        paragraphs(&lines[at..end], page, looks, leading, &mut out);
        at = end;
    }
    if let Some(first) = out.first_mut() {
        first.first = true;
    }
    levels(&mut out);
    (out, contents)
}

/// The usual distance of baselines.
fn leading(lines: &[Line]) -> f32 {
    let mut steps: Vec<f32> = lines
        .windows(2)
        .map(|pair| (pair[1].y - pair[0].y) / pair[1].size.max(1.0))
        .filter(|step| (0.8..2.2).contains(step))
        .collect();
    steps.sort_by(f32::total_cmp);
    let typical = steps.get(steps.len() / 2).copied().unwrap_or(1.25);
    let mut sizes: Vec<f32> = lines.iter().map(|line| line.size).collect();
    sizes.sort_by(f32::total_cmp);
    typical * sizes.get(sizes.len() / 2).copied().unwrap_or(10.0)
}

fn is_code(line: &Line) -> bool {
    line.share(|word| word.mono) > 0.9
}

/// How many lines of code follow. A single one right below text is that text's last line.
fn code(lines: &[Line], apart: bool) -> usize {
    let count = lines.iter().take_while(|line| is_code(line)).count();
    if count > 1 || apart { count } else { 0 }
}

fn code_draft(lines: &[Line], page: u32) -> Draft {
    let left = lines.iter().fold(f32::MAX, |x, line| x.min(line.x0));
    let mut text = String::new();
    for (index, line) in lines.iter().enumerate() {
        if index > 0 {
            text.push('\n');
        }
        // Characters of one width: gaps tell how many spaces stood there.
        let (width, count) =
            line.cells.iter().flat_map(|cell| &cell.words).fold((0.0, 0), |(width, count), word| {
                (width + word.x1 - word.x0, count + word.text.chars().count())
            });
        let advance = (width / count.max(1) as f32).max(1.0);
        let mut x = left;
        for (index, word) in line.cells.iter().flat_map(|cell| &cell.words).enumerate() {
            let spaces = ((word.x0 - x) / advance).round().clamp(0.0, 60.0) as usize;
            text.extend(std::iter::repeat_n(
                ' ',
                if index > 0 && word.spaced { spaces.max(1) } else { spaces },
            ));
            text.push_str(&word.text);
            x = word.x1;
        }
    }
    Draft { kind: Kind::Code, text, lines: lines.len() as u32, ..Draft::new(lines, page) }
}

/// How many lines follow each other without a gap or a change of size.
fn block(lines: &[Line], leading: f32, looks: Looks) -> usize {
    let mut end = 1;
    while end < lines.len() {
        let (last, line) = (&lines[end - 1], &lines[end]);
        let step = line.y - last.y;
        let usual = leading.max(1.15 * line.size);
        let alike = line.size < 1.08 * last.size && last.size < 1.08 * line.size;
        let other = tables::is_contents(line)
            || !looks.mono && code(&lines[end..], step > 1.2 * usual) > 0
            || line.cells.len() > 1 && tables::table(&lines[end..], leading).is_some();
        if step > 1.32 * usual || step <= 0.0 || !alike || other {
            break;
        }
        end += 1;
    }
    end
}

/// Cuts a block of lines into paragraphs.
fn paragraphs(lines: &[Line], page: u32, looks: Looks, leading: f32, out: &mut Vec<Draft>) {
    // Text from right to left is looked at in a mirror, too: either side may be the ragged one.
    let mirrored: Vec<Line> = if is_from_right(lines) {
        lines.iter().map(|line| Line { x0: -line.x1, x1: -line.x0, ..line.clone() }).collect()
    } else {
        Vec::new()
    };
    let side = |lines: &[Line]| {
        let left = lines.iter().fold(f32::MAX, |x, line| x.min(line.x0));
        let right = lines.iter().fold(f32::MIN, |x, line| x.max(line.x1));
        (left, right)
    };
    let sides: Vec<(&[Line], (f32, f32))> = [lines, mirrored.as_slice()]
        .into_iter()
        .filter(|lines| !lines.is_empty())
        .map(|lines| (lines, side(lines)))
        .collect();
    let mut start = 0;
    for index in 1..=lines.len() {
        let ends = |(lines, (left, right)): &(&[Line], (f32, f32))| {
            parts(&lines[start..index], &lines[index], lines.get(index + 1), *left, *right, looks, leading)
        };
        if index == lines.len() || sides.iter().all(ends) {
            let open = sides.iter().any(|(lines, (_, right))| {
                let last = &lines[index - 1];
                right - last.x1 < 2.0 * last.size
            });
            out.push(paragraph(&lines[start..index], open, page, looks));
            start = index;
        }
    }
}

/// Whether `line` starts a new paragraph after the lines `so_far`.
fn parts(
    so_far: &[Line],
    line: &Line,
    next: Option<&Line>,
    left: f32,
    right: f32,
    looks: Looks,
    leading: f32,
) -> bool {
    let (Some(first), Some(last)) = (so_far.first(), so_far.last()) else { return true };
    let em = line.size;
    if raised_mark(line).is_some() {
        return true;
    }
    let large = line.size > 1.12 * looks.body;
    let first_word =
        line.cells.first().and_then(|cell| cell.words.first()).map_or(0.0, |word| word.x1 - word.x0);
    let short = !large && last.x1 + first_word + 0.6 * em < right && right - last.x1 > 2.0 * em;
    let text = last.text();
    let stops = text.ends_with(['.', ':', ';', '?', '!', '”', '"', ')']);
    let bold = |line: &Line| line.share(|word| word.bold);
    let weight = (bold(last) > 0.95) != (bold(line) > 0.95) && (bold(last) < 0.5 || bold(line) < 0.5);
    if weight && (short || so_far.len() <= 2 && bold(last) > 0.95 && right - last.x1 > 2.0 * em) {
        return true;
    }
    let this = line.text();
    let apart = line.cells.len() > 1;
    let shifted = (line.x0 - last.x0).abs() > 0.8 * em;
    if let Some(mark) = labels::mark(&this, apart) {
        let listed = text.ends_with(',') || text.ends_with(" and") || text.ends_with(" or");
        let gap = line.y - last.y > 1.12 * leading;
        let begins = line.x0 <= left + 0.5 * em || line.x0 <= first.x0 + 0.5 * em || shifted;
        if begins && (short || gap || mark.label.is_none() || mark.sure && (stops || listed || shifted)) {
            return true;
        }
    }
    if short {
        return true;
    }
    // Below the text of a hanging mark the item goes on.
    let hangs = labels::mark(&first.text(), first.cells.len() > 1).is_some() && line.x0 > first.x0 + 0.5 * em;
    if line.x0 > last.x0 + 0.8 * em && !hangs {
        let hanging = so_far.len() == 1 && next.is_some_and(|next| (next.x0 - line.x0).abs() < 0.4 * em);
        return !hanging && (stops || line.x0 < left + 4.0 * em && last.x0 < left + 0.4 * em && !large);
    }
    if line.x0 < last.x0 - 0.8 * em {
        return so_far.len() > 1;
    }
    false
}

/// Whether most letters are written from right to left.
fn is_from_right(lines: &[Line]) -> bool {
    let words = lines.iter().flat_map(|line| &line.cells).flat_map(|cell| &cell.words);
    let (right, left) = bidi::letters(words.flat_map(|word| word.text.chars()));
    right > left
}

/// A paragraph; `open` tells that its last line is full.
fn paragraph(lines: &[Line], open: bool, page: u32, looks: Looks) -> Draft {
    let mut text = String::new();
    for line in lines {
        join(&mut text, &line.text());
    }
    let first = &lines[0];
    let open = open && !text.ends_with(['.', ':', ';', '?', '!']);
    let bold = lines.iter().all(|line| line.share(|word| word.bold) > 0.9);
    let marked = labels::mark(&text, first.cells.len() > 1).is_some();
    let gaps = lines.iter().any(|line| line.cells.len() > 1 + usize::from(marked));
    let mut draft = Draft { lines: lines.len() as u32, open, bold, gaps, ..Draft::new(lines, page) };
    if let Some(mark) = raised_mark(first).filter(|_| first.size < 0.97 * looks.body) {
        draft.kind = Kind::Footnote;
        draft.text = text.strip_prefix(mark.as_str()).unwrap_or(&text).trim_start().to_owned();
        draft.label = Some(mark);
    } else if let Some(mark) = labels::mark(&text, first.cells.len() > 1) {
        draft.kind = Kind::Item(1);
        draft.label = mark.label.map(str::to_owned);
        draft.text = mark.rest.to_owned();
    } else {
        draft.text = text;
    }
    draft
}

/// The raised number or sign that a footnote starts with.
pub(super) fn raised_mark(line: &Line) -> Option<String> {
    let cell = line.cells.first()?;
    let word = cell.words.first()?;
    let raised = word.size < 0.85 * cell.size && word.y < cell.y - 0.1 * cell.size && cell.words.len() > 1;
    let sign = word.text.chars().all(|c| c.is_ascii_digit() || matches!(c, '*' | '†' | '‡' | '§'));
    (raised && sign && word.text.chars().count() <= 3).then(|| word.text.clone())
}

/// Adds a line to a paragraph.
pub(super) fn join(text: &mut String, line: &str) {
    let hyphen = text.ends_with(['-', '\u{ad}', '‐']);
    let before = text.chars().rev().nth(1);
    if hyphen && before.is_some_and(char::is_alphanumeric) {
        let goes_on =
            |c: char| c.is_lowercase() || c.is_uppercase() && before.is_some_and(char::is_uppercase);
        if before.is_some_and(char::is_alphabetic) && line.starts_with(goes_on) {
            text.pop();
            text.push(BREAK);
        }
    } else if !(text.is_empty()
        || text.ends_with('\n')
        || text.ends_with(is_solid) && line.starts_with(is_solid))
    {
        text.push(' ');
    }
    text.push_str(line);
}

/// Whether a character is of a script that writes no blanks.
fn is_solid(c: char) -> bool {
    matches!(c, '\u{3001}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ff01}'..='\u{ff9f}')
}

/// Levels of list items by their indents.
fn levels(drafts: &mut [Draft]) {
    let mut indents: Vec<f32> = Vec::new();
    let level = |indents: &[f32]| u8::try_from(indents.len().min(9)).unwrap_or(9);
    for draft in drafts {
        match draft.kind {
            Kind::Item(_) => {
                indents.retain(|indent| *indent < draft.x0 - 4.0);
                indents.push(draft.x0);
                draft.kind = Kind::Item(level(&indents));
            }
            Kind::Text if indents.first().is_some_and(|indent| draft.x0 <= *indent + 4.0) => indents.clear(),
            // Text below an item's text goes on with the item.
            Kind::Text => {
                indents.retain(|indent| *indent < draft.x0 - 4.0);
                let near = indents.last().is_some_and(|indent| draft.x0 < *indent + 6.0 * draft.size);
                draft.inside = near.then(|| level(&indents));
            }
            Kind::Table | Kind::Code | Kind::Footnote | Kind::Comment => {}
        }
    }
}

impl Draft {
    fn new(lines: &[Line], page: u32) -> Self {
        let line = &lines[0];
        let words = lines.iter().flat_map(|line| &line.cells).flat_map(|cell| &cell.words);
        let mut origins: Vec<(u32, Origin)> = Vec::new();
        for origin in words.map(|word| (page, word.origin)).filter(|(_, origin)| *origin != Origin::Text) {
            if !origins.contains(&origin) {
                origins.push(origin);
            }
        }
        Self { size: line.size, x0: line.x0, kind: Kind::Text, origins, ..Self::comment("", page) }
    }

    /// What a person wrote beside the text of a page.
    pub fn comment(text: &str, page: u32) -> Self {
        Self {
            kind: Kind::Comment,
            text: text.to_owned(),
            label: None,
            page,
            pages: Vec::new(),
            size: 0.0,
            bold: false,
            lines: 1,
            x0: 0.0,
            open: false,
            gaps: false,
            first: false,
            inside: None,
            origins: Vec::new(),
        }
    }
}
