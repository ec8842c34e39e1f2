//! Markdown: headings make the path, blocks between blank lines make the paragraphs.

use super::draft::Draft;
use super::sections::{Sections, split_number};

/// The paragraphs of a Markdown file, given as its lines.
pub(crate) fn read(stem: &str, lines: &[String]) -> Vec<Draft> {
    let mut sections = Sections::new(stem);
    let mut block = Block::default();
    let mut fence: Option<&str> = None;
    let mut titled = false;
    let mut start = 0;
    // YAML front matter describes the file; it is not its text.
    if lines.first().is_some_and(|line| line.trim_end() == "---")
        && let Some(end) = lines.iter().skip(1).position(|line| matches!(line.trim_end(), "---" | "..."))
    {
        start = end + 2;
    }
    let mut at = start;
    while at < lines.len() {
        let line = lines[at].as_str();
        let trimmed = line.trim();
        if let Some(mark) = fence {
            block.push(at, line, false);
            if trimmed.starts_with(mark) {
                fence = None;
            }
        } else if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            fence = Some(if trimmed.starts_with('`') { "```" } else { "~~~" });
            block.push(at, line, block.lines.is_empty());
        } else if trimmed.is_empty() {
            block.flush(&mut sections);
        } else if let Some((level, title)) = atx(trimmed) {
            block.flush(&mut sections);
            head(&mut sections, &mut titled, level, title);
        } else if block.lines.is_empty() && lines.get(at + 1).is_some_and(|next| setext(next).is_some()) {
            let level = setext(&lines[at + 1]).unwrap_or(1);
            head(&mut sections, &mut titled, level, trimmed);
            at += 1;
        } else {
            let follows = block.lines.is_empty()
                && (line.starts_with("  ")
                    || line.starts_with('\t')
                    || bullet(trimmed)
                    || trimmed.starts_with('|'));
            block.push(at, line.trim_end(), follows);
        }
        at += 1;
    }
    block.flush(&mut sections);
    sections.finish()
}

fn head(sections: &mut Sections, titled: &mut bool, level: usize, title: &str) {
    let (number, rest) = split_number(title);
    if level == 1 && number.is_none() && !*titled {
        sections.name_document(title);
    }
    *titled = true;
    sections.heading(level, number, rest);
}

#[derive(Default)]
struct Block {
    lines: Vec<String>,
    first: usize,
    follows_on: bool,
}

impl Block {
    fn push(&mut self, at: usize, line: &str, follows_on: bool) {
        if self.lines.is_empty() {
            self.first = at + 1;
            self.follows_on = follows_on;
        }
        self.lines.push(line.to_owned());
    }

    fn flush(&mut self, sections: &mut Sections) {
        let text = self.lines.join("\n");
        let (number, rest) = own_number(&text);
        sections.block(self.first, rest, number, self.follows_on && number.is_none());
        self.lines.clear();
    }
}

/// A paragraph that begins with its number, plain or bold: `4.12 Materiality is …`, `**4.12** Materiality …`.
pub(crate) fn own_number(text: &str) -> (Option<&str>, &str) {
    let bold = text.strip_prefix("**").unwrap_or(text);
    let is_bold = bold.len() < text.len();
    let end = bold.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(bold.len());
    let number = bold[..end].trim_end_matches('.');
    let mut rest = &bold[end..];
    if is_bold {
        match rest.strip_prefix("**") {
            Some(after) => rest = after,
            None => return (None, text),
        }
    }
    let whole = number.contains('.') && number.split('.').all(|part| !part.is_empty() && part.len() <= 4);
    let spaced = rest.starts_with([' ', '\t', '\u{a0}'])
        && rest.trim_start().chars().next().is_some_and(char::is_alphabetic);
    if whole && spaced { (Some(number), rest.trim_start()) } else { (None, text) }
}

fn atx(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|&b| b == b'#').count();
    let rest = line.get(level..)?;
    if !(1..=6).contains(&level) || !rest.starts_with([' ', '\t']) {
        return None;
    }
    let title = rest.trim().trim_end_matches('#').trim_end();
    (!title.is_empty()).then_some((level, title))
}

fn setext(line: &str) -> Option<usize> {
    let line = line.trim();
    if line.len() >= 3 && line.bytes().all(|b| b == b'=') {
        return Some(1);
    }
    (line.len() >= 3 && line.bytes().all(|b| b == b'-')).then_some(2)
}

pub(crate) fn bullet(line: &str) -> bool {
    let mut chars = line.chars();
    match chars.next() {
        Some('*' | '-' | '+' | '•' | '–') => chars.next().is_some_and(char::is_whitespace),
        Some(c) if c.is_ascii_digit() => {
            let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
            rest.starts_with(". ") || rest.starts_with(") ")
        }
        Some('(') => line.find(')').is_some_and(|end| (2..=5).contains(&end)),
        Some('[') => line.find(']').is_some_and(|end| (2..=4).contains(&end)),
        _ => false,
    }
}
